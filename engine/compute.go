package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// evalExpr computes an expression over a batch; the caller releases the array.
func evalExpr(_ context.Context, _ memory.Allocator, x expr.Expr, _ arrow.RecordBatch) (arrow.Array, error) {
	return nil, errs.Unsupportedf("expression %s can't be computed yet", x)
}
