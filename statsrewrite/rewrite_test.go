package statsrewrite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

var f64, f32, i64, text = arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String

func variable(name string, elem arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Nullable: true,
		Type:     arrow.StructOf(arrow.Field{Name: "values", Type: arrow.ListOf(elem), Nullable: true}),
		Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{ndarray.ArrayExtension})}
}

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: i64}, {Name: "g", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "w", Type: f64, Nullable: true},
	variable("lat", f64), ndarray.StatsField("lat", f64),
	variable("sst", f32), ndarray.StatsField("sst", f32),
	variable("big", i64), ndarray.StatsField("big", i64),
	variable("name", text), ndarray.StatsField("name", text),
	variable("bare", f64),
	variable("odd", f64), ndarray.StatsField("odd", f32),
	{Name: "tags", Type: arrow.ListOf(i64), Nullable: true},
}, nil)

func vars(_ int, column string) (ndarray.Variable, bool) { return ndarray.Lookup(schema, column) }

func resolve(c expr.Column) (expr.Column, error) {
	fields := schema.Fields()
	for _, part := range c.Path {
		f, err := expr.FieldByName(fields, part)
		if err != nil {
			return c, err
		}
		fields, c.Typ = nil, f.Type
		if st, ok := f.Type.(*arrow.StructType); ok {
			fields = st.Fields()
		}
	}
	return c, nil
}

func bind(t testing.TB, e expr.Expr) expr.Expr {
	t.Helper()
	b, err := expr.Bind(e, resolve)
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	return b
}

// shown prints a rewritten predicate with each stats test in brackets.
func shown(e expr.Expr) string {
	if e == nil {
		return "all rows"
	}
	var p expr.Printer
	p.Special = func(e expr.Expr) (string, bool) {
		if s, ok := e.(*expr.StatsTest); ok {
			return "[" + p.Print(s.Test) + "]", true
		}
		return "", false
	}
	return strings.ReplaceAll(p.Print(e), `"__stats__:`, `"`)
}

var (
	lat, sst, big, bare = expr.Path("lat", "values"), expr.Path("sst", "values"), expr.Path("big", "values"), expr.Path("bare", "values")
	g, w                = expr.Path("g"), expr.Path("w")
	one, two            = expr.Lit(1), expr.Lit(2)
)

