package expr

import (
	"math"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// Compared values keep their types where the kernels compare them exactly as they are: integers with decimals of any
// width, timestamps and dates of any unit, durations, texts. Only these are converted:
//
//	text literal | anything else   -> the other's type (rounded for integers and decimals); in IN and BETWEEN the type
//	                                  that holds all the others
//	text column  | number, time    -> for = <> IN the other's type; for < > an error
//	DOUBLE       | exact number    -> DOUBLE
//	FLOAT        | exact number    -> FLOAT
//	FLOAT        | DOUBLE literal  -> FLOAT, unless it is out of FLOAT's range
//	FLOAT        | DOUBLE          -> as they are, compared as DOUBLE; literals in the same list become DOUBLE
//	bool         | number          -> the number's type; only an integer has an order beside one
//	zoned        | naive timestamp -> zoned, at the session's zone
//	duration     | INTERVAL        -> duration for a literal that is a whole number of its units
//
// Source: docs/reference.md, 'Filters on values' (comparison types), and DuckDB 1.5.

// CoerceCompare converts both sides of a comparison as far as needed so that they compare. equality is true for = <>
// IN and IS DISTINCT FROM. zone is the session's, nil for UTC.
func CoerceCompare(l, r Expr, equality bool, zone *time.Location) (Expr, Expr, error) {
	out, err := coerceAll([]Expr{l, r}, equality, zone)
	if err != nil {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

// TypeOfCompare gives the type in which two values compare, nil where it is not known; it is the type both would be
// cast to in a USING join or an IN with a subquery.
func TypeOfCompare(l, r Expr) (arrow.DataType, error) {
	a, b, err := CoerceCompare(l, r, true, nil)
	if err != nil {
		return nil, err
	}
	return CommonTypeOf(a, b)
}

// coerceAll converts operands that are compared with the first one.
func coerceAll(es []Expr, equality bool, zone *time.Location) ([]Expr, error) {
	out := append([]Expr(nil), es...)
	typed, err := coerceTexts(out, equality, zone)
	if err != nil {
		return nil, err
	}
	var kinds [KindList + 1]int
	for _, e := range out {
		if t := e.Type(); t != nil {
			kinds[KindOf(t)]++
		} else if typed != nil {
			if out, err = typeParams(out, typed); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case kinds[KindBool] > 0 && kinds[KindInt]+kinds[KindDecimal]+kinds[KindFloat]+kinds[KindDouble] > 0:
		return coerceBools(out, equality, zone)
	case kinds[KindFloat]+kinds[KindDouble] > 0:
		return coerceFloats(out, zone)
	case kinds[KindTimestampTZ] > 0 && kinds[KindTimestamp]+kinds[KindDate] > 0:
		return coerceZoned(out, zone)
	case kinds[KindDuration] > 0 && kinds[KindInterval] > 0:
		return coerceDurations(out)
	}
	return out, comparable(out)
}

// typeBesideTexts gives the type as which a text among es is read, nil where all are texts: the type of the others,
// one that holds each of them where they differ.
func typeBesideTexts(es []Expr) arrow.DataType {
	var others []Expr
	single, double := false, false
	for _, e := range es {
		t := e.Type()
		if t == nil || KindOf(t) == KindText || KindOf(t) == KindNull {
			continue
		}
		others = append(others, e)
		single = single || KindOf(t) == KindFloat
		double = double || KindOf(t) == KindDouble && !isLiteral(e)
	}
	if len(others) == 0 {
		return nil
	}
	if single && !double {
		return arrow.PrimitiveTypes.Float32
	}
	first := others[0].Type()
	for _, o := range others[1:] {
		if arrow.TypeEqual(first, o.Type()) {
			continue
		}
		if t, err := CommonTypeOf(others...); err == nil && t != nil {
			return t
		}
		break // they don't compare, which is found later
	}
	return first
}

// coerceTexts turns text literals into the type of the operands that are no texts, and text columns too where
// equality allows. It gives that type, nil where there is none.
func coerceTexts(es []Expr, equality bool, zone *time.Location) (arrow.DataType, error) {
	typed := typeBesideTexts(es)
	for i, e := range es {
		t := e.Type()
		if typed == nil || t == nil || KindOf(t) != KindText {
			continue
		}
		l, isLit := e.(*Literal)
		if !isLit && (!equality || KindOf(typed) == KindList || KindOf(typed) == KindOther) {
			if KindOf(typed) == KindOther {
				continue
			}
			return nil, compareError(t, typed)
		}
		if KindOf(typed) == KindOther || KindOf(typed) == KindList {
			continue
		}
		var err error
		if isLit {
			es[i], err = textLiteralAs(l, typed, zone)
		} else {
			es[i], err = ConvertTo(e, Storage(typed), zone)
		}
		if err != nil {
			return nil, err
		}
	}
	return typed, nil
}

// textLiteralAs reads a text as a value of type t. Instants and times of day are read in microseconds, as DuckDB knows them,
// whatever the unit of the column.
func textLiteralAs(l *Literal, t arrow.DataType, zone *time.Location) (Expr, error) {
	s, ok := l.Value.(string)
	if !ok {
		return &Literal{Typ: t}, nil
	}
	var lit *Literal
	var err error
	switch KindOf(t) {
	case KindTimestampTZ:
		return ReadTemporal(s, instantMicros, zone)
	case KindTime:
		return ReadTemporal(s, arrow.FixedWidthTypes.Time64us, zone)
	case KindDate, KindTimestamp:
		return ReadTemporal(s, t, zone)
	case KindDuration, KindInterval:
		lit, err = ParseInterval(s, "")
	default:
		return ConvertTo(l, Storage(t), zone)
	}
	if err != nil {
		return nil, badText(s, t)
	}
	return lit, nil
}

var instantMicros = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

func typeParams(es []Expr, t arrow.DataType) ([]Expr, error) {
	for i, e := range es {
		if p, ok := e.(*Param); ok && p.Typ == nil {
			es[i] = &Param{Index: p.Index, Typ: t}
		}
	}
	return es, nil
}

func compareError(a, b arrow.DataType) error {
	return errs.Invalidf("cannot compare values of type %s and type %s - an explicit cast is required", SQLType(a), SQLType(b))
}

func coerceBools(es []Expr, equality bool, zone *time.Location) ([]Expr, error) {
	var number arrow.DataType
	for _, e := range es {
		if e.Type() != nil && KindOf(e.Type()).Numeric() {
			number = e.Type()
			break
		}
	}
	for _, e := range es {
		if k := KindOf(e.Type()); !equality && k.Numeric() && k != KindInt {
			return nil, compareError(arrow.FixedWidthTypes.Boolean, e.Type())
		}
	}
	to := number
	if KindOf(number) == KindDecimal {
		to = arrow.PrimitiveTypes.Int32 // exact next to any decimal
	}
	for i, e := range es {
		if e.Type() == nil || KindOf(e.Type()) != KindBool {
			continue
		}
		var err error
		if es[i], err = ConvertTo(e, Storage(to), zone); err != nil {
			return nil, err
		}
	}
	return coerceAll(es, equality, zone)
}

func coerceFloats(es []Expr, zone *time.Location) ([]Expr, error) {
	single, double := false, false
	for _, e := range es {
		switch KindOf(e.Type()) {
		case KindFloat:
			single = true
		case KindDouble:
			double = double || !isLiteral(e)
		}
	}
	to := arrow.DataType(arrow.PrimitiveTypes.Float64)
	if single && !double {
		to = arrow.PrimitiveTypes.Float32
	}
	for i, e := range es {
		k := KindOf(e.Type())
		if k == KindFloat || k == KindDouble && (!single || double || !isLiteral(e)) || e.Type() == nil || k == KindNull {
			continue
		}
		if !k.Numeric() {
			return nil, compareError(e.Type(), to)
		}
		t := to
		if l, ok := e.(*Literal); ok && !fitsFloat(l) {
			t = arrow.PrimitiveTypes.Float64
		}
		var err error
		if es[i], err = ConvertTo(e, t, zone); err != nil {
			return nil, err
		}
	}
	return es, nil
}

// fitsFloat tells whether a number literal is in FLOAT's range; NaN and the infinities are.
func fitsFloat(l *Literal) bool {
	f, ok := l.Value.(float64)
	if !ok {
		n, scale, exact := Exact(l.Value, l.Typ)
		if !exact {
			return true
		}
		f = DecimalToFloat(n, scale, false)
	}
	return math.IsInf(f, 0) || !math.IsInf(float64(float32(f)), 0)
}

func coerceZoned(es []Expr, zone *time.Location) ([]Expr, error) {
	for i, e := range es {
		var t arrow.DataType
		switch KindOf(e.Type()) {
		case KindDate:
			t = &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}
		case KindTimestamp:
			t = &arrow.TimestampType{Unit: Storage(e.Type()).(*arrow.TimestampType).Unit, TimeZone: "UTC"}
		default:
			continue
		}
		var err error
		if es[i], err = ConvertTo(e, t, zone); err != nil {
			return nil, err
		}
	}
	return es, comparable(es)
}

// coerceDurations turns interval literals into durations of microseconds or nanoseconds where they fit.
func coerceDurations(es []Expr) ([]Expr, error) {
	for i, e := range es {
		l, ok := e.(*Literal)
		if !ok || KindOf(l.Typ) != KindInterval {
			continue
		}
		iv, ok := l.Value.(arrow.MonthDayNanoInterval)
		if !ok {
			continue
		}
		n := IntervalNanos(iv)
		q, r := new(big.Int).QuoRem(n, big.NewInt(1000), new(big.Int))
		switch {
		case r.Sign() == 0 && q.IsInt64():
			es[i] = &Literal{Value: q.Int64(), Typ: arrow.FixedWidthTypes.Duration_us}
		case n.IsInt64():
			es[i] = &Literal{Value: n.Int64(), Typ: arrow.FixedWidthTypes.Duration_ns}
		}
	}
	return es, nil
}

// family groups the kinds that compare with each other as they are.
func (k Kind) family() Kind {
	switch k {
	case KindInt, KindDecimal, KindFloat, KindDouble:
		return KindInt
	case KindDate, KindTimestamp, KindTimestampTZ:
		return KindTimestamp
	case KindDuration, KindInterval:
		return KindDuration
	}
	return k
}

// comparable gives an error unless all operands are of one family. Lists and structs are left to their own types.
func comparable(es []Expr) error {
	var first arrow.DataType
	for _, e := range es {
		t := e.Type()
		if t == nil || KindOf(t) == KindNull {
			continue
		}
		if first == nil {
			first = t
			continue
		}
		a, b := KindOf(first).family(), KindOf(t).family()
		if a != b || a == KindOther && Storage(first).ID() != Storage(t).ID() {
			return compareError(first, t)
		}
	}
	return nil
}
