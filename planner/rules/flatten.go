package rules

import (
	"slices"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// flattenSubqueries merges subqueries in FROM that only filter and project into the block around them, and drops
// parentheses around queries:
//
//	SELECT q.a FROM (SELECT id + 1 AS a FROM t WHERE id > 3) q WHERE q.a < 9
//	=> SELECT t.id + 1 FROM t WHERE t.id > 3 AND t.id + 1 < 9
//
// Under an outer join that fills the subquery with nulls, only plain columns may be merged (an expression over nulls
// need not be null), and its WHERE becomes part of the join's condition. So it does on the right side of a SEMI or ANTI
// join. Where an ASOF or POSITIONAL join looks at the rows of a side as a whole, nothing is merged there. DuckDB takes no subqueries in such a condition, so
// what would bring one there stays. So does what reads columns of a query around it: they are not filled with nulls, and
// an aggregate over nothing else would belong to that query.
func flattenSubqueries(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		top := around{ordered: countsPlaces(q)}
		eachQuery(q, func(q *logical.Query) {
			changed = unwrap(q) || changed
			changed = flattenBlock(q, top) || changed
		})
		return changed
	})
}

// countsPlaces tells whether some join of a query goes by the order of rows.
func countsPlaces(q *logical.Query) bool {
	found := false
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
		logical.WalkFrom(sel.From, func(f logical.From) {
			j, ok := f.(*logical.Join)
			found = found || ok && j.Kind == "POSITIONAL"
		})
	})
	return found
}

// unwrap takes a query out of its parentheses where nothing stands around them.
func unwrap(q *logical.Query) bool {
	inner, ok := q.Body.(*logical.Query)
	if !ok || len(inner.CTEs) > 0 || inner.Limit != nil || inner.Offset != nil {
		return false
	}
	if len(q.OrderBy) > 0 {
		sel, ok := inner.Body.(*logical.Select)
		if ok {
			q.OrderBy = outputKeys(q.OrderBy, sel)
		}
	} else if q.Limit != nil || q.Offset != nil || len(inner.OrderBy) > 0 {
		q.OrderBy = inner.OrderBy
	}
	q.Body = inner.Body
	return true
}

// outputKeys gives sort keys over output columns as keys over the expressions that these are.
func outputKeys(keys []expr.SortKey, sel *logical.Select) []expr.SortKey {
	items := map[string]expr.Expr{}
	for i, it := range sel.Items {
		items[logical.OutputKey(i)] = it.Expr
	}
	s := logical.Substitution{Rel: logical.OutputRel, Items: items, StatsOf: func(*expr.Column) string { return "" }}
	out := slices.Clone(keys)
	for i := range out {
		out[i].X = s.Expr(out[i].X)
	}
	return out
}

func flattenBlock(q *logical.Query, top around) bool {
	changed := false
	for {
		sel, ok := q.Body.(*logical.Select)
		if !ok || sel.From == nil {
			return changed
		}
		d := findFlat(sel.From, top, func(d *logical.Derived) bool { return fits(q, d) && orderFits(q, sel, d) && takeConstants(q, d) })
		if d == nil {
			return changed
		}
		mergeDerived(q, sel, d)
		changed = true
	}
}

// flat is a subquery that can be merged. nulls tells that an outer join fills it with nulls.
type flat struct {
	d     *logical.Derived
	nulls bool
}

// around tells of the joins above a subquery: whether one stands there that is not inner, one to whose condition the
// subquery's belongs (as it fills it with nulls, or only looks for its rows), a FULL JOIN, or one that wants it whole;
// and whether some join of the statement goes by the order of rows.
type around struct{ outer, nulls, full, whole, ordered bool }

func (a around) side(j *logical.Join, right bool) around {
	owned := ownsLeft(j)
	whole := j.Kind == "POSITIONAL"
	if right {
		owned = ownsRight(j)
		whole = j.Kind == "POSITIONAL" || j.Asof
	}
	a.outer = a.outer || !isInner(j)
	a.nulls = a.nulls || owned
	a.full = a.full || j.Kind == "FULL"
	a.whole = a.whole || whole
	return a
}

// ownsLeft tells whether a condition on the rows of the left side is one of the join, since what is above it sees others
// than these; ownsRight of the right side.
func ownsLeft(j *logical.Join) bool { return j.Kind == "RIGHT" || j.Kind == "FULL" }

func ownsRight(j *logical.Join) bool {
	return j.Kind == "LEFT" || j.Kind == "FULL" || j.LeftOnly()
}

