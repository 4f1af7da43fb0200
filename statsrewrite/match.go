package statsrewrite

import (
	"slices"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
)

// Skip gives a stats test that every row passes for which the match is true, so that the match need not be evaluated
// on the others; nil where there is none. It stands beside the match as one more conjunct and never replaces it: rows
// that it keeps may still fail, and it may not be put under NOT or OR.
//
// The table of forms serves here too: a row with a counting value that satisfies P passes the test of P's form, a row
// whose bounds are null is kept, and a row that lacks the variable, for which the match is NULL, is not.
func Skip(m *expr.Match, vars Vars) expr.Expr {
	rel := matchRel(m)
	if len(m.Path) != 2 || m.Path[1] != ndarray.ValuesField {
		return nil
	}
	v, ok := vars(rel, m.Path[0])
	if !ok || !v.StatsUsable() {
		return nil
	}
	test := skipTest(m.Pred, m, v)
	if test == nil {
		return nil
	}
	return &expr.StatsTest{Rel: rel, Variable: expr.FieldPath{v.Name}, Stats: expr.FieldPath{v.Stats}, Test: test, Part: m}
}

func matchRel(m *expr.Match) int {
	rel := 0
	expr.Walk(m.Pred, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok && c.Path.Equal(m.Path) {
			rel = c.Rel
		}
		return true
	})
	return rel
}

// skipTest gives what the stats of a row say when some counting value satisfies p; nil for nothing.
func skipTest(p expr.Expr, m *expr.Match, v ndarray.Variable) expr.Expr {
	isElem := func(e expr.Expr) (*expr.Column, bool) {
		c, ok := e.(*expr.Column)
		return c, ok && c.Path.Equal(m.Path)
	}
	reads := func(e expr.Expr) bool {
		return expr.Has(e, func(e expr.Expr) bool { _, ok := isElem(e); return ok })
	}
	if l, ok := p.(*expr.Logical); ok {
		parts := make([]expr.Expr, len(l.Args))
		for i, a := range l.Args {
			parts[i] = skipTest(a, m, v)
		}
		if l.Op == expr.Or {
			if slices.Contains(parts, nil) {
				return nil
			}
			return expr.AnyOf(parts...)
		}
		return expr.AllOf(parts...)
	}
	f, why := formOf(p, isElem, reads)
	if why != "" {
		return nil
	}
	test, err := f.test(v)
	if err != nil {
		return nil
	}
	return test
}
