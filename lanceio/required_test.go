package lanceio_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
)

// The caller's whole schema: what is not asked for, and what the table lacks, is null and nullable.
func TestRequiredSchema(t *testing.T) {
	for _, name := range []string{"nested_legacy", "nested_2_0", "nested_2_1", "nested_2_2"} {
		tab := open(t, name)
		s, _ := tab.Schema().FieldsByName("s")
		must, _ := tab.Schema().FieldsByName("must")
		extra := arrow.Field{Name: "extra", Type: arrow.BinaryTypes.String}
		more := arrow.StructOf(append(s[0].Type.(*arrow.StructType).Fields(), extra)...)
		tests := []struct {
			name    string
			schema  *arrow.Schema
			columns []expr.FieldPath
			reads   map[string]bool
		}{
			{"siblings", arrow.NewSchema([]arrow.Field{s[0], must[0]}, nil), []expr.FieldPath{path("s", "t", "b"), path("must", "v")},
				map[string]bool{"s.t.b": true, "must.v": true}},
			{"a column that is not asked for", arrow.NewSchema([]arrow.Field{must[0], s[0]}, nil), []expr.FieldPath{path("s", "a")}, map[string]bool{"s.a": true}},
			{"members the table lacks", arrow.NewSchema([]arrow.Field{{Name: "s", Type: more, Nullable: true}, extra}, nil), []expr.FieldPath{path("s", "a")}, map[string]bool{"s.a": true}},
		}
		for _, tt := range tests {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				got := collect(t, tab, lanceio.Columns(tt.columns...), lanceio.RequiredSchema(tt.schema))
				if len(got.schema.Fields()) != len(tt.schema.Fields()) {
					t.Fatalf("schema %s, want that of %s", got.schema, tt.schema)
				}
				asked := map[string]bool{}
				for _, c := range tt.columns {
					asked[c.Key()] = true
				}
				same(t, got.rows, blanked(t, name, tt.schema, asked))
				for i, f := range got.schema.Fields() {
					if f.Name != tt.schema.Field(i).Name {
						t.Errorf("column %d is %s", i, f.Name)
					}
					checkNullable(t, expr.FieldPath{f.Name}, f, asked)
				}
				for key := range got.metrics.ColumnBytes {
					if !tt.reads[key] {
						t.Errorf("%s was read", key)
					}
				}
			})
		}
	}
}

// checkNullable demands that what is not asked for is nullable.
func checkNullable(t *testing.T, p expr.FieldPath, f arrow.Field, asked map[string]bool) {
	t.Helper()
	below := false
	for key := range asked {
		below = below || strings.HasPrefix(key, p.Key()+".")
	}
	if !below && !asked[p.Key()] && !f.Nullable {
		t.Errorf("%s is all null, but not nullable", p.Key())
	}
	if st, ok := f.Type.(*arrow.StructType); ok && below {
		for _, c := range st.Fields() {
			checkNullable(t, p.Child(c.Name), c, asked)
		}
	}
}

func TestRequiredSchemaAlone(t *testing.T) {
	tab := open(t, "nested_2_2")
	id, _ := tab.Schema().FieldsByName("id")
	schema := arrow.NewSchema([]arrow.Field{{Name: "none", Type: arrow.PrimitiveTypes.Int8}, id[0]}, nil)
	got := collect(t, tab, lanceio.RequiredSchema(schema))
	if want := "none: int8, id: int64"; schemaText(got.schema) != want {
		t.Errorf("schema %s, want %s", schemaText(got.schema), want)
	}
	if got.rows[7] != "none=null id=7" {
		t.Errorf("row 7 is %s", got.rows[7])
	}
}

func TestRequiredSchemaErrors(t *testing.T) {
	tab := open(t, "nested_2_2")
	for name, tt := range map[string]struct {
		schema  *arrow.Schema
		columns []expr.FieldPath
	}{
		"another type":         {arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}}, nil), []expr.FieldPath{path("id")}},
		"asked column not in":  {arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil), []expr.FieldPath{path("S")}},
		"asked member not in":  {arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64})}}, nil), []expr.FieldPath{path("s", "t", "b")}},
		"no struct where read": {arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.PrimitiveTypes.Int64}}, nil), []expr.FieldPath{path("s", "a")}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tab.NewScan(lanceio.Columns(tt.columns...), lanceio.RequiredSchema(tt.schema)); !errors.Is(err, errs.ErrInvalidInput) {
				t.Errorf("%v, want invalid", err)
			}
		})
	}
}
