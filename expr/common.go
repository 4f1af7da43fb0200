package expr

import (
	"errors"
	"math"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

var (
	hugeInt     = &arrow.Decimal128Type{Precision: 38}
	naiveMicros = &arrow.TimestampType{Unit: arrow.Microsecond}
)

// signedOf and unsignedOf give the integer types by bits.
var (
	signedOf = map[int]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16,
		32: arrow.PrimitiveTypes.Int32, 64: arrow.PrimitiveTypes.Int64}
)

func intBits(t arrow.DataType) int { return Storage(t).(arrow.FixedWidthDataType).BitWidth() }

// intDigits is the width DuckDB gives an integer type next to a decimal.
func intDigits(t arrow.DataType) int32 {
	return map[arrow.Type]int32{arrow.INT8: 3, arrow.UINT8: 3, arrow.INT16: 5, arrow.UINT16: 5, arrow.INT32: 10,
		arrow.UINT32: 10, arrow.INT64: 19, arrow.UINT64: 20}[Storage(t).ID()]
}

func decimalOf(t arrow.DataType) (precision, scale int32) {
	if d, ok := Storage(t).(arrow.DecimalType); ok {
		return d.GetPrecision(), d.GetScale()
	}
	return intDigits(t), 0
}

// maxInt gives the smallest integer type that holds both, a decimal of 38 digits where none does.
func maxInt(a, b arrow.DataType) arrow.DataType {
	aw, bw := intBits(a), intBits(b)
	switch {
	case Unsigned(a) == Unsigned(b):
		if aw >= bw {
			return Storage(a)
		}
		return Storage(b)
	case Unsigned(a):
		a, aw, bw = b, bw, aw
	}
	// a is signed, b of bw bits unsigned
	switch {
	case aw > bw:
		return Storage(a)
	case bw == 64:
		return hugeInt
	}
	return signedOf[2*bw]
}

func maxDecimal(a, b arrow.DataType) arrow.DataType {
	ap, as := decimalOf(a)
	bp, bs := decimalOf(b)
	scale := max(as, bs)
	width := max(ap-as, bp-bs) + scale
	if _, wide := Storage(a).(*arrow.Decimal256Type); wide || Storage(b).ID() == arrow.DECIMAL256 {
		return decimalType(min(width, 76), scale)
	}
	return decimalType(min(width, 38), scale)
}

// CommonType gives the type that holds values of both types, as CASE, COALESCE and UNION find it. NULL takes the other
// type. It is an InvalidInput error where DuckDB wants a cast.
func CommonType(a, b arrow.DataType) (arrow.DataType, error) {
	if a == nil || b == nil {
		return nil, nil
	}
	if arrow.TypeEqual(a, b) {
		return a, nil
	}
	ak, bk := KindOf(a), KindOf(b)
	switch {
	case ak == KindNull:
		return b, nil
	case bk == KindNull:
		return a, nil
	case ak == KindInt && bk == KindInt:
		return maxInt(a, b), nil
	case ak.Exact() && bk.Exact():
		return maxDecimal(a, b), nil
	case ak.Numeric() && bk.Numeric():
		if ak == KindDouble || bk == KindDouble {
			return arrow.PrimitiveTypes.Float64, nil
		}
		return arrow.PrimitiveTypes.Float32, nil
	case ak == KindBool && bk == KindInt:
		return b, nil
	case ak == KindInt && bk == KindBool:
		return a, nil
	case ak.Temporal() && bk.Temporal():
		return commonTemporal(a, b)
	case ak == bk && ak != KindOther:
		return commonSame(a, b, ak)
	case ak == KindInterval && bk == KindDuration || ak == KindDuration && bk == KindInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval, nil
	}
	return nil, mixError(a, b)
}

func mixError(a, b arrow.DataType) error {
	return errs.Invalidf("cannot mix values of type %s and type %s - an explicit cast is required", SQLType(a), SQLType(b))
}

func commonSame(a, b arrow.DataType, k Kind) (arrow.DataType, error) {
	switch k {
	case KindText:
		return arrow.BinaryTypes.String, nil
	case KindBlob:
		return arrow.BinaryTypes.Binary, nil
	case KindDuration:
		if unitNanos(a) <= unitNanos(b) {
			return a, nil
		}
		return b, nil
	case KindInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval, nil
	case KindList:
		e, err := CommonType(Elem(a), Elem(b))
		if err != nil || e == nil {
			return nil, err
		}
		return arrow.ListOf(e), nil
	}
	return Storage(a), nil
}

func commonTemporal(a, b arrow.DataType) (arrow.DataType, error) {
	ak, bk := KindOf(a), KindOf(b)
	if ak == KindTime || bk == KindTime {
		if ak != bk {
			return nil, mixError(a, b)
		}
		if unitNanos(a) <= unitNanos(b) {
			return a, nil
		}
		return b, nil
	}
	if ak == KindDate && bk == KindDate {
		return arrow.FixedWidthTypes.Date32, nil
	}
	t := &arrow.TimestampType{Unit: arrow.Second}
	if ak == KindTimestampTZ || bk == KindTimestampTZ {
		t = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	}
	for _, x := range []arrow.DataType{a, b} { // a date adds nothing to the unit
		if ts, ok := Storage(x).(*arrow.TimestampType); ok {
			t.Unit = max(t.Unit, ts.Unit)
		}
	}
	return t, nil
}

