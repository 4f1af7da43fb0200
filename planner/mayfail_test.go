package planner_test

import (
	"context"
	"slices"
	"testing"

	"github.com/lanceflight/flightsrv/planner"
)

// TestMayFail: a plan for DuckDB tells which expressions can fail, those of subqueries and of ORDER BY included.
func TestMayFail(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 3, rows: 10, schema: parseSchema("id int64, s utf8"), owner: tables}
	tests := map[string]struct {
		sql  string
		want []string
	}{
		"parts of an aggregate": {"SELECT sum(CAST(s AS INTEGER)) FROM t", []string{"sum(CAST(s AS INTEGER))", "CAST(s AS INTEGER)"}},
		"group and order":       {"SELECT count(*) AS n FROM t GROUP BY id + 1 ORDER BY -n", []string{"count(*)", "id + 1", "-count(*)", "count(*)"}},
		"try never fails":       {"SELECT max(TRY_CAST(s AS INTEGER)) FROM t", []string{"max(TRY_CAST(s AS INTEGER))"}},
		"a subquery": {"SELECT max(id) FROM t WHERE id > (SELECT count(*) FROM t WHERE sqrt(id) > 2)",
			[]string{"max(id)", "count(*)", "sqrt(id)"}},
		"names of a subquery": {"SELECT sum(CAST(word AS INTEGER) + n) FROM (SELECT s AS word, count(*) AS n FROM t GROUP BY s) q JOIN t ON q.n = t.id",
			[]string{"sum(CAST(word AS INTEGER) + n)", "CAST(word AS INTEGER) + n", "CAST(word AS INTEGER)", "count(*)"}},
		"renamed columns": {"SELECT sum(CAST(word AS INTEGER)), max(CAST(y AS DOUBLE)) FROM (SELECT s, count(*) FROM t GROUP BY s) AS q(word, n), (VALUES ('1'), ('2')) AS v(y)",
			[]string{"sum(CAST(word AS INTEGER))", "CAST(word AS INTEGER)", "max(CAST(y AS DOUBLE))", "CAST(y AS DOUBLE)", "count(*)"}},
		"direct": {"SELECT CAST(s AS INTEGER) FROM t", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			st, err := planner.Plan(context.Background(), tt.sql, planner.Options{Catalog: "lance", Schema: "main", Resolver: tables})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range st.Plan.MayFail {
				got = append(got, p.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q\n%s", got, tt.want, st.Plan.Text)
			}
		})
	}
}
