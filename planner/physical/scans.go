package physical

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// walkScans visits the scans of a query in the order in which they stand in the statement: those of a block's FROM
// before those of subqueries in its expressions. reread tells that the scan stands in the step of a recursive CTE.
func walkScans(q *logical.Query, visit func(s *logical.Scan, reread bool)) {
	w := &scanWalk{visit: visit, ctes: map[*logical.CTE]bool{}}
	w.query(q, false)
}

type scanWalk struct {
	visit func(*logical.Scan, bool)
	ctes  map[*logical.CTE]bool
}

func (w *scanWalk) query(q *logical.Query, reread bool) {
	for _, c := range q.CTEs {
		w.cte(c, reread)
	}
	switch b := q.Body.(type) {
	case *logical.Query:
		w.query(b, reread)
	case *logical.SetOp:
		w.query(b.L, reread)
		w.query(b.R, reread)
	case *logical.Values:
		for _, r := range b.Rows {
			w.exprs(r, reread)
		}
	case *logical.Select:
		w.sel(b, reread)
	}
	for _, k := range q.OrderBy {
		w.exprs([]expr.Expr{k.X}, reread)
	}
	w.exprs([]expr.Expr{q.Limit, q.Offset}, reread)
}

func (w *scanWalk) cte(c *logical.CTE, reread bool) {
	if w.ctes[c] {
		return
	}
	w.ctes[c] = true
	if op, ok := c.Query.Body.(*logical.SetOp); ok && c.Recursive {
		w.query(op.L, reread)
		w.query(op.R, true)
		return
	}
	w.query(c.Query, reread)
}

func (w *scanWalk) sel(s *logical.Select, reread bool) {
	if s.Counted != nil {
		w.visit(s.Counted, reread)
	}
	logical.WalkFrom(s.From, func(f logical.From) {
		switch f := f.(type) {
		case *logical.Scan:
			w.visit(f, reread)
		case *logical.Derived:
			w.query(f.Query, reread)
		case *logical.Summary:
			w.query(f.Query, reread)
		case *logical.CTERef:
			w.cte(f.CTE, reread)
		}
	})
	w.exprs(s.Exprs(), reread)
}

func (w *scanWalk) exprs(es []expr.Expr, reread bool) {
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok {
				if q, ok := s.Query.(*logical.Query); ok {
					w.query(q, reread)
				}
			}
			return true
		})
	}
}
