package rules

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// propagateEquality gives what is said of one column to the columns that equal it, where their scan can compute it:
//
//	a JOIN b ON a.k = b.k WHERE a.k IN (1, 2)  =>  ... AND b.k IN (1, 2)
//
// The columns have the same type, or are whole numbers, so that the same comparison decides. A row for which the new
// conjunct isn't true would have been dropped by the two that it comes from. For an outer, semi or anti join the new
// conjunct goes into the condition of the join, and only of columns whose rows the join drops or only looks for.
func propagateEquality(env Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
			if _, ok := sel.From.(*logical.Join); ok {
				changed = propagateBlock(env, sel) || changed
			}
		})
		return changed
	})
}

func propagateBlock(env Env, sel *logical.Select) bool {
	known := holding(sel)
	fresh := implied(env, known, reach(sel.From))
	sel.Where = expr.AllOf(append([]expr.Expr{sel.Where}, fresh...)...)
	changed := len(fresh) > 0
	reached := map[logical.From]bool{}
	eachReached(sel.From, func(f logical.From) { reached[f] = true })
	logical.WalkFrom(sel.From, func(f logical.From) {
		j, ok := f.(*logical.Join)
		if !ok || j.On == nil || j.Kind == "FULL" || reached[j] && isInner(j) {
			return
		}
		conds := expr.Conjuncts(j.On)
		if reached[j] {
			conds = append(conds, apartFrom(filledSide(j), known)...)
		}
		fresh := implied(env, conds, joinTargets(j))
		j.On = expr.AllOf(append([]expr.Expr{j.On}, fresh...)...)
		changed = changed || len(fresh) > 0
	})
	return changed
}

// holding gives the conjuncts that are true of every row of a block: those of WHERE, and of the inner joins whose rows
// no outer join fills with nulls.
func holding(sel *logical.Select) []expr.Expr {
	out := expr.Conjuncts(sel.Where)
	eachReached(sel.From, func(f logical.From) {
		if j, ok := f.(*logical.Join); ok && isInner(j) {
			out = append(out, expr.Conjuncts(j.On)...)
		}
	})
	return out
}

// joinTargets are the relations that a join's condition may be moved down to.
func joinTargets(j *logical.Join) map[int]logical.From {
	out := map[int]logical.From{}
	into := onInto(j)
	if into.left {
		merge(out, reach(j.L))
	}
	if into.right {
		merge(out, reach(j.R))
	}
	return out
}

// filledSide is the side that an outer join fills with nulls, or that a semi or anti join only looks into.
func filledSide(j *logical.Join) logical.From {
	if j.Kind == "RIGHT" {
		return j.L
	}
	return j.R
}

// apartFrom gives the conjuncts that read nothing of side.
func apartFrom(side logical.From, conds []expr.Expr) []expr.Expr {
	own := logical.RelIDs(side)
	return slices.DeleteFunc(slices.Clone(conds), func(c expr.Expr) bool {
		return slices.ContainsFunc(expr.Columns(c), func(c expr.Column) bool { return own[c.Rel] })
	})
}

// maxTold bounds the conjuncts of a block that are told to equal columns: a statement may have very many.
const maxTold = 100

// implied gives conjuncts that follow from known ones, over columns of the target scans.
func implied(env Env, known []expr.Expr, targets map[int]logical.From) []expr.Expr {
	same := equalColumns(known)
	if len(same) == 0 {
		return nil
	}
	var preds []predicate
	said := map[columnKey][]expr.Expr{}
	for _, c := range known {
		if col := comparedColumn(c); col != nil {
			preds = append(preds, predicate{col, c})
			said[keyOf(col)] = append(said[keyOf(col)], c)
		}
	}
	var out []expr.Expr
	for _, p := range preds[:min(len(preds), maxTold)] {
		for _, col := range same[keyOf(p.col)] {
			if col.Rel == p.col.Rel {
				continue
			}
			fresh := replaced(p.cond, col)
			is := func(e expr.Expr) bool { return expr.Equal(e, fresh) }
			if slices.ContainsFunc(said[keyOf(col)], is) || !canUse(env, targets[col.Rel], col, fresh) {
				continue
			}
			said[keyOf(col)] = append(said[keyOf(col)], fresh)
			out = append(out, fresh)
		}
	}
	return out
}

