package logical

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) param(x *sqltext.ParamRef) (expr.Expr, error) {
	if b.args != nil && x.Index < len(b.args) {
		return b.args[x.Index], nil
	}
	if x.Index < 0 || x.Index >= len(b.paramTypes) {
		return nil, b.errorf(x.Pos, "there is no parameter $%d", x.Index+1)
	}
	if b.o.Params == nil {
		return &expr.Param{Index: x.Index}, nil
	}
	if x.Index >= len(b.o.Params) {
		return nil, b.errorf(x.Pos, "a value is needed for each parameter: %d, not %d", len(b.paramTypes), len(b.o.Params))
	}
	return b.o.Params[x.Index], nil
}

// setParam notes the type that a parameter's place tells; the first place wins.
func (b *binder) setParam(i int, t arrow.DataType) {
	if i < len(b.paramTypes) && b.paramTypes[i] == nil && t != nil && t.ID() != arrow.NULL {
		b.paramTypes[i] = t
	}
}

// wantType notes that a bare parameter stands where a value of type t belongs.
func (b *binder) wantType(e expr.Expr, t arrow.DataType) {
	if p, ok := e.(*expr.Param); ok && p.Typ == nil {
		b.setParam(p.Index, t)
	}
}

// wantValue is wantType for a place where NULL can't stand, or is another thing than a value: v, of the type, stands in for the parameter until it is bound.
func (b *binder) wantValue(e expr.Expr, v *expr.Literal) {
	b.wantType(e, v.Typ)
	if p, ok := e.(*expr.Param); ok && p.Index < len(b.standIns) && arrow.TypeEqual(b.paramTypes[p.Index], v.Typ) {
		b.standIns[p.Index] = v
	}
}

// wantSame notes that a bare parameter stands beside another operand, whose type it takes; beside a variable's values
// that is the type of an element, beside a decimal that is no column the type that programs bind for a number. The fields of two
// rows stand beside each other.
func (b *binder) wantSame(l, r expr.Expr) {
	if left, right := rowOf(l), rowOf(r); left != nil && len(left) == len(right) {
		for i := range left {
			b.wantSame(left[i], right[i])
		}
		return
	}
	for _, p := range [][2]expr.Expr{{l, r}, {r, l}} {
		t := p[1].Type()
		if c, ok := p[1].(*expr.Column); !ok {
			t = numberBeside(t)
		} else if b.isValues(c) {
			t = expr.Elem(c.Typ)
		}
		if _, isParam := p[1].(*expr.Param); !isParam {
			b.wantType(p[0], t)
		}
	}
}

// numberBeside gives the type of a parameter beside a number of type t that is no column or is computed with: for decimals DOUBLE,
// since drivers bind a decimal with the scale that is announced and no other, and BIGINT for those without digits after the point.
func numberBeside(t arrow.DataType) arrow.DataType {
	switch d, ok := t.(arrow.DecimalType); {
	case !ok:
		return t
	case d.GetScale() == 0:
		return arrow.PrimitiveTypes.Int64
	}
	return arrow.PrimitiveTypes.Float64
}

// rowOf gives the fields of a row that is written as (a, b); nil of anything else.
func rowOf(e expr.Expr) []expr.Expr {
	if call, ok := e.(*expr.Call); ok && call.Name == "row" {
		return call.Args
	}
	return nil
}

// arithOperand gives a bare parameter the type that it has beside a date, time, interval or decimal, where that is not the other
// operand's: what DuckDB adds to, takes from or multiplies with it. Beside a text or number, || makes a text.
func arithOperand(op expr.ArithOp, e expr.Expr, other arrow.DataType, left bool) expr.Expr {
	p, ok := e.(*expr.Param)
	if !ok || p.Typ != nil || other == nil {
		return e
	}
	t := numberBeside(other)
	switch kind := expr.KindOf(other); {
	case op == expr.Concat && (kind == expr.KindText || kind.Numeric()):
		t = arrow.BinaryTypes.String
	case kind != expr.KindDecimal:
		t = timeOperand(op, other, left)
	}
	if t == nil {
		return e
	}
	return &expr.Param{Index: p.Index, Typ: t}
}

// timeOperand gives the type of a parameter beside a date, time or interval; nil where that is the other operand's.
func timeOperand(op expr.ArithOp, other arrow.DataType, left bool) arrow.DataType {
	switch other.ID() {
	case arrow.INTERVAL_MONTH_DAY_NANO:
		switch {
		case op == expr.Add, op == expr.Sub && left:
			return naive(arrow.Microsecond)
		case op == expr.Mul, op == expr.Div && !left:
			return arrow.PrimitiveTypes.Int64
		}
	case arrow.DATE32, arrow.DATE64:
		if op == expr.Add {
			return arrow.PrimitiveTypes.Int32 // days
		}
	case arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64:
		if op == expr.Add {
			return arrow.FixedWidthTypes.MonthDayNanoInterval
		}
	}
	return nil
}

// sameTyped are the functions whose arguments are all of one type.
var sameTyped = map[string]bool{"coalesce": true, "nullif": true, "greatest": true, "least": true, "ifnull": true, "list_value": true,
	"list_concat": true, "list_cat": true, "array_concat": true, "array_cat": true}

