package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// regClass binds the cast of a table's name to its number, as pg_class has it.
func (b *binder) regClass(x *sqltext.CastExpr, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	number := &expr.Literal{Typ: arrow.PrimitiveTypes.Int64}
	switch e := e.(type) {
	case *expr.Param:
		b.wantType(e, arrow.BinaryTypes.String)
		return number, nil // until it is bound
	case *expr.Literal:
		if e.Value == nil {
			return number, nil
		}
		if text, ok := e.Value.(string); ok {
			number.Value, err = b.numberOf(text, x.X.ExprPos())
			return number, err
		}
	}
	return nil, b.fault(errs.ErrUnsupported, x.Pos, "compare relname of pg_class, or its oid", "REGCLASS takes the name of a table as a text as it stands")
}

// numberOf gives the number of the table or view that a text names.
func (b *binder) numberOf(text string, pos int) (int64, error) {
	name, err := sqltext.ParseName(text)
	if err != nil {
		return 0, b.errorf(pos, "the text is no name of a table")
	}
	ref, err := b.tableRef(&sqltext.TableName{Name: name, Pos: pos})
	if err != nil {
		return 0, err
	}
	if ref.Version != "" {
		return 0, b.errorf(pos, "a table has one number for all its versions: name it without '@'")
	}
	src, err := b.source(ref, pos)
	if err != nil {
		return 0, err
	}
	return scan.OID(splitKey(src.Name())...), nil
}
