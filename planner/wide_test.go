package planner_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
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
	tables.tables["main.narrow"] = &fakeTable{name: "lance.main.narrow", version: 1, rows: 1, owner: tables, schema: parseSchema("c0 int64, c1 int64")}
	doubled := "SELECT 'x' || c0 AS x FROM narrow"
	for i := range 100 {
		doubled = fmt.Sprintf("SELECT x || x AS x FROM (%s) AS d%d", doubled, i)
	}
	for _, c := range []struct{ name, sql string }{
		{"100 subqueries that double a text", doubled},
		{"the same under a filter", "SELECT count(*) FROM (" + doubled + ") d WHERE x = 'a'"},
		{"all of 5000 columns", "SELECT * FROM wide ORDER BY c1"},
		{"all of 5000 columns twice", "SELECT * FROM wide a JOIN wide b ON a.c0 = b.c0"},
		{"10000 items of IN", "SELECT c0 FROM wide WHERE c1 IN (" + strings.Join(numbers, ", ") + ")"},
		{"3000 ORs", "SELECT c0 FROM wide WHERE c1 = " + strings.Join(numbers[:3000], " OR c1 = ")},
		{"20000 BETWEENs", "SELECT c0 FROM wide WHERE " + strings.Repeat("c1 BETWEEN 1 AND 2 AND ", 20000) + "c2 = 1"},
		{"20000 WHENs", "SELECT CASE c0 " + strings.Repeat("WHEN 1 THEN 2 ", 20000) + "END FROM wide"},
		{"50000 arguments", "SELECT coalesce(" + strings.Repeat("c0, ", 50000) + "1) FROM wide"},
		{"20000 CTEs", "WITH " + strings.Join(repeated(20000, "x%d AS (SELECT 1 v)"), ", ") + " SELECT v FROM x7"},
		{"50 FULL JOINs on one merged column", "SELECT c0 FROM narrow" + strings.Join(repeated(50, " FULL JOIN narrow n%d USING (c0)"), "")},
		{"20000 BETWEENs on a column that joins", "SELECT narrow.c0 FROM wide JOIN narrow ON wide.c1 = narrow.c1 WHERE " + strings.Repeat("wide.c1 BETWEEN 1 AND 2 AND ", 20000) + "wide.c2 = 1"},
		{"20000 conditions on a column that joins", "SELECT narrow.c0 FROM wide JOIN narrow ON wide.c1 = narrow.c1 WHERE " + strings.Join(repeated(20000, "wide.c1 <> %d"), " AND ")},
		{"100 tables on one key, a condition on each", "SELECT n0.c1 FROM narrow n0" + strings.Join(repeated(100, " JOIN narrow m%[1]d ON n0.c0 = m%[1]d.c0 AND m%[1]d.c0 <> %[1]d"), "")},
		{"100 LEFT JOINs under conditions", "SELECT n0.c1 FROM narrow n0" + strings.Join(repeated(100, " LEFT JOIN narrow m%[1]d ON n0.c0 = m%[1]d.c0"), "") +
			" WHERE " + strings.Join(repeated(100, "m%d.c1 > 0"), " AND ")},
		{"a long text that is put together 400 times", "SELECT c0 FROM (SELECT c0, '" + strings.Repeat("x", 200_000) + "' AS x FROM narrow) q WHERE " + strings.Repeat("x || ", 400) + "x = 'a'"},
		{"10000 groups", "SELECT c0 + " + strings.Join(numbers, ", c0 + ") + ", count(*) FROM narrow GROUP BY c0 + " + strings.Join(numbers, ", c0 + ")},
		{"20000 aliases", "SELECT " + strings.Join(repeated(20000, "c0 AS a%d"), ", ") + " FROM narrow"},
		{"5000 UNIONs", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 5000)},
		{"190 EXCEPTs under a filter", "SELECT count(*) FROM (SELECT c0 FROM narrow" + strings.Repeat(" EXCEPT SELECT c1 FROM wide", 190) + ") q WHERE c0 > 1"},
		{"CTEs that each name the one before twice", chain + " SELECT * FROM a39"},
		{"190 CTEs that each name the one before", straight(190) + " SELECT count(*) FROM a189"},
		{"190 CTEs that each name the one before, in a SEMI JOIN", straight(190) + " SELECT c0 FROM wide SEMI JOIN a189 USING (c0)"},
		{"190 CTEs that each name the one before, twice", straight(190) + " SELECT count(*) FROM a189 x, a189 y"},
		{"190 CTEs that each hold the next", strings.Repeat("WITH h AS (", 190) + "SELECT c0 FROM wide" + strings.Repeat(") SELECT c0 FROM h", 190)},
		{"640 CTEs side by side", "WITH " + strings.Join(repeated(640, "x%d AS (SELECT c0 FROM narrow)"), ", ") + " SELECT c0 FROM x0" + strings.Join(repeated(20, " UNION ALL SELECT c0 FROM x%d"), "")},
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

