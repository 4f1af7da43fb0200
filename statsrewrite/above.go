package statsrewrite

import "github.com/lanceflight/flightsrv/expr"

// Foreign tells whether a test reads a column of another relation than its variable's, so that it can't be computed by
// the variable's scan.
func Foreign(t *expr.StatsTest) bool {
	for _, c := range expr.Columns(t.Test) {
		if c.Rel != t.Rel {
			return true
		}
	}
	return expr.Has(t.Test, func(e expr.Expr) bool { _, ok := e.(*expr.Subquery); return ok })
}

// StateOf gives the state that the variable's scan computes per row for a test that is built above it.
func StateOf(t *expr.StatsTest) *expr.StatsState {
	return &expr.StatsState{Rel: t.Rel, Variable: t.Variable, Stats: t.Stats}
}

// Above gives the test as a plain predicate over columns that the scan hands up: state for StateOf, lo and hi for the
// stats' min and max.
func Above(t *expr.StatsTest, state, lo, hi expr.Expr) (expr.Expr, error) {
	test, _, err := expr.Rewrite(t.Test, func(e expr.Expr) (expr.Expr, error) {
		c, ok := e.(*expr.Column)
		if !ok || c.Rel != t.Rel {
			return e, nil
		}
		switch {
		case c.Path.Equal(t.Stats.Child(string(low))):
			return lo, nil
		case c.Path.Equal(t.Stats.Child(string(high))):
			return hi, nil
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	is := func(v int64) expr.Expr { return expr.Cmp(expr.Eq, state, expr.Int(v)) }
	return &expr.Case{
		Whens: []expr.When{
			{Cond: is(expr.StateLacks), Then: expr.Bool(false)},
			{Cond: is(expr.StateKeep), Then: expr.Bool(true)},
		},
		Else: &expr.IsTruth{X: test, Value: true},
		Typ:  expr.Bool(true).Typ,
	}, nil
}
