package eval

import (
	"math/big"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/expr"
)

// minSet is the number of constants from which a set is faster than one comparison for each.
const minSet = 12

// inSet answers the part of an IN list that is constants which a set of the column's own values can hold: whole numbers
// and texts. It gives what is left of the list; where no set is made, that is all of it.
func (ev *evaluator) inSet(e *expr.In) (truth, []expr.Expr, error) {
	none := constTruth(ev.n, false, true)
	c, ok := e.X.(*expr.Column)
	if !ok || ev.element != nil || len(e.List) < minSet {
		return none, e.List, nil
	}
	a, valid, err := ev.column(c)
	if err != nil {
		return none, nil, err
	}
	var in words
	var rest []expr.Expr
	switch a := a.(type) {
	case *array.Int32:
		in, rest = wholeSet(e.List, a.DataType(), a.Int32Values())
	case *array.Int64:
		in, rest = wholeSet(e.List, a.DataType(), a.Int64Values())
	case *array.Uint64:
		in, rest = wholeSet(e.List, a.DataType(), a.Uint64Values())
	case *array.String:
		in, rest = textSet(e.List, a.Len(), a)
	case *array.LargeString:
		in, rest = textSet(e.List, a.Len(), a)
	default:
		return none, e.List, nil
	}
	if valid == nil {
		valid = validWords(a)
	}
	return masked(in, valid, ev.n), rest, nil
}

// wholeSet finds the values that are one of the constants of a list, and gives the items that are no such constants.
func wholeSet[T whole](list []expr.Expr, typ arrow.DataType, vals []T) (words, []expr.Expr) {
	members := make([]T, 0, len(list))
	var rest []expr.Expr
	for _, x := range list {
		l, ok := x.(*expr.Literal)
		if !ok || l.Value == nil {
			rest = append(rest, x)
			continue
		}
		v, fits, ok := wholeValue[T](typ, l)
		switch {
		case !ok:
			rest = append(rest, x)
		case fits:
			members = append(members, v)
		}
	}
	return valuesAmong(vals, members), rest
}

// wholeValue gives a constant in the unit of a column of numbers: fits where it is one that the column can hold, ok where it
// is of a family that compares with the column.
func wholeValue[T whole](typ arrow.DataType, l *expr.Literal) (v T, fits, ok bool) {
	if arrow.TypeEqual(typ, l.Typ) {
		switch n := l.Value.(type) {
		case int64:
			return T(n), int64(T(n)) == n, true
		case uint64:
			return T(n), uint64(T(n)) == n, true
		}
	}
	t, ok := TargetOf(expr.Eq, typ, l)
	if !ok || t.Never {
		return v, false, ok
	}
	v, fits = asWhole[T](t.Value)
	return v, fits, true
}

// bitSetRange is the widest range of constants that is kept as one bit for each number in it.
const bitSetRange = 1 << 20

// valuesAmong tells which values are among the members.
func valuesAmong[T whole](vals, members []T) words {
	out := noWords(len(vals))
	if len(members) == 0 {
		return out
	}
	lo, hi := slices.Min(members), slices.Max(members)
	if span := uint64(hi) - uint64(lo); span < bitSetRange {
		bits := noWords(int(span) + 1)
		for _, m := range members {
			bits.set(int(uint64(m) - uint64(lo)))
		}
		for i, v := range vals {
			if at := uint64(v) - uint64(lo); at <= span && bits[at/64]>>(at%64)&1 != 0 {
				out.set(i)
			}
		}
		return out
	}
	set := make(map[T]struct{}, len(members))
	for _, m := range members {
		set[m] = struct{}{}
	}
	for i, v := range vals {
		if v < lo || v > hi {
			continue
		}
		if _, ok := set[v]; ok {
			out.set(i)
		}
	}
	return out
}

// asWhole gives a number as a T, where it is one.
func asWhole[T whole](n *big.Int) (v T, ok bool) {
	switch {
	case n == nil:
		return 0, false
	case n.IsInt64():
		v = T(n.Int64())
	case n.IsUint64():
		v = T(n.Uint64())
	default:
		return 0, false
	}
	back := new(big.Int).SetUint64(uint64(v))
	if v < 0 {
		back.SetInt64(int64(v))
	}
	return v, back.Cmp(n) == 0
}

// textSet is wholeSet for texts.
func textSet(list []expr.Expr, n int, a interface{ Value(int) string }) (words, []expr.Expr) {
	set := make(map[string]struct{}, len(list))
	var rest []expr.Expr
	for _, x := range list {
		l, ok := x.(*expr.Literal)
		if s, isText := valueOf(l, ok).(string); isText && expr.KindOf(l.Typ) == expr.KindText {
			set[s] = struct{}{}
		} else {
			rest = append(rest, x)
		}
	}
	out := noWords(n)
	for i := range n {
		if _, ok := set[a.Value(i)]; ok {
			out.set(i)
		}
	}
	return out, rest
}

func valueOf(l *expr.Literal, ok bool) any {
	if !ok {
		return nil
	}
	return l.Value
}