// straight gives n CTEs a0, a1, ..., each of which reads the one before.
func straight(n int) string {
	out := "WITH a0 AS (SELECT c0, c1 FROM wide)"
	for i := 1; i < n; i++ {
		out += fmt.Sprintf(", a%d AS (SELECT c0, c1 FROM a%d WHERE c1 > %d)", i, i-1, i)
	}
	return out
}

// TestDeepCTEs: what stands on too many others is refused at the name, as a subquery so deep is.
func TestDeepCTEs(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.wide"] = &fakeTable{name: "lance.main.wide", version: 1, rows: 1, owner: tables, schema: parseSchema("c0 int64, c1 int64")}
	pivots := "WITH a0 AS (SELECT c0, c1 FROM wide)"
	for i := range 12 {
		pivots += fmt.Sprintf(", a%d AS (SELECT c0, \"1\" AS c1 FROM (PIVOT a%d ON c1 IN (1) USING sum(c1) GROUP BY c0))", i+1, i)
	}
	for text, want := range map[string]string{
		straight(5000) + " SELECT count(*) FROM a4999": "subqueries are nested more than 200 deep (line 1",
		pivots + " SELECT count(*) FROM a12":           "PIVOT is nested more than 8 deep (line 1",
	} {
		_, err := planner.Plan(context.Background(), text, planner.Options{Resolver: tables, Params: []*expr.Literal{}})
		if !errors.Is(err, errs.ErrInvalidInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

// TestManyEqualValues: DuckDB's time to plan inner joins on one value grows without bound; columns are set equal in another way.
func TestManyEqualValues(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 1, rows: 1, owner: tables, schema: parseSchema("a int64, b int64")}
	joined := func(n int, join string) string {
		out := "SELECT count(*) FROM t x0"
		for i := 1; i < n; i++ {
			out += strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i-1)).Replace(join)
		}
		return out
	}
	for text, refused := range map[string]bool{
		joined(300, " JOIN t x# ON x#.a = x@.a"):                                            false,
		joined(300, " JOIN t x# ON x#.a = x0.a"):                                            false,
		joined(300, " LEFT JOIN t x# ON x#.a = x@.a"):                                       false,
		joined(48, " JOIN t x# ON x#.a + 1 = x@.a + 1"):                                     false,
		joined(49, " JOIN t x# ON x#.a + 1 = x@.a + 1"):                                     true,
		joined(49, " JOIN t x# ON x#.a + 1 = x@.b + 1"):                                     false,
		joined(49, " LEFT JOIN t x# ON x#.a + 1 = x@.a + 1"):                                false,
		"SELECT 1 WHERE EXISTS (" + joined(49, " JOIN t x# ON abs(x#.a) = abs(x0.a)") + ")": true,
	} {
		_, err := planner.Plan(context.Background(), text, planner.Options{Resolver: tables, Params: []*expr.Literal{}})
		is := errors.Is(err, errs.ErrInvalidInput) && strings.Contains(err.Error(), "more than 48 tables are joined on one value")
		if is != refused || !refused && err != nil {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

// repeated gives a format with each of the first n numbers.
func repeated(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

func TestPlanningEndsWithItsCaller(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 1, rows: 1, owner: tables, schema: parseSchema("a int64")}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{
		"SELECT 1 + 1", "SELECT a FROM t WHERE a > 1", "SELECT a, count(*) FROM t GROUP BY a", "SELECT (SELECT max(a) FROM t)",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := planner.Plan(ctx, text, planner.Options{Resolver: tables, Params: []*expr.Literal{}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUsingTakesEachColumnOnce(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 1, rows: 1, owner: tables, schema: parseSchema("a int64, b int64")}
	_, err := planner.Plan(context.Background(), "SELECT 1 FROM t JOIN t u USING (a, b, a)", planner.Options{Resolver: tables, Params: []*expr.Literal{}})
	if !errors.Is(err, errs.ErrInvalidInput) || !strings.Contains(err.Error(), "USING names the column a twice (line 1, column") {
		t.Errorf("got %v", err)
	}
}
