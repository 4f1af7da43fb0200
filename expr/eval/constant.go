package eval

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/lanceflight/flightsrv/expr"
)

// Most filters compare a column with a constant. That is done here on the column's own buffer, without widening it:
// the constant is turned once into the column's unit, with the operator that has the same answer there.

// Target is a constant in the unit of a column of whole numbers: v Op Value has the same answer as the comparison
// meant; or Always/Never for every valid row.
type Target struct {
	Op            expr.CompareOp
	Value         *big.Int
	Always, Never bool
}

// TargetOf finds the target of a literal for a column of integers, decimals, dates or times; ok is false where the
// literal is of another family.
func TargetOf(op expr.CompareOp, column arrow.DataType, l *expr.Literal) (Target, bool) {
	num, den, ok := ratio(column, l)
	if !ok {
		return Target{}, false
	}
	floor, rest := new(big.Int).DivMod(num, den, new(big.Int))
	t := Target{Op: op, Value: floor}
	if rest.Sign() == 0 {
		return t, true
	}
	switch op { // the constant lies between floor and floor+1
	case expr.Eq, expr.NotDistinct:
		t.Never = true
	case expr.Ne, expr.Distinct:
		t.Always = true
	case expr.Lt, expr.Le:
		t.Op = expr.Le
	default:
		t.Op = expr.Gt
	}
	return t, true
}

// ratio gives the literal in the column's unit as a fraction.
func ratio(column arrow.DataType, l *expr.Literal) (num, den *big.Int, ok bool) {
	ck, lk := expr.KindOf(column), expr.KindOf(l.Typ)
	switch {
	case ck.Exact() && lk.Exact():
		n, ls, _ := expr.Exact(l.Value, l.Typ)
		_, cs, _ := expr.Exact(new(big.Int), column)
		return new(big.Int).Mul(n, pow10(cs)), pow10(ls), true
	case sameClock(ck, lk):
		n, isInt := l.Value.(int64)
		lu, cu := expr.UnitNanos(l.Typ), expr.UnitNanos(column)
		if !isInt || lu == 0 || cu == 0 {
			return nil, nil, false
		}
		return new(big.Int).Mul(big.NewInt(n), big.NewInt(lu)), big.NewInt(cu), true
	}
	return nil, nil, false
}

func pow10(n int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, 0))), nil)
}

// sameClock tells whether values of both kinds are counts of time from the same origin.
func sameClock(a, b expr.Kind) bool {
	instant := func(k expr.Kind) bool {
		return k == expr.KindDate || k == expr.KindTimestamp || k == expr.KindTimestampTZ
	}
	return instant(a) && instant(b) || a == b && (a == expr.KindTime || a == expr.KindDuration)
}

// compareConst compares a column with a constant that is not NULL, where it can be done on the column's buffer.
func compareConst(op expr.CompareOp, a arrow.Array, valid words, l *expr.Literal) (truth, bool) {
	t, ok := constWords(op, a, l)
	if !ok {
		return truth{}, false
	}
	if valid == nil {
		valid = validWords(a)
	}
	return withNulls(op, t, valid, nil, a.Len()), true
}

func constWords(op expr.CompareOp, a arrow.Array, l *expr.Literal) (words, bool) {
	n := a.Len()
	switch a := a.(type) {
	case *array.Float64:
		if f, ok := l.Value.(float64); ok {
			return floatWords(op, arrow.GetValues[float64](a.Data(), 1), f, n), true
		}
	case *array.Float32:
		if f, ok := l.Value.(float64); ok {
			return float32Words(op, arrow.GetValues[float32](a.Data(), 1), f, n)
		}
	case *array.String:
		if s, ok := l.Value.(string); ok && n > 0 && expr.KindOf(l.Typ) == expr.KindText {
			return textWords(op, n, s, a.ValueOffsets(), a), true
		}
	case *array.LargeString:
		if s, ok := l.Value.(string); ok && n > 0 && expr.KindOf(l.Typ) == expr.KindText {
			return textWords(op, n, s, a.ValueOffsets(), a), true
		}
	default:
		t, ok := TargetOf(op, a.DataType(), l)
		if !ok {
			return nil, false
		}
		return wholeWords(t, a, n)
	}
	return nil, false
}

// textWords compares n texts, between offsets of the array's bytes, with s.
func textWords[O int32 | int64](op expr.CompareOp, n int, s string, offsets []O, a interface{ Value(int) string }) words {
	out, h := noWords(n), holds[op]
	if h[0] != h[2] {
		for i := range n {
			if h[strings.Compare(a.Value(i), s)+1] {
				out.set(i)
			}
		}
		return out
	}
	// Equality needs no order, and most texts differ in length already.
	size := O(len(s))
	for i, end := range offsets[1 : n+1] {
		if end-offsets[i] == size && a.Value(i) == s {
			out.set(i)
		}
	}
	if h[1] {
		return out
	}
	return allWords(n).andNot(out)
}

// wholeWords compares a column of whole numbers with a target.
func wholeWords(t Target, a arrow.Array, n int) (words, bool) {
	switch a.DataType().ID() {
	case arrow.INT8:
		return intWords[int8](t, a, n, math.MinInt8, math.MaxInt8), true
	case arrow.INT16:
		return intWords[int16](t, a, n, math.MinInt16, math.MaxInt16), true
	case arrow.INT32, arrow.DATE32, arrow.TIME32, arrow.DECIMAL32:
		return intWords[int32](t, a, n, math.MinInt32, math.MaxInt32), true
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION, arrow.DECIMAL64:
		return intWords[int64](t, a, n, math.MinInt64, math.MaxInt64), true
	case arrow.UINT8:
		return intWords[uint8](t, a, n, 0, math.MaxUint8), true
	case arrow.UINT16:
		return intWords[uint16](t, a, n, 0, math.MaxUint16), true
	case arrow.UINT32:
		return intWords[uint32](t, a, n, 0, math.MaxUint32), true
	case arrow.UINT64:
		return intWords[uint64](t, a, n, 0, math.MaxUint64), true
	case arrow.DECIMAL128:
		return decimalWords(t, a.(*array.Decimal128), n), true
	}
	return nil, false
}

type whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func intWords[T whole](t Target, a arrow.Array, n int, lo int64, hi uint64) words {
	always, never := t.Always, t.Never
	if !always && !never {
		always, never = beyond(t, big.NewInt(lo), new(big.Int).SetUint64(hi))
	}
	switch {
	case always:
		return allWords(n)
	case never:
		return noWords(n)
	}
	var c T
	if lo < 0 {
		c = T(t.Value.Int64())
	} else {
		c = T(t.Value.Uint64())
	}
	return orderedWords(t.Op, arrow.GetValues[T](a.Data(), 1), c, n)
}

// beyond tells whether a constant outside of the column's range decides the comparison.
func beyond(t Target, lo, hi *big.Int) (always, never bool) {
	h := holds[t.Op]
	switch {
	case t.Value.Cmp(lo) < 0: // every value is above
		return h[2], !h[2]
	case t.Value.Cmp(hi) > 0: // every value is below
		return h[0], !h[0]
	}
	return false, false
}

func decimalWords(t Target, a *array.Decimal128, n int) words {
	limit := new(big.Int).Lsh(big.NewInt(1), 127)
	always, never := t.Always, t.Never
	if !always && !never {
		always, never = beyond(t, new(big.Int).Neg(limit), new(big.Int).Sub(limit, big.NewInt(1)))
	}
	switch {
	case always:
		return allWords(n)
	case never:
		return noWords(n)
	}
	c := decimal128.FromBigInt(t.Value)
	out, h := noWords(n), holds[t.Op]
	for i, v := range a.Values() {
		if h[v.Cmp(c)+1] {
			out.set(i)
		}
	}
	return out
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// orderedWords compares each value with c, a word of 64 rows at a time. Values are in their type's own order: NaN is the
// caller's concern, save that nothing is equal to it.
func orderedWords[T cmp.Ordered](op expr.CompareOp, vals []T, c T, n int) words {
	out := noWords(n)
	var eight func(v *[8]T, c T) uint64
	negated := false
	switch op {
	case expr.Eq, expr.NotDistinct:
		eight = equal8[T]
	case expr.Ne, expr.Distinct:
		eight, negated = equal8[T], true
	case expr.Lt:
		eight = less8[T]
	case expr.Ge:
		eight, negated = less8[T], true
	case expr.Le:
		eight = atMost8[T]
	case expr.Gt:
		eight, negated = atMost8[T], true
	}
	full := len(vals) / 8
	for k := range full {
		out[k/8] |= eight((*[8]T)(vals[8*k:]), c) << (8 * uint(k%8))
	}
	if rest := vals[8*full:]; len(rest) > 0 {
		var last [8]T
		copy(last[:], rest)
		out[full/8] |= eight(&last, c) << (8 * uint(full%8))
	}
	if negated {
		for k := range out {
			out[k] = ^out[k]
		}
	}
	return out.trim(n)
}

// The comparisons of eight values, without a branch and with shifts that are known when they are compiled.

func equal8[T cmp.Ordered](v *[8]T, c T) uint64 {
	return b2u(v[0] == c) | b2u(v[1] == c)<<1 | b2u(v[2] == c)<<2 | b2u(v[3] == c)<<3 |
		b2u(v[4] == c)<<4 | b2u(v[5] == c)<<5 | b2u(v[6] == c)<<6 | b2u(v[7] == c)<<7
}

func less8[T cmp.Ordered](v *[8]T, c T) uint64 {
	return b2u(v[0] < c) | b2u(v[1] < c)<<1 | b2u(v[2] < c)<<2 | b2u(v[3] < c)<<3 |
		b2u(v[4] < c)<<4 | b2u(v[5] < c)<<5 | b2u(v[6] < c)<<6 | b2u(v[7] < c)<<7
}

func atMost8[T cmp.Ordered](v *[8]T, c T) uint64 {
	return b2u(v[0] <= c) | b2u(v[1] <= c)<<1 | b2u(v[2] <= c)<<2 | b2u(v[3] <= c)<<3 |
		b2u(v[4] <= c)<<4 | b2u(v[5] <= c)<<5 | b2u(v[6] <= c)<<6 | b2u(v[7] <= c)<<7
}

// floatWords compares floats with c in DuckDB's order: a NaN value is above any number, so > and >= are the opposites
// of <= and <, as orderedWords has them.
func floatWords[T float32 | float64](op expr.CompareOp, vals []T, c T, n int) words {
	if c != c { // NaN is unlike itself
		return nanWords(op, vals, n)
	}
	return orderedWords(op, vals, c, n)
}

func nanWords[T float32 | float64](op expr.CompareOp, vals []T, n int) words {
	out, h := noWords(n), holds[op]
	for i, v := range vals {
		if v != v && h[1] || v == v && h[0] { // NaN is unlike itself
			out.set(i)
		}
	}
	return out
}

// float32Words compares floats with a double: directly where the constant is a float, else not here.
func float32Words(op expr.CompareOp, vals []float32, c float64, n int) (words, bool) {
	f := float32(c)
	if float64(f) != c && c == c { // NaN is unlike itself
		return nil, false
	}
	return floatWords(op, vals, f, n), true
}