// isLiteral tells whether e is a literal or a parameter: it takes the type of what stands next to it.
func isLiteral(e Expr) bool {
	switch e.(type) {
	case *Literal, *Param:
		return true
	}
	return false
}

// CommonTypeOf is CommonType over expressions, taken from left to right as DuckDB does: of two, an integer literal takes the
// integer type of the other where it fits, a text literal any type; two literals, or a literal and NULL, have the types of
// literals alone. The type is nil where that of an operand is not known.
func CommonTypeOf(es ...Expr) (arrow.DataType, error) {
	var sofar Expr
	for _, e := range es {
		if e.Type() == nil {
			if p, ok := e.(*Param); ok && p.Typ == nil {
				continue
			}
			return nil, nil
		}
		if sofar == nil {
			sofar = e
			continue
		}
		t, err := commonOfTwo(sofar, e)
		if err != nil {
			return nil, err
		}
		sofar = &Column{Typ: t}
	}
	if sofar == nil {
		return arrow.Null, nil
	}
	return Storage(sofar.Type()), nil // a computed value is no dictionary and no extension
}

func commonOfTwo(a, b Expr) (arrow.DataType, error) {
	l, r := a.Type(), b.Type()
	switch {
	case KindOf(l) == KindNull || KindOf(r) == KindNull:
	case writtenText(a) && !writtenText(b):
		return r, nil
	case writtenText(b) && !writtenText(a):
		return l, nil
	case takes(r, a) && !isWhole(b):
		return r, nil
	case takes(l, b) && !isWhole(a):
		return l, nil
	}
	return CommonType(l, r)
}

// writtenText tells whether e is a text literal.
func writtenText(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Value != nil && KindOf(l.Typ) == KindText
}

func isWhole(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && integerLiteral(l)
}

// takes tells whether e is an integer literal that is a value of the integer type t.
func takes(t arrow.DataType, e Expr) bool {
	l, ok := e.(*Literal)
	return ok && KindOf(t) == KindInt && literalFits(l, t)
}

// literalFits tells whether an integer literal is a value of the integer type t.
func literalFits(l *Literal, t arrow.DataType) bool {
	n, _, ok := Exact(l.Value, l.Typ)
	if !ok || !integerLiteral(l) {
		return false
	}
	_, ok = IntValue(n, t)
	return ok
}

// integerLiteral tells whether l was written as a whole number: those past BIGINT are decimals of 38 digits here. What was bound as a
// BIGINT is one, however small.
func integerLiteral(l *Literal) bool {
	switch v := l.Value.(type) {
	case int64:
		return arrow.TypeEqual(Storage(l.Typ), Int(v).Typ)
	case uint64:
		return KindOf(l.Typ) == KindInt && v > math.MaxInt64
	}
	return l.Value != nil && arrow.TypeEqual(Storage(l.Typ), hugeInt)
}

// ConvertTo gives e as type t: itself where it has that type, a converted literal, or an implicit cast.
func ConvertTo(e Expr, t arrow.DataType, zone *time.Location) (Expr, error) {
	switch x := e.(type) {
	case *Literal:
		if arrow.TypeEqual(x.Typ, t) {
			return e, nil
		}
		v, err := literalValue(x, t, zone)
		if err == nil {
			return &Literal{Value: v, Typ: t}, nil
		}
		if !errors.Is(err, errs.ErrUnsupported) {
			return nil, err
		}
	case *Param:
		if x.Typ == nil {
			return &Param{Index: x.Index, Typ: t}, nil
		}
	}
	if e.Type() == nil || arrow.TypeEqual(e.Type(), t) {
		return e, nil
	}
	return &Cast{X: e, To: t, Implicit: true, Zone: castZone(e.Type(), t, zone)}, nil
}

// castZone gives the zone that a cast depends on: the session's, between a type with a zone and one without.
func castZone(from, to arrow.DataType, zone *time.Location) string {
	if zone == nil || zone == time.UTC || (KindOf(from) == KindTimestampTZ) == (KindOf(to) == KindTimestampTZ) {
		return ""
	}
	return zone.String()
}

// literalValue converts a literal. A decimal literal read as a float is the float nearest to its digits, as if the
// digits had been written for it.
func literalValue(l *Literal, t arrow.DataType, zone *time.Location) (any, error) {
	if n, ok := l.Value.(*big.Int); ok && (KindOf(t) == KindFloat || KindOf(t) == KindDouble) {
		_, scale := decimalOf(l.Typ)
		f, fine := textToFloat(FormatDecimal(n, scale), KindOf(t) == KindFloat)
		if fine && !math.IsInf(f, 0) {
			return f, nil
		}
	}
	return CastValue(l.Value, l.Typ, t, zone)
}
