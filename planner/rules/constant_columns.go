package rules

import (
	"slices"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// A column of constants is not the constant: DuckDB reads a number in ORDER BY or DISTINCT ON as a place, groups by no
// constant, gives a number in arithmetic the type of what it stands beside, and wants a column in an ASOF join. So a
// constant takes its column's place only where the two are the same: as a result, and as an operand of a comparison.

// constantColumns are the columns of a block that read nothing.
type constantColumns struct {
	rel  int
	keys map[string]bool
}

func constantsOf(rel int, sel *logical.Select) constantColumns {
	c := constantColumns{rel: rel, keys: map[string]bool{}}
	for i, it := range sel.Items {
		if isConstant(it.Expr) {
			c.keys[logical.OutputKey(i)] = true
		}
	}
	return c
}

// isConstant tells whether an expression reads nothing, neither of the block nor of another query.
func isConstant(e expr.Expr) bool { return len(expr.Columns(e)) == 0 && !expr.Has(e, isSubquery) }

// takeConstants tells whether merging a subquery of a block puts its constants only where they mean what columns do.
func takeConstants(q *logical.Query, d *logical.Derived) bool {
	c := constantsOf(d.Rel, d.Query.Body.(*logical.Select))
	if len(c.keys) == 0 {
		return true
	}
	reads := 0
	block := *q
	block.CTEs = nil
	logical.MapExprs(&block, func(e expr.Expr) expr.Expr {
		reads += c.reads(e)
		return e
	})
	sel := q.Body.(*logical.Select)
	return reads == c.compared(sel.Where)+c.results(q, sel)
}

// reads counts where an expression reads the columns.
func (c constantColumns) reads(e expr.Expr) int {
	n := 0
	expr.Walk(e, func(e expr.Expr) bool {
		if col, ok := e.(*expr.Column); ok && col.Rel == c.rel && c.keys[col.Path[0]] {
			n++
		}
		return true
	})
	return n
}

// results counts where a block that only filters and projects gives the columns as they are, and orders by such ones.
func (c constantColumns) results(q *logical.Query, sel *logical.Select) int {
	if !sel.IsPlain() {
		return 0
	}
	n := 0
	for _, it := range sel.Items {
		n += c.column(it.Expr)
	}
	for _, k := range q.OrderBy { // which is then written as the place of the result
		if slices.ContainsFunc(sel.Items, func(it logical.Item) bool { return expr.Equal(it.Expr, k.X) }) {
			n += c.column(k.X)
		}
	}
	return n
}

// column is 1 for one of the columns.
func (c constantColumns) column(e expr.Expr) int {
	if col, ok := e.(*expr.Column); ok && len(col.Path) == 1 {
		return c.reads(e)
	}
	return 0
}

// compared counts where a condition compares one of the columns, as it is or converted.
func (c constantColumns) compared(cond expr.Expr) int {
	n := 0
	switch e := cond.(type) {
	case *expr.Logical, *expr.Not:
		for _, x := range expr.Children(e) {
			n += c.column(x) + c.compared(x)
		}
	case *expr.Compare, *expr.In, *expr.Between, *expr.IsNull, *expr.IsTruth, *expr.Like:
		for _, x := range expr.Children(e) {
			if to, ok := x.(*expr.Cast); ok {
				x = to.X
			}
			n += c.column(x)
		}
	}
	return n
}

// compares tells whether a condition does nothing with the columns but compare them.
func (c constantColumns) compares(cond expr.Expr) bool {
	return c.reads(cond) == c.compared(cond)
}

// sameWithin tells whether a condition over a block's columns means the same over what these are.
func sameWithin(q *logical.Query, cond expr.Expr) bool {
	sel, ok := q.Body.(*logical.Select)
	rel, _ := soleRel(cond)
	if !ok || rel == 0 {
		return true
	}
	for i, it := range sel.Items {
		if logical.IsVolatile(it.Expr) && readsSome(cond, rel, map[string]int{logical.OutputKey(i): 1}) {
			return false
		}
	}
	return constantsOf(rel, sel).compares(cond)
}

// projects tells whether a subquery only filters and projects, and a condition reads constants and plain columns of it:
// then it means the same within, and becomes no larger. Such a subquery stands apart for other columns of it.
func projects(q *logical.Query, cond expr.Expr) bool {
	sel, ok := q.Body.(*logical.Select)
	rel, _ := soleRel(cond)
	if !ok || rel == 0 || !q.IsPlain() || q.Fence || !sameWithin(q, cond) {
		return false
	}
	own := logical.RelIDs(sel.From)
	computed := map[string]int{}
	for i, it := range sel.Items {
		if col, ok := it.Expr.(*expr.Column); !isLiteral(it.Expr) && (!ok || !own[col.Rel]) {
			computed[logical.OutputKey(i)] = 1
		}
	}
	return !readsSome(cond, rel, computed)
}