// argTypes are the types that arguments of functions are meant to have, by their places; nil where any may stand, or the others tell.
var argTypes = map[string][]arrow.DataType{
	"lpad": {nil, arrow.PrimitiveTypes.Int32}, "rpad": {nil, arrow.PrimitiveTypes.Int32}, "round": {nil, arrow.PrimitiveTypes.Int32},
	"trunc": {nil, arrow.PrimitiveTypes.Int32}, "list_slice": {nil, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64},
	"array_slice": {nil, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64},
	"split_part":  {nil, nil, arrow.PrimitiveTypes.Int64}, "regexp_extract": {nil, nil, arrow.PrimitiveTypes.Int32},
	"time_bucket": {arrow.FixedWidthTypes.MonthDayNanoInterval}, "date_add": {nil, arrow.FixedWidthTypes.MonthDayNanoInterval},
	"chr": {arrow.PrimitiveTypes.Int32}, "factorial": {arrow.PrimitiveTypes.Int32}, "octet_length": {arrow.BinaryTypes.Binary},
	"ntile": {arrow.PrimitiveTypes.Int64}, "nth_value": {nil, arrow.PrimitiveTypes.Int64},
	"lag": {nil, arrow.PrimitiveTypes.Int64}, "lead": {nil, arrow.PrimitiveTypes.Int64},
}

// inLists are the functions of a list and of what may be an element of it.
var inLists = map[string]bool{"list_contains": true, "list_has": true, "array_contains": true, "array_has": true,
	"list_position": true, "list_indexof": true, "array_position": true, "array_indexof": true}

// wantArgs notes types of bare parameters among a function's arguments.
func (b *binder) wantArgs(name string, es []expr.Expr) {
	for i, t := range argTypes[name] {
		if i < len(es) && t != nil {
			b.wantType(es[i], t)
		}
	}
	switch {
	case sameTyped[name]:
		b.wantAllSame(es)
	case inLists[name] && len(es) == 2:
		b.wantList(es[0], es[1])
	case (name == "lag" || name == "lead") && len(es) == 3:
		b.wantSame(es[0], es[2])
	case name == "range" || name == "generate_series":
		b.wantSteps(es)
	}
}

// wantAllSame notes for parameters the type of the first operand that has one.
func (b *binder) wantAllSame(es []expr.Expr) {
	i := slices.IndexFunc(es, func(e expr.Expr) bool {
		_, isParam := e.(*expr.Param)
		return !isParam && e.Type() != nil && e.Type().ID() != arrow.NULL
	})
	if i < 0 {
		return
	}
	for _, e := range es {
		b.wantSame(e, es[i])
	}
}

// wantList notes for a list and its element what one tells of the other.
func (b *binder) wantList(list, elem expr.Expr) {
	if t := elem.Type(); t != nil && t.ID() != arrow.NULL {
		b.wantType(list, arrow.ListOf(expr.Storage(numberBeside(t))))
	}
	b.wantType(elem, expr.Elem(list.Type()))
}

// wantSteps notes for the bounds of a range that they are whole numbers, or times where one is and the step an interval then.
func (b *binder) wantSteps(es []expr.Expr) {
	bound, step := arrow.DataType(arrow.PrimitiveTypes.Int64), arrow.DataType(arrow.PrimitiveTypes.Int64)
	for i, e := range es {
		t := e.Type()
		switch k := expr.KindOf(t); {
		case t == nil || k == expr.KindInt || k == expr.KindNull:
			continue
		case i == 2: // an interval: the bounds are times
			bound, step = naive(arrow.Microsecond), t
		default:
			bound, step = t, arrow.FixedWidthTypes.MonthDayNanoInterval
		}
		break
	}
	for i, e := range es {
		if i == 2 {
			bound = step
		}
		b.wantType(e, bound)
	}
}

// arguments binds the arguments of a function. A lambda beside a list is told the types of its parameters.
func (b *binder) arguments(name string, args []sqltext.Expr, c *exprCtx) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(args))
	for i, x := range args {
		in := *c
		if _, ok := x.(*sqltext.LambdaExpr); ok && i > 0 {
			in.lambdaTypes = lambdaTypes(name, expr.Elem(out[0].Type()), len(args))
		}
		e, err := b.expr(x, &in)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// lambdaTypes are the types of the parameters of a list function's lambda: an element and its index, with what is reduced so far before them.
func lambdaTypes(name string, elem arrow.DataType, args int) []arrow.DataType {
	index := arrow.PrimitiveTypes.Int64
	switch {
	case elem == nil:
	case elem.ID() == arrow.NULL: // any type
		elem = nil
	default:
		elem = expr.Storage(elem)
	}
	switch {
	case !strings.HasSuffix(name, "reduce"):
		return []arrow.DataType{elem, index}
	case args > 2: // it starts with another value, which may be of another type
		return []arrow.DataType{nil, elem, index}
	}
	return []arrow.DataType{elem, elem, index}
}

func typeAt(types []arrow.DataType, i int) arrow.DataType {
	if i < len(types) {
		return types[i]
	}
	return nil
}

// roundsTo refuses to announce what a decimal is when it is rounded to a number of digits that is not known yet: DuckDB makes the type by it.
func (b *binder) roundsTo(name string, es []expr.Expr, pos int) error {
	if name != "round" && name != "trunc" || len(es) != 2 || expr.KindOf(es[0].Type()) != expr.KindDecimal {
		return nil
	}
	isParam := func(e expr.Expr) bool { _, ok := e.(*expr.Param); return ok }
	if !expr.Has(es[1], isParam) {
		return nil
	}
	return b.fault(errs.ErrInvalidInput, pos, "write the number, or CAST the decimal to DOUBLE", "the type of a decimal that %s gives depends on the number of digits, which is a parameter", name)
}
