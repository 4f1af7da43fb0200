package eval_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// cell is a value of each of the compared types for one row.
type cell struct {
	null bool
	i    int64
	d    float64
	s    string
}

func drawCell(t *rapid.T) cell {
	i := rapid.Int64Range(-5, 25).Draw(t, "i")
	d := rapid.SampledFrom([]float64{-1, math.Copysign(0, -1), 0, 0.5, 1, math.Inf(1), math.NaN()}).Draw(t, "d")
	return cell{rapid.IntRange(0, 5).Draw(t, "null") == 0, i, d, fmt.Sprintf("%.*d", 1+int(i&1), i)}
}

// sliceOf builds the cells as columns i, j, u, d and s, behind some rows of another table that are sliced away.
func sliceOf(cells []cell, skip int) arrow.RecordBatch {
	s := arrow.NewSchema([]arrow.Field{field("i", i64), field("j", i32), field("d", f64), field("s", text)}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for k := range skip + len(cells) {
		c := cell{null: k%3 == 0, i: 7, s: "before"}
		if k >= skip {
			c = cells[k-skip]
		}
		if c.null {
			for _, f := range b.Fields() {
				f.AppendNull()
			}
			continue
		}
		b.Field(0).(*array.Int64Builder).Append(c.i)
		b.Field(1).(*array.Int32Builder).Append(int32(c.i))
		b.Field(2).(*array.Float64Builder).Append(c.d)
		b.Field(3).(*array.StringBuilder).Append(c.s)
	}
	all := b.NewRecordBatch()
	defer all.Release()
	return all.NewSlice(int64(skip), int64(skip+len(cells)))
}

// compareDoubles has NaN equal to itself and above all else.
func compareDoubles(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(boolInt(math.IsNaN(a)), boolInt(math.IsNaN(b)))
	}
	return cmp.Compare(a, b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func truthOf(op expr.CompareOp, c int) bool {
	switch op {
	case expr.Eq:
		return c == 0
	case expr.Ne:
		return c != 0
	case expr.Lt:
		return c < 0
	case expr.Le:
		return c <= 0
	case expr.Gt:
		return c > 0
	default:
		return c >= 0
	}
}

func maskIn(t *rapid.T, e expr.Expr, batch arrow.RecordBatch) eval.Bitmap {
	bound, err := expr.Bind(e, resolveIn(batch.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.Mask(bound, eval.Batch{Rows: batch}, int(batch.NumRows()))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestColumnWithConstant compares columns of slices with constants, row by row, with Go's own comparisons.
func TestColumnWithConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Custom(drawCell), 0, 200).Draw(t, "cells")
		batch := sliceOf(cells, rapid.IntRange(0, 70).Draw(t, "skip"))
		defer batch.Release()
		k := drawCell(t)
		op := rapid.SampledFrom([]expr.CompareOp{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge}).Draw(t, "op")
		for _, c := range []struct {
			column  string
			lit     expr.Expr
			compare func(cell) int
		}{
			{"i", expr.Int(k.i), func(c cell) int { return cmp.Compare(c.i, k.i) }},
			{"j", expr.Int(k.i), func(c cell) int { return cmp.Compare(c.i, k.i) }},
			{"d", expr.Double(k.d), func(c cell) int { return compareDoubles(c.d, k.d) }},
			{"s", str(k.s), func(c cell) int { return cmp.Compare(c.s, k.s) }},
		} {
			got := maskIn(t, expr.Cmp(op, col(c.column), c.lit), batch)
			for i, x := range cells {
				if want := !x.null && truthOf(op, c.compare(x)); got.Get(i) != want {
					t.Fatalf("row %d (%v): %s %v %s is %v", i, x, c.column, op, c.lit, got.Get(i))
				}
			}
		}
	})
}

// TestLongIn looks values up in lists long enough for a set, with numbers that the column cannot hold among them.
func TestLongIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Custom(drawCell), 0, 200).Draw(t, "cells")
		batch := sliceOf(cells, rapid.IntRange(0, 70).Draw(t, "skip"))
		defer batch.Release()
		keys := rapid.SliceOfN(rapid.Custom(drawCell), 15, 30).Draw(t, "keys")
		ints, texts := map[int64]bool{}, map[string]bool{}
		numbers, strs := []expr.Expr{num("7.5"), num("99999999999999999999"), expr.Int(1 << 40)}, []expr.Expr{}
		for _, k := range keys {
			ints[k.i], texts[k.s] = true, true
			numbers, strs = append(numbers, expr.Int(k.i)), append(strs, str(k.s))
		}
		withNull := rapid.Bool().Draw(t, "null")
		if withNull {
			numbers, strs = append(numbers, expr.Null()), append(strs, expr.Null())
		}
		for _, c := range []struct {
			column string
			list   []expr.Expr
			has    func(cell) bool
		}{
			{"i", numbers, func(c cell) bool { return ints[c.i] }},
			{"j", numbers, func(c cell) bool { return ints[c.i] }},
			{"s", strs, func(c cell) bool { return texts[c.s] }},
		} {
			in := col(c.column).In(c.list...)
			got, not := maskIn(t, in, batch), maskIn(t, expr.Negate(in), batch)
			for i, x := range cells {
				yes := !x.null && c.has(x)
				no := !x.null && !c.has(x) && !withNull
				if got.Get(i) != yes || not.Get(i) != no {
					t.Fatalf("row %d (%v): %s is %v, its opposite %v", i, x, in, got.Get(i), not.Get(i))
				}
			}
		}
	})
}