// canUse tells whether a condition on a relation's column reaches its scan and is not there, or reaches one of a subquery.
func canUse(env Env, f logical.From, col *expr.Column, cond expr.Expr) bool {
	switch f := f.(type) {
	case *logical.Scan:
		there := func(e expr.Expr) bool { return expr.Equal(e, cond) }
		return env.Supports(cond) && !slices.ContainsFunc(expr.Conjuncts(f.Filter), there)
	case *logical.Derived:
		inner, item := below(f.Query, col.Path[0])
		if inner == nil {
			return false
		}
		c, ok := item.(*expr.Column)
		fresh := substitution(f, inner).Expr(cond)
		there := func(e expr.Expr) bool { return expr.Equal(e, fresh) }
		return ok && !slices.ContainsFunc(expr.Conjuncts(inner.Where), there) && canUse(env, reach(inner.From)[c.Rel], c, fresh)
	}
	return false
}

// predicate is a conjunct over one column.
type predicate struct {
	col  *expr.Column
	cond expr.Expr
}

type columnKey struct {
	rel  int
	path string
}

func keyOf(c *expr.Column) columnKey { return columnKey{c.Rel, c.Path.Key()} }

// replaced gives a condition over one column as one over another.
func replaced(cond expr.Expr, col *expr.Column) expr.Expr {
	return logical.MapNodes(cond, func(e expr.Expr) expr.Expr {
		if _, ok := e.(*expr.Column); ok {
			return col
		}
		return e
	})
}

// equalColumns gives, for each column that a conjunct sets equal to another, all that it equals, itself among them.
func equalColumns(known []expr.Expr) map[columnKey][]*expr.Column {
	out := map[columnKey][]*expr.Column{}
	for _, c := range known {
		l, r := equalPair(c)
		if l == nil {
			continue
		}
		a, b := out[keyOf(l)], out[keyOf(r)]
		if a == nil {
			a = []*expr.Column{l}
		}
		if b == nil {
			b = []*expr.Column{r}
		}
		if slices.ContainsFunc(a, func(c *expr.Column) bool { return keyOf(c) == keyOf(r) }) {
			continue
		}
		all := append(slices.Clone(a), b...)
		for _, c := range all {
			out[keyOf(c)] = all
		}
	}
	return out
}

// equalPair gives the two columns of l = r, where both are whole numbers, or have one type, whose equal values no comparison
// tells apart; nil for anything else.
func equalPair(c expr.Expr) (l, r *expr.Column) {
	cmp, ok := c.(*expr.Compare)
	if !ok || cmp.Op != expr.Eq {
		return nil, nil
	}
	l, ok1 := cmp.L.(*expr.Column)
	r, ok2 := cmp.R.(*expr.Column)
	if !ok1 || !ok2 || l.Typ == nil || r.Typ == nil {
		return nil, nil
	}
	if isWhole(l.Typ) && isWhole(r.Typ) || arrow.TypeEqual(l.Typ, r.Typ) && plainValues(l.Typ) {
		return l, r
	}
	return nil, nil
}

// plainValues tells of a type that its values are compared as they are: NaN equals itself, and the two zeros each other.
func plainValues(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.DATE32,
		arrow.TIMESTAMP, arrow.DECIMAL128:
		return true
	}
	return false
}

// comparedColumn gives the one column of a conjunct that does nothing but compare it with constants: that can't fail,
// and is not true of null.
func comparedColumn(e expr.Expr) *expr.Column {
	cols := expr.Columns(e)
	if len(cols) != 1 || !comparesOnly(e) {
		return nil
	}
	var col *expr.Column
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok {
			col = c
		}
		return col == nil
	})
	return col
}

func comparesOnly(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Logical:
		return !slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return !comparesOnly(a) })
	case *expr.Not:
		return comparesOnly(e.X)
	case *expr.Compare:
		ordinary := e.Op != expr.Distinct && e.Op != expr.NotDistinct
		return ordinary && (isColumn(e.L) && isLiteral(e.R) || isLiteral(e.L) && isColumn(e.R))
	case *expr.In:
		return isColumn(e.X) && len(e.List) > 0 && !slices.ContainsFunc(e.List, func(x expr.Expr) bool { return !isLiteral(x) })
	case *expr.Between:
		return isColumn(e.X) && isLiteral(e.Lo) && isLiteral(e.Hi)
	case *expr.Like:
		return isColumn(e.X) && isLiteral(e.Pattern)
	}
	return false
}

func isColumn(e expr.Expr) bool {
	_, ok := e.(*expr.Column)
	return ok
}

func isLiteral(e expr.Expr) bool {
	_, ok := e.(*expr.Literal)
	return ok
}
