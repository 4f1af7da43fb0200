package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// simplifyJoins makes outer joins narrower where the rows that they would fill with nulls are dropped above:
//
//	l LEFT JOIN r ON l.k = r.k WHERE r.w > 3  =>  l JOIN r ON l.k = r.k WHERE r.w > 3
//
// so that the condition can go down to r, and so that what is said of one side can be told the other.
func simplifyJoins(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
			for simplifyOne(sel) {
				changed = true
			}
		})
		return changed
	})
}

// simplifyOne makes one join of a block narrower; what is inside it is then seen by the next call.
func simplifyOne(sel *logical.Select) bool {
	if _, ok := sel.From.(*logical.Join); !ok {
		return false
	}
	needed := map[int]bool{}
	for _, c := range holding(sel) {
		for _, col := range notNull(c) {
			needed[col.Rel] = true
		}
	}
	changed := false
	eachReached(sel.From, func(f logical.From) {
		if j, ok := f.(*logical.Join); ok && !changed {
			kind := narrower(j.Kind, needsOf(j.L, needed), needsOf(j.R, needed))
			changed = kind != j.Kind
			j.Kind = kind
		}
	})
	return changed
}

func needsOf(f logical.From, needed map[int]bool) bool {
	for rel := range logical.RelIDs(f) {
		if needed[rel] {
			return true
		}
	}
	return false
}

// narrower is the kind of a join of which the rows without a left side, or without a right one, are not needed.
func narrower(kind string, left, right bool) string {
	switch {
	case kind == "FULL" && left && right, kind == "LEFT" && right, kind == "RIGHT" && left:
		return "INNER"
	case kind == "FULL" && left:
		return "LEFT"
	case kind == "FULL" && right:
		return "RIGHT"
	}
	return kind
}

// notNull gives columns of which a conjunct is not true where they are null.
func notNull(c expr.Expr) []*expr.Column {
	if col := comparedColumn(c); col != nil {
		return []*expr.Column{col}
	}
	var out []*expr.Column
	switch c := c.(type) {
	case *expr.Compare:
		if c.Op == expr.Distinct || c.Op == expr.NotDistinct {
			return nil
		}
		for _, x := range []expr.Expr{c.L, c.R} {
			if col, ok := x.(*expr.Column); ok {
				out = append(out, col)
			}
		}
	case *expr.Not:
		if n, ok := c.X.(*expr.IsNull); ok {
			if col, ok := n.X.(*expr.Column); ok {
				out = append(out, col)
			}
		}
	}
	return out
}
