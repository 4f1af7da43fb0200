package rules

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// pushFilter moves conjuncts over one table's columns to its scan, where that can compute them: from WHERE, from the ON
// of inner and semi joins, and from the ON of an outer or anti join to the side whose rows it only looks for. A conjunct
// never crosses an outer join from above to the null-filled side, nor a limit, and grouping, DISTINCT and windows only
// where it compares what they group by (below). A conjunct over a UNION goes into each of its branches first.
func pushFilter(env Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		var all []*logical.Query
		eachQuery(q, func(q *logical.Query) { all = append(all, q) })
		for i := len(all) - 1; i >= 0; i-- { // outer ones first: what arrives in a branch goes on from there
			if sel, ok := all[i].Body.(*logical.Select); ok {
				changed = pushGroups(sel) || changed
				changed = pushUnions(sel) || changed
			}
		}
		for _, q := range all {
			if sel, ok := q.Body.(*logical.Select); ok {
				changed = pushBlock(env, sel) || changed
			}
		}
		eachScan(q, func(s *logical.Scan) { s.Filter = safeFirst(s.Filter) })
		return changed
	})
}

func pushBlock(env Env, sel *logical.Select) bool {
	if sel.From == nil {
		return false
	}
	before := sel.Where
	sel.Where = pushConds(env, sel.Where, reach(sel.From), soleScan(sel.From))
	changed := before != sel.Where
	logical.WalkFrom(sel.From, func(f logical.From) {
		j, ok := f.(*logical.Join)
		if !ok || j.On == nil {
			return
		}
		on := j.On
		if j.On = pushConds(env, on, joinTargets(j), nil); j.On == nil {
			j.On = expr.Bool(true)
		}
		changed = changed || !expr.Equal(on, j.On)
	})
	return changed
}

// safeFirst puts the conjuncts that can't fail before those that can (casts, arithmetic that overflows, functions): these
// are computed only for the rows that are left, so that no row which other conjuncts rule out makes the query fail.
func safeFirst(cond expr.Expr) expr.Expr {
	var safe, risky []expr.Expr
	for _, c := range expr.Conjuncts(cond) {
		if expr.Has(c, canFail) {
			risky = append(risky, c)
		} else {
			safe = append(safe, c)
		}
	}
	if len(safe) == 0 || len(risky) == 0 {
		return cond
	}
	return expr.AllOf(append(safe, risky...)...)
}

func canFail(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Cast:
		return !e.Try
	case *expr.Arith, *expr.Neg, *expr.Call:
		return true
	}
	return false
}

func merge(dst, src map[int]logical.From) {
	for k, v := range src {
		dst[k] = v
	}
}

func soleScan(f logical.From) *logical.Scan {
	s, _ := f.(*logical.Scan)
	return s
}

// pushConds gives what is left of a condition when the scans took theirs. Constant conjuncts go to sole, the only
// table of the block.
func pushConds(env Env, cond expr.Expr, targets map[int]logical.From, sole *logical.Scan) expr.Expr {
	var keep []expr.Expr
	var order []*logical.Scan
	taken := map[*logical.Scan][]expr.Expr{}
	moved := false
	for _, c := range expr.Conjuncts(cond) {
		if l, ok := c.(*expr.Literal); ok && l.Value == true {
			moved = true
			continue
		}
		s := target(c, targets, sole)
		if s == nil || !env.Supports(c) {
			keep = append(keep, c)
			continue
		}
		if taken[s] == nil {
			order = append(order, s)
		}
		taken[s] = append(taken[s], c)
		moved = true
	}
	if !moved {
		return cond
	}
	for _, s := range order {
		s.Filter = expr.AllOf(append([]expr.Expr{s.Filter}, taken[s]...)...)
	}
	return expr.AllOf(keep...)
}

// target is the one scan that a conjunct reads, nil where there is none or it reads more.
func target(c expr.Expr, targets map[int]logical.From, sole *logical.Scan) *logical.Scan {
	if !movable(c) {
		return nil
	}
	rel, ok := soleRel(c)
	if !ok {
		return nil
	}
	if rel == 0 {
		return sole
	}
	s, _ := targets[rel].(*logical.Scan)
	return s
}

// movable tells whether an expression may be computed elsewhere than where it stands.
func movable(e expr.Expr) bool {
	return !logical.IsVolatile(e) && !expr.Has(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Subquery, *expr.Aggregate, *expr.Window, *expr.Lambda, *expr.LambdaParam, *expr.Param:
			return true
		case *expr.Call:
			return e.Name == "unnest"
		}
		return false
	})
}

