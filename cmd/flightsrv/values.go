package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// cell gives a value as text: plain values as they are, nested ones as JSON.
func cell(a arrow.Array, i int) (text string, null bool) {
	if a.IsNull(i) {
		return "", true
	}
	switch a := a.(type) {
	case array.ListLike, *array.Struct:
		text, err := json.Marshal(jsonValue(a, i))
		if err != nil {
			return a.ValueStr(i), false
		}
		return string(text), false
	}
	return plainText(a, i), false
}

// plainText writes a value that is not nested, as SQL shows it: decimals with all digits of their scale, no exponent.
func plainText(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Dictionary:
		return plainText(a.Dictionary(), a.GetValueIndex(i))
	case *array.Decimal32:
		return decimalText(big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal64:
		return decimalText(big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal128:
		return decimalText(a.Value(i).BigInt(), a.DataType())
	case *array.Decimal256:
		return decimalText(a.Value(i).BigInt(), a.DataType())
	case *array.MonthDayNanoInterval:
		return intervalText(a.Value(i))
	}
	return a.ValueStr(i)
}

func decimalText(n *big.Int, t arrow.DataType) string {
	scale := int(t.(arrow.DecimalType).GetScale())
	digits := new(big.Int).Abs(n).String()
	switch {
	case scale < 0 && digits != "0":
		digits += strings.Repeat("0", -scale)
	case scale > 0:
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// intervalText writes an interval in the form "14 months 3 days 04:05:06.7"; parts of zero are left out.
func intervalText(v arrow.MonthDayNanoInterval) string {
	var parts []string
	if v.Months != 0 {
		parts = append(parts, plural(int64(v.Months), "month"))
	}
	if v.Days != 0 {
		parts = append(parts, plural(int64(v.Days), "day"))
	}
	if v.Nanoseconds != 0 || len(parts) == 0 {
		sign, nanos := "", uint64(v.Nanoseconds)
		if v.Nanoseconds < 0 {
			sign, nanos = "-", -nanos
		}
		seconds := nanos / 1e9
		text := fmt.Sprintf("%s%02d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60)
		if part := nanos % 1e9; part != 0 {
			text += strings.TrimRight(fmt.Sprintf(".%09d", part), "0")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func plural(n int64, unit string) string {
	if n == 1 || n == -1 {
		return fmt.Sprint(n, " ", unit)
	}
	return fmt.Sprint(n, " ", unit, "s")
}

// jsonValue gives a value as encoding/json takes it; numbers that JSON does not have become texts.
func jsonValue(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return jsonValue(a.Storage(), i)
	case *array.Struct:
		return structObject(a, i)
	case array.ListLike: // maps are lists of entries
		from, to := a.ValueOffsets(i)
		out := make([]any, 0, to-from)
		for k := from; k < to; k++ {
			out = append(out, jsonValue(a.ListValues(), int(k)))
		}
		return out
	case *array.Float64:
		return jsonFloat(a.Value(i))
	case *array.Float32:
		if f := float64(a.Value(i)); math.IsNaN(f) || math.IsInf(f, 0) {
			return jsonFloat(f)
		}
		return a.Value(i)
	case *array.Float16:
		return jsonFloat(float64(a.Value(i).Float32()))
	case *array.Boolean:
		return a.Value(i)
	}
	switch a.DataType().ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return json.Number(plainText(a, i))
	}
	return plainText(a, i)
}

func jsonFloat(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}

// object is a JSON object that keeps the order of its keys.
type object struct {
	names  []string
	values []any
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func structObject(a *array.Struct, i int) object {
	var o object
	for f, field := range a.DataType().(*arrow.StructType).Fields() {
		o.names = append(o.names, field.Name)
		o.values = append(o.values, jsonValue(a.Field(f), i))
	}
	return o
}
