package eval_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

var (
	f64   = arrow.PrimitiveTypes.Float64
	f32   = arrow.PrimitiveTypes.Float32
	i32   = arrow.PrimitiveTypes.Int32
	i64   = arrow.PrimitiveTypes.Int64
	text  = arrow.BinaryTypes.String
	naive = &arrow.TimestampType{Unit: arrow.Microsecond}
)

func col(parts ...string) *expr.Column { return expr.Path(parts...) }

// num reads a number as SQL text has it: 1.5 is a decimal.
func num(s string) expr.Expr {
	l, err := expr.ParseNumber(strings.TrimPrefix(s, "-"))
	if err != nil {
		panic(err)
	}
	if strings.HasPrefix(s, "-") {
		return &expr.Neg{X: l}
	}
	return l
}

func str(s string) expr.Expr { return expr.Text(s) }

func double(s string) expr.Expr { return expr.CastTo(str(s), f64) }

func stamp(s string) expr.Expr {
	l, err := expr.ParseTimestamp(s)
	if err != nil {
		panic(err)
	}
	return l
}

func not(e expr.Expr) expr.Expr { return expr.Negate(e) }

func and(es ...expr.Expr) expr.Expr { return &expr.Logical{Op: expr.And, Args: es} }

func or(es ...expr.Expr) expr.Expr { return &expr.Logical{Op: expr.Or, Args: es} }

func distinct(l, r expr.Expr) expr.Expr { return expr.Cmp(expr.Distinct, l, r) }

func like(x expr.Expr, p string, escape rune, fold bool) expr.Expr {
	return &expr.Like{X: x, Pattern: str(p), Escape: escape, FoldCase: fold}
}

// fixture is a table whose ids are 1, 2, 3, ...
type fixture struct{ columns, rows string }

