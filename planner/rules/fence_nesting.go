package rules

import (
	"maps"
	"slices"
	"strconv"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

const (
	// maxGroups is how many blocks that group rows may stand in one another as the statement has them.
	maxGroups = 8
	// maxCorrelatedGroups bounds those that read columns from around them, and so stay where they are.
	maxCorrelatedGroups = 16
)

// fenceNesting keeps the time that DuckDB plans for from doubling with each block that groups rows around another (its
// optimizer goes into what stands below GROUP BY, DISTINCT and windows twice, and nothing can stop it meanwhile): what
// stands below maxGroups of them becomes a CTE of the whole statement, which is planned once.
func fenceNesting(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	f := &nestingFence{seen: map[*logical.Query]nested{}}
	fresh, changed, err := edit(q, func(q *logical.Query) bool {
		own := len(q.CTEs)
		f.number(q)
		f.statement(q)
		return len(q.CTEs) > own
	})
	if err == nil && f.deepest > maxCorrelatedGroups {
		err = errs.Invalidf("GROUP BY, DISTINCT and windows are nested more than %d deep where they read columns from around them: join tables in place of some", maxCorrelatedGroups)
	}
	return fresh, changed, err
}

// nested is what is known of a query that was gone through.
type nested struct {
	groups   int                   // the most blocks in one another that group rows
	rels     map[int]bool          // the relations of queries around it that it reads
	ctes     map[*logical.CTE]bool // the CTEs of queries around it that it reads
	volatile bool
}

type nestingFence struct {
	seen    map[*logical.Query]nested
	whole   *logical.Query // the statement, or the one of its CTEs that is gone through now
	ctes    []*logical.CTE // those of the statement that were gone through, and those made since
	cte     int            // the highest ids that are taken
	rel     int
	made    int
	deepest int
}

// number finds the ids that are taken.
func (f *nestingFence) number(q *logical.Query) {
	eachQuery(q, func(q *logical.Query) {
		for _, c := range q.CTEs {
			f.cte = max(f.cte, c.ID)
		}
		if sel, ok := q.Body.(*logical.Select); ok {
			for id := range logical.RelIDs(sel.From) {
				f.rel = max(f.rel, id)
			}
		}
	})
}

// statement goes through the statement's CTEs and its body. A query becomes a CTE right before the one that it stands in.
func (f *nestingFence) statement(top *logical.Query) {
	own := top.CTEs
	top.CTEs = nil // they are gone through here
	for _, c := range own {
		f.whole = c.Query
		f.query(c.Query)
		f.ctes = append(f.ctes, c)
	}
	f.whole = top
	f.query(top)
	top.CTEs = f.ctes
}

// query goes through a query and those in it, inner ones first.
func (f *nestingFence) query(q *logical.Query) nested {
	if n, done := f.seen[q]; done {
		return n
	}
	out := nested{rels: map[int]bool{}, ctes: map[*logical.CTE]bool{}}
	into := func(in *logical.Query, more int) {
		n := f.query(in)
		out.groups = max(out.groups, n.groups+more)
		out.volatile = out.volatile || n.volatile
		maps.Copy(out.rels, n.rels)
		maps.Copy(out.ctes, n.ctes)
	}
	own := map[int]bool{}
	switch b := q.Body.(type) {
	case *logical.Query:
		into(b, 0)
	case *logical.SetOp:
		into(b.L, 0)
		into(b.R, 0)
	case *logical.Select:
		own = f.from(b.From, into, &out)
	}
	for _, e := range exprsOf(q) {
		out.volatile = out.volatile || logical.IsVolatile(e)
		for _, c := range expr.Columns(e) {
			out.rels[c.Rel] = true
		}
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok {
				f.operand(s, into)
			}
			return true
		})
	}
	if sel, ok := q.Body.(*logical.Select); ok {
		out.groups += grouped(sel)
	}
	for _, c := range q.CTEs {
		into(c.Query, 0)
	}
	for _, c := range q.CTEs {
		delete(out.ctes, c)
	}
	maps.DeleteFunc(out.rels, func(rel int, _ bool) bool { return own[rel] || rel == logical.OutputRel })
	f.seen[q] = f.fenced(q, out)
	return f.seen[q]
}

// from goes into the subqueries of a FROM, and gives its relations.
func (f *nestingFence) from(from logical.From, into func(*logical.Query, int), out *nested) map[int]bool {
	logical.WalkFrom(from, func(from logical.From) {
		switch from := from.(type) {
		case *logical.Derived:
			into(from.Query, 0)
		case *logical.Summary:
			into(from.Query, 1)
		case *logical.CTERef:
			out.ctes[from.CTE] = true
		case *logical.Sampled:
			out.volatile = true
		}
	})
	return logical.RelIDs(from)
}

// operand goes into a subquery that is a value. DuckDB takes the first row of one that stands for itself by an aggregate.
func (f *nestingFence) operand(s *expr.Subquery, into func(*logical.Query, int)) {
	q, ok := s.Query.(*logical.Query)
	if !ok {
		return
	}
	more := 0
	if n := f.query(q); len(n.rels) == 0 && (s.Kind == expr.ScalarSubquery || s.Kind == expr.ExistsSubquery) {
		more = 1
	}
	into(q, more)
}

// grouped counts what groups or looks across the rows of a block.
func grouped(sel *logical.Select) (n int) {
	for _, is := range []bool{
		sel.Aggregated(), sel.Distinct || len(sel.DistinctOn) > 0,
		slices.ContainsFunc(sel.Exprs(), func(e expr.Expr) bool { return expr.Has(e, isWindow) }),
	} {
		if is {
			n++
		}
	}
	return n
}

func isWindow(e expr.Expr) bool {
	_, ok := e.(*expr.Window)
	return ok
}

// fenced puts a query into a CTE where it is nested too deep and means the same there.
func (f *nestingFence) fenced(q *logical.Query, n nested) nested {
	sel, isSelect := q.Body.(*logical.Select)
	unordered := len(q.OrderBy) == 0 || isSelect && len(sel.DistinctOn) > 0 // else what reads it may go by the order
	movable := len(n.rels) == 0 && !n.volatile && unordered
	for c := range n.ctes {
		movable = movable && slices.Contains(f.ctes, c)
	}
	if n.groups < maxGroups || q == f.whole || !movable {
		f.deepest = max(f.deepest, n.groups)
		return n
	}
	cte := f.hoist(q)
	return nested{rels: map[int]bool{}, ctes: map[*logical.CTE]bool{cte: true}}
}

// hoist makes a query a CTE, and then reads that.
func (f *nestingFence) hoist(q *logical.Query) *logical.CTE {
	f.cte++
	f.rel++
	f.made++
	inner := *q
	cte := &logical.CTE{ID: f.cte, Name: "nested " + strconv.Itoa(f.made), Query: &inner}
	f.ctes = append(f.ctes, cte)
	sel := &logical.Select{From: &logical.CTERef{Rel: f.rel, Alias: cte.Name, CTE: cte}}
	for _, c := range q.Cols {
		sel.Items = append(sel.Items, logical.Item{Name: c.Name, Expr: &expr.Column{Rel: f.rel, Path: expr.FieldPath{c.Key}, Typ: c.Type}})
	}
	*q = logical.Query{Body: sel, Cols: q.Cols}
	return cte
}
