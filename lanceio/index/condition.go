package index

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// condition is what a filter demands of columns: all rows that pass it satisfy it. nil demands nothing.
type condition interface{ isCondition() }

// onColumn demands that the column at path has a value of a set.
type onColumn struct {
	path expr.FieldPath
	typ  arrow.DataType
	set  set
}

// allOf and anyOf join two or more conditions.
type (
	allOf []condition
	anyOf []condition
)

func (onColumn) isCondition() {}
func (allOf) isCondition()    {}
func (anyOf) isCondition()    {}

// conditionOf reads a bound filter.
func conditionOf(e expr.Expr) condition {
	switch e := e.(type) {
	case *expr.Logical:
		parts := make([]condition, len(e.Args))
		for i, a := range e.Args {
			parts[i] = conditionOf(a)
		}
		if e.Op == expr.And {
			return all(parts)
		}
		return anyIn(parts)
	case *expr.Compare:
		return compared(e)
	case *expr.Between:
		return all([]condition{
			compared(&expr.Compare{Op: expr.Ge, L: e.X, R: e.Lo}), compared(&expr.Compare{Op: expr.Le, L: e.X, R: e.Hi}),
		})
	case *expr.In:
		return listed(e)
	case *expr.IsNull:
		// Below a null struct an index may hold any value, so that its nulls are not all of them.
		if c, ok := e.X.(*expr.Column); ok && len(c.Path) == 1 && c.Typ != nil && supported(c.Typ) {
			return onColumn{c.Path, c.Typ, set{nulls: true}}
		}
	case *expr.IsTruth:
		if e.Value {
			return conditionOf(e.X)
		}
		return isBool(e.X, false)
	case *expr.Not:
		return isBool(e.X, false)
	case *expr.Column:
		return isBool(e, true)
	case *expr.Like:
		return likePrefix(e)
	}
	return nil
}

// listed is the condition of IN. A comparison with NULL is never true.
func listed(e *expr.In) condition {
	c, ok := e.X.(*expr.Column)
	if !ok || c.Typ == nil || !supported(c.Typ) {
		return nil
	}
	var joined set
	any := false
	for _, x := range e.List {
		l, ok := x.(*expr.Literal)
		if !ok || l.Typ == nil {
			return nil
		}
		if l.Value == nil {
			continue
		}
		spans, ok := spansOf(expr.Eq, c.Typ, l)
		if !ok {
			return nil
		}
		any = true
		joined.spans = append(joined.spans, spans...)
	}
	if !any {
		return nil
	}
	return onColumn{c.Path, c.Typ, joined.union(set{})}
}

// isBool is the condition that a boolean column has a value.
func isBool(e expr.Expr, v bool) condition {
	if c, ok := e.(*expr.Column); ok && c.Typ != nil && c.Typ.ID() == arrow.BOOL {
		return onColumn{c.Path, c.Typ, set{spans: []span{point(boolKey(v))}}}
	}
	return nil
}

