package expr

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// CastValue converts one value (as in Literal.Value) from one type to another as DuckDB's CAST does: decimals and texts
// round halves away from zero on the way to integers, floats to even; what does not fit is an InvalidInput error. A
// conversion that is not done here is an Unsupported error. zone is the session's, nil for UTC; it matters between
// types with and without a zone.
func CastValue(v any, from, to arrow.DataType, zone *time.Location) (any, error) {
	if v == nil {
		return nil, nil
	}
	from, to = Storage(from), Storage(to)
	if arrow.TypeEqual(from, to) {
		return v, nil
	}
	switch KindOf(to) {
	case KindInt:
		return castInt(v, from, to)
	case KindDecimal:
		return castDecimal(v, from, to)
	case KindFloat, KindDouble:
		return castFloat(v, from, to)
	case KindBool:
		return castBool(v, from)
	case KindText:
		return castTextValue(v, from, zone)
	case KindBlob:
		return castBlob(v, from, to)
	case KindDate, KindTime, KindTimestamp, KindTimestampTZ:
		return castTemporal(v, from, to, zone)
	case KindDuration, KindInterval:
		return castSpan(v, from, to)
	}
	return nil, unsupportedCast(from, to)
}

func unsupportedCast(from, to arrow.DataType) error {
	return errs.Unsupportedf("cast from %s to %s", SQLType(from), SQLType(to))
}

func outOfRange(v any, from, to arrow.DataType) error {
	s, _ := literalText(&Literal{Value: v, Typ: from})
	return errs.Invalidf("value %s is out of range for %s", s, SQLType(to))
}

func badText(s string, to arrow.DataType) error {
	return errs.Invalidf("could not convert string '%s' to %s", s, SQLType(to))
}

type intRange struct {
	min int64
	max uint64
}

var intRanges = map[arrow.Type]intRange{
	arrow.INT8: {math.MinInt8, math.MaxInt8}, arrow.INT16: {math.MinInt16, math.MaxInt16},
	arrow.INT32: {math.MinInt32, math.MaxInt32}, arrow.INT64: {math.MinInt64, math.MaxInt64},
	arrow.UINT8: {0, math.MaxUint8}, arrow.UINT16: {0, math.MaxUint16}, arrow.UINT32: {0, math.MaxUint32},
	arrow.UINT64: {0, math.MaxUint64},
}

// Unsigned tells whether t is an unsigned integer type.
func Unsigned(t arrow.DataType) bool {
	return KindOf(t) == KindInt && intRanges[Storage(t).ID()].min == 0
}

// IntValue gives n as the Go value of an integer literal of type t; ok is false where it does not fit.
func IntValue(n *big.Int, t arrow.DataType) (v any, ok bool) {
	r := intRanges[Storage(t).ID()]
	if n.Cmp(big.NewInt(r.min)) < 0 || n.Cmp(new(big.Int).SetUint64(r.max)) > 0 {
		return nil, false
	}
	if r.min == 0 {
		return n.Uint64(), true
	}
	return n.Int64(), true
}

// Exact gives an integer or decimal value as unscaled digits and scale.
func Exact(v any, t arrow.DataType) (unscaled *big.Int, scale int32, ok bool) {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v), 0, true
	case uint64:
		return new(big.Int).SetUint64(v), 0, true
	case *big.Int:
		if d, isDec := Storage(t).(arrow.DecimalType); isDec {
			return v, d.GetScale(), true
		}
		return v, 0, true
	case bool:
		if v {
			return big.NewInt(1), 0, true
		}
		return new(big.Int), 0, true
	}
	return nil, 0, false
}

// rescale gives unscaled at another scale, halves rounded away from zero.
func rescale(n *big.Int, from, to int32) *big.Int {
	if to >= from {
		return new(big.Int).Mul(n, pow10(to-from))
	}
	d := pow10(from - to)
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Abs(r).Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign())))
	}
	return q
}

func castInt(v any, from, to arrow.DataType) (any, error) {
	var n *big.Int
	switch x := v.(type) {
	case string:
		m, ok := textToInt(x)
		if !ok {
			return nil, badText(x, to)
		}
		if out, ok := IntValue(m, to); ok && (m.Sign() != 0 || !Unsigned(to) || !strings.HasPrefix(strings.TrimSpace(x), "-") || isPlainZero(x)) {
			return out, nil
		}
		return nil, badText(x, to)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 && Unsigned(to) {
			return nil, outOfRange(v, from, to)
		}
		n, _ = big.NewFloat(math.RoundToEven(x)).Int(nil)
	default:
		if k := KindOf(from); !k.Exact() && k != KindBool {
			return nil, unsupportedCast(from, to)
		}
		u, scale, ok := Exact(v, from)
		if !ok {
			return nil, unsupportedCast(from, to)
		}
		n = rescale(u, scale, 0)
	}
	if out, ok := IntValue(n, to); ok {
		return out, nil
	}
	return nil, outOfRange(v, from, to)
}

