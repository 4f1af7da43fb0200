package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// randomSchema has values that joins trip over: nulls, NaN, both zeros, texts that differ in case.
var randomSchema = arrow.NewSchema([]arrow.Field{
	{Name: "k", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "j", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "w", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "t", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
}, nil)

// sized is a table that knows how many rows it has.
type sized struct {
	*memtable.Table
	rows int64
}

func (s sized) Rows() int64 { return s.rows }

// randomTables resolves big, mid and small, and any other name to nothing.
type randomTables map[string]scan.Source

func (r randomTables) Resolve(_ context.Context, ref scan.TableRef) (scan.Source, error) {
	if src, ok := r[ref.Table]; ok {
		return src, nil
	}
	return nil, errs.NotFoundf("there is no table %q", ref.Table)
}

func newRandomTables(rnd *rand.Rand) randomTables {
	out := randomTables{}
	for name, size := range map[string]int{"big": 200 + rnd.Intn(200), "mid": rnd.Intn(60), "small": rnd.Intn(6)} {
		seed := rnd.Int63()
		t := memtable.New("lance.main."+name, 1, randomSchema, func(_ context.Context, _ memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
			return randomBatch(seed, size, mem), nil
		})
		out[name] = sized{t, int64(size)}
	}
	return out
}

// randomBatch is made anew for each read: the same seed gives the same rows.
func randomBatch(seed int64, n int, mem memory.Allocator) arrow.RecordBatch {
	floats := []float64{math.NaN(), math.Copysign(0, -1), 0, 1, 2.5, math.Inf(1), math.Inf(-1), 3}
	texts := []string{"a", "A", "b", "", "ab", "é"}
	rnd := rand.New(rand.NewSource(seed))
	b := array.NewRecordBuilder(mem, randomSchema)
	defer b.Release()
	for range n {
		for _, f := range b.Fields() {
			if rnd.Intn(8) == 0 {
				f.AppendNull()
				continue
			}
			switch f := f.(type) {
			case *array.Int64Builder:
				f.Append(int64(rnd.Intn(20) - 3))
			case *array.Int32Builder:
				f.Append(int32(rnd.Intn(5)))
			case *array.Float64Builder:
				f.Append(floats[rnd.Intn(len(floats))])
			case *array.StringBuilder:
				f.Append(texts[rnd.Intn(len(texts))])
			case *array.Date32Builder:
				f.Append(arrow.Date32(rnd.Intn(5)))
			}
		}
	}
	return b.NewRecordBatch()
}

// query makes statements at random.
type query struct{ rnd *rand.Rand }

func (q query) one(of ...string) string { return of[q.rnd.Intn(len(of))] }

func (q query) col(aliases []string) string {
	return q.one(aliases...) + "." + q.one("k", "j", "k", "w", "f", "t", "d")
}

// pred is a condition on one table, or none at all.
func (q query) pred(aliases []string) string {
	a := q.one(aliases...)
	return q.one(a+".k IN (1, 2, 7, NULL)", a+".k = 5", a+".j BETWEEN 1 AND 4", a+".f > 1", a+".f <= 0", a+".f = 'nan'::DOUBLE", a+".t LIKE 'a%'",
		a+".t >= 'a'", "NOT ("+a+".j = 2 OR "+a+".j > 4)", a+".d < DATE '1970-01-04'", a+".w <> 3", a+".k IS NULL", a+".j IS NOT NULL",
		"coalesce("+a+".j, 1) = 1", "("+a+".k > 4) IS NOT TRUE", a+".w + 1 > 2", "TRUE",
		a+".k > 1 + 2", a+".d >= DATE '1970-01-02' + INTERVAL 1 DAY", "(1 = 2 OR "+a+".j < 3 * 4)", "CASE WHEN 1 = 2 THEN "+a+".k = 1 ELSE "+a+".j < 9 END",
		a+".t = lower('A') || substr('xb', 3)", a+".k NOT IN (1 + 1, 10 // 2, "+a+".j)", "("+a+".k > 3 AND NULL IS NULL)")
}

// equal sets a column of one side equal to one of the other; now and then to one of another type.
func (q query) equal(l, r []string) string {
	c := q.one("k", "j", "k", "w", "f", "t", "d")
	d := c
	if q.rnd.Intn(8) == 0 {
		c, d = "w", "k"
	}
	return q.one(l...) + "." + c + " = " + q.one(r...) + "." + d
}

// from gives a FROM tree and the aliases in it.
func (q query) from(n int, next *int) (string, []string) {
	if n == 1 {
		*next++
		alias := fmt.Sprintf("t%d", *next)
		table := q.one("big", "mid", "small", "small")
		if q.rnd.Intn(3) == 0 {
			return "(" + q.derived(table) + ") " + alias, []string{alias}
		}
		return table + " " + alias, []string{alias}
	}
	k := 1 + q.rnd.Intn(n-1)
	l, la := q.from(k, next)
	r, ra := q.from(n-k, next)
	both := append(append([]string{}, la...), ra...)
	on := q.equal(la, ra)
	for range q.rnd.Intn(3) {
		on += " AND " + q.one(q.pred(both), q.pred(both), q.equal(la, ra))
	}
	kind := q.one("", "", "LEFT ", "RIGHT ", "FULL ", "SEMI ", "ANTI ")
	if kind == "SEMI " || kind == "ANTI " {
		both = la
	}
	return "(" + l + " " + kind + "JOIN " + r + " ON " + on + ")", both
}

// derived is a query whose columns are those of the tables.
func (q query) derived(table string) string {
	const grouped = "max(j) AS j, min(w) AS w, max(f) AS f, min(t) AS t, max(d) AS d"
	where := " FROM " + table + " WHERE " + q.pred([]string{table})
	return q.one("SELECT k, "+grouped+where+" GROUP BY k",
		"SELECT k, "+grouped+where+" GROUP BY ALL HAVING count(*) > 1",
		"SELECT k, "+grouped+where+" GROUP BY k HAVING "+q.one("k > 4", "k IN (3, 4, 5) AND max(j) > 2"),
		"SELECT k, "+grouped+where+" GROUP BY "+q.one("ROLLUP (k)", "GROUPING SETS ((k), ())"),
		"SELECT k, j, max(w) AS w, f, min(t) AS t, max(d) AS d"+where+" GROUP BY f, k, j",
		"SELECT *"+where,
		"SELECT DISTINCT k, j, w, f, t, d"+where,
		"SELECT DISTINCT ON (j) k, j, w, f, t, d"+where+" ORDER BY j, k, w, f, t, d",
		"SELECT k, row_number() OVER (PARTITION BY k, t ORDER BY j, w, f, d) AS j, w, f, t, d"+where,
		"SELECT k, j, sum(w) OVER (PARTITION BY j)::INT AS w, f, t, d"+where+" QUALIFY row_number() OVER (PARTITION BY j, w ORDER BY k, f, t, d) < 3",
		"SELECT k, count(*) OVER () AS j, w, f, t, d"+where,
		"SELECT * FROM "+table+" ORDER BY k, j, w, f, t, d LIMIT 3",
		"SELECT *"+where+" UNION ALL SELECT * FROM small",
		"SELECT k, j, w, f, t, d"+where+" UNION SELECT k + 1, j, w, f, t, d FROM small",
		"SELECT k, j, w, f, t, d"+where+q.one(" EXCEPT ", " INTERSECT ", " EXCEPT ALL ", " INTERSECT ALL ")+"SELECT k, j, w, f, t, d FROM "+q.one("big", "mid")+" WHERE j > 3",
		"SELECT k, "+grouped+where+" GROUP BY k UNION ALL (SELECT k, j, w, f, t, d FROM mid UNION SELECT DISTINCT * FROM small)")
}

// subquery is a condition with a query in it.
func (q query) subquery(aliases []string) string {
	a, table := q.one(aliases...), q.one("big", "mid", "small")
	c := q.one("k", "j", "w", "t", "d")
	return q.one("", "NOT ") + q.one(
		a+"."+c+" IN (SELECT "+c+" FROM "+table+" WHERE "+q.pred([]string{table})+")",
		a+"."+c+" IN (SELECT "+c+" FROM "+table+" GROUP BY "+c+" HAVING count(*) > 1)",
		"EXISTS (SELECT 1 FROM "+table+" x WHERE x."+c+" = "+a+"."+c+" AND "+q.pred([]string{"x"})+")",
		"EXISTS (SELECT count(*) FROM "+table+" x WHERE x."+c+" = "+a+"."+c+")",
		a+".j = (SELECT max(x.j) FROM "+table+" x WHERE x."+c+" = "+a+"."+c+")")
}

func (q query) statement() string {
	next := 0
	from, aliases := q.from(1+q.rnd.Intn(4), &next)
	var conds []string
	for range q.rnd.Intn(3) {
		conds = append(conds, q.pred(aliases))
	}
	if q.rnd.Intn(3) == 0 {
		conds = append(conds, q.equal(aliases, aliases))
	}
	if q.rnd.Intn(2) == 0 {
		conds = append(conds, q.subquery(aliases))
	}
	var cols []string
	for _, a := range aliases {
		cols = append(cols, a+".k", a+".j", q.col([]string{a}))
	}
	for i := range cols {
		cols[i] += fmt.Sprintf(" AS c%d", i)
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	inner := "SELECT " + strings.Join(cols, ", ") + " FROM " + from + where
	// Joins of several large tables have too many rows to compare: their counts by the values of some columns will do.
	return "SELECT c0, c1, count(*) AS n, count(c2), max(c1), min(c2), count(DISTINCT c" + fmt.Sprint(len(cols)-3) + ") FROM (" + inner + ") q GROUP BY ALL"
}

// asWritten plans a statement with nothing pushed anywhere: DuckDB runs it over whole tables.
func asWritten(sql string, tables randomTables) (*physical.Plan, error) {
	parsed, err := sqltext.Parse(sql)
	if err != nil {
		return nil, err
	}
	ctx, none := context.Background(), func(expr.Expr) bool { return false }
	bound, err := logical.Bind(ctx, parsed, parsed.Statement.(*sqltext.QueryStmt).Query, logical.Options{TimeZone: "UTC", Resolver: tables, Supports: none, Now: time.Unix(0, 0)})
	if err != nil {
		return nil, err
	}
	var read []rules.Rule
	for _, r := range rules.Default {
		if r.Name == "PruneLeaves" {
			read = append(read, r)
		}
	}
	q, _, err := rules.Run(rules.Env{Supports: none}, read, bound.Query)
	if err != nil {
		return nil, err
	}
	return physical.Build(ctx, q, physical.Options{TimeZone: "UTC", Supports: none, Relational: true})
}

// TestRewrites: random statements over random tables give the rows that DuckDB gives for them as they are written.
func TestRewrites(t *testing.T) {
	rel, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(rel)
	defer e.Close()
	rnd := rand.New(rand.NewSource(7))
	var tables randomTables
	for i := range 600 {
		if i%20 == 0 {
			tables = newRandomTables(rnd)
		}
		sql := query{rnd}.statement()
		written, err := asWritten(sql, tables)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		st, err := planner.Plan(context.Background(), sql, planner.Options{TimeZone: "UTC", Resolver: tables, Now: time.Unix(0, 0)})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got, want := rowsFor(t, e, st.Plan, sql), rowsFor(t, e, written, sql)
		if got != want {
			t.Errorf("%s\nplan:\n%s\ngot\n%.800s\nwant\n%.800s", sql, st.Plan.Text, got, want)
		}
	}
}

// rowsFor gives a plan's rows as sorted text.
func rowsFor(t *testing.T, e *engine.Engine, p *physical.Plan, sql string) string {
	t.Helper()
	b, err := run(t, e, p, allocator(t))
	if err != nil {
		t.Fatalf("%s\nas %s: %v", sql, p.Residual, err)
	}
	return strings.ReplaceAll(plain(t, b, true), ",-0,", ",0,") // which of two zeros is the least depends on their order
}