func findFlat(f logical.From, a around, fits func(*logical.Derived) bool) *flat {
	switch f := f.(type) {
	case *logical.Join:
		if d := findFlat(f.L, a.side(f, false), fits); d != nil {
			return d
		}
		return findFlat(f.R, a.side(f, true), fits)
	case *logical.Derived:
		if canFlatten(f, a) && fits(f) {
			return &flat{d: f, nulls: a.nulls}
		}
	}
	return nil
}

func canFlatten(d *logical.Derived, a around) bool {
	q := d.Query
	sel, ok := q.Body.(*logical.Select)
	if !ok || a.whole || len(q.CTEs) > 0 || q.Limit != nil || q.Offset != nil || !sel.IsPlain() {
		return false
	}
	if a.ordered && len(q.OrderBy) > 0 {
		return false
	}
	if a.full && sel.Where != nil {
		return false
	}
	if _, isJoin := sel.From.(*logical.Join); isJoin && a.nulls && sel.Where != nil {
		return false
	}
	if a.nulls && sel.Where != nil && expr.Has(sel.Where, isSubquery) {
		return false
	}
	own := logical.RelIDs(sel.From)
	for _, it := range sel.Items {
		if logical.IsVolatile(it.Expr) || a.outer && expr.Has(it.Expr, isSubquery) {
			return false
		}
		if slices.ContainsFunc(expr.Columns(it.Expr), func(c expr.Column) bool { return !own[c.Rel] }) {
			return false
		}
		if _, isCol := it.Expr.(*expr.Column); !isCol && a.nulls {
			return false
		}
	}
	return sel.Where == nil || !logical.IsVolatile(sel.Where)
}

// orderFits tells whether the order of a subquery's rows can become that of the block's, or whether nothing of the block goes
// by it. DuckDB keeps the order of a subquery, and what reads it may rely on that: LIMIT, windows, list and first.
func orderFits(q *logical.Query, sel *logical.Select, d *logical.Derived) bool {
	if len(d.Query.OrderBy) == 0 || takesOrder(q, sel, d) {
		return true
	}
	if sel.IsPlain() {
		return len(q.OrderBy) > 0
	}
	return sel.Aggregated() && !slices.ContainsFunc(append(sel.Exprs(), keyExprs(q.OrderBy)...), func(e expr.Expr) bool { return expr.Has(e, goesByOrder) })
}

// takesOrder tells whether a block's rows come in the order of the subquery that it reads.
func takesOrder(q *logical.Query, sel *logical.Select, d *logical.Derived) bool {
	return len(q.OrderBy) == 0 && sel.From == logical.From(d) && sel.IsPlain()
}

// orderFree are aggregates that give the same for any order of the rows.
var orderFree = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true, "bool_and": true, "bool_or": true}

// goesByOrder tells of a node that what it gives may hang on the order of the rows.
func goesByOrder(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Window:
		return true
	case *expr.Aggregate:
		return !orderFree[e.Name]
	}
	return false
}

// maxMerged bounds the nodes by which merging a subquery may make a block larger. Each use of a computed column becomes a
// copy of its expression: subqueries that double a text, one around the other, would double the block with each.
const maxMerged = 1000

// fits tells whether merging a subquery of a block leaves the block's expressions small.
func fits(q *logical.Query, d *logical.Derived) bool {
	extra := map[string]int{} // nodes that each use of a column adds
	for i, it := range d.Query.Body.(*logical.Select).Items {
		nodes := -1
		expr.Walk(it.Expr, func(e expr.Expr) bool {
			nodes++
			if l, ok := e.(*expr.Literal); ok {
				nodes += textBytes([]expr.Expr{l}) / 64 // a long text is copied with each use too
			}
			return true
		})
		if nodes > 0 {
			extra[logical.OutputKey(i)] = nodes
		}
	}
	if len(extra) == 0 {
		return true
	}
	added := 0
	block := *q
	block.CTEs = nil
	logical.MapExprs(&block, func(e expr.Expr) expr.Expr {
		if expr.Has(e, func(e expr.Expr) bool { return isTry(e) && readsSome(e, d.Rel, extra) }) {
			added = maxMerged + 1 // TRY is not for what fails in the subquery
		}
		for _, c := range expr.Columns(e) {
			if c.Rel == d.Rel {
				added += extra[c.Path[0]]
			}
		}
		return e
	})
	return added <= maxMerged
}

