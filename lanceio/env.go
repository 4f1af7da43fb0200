package lanceio

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// env is what an expression sees of some rows of a fragment. It owns its columns.
type env struct {
	f       *fragmentReader
	mem     memory.Allocator
	rows    int
	columns map[string]arrow.Array // top-level and special columns by name
}

func (e *env) release() {
	for _, c := range e.columns {
		c.Release()
	}
}

// bytes is about what the columns take.
func (e *env) bytes() int64 {
	var n int64
	for _, c := range e.columns {
		n += sizeOf(c, 0, c.Len())
	}
	return n
}

// mask gives whether a predicate is true at a row.
func (e *env) mask(ctx context.Context, pred expr.Expr) (func(i int) bool, error) {
	return nil, errs.Unsupportedf("filter %s", pred)
}

// value gives the values of an expression. The caller releases the array.
func (e *env) value(ctx context.Context, x expr.Expr) (arrow.Array, error) {
	return nil, errs.Unsupportedf("expression %s", x)
}
