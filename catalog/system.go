package catalog

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/scan"
)

// PgCatalog is the schema of the views that describe a catalog as PostgreSQL's catalog does, in DuckDB's form.
const PgCatalog = "pg_catalog"

// everyCatalog names the information_schema that describes all catalogs, where none is named so. Source: DuckDB.
const everyCatalog = "system"

// systemFiles hold the views of PgCatalog, and those that are read as functions.
//
//go:embed system
var systemFiles embed.FS

// systemViews are the views of PgCatalog by name. A name that ends in "()" is read as a function of no arguments.
var systemViews = readSystemViews()

func readSystemViews() map[string]string {
	out := map[string]string{}
	for dir, suffix := range map[string]string{"system/views": "", "system/functions": "()"} {
		files, _ := systemFiles.ReadDir(dir) // embedded
		for _, f := range files {
			text, _ := systemFiles.ReadFile(path.Join(dir, f.Name()))
			out[strings.TrimSuffix(f.Name(), ".sql")+suffix] = string(text)
		}
	}
	for name, columns := range emptyViews {
		out[name] = emptyView(columns)
	}
	return out
}

// systemTables are what the views of PgCatalog stand on. They describe all catalogs.
var systemTables = map[string]description{
	"flightsrv_databases()": {"database_name, database_oid int", systemDatabases, schemaRows},
	"flightsrv_schemas()":   {"database_name, database_oid int, schema_name, schema_oid int, system bool", systemSchemas, schemaRows},
	"flightsrv_relations()": {`database_name, database_oid int, schema_name, schema_oid int, table_name, table_oid int, is_view bool,
		definition, statement, column_count int, row_count int`, systemRelations, tableRows},
	"flightsrv_columns()": {`database_name, database_oid int, schema_name, schema_oid int, table_name, table_oid int, column_name,
		column_index int, is_nullable bool, data_type, type_oid int, numeric_precision int, numeric_precision_radix int, numeric_scale int`,
		systemColumns, columnRows},
	"flightsrv_types()": {"type_oid int, type_name, format, logical_type, type_size int, category", systemTypes, schemaRows},
}

// isSystem tells whether a schema is one of those that describe a catalog.
func isSystem(schema string) bool {
	return strings.EqualFold(schema, InformationSchema) || strings.EqualFold(schema, PgCatalog)
}

// system gives what describes catalogs.
func (c *Catalog) system(ref scan.TableRef) (scan.Source, error) {
	if strings.EqualFold(ref.Schema, InformationSchema) {
		in, err := c.describedBy(&ref)
		if err != nil {
			return nil, err
		}
		return c.information(in, ref)
	}
	r, err := c.root(ref.Catalog)
	if err != nil {
		return nil, err
	}
	ref.Catalog = r.name
	return c.pgCatalog(ref)
}

// describedBy gives the catalogs that a reference to information_schema means, and names the catalog in it.
func (c *Catalog) describedBy(ref *scan.TableRef) ([]*root, error) {
	r, err := c.root(ref.Catalog)
	if err != nil && strings.EqualFold(ref.Catalog, everyCatalog) {
		return c.roots, nil
	}
	if err != nil {
		return nil, err
	}
	ref.Catalog = r.name
	return []*root{r}, nil
}

// pgCatalog gives a view of PgCatalog, or what these stand on.
func (c *Catalog) pgCatalog(ref scan.TableRef) (scan.Source, error) {
	names := slices.Concat(slices.Collect(maps.Keys(systemViews)), slices.Collect(maps.Keys(systemTables)))
	name, err := systemTable(ref, PgCatalog, names)
	if err != nil {
		return nil, err
	}
	if d, ok := systemTables[name]; ok {
		return c.description(d, c.roots, ref.Catalog, PgCatalog, name), nil
	}
	return &scan.View{Ref: scan.TableRef{Catalog: ref.Catalog, Schema: PgCatalog, Table: name}, Query: systemViews[name]}, nil
}

func systemDatabases(_ context.Context, in []*root, _ memtable.Only, _ access) ([][]any, error) {
	rows := make([][]any, len(in))
	for i, r := range in {
		rows[i] = []any{r.name, scan.OID(r.name)}
	}
	return rows, nil
}

func systemSchemas(ctx context.Context, in []*root, _ memtable.Only, _ access) ([][]any, error) {
	all, err := allSchemas(ctx, in)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, len(all))
	for i, s := range all {
		rows[i] = []any{s.root.name, scan.OID(s.root.name), s.name, scan.OID(s.root.name, s.name), s.system}
	}
	return rows, nil
}

// numberedName is how the rows of a table begin that tell of a relation.
func numberedName(n relation) []any {
	c, s, t := n.root.name, n.schema, n.name
	return []any{c, scan.OID(c), s, scan.OID(c, s), t, scan.OID(c, s, t)}
}

// systemRelations opens tables and views only for columns that tell of what is in them.
func systemRelations(ctx context.Context, in []*root, only memtable.Only, a access) ([][]any, error) {
	all, err := relationsOf(ctx, in, only, numbered)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, len(all))
	err = eachOf(ctx, all, func(ctx context.Context, i int) {
		n := all[i]
		var definition, statement, columns, count any
		if n.view && only.Reads("definition", "statement") {
			definition = n.definition(ctx, a)
		}
		if definition != nil {
			statement = fmt.Sprintf("CREATE VIEW %s AS %s", expr.FieldPath{n.root.name, n.schema, n.name}.Key(), definition)
		}
		if only.Reads("column_count") {
			if schema, err := a.schema(ctx, n.ref()); err == nil {
				columns = int64(schema.NumFields())
			}
		}
		if !n.view && only.Reads("row_count") {
			if src, err := a.open(ctx, n.ref()); err == nil {
				count = src.Rows()
			}
		}
		rows[i] = append(numberedName(n), n.view, definition, statement, columns, count)
	})
	return rows, err
}

func systemColumns(ctx context.Context, in []*root, only memtable.Only, a access) ([][]any, error) {
	all, schemas, err := openedOf(ctx, in, only, numbered, a)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for i, n := range all {
		for at, f := range schemas[i].Fields() {
			precision, radix, scale := digits(f.Type)
			typ := expr.SQLType(f.Type)
			rows = append(rows, append(numberedName(n), f.Name, int64(at+1), f.Nullable, typ, expr.PgTypeOf(typ).OID, precision, radix, scale))
		}
	}
	return rows, nil
}

func systemTypes(context.Context, []*root, memtable.Only, access) ([][]any, error) {
	rows := make([][]any, len(expr.PgTypes))
	for i, t := range expr.PgTypes {
		rows[i] = []any{t.OID, t.Name, t.Format, t.SQL, t.Bytes, t.Category}
	}
	return rows, nil
}