var types = map[string]arrow.DataType{
	"double": f64, "float": f32, "int": i32, "bigint": i64, "ubigint": arrow.PrimitiveTypes.Uint64,
	"decimal": &arrow.Decimal128Type{Precision: 10, Scale: 2}, "text": text, "timestamp": naive,
	"timestamptz": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, "date": arrow.FixedWidthTypes.Date32,
	"nested": arrow.StructOf(field("x", i32), field("y", arrow.StructOf(field("z", i32)))),
	"array":  arrow.StructOf(field("values", arrow.ListOf(f64)), field("shape", arrow.ListOf(i32))),
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

var fixtures = map[string]fixture{
	"f": {"v double", `[{"v":1},{"v":"NaN"},{"v":3},{},{"v":-0.0},{"v":"Inf"},{"v":"-Inf"}]`},
	"r": {"v float", `[{"v":0.1},{"v":0.2},{"v":16777216}]`},
	"i": {"v int", `[{"v":1},{"v":2},{},{"v":-1}]`},
	"b": {"v bigint", `[{"v":9007199254740993},{"v":9007199254740992},{"v":9223372036854775807}]`},
	"u": {"v ubigint", `[{"v":18446744073709551615},{"v":0},{"v":9223372036854775808}]`},
	"d": {"v decimal", `[{"v":"1.23"},{"v":"1.24"},{"v":"-0.01"}]`},
	"s": {"v text", `[{"v":"a"},{"v":"B"},{"v":"a "},{"v":"é"},{"v":""},{},{"v":"10"},{"v":"9"},{"v":"a_b"},{"v":"axb"},{"v":"C:\\temp"}]`},
	"t": {"v timestamp, z timestamptz, d date", `[{"v":"1969-12-31 23:59:59.5","z":"1969-12-31 23:59:59.5Z","d":"1969-12-31"},
		{"v":"2024-01-01 00:00:00","z":"2024-01-01 00:00:00Z","d":"2024-01-01"},{"v":"2024-01-01 12:00:00","z":"2024-01-01 12:00:00Z","d":"2024-01-01"}]`},
	"n": {"s nested", `[{"s":{"x":1,"y":{"z":1}}},{},{"s":{"x":null,"y":null}},{"s":{"x":2,"y":{"z":null}}}]`},
	"m": {"h array", `[{"h":{"values":[1,2,3]}},{"h":{"values":[]}},{},{"h":{"values":[null,null]}},{"h":{"values":[1,null,9]}},
		{"h":{"values":["NaN",0.5]}},{"h":{"values":null,"shape":null}}]`},
}

func load(t testing.TB, name string, mem memory.Allocator) arrow.RecordBatch {
	t.Helper()
	f := fixtures[name]
	fields := []arrow.Field{}
	for _, c := range strings.Split(f.columns, ", ") {
		n, typ, _ := strings.Cut(c, " ")
		fields = append(fields, field(n, types[typ]))
	}
	b, _, err := array.RecordFromJSON(mem, arrow.NewSchema(fields, nil), strings.NewReader(f.rows))
	if err != nil {
		t.Fatalf("fixture %s: %v", name, err)
	}
	return b
}

func resolveIn(s *arrow.Schema) func(expr.Column) (expr.Column, error) {
	return func(c expr.Column) (expr.Column, error) {
		fields := s.Fields()
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
}

// ids gives the rows that pass, from 1; the batch is tried whole and behind an offset.
func ids(t testing.TB, b arrow.RecordBatch, e expr.Expr) ([]int32, error) {
	t.Helper()
	bound, err := expr.Bind(e, resolveIn(b.Schema()))
	if err != nil {
		return nil, err
	}
	if bound, err = expr.AsBoolean(bound, nil); err != nil {
		return nil, err
	}
	if !eval.Supports(bound) {
		t.Fatalf("%s is not supported", bound)
	}
	m, err := eval.Mask(bound, eval.Batch{Rows: b}, int(b.NumRows()))
	if err != nil {
		return nil, err
	}
	out := m.Indices(nil)
	tail := b.NewSlice(1, b.NumRows())
	defer tail.Release()
	mt, err := eval.Mask(bound, eval.Batch{Rows: tail}, int(tail.NumRows()))
	if err != nil {
		return nil, err
	}
	for i := range int(tail.NumRows()) {
		if mt.Get(i) != m.Get(i+1) {
			t.Errorf("%s: row %d differs in a slice", bound, i+2)
		}
	}
	for i := range out {
		out[i]++
	}
	return out, nil
}

type trap struct {
	fixture string
	e       expr.Expr
	want    []int32
}

func TestTraps(t *testing.T) {
	v := col("v")
	groups := map[string][]trap{
		"NaN is the greatest value and equals itself": {
			{"f", v.Gt(num("1e300")), []int32{2, 6}},
			{"f", v.Eq(double("nan")), []int32{2}},
			{"f", v.Ne(num("1.0")), []int32{2, 3, 5, 6, 7}},
			{"f", not(v.Lt(num("2"))), []int32{2, 3, 6}},
			{"f", not(v.Between(num("0"), num("10"))), []int32{2, 6, 7}},
			{"f", v.Between(num("2"), double("nan")), []int32{2, 3, 6}},
			{"f", v.Eq(v), []int32{1, 2, 3, 5, 6, 7}},
		},
		"zeros and infinities": {
			{"f", v.Eq(num("0")), []int32{5}},
			{"f", v.Lt(expr.Lit(0.0)), []int32{7}},
			{"f", v.Ge(double("inf")), []int32{2, 6}},
		},
		"FLOAT next to other widths": {
			{"r", v.Eq(num("0.1")), []int32{1}},
			{"r", v.Gt(num("0.1")), []int32{2, 3}},
			{"r", v.Eq(expr.CastTo(num("0.1"), f64)), nil},
			{"r", v.Eq(num("16777217")), []int32{3}},
		},
		"integers next to decimals, doubles, texts": {
			{"i", v.Gt(num("1.5")), []int32{2}},
			{"i", v.Eq(num("1.0")), []int32{1}},
			{"i", v.Eq(num("1.5")), nil},
			{"i", v.In(num("1.5"), num("2")), []int32{2}},
			{"i", v.Lt(num("3000000000")), []int32{1, 2, 4}},
			{"i", v.Eq(str("1.5")), []int32{2}},
			{"i", v.Eq(expr.Bool(true)), []int32{1}},
			{"i", v, []int32{1, 2, 4}},
			{"b", v.Eq(num("9007199254740993")), []int32{1}},
			{"b", v.Eq(expr.CastTo(num("9007199254740992"), f64)), []int32{1, 2}},
			{"b", v.Eq(num("9007199254740992.0")), []int32{2}},
			{"b", v.Lt(num("9223372036854775808")), []int32{1, 2, 3}},
			{"u", v.Gt(num("9223372036854775807")), []int32{1, 3}},
			{"u", v.Ge(num("-1")), []int32{1, 2, 3}},
			{"u", v.Eq(num("18446744073709551615")), []int32{1}},
		},
		"decimals": {
			{"d", v.Eq(num("1.230")), []int32{1}},
			{"d", v.Eq(num("1.235")), nil},
			{"d", v.Gt(num("1.235")), []int32{2}},
			{"d", v.Eq(str("1.235")), []int32{2}},
			{"d", v.Eq(expr.CastTo(num("1.23"), f64)), []int32{1}},
			{"d", v.Ne(num("1.235")), []int32{1, 2, 3}},
			{"d", expr.Cmp(expr.Eq, expr.CastTo(v, &arrow.Decimal128Type{Precision: 10, Scale: 1}), num("1.2")), []int32{1, 2}},
		},
		"texts": {
			{"s", v.Gt(str("a")), []int32{3, 4, 9, 10}},
			{"s", v.Lt(str("a")), []int32{2, 5, 7, 8, 11}},
			{"s", v.Eq(str("a")), []int32{1}},
			{"s", v.Eq(str("A")), nil},
			{"s", v.Gt(str("")), []int32{1, 2, 3, 4, 7, 8, 9, 10, 11}},
			{"s", v.Like("a_b"), []int32{9, 10}},
			{"s", like(v, `a\_b`, 0, false), nil},
			{"s", like(v, `a\_b`, '\\', false), []int32{9}},
			{"s", like(v, `C:\t%`, 0, false), []int32{11}},
			{"s", like(v, "A%", 0, true), []int32{1, 3, 9, 10}},
			{"s", v.Like("_"), []int32{1, 2, 4, 8}},
			{"s", v.Like("%"), []int32{1, 2, 3, 4, 5, 7, 8, 9, 10, 11}},
		},
		"times": {
			{"t", v.Eq(str("2024-1-1")), []int32{2}},
			{"t", v.Gt(str("2024-01-01")), []int32{3}},
			{"t", v.Lt(str("1970-01-01")), []int32{1}},
			{"t", v.Ge(str("1969-12-31 23:59:59.500000001")), []int32{1, 2, 3}},
			{"t", expr.Cmp(expr.Eq, col("d"), v), []int32{2}},
			{"t", expr.Cmp(expr.Lt, col("d"), v), []int32{1, 3}},
			{"t", expr.Cmp(expr.Eq, col("z"), v), []int32{1, 2, 3}},
			{"t", col("z").Gt(str("2024-01-01 02:00:00+02")), []int32{3}},
			{"t", expr.Cmp(expr.Eq, col("d"), expr.CastTo(v, arrow.FixedWidthTypes.Date32)), []int32{1, 2, 3}},
		},
		"NULL under NOT, OR, IN, IS": {
			{"i", v.Ne(expr.Null()), nil},
			{"i", distinct(v, num("1")), []int32{2, 3, 4}},
			{"i", v.In(num("1"), num("2"), expr.Null()), []int32{1, 2}},
			{"i", not(v.In(num("1"), expr.Null())), nil},
			{"i", not(and(v.Eq(num("1")), v.Eq(expr.Null()))), []int32{2, 4}},
			{"i", not(and(v.Eq(num("1")), expr.Null())), []int32{2, 4}},
			{"i", not(or(v.Eq(num("1")), expr.Null())), nil},
			{"i", &expr.IsNull{X: v.Gt(num("0"))}, []int32{3}},
			{"i", not(&expr.IsTruth{X: v.Eq(num("1")), Value: true}), []int32{2, 3, 4}},
			{"i", not(&expr.IsTruth{X: v.Gt(num("1"))}), []int32{2, 3}},
			{"i", expr.Cmp(expr.Eq, v.Gt(num("1")), expr.Bool(false)), []int32{1, 4}},
			{"i", &expr.Case{Whens: []expr.When{{Cond: v.Gt(num("1")), Then: expr.Bool(false)}}, Else: expr.Bool(true)}, []int32{1, 3, 4}},
			{"i", expr.Cmp(expr.Eq, expr.Fn("coalesce", v, num("1")), num("1")), []int32{1, 3}},
			{"i", &expr.IsNull{X: expr.Fn("nullif", v, num("2"))}, []int32{2, 3}},
			{"i", expr.Cmp(expr.Eq, expr.Fn("greatest", v, num("0")), num("0")), []int32{3, 4}},
		},
		"null parents": {
			{"n", col("s").IsNull(), []int32{2}},
			{"n", col("s", "x").IsNull(), []int32{2, 3}},
			{"n", col("s", "y").IsNull(), []int32{2, 3}},
			{"n", col("s", "y", "z").IsNull(), []int32{2, 3, 4}},
			{"n", col("s", "x").Ne(num("1")), []int32{4}},
		},
		"lists": {
			{"m", expr.AnyMatchOf(col("h", "values").Gt(num("2"))), []int32{1, 5}},
			{"m", not(expr.AnyMatchOf(col("h", "values").Gt(num("2")))), []int32{2, 4, 6}},
			{"m", expr.AllMatchOf(col("h", "values").Gt(num("0"))), []int32{1, 2, 4, 5, 6}},
			{"m", expr.AllMatchOf(col("h", "values").Gt(num("1"))), []int32{2, 4}},
			{"m", expr.Cmp(expr.Gt, &expr.Index{X: col("h", "values"), Key: num("1")}, num("0")), []int32{1, 5, 6}},
			{"m", expr.Cmp(expr.Gt, &expr.Index{X: col("h", "values"), Key: num("-1")}, num("2")), []int32{1, 5}},
			{"m", &expr.IsNull{X: &expr.Index{X: col("h", "values"), Key: num("0")}}, []int32{1, 2, 3, 4, 5, 6, 7}},
			{"m", expr.Fn("list_contains", col("h", "values"), expr.Null()), nil},
			{"m", expr.Fn("list_contains", col("h", "values"), double("nan")), []int32{6}},
			{"m", expr.Fn("list_contains", col("h", "values"), num("3e0")), []int32{1}},
			{"m", col("h").IsNull(), []int32{3}},
			{"m", col("h", "values").IsNull(), []int32{3, 7}},
		},
	}
	for name, cases := range groups {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			for _, c := range cases {
				b := load(t, c.fixture, mem)
				got, err := ids(t, b, c.e)
				b.Release()
				if err != nil {
					t.Errorf("%s: %s: %v", c.fixture, c.e, err)
				} else if !slices.Equal(got, c.want) {
					t.Errorf("%s: %s gave %v, want %v", c.fixture, c.e, got, c.want)
				}
			}
		})
	}
}

// What DuckDB refuses is refused here, when binding or when running.
func TestTrapErrors(t *testing.T) {
	v := col("v")
	for _, c := range []trap{
		{fixture: "s", e: v.Eq(num("10"))},
		{fixture: "s", e: v.Gt(num("9"))},
		{fixture: "s", e: v.Gt(stamp("2024-01-01"))},
		{fixture: "i", e: and(col("v").Eq(num("1")), v.Eq(str("abc")))},
		{fixture: "t", e: v.Eq(str("yesterday"))},
		{fixture: "i", e: expr.Cmp(expr.Gt, expr.Op(expr.Add, v, expr.CastTo(num("2147483647"), i32)), num("0"))},
		{fixture: "m", e: expr.AnyMatchOf(col("h", "shape").Gt(col("h", "values")))},
		{fixture: "m", e: expr.AnyMatchOf(num("1"))},
	} {
		b := load(t, c.fixture, memory.DefaultAllocator)
		got, err := ids(t, b, c.e)
		b.Release()
		if !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%s: %s gave %v, %v; want an InvalidInput error", c.fixture, c.e, got, err)
		}
	}
}
