package lanceio

import (
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// batchKnown knows of a batch what a scan would learn of it.
type batchKnown struct {
	t     *rapid.T
	batch arrow.RecordBatch
}

func (k batchKnown) env() eval.Env { return eval.Batch{Rows: k.batch} }

func (k batchKnown) extent(c *expr.Column) (eval.Extent, bool) {
	if !summable(c) {
		return eval.Extent{}, false
	}
	// In two parts, as from two windows.
	n := int(k.batch.NumRows())
	first, second := make([]bool, n), make([]bool, n)
	for i := range n {
		first[i], second[i] = i%3 == 0, i%3 != 0
	}
	var x eval.Extent
	for _, part := range [][]bool{first, second} {
		if err := x.Add(c, k.env(), n, bitmap(part)); err != nil {
			k.t.Fatal(err)
		}
	}
	return x, true
}

func (k batchKnown) statsOf(variable, stats expr.FieldPath) (statsExtent, bool) {
	l := lesson{stats: &expr.StatsTest{Variable: variable, Stats: stats}}
	if err := l.addStats(k.env(), int(k.batch.NumRows())); err != nil {
		k.t.Fatal(err)
	}
	return l.sum.stats, true
}

// The values that columns are drawn from: few, so that comparisons meet their edges.
var (
	ints     = []int64{-3, 0, 1, 2, 7, 1<<53 + 1}
	doubles  = []float64{math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 0.1, 1, 2, 7.5, 1e300}
	decimals = []int64{-150, 0, 100, 123, 200, 705}
	words    = []string{"", "a", "a ", "B", "é", "10", "zz"}
)

var knownTypes = []arrow.Field{
	{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "u", Type: arrow.PrimitiveTypes.Uint8, Nullable: true},
	{Name: "f", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
	{Name: "h", Type: arrow.FixedWidthTypes.Float16, Nullable: true},
	{Name: "d", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "c", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Millisecond}, Nullable: true},
	{Name: "v", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "__stats__:v", Type: arrow.StructOf(
		arrow.Field{Name: "min", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		arrow.Field{Name: "max", Type: arrow.PrimitiveTypes.Float64, Nullable: true}), Nullable: true},
}

// drawKnown draws some rows; each column has values from a small part of those there are.
func drawKnown(t *rapid.T) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(knownTypes, nil))
	n := rapid.IntRange(1, 9).Draw(t, "rows")
	for i, f := range knownTypes {
		from := rapid.IntRange(0, 9).Draw(t, "from")
		span := rapid.IntRange(1, 3).Draw(t, "span")
		nulls := rapid.IntRange(0, 2).Draw(t, "nulls")
		for range n {
			if nulls == 2 || nulls == 1 && rapid.Bool().Draw(t, "null") {
				b.Field(i).AppendNull()
				continue
			}
			appendKnown(t, b.Field(i), f.Name, func() int { return from + rapid.IntRange(0, span-1).Draw(t, "at") })
		}
	}
	return b.NewRecordBatch()
}

func appendKnown(t *rapid.T, b array.Builder, name string, at func() int) {
	double := func() float64 { return doubles[at()%len(doubles)] }
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(ints[at()%len(ints)])
	case *array.Uint8Builder:
		b.Append(uint8(at()))
	case *array.Float32Builder:
		b.Append(float32(double()))
	case *array.Float16Builder:
		b.Append(float16.New(float32(double())))
	case *array.Float64Builder:
		b.Append(double())
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(decimals[at()%len(decimals)]))
	case *array.StringBuilder:
		b.Append(words[at()%len(words)])
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(ints[at()%5]))
	case *array.StructBuilder:
		b.Append(true)
		lo, hi := double(), double()
		if eval.CompareFloats(lo, hi) > 0 && rapid.IntRange(0, 9).Draw(t, "wrong") > 0 {
			lo, hi = hi, lo
		}
		for k, x := range []float64{lo, hi} {
			if f := b.FieldBuilder(k).(*array.Float64Builder); rapid.IntRange(0, 9).Draw(t, "half") == 0 {
				f.AppendNull()
			} else {
				f.Append(x)
			}
		}
	default:
		t.Fatalf("column %s", name)
	}
}

func drawConstant(t *rapid.T, column string) expr.Expr {
	if column == "s" {
		return expr.Text(rapid.SampledFrom(words).Draw(t, "word"))
	}
	if column == "t" {
		return &expr.Literal{Value: rapid.SampledFrom(ints).Draw(t, "time"), Typ: &arrow.TimestampType{Unit: rapid.SampledFrom([]arrow.TimeUnit{arrow.Second, arrow.Microsecond}).Draw(t, "unit")}}
	}
	switch rapid.IntRange(0, 5).Draw(t, "constant") {
	case 0:
		return expr.Null()
	case 1:
		return expr.Double(rapid.SampledFrom(doubles).Draw(t, "double"))
	case 2:
		return expr.Decimal(big.NewInt(rapid.SampledFrom(decimals).Draw(t, "decimal")*10+5*int64(rapid.IntRange(0, 1).Draw(t, "half"))), 12, 3)
	case 3:
		return expr.CastTo(expr.Text(rapid.SampledFrom([]string{"1", "x"}).Draw(t, "text")), arrow.PrimitiveTypes.Int64)
	}
	return expr.Int(rapid.SampledFrom(ints).Draw(t, "int"))
}

