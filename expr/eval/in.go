package eval

import (
	"math/big"

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
func wholeSet[T int32 | int64 | uint64](list []expr.Expr, typ arrow.DataType, vals []T) (words, []expr.Expr) {
	set := make(map[T]struct{}, len(list))
	var rest []expr.Expr
	for _, x := range list {
		l, ok := x.(*expr.Literal)
		if !ok || l.Value == nil {
			rest = append(rest, x)
			continue
		}
		t, ok := TargetOf(expr.Eq, typ, l)
		switch v, fits := asWhole[T](t.Value); {
		case !ok:
			rest = append(rest, x)
		case !t.Never && fits:
			set[v] = struct{}{}
		}
	}
	out := noWords(len(vals))
	for i, v := range vals {
		if _, ok := set[v]; ok {
			out.set(i)
		}
	}
	return out, rest
}

// asWhole gives a number as a T, where it is one.
func asWhole[T int32 | int64 | uint64](n *big.Int) (v T, ok bool) {
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
