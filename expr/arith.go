package expr

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// TypeArith gives the result type of l op r by DuckDB's rules, nil where only DuckDB can tell. It is an InvalidInput
// error where there is no such operator.
func TypeArith(op ArithOp, l, r Expr) (arrow.DataType, error) {
	lt, rt := l.Type(), r.Type()
	if lt == nil || rt == nil {
		return nil, nil
	}
	if op == Concat {
		return typeConcat(lt, rt)
	}
	lt, rt = operandType(l, rt), operandType(r, lt)
	lk, rk := KindOf(lt), KindOf(rt)
	switch {
	case lk == KindNull && rk == KindNull:
		return arrow.Null, nil
	case lk == KindNull && rk.Numeric():
		lt, lk = rt, rk
	case rk == KindNull && lk.Numeric():
		rt, rk = lt, lk
	}
	if lk.Numeric() && rk.Numeric() {
		return typeNumeric(op, lt, rt)
	}
	if lk == KindBool && rk == KindBool || lk == KindText || rk == KindText {
		return nil, noOperator(op, lt, rt)
	}
	return typeTemporal(op, lt, rt)
}

func noOperator(op ArithOp, l, r arrow.DataType) error {
	return errs.Invalidf("no operator matches %s %s %s - an explicit cast may help", SQLType(l), op, SQLType(r))
}

// operandType gives an operand's type; an integer literal takes the integer type next to it where it fits, and a text
// literal next to a number that number's type.
func operandType(e Expr, other arrow.DataType) arrow.DataType {
	l, ok := e.(*Literal)
	if !ok || l.Value == nil {
		return e.Type()
	}
	if KindOf(other) == KindInt && literalFits(l, other) {
		return other
	}
	if KindOf(l.Typ) == KindText && KindOf(other).Numeric() {
		return other
	}
	return l.Typ
}

func typeNumeric(op ArithOp, l, r arrow.DataType) (arrow.DataType, error) {
	lk, rk := KindOf(l), KindOf(r)
	switch {
	case lk == KindDouble || rk == KindDouble:
		return arrow.PrimitiveTypes.Float64, nil
	case lk == KindFloat || rk == KindFloat:
		return arrow.PrimitiveTypes.Float32, nil
	case op == Div:
		return arrow.PrimitiveTypes.Float64, nil
	case lk == KindInt && rk == KindInt:
		return arithInt(l, r), nil
	case op == IntDiv && (arrow.TypeEqual(Storage(l), hugeInt) || arrow.TypeEqual(Storage(r), hugeInt)):
		return nil, nil // DuckDB tells its HUGEINT from DECIMAL(38,0), which here are one type
	case op == IntDiv:
		return arrow.PrimitiveTypes.Float64, nil
	}
	return arithDecimal(op, l, r)
}

// arithInt is the type of an operator on two integers: DuckDB takes BIGINT for most mixes of signs.
func arithInt(l, r arrow.DataType) arrow.DataType {
	if Unsigned(l) == Unsigned(r) {
		return maxInt(l, r)
	}
	if Unsigned(l) {
		l, r = r, l
	}
	switch {
	case intBits(l) > intBits(r):
		return Storage(l)
	case intBits(r) == 64:
		return hugeInt
	}
	return arrow.PrimitiveTypes.Int64
}

func arithDecimal(op ArithOp, l, r arrow.DataType) (arrow.DataType, error) {
	lp, ls := decimalOf(l)
	rp, rs := decimalOf(r)
	if lp > 38 || rp > 38 {
		return nil, nil
	}
	var width, scale int32
	switch op {
	case Mod:
		if max(lp-ls, rp-rs)+max(ls, rs) > 38 {
			return arrow.PrimitiveTypes.Float64, nil
		}
		return maxDecimal(l, r), nil
	case Mul:
		width, scale = lp+rp, ls+rs
		if scale > 38 {
			return nil, errs.Invalidf("%s * %s needs a scale of %d, at most 38 is possible - an explicit cast may help",
				SQLType(l), SQLType(r), scale)
		}
	default:
		scale = max(ls, rs)
		width = max(lp-ls, rp-rs) + scale + 1
	}
	if width > 18 && lp <= 18 && rp <= 18 && scale < 18 {
		width = 18
	}
	return decimalType(min(width, 38), scale), nil
}

func typeConcat(l, r arrow.DataType) (arrow.DataType, error) {
	lk, rk := KindOf(l), KindOf(r)
	switch {
	case lk == KindNull && rk == KindNull:
		return arrow.Null, nil
	case lk == KindList && rk == KindList:
		return CommonType(l, r)
	case lk == KindList || rk == KindList:
		return nil, nil
	case lk == KindBlob && rk == KindBlob:
		return arrow.BinaryTypes.Binary, nil
	}
	return arrow.BinaryTypes.String, nil
}

func typeTemporal(op ArithOp, l, r arrow.DataType) (arrow.DataType, error) {
	lk, rk := KindOf(l), KindOf(r)
	if op == Add && (rk.Temporal() && !lk.Temporal()) {
		l, r, lk, rk = r, l, rk, lk
	}
	interval := arrow.FixedWidthTypes.MonthDayNanoInterval
	isSpan := rk == KindInterval || rk == KindDuration
	switch {
	case op != Add && op != Sub:
		if lk == KindInterval || rk == KindInterval {
			return interval, nil
		}
	case lk == KindDate && rk == KindInt:
		return arrow.FixedWidthTypes.Date32, nil
	case lk == KindDate && rk == KindDate && op == Sub:
		return arrow.PrimitiveTypes.Int64, nil
	case lk == KindDate && isSpan:
		return naiveMicros, nil
	case lk == KindDate && rk == KindTime && op == Add:
		return naiveMicros, nil
	case lk == KindTimestamp && isSpan:
		return &arrow.TimestampType{Unit: arrow.Microsecond}, nil
	case lk == KindTimestampTZ && isSpan:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, nil
	case lk == KindTime && isSpan:
		return arrow.FixedWidthTypes.Time64us, nil
	case op == Sub && lk.Temporal() && rk.Temporal() && lk != KindTime && rk != KindTime:
		return interval, nil
	case (lk == KindInterval || lk == KindDuration) && isSpan:
		return interval, nil
	}
	if lk == KindOther || rk == KindOther || lk == KindNull || rk == KindNull {
		return nil, nil
	}
	return nil, noOperator(op, l, r)
}

// bindArith types an operator and converts text literals next to numbers; numbers stay as they are, since the kernels
// (and DuckDB) widen them.
func bindArith(e *Arith, zone *time.Location) (Expr, error) {
	if readsElements(e.L, e.R) && e.Op != Concat {
		return &Arith{Op: e.Op, L: e.L, R: e.R}, nil
	}
	t, err := TypeArith(e.Op, e.L, e.R)
	if err != nil {
		return nil, err
	}
	l, r := e.L, e.R
	if e.Op != Concat {
		if l, err = numberLiteral(l, r, zone); err != nil {
			return nil, err
		}
		if r, err = numberLiteral(r, l, zone); err != nil {
			return nil, err
		}
	}
	return &Arith{Op: e.Op, L: l, R: r, Typ: t}, nil
}

func numberLiteral(e, other Expr, zone *time.Location) (Expr, error) {
	switch x := e.(type) {
	case *Param:
		if x.Typ == nil && other.Type() != nil {
			return &Param{Index: x.Index, Typ: other.Type()}, nil
		}
	case *Literal:
		if _, ok := x.Value.(string); ok && KindOf(other.Type()).Numeric() {
			return ConvertTo(x, Storage(other.Type()), zone)
		}
	}
	return e, nil
}
