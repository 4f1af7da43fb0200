package lancesql

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// negated is NOT IN, NOT BETWEEN and NOT LIKE over IN, BETWEEN and LIKE until literals are read: it is no NOT of its own to Lance.
const negated = "not"

// readLiterals gives literals beside columns the types in which Lance reads them, where these are not those that binding would
// give: a timestamp is cut to the unit of the column; a fraction beside a FLOAT column is a FLOAT only in a comparison that
// stands in the filter itself, by AND and OR at most, and else both are DOUBLE. top tells that e stands so.
//
// Source: pylance 14, tried.
func readLiterals(e expr.Expr, top bool) expr.Expr {
	switch e := e.(type) {
	case *expr.Compare, *expr.In, *expr.Between:
		return besideColumns(e, top)
	case *expr.Logical:
	case *expr.Call:
		if e.Name == negated {
			return expr.Negate(readLiterals(e.Args[0], top))
		}
		top = false
	default:
		top = false
	}
	children := expr.Children(e)
	if len(children) == 0 {
		return e
	}
	fresh := make([]expr.Expr, len(children))
	for i, c := range children {
		if c != nil {
			fresh[i] = readLiterals(c, top)
		}
	}
	return expr.WithChildren(e, fresh)
}

// besideColumns reads the literals of a comparison with a column.
func besideColumns(e expr.Expr, top bool) expr.Expr {
	operands := append([]expr.Expr(nil), expr.Children(e)...)
	var typ arrow.DataType
	fraction := false
	for i, x := range operands {
		switch x := x.(type) {
		case *expr.Column:
			typ = x.Typ
		case *expr.Literal:
			k := expr.KindOf(x.Typ)
			fraction = fraction || k == expr.KindDouble || k == expr.KindDecimal
		default:
			operands[i] = readLiterals(x, false)
		}
	}
	for i, x := range operands {
		switch x := x.(type) {
		case *expr.Column:
			if !top && fraction && expr.KindOf(x.Typ) == expr.KindFloat {
				operands[i] = expr.CastTo(x, arrow.PrimitiveTypes.Float64)
			}
		case *expr.Literal:
			operands[i] = cut(x, typ)
		}
	}
	return expr.WithChildren(e, operands)
}

// cut gives a timestamp in the unit of the column beside it, towards 1970 where it has finer digits.
func cut(l *expr.Literal, column arrow.DataType) expr.Expr {
	if column == nil || expr.KindOf(column) != expr.KindTimestamp || expr.KindOf(l.Typ) != expr.KindTimestamp {
		return l
	}
	n, ok := l.Value.(int64)
	per := expr.UnitNanos(column) / expr.UnitNanos(l.Typ)
	if !ok || per <= 1 {
		return l
	}
	return &expr.Literal{Value: n / per, Typ: expr.Storage(column)}
}
