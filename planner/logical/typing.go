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
		_, err = b.types.BindNode(b.shown(e))
		return nil, b.at(pos, err)
	}
	for _, c := range expr.Children(out) {
		if p, ok := c.(*expr.Param); ok {
			b.setParam(p.Index, p.Typ)
		}
	}
	b.bound(out, pos)
	if b.o.Bound != nil {
		for _, c := range expr.Children(out) { // casts that were put in
			b.bound(c, pos)
		}
	}
	return out, nil
}

// shown is an expression for messages: its columns have the names that the statement knows them by.
func (b *binder) shown(e expr.Expr) expr.Expr {
	out, _, err := expr.Rewrite(e, func(e expr.Expr) (expr.Expr, error) {
		c, ok := e.(*expr.Column)
		if !ok {
			return e, nil
		}
		return &expr.Column{Rel: c.Rel, Path: b.shownPath(c), Typ: c.Typ}, nil
	})
	if err != nil {
		return e
	}
	return out
}

func (b *binder) shownPath(c *expr.Column) expr.FieldPath {
	if r := b.relations[c.Rel]; r != nil {
		if col, ok := r.keyed(c.Path[0]); ok {
			return append(expr.FieldPath{col.Name}, c.Path[1:]...)
		}
	}
	return c.Path
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
