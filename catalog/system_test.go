package catalog_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// numbered compares a column of numbers with one.
func numbered(column string, value int64) expr.Expr {
	return &expr.Compare{Op: expr.Eq, L: &expr.Column{Path: expr.FieldPath{column}, Typ: arrow.PrimitiveTypes.Int64}, R: expr.Int(value)}
}

func TestSystemTables(t *testing.T) {
	root, second := t.TempDir(), t.TempDir()
	put(t, root, "history.lance", "history.lance")
	put(t, root, "geo/sizes.lance", "sizes.lance")
	write(t, "SELECT 1", root, "v.view.sql")
	put(t, second, "worked.lance", "worked.lance")
	c := open(t, catalog.Root{Name: "lance", URI: root}, catalog.Root{Name: "other", URI: second})
	source := func(parts ...string) scan.Source { return resolve(t, c.Snapshot(), ref(parts...)) }
	relations := source("pg_catalog", "flightsrv_relations()")
	all := []string{"lance geo sizes false", "lance main history false", "lance main v true", "other main worked false"}
	names := []string{"database_name", "schema_name", "table_name", "is_view"}
	for _, tc := range []struct {
		name   string
		src    scan.Source
		filter expr.Expr
		cols   []string
		want   []string
	}{
		{"databases", source("pg_catalog", "flightsrv_databases()"), nil, []string{"database_name", "database_oid"},
			[]string{"lance " + number("lance"), "other " + number("other")}},
		{"schemas", source("other", "pg_catalog", "flightsrv_schemas()"), is("database_name", "other"), []string{"schema_name", "schema_oid", "system"},
			[]string{"main " + number("other", "main") + " false", "information_schema " + number("other", "information_schema") + " true",
				"pg_catalog " + number("other", "pg_catalog") + " true"}},
		{"relations of all catalogs", relations, nil, names, all},
		{"the same from another catalog", source("other", "PG_Catalog", "FlightSrv_Relations()"), nil, names, all},
		{"one by its number", relations, numbered("table_oid", scan.OID("lance", "geo", "sizes")), names, all[:1]},
		{"those of a schema by its number", relations, numbered("schema_oid", scan.OID("lance", "main")), names, all[1:3]},
		{"a number of nothing", relations, numbered("table_oid", 7), names, nil},
		{"what is in them", relations, is("database_name", "lance"), []string{"table_oid", "column_count", "row_count", "definition", "statement"},
			[]string{number("lance", "geo", "sizes") + " 3 8000 - -", number("lance", "main", "history") + " 2 7 - -",
				number("lance", "main", "v") + " 0 - SELECT 1 CREATE VIEW lance.main.v AS SELECT 1"}},
		{"columns by their table's number", source("pg_catalog", "flightsrv_columns()"), numbered("table_oid", scan.OID("other", "main", "worked")),
			[]string{"database_oid", "schema_oid", "table_name", "column_name", "column_index", "type_oid", "numeric_precision"},
			[]string{number("other") + " " + number("other", "main") + " worked id 1 20 64", number("other") + " " + number("other", "main") + " worked lat 2 16397 -"}},
		{"all catalogs in information_schema", source("system", "information_schema", "tables"), nil, []string{"table_catalog", "table_name"},
			[]string{"lance sizes", "lance history", "lance v", "other worked"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := texts(t, tc.src, tc.filter, tc.cols...); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func number(name ...string) string { return strconv.FormatInt(scan.OID(name...), 10) }

func TestSystemNames(t *testing.T) {
	root := t.TempDir()
	put(t, root, "pg_type.lance", "history.lance")
	c := open(t, catalog.Root{Name: "lance", URI: root})
	bare := func(table string) scan.TableRef {
		r := ref("lance", "main", table)
		r.Bare = true
		return r
	}
	for _, tc := range []struct {
		name string
		ref  scan.TableRef
		want string // empty for none
		view bool
	}{
		{"in its schema", ref("pg_catalog", "pg_class"), "lance.pg_catalog.pg_class", true},
		{"in other case", ref("LANCE", "PG_CATALOG", "PG_CLASS"), "lance.pg_catalog.pg_class", true},
		{"as a function", ref("pg_catalog", "duckdb_tables()"), "lance.pg_catalog.duckdb_tables()", true},
		{"bare", bare("Pg_Class"), "lance.pg_catalog.pg_class", true},
		{"bare, and a table's name", bare("PG_type"), "lance.main.pg_type", false},
		{"in the schema of tables", ref("lance", "main", "pg_class"), "", false},
		{"none", ref("pg_catalog", "pg_clazz"), "", false},
		{"none, bare", bare("pg_clazz"), "", false},
		{"a version", ref("pg_catalog", "pg_class@1"), "", false},
		{"a bare version", bare("pg_class@1"), "", false},
		{"in no catalog", ref("nope", "pg_catalog", "pg_class"), "", false},
		{"tables of the schema of tables", ref("lance", "main", "columns"), "", false},
		{"those of information_schema are never bare", bare("columns"), "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, err := c.Snapshot().Resolve(context.Background(), tc.ref)
			if tc.want == "" {
				if !errors.Is(err, errs.ErrNotFound) {
					t.Errorf("%v, %v", src, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, view := src.(*scan.View); view != tc.view || src.Name() != tc.want {
				t.Errorf("got %s, view %v", src.Name(), view)
			}
		})
	}
}
