package lanceio

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/errs"
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

// layout makes lists of JSON rows ("" is null) whose items lie as drawn: null lists cover items, and other lists lie around
// those of the rows.
func layout(t *rapid.T, tb testing.TB, mem memory.Allocator, typ arrow.DataType, rows []string, item string) arrow.Array {
	covered := rapid.SliceOfN(rapid.IntRange(0, 2), len(rows), len(rows)).Draw(t, "items below nulls")
	before, behind := rapid.IntRange(0, 3).Draw(t, "lists before"), rapid.IntRange(0, 2).Draw(t, "lists behind")
	var all []string
	valid, nulls := make([]byte, bitutil.BytesForBits(int64(before+len(rows)+behind))), 0
	add := func(row string, ok bool) {
		bitutil.SetBitTo(valid, len(all), ok)
		all = append(all, row)
	}
	for range before {
		add("["+item+"]", true)
	}
	for i, row := range rows {
		if row == "" {
			nulls++
			add("["+strings.Join(slices.Repeat([]string{item}, covered[i]), ",")+"]", false)
			continue
		}
		add(row, true)
	}
	for range behind {
		add("["+item+"]", true)
	}
	full := fromJSON(tb, mem, typ, "["+strings.Join(all, ",")+"]")
	defer full.Release()
	d := full.Data()
	buffers := []*memory.Buffer{memory.NewBufferBytes(valid), d.Buffers()[1]}
	data := array.NewData(typ, len(rows), buffers, d.Children(), nulls, before)
	defer data.Release()
	return array.MakeFromData(data)
}

// TestAssembleLayouts joins parts of the same lists whose items lie at different places.
func TestAssembleLayouts(t *testing.T) {
	a, b := nullable("a", arrow.PrimitiveTypes.Int64), nullable("b", arrow.ListOf(arrow.BinaryTypes.String))
	list := func(f ...arrow.Field) arrow.DataType { return arrow.ListOf(arrow.StructOf(f...)) }
	large := func(f ...arrow.Field) arrow.DataType { return arrow.LargeListOf(arrow.StructOf(f...)) }
	textA := func(k int) string { return fmt.Sprintf(`{"a":%d}`, k) }
	textB := func(k int) string { return fmt.Sprintf(`{"b":["%d",null]}`, k) }
	both := func(k int) string { return fmt.Sprintf(`{"a":%d,"b":["%d",null]}`, k, k) }
	number := func(k int) string { return fmt.Sprint(k) }
	entry := func(k int) string { return fmt.Sprintf(`{"key":"%d","value":%d}`, k, k) }
	type part struct {
		typ  arrow.DataType
		item func(k int) string
	}
	numbers, entries := arrow.ListOf(arrow.PrimitiveTypes.Int64), arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)
	for _, tt := range []struct {
		name  string
		typ   arrow.DataType
		item  func(k int) string
		parts []part
	}{
		{"members", list(a, b), both, []part{{list(a), textA}, {list(b), textB}}},
		{"members of large lists", large(a, b), both, []part{{large(b), textB}, {large(a), textA}}},
		{"a member and all", list(a, b), both, []part{{list(a), textA}, {list(a, b), both}}},
		{"three", list(a, b), both, []part{{list(a), textA}, {list(a, b), both}, {list(b), textB}}},
		{"the same twice", numbers, number, []part{{numbers, number}, {numbers, number}}},
		{"maps", entries, entry, []part{{entries, entry}, {entries, entry}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				defer mem.AssertSize(rt, 0)
				lengths := rapid.SliceOfN(rapid.IntRange(-1, 3), 0, 12).Draw(rt, "lengths") // -1: null
				parts := make([]arrow.Array, len(tt.parts))
				defer func() { releaseAll(parts) }()
				for i, p := range tt.parts {
					parts[i] = layout(rt, t, mem, p.typ, listTexts(lengths, p.item, ""), p.item(99))
				}
				got, err := assembler{mem}.build(tt.typ, parts, len(lengths))
				if err != nil {
					rt.Fatal(err)
				}
				defer got.Release()
				want := fromJSON(t, mem, tt.typ, "["+strings.Join(listTexts(lengths, tt.item, "null"), ",")+"]")
				defer want.Release()
				if !array.Equal(got, want) {
					rt.Fatalf("got %s, want %s", got, want)
				}
			})
		})
	}
}

// listTexts gives lists of these lengths as JSON, each item of which is another.
func listTexts(lengths []int, item func(k int) string, null string) []string {
	out := make([]string, len(lengths))
	k := 0
	for i, n := range lengths {
		if n < 0 {
			out[i] = null
			continue
		}
		items := make([]string, n)
		for m := range items {
			items[m] = item(k)
			k++
		}
		out[i] = "[" + strings.Join(items, ",") + "]"
	}
	return out
}

func TestAssembleRefuses(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	a, b := nullable("a", arrow.PrimitiveTypes.Int64), nullable("b", arrow.PrimitiveTypes.Int64)
	lists := func(f arrow.Field, json string) arrow.Array {
		return fromJSON(t, mem, arrow.ListOf(arrow.StructOf(f)), json)
	}
	x := lists(a, `[[{"a":1}],[]]`)
	defer x.Release()
	for _, other := range []string{`[[],[{"b":1}]]`, `[[{"b":1}],[{"b":2}]]`, `[[{"b":1}],null]`, `[null,[]]`, `[[{"b":1},{"b":2}],[]]`} {
		y := lists(b, other)
		_, err := (assembler{mem}).build(arrow.ListOf(arrow.StructOf(a, b)), []arrow.Array{x, y}, 2)
		if y.Release(); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("lists were joined with those of %s: %v", other, err)
		}
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
