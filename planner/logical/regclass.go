package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// regClass binds the cast of a table's name to its number, as pg_class has it. A number stays as it is.
func (b *binder) regClass(x *sqltext.CastExpr, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	number := &expr.Literal{Typ: arrow.PrimitiveTypes.Int64}
	if p, ok := e.(*expr.Param); ok {
		b.wantType(p, arrow.BinaryTypes.String)
		return number, nil // until it is bound
	}
	if expr.KindOf(e.Type()) == expr.KindInt {
		return b.typed(&expr.Cast{X: e, To: number.Typ}, x.Pos)
	}
	l := literalIn(e)
	if l == nil {
		return nil, b.fault(errs.ErrUnsupported, x.Pos, "compare relname of pg_class, or its oid", "REGCLASS takes the name of a table as a text as it stands")
	}
	if text, ok := l.Value.(string); ok {
		number.Value, err = b.numberOf(text, x.X.ExprPos())
	}
	return number, err
}

// literalIn gives a literal text or NULL, maybe cast; nil where there is something else.
func literalIn(e expr.Expr) *expr.Literal {
	for {
		switch x := e.(type) {
		case *expr.Cast:
			e = x.X
		case *expr.Literal:
			if _, text := x.Value.(string); text || x.Value == nil {
				return x
			}
			return nil
		default:
			return nil
		}
	}
}

// nameOfNumber is the name of a table or view by its number, with its schema where that is not the session's; the number where
// there is none.
const nameOfNumber = `coalesce((SELECT CASE WHEN schema_name = current_schema() THEN '' ELSE quote_ident(schema_name) || '.' END || quote_ident(table_name)
	FROM ` + relationTable + ` WHERE database_name = current_catalog AND table_oid = $1), $1::VARCHAR)`

// regClassName binds the cast of a number, as REGCLASS, to a text.
func (b *binder) regClassName(x *sqltext.CastExpr, c *exprCtx) (expr.Expr, error) {
	e, err := b.regClass(x, c)
	if err != nil {
		return nil, err
	}
	if _, named := e.(*expr.Literal); named {
		return nil, b.fault(errs.ErrUnsupported, x.Pos, "take the text itself", "a text that became a REGCLASS is not made a text again")
	}
	if err := b.steady(x.Pos, e); err != nil {
		return nil, err
	}
	return b.expand(nameOfNumber, []expr.Expr{e}, c)
}

// numberOf gives the number of the table or view that a text names.
func (b *binder) numberOf(text string, pos int) (int64, error) {
	name, err := sqltext.ParseName(text)
	if err != nil {
		return 0, b.errorf(pos, "the text is no name of a table")
	}
	number, _, err := b.numbered(&sqltext.TableName{Name: name, Pos: pos})
	return number, err
}

// numbered gives the number of a table or view, and its whole name.
func (b *binder) numbered(t *sqltext.TableName) (int64, []string, error) {
	ref, err := b.tableRef(t)
	if err != nil {
		return 0, nil, err
	}
	if ref.Version != "" {
		return 0, nil, b.errorf(t.Pos, "a table has one number for all its versions: name it without '@'")
	}
	src, err := b.source(ref, t.Pos)
	if err != nil {
		return 0, nil, err
	}
	name := splitKey(src.Name())
	return scan.OID(name...), name, nil
}
