package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// countRows answers count(*) and count(1) over a whole table from the version's metadata. The table stays in the plan, as one that
// is not read.
func countRows(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
			s, ok := sel.From.(*logical.Scan)
			if !ok || !countsOnly(sel) || s.Filter != nil || s.StatsFilter != nil || s.Limit >= 0 || s.Offset > 0 || s.Source.Rows() < 0 {
				return
			}
			rows := &expr.Literal{Value: s.Source.Rows(), Typ: (&expr.Literal{Typ: int64Type}).Typ}
			for i, it := range sel.Items {
				sel.Items[i].Expr = logical.MapNodes(it.Expr, func(e expr.Expr) expr.Expr {
					if isCountStar(e) {
						return rows
					}
					return e
				})
			}
			sel.From, sel.Counted = nil, s
			changed = true
		})
		return changed
	})
}

// isCountStar tells of count(*), and of count over a constant that is not null, which is the same.
func isCountStar(e expr.Expr) bool {
	a, ok := e.(*expr.Aggregate)
	if !ok || a.Name != "count" && a.Name != "count_star" || a.Distinct || a.Filter != nil || len(a.Args) > 1 {
		return false
	}
	if len(a.Args) == 0 {
		return true
	}
	l, ok := a.Args[0].(*expr.Literal)
	return ok && l.Value != nil
}

// countsOnly tells whether a block gives one row of count(*)s and what is made of them.
func countsOnly(sel *logical.Select) bool {
	if sel.Where != nil || len(sel.GroupBy) > 0 || sel.GroupAll || sel.Having != nil || sel.Qualify != nil || len(sel.DistinctOn) > 0 {
		return false
	}
	counts := false
	for _, it := range sel.Items {
		if logical.IsVolatile(it.Expr) || len(expr.Columns(it.Expr)) > 0 {
			return false
		}
		bad := expr.Has(it.Expr, func(e expr.Expr) bool {
			counts = counts || isCountStar(e)
			switch e.(type) {
			case *expr.Aggregate:
				return !isCountStar(e)
			case *expr.Window, *expr.Subquery:
				return true
			}
			return false
		})
		if bad {
			return false
		}
	}
	return counts
}
