package expr

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// Lit gives a literal for a Go value: nil, bool, any integer, float32, float64, string, []byte, time.Time (a timestamp
// of microseconds in UTC; nanoseconds where it has digits below), time.Duration, *big.Int (a decimal of scale 0) or a
// *Literal. Integers have the smallest of INTEGER, BIGINT, UBIGINT that holds them. A value of another type gives a
// literal of its fmt text.
func Lit(v any) *Literal {
	switch v := v.(type) {
	case nil:
		return Null()
	case *Literal:
		return v
	case bool:
		return &Literal{Value: v, Typ: boolType}
	case int:
		return Int(int64(v))
	case int8:
		return Int(int64(v))
	case int16:
		return Int(int64(v))
	case int32:
		return Int(int64(v))
	case int64:
		return Int(v)
	case uint:
		return uintLit(uint64(v))
	case uint8:
		return Int(int64(v))
	case uint16:
		return Int(int64(v))
	case uint32:
		return Int(int64(v))
	case uint64:
		return uintLit(v)
	case float32:
		return &Literal{Value: float64(v), Typ: arrow.PrimitiveTypes.Float32}
	case float64:
		return Double(v)
	case string:
		return Text(v)
	case []byte:
		return &Literal{Value: v, Typ: arrow.BinaryTypes.Binary}
	case *big.Int:
		return &Literal{Value: v, Typ: &arrow.Decimal128Type{Precision: 38}}
	case time.Time:
		if v.Nanosecond()%1000 != 0 {
			return &Literal{Value: v.UnixNano(), Typ: &arrow.TimestampType{Unit: arrow.Nanosecond}}
		}
		return &Literal{Value: v.UnixMicro(), Typ: &arrow.TimestampType{Unit: arrow.Microsecond}}
	case time.Duration:
		return &Literal{Value: int64(v), Typ: arrow.FixedWidthTypes.Duration_ns}
	}
	return Text(fmt.Sprint(v))
}

// Null gives the NULL literal, whose type fits any other.
func Null() *Literal { return &Literal{Typ: arrow.Null} }

// Int gives an integer literal: INTEGER where it fits, else BIGINT.
func Int(v int64) *Literal {
	if v >= math.MinInt32 && v <= math.MaxInt32 {
		return &Literal{Value: v, Typ: arrow.PrimitiveTypes.Int32}
	}
	return &Literal{Value: v, Typ: arrow.PrimitiveTypes.Int64}
}

func uintLit(v uint64) *Literal {
	if v <= math.MaxInt64 {
		return Int(int64(v))
	}
	return &Literal{Value: v, Typ: arrow.PrimitiveTypes.Uint64}
}

// Double gives a DOUBLE literal.
func Double(v float64) *Literal { return &Literal{Value: v, Typ: arrow.PrimitiveTypes.Float64} }

// Text gives a VARCHAR literal.
func Text(v string) *Literal { return &Literal{Value: v, Typ: arrow.BinaryTypes.String} }

// Bool gives TRUE or FALSE.
func Bool(v bool) *Literal { return &Literal{Value: v, Typ: boolType} }

// Decimal gives an exact decimal literal, unscaled * 10^-scale, of the given precision (at most 76).
func Decimal(unscaled *big.Int, precision, scale int32) *Literal {
	return &Literal{Value: unscaled, Typ: decimalType(precision, scale)}
}

func decimalType(precision, scale int32) arrow.DataType {
	if precision <= 38 {
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}
	}
	return &arrow.Decimal256Type{Precision: min(precision, 76), Scale: scale}
}

// Interval gives an INTERVAL literal.
func Interval(months, days int32, nanos int64) *Literal {
	return &Literal{Value: arrow.MonthDayNanoInterval{Months: months, Days: days, Nanoseconds: nanos},
		Typ: arrow.FixedWidthTypes.MonthDayNanoInterval}
}

// IsNullLiteral tells whether e is NULL, maybe cast.
func IsNullLiteral(e Expr) bool {
	for {
		switch x := e.(type) {
		case *Literal:
			return x.Value == nil
		case *Cast:
			e = x.X
		default:
			return false
		}
	}
}

// quoteText writes a text. SQL text ends at the character 0, so that one is put in by a call.
func quoteText(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if !strings.Contains(quoted, "\x00") {
		return quoted
	}
	return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
}

func castText(s string, t arrow.DataType) (string, int) {
	return "CAST(" + s + " AS " + SQLType(t) + ")", precAtom
}

// literalText gives a literal so that DuckDB reads the same value of the same type.
func literalText(l *Literal) (string, int) {
	if l.Value == nil {
		if l.Typ == nil || l.Typ.ID() == arrow.NULL {
			return "NULL", precAtom
		}
		return castText("NULL", l.Typ)
	}
	switch v := l.Value.(type) {
	case bool:
		return strings.ToUpper(strconv.FormatBool(v)), precAtom
	case int64:
		return intText(v, l.Typ)
	case uint64:
		return castText(strconv.FormatUint(v, 10), l.Typ)
	case float64:
		return floatText(v, l.Typ)
	case string:
		return quoteText(v), precAtom
	case []byte:
		return blobText(v, l.Typ)
	case *big.Int:
		return decimalLitText(v, l.Typ)
	case arrow.MonthDayNanoInterval:
		return intervalText(v), precAtom
	case []any:
		return listText(v, l.Typ)
	case map[string]any:
		return structText(v, l.Typ)
	}
	return quoteText(fmt.Sprint(l.Value)), precAtom
}

func signPrec(s string) int {
	if strings.HasPrefix(s, "-") {
		return precUnary
	}
	return precAtom
}

