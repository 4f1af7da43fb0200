package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// WhyAbove tells why a conjunct of WHERE was not moved to a scan.
func WhyAbove(supports func(expr.Expr) bool, sel *logical.Select, c expr.Expr) string {
	return whyAbove(supports, c, sel.From, reach(sel.From), "an outer join may fill its table with nulls")
}

// WhyInJoin tells why a conjunct of a join's condition was not moved to a scan.
func WhyInJoin(supports func(expr.Expr) bool, j *logical.Join, c expr.Expr) string {
	return whyAbove(supports, c, j, joinTargets(j), "the join keeps the rows of its table that fail it")
}

func whyAbove(supports func(expr.Expr) bool, c expr.Expr, from logical.From, targets map[int]logical.From, outer string) string {
	rel, sole := soleRel(c)
	var source logical.From
	logical.WalkFrom(from, func(f logical.From) {
		if logical.RelOf(f) == rel {
			source = f
		}
	})
	switch {
	case logical.IsVolatile(c):
		return "a volatile function"
	case expr.Has(c, isSubquery):
		return "a subquery"
	case !sole:
		return "it reads several tables"
	case rel == 0:
		return "it reads no table"
	case source == nil:
		return "it reads a table of the query around"
	case targets[rel] == nil && isSampled(from, source):
		return "a sample of its table's rows is taken first"
	case targets[rel] == nil && goesByAllRows(from):
		return "a join goes by all rows of its table"
	case targets[rel] == nil:
		return outer
	}
	return whyBehind(supports, c, source)
}

// isSampled tells whether a FROM tree takes a sample of what holds x.
func isSampled(f, x logical.From) bool {
	found := false
	logical.WalkFrom(f, func(f logical.From) {
		s, ok := f.(*logical.Sampled)
		found = found || ok && holds(s, x)
	})
	return found
}

// goesByAllRows tells whether a FROM tree has a join that looks at the rows of a side as a whole.
func goesByAllRows(f logical.From) bool {
	found := false
	logical.WalkFrom(f, func(f logical.From) {
		j, ok := f.(*logical.Join)
		found = found || ok && (j.Asof || j.Kind == "POSITIONAL")
	})
	return found
}

// whyBehind tells why a relation doesn't take a conjunct on its own columns.
func whyBehind(supports func(expr.Expr) bool, c expr.Expr, source logical.From) string {
	switch f := source.(type) {
	case *logical.CTERef:
		if f.CTE.Recursive {
			return "behind a recursive query"
		}
		return "behind a query that is computed once for several uses"
	case *logical.TableFunc:
		return "behind " + f.Name
	case *logical.Summary:
		return "behind " + f.Word
	case *logical.Derived:
		return behindQuery(f.Query, c)
	}
	if !supports(c) {
		return "the scan can't compute it"
	}
	return "the scan is given other conditions first"
}

// behindQuery names what a condition would have to pass to get into a subquery.
func behindQuery(q *logical.Query, c expr.Expr) string {
	if q.Limit != nil || q.Offset != nil {
		return "behind a LIMIT"
	}
	switch b := q.Body.(type) {
	case *logical.SetOp:
		op := b.Op
		if b.All {
			op += " ALL"
		}
		return "behind " + op
	case *logical.Values:
		return "behind VALUES"
	case *logical.Select:
		switch {
		case b.Distinct, len(b.DistinctOn) > 0:
			return "behind DISTINCT"
		case hasWindows(b):
			return "behind a window"
		case b.Aggregated() && comparedColumn(c) == nil:
			return "behind grouping, which only comparisons with constants pass"
		case b.Aggregated():
			return "behind grouping, of which it is no key"
		}
	}
	return "behind a subquery"
}

func hasWindows(sel *logical.Select) bool {
	for _, e := range sel.Exprs() {
		if expr.Has(e, func(e expr.Expr) bool { _, ok := e.(*expr.Window); return ok }) {
			return true
		}
	}
	return false
}
