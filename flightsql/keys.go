package flightsql

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"

	"github.com/lanceflight/flightsrv/expr"
)

// The keys of a field's metadata that declare a primary key, which Lance keeps and does not enforce.
// Source: Lance's schema of tables (lance-core, datatypes/field).
const (
	primaryKey         = "lance-schema:unenforced-primary-key"
	primaryKeyPosition = primaryKey + ":position"
)

// keyColumn is a column of a primary key. Position is what the schema declares, from 1; the greatest number where it
// declares none, which leaves the order of the fields.
type keyColumn struct {
	name     string
	position uint64
}

// primaryKeyOf gives the columns of a table's primary key in their order, none where it declares none.
func primaryKeyOf(s *arrow.Schema) []keyColumn {
	var out []keyColumn
	var walk func(path expr.FieldPath, fields []arrow.Field)
	walk = func(path expr.FieldPath, fields []arrow.Field) {
		for _, f := range fields {
			at := path.Child(f.Name)
			if value, _ := f.Metadata.GetValue(primaryKey); value == "true" || value == "1" || value == "yes" {
				text, _ := f.Metadata.GetValue(primaryKeyPosition)
				n, err := strconv.ParseUint(text, 10, 32)
				if err != nil || n == 0 {
					n = math.MaxUint64
				}
				out = append(out, keyColumn{name: strings.Join(at, "."), position: n})
			}
			if st, ok := f.Type.(*arrow.StructType); ok {
				walk(at, st.Fields())
			}
		}
	}
	walk(nil, s.Fields())
	slices.SortStableFunc(out, func(a, b keyColumn) int { return cmp.Compare(a.position, b.position) })
	return out
}

// listPrimaryKeys answers GetPrimaryKeys: the keys of the tables of that name, in all catalogs and schemas where none is
// named.
func (s *Server) listPrimaryKeys(ctx context.Context, cmd *pb.CommandGetPrimaryKeys) (arrow.RecordBatch, error) {
	in, err := s.listSchemas(ctx, cmd.Catalog, nil)
	if err != nil {
		return nil, err
	}
	b := array.NewRecordBuilder(s.mem, schema_ref.PrimaryKeys)
	defer b.Release()
	resolver := s.cfg.Catalog.Snapshot()
	for _, cs := range in {
		if cmd.DbSchema != nil && *cmd.DbSchema != cs[1] {
			continue
		}
		tables, err := s.cfg.Catalog.Tables(ctx, cs[0], cs[1])
		if err != nil {
			return nil, err
		}
		name, ok := nameIn(tables, cmd.GetTable())
		if !ok {
			continue
		}
		info := s.openTable(ctx, resolver, []string{cs[0], cs[1], name})
		if info.err != nil {
			return nil, info.err
		}
		for i, c := range primaryKeyOf(info.schema) {
			for at, v := range []string{cs[0], cs[1], name, c.name} {
				b.Field(at).(*array.StringBuilder).Append(v)
			}
			b.Field(4).(*array.Int32Builder).Append(int32(i + 1))
			b.Field(5).AppendNull()
		}
	}
	return b.NewRecordBatch(), nil
}
