package physical

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// maxMayFail bounds what is kept of a statement with very many expressions: an error names few of them anyway.
const maxMayFail = 200

// mayFail collects the parts of a query that can fail on a value: casts, arithmetic, functions, aggregates. The parts of
// subqueries are among them.
func mayFail(q *logical.Query, text func(expr.Expr) string) []FailingPart {
	var out []FailingPart
	var query func(q *logical.Query)
	visit := func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			switch e := e.(type) {
			case *expr.Subquery:
				if sub, ok := e.Query.(*logical.Query); ok {
					query(sub)
				}
				return true
			case *expr.Cast:
				if e.Try {
					return true
				}
			case *expr.Call:
				if e.Name == "try" {
					return false
				}
			case *expr.Arith, *expr.Neg, *expr.Aggregate:
			default:
				return true
			}
			if len(out) < maxMayFail {
				out = append(out, FailingPart{Expr: e, Text: text(e)})
			}
			return true
		})
	}
	query = func(q *logical.Query) {
		logical.WalkQuery(q, func(s *logical.Select) {
			for _, e := range s.Exprs() {
				visit(e)
			}
		})
		for _, k := range q.OrderBy {
			visit(k.X)
		}
	}
	query(q)
	return out
}
