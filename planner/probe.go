package planner

import (
	"context"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// maxProbes is how many expressions of a statement are tried by themselves.
const maxProbes = 100

// probe finds the expression that an engine refuses by itself with the message that it has for the whole statement: the first, so
// that it is the innermost. Columns stand as nulls of their types.
func probe(ctx context.Context, seen []logical.BoundExpr, describe func(context.Context, *physical.Plan) error, msg string) (pos int, found bool) {
	tried := map[string]bool{}
	for _, e := range seen {
		text := e.Shown.String()
		if e.InFrom {
			text = "FROM " + text
		}
		if tried[text] {
			continue
		}
		if tried[text] = true; len(tried) > maxProbes || ctx.Err() != nil {
			break
		}
		q := alone(e)
		if q == nil {
			continue
		}
		plan, err := physical.Build(ctx, q, physical.Options{Relational: true})
		if err != nil {
			continue
		}
		if err := describe(ctx, plan); err != nil && err.Error() == msg {
			return e.Pos, true
		}
	}
	return 0, false
}

// Relations of a query that probes an expression.
const (
	probedRow = iota + 1
	probedCall
)

// alone is a query that reads nothing but one expression; nil where that can't be.
func alone(e logical.BoundExpr) *logical.Query {
	var row []logical.Item
	var cols []logical.Col
	known := true
	x := logical.MapNodes(e.Expr, func(e expr.Expr) expr.Expr {
		switch e := e.(type) {
		case *expr.Subquery, *expr.Param, *expr.Match, *expr.StatsTest, *expr.StatsState:
			known = false
		case *expr.Column:
			if known = known && e.Typ != nil; !known {
				return e
			}
			key := logical.OutputKey(len(row))
			typ := expr.Storage(e.Typ)
			row = append(row, logical.Item{Name: key, Expr: &expr.Cast{X: expr.Null(), To: typ}})
			cols = append(cols, logical.Col{Name: key, Key: key, Type: typ})
			return &expr.Column{Rel: probedRow, Path: expr.FieldPath{key}, Typ: typ}
		}
		return e
	})
	if !known || e.InFrom && len(row) > 0 {
		return nil
	}
	sel := &logical.Select{Items: []logical.Item{{Name: "x", Expr: x}}}
	if call, ok := x.(*expr.Call); ok && e.InFrom {
		col := logical.Col{Name: "x", Key: logical.OutputKey(0)}
		sel.From = &logical.TableFunc{Rel: probedCall, Name: call.Name, Args: call.Args, Cols: []logical.Col{col}}
		sel.Items[0].Expr = &expr.Column{Rel: probedCall, Path: expr.FieldPath{col.Key}}
	} else if len(row) > 0 {
		sel.From = &logical.Derived{Rel: probedRow, Query: &logical.Query{Body: &logical.Select{Items: row}, Cols: cols}}
	}
	return &logical.Query{Body: sel, Cols: []logical.Col{{Name: "x", Key: logical.OutputKey(0), Type: sel.Items[0].Expr.Type()}}}
}