func intText(v int64, t arrow.DataType) (string, int) {
	switch KindOf(t) {
	case KindDate:
		return "DATE " + quoteText(FormatDate(dateDays(v, t))), precAtom
	case KindTime:
		s := quoteText(FormatTime(v * unitNanos(t)))
		if SQLType(t) == "TIME" {
			return "TIME " + s, precAtom
		}
		return castText(s, t)
	case KindTimestamp, KindTimestampTZ:
		return timestampText(v, t)
	case KindDuration:
		return durationText(v, t)
	}
	s := strconv.FormatInt(v, 10) // of the least numbers the part behind the sign has the next larger type
	if t == nil || v > math.MinInt32 && v <= math.MaxInt32 && t.ID() == arrow.INT32 ||
		(v < math.MinInt32 || v > math.MaxInt32) && t.ID() == arrow.INT64 && v != math.MinInt64 {
		return s, signPrec(s)
	}
	return castText(s, t)
}

func timestampText(v int64, t arrow.DataType) (string, int) {
	ts, _ := Storage(t).(*arrow.TimestampType)
	s := FormatTimestamp(v, ts.Unit)
	if ts.TimeZone != "" {
		return "TIMESTAMPTZ " + quoteText(s+"+00"), precAtom
	}
	if ts.Unit == arrow.Microsecond {
		return "TIMESTAMP " + quoteText(s), precAtom
	}
	return castText(quoteText(s), t)
}

func durationText(v int64, t arrow.DataType) (string, int) {
	d, _ := Storage(t).(*arrow.DurationType)
	names := map[arrow.TimeUnit]string{arrow.Second: "seconds", arrow.Millisecond: "milliseconds",
		arrow.Microsecond: "microseconds"}
	if n, ok := names[d.Unit]; ok {
		return "INTERVAL '" + strconv.FormatInt(v, 10) + " " + n + "'", precAtom
	}
	if v%1000 == 0 {
		return "INTERVAL '" + strconv.FormatInt(v/1000, 10) + " microseconds'", precAtom
	}
	// DuckDB has no name for it; the text is for people.
	return "INTERVAL '" + strconv.FormatInt(v, 10) + " nanoseconds'", precAtom
}

func intervalText(v arrow.MonthDayNanoInterval) string {
	var parts []string
	if v.Months != 0 {
		parts = append(parts, fmt.Sprintf("%d months", v.Months))
	}
	if v.Days != 0 {
		parts = append(parts, fmt.Sprintf("%d days", v.Days))
	}
	switch {
	case v.Nanoseconds%1000 != 0:
		parts = append(parts, fmt.Sprintf("%d nanoseconds", v.Nanoseconds))
	case v.Nanoseconds != 0 || len(parts) == 0:
		parts = append(parts, fmt.Sprintf("%d microseconds", v.Nanoseconds/1000))
	}
	return "INTERVAL '" + strings.Join(parts, " ") + "'"
}

func floatText(v float64, t arrow.DataType) (string, int) {
	if t != nil && KindOf(t) == KindFloat {
		return castText(quoteText(FormatFloat(v, 32)), t)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return castText(quoteText(FormatFloat(v, 64)), arrow.PrimitiveTypes.Float64)
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.Contains(s, "e") {
		s += "e0"
	}
	return s, signPrec(s)
}

// FormatFloat gives the shortest text that reads back as the same float of that many bits.
func FormatFloat(v float64, bits int) string {
	switch {
	case math.IsNaN(v) && math.Signbit(v): // as DuckDB writes it
		return "-nan"
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

func blobText(v []byte, t arrow.DataType) (string, int) {
	var b strings.Builder
	for _, c := range v {
		fmt.Fprintf(&b, `\x%02X`, c)
	}
	return castText(quoteText(b.String()), t)
}

func decimalLitText(v *big.Int, t arrow.DataType) (string, int) {
	d, ok := Storage(t).(arrow.DecimalType)
	if !ok {
		return v.String(), precAtom
	}
	s := FormatDecimal(v, d.GetScale())
	if natural, err := ParseNumber(strings.TrimPrefix(s, "-")); err == nil && arrow.TypeEqual(natural.Typ, t) {
		return s, signPrec(s)
	}
	return castText(s, t)
}

// FormatDecimal gives unscaled * 10^-scale in plain digits, always with scale digits after the point.
func FormatDecimal(unscaled *big.Int, scale int32) string {
	if scale < 0 {
		unscaled = new(big.Int).Mul(unscaled, pow10(-scale))
		scale = 0
	}
	s := new(big.Int).Abs(unscaled).String()
	if scale > 0 {
		if pad := int(scale) + 1 - len(s); pad > 0 {
			s = strings.Repeat("0", pad) + s
		}
		s = s[:len(s)-int(scale)] + "." + s[len(s)-int(scale):]
	}
	if unscaled.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func pow10(n int32) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func listText(v []any, t arrow.DataType) (string, int) {
	elem := Elem(t)
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i], _ = literalText(&Literal{Value: x, Typ: elem})
	}
	return castText("["+strings.Join(parts, ", ")+"]", t)
}

func structText(v map[string]any, t arrow.DataType) (string, int) {
	var parts []string
	if st, ok := Storage(t).(*arrow.StructType); ok {
		for _, f := range st.Fields() {
			s, _ := literalText(&Literal{Value: v[f.Name], Typ: f.Type})
			parts = append(parts, quoteText(f.Name)+": "+s)
		}
		return "{" + strings.Join(parts, ", ") + "}", precAtom
	}
	for k, x := range v {
		parts = append(parts, quoteText(k)+": "+quoteText(fmt.Sprint(x)))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}", precAtom
}
