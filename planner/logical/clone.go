package logical

import (
	"slices"

	"github.com/lanceflight/flightsrv/expr"
)

// Clone gives a copy of a query that shares nothing that a rule may change: subqueries in expressions are copied too,
// expressions themselves are immutable.
func Clone(q *Query) *Query { return MapExprs(q, func(e expr.Expr) expr.Expr { return e }) }

// MapExprs gives a copy of a query with f applied to every expression as a whole, after the subqueries in it were
// copied in the same way.
func MapExprs(q *Query, f func(expr.Expr) expr.Expr) *Query {
	c := &cloner{ctes: map[*CTE]*CTE{}, subs: map[*Query]*Query{}, f: f}
	return c.query(q)
}

// MapResidual is MapExprs for what stands above the scans: their filters stay as they are.
func MapResidual(q *Query, f func(expr.Expr) expr.Expr) *Query {
	c := &cloner{ctes: map[*CTE]*CTE{}, subs: map[*Query]*Query{}, f: f, above: true}
	return c.query(q)
}

type cloner struct {
	ctes  map[*CTE]*CTE
	subs  map[*Query]*Query // subqueries in expressions: one that stands in two places stays one
	f     func(expr.Expr) expr.Expr
	above bool         // leave the scans' filters alone
	seen  map[int]bool // where set: the relations that stand in what is copied
}

func (c *cloner) query(q *Query) *Query {
	out := &Query{Recursive: q.Recursive, Fence: q.Fence, Percent: q.Percent, Cols: slices.Clone(q.Cols)}
	for _, t := range q.CTEs {
		out.CTEs = append(out.CTEs, c.cte(t))
	}
	out.Body = c.body(q.Body)
	out.OrderBy = c.keys(q.OrderBy)
	out.Limit, out.Offset = c.expr(q.Limit), c.expr(q.Offset)
	return out
}

func (c *cloner) cte(t *CTE) *CTE {
	if done, ok := c.ctes[t]; ok {
		return done
	}
	out := &CTE{ID: t.ID, Name: t.Name, Recursive: t.Recursive}
	c.ctes[t] = out // before its query, which may read it
	out.Query = c.query(t.Query)
	return out
}

func (c *cloner) body(b Body) Body {
	switch b := b.(type) {
	case *Query:
		return c.query(b)
	case *SetOp:
		return &SetOp{Op: b.Op, All: b.All, L: c.query(b.L), R: c.query(b.R)}
	case *Values:
		out := &Values{}
		for _, r := range b.Rows {
			out.Rows = append(out.Rows, c.exprs(r))
		}
		return out
	case *Select:
		return c.sel(b)
	}
	return b
}

func (c *cloner) sel(s *Select) *Select {
	out := &Select{Distinct: s.Distinct, GroupAll: s.GroupAll, From: c.from(s.From)}
	out.DistinctOn = c.exprs(s.DistinctOn)
	for _, it := range s.Items {
		out.Items = append(out.Items, Item{Name: it.Name, Expr: c.expr(it.Expr), from: it.from})
	}
	out.Where = c.expr(s.Where)
	for _, g := range s.GroupBy {
		n := Group{Kind: g.Kind}
		for _, set := range g.Sets {
			n.Sets = append(n.Sets, c.exprs(set))
		}
		out.GroupBy = append(out.GroupBy, n)
	}
	out.Having, out.Qualify = c.expr(s.Having), c.expr(s.Qualify)
	if s.Counted != nil {
		out.Counted = c.from(s.Counted).(*Scan)
	}
	return out
}

func (c *cloner) from(f From) From {
	if c.seen != nil && f != nil {
		c.seen[RelOf(f)] = true
	}
	switch f := f.(type) {
	case *Scan:
		out := *f
		out.Paths, out.Cover = slices.Clone(f.Paths), slices.Clone(f.Cover)
		out.Special = slices.Clone(f.Special)
		out.Computed = slices.Clone(f.Computed)
		if c.above {
			return &out
		}
		for i, x := range out.Computed {
			out.Computed[i].Expr = c.expr(x.Expr)
		}
		out.StatsFilter, out.Filter = c.expr(f.StatsFilter), c.expr(f.Filter)
		return &out
	case *Join:
		return &Join{Kind: f.Kind, Asof: f.Asof, Lateral: f.Lateral, L: c.from(f.L), R: c.from(f.R), On: c.expr(f.On)}
	case *Summary:
		return &Summary{Rel: f.Rel, Word: f.Word, Query: c.query(f.Query), Names: f.Names}
	case *Sampled:
		out := *f
		out.From = c.from(f.From)
		return &out
	case *Derived:
		return &Derived{Rel: f.Rel, Alias: f.Alias, Query: c.query(f.Query), Lateral: f.Lateral, Names: f.Names}
	case *CTERef:
		out := *f
		if fresh, ok := c.ctes[f.CTE]; ok { // else its WITH stands around what is copied
			out.CTE = fresh
		}
		return &out
	case *TableFunc:
		return &TableFunc{Rel: f.Rel, Name: f.Name, Args: c.exprs(f.Args), Ordinality: f.Ordinality, Cols: f.Cols}
	}
	return nil
}

func (c *cloner) keys(keys []expr.SortKey) []expr.SortKey {
	var out []expr.SortKey
	for _, k := range keys {
		k.X = c.expr(k.X)
		out = append(out, k)
	}
	return out
}

func (c *cloner) exprs(es []expr.Expr) []expr.Expr {
	if es == nil {
		return nil
	}
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = c.expr(e)
	}
	return out
}

func (c *cloner) expr(e expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	e = mapNodes(e, func(n expr.Expr) expr.Expr {
		s, ok := n.(*expr.Subquery)
		if !ok {
			return n
		}
		q, ok := s.Query.(*Query)
		if !ok {
			return n
		}
		if c.subs[q] == nil {
			c.subs[q] = c.query(q)
		}
		return &expr.Subquery{Kind: s.Kind, Operand: s.Operand, Op: s.Op, Query: c.subs[q], Typ: s.Typ}
	})
	return c.f(e)
}

// mapNodes is expr.Rewrite for functions that can't fail.
func mapNodes(e expr.Expr, f func(expr.Expr) expr.Expr) expr.Expr {
	out, _, _ := expr.Rewrite(e, func(n expr.Expr) (expr.Expr, error) { return f(n), nil })
	return out
}

// MapNodes gives e with f applied to every node, operands first. Subqueries count as leaves.
func MapNodes(e expr.Expr, f func(expr.Expr) expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	return mapNodes(e, f)
}