// soleRel is the one relation that e reads, 0 where it reads none; false where it reads several.
func soleRel(e expr.Expr) (int, bool) {
	rel := 0
	for _, c := range expr.Columns(e) {
		if rel != 0 && c.Rel != rel {
			return 0, false
		}
		rel = c.Rel
	}
	return rel, true
}

// pushUnions moves conjuncts of WHERE into the branches of the set operations that they read, and into subqueries that only
// filter and project.
func pushUnions(sel *logical.Select) bool {
	targets := reach(sel.From)
	var keep []expr.Expr
	var order []*logical.Derived
	taken := map[*logical.Derived][]expr.Expr{}
	for _, c := range expr.Conjuncts(sel.Where) {
		rel, ok := soleRel(c)
		d, isDerived := targets[rel].(*logical.Derived)
		if !ok || !isDerived || !movable(c) || !projects(d.Query, c) && !canTake(d.Query, d.Query.Cols, c) {
			keep = append(keep, c)
			continue
		}
		if taken[d] == nil {
			order = append(order, d)
		}
		taken[d] = append(taken[d], c)
	}
	for _, d := range order {
		pushBranch(d, d.Query, expr.AllOf(taken[d]...))
	}
	if len(order) > 0 {
		sel.Where = expr.AllOf(keep...)
	}
	return len(order) > 0
}

// canTake tells whether a condition over the columns of a set operation means the same in each branch, whose columns have
// the types of the whole. Branches of a UNION ALL take any; where rows are put together or taken away only what equal
// rows have in common counts, which is what comparisons with constants tell.
func canTake(q *logical.Query, whole []logical.Col, c expr.Expr) bool {
	op, ok := q.Body.(*logical.SetOp)
	if !ok || q.Limit != nil || q.Offset != nil || len(q.CTEs) > 0 {
		return false
	}
	compared := comparedColumn(c)
	if (op.Op != "UNION" || !op.All) && compared == nil {
		return false
	}
	for _, branch := range []*logical.Query{op.L, op.R} {
		if !sameTypes(branch, whole, c) || !sameWithin(branch, c) {
			return false
		}
		if branch.IsPlain() || canTake(branch, whole, c) || compared != nil && takesBelow(branch, whole, compared) {
			continue
		}
		return false
	}
	return true
}

// takesBelow tells whether a comparison of a column may go into a branch that groups by it.
func takesBelow(branch *logical.Query, whole []logical.Col, col *expr.Column) bool {
	for i, w := range whole {
		if w.Key == col.Path[0] {
			sel, _ := below(branch, branch.Cols[i].Key)
			return sel != nil
		}
	}
	return false
}

// sameTypes tells whether the columns that a condition reads have the types of the whole in a branch. A variable that is
// NULL there has none, but the rows then lack it, which is all that its tests ask.
func sameTypes(branch *logical.Query, whole []logical.Col, c expr.Expr) bool {
	same := true
	expr.Walk(c, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.StatsTest:
			for _, col := range expr.Columns(e) {
				own := col.Rel == e.Rel && col.Path[0] == e.Stats[0]
				same = same && sameType(branch, whole, col.Path[0], own)
			}
			return false
		case *expr.StatsState:
			same = same && sameType(branch, whole, e.Stats[0], true)
		case *expr.Column:
			same = same && sameType(branch, whole, e.Path[0], false)
		}
		return same
	})
	return same
}

func sameType(branch *logical.Query, whole []logical.Col, key string, orNull bool) bool {
	for i, w := range whole {
		if w.Key != key && (w.Var == nil || w.Var.Stats != key) {
			continue
		}
		sel, ok := branch.Body.(*logical.Select)
		if orNull && ok && logical.IsNull(sel.Items[i].Expr) {
			continue
		}
		if w.Type == nil || branch.Cols[i].Type == nil || !arrow.TypeEqual(w.Type, branch.Cols[i].Type) {
			return false
		}
	}
	return true
}

func pushBranch(d *logical.Derived, q *logical.Query, c expr.Expr) {
	switch b := q.Body.(type) {
	case *logical.Select:
		b.Where = expr.AllOf(b.Where, substitution(d, b).Expr(c))
	case *logical.SetOp:
		pushBranch(d, b.L, c)
		pushBranch(d, b.R, c)
	}
}
