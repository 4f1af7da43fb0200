package lanceio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// env is what an expression sees of some rows of a fragment. It owns its columns.
type env struct {
	f       *fragmentReader
	mem     memory.Allocator
	rows    int
	columns map[string]arrow.Array // top-level and special columns by name
}

var _ eval.Env = (*env)(nil)

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

// Column gives a column that the step has read.
func (e *env) Column(_ int, name string) (arrow.Array, error) {
	c, ok := e.columns[name]
	if !ok {
		return nil, errs.New(errs.ErrInternal, "column %s was not read", expr.FieldPath{name})
	}
	return c, nil
}

// Holds tells whether the fragment has anything of a column.
func (e *env) Holds(_ int, name string) bool { return e.f.t.holds(e.f.f, name) }

// holds tells whether a fragment has anything of a column. A stats column that is not of the form min and max is not
// read, and counts as not there.
func (t *Table) holds(frag *table.Fragment, name string) bool {
	f := t.m.Schema.Field(name)
	if f == nil || !frag.Holds(f) {
		return false
	}
	_, ok := statsBounds(f)
	return ok || !isStats(name)
}

// mask gives the rows at which a predicate is true.
func (e *env) mask(pred expr.Expr) (eval.Bitmap, error) { return eval.Mask(pred, e, e.rows) }

// value gives the values of an expression. The caller releases the array.
func (e *env) value(x expr.Expr) (arrow.Array, error) {
	return eval.Eval(x, e, e.rows, e.mem)
}
