package eval

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// holds tells for an operator whether it is true when l is below, equal to, above r.
var holds = [...][3]bool{
	expr.Eq: {false, true, false}, expr.Ne: {true, false, true},
	expr.Lt: {true, false, false}, expr.Le: {true, true, false},
	expr.Gt: {false, false, true}, expr.Ge: {false, true, true},
	expr.Distinct: {true, false, true}, expr.NotDistinct: {false, true, false},
}

// CompareFloats orders floats as DuckDB does: NaN is equal to itself and above all others, -0.0 equals 0.0.
func CompareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	an, bn := math.IsNaN(a), math.IsNaN(b)
	switch {
	case an && bn:
		return 0
	case an:
		return 1
	}
	return -1
}

// order gives the comparison of row i of l with row j of r, both valid there and of one family.
func order(l, r *vec) func(i, j int) int {
	switch {
	case l.floats != nil || r.floats != nil:
		a, b := asFloats(l, false), asFloats(r, false)
		return func(i, j int) int { return CompareFloats(a(i), b(j)) }
	case l.texts != nil && r.texts != nil:
		return func(i, j int) int { return strings.Compare(l.texts[l.at(i)], r.texts[r.at(j)]) }
	case l.kind == expr.KindBool:
		return func(i, j int) int { return cmp.Compare(bit(l, i), bit(r, j)) }
	case l.spans != nil || r.spans != nil:
		a, b := asNanos(l), asNanos(r)
		return func(i, j int) int { return a(i).Cmp(b(j)) }
	case l.uints != nil && r.uints != nil:
		return func(i, j int) int { return cmp.Compare(l.uints[l.at(i)], r.uints[r.at(j)]) }
	case l.kind.Exact():
		return orderExact(l, r)
	}
	return orderTimes(l, r)
}

func bit(v *vec, i int) int {
	if v.bools.t.get(v.at(i)) {
		return 1
	}
	return 0
}

// asFloats reads any number as a double; single tells that it is meant as a FLOAT.
func asFloats(v *vec, single bool) func(i int) float64 {
	switch {
	case v.floats != nil:
		return func(i int) float64 { return v.floats[v.at(i)] }
	case v.ints != nil:
		return func(i int) float64 { return float64(v.ints[v.at(i)]) }
	case v.uints != nil:
		return func(i int) float64 { return float64(v.uints[v.at(i)]) }
	}
	_, scale, _ := expr.Exact(big.NewInt(0), v.typ)
	return func(i int) float64 { return expr.DecimalToFloat(v.bigs[v.at(i)], scale, single) }
}

func orderExact(l, r *vec) func(i, j int) int {
	if l.ints != nil && r.ints != nil {
		return func(i, j int) int { return cmp.Compare(l.ints[l.at(i)], r.ints[r.at(j)]) }
	}
	if l.bigs == nil && r.bigs == nil { // one is signed, one is not
		if l.ints == nil {
			rev := orderExact(r, l)
			return func(i, j int) int { return -rev(j, i) }
		}
		return func(i, j int) int {
			a, b := l.ints[l.at(i)], r.uints[r.at(j)]
			if a < 0 {
				return -1
			}
			return cmp.Compare(uint64(a), b)
		}
	}
	ls, rs := scaleOf(l), scaleOf(r)
	a, b := asBigs(l, max(ls, rs)-ls), asBigs(r, max(ls, rs)-rs)
	return func(i, j int) int { return a(i).Cmp(b(j)) }
}

func scaleOf(v *vec) int32 {
	_, s, _ := expr.Exact(big.NewInt(0), v.typ)
	return s
}

// asBigs reads an exact number as digits, shifted left by some decimal places.
func asBigs(v *vec, shift int32) func(i int) *big.Int {
	mul := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil)
	get := func(i int) *big.Int {
		switch {
		case v.ints != nil:
			return big.NewInt(v.ints[i])
		case v.uints != nil:
			return new(big.Int).SetUint64(v.uints[i])
		}
		return v.bigs[i]
	}
	if v.one {
		if !v.isValid(0) {
			return func(int) *big.Int { return mul }
		}
		c := new(big.Int).Mul(get(0), mul)
		return func(int) *big.Int { return c }
	}
	if shift == 0 {
		return get
	}
	return func(i int) *big.Int { return new(big.Int).Mul(get(i), mul) }
}

func asNanos(v *vec) func(i int) *big.Int {
	if v.spans != nil {
		return func(i int) *big.Int { return expr.IntervalNanos(v.spans[v.at(i)]) }
	}
	unit := big.NewInt(expr.UnitNanos(v.typ))
	return func(i int) *big.Int { return new(big.Int).Mul(big.NewInt(v.ints[v.at(i)]), unit) }
}

// orderTimes compares dates, times, timestamps and durations of any units exactly.
func orderTimes(l, r *vec) func(i, j int) int {
	lu, ru := expr.UnitNanos(l.typ), expr.UnitNanos(r.typ)
	if lu == ru {
		return func(i, j int) int { return cmp.Compare(l.ints[l.at(i)], r.ints[r.at(j)]) }
	}
	if lu < ru {
		rev := orderTimes(r, l)
		return func(i, j int) int { return -rev(j, i) }
	}
	per := lu / ru // a whole number: units divide each other
	return func(i, j int) int {
		a, b := l.ints[l.at(i)], r.ints[r.at(j)]
		if x, y := expr.Infinite(a, l.typ), expr.Infinite(b, r.typ); x != 0 || y != 0 {
			return cmp.Compare(x, y)
		}
		whole := b / per
		rest := b % per
		if rest < 0 {
			whole, rest = whole-1, rest+per
		}
		if c := cmp.Compare(a, whole); c != 0 || rest == 0 {
			return c
		}
		return -1
	}
}

// compareVecs applies an operator row by row.
func compareVecs(op expr.CompareOp, l, r *vec, n int) truth {
	lv, rv := l.validRows(), r.validRows()
	both := andValid(lv, rv)
	t := noWords(n)
	if l.kind != expr.KindNull && r.kind != expr.KindNull {
		ord, h := order(l, r), holds[op]
		test := func(i int) {
			if h[ord(i, i)+1] {
				t.set(i)
			}
		}
		if both == nil {
			for i := range n {
				test(i)
			}
		} else {
			both.each(test)
		}
	}
	return withNulls(op, t, lv, rv, n)
}

// withNulls gives the answer from the rows that are true where both sides are valid.
func withNulls(op expr.CompareOp, t, lv, rv words, n int) truth {
	if op < expr.Distinct {
		return masked(t, andValid(lv, rv), n)
	}
	if lv == nil {
		lv = allWords(n)
	}
	if rv == nil {
		rv = allWords(n)
	}
	both, one := lv.and(rv), lv.andNot(rv).or(rv.andNot(lv))
	if op == expr.Distinct {
		return knownTruth(t.and(both).or(one), n)
	}
	neither := allWords(n).andNot(lv).andNot(rv)
	return knownTruth(t.and(both).or(neither), n)
}

// typeOf is a vec's type for error texts.
func typeOf(v *vec) string { return expr.SQLType(v.typ) }

var _ = arrow.Null