func isPlainZero(s string) bool {
	return allDigits(strings.TrimPrefix(strings.TrimSpace(s), "-"))
}

func castDecimal(v any, from, to arrow.DataType) (any, error) {
	d, _ := to.(arrow.DecimalType)
	var n *big.Int
	switch x := v.(type) {
	case string:
		u, scale, ok := textToDecimal(x)
		if !ok {
			return nil, badText(x, to)
		}
		n = rescale(u, scale, d.GetScale())
		if fitsDecimal(n, d) {
			return n, nil
		}
		return nil, badText(x, to)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, outOfRange(v, from, to)
		}
		n, _ = big.NewFloat(math.Round(x * math.Pow10(int(d.GetScale())))).Int(nil)
	default:
		if k := KindOf(from); !k.Exact() && k != KindBool {
			return nil, unsupportedCast(from, to)
		}
		u, scale, ok := Exact(v, from)
		if !ok {
			return nil, unsupportedCast(from, to)
		}
		n = rescale(u, scale, d.GetScale())
	}
	if !fitsDecimal(n, d) {
		return nil, outOfRange(v, from, to)
	}
	return n, nil
}

func fitsDecimal(n *big.Int, d arrow.DecimalType) bool {
	return new(big.Int).Abs(n).Cmp(pow10(d.GetPrecision())) < 0
}

// DecimalToFloat gives unscaled * 10^-scale as DuckDB turns a decimal into a DOUBLE, or a FLOAT where single is set:
// one division while the digits are exact in that type, whole part and rest apart beyond.
func DecimalToFloat(unscaled *big.Int, scale int32, single bool) float64 {
	exact := int64(1) << 53
	round := func(f float64) float64 { return f }
	if single {
		exact = 1 << 24
		round = func(f float64) float64 { return float64(float32(f)) }
	}
	whole := func(n *big.Int) float64 {
		f, _ := new(big.Float).SetInt(n).Float64()
		return round(f)
	}
	if scale <= 0 {
		return whole(new(big.Int).Mul(unscaled, pow10(-scale)))
	}
	if unscaled.IsInt64() && unscaled.Int64() <= exact && unscaled.Int64() >= -exact {
		return round(whole(unscaled) / round(math.Pow10(int(scale))))
	}
	q, r := new(big.Int).QuoRem(unscaled, pow10(scale), new(big.Int))
	return round(whole(q) + round(whole(r)/round(math.Pow10(int(scale)))))
}

func castFloat(v any, from, to arrow.DataType) (any, error) {
	var f float64
	switch x := v.(type) {
	case string:
		var ok bool
		if f, ok = textToFloat(x, KindOf(to) == KindFloat); !ok {
			return nil, badText(x, to)
		}
	case float64:
		f = x
	default:
		if k := KindOf(from); !k.Exact() && k != KindBool {
			return nil, unsupportedCast(from, to)
		}
		u, scale, ok := Exact(v, from)
		if !ok {
			return nil, unsupportedCast(from, to)
		}
		f = DecimalToFloat(u, scale, KindOf(to) == KindFloat)
	}
	if KindOf(to) != KindFloat {
		return f, nil
	}
	g := float64(float32(f))
	if _, isText := v.(string); math.IsInf(g, 0) && !math.IsInf(f, 0) && !isText {
		return nil, outOfRange(v, from, to)
	}
	return g, nil
}

func castBool(v any, from arrow.DataType) (any, error) {
	switch x := v.(type) {
	case string:
		switch strings.ToLower(x) {
		case "true", "t", "1", "yes", "y":
			return true, nil
		case "false", "f", "0", "no", "n":
			return false, nil
		}
		return nil, badText(x, boolType)
	case float64:
		return x != 0, nil
	}
	if u, _, ok := Exact(v, from); ok && KindOf(from).Exact() {
		return u.Sign() != 0, nil
	}
	return nil, unsupportedCast(from, boolType)
}

func castBlob(v any, from, to arrow.DataType) (any, error) {
	if b, ok := v.([]byte); ok {
		return b, nil
	}
	s, ok := v.(string)
	if !ok {
		return nil, unsupportedCast(from, to)
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			if i+4 > len(s) || s[i+1] != 'x' {
				return nil, badText(s, to)
			}
			b, err := hex.DecodeString(s[i+2 : i+4])
			if err != nil {
				return nil, badText(s, to)
			}
			out = append(out, b...)
			i += 3
		case s[i] >= utf8.RuneSelf:
			return nil, badText(s, to)
		default:
			out = append(out, s[i])
		}
	}
	return out, nil
}

