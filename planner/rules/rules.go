// Package rules turns a bound query into one whose scans read little: filters, leaf paths and limits go down to the
// scans. Each rule takes a query and gives a new one; the order is that of Default.
package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// Env is what rules know beside the query.
type Env struct {
	// Supports tells whether a scan can compute a bound expression over its own columns.
	Supports func(expr.Expr) bool
	// UTC tells that the session's time zone is UTC.
	UTC bool
}

// Rule is one rewrite. Apply gives the query itself and false where it changes nothing; it never changes its argument.
type Rule struct {
	Name  string
	Apply func(Env, *logical.Query) (*logical.Query, bool, error)
}

// Default is the order in which rules run, each once. PruneLeaves comes after all that moves expressions; PushLimit
// needs to see which filters the scans took.
var Default = []Rule{
	{"FlattenSubqueries", flattenSubqueries},
	{"FoldConstants", foldConstants},
	{"SimplifyJoins", simplifyJoins},
	{"PropagateEquality", propagateEquality},
	{"SplitEqualities", splitEqualities},
	{"PushFilter", pushFilter},
	{"SplitStats", splitStats},
	{"ComputeTests", computeTests},
	{"CountRows", countRows},
	{"PushLimit", pushLimit},
	{"PruneColumns", pruneColumns},
	{"PruneLeaves", pruneLeaves},
	{"FenceGrowth", fenceGrowth},
	{"FenceNesting", fenceNesting},
}

// Run applies the rules in order and gives the names of those that changed something.
func Run(env Env, list []Rule, q *logical.Query) (*logical.Query, []string, error) {
	var applied []string
	for _, r := range list {
		next, changed, err := r.Apply(env, q)
		if err != nil {
			return nil, nil, err
		}
		if changed {
			applied = append(applied, r.Name)
			q = next
		}
	}
	return q, applied, nil
}

// edit runs f over a copy of q, and gives q back where f changes nothing.
func edit(q *logical.Query, f func(*logical.Query) bool) (*logical.Query, bool, error) {
	fresh := logical.Clone(q)
	if !f(fresh) {
		return q, false, nil
	}
	return fresh, true, nil
}

// eachQuery visits q and all queries below it, inner ones first: in FROM, in set operations, in CTEs and in
// expressions. Each CTE is visited once.
func eachQuery(q *logical.Query, visit func(*logical.Query)) {
	w := &queryWalk{visit: visit, ctes: map[*logical.CTE]bool{}}
	w.query(q)
}

type queryWalk struct {
	visit func(*logical.Query)
	ctes  map[*logical.CTE]bool
}

func (w *queryWalk) query(q *logical.Query) {
	for _, c := range q.CTEs {
		w.cte(c)
	}
	switch b := q.Body.(type) {
	case *logical.Query:
		w.query(b)
	case *logical.SetOp:
		w.query(b.L)
		w.query(b.R)
	case *logical.Values:
		for _, r := range b.Rows {
			w.exprs(r)
		}
	case *logical.Select:
		logical.WalkFrom(b.From, func(f logical.From) {
			switch f := f.(type) {
			case *logical.Derived:
				w.query(f.Query)
			case *logical.Summary:
				w.query(f.Query)
			case *logical.CTERef:
				w.cte(f.CTE)
			}
		})
		w.exprs(b.Exprs())
	}
	for _, k := range q.OrderBy {
		w.exprs([]expr.Expr{k.X})
	}
	w.exprs([]expr.Expr{q.Limit, q.Offset})
	w.visit(q)
}

func (w *queryWalk) cte(c *logical.CTE) {
	if w.ctes[c] {
		return
	}
	w.ctes[c] = true
	w.query(c.Query)
}

func (w *queryWalk) exprs(es []expr.Expr) {
	for _, e := range es {
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok {
				if q, ok := s.Query.(*logical.Query); ok {
					w.query(q)
				}
			}
			return true
		})
	}
}

// eachSelect visits all blocks with the query that each is the body of, inner ones first.
func eachSelect(q *logical.Query, visit func(*logical.Query, *logical.Select)) {
	eachQuery(q, func(q *logical.Query) {
		if s, ok := q.Body.(*logical.Select); ok {
			visit(q, s)
		}
	})
}

// reach tells which relations of a FROM tree a condition above it may be moved down to: those that no outer join
// between fills with nulls, and whose rows no join between counts or compares among themselves.
func reach(f logical.From) map[int]logical.From {
	out := map[int]logical.From{}
	eachReached(f, func(f logical.From) {
		if id := logical.RelOf(f); id != 0 {
			out[id] = f
		}
	})
	return out
}

// eachReached visits the elements of a FROM tree to which a condition above it may be moved down, joins first.
func eachReached(f logical.From, visit func(logical.From)) {
	if f == nil {
		return
	}
	visit(f)
	j, ok := f.(*logical.Join)
	if !ok {
		return
	}
	into := whereInto(j)
	if into.left {
		eachReached(j.L, visit)
	}
	if into.right {
		eachReached(j.R, visit)
	}
}

func isInner(j *logical.Join) bool { return !j.Asof && (j.Kind == "INNER" || j.Kind == "CROSS") }

// sides are those of a join.
type sides struct{ left, right bool }

// whereInto tells to which sides of a join a condition above it may be moved. The right side of an ASOF join must stay
// whole, as the nearest of its rows is looked for; that of a SEMI or ANTI join is not seen from above; those of a
// POSITIONAL join are counted.
func whereInto(j *logical.Join) sides {
	switch j.Kind {
	case "INNER", "CROSS":
		return sides{left: true, right: !j.Asof}
	case "LEFT", "SEMI", "ANTI":
		return sides{left: true}
	case "RIGHT":
		return sides{right: true}
	}
	return sides{}
}

// onInto tells to which sides of a join parts of its own condition may be moved.
func onInto(j *logical.Join) sides {
	if j.Asof {
		return sides{}
	}
	switch j.Kind {
	case "INNER", "CROSS", "SEMI":
		return sides{left: true, right: true}
	case "LEFT", "ANTI":
		return sides{right: true}
	case "RIGHT":
		return sides{left: true}
	}
	return sides{}
}