func cast(e expr.Expr) expr.Expr { return expr.CastTo(e, f64) }

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"equal", lat.Eq(one), `["lat".min <= 1e0 AND "lat".max >= 1e0]`},
		{"less", lat.Lt(one), `["lat".min < 1e0]`},
		{"less or equal", lat.Le(one), `["lat".min <= 1e0]`},
		{"greater", lat.Gt(one), `["lat".max > 1e0]`},
		{"greater or equal", lat.Ge(one), `["lat".max >= 1e0]`},
		{"between", lat.Between(one, two), `["lat".max >= 1e0 AND "lat".min <= 2e0]`},
		{"bounds the wrong way round", lat.Between(two, one), `["lat".max >= 2e0 AND "lat".min <= 1e0]`},
		{"in", lat.In(one, two, expr.Null()), `["lat".min <= 1e0 AND "lat".max >= 1e0 OR "lat".min <= 2e0 AND "lat".max >= 2e0 OR "lat".min <= NULL AND "lat".max >= NULL]`},
		{"flipped", expr.Cmp(expr.Lt, one, lat), `["lat".max > 1e0]`},
		{"flipped, with equality", expr.Cmp(expr.Ge, one, lat), `["lat".min <= 1e0]`},
		{"x is an expression", big.Gt(expr.Op(expr.Mul, g, expr.Lit(10))), `["big".max > g * 10]`},
		{"x is another column", big.Le(w), `[CAST("big".min AS DOUBLE) <= w]`},
		{"FLOAT reads a literal as FLOAT", sst.Gt(expr.Lit(0.1)), `["sst".max > CAST('0.1' AS FLOAT)]`},
		{"FLOAT next to a DOUBLE", sst.Gt(cast(one)), `["sst".max > CAST(1 AS DOUBLE)]`},
		{"integers stay exact", big.Eq(expr.Lit(int64(9007199254740993))), `["big".min <= 9007199254740993 AND "big".max >= 9007199254740993]`},

		{"no form for <>", lat.Ne(one), "all rows"},
		{"no form for NOT", expr.Negate(lat.Gt(one)), "all rows"},
		{"no form for NOT NOT", expr.Negate(expr.Negate(lat.Gt(one))), "all rows"},
		{"no form for NOT IN", expr.Negate(lat.In(one)), "all rows"},
		{"no form for arithmetic", expr.Cmp(expr.Gt, expr.Op(expr.Mul, lat, two), one), "all rows"},
		{"no form for a function", expr.Cmp(expr.Gt, expr.Fn("abs", lat), one), "all rows"},
		{"no form for a cast", expr.Cmp(expr.Gt, expr.CastTo(lat, f64), one), "all rows"},
		{"no form for a negation", expr.Cmp(expr.Gt, &expr.Neg{X: lat}, one), "all rows"},
		{"no form for IS NULL", lat.IsNull(), "all rows"},
		{"no form for IS NOT NULL", lat.IsNotNull(), "all rows"},
		{"no form for IS TRUE", &expr.IsTruth{X: lat.Gt(one), Value: true}, "all rows"},
		{"no form for IS DISTINCT FROM", expr.Cmp(expr.Distinct, lat, one), "all rows"},
		{"no form for LIKE", expr.Path("name", "values").Like("a%"), "all rows"},
		{"no form for CASE", &expr.Case{Whens: []expr.When{{Cond: lat.Gt(one), Then: expr.Bool(true)}}}, "all rows"},
		{"no form for x BETWEEN v AND y", &expr.Between{X: one, Lo: lat, Hi: two}, "all rows"},
		{"no form for a bound that reads values", lat.Between(one, sst), "all rows"},
		{"no form for two variables", lat.Gt(sst), "all rows"},
		{"no form for v > v + 1", lat.Gt(expr.Op(expr.Add, lat, one)), "all rows"},
		{"no form for an element", expr.Cmp(expr.Gt, &expr.Index{X: lat, Key: one}, one), "all rows"},
		{"no form for the variable as a whole", expr.Cmp(expr.Eq, expr.Path("lat"), expr.Path("lat")), "all rows"},

		{"no stats column", bare.Gt(one), "all rows"},
		{"stats of another type", expr.Path("odd", "values").Gt(one), "all rows"},

		{"AND loses a side without a form", expr.AllOf(lat.Ne(one), lat.Gt(two), g.Eq(one)), `["lat".max > 2e0] AND g = 1`},
		{"AND of nothing", expr.AllOf(lat.Ne(one), lat.IsNull()), "all rows"},
		{"OR with both forms", expr.AnyOf(lat.Gt(two), g.Eq(one)), `["lat".max > 2e0] OR g = 1`},
		{"OR with a side without a form", expr.AnyOf(lat.Gt(two), lat.Ne(one)), "all rows"},
		{"OR over AND", expr.AnyOf(expr.AllOf(lat.Ne(one), g.Eq(one)), sst.Gt(one)), `g = 1 OR ["sst".max > CAST('1' AS FLOAT)]`},
		{"OR over AND of nothing", expr.AnyOf(expr.AllOf(lat.Ne(one), lat.Ne(two)), g.Eq(one)), "all rows"},
		{"constants read no values", expr.AnyOf(expr.Bool(false), lat.Lt(one)), `FALSE OR ["lat".min < 1e0]`},
		{"NOT without values stands", expr.AllOf(expr.Negate(g.Eq(one)), lat.Lt(one)), `NOT (g = 1) AND ["lat".min < 1e0]`},

		{"a predicate without values stands", expr.Negate(g.Eq(one)), "NOT (g = 1)"},
		{"the variable is null", expr.Path("lat").IsNull(), "lat IS NULL"},
		{"a match is exact", expr.AnyMatchOf(lat.Gt(one)), `any_match(lat.values > 1e0)`},
		{"stats columns are columns", expr.Path("__stats__:lat", "max").Gt(one), `"lat".max > 1e0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bind(t, c.e)
			res := statsrewrite.Rewrite(b, vars)
			if got := shown(res.Test); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			if uses := statsrewrite.Uses(b, vars); c.want == "all rows" && (!uses || len(res.Reasons) == 0) {
				t.Fatalf("uses %v, reasons %v", uses, res.Reasons)
			}
			if res.Test != nil {
				again := statsrewrite.Rewrite(res.Test, vars)
				if !expr.Equal(again.Test, res.Test) {
					t.Fatalf("a second rewrite gave %s", shown(again.Test))
				}
			}
		})
	}
}

func TestUses(t *testing.T) {
	for _, c := range []struct {
		e    expr.Expr
		want bool
	}{
		{lat.Gt(one), true}, {expr.Fn("len", lat), true}, {expr.Path("lat"), true}, {bare, true},
		{expr.Path("lat").IsNull(), false}, {g.Gt(one), false}, {expr.AnyMatchOf(lat.Gt(one)), false}, {expr.Path("tags"), false},
	} {
		if got := statsrewrite.Uses(bind(t, c.e), vars); got != c.want {
			t.Errorf("%s: %v, want %v", c.e, got, c.want)
		}
	}
}

func TestSkipOfMatches(t *testing.T) {
	for _, c := range []struct {
		e    expr.Expr
		want string
	}{
		{expr.AnyMatchOf(lat.Gt(one)), `["lat".max > 1e0]`},
		{expr.AllMatchOf(lat.Eq(one)), `["lat".min <= 1e0 AND "lat".max >= 1e0]`},
		{expr.AnyMatchOf(expr.AllOf(lat.Gt(one), lat.Ne(two))), `["lat".max > 1e0]`},
		{expr.AnyMatchOf(expr.AnyOf(lat.Gt(one), lat.Lt(two))), `["lat".max > 1e0 OR "lat".min < 2e0]`},
		{expr.AnyMatchOf(expr.AnyOf(lat.Gt(one), lat.Ne(two))), "all rows"},
		{expr.AnyMatchOf(expr.Negate(lat.Gt(one))), "all rows"},
		{expr.AnyMatchOf(bare.Gt(one)), "all rows"},
		{expr.AnyMatchOf(expr.Path("tags").Gt(one)), "all rows"},
	} {
		m, ok := bind(t, c.e).(*expr.Match)
		if !ok {
			t.Fatalf("%s is no match", c.e)
		}
		if got := shown(statsrewrite.Skip(m, vars)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.e, got, c.want)
		}
	}
}

func fromJSON(t testing.TB, mem memory.Allocator, s *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(mem, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const worked = `[
{"lat":{"values":[-90,-80]},"__stats__:lat":{"min":-90,"max":-80}},
{"lat":{"values":[17,30]},"__stats__:lat":{"min":17,"max":30}},
{},
{"lat":{"values":[null]},"__stats__:lat":{"min":null,"max":null}},
{"lat":{"values":[99]},"__stats__:lat":{"min":99,"max":null}},
{"lat":{"values":[99]},"__stats__:lat":{"min":100,"max":98}},
{"lat":{"values":[99]},"__stats__:lat":{"min":"NaN","max":"NaN"}}]`

// Rows: two with values, one that lacks the variable, one without a counting value, three whose stats can't be right.
func TestStatesOfStats(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	s := arrow.NewSchema([]arrow.Field{variable("lat", f64), ndarray.StatsField("lat", f64)}, nil)
	b := fromJSON(t, mem, s, worked)
	defer b.Release()
	between := lat.Between(expr.Lit(17.5), expr.Lit(25.4))
	for _, c := range []struct {
		name  string
		e     expr.Expr
		lacks map[string]bool
		want  []int32
	}{
		{"the worked example", between, nil, []int32{1, 3, 4, 5, 6}},
		{"null x", lat.Eq(expr.Null()), nil, []int32{3, 4, 5, 6}},
		{"IN with NULL", lat.In(expr.Lit(-85), expr.Null()), nil, []int32{0, 3, 4, 5, 6}},
		{"the fragment lacks the stats", between, map[string]bool{"__stats__:lat": true}, []int32{0, 1, 2, 3, 4, 5, 6}},
		{"the fragment lacks both", between, map[string]bool{"__stats__:lat": true, "lat": true}, nil},
		{"OR FALSE", expr.AnyOf(between, expr.Bool(false)), nil, []int32{1, 3, 4, 5, 6}},
	} {
		res := statsrewrite.Rewrite(bind(t, c.e), vars)
		m, err := eval.Mask(res.Test, eval.Batch{Rows: b, Lacks: c.lacks}, int(b.NumRows()))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Indices(nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v, want %v", c.name, got, c.want)
		}
		checkAbove(t, mem, res.Test, b, c.lacks, m)
	}
}

// checkAbove builds each test above the scan, from its state and bounds, and wants the same rows.
func checkAbove(t *testing.T, mem memory.Allocator, test expr.Expr, b arrow.RecordBatch, lacks map[string]bool, want eval.Bitmap) {
	t.Helper()
	env := eval.Batch{Rows: b, Lacks: lacks}
	var state arrow.Array
	above, _, err := expr.Rewrite(test, func(e expr.Expr) (expr.Expr, error) {
		st, ok := e.(*expr.StatsTest)
		if !ok {
			return e, nil
		}
		if statsrewrite.Foreign(st) {
			t.Errorf("%s reads no other relation", st.Test)
		}
		s := statsrewrite.StateOf(st)
		var err error
		if state, err = eval.Eval(s, env, int(b.NumRows()), mem); err != nil {
			return nil, err
		}
		lo := &expr.Column{Path: st.Stats.Child("min"), Typ: f64}
		hi := &expr.Column{Path: st.Stats.Child("max"), Typ: f64}
		return statsrewrite.Above(st, &expr.Column{Path: expr.FieldPath{"state"}, Typ: s.Type()}, lo, hi)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer state.Release()
	fields := append(b.Schema().Fields(), arrow.Field{Name: "state", Type: state.DataType()})
	with := array.NewRecordBatch(arrow.NewSchema(fields, nil), append(slices.Clone(b.Columns()), state), b.NumRows())
	defer with.Release()
	got, err := eval.Mask(above, eval.Batch{Rows: with}, int(b.NumRows()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Words, want.Words) {
		t.Errorf("above the scan: %v, want %v", got.Indices(nil), want.Indices(nil))
	}
}

// A list that is no variable has no values part: what compares its elements is left for the caller to refuse.
func TestPlainListsAreLeft(t *testing.T) {
	res := statsrewrite.Rewrite(bind(t, expr.AllOf(expr.Path("tags").Gt(one), lat.Gt(one))), vars)
	lists := expr.ElementComparisons(res.Test)
	if len(lists) != 1 || lists[0].Path.Key() != "tags" {
		t.Fatalf("left: %v of %s", lists, shown(res.Test))
	}
	if _, err := expr.Bind(expr.Path("nope"), resolve); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Fatalf("unknown column: %v (%v)", err, errs.ErrNotFound)
	}
}
