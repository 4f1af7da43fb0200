package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// splitStats parts a scan's filter: conjuncts with a stats test in them stand in StatsFilter, all others in Filter.
func splitStats(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		eachScan(q, func(s *logical.Scan) {
			stats, exact := Split(s.Filter)
			if stats == nil {
				return
			}
			s.StatsFilter, s.Filter = expr.AllOf(s.StatsFilter, stats), exact
			changed = true
		})
		return changed
	})
}

// Split parts a condition into the conjuncts that hold a stats test and all others; nil for none.
func Split(cond expr.Expr) (stats, exact expr.Expr) {
	var with, without []expr.Expr
	for _, c := range expr.Conjuncts(cond) {
		if hasTest(c) {
			with = append(with, c)
		} else {
			without = append(without, c)
		}
	}
	return expr.AllOf(with...), expr.AllOf(without...)
}

func hasTest(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool { _, ok := e.(*expr.StatsTest); return ok })
}

// eachScan visits the scans of a query and all below it.
func eachScan(q *logical.Query, visit func(*logical.Scan)) {
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
		logical.WalkFrom(sel.From, func(f logical.From) {
			if s, ok := f.(*logical.Scan); ok {
				visit(s)
			}
		})
	})
}
