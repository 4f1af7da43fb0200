package planner

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// supports tells whether a scan, or a direct plan, can compute a bound expression.
func supports(e expr.Expr) bool { return eval.Supports(e) }
