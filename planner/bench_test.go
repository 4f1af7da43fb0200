package planner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
)

// BenchmarkPlan plans statements that are large in the ways in which tools make them so. ARCHITECTURE.md has the figures.
func BenchmarkPlan(b *testing.B) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	add := func(name, columns string, rows int64) {
		tables.tables["main."+name] = &fakeTable{name: "lance.main." + name, version: 1, rows: rows, owner: tables, schema: parseSchema(columns)}
	}
	add("big", "id int64, k int64, t utf8, x float64", 10_000_000)
	add("wide", strings.Join(repeated(1000, "c%d float64"), ", "), 1000)
	for i := range 300 {
		add(fmt.Sprintf("t%d", i), "id int64, k int64, name utf8, s struct<a int64, b struct<c utf8>>", int64(i)*1000)
	}
	numbers, texts := strings.Join(repeated(5000, "%d"), ", "), strings.Join(repeated(5000, "'key %d'"), ", ")
	for _, c := range []struct{ name, sql string }{
		{"point", "SELECT x FROM big WHERE id = 7"},
		{"in=5000/type=int", "SELECT x FROM big WHERE id IN (" + numbers + ")"},
		{"in=5000/type=text", "SELECT x FROM big WHERE t IN (" + texts + ")"},
		{"in=5000/join", "SELECT t1.name FROM big JOIN t1 ON big.k = t1.k WHERE big.k IN (" + numbers + ")"},
		{"ors=1000", "SELECT x FROM big WHERE id = " + strings.Join(repeated(1000, "%d"), " OR id = ")},
		{"columns=1000", "SELECT * FROM wide WHERE c7 > 3"},
		{"tables=20", "SELECT big.x FROM big" + strings.Join(repeated(20, " JOIN t%[1]d ON t%[1]d.id = big.k AND t%[1]d.s.a > %[1]d"), "") + " WHERE big.k < 100"},
		{"tables=100", "SELECT t0.s.b.c FROM t0" + strings.Join(repeated(100, " LEFT JOIN t%[1]d u%[1]d ON u%[1]d.k = t0.k"), "")},
		{"unions=300", strings.Join(repeated(300, "SELECT name FROM t%d WHERE s.a > 3"), " UNION ALL ")},
	} {
		b.Run("statement="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := planner.Plan(context.Background(), c.sql, planner.Options{Catalog: "lance", Schema: "main", Resolver: tables, Params: []*expr.Literal{}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
