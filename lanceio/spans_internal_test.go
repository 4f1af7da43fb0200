package lanceio

import (
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// edges are row ids at which predicates change.
var edges = []uint64{0, 1, 2, 3, 7, 8, 1 << 32, 1<<53 + 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64}

func drawLiteral(t *rapid.T) expr.Expr {
	n := rapid.SampledFrom(edges).Draw(t, "n")
	big20 := new(big.Int).SetUint64(n)
	switch rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return expr.Null()
	case 1:
		return expr.Lit(-int64(n % 9))
	case 2: // n and a half
		return expr.Decimal(big20.Add(big20.Mul(big20, big.NewInt(10)), big.NewInt(5)), 22, 1)
	case 3: // with a zero behind the point
		return expr.Decimal(big20.Mul(big20, big.NewInt(10)), 22, 1)
	case 4:
		return expr.Double(float64(n))
	}
	return expr.Lit(n)
}

// drawSpecial draws a predicate over _rowid; with other, parts stand in it that tell nothing of an id.
func drawSpecial(t *rapid.T, depth int, other bool) expr.Expr {
	id := expr.Path("_rowid")
	most := 7
	if depth == 0 {
		most = 5
	}
	switch rapid.IntRange(0, most).Draw(t, "node") {
	case 0:
		return id.In(drawLiteral(t), drawLiteral(t), drawLiteral(t))
	case 1:
		return id.Between(drawLiteral(t), drawLiteral(t))
	case 2:
		return expr.Cmp(rapid.SampledFrom([]expr.CompareOp{expr.Eq, expr.Lt, expr.Le, expr.Gt, expr.Ge}).Draw(t, "op"), drawLiteral(t), id)
	case 3:
		if other {
			return rapid.SampledFrom([]expr.Expr{expr.Path("k"), expr.Negate(id.Eq(drawLiteral(t))), id.Ne(drawLiteral(t)), id.IsNull()}).Draw(t, "any")
		}
	case 6, 7:
		op := expr.AllOf
		if rapid.Bool().Draw(t, "or") {
			op = expr.AnyOf
		}
		return op(drawSpecial(t, depth-1, other), drawSpecial(t, depth-1, other), drawSpecial(t, depth-1, other))
	}
	return expr.Cmp(rapid.SampledFrom([]expr.CompareOp{expr.Eq, expr.Lt, expr.Le, expr.Gt, expr.Ge}).Draw(t, "op"), id, drawLiteral(t))
}

// idBatch has every edge and its neighbours twice, beside k true and k false.
func idBatch(t *rapid.T) arrow.RecordBatch {
	ids := array.NewUint64Builder(memory.DefaultAllocator)
	ks := array.NewBooleanBuilder(memory.DefaultAllocator)
	for _, n := range edges {
		for _, v := range []uint64{n - 1, n, n + 1} {
			ids.AppendValues([]uint64{v, v}, nil)
			ks.AppendValues([]bool{true, false}, nil)
		}
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "_rowid", Type: arrow.PrimitiveTypes.Uint64}, {Name: "k", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), ks.NewArray()}, int64(6*len(edges)))
}

// TestSpansOf: every row at which a predicate is true is in its spans; of a predicate over ids alone, no other is.
func TestSpansOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		other := rapid.Bool().Draw(t, "other")
		batch := idBatch(t)
		pred, err := expr.Bind(drawSpecial(t, 3, other), func(c expr.Column) (expr.Column, error) {
			c.Typ = batch.Schema().Field(batch.Schema().FieldIndices(c.Path[0])[0]).Type
			return c, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		pass, err := eval.Mask(pred, eval.Batch{Rows: batch}, int(batch.NumRows()))
		if err != nil {
			t.Fatal(err)
		}
		s := spansOf(pred, "_rowid")
		for i, p := range s {
			if p.First > p.Last || i > 0 && (s[i-1].Last == math.MaxUint64 || p.First <= s[i-1].Last+1) {
				t.Fatalf("%v: run %d is empty, or touches the one before", s, i)
			}
		}
		exact := !other && !expr.Has(pred, func(e expr.Expr) bool { _, ok := e.(*expr.Cast); return ok })
		for i, id := range batch.Column(0).(*array.Uint64).Values() {
			if has := s.has(id); pass.Get(i) && !has || exact && has && !pass.Get(i) {
				t.Fatalf("%s: spans %v say %t of %d, it is %t", pred, s, has, id, pass.Get(i))
			}
		}
	})
}

func TestSelectionIntersect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSelection(t, "a"), drawSelection(t, "b")
		got := a.intersect(b)
		checkForm(t, got)
		in := map[uint64]bool{}
		for _, row := range rowsIn(a) {
			in[row] = true
		}
		n := 0
		for _, row := range rowsIn(b) {
			if in[row] {
				n++
			}
		}
		for _, row := range rowsIn(got) {
			if !in[row] {
				t.Fatalf("%v: row %d is not in %v", got, row, a)
			}
		}
		if len(rowsIn(got)) != n || len(rowsIn(got.intersect(b))) != n {
			t.Fatalf("%v and %v: %v, want %d rows", a, b, got, n)
		}
	})
}
