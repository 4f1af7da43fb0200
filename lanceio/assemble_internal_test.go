package lanceio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// fromJSON makes an array of one JSON list.
func fromJSON(t testing.TB, mem memory.Allocator, typ arrow.DataType, json string) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(mem, typ, strings.NewReader(json))
	if err != nil {
		t.Fatal(err)
	}
	return arr
}

func asJSON(t testing.TB, arr arrow.Array) string {
	t.Helper()
	b, err := arr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\n", "")
}

func nullable(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

func TestAssemble(t *testing.T) {
	i, s := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	a, b, c := nullable("a", i), nullable("b", s), nullable("c", i)
	inner := func(f ...arrow.Field) arrow.Field { return nullable("in", arrow.StructOf(f...)) }
	type part struct {
		typ  arrow.DataType
		json string
	}
	tests := []struct {
		name  string
		typ   arrow.DataType
		parts []part
		n     int
		want  string
	}{
		{"nothing was read", arrow.StructOf(a, b), nil, 2, `[null,null]`},
		{"as it is", arrow.StructOf(a), []part{{arrow.StructOf(a), `[{"a":1},null]`}}, 2, `[{"a":1},null]`},
		{"a member less", arrow.StructOf(b), []part{{arrow.StructOf(a, b), `[{"a":1,"b":"x"},null]`}}, 2, `[{"b":"x"},null]`},
		{"a member more", arrow.StructOf(a, c), []part{{arrow.StructOf(a), `[{"a":1},null,{"a":null}]`}}, 3, `[{"a":1,"c":null},null,{"a":null,"c":null}]`},
		{"two files", arrow.StructOf(a, b), []part{{arrow.StructOf(b), `[{"b":"x"},null]`}, {arrow.StructOf(a), `[{"a":1},null]`}}, 2, `[{"a":1,"b":"x"},null]`},
		{"two files that differ on nulls", arrow.StructOf(a, b), []part{{arrow.StructOf(b), `[{"b":"x"},null,null]`}, {arrow.StructOf(a), `[null,{"a":2},null]`}}, 3,
			`[{"a":null,"b":"x"},{"a":2,"b":null},null]`},
		{"validity alone", arrow.StructOf(), []part{{arrow.StructOf(a), `[{"a":1},null]`}}, 2, `[{},null]`},
		{"nested", arrow.StructOf(inner(a, b), c), []part{
			{arrow.StructOf(inner(b)), `[{"in":{"b":"x"}},{"in":null},null]`},
			{arrow.StructOf(inner(a), c), `[{"in":{"a":1},"c":5},{"in":null,"c":6},null]`},
		}, 3, `[{"c":5,"in":{"a":1,"b":"x"}},{"c":6,"in":null},null]`},
		{"a member of items missing", arrow.ListOf(arrow.StructOf(a, b)), []part{{arrow.ListOf(arrow.StructOf(a)), `[[{"a":1},null],null,[]]`}}, 3,
			`[[{"a":1,"b":null},null],null,[]]`},
		{"items in two files", arrow.ListOf(arrow.StructOf(a, b)), []part{
			{arrow.ListOf(arrow.StructOf(a)), `[[{"a":1},{"a":2}],null,[]]`}, {arrow.ListOf(arrow.StructOf(b)), `[[{"b":"x"},{"b":"y"}],null,[]]`},
		}, 3, `[[{"a":1,"b":"x"},{"a":2,"b":"y"}],null,[]]`},
		{"fixed lists", arrow.FixedSizeListOf(2, arrow.StructOf(a, b)), []part{{arrow.FixedSizeListOf(2, arrow.StructOf(a)), `[[{"a":1},{"a":2}],null]`}}, 2,
			`[[{"a":1,"b":null},{"a":2,"b":null}],null]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			for _, sliced := range []bool{false, true} {
				var parts []arrow.Array
				for _, p := range tt.parts {
					arr := fromJSON(t, mem, p.typ, p.json)
					if sliced { // the same values, in the middle of a longer array
						whole, err := array.Concatenate([]arrow.Array{arr, arr, arr}, mem)
						if err != nil {
							t.Fatal(err)
						}
						arr.Release()
						arr = array.NewSlice(whole, int64(tt.n), int64(2*tt.n))
						whole.Release()
					}
					parts = append(parts, arr)
				}
				got, err := assembler{mem}.build(tt.typ, parts, tt.n)
				if err != nil {
					t.Fatal(err)
				}
				if !arrow.TypeEqual(got.DataType(), tt.typ) {
					t.Errorf("type %s, want %s", got.DataType(), tt.typ)
				}
				if g := asJSON(t, got); g != tt.want {
					t.Errorf("sliced %v: got %s, want %s", sliced, g, tt.want)
				}
				got.Release()
				releaseAll(parts)
			}
		})
	}
}

func TestAssembleRefuses(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	a, b := nullable("a", arrow.PrimitiveTypes.Int64), nullable("b", arrow.PrimitiveTypes.Int64)
	lists := func(f arrow.Field, json string) arrow.Array {
		return fromJSON(t, mem, arrow.ListOf(arrow.StructOf(f)), json)
	}
	x, y := lists(a, `[[{"a":1}],[]]`), lists(b, `[[],[{"b":1}]]`)
	defer releaseAll([]arrow.Array{x, y})
	if _, err := (assembler{mem}).build(arrow.ListOf(arrow.StructOf(a, b)), []arrow.Array{x, y}, 2); err == nil {
		t.Error("lists of different lengths were joined")
	}
	if _, err := (assembler{mem}).build(arrow.PrimitiveTypes.Int64, []arrow.Array{x}, 2); err == nil {
		t.Error("lists were taken for numbers")
	}
	if _, err := (assembler{mem}).build(x.DataType(), []arrow.Array{x}, 3); err == nil {
		t.Error("two values were taken for three rows")
	}
}

func TestPick(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	columns := []struct {
		typ  arrow.DataType
		item func(i int) string
	}{
		{arrow.PrimitiveTypes.Int64, func(i int) string { return fmt.Sprint(i) }},
		{arrow.PrimitiveTypes.Int16, func(i int) string { return fmt.Sprint(i) }},
		{arrow.FixedWidthTypes.Boolean, func(i int) string { return fmt.Sprint(i%2 == 0) }},
		{arrow.BinaryTypes.String, func(i int) string { return fmt.Sprintf(`"t%d"`, i) }},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), func(i int) string { return fmt.Sprintf(`[%d,null]`, i) }},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), func(i int) string { return fmt.Sprintf(`[%d,null]`, i) }},
		{arrow.StructOf(nullable("a", arrow.PrimitiveTypes.Int64)), func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) }},
		{arrow.StructOf(nullable("a", arrow.BinaryTypes.String)), func(i int) string { return fmt.Sprintf(`{"a":"%d"}`, i) }},
		{dict, func(i int) string { return fmt.Sprintf(`"d%d"`, i%5) }},
		{arrow.BinaryTypes.LargeString, func(i int) string { return fmt.Sprintf(`"t%d"`, i) }},
		{arrow.LargeListOf(arrow.BinaryTypes.String), func(i int) string { return fmt.Sprintf(`["%d",null]`, i) }},
		{arrow.ListOf(arrow.StructOf(nullable("a", arrow.BinaryTypes.String))), func(i int) string { return fmt.Sprintf(`[{"a":"%d"},null]`, i) }},
		{arrow.FixedSizeListOf(2, arrow.BinaryTypes.String), func(i int) string { return fmt.Sprintf(`["%d",null]`, i) }},
	}
	for _, c := range columns {
		t.Run(c.typ.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				defer mem.AssertSize(rt, 0)
				keep := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(rt, "keep")
				null := rapid.SliceOfN(rapid.Bool(), len(keep), len(keep)).Draw(rt, "null")
				var all, want []string
				for i := range keep {
					v := c.item(i)
					if null[i] {
						v = "null"
					}
					all = append(all, v)
					if keep[i] {
						want = append(want, v)
					}
				}
				// Two values in front, so that the array has an offset.
				whole := fromJSON(t, mem, c.typ, "["+strings.Join(append([]string{"null", c.item(1)}, all...), ",")+"]")
				arr := array.NewSlice(whole, 2, int64(whole.Len()))
				whole.Release()
				defer arr.Release()
				got, err := assembler{mem}.pick(arr, rowsOf(0, uint64(len(keep))).keep(bitmap(keep)))
				if err != nil {
					rt.Fatal(err)
				}
				defer got.Release()
				if g, w := asJSON(t, got), "["+strings.Join(want, ",")+"]"; g != w {
					rt.Fatalf("got %s, want %s", g, w)
				}
				// Places in any order, some more than once, as a take has them.
				at := rapid.SliceOfN(rapid.IntRange(0, len(keep)-1), 0, 60).Draw(rt, "at")
				var places selection
				want = nil
				for _, i := range at {
					places = append(places, encoding.RowRange{Start: uint64(i), End: uint64(i) + 1})
					want = append(want, all[i])
				}
				mixed, err := assembler{mem}.pick(arr, places)
				if err != nil {
					rt.Fatal(err)
				}
				defer mixed.Release()
				if g, w := asJSON(t, mixed), "["+strings.Join(want, ",")+"]"; g != w {
					rt.Fatalf("got %s, want %s", g, w)
				}
			})
		})
	}
}

// TestCopyBits copies bits at any offsets, behind which the bits of dst stay as they are.
func TestCopyBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "src")
		from, at, n := rapid.IntRange(0, 60).Draw(t, "from"), rapid.IntRange(0, 60).Draw(t, "at"), rapid.IntRange(0, 100).Draw(t, "n")
		dst := make([]byte, 20)
		copyBits(dst, at, src, from, n)
		for i := range 160 {
			want := i >= at && i < at+n && bitutil.BitIsSet(src, from+i-at)
			if bitutil.BitIsSet(dst, i) != want {
				t.Fatalf("bit %d is not %v", i, want)
			}
		}
	})
}