func isTry(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && c.Name == "try"
}

// readsSome tells whether an expression reads one of these columns of a relation.
func readsSome(e expr.Expr, rel int, keys map[string]int) bool {
	return slices.ContainsFunc(expr.Columns(e), func(c expr.Column) bool { return c.Rel == rel && keys[c.Path[0]] > 0 })
}

func isSubquery(e expr.Expr) bool {
	_, ok := e.(*expr.Subquery)
	return ok
}

func mergeDerived(q *logical.Query, sel *logical.Select, m *flat) {
	inner := m.d.Query.Body.(*logical.Select)
	ordered := takesOrder(q, sel, m.d)
	sel.From = replaceFrom(sel.From, m.d, inner.From)
	where := inner.Where
	if m.nulls && where != nil {
		sel.From = addToNullJoin(sel.From, inner.From, where)
		where = nil
	}
	sub := substitution(m.d, inner)
	outer := *q
	outer.CTEs = nil // not copied: what is merged reads them too
	fresh := logical.MapExprs(&outer, sub.Expr)
	body := fresh.Body.(*logical.Select)
	body.Where = expr.AllOf(where, body.Where)
	fresh.CTEs = q.CTEs
	if ordered {
		fresh.OrderBy = m.d.Query.OrderBy
	}
	*q = *fresh
}

// substitution gives what stands for the columns of a subquery that is merged.
func substitution(d *logical.Derived, inner *logical.Select) logical.Substitution {
	items := map[string]expr.Expr{}
	for i, it := range inner.Items {
		items[logical.OutputKey(i)] = it.Expr
	}
	rels := map[int]logical.From{}
	logical.WalkFrom(inner.From, func(f logical.From) { rels[logical.RelOf(f)] = f })
	return logical.Substitution{Rel: d.Rel, Items: items, StatsOf: func(c *expr.Column) string { return statsOf(rels[c.Rel], c) }}
}

// statsOf gives the stats column of a variable as its relation names it, "" where it has none.
func statsOf(f logical.From, c *expr.Column) string {
	if len(c.Path) != 1 {
		return ""
	}
	var v *ndarray.Variable
	switch f := f.(type) {
	case *logical.Scan:
		if found, ok := ndarray.Lookup(f.Source.Schema(), c.Path[0]); ok {
			v = &found
		}
	case *logical.Derived:
		v = outputVar(f.Query, c.Path[0])
	case *logical.CTERef:
		v = outputVar(f.CTE.Query, c.Path[0])
	}
	if v == nil || !v.StatsUsable() {
		return ""
	}
	return v.Stats
}

func outputVar(q *logical.Query, key string) *ndarray.Variable {
	for _, c := range q.Cols {
		if c.Key == key {
			return c.Var
		}
	}
	return nil
}

func replaceFrom(f, old, fresh logical.From) logical.From {
	if f == old {
		return fresh
	}
	if j, ok := f.(*logical.Join); ok {
		out := *j
		out.L, out.R = replaceFrom(j.L, old, fresh), replaceFrom(j.R, old, fresh)
		return &out
	}
	return f
}

// addToNullJoin puts a condition on a side into the condition of the nearest join above it that owns it.
func addToNullJoin(f, side logical.From, cond expr.Expr) logical.From {
	j, ok := f.(*logical.Join)
	if !ok {
		return f
	}
	out := *j
	inL, inR := holds(j.L, side), holds(j.R, side)
	switch {
	case inL && isOwned(j.L, side), inR && isOwned(j.R, side):
		out.L, out.R = addToNullJoin(j.L, side, cond), addToNullJoin(j.R, side, cond)
	case inL && j.Kind == "RIGHT", inR && (j.Kind == "LEFT" || j.LeftOnly()):
		out.On = expr.AllOf(j.On, cond)
	default:
		out.L, out.R = addToNullJoin(j.L, side, cond), addToNullJoin(j.R, side, cond)
	}
	return &out
}

func holds(f, x logical.From) bool {
	found := false
	logical.WalkFrom(f, func(f logical.From) { found = found || f == x })
	return found
}

// isOwned tells whether a join within f owns the conditions on x.
func isOwned(f, x logical.From) bool {
	j, ok := f.(*logical.Join)
	if !ok {
		return false
	}
	if holds(j.L, x) {
		return ownsLeft(j) || isOwned(j.L, x)
	}
	if holds(j.R, x) {
		return ownsRight(j) || isOwned(j.R, x)
	}
	return false
}
