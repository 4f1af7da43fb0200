package lancesql

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// Functions that stand only in bound Lance filters: division and remainder of integers, which fail for zero.
const (
	DivideCall = expr.LanceDivide
	ModuloCall = expr.LanceModulo
)

// Filter parses and binds a filter over columns that resolve finds. The result is a boolean.
func Filter(filter string, resolve func(expr.Column) (expr.Column, error)) (expr.Expr, error) {
	e, err := Parse(filter)
	if err != nil {
		return nil, err
	}
	return Bind(e, resolve)
}

// Bind binds a parsed filter: as expr.Bind, but division and the order of floats are those of the dialect, literals are read as
// literals.go tells, and a text next to a number or a time is an error.
func Bind(e expr.Expr, resolve func(expr.Column) (expr.Column, error)) (expr.Expr, error) {
	typed, _, err := expr.Rewrite(e, func(e expr.Expr) (expr.Expr, error) {
		if c, ok := e.(*expr.Column); ok {
			f, err := resolve(*c)
			return &f, err
		}
		return e, checkTexts(e)
	})
	if err != nil {
		return nil, err
	}
	b := expr.Binder{Resolve: func(c expr.Column) (expr.Column, error) { return c, nil }}
	bound, err := b.Bind(readLiterals(typed, true))
	if err != nil {
		return nil, err
	}
	for _, rewrite := range []func(expr.Expr) (expr.Expr, error){divide, refuseMixed, orderFloats} {
		if bound, _, err = expr.Rewrite(bound, rewrite); err != nil {
			return nil, err
		}
	}
	if k := expr.KindOf(bound.Type()); k != expr.KindBool {
		return nil, errs.Invalidf("the filter %s is no predicate", bound)
	}
	if lists := expr.ElementComparisons(bound); len(lists) > 0 {
		return nil, errs.Invalidf("%s is a list and can't be compared with a single value", lists[0].Path)
	}
	return bound, nil
}

// checkTexts refuses a text literal next to a column that holds no texts, as Lance does.
func checkTexts(e expr.Expr) error {
	switch e.(type) {
	case *expr.Compare, *expr.In, *expr.Between:
	default:
		return nil
	}
	var column *expr.Column
	for _, c := range expr.Children(e) {
		if x, ok := c.(*expr.Column); ok && column == nil {
			column = x
		}
	}
	if column == nil {
		return nil
	}
	for _, c := range expr.Children(e) {
		l, ok := c.(*expr.Literal)
		if !ok || l.Value == nil {
			continue
		}
		if k := expr.KindOf(column.Typ); expr.KindOf(l.Typ) == expr.KindText && k != expr.KindText && k != expr.KindBlob {
			return errs.Invalidf("the text %s can't be compared with %s, which is of type %s", l, column.Path, expr.SQLType(column.Typ))
		}
	}
	return nil
}

// divide gives `/` and `%` their meaning by type: whole numbers divide to whole numbers and fail for zero.
func divide(e expr.Expr) (expr.Expr, error) {
	a, ok := e.(*expr.Arith)
	if !ok || a.Op != expr.IntDiv && a.Op != expr.Mod {
		return e, nil
	}
	if expr.KindOf(a.L.Type()) == expr.KindInt && expr.KindOf(a.R.Type()) == expr.KindInt && expr.KindOf(a.Typ) == expr.KindInt {
		name := DivideCall
		if a.Op == expr.Mod {
			name = ModuloCall
		}
		return &expr.Call{Name: name, Args: []expr.Expr{a.L, a.R}, Typ: a.Typ}, nil
	}
	if a.Op == expr.Mod {
		return e, nil
	}
	t, err := expr.TypeArith(expr.Div, a.L, a.R)
	if err != nil {
		return nil, err
	}
	return &expr.Arith{Op: expr.Div, L: a.L, R: a.R, Typ: t}, nil
}
