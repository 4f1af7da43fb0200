package eval

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// elementScope is what a predicate inside a match is evaluated over: the elements of all lists, one after the other.
type elementScope struct {
	path   expr.FieldPath
	array  arrow.Array
	values *vec
	outer  *evaluator
	rows   []int // the row of each element
}

// listOf gives the list array of a column or of a field of one, with the rows in which it is valid (nil: all).
func (ev *evaluator) listOf(e expr.Expr) (array.ListLike, words, error) {
	a, valid, err := ev.array(e)
	if err != nil {
		return nil, nil, err
	}
	if valid == nil {
		valid = validWords(a)
	}
	if x, ok := a.(array.ExtensionArray); ok {
		a = x.Storage()
	}
	l, ok := a.(array.ListLike)
	if !ok {
		return nil, nil, errs.New(errs.ErrInternal, "%s is of type %s, not a list", e, a.DataType())
	}
	return l, valid, nil
}

// match evaluates any_match and all_match. Elements that are null or NaN do not count; a null list gives NULL. With no
// element that counts any_match is false and all_match true.
func (ev *evaluator) match(e *expr.Match, rows words) (truth, error) {
	list, valid, err := ev.listOf(&expr.Column{Rel: elementRel(e), Path: e.Path})
	if err != nil {
		return truth{}, err
	}
	ask := valid
	if rows != nil {
		ask = andValid(ask, rows)
	}
	if ask == nil {
		ask = allWords(ev.n)
	}
	lo, hi, rowOf := elements(list, ask)
	elems := array.NewSlice(list.ListValues(), int64(lo), int64(hi))
	defer elems.Release()
	v, err := load(elems, nil)
	if err != nil {
		return truth{}, err
	}
	counts := noWords(hi - lo)
	for i, r := range rowOf {
		if r >= 0 && v.isValid(i) && (v.floats == nil || !math.IsNaN(v.floats[i])) {
			counts.set(i)
		}
	}
	sub := &evaluator{env: ev.env, n: hi - lo,
		element: &elementScope{path: e.Path, array: elems, values: v, outer: ev, rows: rowOf}}
	t, err := sub.truth(e.Pred, counts)
	if err != nil {
		return truth{}, err
	}
	out := noWords(ev.n)
	if e.Kind == expr.AnyMatch {
		counts.and(t.t).each(func(i int) { out.set(rowOf[i]) })
	} else {
		out = allWords(ev.n)
		counts.andNot(t.t).each(func(i int) { out.clear(rowOf[i]) })
	}
	return masked(out, valid, ev.n), nil
}

func elementRel(m *expr.Match) int {
	rel := 0
	expr.Walk(m.Pred, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok && c.Path.Equal(m.Path) {
			rel = c.Rel
		}
		return true
	})
	return rel
}

// elements gives the range of the values that the asked rows use, and for each of them its row, -1 for none.
func elements(list array.ListLike, ask words) (lo, hi int, rowOf []int) {
	first := true
	ask.each(func(i int) {
		from, to := list.ValueOffsets(i)
		if first {
			lo, hi, first = int(from), int(to), false
		}
		lo, hi = min(lo, int(from)), max(hi, int(to))
	})
	rowOf = make([]int, hi-lo)
	for i := range rowOf {
		rowOf[i] = -1
	}
	ask.each(func(i int) {
		from, to := list.ValueOffsets(i)
		for k := from; k < to; k++ {
			rowOf[int(k)-lo] = i
		}
	})
	return lo, hi, rowOf
}

// index evaluates list[key]: from 1, negative keys from the end; NULL outside.
func (ev *evaluator) index(e *expr.Index, rows words) (*vec, error) {
	list, valid, err := ev.listOf(e.X)
	if err != nil {
		return nil, err
	}
	key, err := ev.vec(e.Key, rows)
	if err != nil {
		return nil, err
	}
	values, err := load(list.ListValues(), nil)
	if err != nil {
		return nil, err
	}
	from := make([]int, ev.n)
	for i := range from {
		from[i] = -1
		if valid != nil && !valid.get(i) || !key.isValid(i) {
			continue
		}
		lo, hi := list.ValueOffsets(i)
		k := asBigs(key, 0)(key.at(i))
		if !k.IsInt64() {
			continue
		}
		switch at, size := k.Int64(), hi-lo; {
		case at > 0 && at <= size:
			from[i] = int(lo + at - 1)
		case at < 0 && at >= -size:
			from[i] = int(hi + at)
		}
	}
	return values.take(from), nil
}
