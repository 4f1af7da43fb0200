// Package statsrewrite gives a predicate on values its meaning in WHERE: each part that reads `<variable>.values`
// becomes a test on the row's stats, or keeps all rows where it has no form. It is pure: no I/O, no state, no batches.
//
// The walk over a bound predicate (Source: docs/reference.md, 'Filters on values'):
//
//	part that reads no values    stands as it is
//	AND                          sides that keep all go away
//	OR                           keeps all as soon as one side does
//	form of forms.go             an expr.StatsTest
//	anything else                keeps all (NOT, <>, arithmetic on values, IS NULL, CASE, ...)
//
// "Keeps all" is no truth value: it is never negated or combined, it only disappears.
package statsrewrite

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
)

// Vars finds the variable that a column of a relation is. Column names are as the bound tree spells them.
type Vars func(rel int, column string) (ndarray.Variable, bool)

// Reason tells why a part keeps all rows.
type Reason struct {
	Part expr.Expr
	Why  string
}

// Result is a rewritten predicate.
type Result struct {
	// Test is the predicate with each values part replaced; nil where all rows are kept.
	Test expr.Expr
	// Reasons has an entry for each part that went away.
	Reasons []Reason
}

// Rewrite rewrites a bound predicate. A predicate that reads no values comes back as it is.
func Rewrite(pred expr.Expr, vars Vars) Result {
	if pred == nil {
		return Result{}
	}
	w := &walker{vars: vars}
	return Result{Test: w.walk(pred), Reasons: w.reasons}
}

// Uses tells whether e reads some variable's values: `<variable>.values` itself or the variable as a whole, other than
// to ask whether it is null. any_match and all_match are exact and don't count.
func Uses(e expr.Expr, vars Vars) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Match, *expr.StatsTest, *expr.StatsState:
			return false
		case *expr.IsNull:
			if c, ok := e.X.(*expr.Column); ok && len(c.Path) == 1 {
				return false
			}
		case *expr.Column:
			_, _, values := valuesColumn(e, vars)
			found = found || values
		}
		return !found
	})
	return found
}

// valuesColumn finds the variable of a column; whole tells that the column is the variable itself, and reads that it
// includes its values.
func valuesColumn(c *expr.Column, vars Vars) (v ndarray.Variable, exact, reads bool) {
	if len(c.Path) == 0 {
		return v, false, false
	}
	v, ok := vars(c.Rel, c.Path[0])
	if !ok {
		return v, false, false
	}
	isValues := len(c.Path) >= 2 && c.Path[1] == ndarray.ValuesField
	return v, isValues && len(c.Path) == 2, isValues || len(c.Path) == 1
}

type walker struct {
	vars    Vars
	reasons []Reason
}

// walk gives the rewritten predicate, nil where it keeps all rows.
func (w *walker) walk(e expr.Expr) expr.Expr {
	if !Uses(e, w.vars) {
		return e
	}
	if l, ok := e.(*expr.Logical); ok {
		return w.logical(l)
	}
	f, why := formOf(e, w.isValues, w.readsValues)
	if why != "" {
		return w.keepAll(e, why)
	}
	v, _, _ := valuesColumn(f.column, w.vars)
	if !v.StatsUsable() {
		if v.Stats == "" {
			return w.keepAll(e, "the table has no stats of "+v.Name)
		}
		return w.keepAll(e, "the stats of "+v.Name+" are of another type than its values")
	}
	test, err := f.test(v)
	if err != nil {
		return w.keepAll(e, err.Error())
	}
	return &expr.StatsTest{Rel: f.column.Rel, Variable: expr.FieldPath{v.Name}, Stats: expr.FieldPath{v.Stats}, Test: test, Part: e}
}

func (w *walker) logical(l *expr.Logical) expr.Expr {
	parts := make([]expr.Expr, 0, len(l.Args))
	lost := false
	for _, a := range l.Args {
		p := w.walk(a)
		if p == nil {
			lost = true
			continue
		}
		parts = append(parts, p)
	}
	if l.Op == expr.Or {
		if lost {
			return nil
		}
		return expr.AnyOf(parts...)
	}
	return expr.AllOf(parts...)
}

func (w *walker) keepAll(part expr.Expr, why string) expr.Expr {
	w.reasons = append(w.reasons, Reason{Part: part, Why: why})
	return nil
}

func (w *walker) isValues(e expr.Expr) (*expr.Column, bool) {
	c, ok := e.(*expr.Column)
	if !ok {
		return nil, false
	}
	_, exact, _ := valuesColumn(c, w.vars)
	return c, exact
}

func (w *walker) readsValues(e expr.Expr) bool { return Uses(e, w.vars) }
