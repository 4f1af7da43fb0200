package scan

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// View is a query that has a table's name. A Resolver gives it as a Source, and the planner binds the query in its
// place: it has no columns before that, and can't be scanned.
type View struct {
	// Ref is the view's name, whole; names in its query are looked up in the same catalog and schema.
	Ref TableRef
	// Query is the text of one query.
	Query string
	// Temporary tells that a session has it, under its bare name.
	Temporary bool
}

var _ Source = (*View)(nil)

// ViewAt gives the place of the view that a bare name means among temporary ones, or -1.
func ViewAt(views []View, name string) int {
	return slices.IndexFunc(views, func(v View) bool { return strings.EqualFold(v.Ref.Table, name) })
}

// Name is the view's full name, as that of a table.
func (v *View) Name() string { return expr.FieldPath{v.Ref.Catalog, v.Ref.Schema, v.Ref.Table}.Key() }

// Version is 0: a view has none.
func (v *View) Version() uint64 { return 0 }

// Schema has no columns.
func (v *View) Schema() *arrow.Schema { return arrow.NewSchema(nil, nil) }

// Rows is not known.
func (v *View) Rows() int64 { return -1 }

// Plan refuses: a view has no rows of its own.
func (v *View) Plan(context.Context, Spec) (Plan, error) {
	return nil, errs.Invalidf("%s is a view: read it by a query, as SELECT * FROM %s", v.Name(), v.Name())
}
