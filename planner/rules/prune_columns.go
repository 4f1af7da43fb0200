package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// pruneColumns puts NULL for what a subquery in FROM or a CTE computes and nobody reads, so that its tables aren't read
// for it. Columns stay in place: only blocks whose rows don't depend on their columns are touched (no DISTINCT, no set
// operation but UNION ALL, no GROUP BY ALL), and aggregates stay, since they make the block one row.
func pruneColumns(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		p := &pruner{}
		p.visit(q, true)
		return p.changed
	})
}

type pruner struct{ changed bool }

// visit prunes below q. Blocks are worked from the outside in, so that what one no longer reads is known inside.
func (p *pruner) visit(q *logical.Query, _ bool) {
	for {
		used := usedKeys(q)
		before := p.changed
		p.changed = false
		eachQuery(q, func(q *logical.Query) {
			sel, ok := q.Body.(*logical.Select)
			if !ok {
				return
			}
			logical.WalkFrom(sel.From, func(f logical.From) {
				if d, ok := f.(*logical.Derived); ok {
					p.query(d.Query, used[d.Rel])
				}
			})
			for _, c := range q.CTEs {
				if !c.Recursive {
					p.query(c.Query, used[-c.ID-1])
				}
			}
			p.exists(sel)
		})
		again := p.changed
		p.changed = p.changed || before
		if !again {
			return
		}
	}
}

// exists takes away what EXISTS subqueries select.
func (p *pruner) exists(sel *logical.Select) {
	for _, e := range sel.Exprs() {
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok && s.Kind == expr.ExistsSubquery {
				if q, ok := s.Query.(*logical.Query); ok {
					p.query(q, map[string]bool{})
				}
			}
			return true
		})
	}
}

// usedKeys are the columns that are read of each relation; those of a CTE stand under -ID-1, for all its references.
func usedKeys(q *logical.Query) map[int]map[string]bool {
	out := map[int]map[string]bool{}
	add := func(rel int, key string) {
		if out[rel] == nil {
			out[rel] = map[string]bool{}
		}
		out[rel][key] = true
	}
	eachQuery(q, func(q *logical.Query) {
		for _, e := range exprsOf(q) {
			for _, c := range expr.Columns(e) {
				add(c.Rel, c.Path[0])
			}
		}
	})
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
		logical.WalkFrom(sel.From, func(f logical.From) {
			if r, ok := f.(*logical.CTERef); ok {
				for k := range out[r.Rel] {
					add(-r.CTE.ID-1, k)
				}
			}
		})
	})
	return out
}

// exprsOf are the expressions that stand directly in a query.
func exprsOf(q *logical.Query) []expr.Expr {
	var out []expr.Expr
	switch b := q.Body.(type) {
	case *logical.Select:
		out = b.Exprs()
	case *logical.Values:
		for _, r := range b.Rows {
			out = append(out, r...)
		}
	}
	for _, k := range q.OrderBy {
		out = append(out, k.X)
	}
	for _, e := range []expr.Expr{q.Limit, q.Offset} {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

func (p *pruner) query(q *logical.Query, used map[string]bool) {
	keep := make([]bool, len(q.Cols))
	for i, c := range q.Cols {
		keep[i] = used[c.Key]
	}
	for _, k := range q.OrderBy {
		for _, c := range expr.Columns(k.X) {
			for i, col := range q.Cols {
				if c.Rel == logical.OutputRel && col.Key == c.Path[0] {
					keep[i] = true
				}
			}
		}
	}
	p.body(q.Body, keep)
}

func (p *pruner) body(b logical.Body, keep []bool) {
	switch b := b.(type) {
	case *logical.SetOp:
		if b.Op == "UNION" && b.All && canDrop(b.L) && canDrop(b.R) {
			p.body(b.L.Body, keep)
			p.body(b.R.Body, keep)
		}
	case *logical.Select:
		if b.Distinct || b.GroupAll || len(b.DistinctOn) > 0 {
			return
		}
		for i, it := range b.Items {
			if keep[i] || !movable(it.Expr) {
				continue
			}
			if _, done := it.Expr.(*expr.Literal); done {
				continue
			}
			b.Items[i].Expr = expr.Null()
			p.changed = true
		}
	}
}

// canDrop tells whether a branch's columns may be pruned: its ORDER BY, if any, must not read its output.
func canDrop(q *logical.Query) bool {
	for _, k := range q.OrderBy {
		for _, c := range expr.Columns(k.X) {
			if c.Rel == logical.OutputRel {
				return false
			}
		}
	}
	return true
}
