package logical

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

func parseLance(string) (expr.Expr, error) {
	return nil, errs.Unsupportedf("lance_sql is not there yet")
}