// castTextValue gives a value as DuckDB's CAST to VARCHAR writes it.
func castTextValue(v any, from arrow.DataType, zone *time.Location) (any, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		if KindOf(from) == KindFloat {
			return VarcharFloat(x, 32), nil
		}
		return VarcharFloat(x, 64), nil
	case uint64:
		return strconv.FormatUint(x, 10), nil
	case *big.Int:
		if d, ok := from.(arrow.DecimalType); ok {
			return FormatDecimal(x, d.GetScale()), nil
		}
		return x.String(), nil
	case []byte:
		return blobVarchar(x), nil
	case int64:
		if out, is, err := infiniteTo(x, from, arrow.BinaryTypes.String); is {
			return out, err
		}
		switch KindOf(from) {
		case KindInt:
			return strconv.FormatInt(x, 10), nil
		case KindDate:
			return FormatDate(dateDays(x, from)), nil
		case KindTime:
			return FormatTime(x * unitNanos(from)), nil
		case KindTimestamp:
			return FormatTimestamp(x, from.(*arrow.TimestampType).Unit), nil
		case KindTimestampTZ:
			if zone == nil || zone == time.UTC {
				return FormatTimestamp(x, from.(*arrow.TimestampType).Unit) + "+00", nil
			}
		}
	}
	return nil, unsupportedCast(from, arrow.BinaryTypes.String)
}

func blobVarchar(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		if c < 32 || c > 126 || c == '\\' || c == '\'' || c == '"' {
			s.WriteString(`\x` + strings.ToUpper(hex.EncodeToString([]byte{c})))
			continue
		}
		s.WriteByte(c)
	}
	return s.String()
}

// VarcharFloat gives a float as DuckDB's CAST to VARCHAR does: 1.0, 1e+16, 1e-05, nan, inf.
func VarcharFloat(v float64, bits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return FormatFloat(v, bits)
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// textToFloat reads a text as DuckDB's cast to a float does; what is too large is infinite.
func textToFloat(s string, single bool) (float64, bool) {
	s = strings.TrimSpace(s)
	t, ok := dropUnderscores(s)
	if !ok || t == "" {
		return 0, false
	}
	sign, body := "", t
	if body[0] == '+' || body[0] == '-' {
		sign, body = body[:1], body[1:]
	}
	switch strings.ToLower(body) {
	case "nan":
		if sign == "-" {
			return math.Copysign(math.NaN(), -1), true
		}
		return math.NaN(), true
	case "inf", "infinity":
		if sign == "-" {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	if body == "" || strings.ContainsAny(body, "xXpPnN+-") && !strings.ContainsAny(body, "eE") ||
		strings.ContainsAny(body, "xXpPnN") {
		return 0, false
	}
	bits := 64
	if single {
		bits = 32
	}
	v, err := strconv.ParseFloat(t, bits)
	if err != nil && !isRange(err) {
		return 0, false
	}
	return v, true
}

// textToDecimal reads plain or exponent digits; scale may be negative.
func textToDecimal(s string) (unscaled *big.Int, scale int32, ok bool) {
	s, ok = dropUnderscores(strings.TrimSpace(s))
	if !ok {
		return nil, 0, false
	}
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 {
		return nil, 0, false
	}
	exp := 0
	if i := strings.IndexAny(body, "eE"); i >= 0 {
		var err error
		if exp, err = strconv.Atoi(body[i+1:]); err != nil || exp > 1000 || exp < -1000 {
			return nil, 0, false
		}
		body = body[:i]
	}
	whole, frac, _ := strings.Cut(body, ".")
	if whole+frac == "" || !allDigits(whole) || !allDigits(frac) || len(whole)+len(frac) > 4096 {
		return nil, 0, false
	}
	n, _ := new(big.Int).SetString(whole+frac, 10)
	if s[0] == '-' {
		n.Neg(n)
	}
	scale = int32(len(frac) - exp)
	if scale < 0 {
		return n.Mul(n, pow10(-scale)), 0, true
	}
	return n, scale, true
}

// textToInt reads a text as DuckDB's cast to an integer does: halves are rounded away from zero; 0x and 0b prefixes.
func textToInt(s string) (*big.Int, bool) {
	t := strings.TrimSpace(s)
	low := strings.ToLower(t)
	for prefix, base := range map[string]int{"0x": 16, "0b": 2} {
		if rest, ok := strings.CutPrefix(low, prefix); ok {
			rest, ok = dropUnderscores(rest)
			if !ok || rest == "" || len(rest) > 256 || strings.ContainsAny(rest, "+-") {
				return nil, false
			}
			return new(big.Int).SetString(rest, base)
		}
	}
	n, scale, ok := textToDecimal(t)
	if !ok {
		return nil, false
	}
	return rescale(n, scale, 0), true
}
