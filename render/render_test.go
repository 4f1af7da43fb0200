package render_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/render"
)

func TestCell(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	decimal := func(precision, scale int32, unscaled int64) func() arrow.Array {
		return func() arrow.Array {
			b := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: precision, Scale: scale})
			defer b.Release()
			b.Append(decimal128.FromI64(unscaled))
			return b.NewArray()
		}
	}
	interval := func(months, days int32, nanos int64) func() arrow.Array {
		return func() arrow.Array {
			b := array.NewMonthDayNanoIntervalBuilder(mem)
			defer b.Release()
			b.Append(arrow.MonthDayNanoInterval{Months: months, Days: days, Nanoseconds: nanos})
			return b.NewArray()
		}
	}
	tests := []struct {
		name  string
		array func() arrow.Array
		want  string
	}{
		{"decimal with its zeros", decimal(4, 2, 150), "1.50"},
		{"decimal below one", decimal(38, 24, -12345), "-0.000000000000000000012345"},
		{"decimal of zero", decimal(5, 2, 0), "0.00"},
		{"decimal without scale", decimal(38, 0, -17), "-17"},
		{"decimal of negative scale", decimal(5, -3, 12), "12000"},
		{"interval of all parts", interval(14, 3, 14706_700_000_000), "14 months 3 days 04:05:06.7"},
		{"interval of one day", interval(0, 1, 0), "1 day"},
		{"interval of nothing", interval(0, 0, 0), "00:00:00"},
		{"negative interval", interval(-1, 0, -1), "-1 month -00:00:00.000000001"},
		{"longest interval", interval(0, 0, math.MinInt64), "-2562047:47:16.854775808"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.array()
			defer a.Release()
			if got, null := render.Cell(a, 0); got != tt.want || null {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestNulls(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	none := array.NewNull(2)
	defer none.Release()
	values := array.NewInt64Builder(mem)
	defer values.Release()
	values.AppendNull()
	values.Append(5)
	dictionary := values.NewArray()
	defer dictionary.Release()
	keys := array.NewInt8Builder(mem)
	defer keys.Release()
	keys.AppendValues([]int8{0, 1, 1}, []bool{true, true, false})
	indices := keys.NewArray()
	defer indices.Release()
	dict := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}, indices, dictionary)
	defer dict.Release()
	for i, want := range []string{"", "5", ""} {
		if got, null := render.Cell(dict, i); got != want || null != (want == "") {
			t.Errorf("dictionary, %d: %q, %t", i, got, null)
		}
		if got := render.JSON(dict, i); (got == nil) != (want == "") {
			t.Errorf("dictionary, %d: %v", i, got)
		}
	}
	if _, null := render.Cell(none, 1); !null || render.JSON(none, 1) != nil {
		t.Error("a value of the null type is not null")
	}
}

func TestJSON(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	b := array.NewMapBuilder(mem, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, false)
	defer b.Release()
	b.Append(true)
	b.KeyBuilder().(*array.StringBuilder).AppendValues([]string{"z", `a"`}, nil)
	b.ItemBuilder().(*array.Float64Builder).AppendValues([]float64{1.5, math.NaN()}, nil)
	b.Append(true)
	b.AppendNull()
	byText := b.NewArray()
	defer byText.Release()
	n := array.NewMapBuilder(mem, arrow.PrimitiveTypes.Int8, arrow.FixedWidthTypes.Boolean, false)
	defer n.Release()
	n.Append(true)
	n.KeyBuilder().(*array.Int8Builder).Append(7)
	n.ItemBuilder().AppendNull()
	byNumber := n.NewArray()
	defer byNumber.Release()
	for _, tt := range []struct {
		a    arrow.Array
		i    int
		want string
	}{
		{byText, 0, `{"z":1.5,"a\"":"NaN"}`}, {byText, 1, `{}`}, {byText, 2, `null`}, {byNumber, 0, `[{"key":7,"value":null}]`},
	} {
		got, err := json.Marshal(render.JSON(tt.a, tt.i))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, %v; want %s", got, err, tt.want)
		}
	}
}