func drawPredicate(t *rapid.T, depth int) expr.Expr {
	name := rapid.SampledFrom([]string{"i", "u", "f", "h", "d", "c", "s", "t"}).Draw(t, "column")
	c := expr.Path(name)
	var subject expr.Expr = c
	if name != "s" && name != "t" && rapid.IntRange(0, 4).Draw(t, "cast") == 0 {
		to := rapid.SampledFrom([]arrow.DataType{
			arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, &arrow.Decimal128Type{Precision: 4, Scale: 1},
		}).Draw(t, "to")
		subject = expr.CastTo(c, to)
	}
	op := rapid.SampledFrom([]expr.CompareOp{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Distinct, expr.NotDistinct}).Draw(t, "op")
	most := 9
	if depth == 0 {
		most = 6
	}
	switch rapid.IntRange(0, most).Draw(t, "node") {
	case 0:
		return &expr.Between{X: subject, Lo: drawConstant(t, name), Hi: drawConstant(t, name)}
	case 1:
		return &expr.In{X: subject, List: []expr.Expr{drawConstant(t, name), drawConstant(t, name)}}
	case 2:
		return rapid.SampledFrom([]expr.Expr{c.IsNull(), c.IsNotNull(), &expr.IsTruth{X: c.IsNull(), Value: rapid.Bool().Draw(t, "is")}}).Draw(t, "null")
	case 3:
		return expr.Cmp(op, drawConstant(t, name), subject)
	case 4:
		return drawStatsTest(t)
	case 5:
		if name == "f" || name == "d" {
			place := &expr.Call{Name: expr.LanceOrder, Args: []expr.Expr{expr.CastTo(c, arrow.PrimitiveTypes.Float64)}, Typ: arrow.PrimitiveTypes.Int64}
			return expr.Cmp(op, place, expr.Int(expr.TotalOrder(rapid.SampledFrom(doubles).Draw(t, "bound"))))
		}
	case 7, 8:
		join := expr.AllOf
		if rapid.Bool().Draw(t, "or") {
			join = expr.AnyOf
		}
		return join(drawPredicate(t, depth-1), drawPredicate(t, depth-1), drawPredicate(t, depth-1))
	case 9:
		return expr.Negate(drawPredicate(t, depth-1))
	}
	return expr.Cmp(op, subject, drawConstant(t, name))
}

// drawStatsTest draws a test as the rewrite makes it.
func drawStatsTest(t *rapid.T) expr.Expr {
	stats := expr.FieldPath{"__stats__:v"}
	low, high := expr.Path("__stats__:v", "min"), expr.Path("__stats__:v", "max")
	x := func() expr.Expr {
		if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
			return expr.Path(rapid.SampledFrom([]string{"i", "d"}).Draw(t, "x"))
		}
		return drawConstant(t, "v")
	}
	test := rapid.SampledFrom([]func() expr.Expr{
		func() expr.Expr { v := x(); return expr.AllOf(low.Le(v), high.Ge(v)) },
		func() expr.Expr { return low.Lt(x()) }, func() expr.Expr { return low.Le(x()) },
		func() expr.Expr { return high.Gt(x()) }, func() expr.Expr { return high.Ge(x()) },
		func() expr.Expr { return expr.AllOf(high.Ge(x()), low.Le(x())) },
		func() expr.Expr {
			a, b := x(), x()
			return expr.AnyOf(expr.AllOf(low.Le(a), high.Ge(a)), expr.AllOf(low.Le(b), high.Ge(b)))
		},
	}).Draw(t, "form")()
	return &expr.StatsTest{Variable: expr.FieldPath{"v"}, Stats: stats, Test: test}
}

// boundPredicate draws predicates that mean something over columns of a schema, and that scans can test.
func boundPredicate(schema *arrow.Schema) *rapid.Generator[expr.Expr] {
	resolve := func(c expr.Column) (expr.Column, error) {
		c.Typ = schema.Field(schema.FieldIndices(c.Path[0])[0]).Type
		if len(c.Path) > 1 {
			c.Typ = arrow.PrimitiveTypes.Float64
		}
		return c, nil
	}
	return rapid.Custom(func(t *rapid.T) expr.Expr {
		e, err := expr.Bind(drawPredicate(t, 2), resolve)
		if err != nil || !eval.Supports(e) {
			return nil
		}
		return e
	}).Filter(func(e expr.Expr) bool { return e != nil })
}

// TestJudge: what is said of a predicate is what testing it at every row finds, and no error is passed over.
func TestJudge(t *testing.T) {
	out, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		batch := drawKnown(t)
		pred := boundPredicate(batch.Schema()).Draw(t, "predicate")
		v := judge(pred, batchKnown{t, batch})
		if v == mayHold {
			kept++
			return
		}
		out++
		pass, err := eval.Mask(pred, eval.Batch{Rows: batch}, int(batch.NumRows()))
		if err != nil || pass.Any() {
			t.Fatalf("%s was judged %d, but: %v, passes at %v\n%v", pred, v, err, pass.Words, batch)
		}
		no, err := eval.Mask(expr.Negate(pred), eval.Batch{Rows: batch}, int(batch.NumRows()))
		if err != nil || v == allFalse && !no.All() {
			t.Fatalf("%s was judged false, but: %v, is so at %v\n%v", pred, err, no.Words, batch)
		}
	})
	if out < kept/20 {
		t.Errorf("%d predicates were ruled out, %d were not: the test shows little", out, kept)
	}
}
