package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// pushLimit gives a scan the LIMIT and OFFSET of its block where nothing stands between: no condition that the scan
// didn't take, no grouping, sorting or rows made by unnest.
func pushLimit(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		eachSelect(q, func(q *logical.Query, sel *logical.Select) {
			s, ok := sel.From.(*logical.Scan)
			if !ok || sel.Where != nil || len(q.OrderBy) > 0 || !sel.IsPlain() || s.Limit >= 0 || s.Offset > 0 {
				return
			}
			limit, ok1 := count(q.Limit, -1)
			offset, ok2 := count(q.Offset, 0)
			if !ok1 || !ok2 || limit < 0 && offset == 0 {
				return
			}
			s.Limit, s.Offset = limit, offset
			q.Limit, q.Offset = nil, nil
			changed = true
		})
		return changed
	})
}

// count reads a constant LIMIT or OFFSET; none where there is nothing.
func count(e expr.Expr, none int64) (int64, bool) {
	if e == nil {
		return none, true
	}
	l, ok := e.(*expr.Literal)
	if !ok {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok && expr.KindOf(l.Typ) == expr.KindInt && n >= 0
}
