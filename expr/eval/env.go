package eval

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// Env gives the rows that an expression is evaluated over.
type Env interface {
	// Column gives the top-level column of that name of a relation, with one value per row. The array is lent until the
	// evaluation is over; struct columns need hold only the fields that are read.
	Column(rel int, name string) (arrow.Array, error)
	// Holds tells whether the rows' fragment holds the top-level column. Only variables and their stats columns are
	// asked for: a fragment that lacks both lacks the variable.
	Holds(rel int, name string) bool
}

// Batch is an Env over one record batch of one relation.
type Batch struct {
	Rows arrow.RecordBatch
	// Lacks are the top-level columns that the rows' fragment does not hold, if any.
	Lacks map[string]bool
}

// Column gives a column of the batch.
func (b Batch) Column(_ int, name string) (arrow.Array, error) {
	idx := b.Rows.Schema().FieldIndices(name)
	if len(idx) != 1 {
		return nil, errs.New(errs.ErrInternal, "column %s is not in the batch", expr.FieldPath{name})
	}
	return b.Rows.Column(idx[0]), nil
}

// Holds tells that the batch's fragment has the column.
func (b Batch) Holds(_ int, name string) bool {
	return !b.Lacks[name] && len(b.Rows.Schema().FieldIndices(name)) > 0
}
