package flightsql

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

const (
	// The types of tables, in upper case as BI tools ask for them.
	tableType = "TABLE"
	viewType  = "VIEW"
	// parallelTables is how many tables are opened at once for their schemas.
	parallelTables = 8
)

// The infos of the metadata commands: the ticket is the command itself, so it never expires.

func (s *Server) commandInfo(schema *arrow.Schema, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return &flight.FlightInfo{
		Schema:           flight.SerializeSchema(schema, s.mem),
		FlightDescriptor: d,
		Endpoint:         []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: d.GetCmd()}}},
		TotalRecords:     -1,
		TotalBytes:       -1,
	}, nil
}

// GetFlightInfoCatalogs tells of the catalogs.
func (s *Server) GetFlightInfoCatalogs(_ context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.Catalogs, d)
}

// GetFlightInfoSchemas tells of the schemas.
func (s *Server) GetFlightInfoSchemas(_ context.Context, _ fsql.GetDBSchemas, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.DBSchemas, d)
}

// GetFlightInfoTables tells of the tables.
func (s *Server) GetFlightInfoTables(_ context.Context, cmd fsql.GetTables, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(tablesSchema(cmd.GetIncludeSchema()), d)
}

// GetFlightInfoTableTypes tells of the table types.
func (s *Server) GetFlightInfoTableTypes(_ context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.TableTypes, d)
}

// GetFlightInfoSqlInfo tells of the server.
func (s *Server) GetFlightInfoSqlInfo(_ context.Context, _ fsql.GetSqlInfo, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.SqlInfo, d)
}

// GetFlightInfoXdbcTypeInfo tells of the SQL types.
func (s *Server) GetFlightInfoXdbcTypeInfo(_ context.Context, _ fsql.GetXdbcTypeInfo, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.XdbcTypeInfo, d)
}

// GetFlightInfoPrimaryKeys tells of keys, of which Lance tables have none; so do the three below.
func (s *Server) GetFlightInfoPrimaryKeys(_ context.Context, _ fsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.PrimaryKeys, d)
}

// GetFlightInfoExportedKeys is GetFlightInfoPrimaryKeys for exported keys.
func (s *Server) GetFlightInfoExportedKeys(_ context.Context, _ fsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.ExportedKeys, d)
}

// GetFlightInfoImportedKeys is GetFlightInfoPrimaryKeys for imported keys.
func (s *Server) GetFlightInfoImportedKeys(_ context.Context, _ fsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.ImportedKeys, d)
}

// GetFlightInfoCrossReference is GetFlightInfoPrimaryKeys for the keys from one table to another.
func (s *Server) GetFlightInfoCrossReference(_ context.Context, _ fsql.CrossTableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return s.commandInfo(schema_ref.CrossReference, d)
}

// metadata answers a metadata command; the caller releases the batch.
func (s *Server) metadata(ctx context.Context, cmd proto.Message) (*arrow.Schema, arrow.RecordBatch, error) {
	switch cmd := cmd.(type) {
	case *pb.CommandGetCatalogs:
		names := slices.Clone(s.cfg.Catalog.Catalogs())
		slices.Sort(names)
		return schema_ref.Catalogs, s.textRows(schema_ref.Catalogs, column(names)), nil
	case *pb.CommandGetDbSchemas:
		rows, err := s.listSchemas(ctx, cmd.Catalog, cmd.DbSchemaFilterPattern)
		return schema_ref.DBSchemas, s.textRows(schema_ref.DBSchemas, rows), err
	case *pb.CommandGetTables:
		batch, err := s.listTables(ctx, cmd)
		return tablesSchema(cmd.GetIncludeSchema()), batch, err
	case *pb.CommandGetTableTypes:
		return schema_ref.TableTypes, s.textRows(schema_ref.TableTypes, [][]string{{tableType}, {viewType}}), nil
	case *pb.CommandGetSqlInfo:
		return schema_ref.SqlInfo, sqlInfoBatch(s.info, cmd.GetInfo(), s.mem), nil
	case *pb.CommandGetXdbcTypeInfo:
		return schema_ref.XdbcTypeInfo, typeInfoBatch(cmd.DataType, s.mem), nil
	case *pb.CommandGetPrimaryKeys:
		batch, err := s.listPrimaryKeys(ctx, cmd)
		return schema_ref.PrimaryKeys, batch, err
	case *pb.CommandGetExportedKeys, *pb.CommandGetImportedKeys, *pb.CommandGetCrossReference:
		return schema_ref.CrossReference, s.noRows(schema_ref.CrossReference), nil
	}
	return nil, nil, errs.Invalidf("this ticket's command gives no stream")
}

func tablesSchema(withSchema bool) *arrow.Schema {
	if withSchema {
		return schema_ref.TablesWithIncludedSchema
	}
	return schema_ref.Tables
}

func column(values []string) [][]string {
	rows := make([][]string, len(values))
	for i, v := range values {
		rows[i] = []string{v}
	}
	return rows
}

