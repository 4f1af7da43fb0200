package logical

import "github.com/lanceflight/flightsrv/planner/sqltext"

// walkTables visits the table names of a query, those of its subqueries and CTEs included.
func walkTables(q *sqltext.Query, visit func(*sqltext.TableName)) {
	if q == nil {
		return
	}
	for i := range q.With {
		walkTables(q.With[i].Query, visit)
	}
	bodyTables(q.Body, visit)
	orderTables(q.OrderBy, visit)
	exprTables(visit, q.Limit, q.Offset)
}

func bodyTables(body sqltext.Body, visit func(*sqltext.TableName)) {
	switch t := body.(type) {
	case *sqltext.Query:
		walkTables(t, visit)
	case *sqltext.SetOp:
		bodyTables(t.L, visit)
		bodyTables(t.R, visit)
	case *sqltext.Values:
		for _, r := range t.Rows {
			exprTables(visit, r...)
		}
	case *sqltext.Select:
		exprTables(visit, t.DistinctOn...)
		for _, it := range t.Items {
			exprTables(visit, it.Expr)
		}
		for _, f := range t.From {
			fromTables(f, visit)
		}
		for _, g := range t.GroupBy {
			for _, set := range g.Sets {
				exprTables(visit, set...)
			}
		}
		for _, w := range t.Windows {
			windowTables(&w.Spec, visit)
		}
		exprTables(visit, t.Where, t.Having, t.Qualify)
	}
}

func fromTables(f sqltext.TableExpr, visit func(*sqltext.TableName)) {
	switch t := f.(type) {
	case *sqltext.TableName:
		visit(t)
	case *sqltext.Derived:
		walkTables(t.Query, visit)
	case *sqltext.TableFunc:
		exprTables(visit, t.Call)
	case *sqltext.Join:
		fromTables(t.L, visit)
		fromTables(t.R, visit)
		exprTables(visit, t.On)
	case *sqltext.Unpivot:
		fromTables(t.Source, visit)
		for _, e := range t.Entries {
			exprTables(visit, e.Exprs...)
		}
	case *sqltext.Pivot:
		fromTables(t.Source, visit)
		for _, a := range t.Aggs {
			exprTables(visit, a.Expr)
		}
		for _, on := range t.On {
			exprTables(visit, on.Exprs...)
		}
	}
}

func orderTables(order []sqltext.OrderItem, visit func(*sqltext.TableName)) {
	for _, o := range order {
		exprTables(visit, o.Expr)
	}
}

func windowTables(w *sqltext.WindowSpec, visit func(*sqltext.TableName)) {
	if w == nil {
		return
	}
	exprTables(visit, w.PartitionBy...)
	orderTables(w.OrderBy, visit)
}

// exprTables visits the tables of subqueries; chains of AND and OR are walked without recursion on their length.
func exprTables(visit func(*sqltext.TableName), xs ...sqltext.Expr) {
	for _, x := range xs {
		switch x := x.(type) {
		case *sqltext.SubqueryExpr:
			walkTables(x.Query, visit)
		case *sqltext.ExistsExpr:
			walkTables(x.Query, visit)
		case *sqltext.InSubquery:
			exprTables(visit, x.X)
			walkTables(x.Query, visit)
		case *sqltext.Quantified:
			exprTables(visit, x.X, x.List)
			walkTables(x.Query, visit)
		case *sqltext.FuncCall:
			if x == nil {
				continue
			}
			exprTables(visit, x.Args...)
			exprTables(visit, x.Filter)
			orderTables(x.OrderBy, visit)
			windowTables(x.Over, visit)
		case *sqltext.CaseExpr:
			exprTables(visit, x.Operand, x.Else)
			for _, w := range x.Whens {
				exprTables(visit, w.Cond, w.Then)
			}
		case *sqltext.Binary:
			for _, a := range chain(x, x.Op) {
				if b, ok := a.(*sqltext.Binary); ok && b.Op == x.Op {
					continue
				}
				exprTables(visit, a)
			}
		default:
			exprTables(visit, operandsOf(x)...)
		}
	}
}

func operandsOf(x sqltext.Expr) []sqltext.Expr {
	switch x := x.(type) {
	case *sqltext.Unary:
		return []sqltext.Expr{x.X}
	case *sqltext.IsTest:
		return []sqltext.Expr{x.X}
	case *sqltext.InList:
		return append([]sqltext.Expr{x.X}, x.List...)
	case *sqltext.BetweenExpr:
		return []sqltext.Expr{x.X, x.Lo, x.Hi}
	case *sqltext.LikeExpr:
		return []sqltext.Expr{x.X, x.Pattern}
	case *sqltext.LikeSome:
		return append([]sqltext.Expr{x.X}, x.Patterns...)
	case *sqltext.ArrowExpr:
		return []sqltext.Expr{x.L, x.R}
	case *sqltext.CastExpr:
		return []sqltext.Expr{x.X}
	case *sqltext.Subscript:
		return []sqltext.Expr{x.X, x.Key}
	case *sqltext.SliceExpr:
		return []sqltext.Expr{x.X, x.Lo, x.Hi, x.Step}
	case *sqltext.FieldAccess:
		return []sqltext.Expr{x.X}
	case *sqltext.ListLit:
		return x.Items
	case *sqltext.StructLit:
		return x.Values
	case *sqltext.RowLit:
		return x.Items
	case *sqltext.LambdaExpr:
		return []sqltext.Expr{x.Body}
	case *sqltext.IntervalLit:
		return []sqltext.Expr{x.Value}
	case *sqltext.ExtractExpr:
		return []sqltext.Expr{x.X}
	case *sqltext.AtTimeZone:
		return []sqltext.Expr{x.X, x.Zone}
	case *sqltext.CollateExpr:
		return []sqltext.Expr{x.X}
	case *sqltext.ColumnsExpr:
		return []sqltext.Expr{x.Of}
	case *sqltext.UnpackExpr:
		return []sqltext.Expr{x.Of}
	case *sqltext.Star:
		var out []sqltext.Expr
		for _, r := range x.Replace {
			out = append(out, r.Expr)
		}
		return out
	}
	return nil
}

// walkExpr visits an expression and its operands, not those of subqueries.
func walkExpr(x sqltext.Expr, visit func(sqltext.Expr)) {
	if x == nil {
		return
	}
	visit(x)
	var below []sqltext.Expr
	switch x := x.(type) {
	case *sqltext.FuncCall:
		below = append(append(below, x.Args...), x.Filter)
		for _, o := range x.OrderBy {
			below = append(below, o.Expr)
		}
		if x.Over != nil {
			below = append(below, x.Over.PartitionBy...)
			for _, o := range x.Over.OrderBy {
				below = append(below, o.Expr)
			}
		}
	case *sqltext.CaseExpr:
		below = append(below, x.Operand)
		for _, w := range x.Whens {
			below = append(below, w.Cond, w.Then)
		}
		below = append(below, x.Else)
	case *sqltext.Binary:
		below = []sqltext.Expr{x.L, x.R}
	default:
		below = operandsOf(x)
	}
	for _, o := range below {
		walkExpr(o, visit)
	}
}
