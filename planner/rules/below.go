package rules

import (
	"slices"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// below gives what stands for an output column of a query in its block, where a comparison of the column with constants
// keeps the same rows in the block's WHERE as above the query: where the block only filters, or unnests other columns, where it groups by the
// column, or puts equal rows together, and where each window is one of the column's values. nil otherwise.
func below(q *logical.Query, key string) (*logical.Select, expr.Expr) {
	sel, ok := q.Body.(*logical.Select)
	if !ok || len(q.CTEs) > 0 || q.Limit != nil || q.Offset != nil || q.Fence || sel.From == nil || len(sel.DistinctOn) > 0 {
		return nil, nil
	}
	i := slices.IndexFunc(q.Cols, func(c logical.Col) bool { return c.Key == key })
	if i < 0 || i >= len(sel.Items) {
		return nil, nil
	}
	item := sel.Items[i].Expr
	if !movable(item) || expr.Has(item, canFail) || sel.Aggregated() && !isGroupKey(sel, item) || !ownColumns(sel, item) {
		return nil, nil
	}
	for _, e := range append(sel.Exprs(), keyExprs(q.OrderBy)...) {
		if expr.Has(e, func(e expr.Expr) bool { return cutsAcross(e, item) }) {
			return nil, nil
		}
	}
	return sel, item
}

// cutsAcross tells of a node whether it sees rows of several values of the item at once.
func cutsAcross(e, item expr.Expr) bool {
	w, ok := e.(*expr.Window)
	return ok && !slices.ContainsFunc(w.Partition, func(p expr.Expr) bool { return expr.Equal(p, item) })
}

// isGroupKey tells whether a block has a group for each value of an expression, and no groups across.
func isGroupKey(sel *logical.Select, item expr.Expr) bool {
	if sel.GroupAll {
		return true // of what holds no aggregate
	}
	is := false
	for _, g := range sel.GroupBy {
		if g.Kind != "" {
			return false
		}
		is = is || expr.Equal(g.Sets[0][0], item)
	}
	return is
}

func keyExprs(keys []expr.SortKey) []expr.Expr {
	out := make([]expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.X
	}
	return out
}

// ownColumns tells whether an expression reads columns of the block, and no others.
func ownColumns(sel *logical.Select, e expr.Expr) bool {
	own, cols := logical.RelIDs(sel.From), expr.Columns(e)
	return len(cols) > 0 && !slices.ContainsFunc(cols, func(c expr.Column) bool { return !own[c.Rel] })
}

// pushGroups moves conjuncts of WHERE and ON that compare a subquery's column with constants into the subquery, and such
// ones of HAVING to the block's own WHERE.
func pushGroups(sel *logical.Select) bool {
	changed := pushHaving(sel)
	where, moved := intoSubqueries(sel.Where, reach(sel.From))
	sel.Where, changed = where, changed || moved
	logical.WalkFrom(sel.From, func(f logical.From) {
		j, ok := f.(*logical.Join)
		if !ok || j.On == nil {
			return
		}
		if on, moved := intoSubqueries(j.On, joinTargets(j)); moved {
			j.On, changed = on, true
			if on == nil {
				j.On = expr.Bool(true)
			}
		}
	})
	return changed
}

// intoSubqueries gives what is left of a condition when the subqueries took theirs.
func intoSubqueries(cond expr.Expr, targets map[int]logical.From) (rest expr.Expr, moved bool) {
	var keep []expr.Expr
	for _, c := range expr.Conjuncts(cond) {
		col := comparedColumn(c)
		if col != nil && intoSubquery(targets[col.Rel], col, c) {
			moved = true
		} else {
			keep = append(keep, c)
		}
	}
	if !moved {
		return cond, false
	}
	return expr.AllOf(keep...), true
}

func intoSubquery(f logical.From, col *expr.Column, c expr.Expr) bool {
	d, ok := f.(*logical.Derived)
	if !ok {
		return false
	}
	inner, _ := below(d.Query, col.Path[0])
	if inner == nil {
		return false
	}
	inner.Where = expr.AllOf(inner.Where, substitution(d, inner).Expr(c))
	return true
}

func pushHaving(sel *logical.Select) bool {
	if sel.From == nil || sel.Having == nil {
		return false
	}
	var keep, moved []expr.Expr
	for _, c := range expr.Conjuncts(sel.Having) {
		if col := comparedColumn(c); col != nil && !sel.GroupAll && isGroupKey(sel, col) && ownColumns(sel, col) {
			moved = append(moved, c)
		} else {
			keep = append(keep, c)
		}
	}
	if len(moved) == 0 {
		return false
	}
	sel.Having = expr.AllOf(keep...)
	sel.Where = expr.AllOf(append([]expr.Expr{sel.Where}, moved...)...)
	return true
}
