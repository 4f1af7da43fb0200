package planner

import "github.com/lanceflight/flightsrv/expr"

func supports(e expr.Expr) bool {
	return !expr.Has(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Column, *expr.Literal, *expr.Compare, *expr.Logical, *expr.Not, *expr.In, *expr.Between, *expr.IsNull, *expr.IsTruth,
			*expr.Like, *expr.Arith, *expr.Neg, *expr.StatsTest, *expr.StatsState, *expr.Case:
			return false
		case *expr.Cast:
			return e.Try
		}
		return true
	})
}
