package logical

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// typed binds one node whose operands are bound, and notes what that says of parameters among them.
func (b *binder) typed(e expr.Expr, pos int) (expr.Expr, error) {
	out, err := b.types.BindNode(e)
	if err != nil {
		return nil, b.at(pos, err)
	}
	for _, c := range expr.Children(out) {
		if p, ok := c.(*expr.Param); ok {
			b.setParam(p.Index, p.Typ)
		}
	}
	return out, nil
}

func isAggregate(name string) bool {
	f, ok := expr.FunctionByName(name)
	return ok && f.Kind == expr.AggregateFunc
}

func isWindowOnly(name string) bool {
	f, ok := expr.FunctionByName(name)
	return ok && f.Kind == expr.WindowFunc
}

func isScalar(name string) bool {
	f, ok := expr.FunctionByName(name)
	return ok && f.Kind == expr.Scalar
}

// operators have no node of their own; DuckDB's result is of the first operand's type.
var operators = []string{"&", "|", "<<", ">>", "~", "^@"}

// IsOperator tells whether a call's name is an operator, which the residual text writes between its operands.
func IsOperator(name string) bool { return slices.Contains(operators, name) }

func functionNames() []string {
	names := expr.FunctionNames()
	slices.Sort(names)
	return names
}

// commonType is the type of a set operation's column, nil where only DuckDB can tell.
func commonType(l, r arrow.DataType) arrow.DataType {
	t, err := expr.CommonType(l, r)
	if err != nil {
		return nil
	}
	return t
}
