package lancesql

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// orderFloats gives comparisons of floats the order of Lance: IEEE 754's total order, but for zeros beside a literal, which are
// equal. A column beside a literal keeps its comparison, which scans can look up, with the NaNs of negative sign put right.
func orderFloats(e expr.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *expr.Between:
		if isFloat(e.X) || isFloat(e.Lo) || isFloat(e.Hi) {
			low, high := orderPair(expr.Ge, e.X, e.Lo), orderPair(expr.Le, e.X, e.Hi)
			return &expr.Logical{Op: expr.And, Args: []expr.Expr{low, high}}, nil
		}
	case *expr.Compare:
		if isFloat(e.L) || isFloat(e.R) {
			return orderPair(e.Op, e.L, e.R), nil
		}
	}
	return e, nil
}

var mirrored = map[expr.CompareOp]expr.CompareOp{expr.Lt: expr.Gt, expr.Le: expr.Ge, expr.Gt: expr.Lt, expr.Ge: expr.Le}

func orderPair(op expr.CompareOp, l, r expr.Expr) expr.Expr {
	if _, ok := l.(*expr.Literal); ok {
		l, r = r, l
		if m, ok := mirrored[op]; ok {
			op = m
		}
	}
	lit, ok := r.(*expr.Literal)
	if !ok {
		return expr.Cmp(op, place(l), place(r))
	}
	if column(l) == nil {
		zero := &expr.Arith{Op: expr.Add, L: double(l), R: &expr.Literal{Value: 0.0, Typ: arrow.PrimitiveTypes.Float64}, Typ: arrow.PrimitiveTypes.Float64} // -0.0 becomes 0.0
		return expr.Cmp(op, place(zero), placeOf(lit))
	}
	compared := expr.Cmp(op, l, r)
	below := expr.Cmp(expr.Lt, place(l), expr.Int(expr.TotalOrder(math.Inf(-1))))
	switch op {
	case expr.Lt, expr.Le:
		return &expr.Logical{Op: expr.Or, Args: []expr.Expr{compared, below}}
	case expr.Gt, expr.Ge:
		return &expr.Logical{Op: expr.And, Args: []expr.Expr{compared, &expr.Not{X: below}}}
	}
	return compared
}

// placeOf gives the place of a number literal.
func placeOf(l *expr.Literal) expr.Expr {
	f, ok := l.Value.(float64)
	if !ok {
		return place(l)
	}
	if f == 0 {
		f = 0 // of either sign
	}
	return expr.Int(expr.TotalOrder(f))
}

func place(e expr.Expr) expr.Expr {
	return &expr.Call{Name: expr.LanceOrder, Args: []expr.Expr{double(e)}, Typ: arrow.PrimitiveTypes.Int64}
}

func double(e expr.Expr) expr.Expr {
	if expr.KindOf(e.Type()) == expr.KindDouble {
		return e
	}
	return &expr.Cast{X: e, To: arrow.PrimitiveTypes.Float64, Implicit: true}
}

func isFloat(e expr.Expr) bool {
	k := expr.KindOf(e.Type())
	return k == expr.KindFloat || k == expr.KindDouble
}

// column gives the column that e is, or is a conversion of.
func column(e expr.Expr) *expr.Column {
	if c, ok := e.(*expr.Cast); ok {
		return column(c.X)
	}
	c, _ := e.(*expr.Column)
	return c
}

// refuseMixed refuses comparisons of texts with other values, which Lance decides by how it simplifies them.
func refuseMixed(e expr.Expr) (expr.Expr, error) {
	switch e.(type) {
	case *expr.Compare, *expr.In, *expr.Between:
	default:
		return e, nil
	}
	for _, c := range expr.Children(e) {
		if x, ok := c.(*expr.Cast); ok && x.Implicit && expr.KindOf(x.X.Type()) == expr.KindText {
			return nil, errs.Invalidf("%s is a text, and compared with another kind of value: cast one of them", x.X)
		}
	}
	return e, nil
}