// textRows builds a batch of text columns; a last binary column takes bytes. Where a row is shorter its last columns are null.
func (s *Server) textRows(schema *arrow.Schema, rows [][]string) arrow.RecordBatch {
	b := array.NewRecordBuilder(s.mem, schema)
	defer b.Release()
	for _, row := range rows {
		for i, v := range row {
			switch f := b.Field(i).(type) {
			case *array.StringBuilder:
				f.Append(v)
			case *array.BinaryBuilder:
				f.Append([]byte(v))
			}
		}
		for i := len(row); i < schema.NumFields(); i++ {
			b.Field(i).AppendNull()
		}
	}
	return b.NewRecordBatch()
}

func (s *Server) noRows(schema *arrow.Schema) arrow.RecordBatch { return s.textRows(schema, nil) }

// listSchemas gives catalog and schema of each that the filters take, sorted.
func (s *Server) listSchemas(ctx context.Context, catalog, pattern *string) ([][]string, error) {
	var rows [][]string
	names := slices.Clone(s.cfg.Catalog.Catalogs())
	slices.Sort(names)
	for _, c := range names {
		if catalog != nil && *catalog != c {
			continue
		}
		schemas, err := s.cfg.Catalog.Schemas(ctx, c)
		if err != nil {
			return nil, err
		}
		slices.Sort(schemas)
		for _, sch := range schemas {
			if matches(pattern, sch) {
				rows = append(rows, []string{c, sch})
			}
		}
	}
	return rows, nil
}

// listTables answers GetTables: sorted by type, catalog, schema and name.
func (s *Server) listTables(ctx context.Context, cmd *pb.CommandGetTables) (arrow.RecordBatch, error) {
	schema := tablesSchema(cmd.GetIncludeSchema())
	set, err := s.settingsOf(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, typ := range []string{tableType, viewType} {
		if types := cmd.GetTableTypes(); len(types) > 0 && !slices.Contains(types, typ) {
			continue
		}
		names, err := s.tableNames(ctx, set, typ, cmd.Catalog, cmd.DbSchemaFilterPattern, cmd.TableNameFilterPattern)
		if err != nil {
			return nil, err
		}
		var infos []tableInfo
		if cmd.GetIncludeSchema() {
			if infos, err = s.tableInfos(ctx, names); err != nil {
				return nil, err
			}
		}
		for i, n := range names {
			row := append(n[:3:3], typ)
			if infos != nil {
				row = append(row, string(flight.SerializeSchema(sqlSchema(set.Nested.Schema(infos[i].schema), n...), s.mem)))
			}
			rows = append(rows, row)
		}
	}
	return s.textRows(schema, rows), nil
}

// tableNames gives catalog, schema and name of each table, or view, that the filters take, sorted.
func (s *Server) tableNames(ctx context.Context, set settings, typ string, catalog, schemas, tables *string) ([][]string, error) {
	in, err := s.listSchemas(ctx, catalog, schemas)
	if err != nil {
		return nil, err
	}
	pick := picking(tables)
	var rows [][]string
	for _, cs := range in {
		var names []string
		if typ == viewType {
			names, err = s.catalogOf(set).Views(ctx, cs[0], cs[1], pick)
		} else {
			names, err = s.cfg.Catalog.Tables(ctx, cs[0], cs[1])
		}
		if err != nil {
			return nil, err
		}
		names = pick(names)
		slices.Sort(names)
		for _, t := range names {
			rows = append(rows, []string{cs[0], cs[1], t})
		}
	}
	return rows, nil
}

// tableInfo is what a listing tells of a table.
type tableInfo struct {
	schema *arrow.Schema // without stats columns
	rows   int64
	err    error // of a table that can't be read: it has no columns then, and hides none of the others
}

// tableInfos opens tables for their schemas and row counts.
func (s *Server) tableInfos(ctx context.Context, names [][]string) ([]tableInfo, error) {
	out := make([]tableInfo, len(names))
	resolver := s.cfg.Catalog.Snapshot()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelTables)
	for i, n := range names {
		g.Go(func() error {
			out[i] = s.openTable(gctx, resolver, n)
			return gctx.Err()
		})
	}
	return out, g.Wait()
}

// openTable never panics, as it runs in goroutines of its own.
func (s *Server) openTable(ctx context.Context, resolver planner.Resolver, name []string) tableInfo {
	var info tableInfo
	err := func() (err error) {
		defer errs.Contain(&err)
		src, err := resolver.Resolve(ctx, scan.TableRef{Catalog: name[0], Schema: name[1], Table: name[2]})
		if err != nil {
			return err
		}
		info = tableInfo{schema: visibleSchema(src.Schema()), rows: src.Rows()}
		if v, ok := src.(*scan.View); ok {
			info.schema, err = s.viewSchema(ctx, resolver, v, nil)
		}
		return err
	}()
	if err != nil {
		return tableInfo{schema: arrow.NewSchema(nil, nil), rows: -1, err: err}
	}
	return info
}