// all joins by AND: what demands nothing is left out, conditions on one column become one.
func all(parts []condition) condition {
	var out allOf
	for _, p := range parts {
		if nested, ok := p.(allOf); ok {
			for _, n := range nested {
				out = addTo(out, n, set.intersect)
			}
		} else if p != nil {
			out = addTo(out, p, set.intersect)
		}
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}

// anyIn joins by OR: one that demands nothing makes the whole demand nothing.
func anyIn(parts []condition) condition {
	var out []condition
	var columns []onColumn
	for _, p := range parts {
		switch p := p.(type) {
		case nil:
			return nil
		case onColumn:
			columns = append(columns, p)
		default:
			out = append(out, p)
		}
	}
	for len(columns) > 0 {
		first, rest := columns[0], columns[1:]
		columns = nil
		joined := set{nulls: first.set.nulls, spans: slices.Clone(first.set.spans)}
		for _, c := range rest {
			if c.path.Equal(first.path) {
				joined.nulls = joined.nulls || c.set.nulls
				joined.spans = append(joined.spans, c.set.spans...)
			} else {
				columns = append(columns, c)
			}
		}
		first.set = joined.union(set{})
		out = append(out, first)
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return anyOf(out)
}

// addTo adds a condition to a list; one on a column that the list has is joined with that one.
func addTo(list []condition, c condition, join func(a, b set) set) []condition {
	col, ok := c.(onColumn)
	if !ok {
		return append(list, c)
	}
	for i, have := range list {
		if h, ok := have.(onColumn); ok && h.path.Equal(col.path) {
			h.set = join(h.set, col.set)
			list[i] = h
			return list
		}
	}
	return append(list, c)
}

// mirrored is the operator with its sides changed.
var mirrored = map[expr.CompareOp]expr.CompareOp{
	expr.Eq: expr.Eq, expr.Lt: expr.Gt, expr.Le: expr.Ge, expr.Gt: expr.Lt, expr.Ge: expr.Le, expr.NotDistinct: expr.NotDistinct,
}

// compared is the condition of a comparison between a column and a constant.
func compared(e *expr.Compare) condition {
	c, isCol := e.L.(*expr.Column)
	l, isLit := e.R.(*expr.Literal)
	op := e.Op
	if !isCol || !isLit {
		var ok bool
		if op, ok = mirrored[op]; !ok {
			return nil
		}
		c, isCol = e.R.(*expr.Column)
		l, isLit = e.L.(*expr.Literal)
	}
	if !isCol || !isLit || c.Typ == nil || l.Typ == nil || !supported(c.Typ) {
		return nil
	}
	if l.Value == nil {
		if op == expr.NotDistinct && len(c.Path) == 1 {
			return onColumn{c.Path, c.Typ, set{nulls: true}}
		}
		return nil
	}
	if spans, ok := spansOf(op, c.Typ, l); ok {
		return onColumn{c.Path, c.Typ, set{spans: spans}}
	}
	return nil
}

// spansOf gives the keys of values of type t at which a comparison with a constant may be true; ok is false where that
// can't be told.
func spansOf(op expr.CompareOp, t arrow.DataType, l *expr.Literal) (spans []span, ok bool) {
	if _, ok := mirrored[op]; !ok {
		return nil, false // <> and IS DISTINCT FROM let nearly all pass
	}
	switch k := expr.KindOf(t); k {
	case expr.KindFloat, expr.KindDouble:
		f, ok := l.Value.(float64)
		if !ok {
			return nil, false
		}
		return floatSpans(op, f, k == expr.KindFloat), true
	case expr.KindText:
		s, ok := l.Value.(string)
		return around(op, []byte(s)), ok && expr.KindOf(l.Typ) == expr.KindText
	case expr.KindBlob:
		b, ok := l.Value.([]byte)
		return around(op, append([]byte{}, b...)), ok && expr.KindOf(l.Typ) == expr.KindBlob
	case expr.KindBool:
		b, ok := l.Value.(bool)
		return around(op, boolKey(b)), ok && expr.KindOf(l.Typ) == expr.KindBool
	}
	return wholeSpans(op, t, l)
}

// around gives the span of keys on the side of a key that an operator names. The key is part of it also where the operator
// leaves it out: a span may hold too much.
func around(op expr.CompareOp, key []byte) []span {
	switch op {
	case expr.Lt, expr.Le:
		return []span{{lo: []byte{}, hi: key}}
	case expr.Gt, expr.Ge:
		return []span{{lo: key}}
	}
	return []span{point(key)}
}

// wholeSpans is spansOf for columns of whole numbers of some unit.
func wholeSpans(op expr.CompareOp, t arrow.DataType, l *expr.Literal) ([]span, bool) {
	if key := pointKey(op, t, l); key != nil {
		return []span{point(key)}, true
	}
	w, ok := wholeOf(t)
	if !ok {
		return nil, false
	}
	target, ok := eval.TargetOf(op, t, l)
	if !ok || target.Always {
		return nil, false
	}
	if target.Never {
		return nil, true
	}
	lo, hi := w.min, w.max
	switch target.Op {
	case expr.Eq, expr.NotDistinct:
		lo, hi = target.Value, target.Value
	case expr.Lt:
		hi = new(big.Int).Sub(target.Value, big.NewInt(1))
	case expr.Le:
		hi = target.Value
	case expr.Gt:
		lo = new(big.Int).Add(target.Value, big.NewInt(1))
	case expr.Ge:
		lo = target.Value
	default:
		return nil, false
	}
	if lo.Cmp(w.min) < 0 {
		lo = w.min
	}
	if hi.Cmp(w.max) > 0 {
		hi = w.max
	}
	if lo.Cmp(hi) > 0 {
		return nil, true
	}
	return []span{{w.key(lo), w.key(hi)}}, true
}

// pointKey is the key of the one value that a column of 64 bits equals, where the constant has its type; nil for all else. It
// is what wholeSpans comes to, without the detour over numbers of any size: lists have thousands of them.
func pointKey(op expr.CompareOp, t arrow.DataType, l *expr.Literal) []byte {
	if op != expr.Eq || !arrow.TypeEqual(t, l.Typ) {
		return nil
	}
	switch v := l.Value.(type) {
	case int64:
		if t.ID() == arrow.INT64 || t.ID() == arrow.TIMESTAMP {
			return signedKey(v)
		}
	case uint64:
		if t.ID() == arrow.UINT64 {
			return wordKey(v)
		}
	}
	return nil
}

// floatKeys are the keys of a type of floats that bound its parts.
type floatKeys struct {
	key            func(v float64) []byte // of a float of the type
	lowest, minInf []byte                 // the least key, and that of -inf
	inf, highest   []byte
}

func floatKeysOf(single bool) floatKeys {
	k := floatKeys{key: doubleKey, lowest: make([]byte, 8), highest: bytes.Repeat([]byte{0xff}, 8)}
	if single {
		k = floatKeys{key: func(v float64) []byte { return singleKey(float32(v)) }, lowest: make([]byte, 4), highest: bytes.Repeat([]byte{0xff}, 4)}
	}
	k.minInf, k.inf = k.key(math.Inf(-1)), k.key(math.Inf(1))
	return k
}

// nans gives the spans of NaNs of either sign.
func (k floatKeys) nans() []span {
	return []span{{k.lowest, step(k.minInf, -1)}, {step(k.inf, 1), k.highest}}
}

// step gives the key next to one of a fixed width.
func step(key []byte, by int64) []byte {
	v := new(big.Int).SetBytes(key)
	return v.Add(v, big.NewInt(by)).FillBytes(make([]byte, len(key)))
}

// floatSpans is spansOf for floats: NaN is equal to itself and above all others, and both zeros are one.
// single tells that the column is of 32 or 16 bits: the constant is rounded, which leaves no value on its other side.
func floatSpans(op expr.CompareOp, c float64, single bool) []span {
	k := floatKeysOf(single)
	nans := k.nans()
	if math.IsNaN(c) {
		switch op {
		case expr.Eq, expr.NotDistinct, expr.Ge:
			return nans
		case expr.Lt:
			return []span{{k.minInf, k.inf}}
		case expr.Le:
			return []span{{k.lowest, k.highest}}
		}
		return nil
	}
	lo, hi := c, c
	if c == 0 {
		lo, hi = math.Copysign(0, -1), 0
	}
	switch op {
	case expr.Lt, expr.Le:
		return []span{{k.minInf, k.key(hi)}}
	case expr.Gt, expr.Ge:
		return []span{nans[0], {k.key(lo), k.highest}}
	}
	return []span{{k.key(lo), k.key(hi)}}
}

// likePrefix is the condition that a text starts with what a LIKE pattern starts with.
func likePrefix(e *expr.Like) condition {
	c, isCol := e.X.(*expr.Column)
	l, isLit := e.Pattern.(*expr.Literal)
	if !isCol || !isLit || e.FoldCase || c.Typ == nil || expr.KindOf(c.Typ) != expr.KindText || !supported(c.Typ) {
		return nil
	}
	pattern, ok := l.Value.(string)
	if !ok {
		return nil
	}
	end := strings.IndexAny(pattern, "%_")
	if e.Escape != 0 {
		end = strings.IndexFunc(pattern, func(r rune) bool { return r == '%' || r == '_' || r == e.Escape || r == utf8.RuneError })
	}
	prefix := []byte(pattern)
	if end >= 0 {
		prefix = prefix[:end]
	}
	if len(prefix) == 0 {
		return nil
	}
	return onColumn{c.Path, c.Typ, set{spans: []span{{prefix, behind(prefix)}}}}
}

// behind gives a key that is past all keys that start with a prefix, nil where there is none.
func behind(prefix []byte) []byte {
	out := bytes.Clone(prefix)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] < 0xff {
			out[i]++
			return out[:i+1]
		}
	}
	return nil
}
