package eval

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// TestValuesAmong: sets of all shapes (one value, dense, sparse, at the ends of the type) find what a search finds.
func TestValuesAmong(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, spread := range []int64{1, 50, 3000, bitSetRange - 1, bitSetRange, bitSetRange + 1, math.MaxInt64} {
		for _, from := range []int64{0, -25, math.MinInt64, math.MaxInt64 - spread} {
			at := func() int64 { return int64(uint64(from) + uint64(rnd.Int63n(spread))) }
			members := []int64{from, int64(uint64(from) + uint64(spread) - 1)}
			for range rnd.Intn(60) {
				members = append(members, at())
			}
			vals := append([]int64{math.MinInt64, -1, 0, 1, math.MaxInt64}, members...)
			for range 200 {
				vals = append(vals, at(), rnd.Int63()-rnd.Int63())
			}
			checkAmong(t, vals, members)
			checkAmong(t, convert[uint64](vals), convert[uint64](members))
			checkAmong(t, convert[int32](vals), convert[int32](members))
		}
	}
	checkAmong(t, []int64{1, 2}, nil)
}

func convert[T whole](list []int64) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}

func checkAmong[T whole](t *testing.T, vals, members []T) {
	t.Helper()
	got := valuesAmong(vals, members)
	for i, v := range vals {
		if is := got[i/64]>>(i%64)&1 != 0; is != slices.Contains(members, v) {
			t.Fatalf("%d among %v: %t", v, members, is)
		}
	}
}

// TestWholeValue: a constant is a member only where the column can hold just that number.
func TestWholeValue(t *testing.T) {
	i32, i64, u64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64
	lit := func(v int64, typ arrow.DataType) *expr.Literal { return &expr.Literal{Value: v, Typ: typ} }
	for _, c := range []struct {
		name     string
		column   arrow.DataType
		l        *expr.Literal
		value    int64
		fits, ok bool
	}{
		{"own type", i32, lit(-7, i32), -7, true, true},
		{"wider, fits", i32, lit(7, i64), 7, true, true},
		{"wider, does not fit", i32, lit(1<<40, i64), 0, false, true},
		{"own type in name only", i32, lit(1<<40, i32), 0, false, true},
		{"negative of unsigned", u64, lit(-1, i64), 0, false, true},
		{"unsigned", i64, &expr.Literal{Value: uint64(9), Typ: u64}, 9, true, true},
		{"unsigned beyond signed", i64, &expr.Literal{Value: uint64(math.MaxUint64), Typ: u64}, 0, false, true},
		{"a double", i64, expr.Double(1), 0, false, false},
	} {
		var v int64
		var fits, ok bool
		switch c.column.ID() {
		case arrow.INT32:
			var n int32
			n, fits, ok = wholeValue[int32](c.column, c.l)
			v = int64(n)
		case arrow.UINT64:
			var n uint64
			n, fits, ok = wholeValue[uint64](c.column, c.l)
			v = int64(n)
		default:
			v, fits, ok = wholeValue[int64](c.column, c.l)
		}
		if fits != c.fits || ok != c.ok || fits && v != c.value {
			t.Errorf("%s: %d, fits %t, ok %t", c.name, v, fits, ok)
		}
	}
}
