package planner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
)

// TestLargeStatements plans what is large in one way or another: none of it may take work that grows with the square
// of its size (these ran for minutes then), nor depth without bound.
func TestLargeStatements(t *testing.T) {
	cols := make([]string, 5000)
	for i := range cols {
		cols[i] = fmt.Sprintf("c%d int64", i)
	}
	numbers := make([]string, 10000)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i)
	}
	chain := "WITH a0 AS (SELECT c0, c1 FROM wide)"
	for i := 1; i < 40; i++ {
		chain += fmt.Sprintf(", a%d AS (SELECT x.c0, y.c1 FROM a%d x JOIN a%d y ON x.c0 = y.c0)", i, i-1, i-1)
	}
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.wide"] = &fakeTable{name: "lance.main.wide", version: 1, rows: 1, owner: tables,
		schema: parseSchema(strings.Join(cols, ","))}
	for _, c := range []struct{ name, sql string }{
		{"all of 5000 columns", "SELECT * FROM wide ORDER BY c1"},
		{"all of 5000 columns twice", "SELECT * FROM wide a JOIN wide b ON a.c0 = b.c0"},
		{"10000 items of IN", "SELECT c0 FROM wide WHERE c1 IN (" + strings.Join(numbers, ", ") + ")"},
		{"3000 ORs", "SELECT c0 FROM wide WHERE c1 = " + strings.Join(numbers[:3000], " OR c1 = ")},
		{"CTEs that each name the one before twice", chain + " SELECT * FROM a39"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := planner.Plan(context.Background(), c.sql, planner.Options{Resolver: tables, Params: []*expr.Literal{}})
			if err != nil {
				t.Fatal(err)
			}
			if len(st.Plan.Scans) > 200 {
				t.Errorf("%d scans", len(st.Plan.Scans))
			}
		})
	}
}
