package engine

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// evalExpr computes an expression over a batch; the caller releases the array.
func evalExpr(mem memory.Allocator, x expr.Expr, in arrow.RecordBatch) (arrow.Array, error) {
	arr, err := eval.Eval(x, eval.Batch{Rows: in}, int(in.NumRows()), mem)
	if err == nil {
		return arr, nil
	}
	if text := x.String() + ": "; !strings.HasPrefix(err.Error(), text) { // where x itself failed, it is named already
		err = fmt.Errorf("%s%w", text, err)
	}
	return nil, err
}
