// Package render writes values of Arrow arrays as text and as JSON.
package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Cell gives a value as text: plain values as they are, nested ones as JSON.
func Cell(a arrow.Array, i int) (text string, null bool) {
	if isNull(a, i) {
		return "", true
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return Cell(a.Storage(), i)
	case array.ListLike, *array.Struct:
		text, err := Marshal(JSON(a, i))
		if err != nil {
			return a.ValueStr(i), false
		}
		return string(text), false
	}
	return plainText(a, i), false
}

// isNull tells of nulls that an array's bitmap does not: of the null type, and within a dictionary.
func isNull(a arrow.Array, i int) bool {
	if d, ok := a.(*array.Dictionary); ok && !a.IsNull(i) {
		return isNull(d.Dictionary(), d.GetValueIndex(i))
	}
	return a.IsNull(i) || a.DataType().ID() == arrow.NULL
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
		parts = append(parts, Plural(int64(v.Months), "month"))
	}
	if v.Days != 0 {
		parts = append(parts, Plural(int64(v.Days), "day"))
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

// Plural writes a count with its unit: "1 day", "2 days".
func Plural(n int64, unit string) string {
	if n == 1 || n == -1 {
		return fmt.Sprint(n, " ", unit)
	}
	return fmt.Sprint(n, " ", unit, "s")
}

// JSON gives a value as encoding/json takes it: structs and maps with texts as keys as objects, other maps as lists of their
// entries. Numbers that JSON does not have become texts.
func JSON(a arrow.Array, i int) any {
	if isNull(a, i) {
		return nil
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return JSON(a.Storage(), i)
	case *array.Struct:
		return structObject(a, i)
	case *array.Map:
		if o, ok := mapObject(a, i); ok {
			return o
		}
		return list(a, i)
	case array.ListLike:
		return list(a, i)
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

// Marshal writes what JSON gives, without the escapes that HTML would need.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func list(a array.ListLike, i int) []any {
	from, to := a.ValueOffsets(i)
	out := make([]any, 0, to-from)
	for k := from; k < to; k++ {
		out = append(out, JSON(a.ListValues(), int(k)))
	}
	return out
}

func mapObject(a *array.Map, i int) (o Object, ok bool) {
	keys, isText := a.Keys().(array.StringLike)
	if !isText {
		return Object{}, false
	}
	from, to := a.ValueOffsets(i)
	for k := int(from); k < int(to); k++ {
		o.Names = append(o.Names, keys.Value(k))
		o.Values = append(o.Values, JSON(a.Items(), k))
	}
	return o, true
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

// Object is a JSON object that keeps the order of its keys.
type Object struct {
	Names  []string
	Values []any
}

// MarshalJSON writes the keys in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range o.Names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := Marshal(n)
		if err != nil {
			return nil, err
		}
		value, err := Marshal(o.Values[i])
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

func structObject(a *array.Struct, i int) Object {
	var o Object
	for f, field := range a.DataType().(*arrow.StructType).Fields() {
		o.Names = append(o.Names, field.Name)
		o.Values = append(o.Values, JSON(a.Field(f), i))
	}
	return o
}
