package lanceio

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// spans is a set of numbers: runs that ascend, do not overlap and do not touch.
type spans []table.Span

// allNumbers is the set of all numbers.
func allNumbers() spans { return spans{{First: 0, Last: math.MaxUint64}} }

// all tells whether every number is in the set.
func (s spans) all() bool { return len(s) == 1 && s[0] == allNumbers()[0] }

// has tells whether a number is in the set.
func (s spans) has(n uint64) bool { return len(s.within(n, n)) > 0 }

// within gives the part of the set from first to last, both included.
func (s spans) within(first, last uint64) spans {
	from, _ := slices.BinarySearchFunc(s, first, func(p table.Span, n uint64) int { return cmp.Compare(p.Last, n) })
	to := from
	for to < len(s) && s[to].First <= last {
		to++
	}
	if from == to {
		return nil
	}
	out := slices.Clone(s[from:to])
	out[0].First = max(out[0].First, first)
	out[len(out)-1].Last = min(out[len(out)-1].Last, last)
	return out
}

func (s spans) intersect(o spans) spans {
	if len(s) > len(o) {
		s, o = o, s
	}
	var out spans
	for _, p := range s {
		out = append(out, o.within(p.First, p.Last)...)
	}
	return out
}

// union gives the set of the numbers of several runs in any order.
func union(runs spans) spans {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b table.Span) int { return cmp.Compare(a.First, b.First) })
	var out spans
	for _, p := range runs {
		if n := len(out) - 1; n >= 0 && (out[n].Last == math.MaxUint64 || p.First <= out[n].Last+1) {
			out[n].Last = max(out[n].Last, p.Last)
			continue
		}
		out = append(out, p)
	}
	return out
}

// spansOf gives a set that holds every value of a special column at which a bound predicate can be true. What is not
// understood can be true anywhere.
func spansOf(e expr.Expr, column string) spans {
	switch e := e.(type) {
	case *expr.Logical:
		if e.Op == expr.Or {
			var any spans
			for _, a := range e.Args {
				any = append(any, spansOf(a, column)...)
			}
			return union(any)
		}
		out := allNumbers()
		for _, a := range e.Args {
			out = out.intersect(spansOf(a, column))
		}
		return out
	case *expr.Compare:
		switch {
		case isColumn(e.L, column):
			return compared(e.Op, e.R)
		case isColumn(e.R, column):
			if op, ok := mirrored[e.Op]; ok {
				return compared(op, e.L)
			}
		}
	case *expr.Between:
		if isColumn(e.X, column) {
			return compared(expr.Ge, e.Lo).intersect(compared(expr.Le, e.Hi))
		}
	case *expr.In:
		if isColumn(e.X, column) {
			var any spans
			for _, x := range e.List {
				any = append(any, compared(expr.Eq, x)...)
			}
			return union(any)
		}
	}
	return allNumbers()
}

func isColumn(e expr.Expr, name string) bool {
	c, ok := e.(*expr.Column)
	return ok && len(c.Path) == 1 && c.Path[0] == name
}

// mirrored gives the operator with its sides exchanged.
var mirrored = map[expr.CompareOp]expr.CompareOp{
	expr.Eq: expr.Eq, expr.Lt: expr.Gt, expr.Le: expr.Ge, expr.Gt: expr.Lt, expr.Ge: expr.Le, expr.NotDistinct: expr.NotDistinct,
}

// compared gives the numbers n for which n op x is true; all where that is not understood.
func compared(op expr.CompareOp, x expr.Expr) spans {
	l, ok := x.(*expr.Literal)
	if !ok {
		return allNumbers()
	}
	if l.Value == nil { // a special column is never null
		if op == expr.Distinct {
			return allNumbers()
		}
		return nil
	}
	unscaled, scale, ok := expr.Exact(l.Value, l.Typ)
	if !ok || scale < 0 {
		return allNumbers()
	}
	// The literal lies at floor, or between floor and floor + 1.
	floor, rest := new(big.Int).DivMod(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil), new(big.Int))
	above := new(big.Int).Add(floor, big.NewInt(1))
	below := new(big.Int).Sub(floor, big.NewInt(1))
	whole := rest.Sign() == 0
	switch op {
	case expr.Eq, expr.NotDistinct:
		if !whole {
			return nil
		}
		return fromTo(floor, floor)
	case expr.Lt:
		if !whole {
			return fromTo(nil, floor)
		}
		return fromTo(nil, below)
	case expr.Le:
		return fromTo(nil, floor)
	case expr.Gt:
		return fromTo(above, nil)
	case expr.Ge:
		if !whole {
			return fromTo(above, nil)
		}
		return fromTo(floor, nil)
	}
	return allNumbers()
}

// fromTo gives the unsigned numbers of 64 bits from first to last, both included; nil is no bound.
func fromTo(first, last *big.Int) spans {
	out := allNumbers()[0]
	if first != nil && first.Sign() > 0 {
		if !first.IsUint64() {
			return nil
		}
		out.First = first.Uint64()
	}
	if last != nil {
		if last.Sign() < 0 {
			return nil
		}
		if last.IsUint64() {
			out.Last = last.Uint64()
		}
	}
	if out.First > out.Last {
		return nil
	}
	return spans{out}
}
