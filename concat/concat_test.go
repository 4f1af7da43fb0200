package concat_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/concat"
	"github.com/lanceflight/flightsrv/errs"
)

// fromJSON makes an array of a type without dictionaries.
func fromJSON(t *testing.T, mem memory.Allocator, dt arrow.DataType, text string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(mem, dt, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// dictionary makes an array of keys into values, both as JSON.
func dictionary(t *testing.T, mem memory.Allocator, key, value arrow.DataType, keys, values string) arrow.Array {
	t.Helper()
	k, v := fromJSON(t, mem, key, keys), fromJSON(t, mem, value, values)
	defer k.Release()
	defer v.Release()
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: key, ValueType: value}, k, v)
}

// texts gives the values, as text each.
func texts(a arrow.Array) string {
	var out []string
	for i := range a.Len() {
		out = append(out, text(a, i))
	}
	return strings.Join(out, " ")
}

func text(a arrow.Array, i int) string {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return "null"
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return text(a.Dictionary(), a.GetValueIndex(i))
	case *array.Struct:
		var parts []string
		for f := range a.NumField() {
			parts = append(parts, text(a.Field(f), i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		var parts []string
		for k := from; k < to; k++ {
			parts = append(parts, text(a.ListValues(), int(k)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return a.ValueStr(i)
}

func checked(t *testing.T) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// join joins arrays, and gives these up.
func join(t *testing.T, mem memory.Allocator, arrs ...arrow.Array) arrow.Array {
	t.Helper()
	out, err := concat.Arrays(arrs, mem)
	for _, a := range arrs {
		a.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// valueTypes are types of dictionary values, with two values of each and their texts.
var valueTypes = []struct {
	t      arrow.DataType
	values [2]string
	texts  [2]string
}{
	{arrow.BinaryTypes.String, [2]string{`"a"`, `""`}, [2]string{"a", ""}},
	{arrow.BinaryTypes.LargeString, [2]string{`"a"`, `"bc"`}, [2]string{"a", "bc"}},
	{arrow.BinaryTypes.Binary, [2]string{`"YQ=="`, `"Yg=="`}, [2]string{"YQ==", "Yg=="}},
	{arrow.BinaryTypes.LargeBinary, [2]string{`"YQ=="`, `"Yg=="`}, [2]string{"YQ==", "Yg=="}},
	{arrow.FixedWidthTypes.Boolean, [2]string{`true`, `false`}, [2]string{"true", "false"}},
	{arrow.PrimitiveTypes.Int8, [2]string{`1`, `-2`}, [2]string{"1", "-2"}},
	{arrow.PrimitiveTypes.Uint64, [2]string{`1`, `2`}, [2]string{"1", "2"}},
	{arrow.PrimitiveTypes.Float64, [2]string{`1.5`, `-2`}, [2]string{"1.5", "-2"}},
	{arrow.FixedWidthTypes.Float16, [2]string{`1.5`, `-2`}, [2]string{"1.5", "-2"}},
}

func TestDictionariesOfEachTypeAreJoined(t *testing.T) {
	for _, v := range valueTypes {
		for _, key := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int64} {
			t.Run(fmt.Sprintf("%s by %s", v.t, key), func(t *testing.T) {
				mem := checked(t)
				one := dictionary(t, mem, key, v.t, `[1,0,null,1]`, "["+v.values[0]+","+v.values[1]+"]")
				cut := array.NewSlice(one, 1, 4)
				one.Release()
				two := dictionary(t, mem, key, v.t, `[0,2,1]`, "["+v.values[1]+",null,"+v.values[0]+"]")
				got := join(t, mem, cut, two)
				defer got.Release()
				a, b := v.texts[0], v.texts[1]
				if want := fmt.Sprintf("%s null %s %s %s null", a, b, b, a); texts(got) != want {
					t.Errorf("%s, want %s", texts(got), want)
				}
				if d := got.(*array.Dictionary).Dictionary(); d.Len() != 3 {
					t.Errorf("%d values in the dictionary, want those used: two and null", d.Len())
				}
			})
		}
	}
}

func TestNullsAndEmptyDictionaries(t *testing.T) {
	mem := checked(t)
	key, value := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	got := join(t, mem,
		dictionary(t, mem, key, value, `[null,null]`, `[]`),
		dictionary(t, mem, key, value, `[]`, `["x"]`),
		dictionary(t, mem, key, value, `[0,null]`, `["y"]`),
		dictionary(t, mem, key, arrow.BinaryTypes.String, `[1]`, `["y","z"]`))
	defer got.Release()
	if want := "null null y null z"; texts(got) != want {
		t.Errorf("%s, want %s", texts(got), want)
	}
}

func TestOneDictionaryStaysAsItIs(t *testing.T) {
	mem := checked(t)
	a := dictionary(t, mem, arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String, `[2,0,1]`, `["x","y","z"]`)
	defer a.Release()
	got := join(t, mem, array.NewSlice(a, 2, 3), array.NewSlice(a, 0, 2))
	defer got.Release()
	if want := "y z x"; texts(got) != want {
		t.Errorf("%s, want %s", texts(got), want)
	}
	if got.(*array.Dictionary).Dictionary().Len() != 3 {
		t.Error("the dictionary is another one")
	}
}

func TestMoreValuesThanKeysTellApart(t *testing.T) {
	mem := checked(t)
	part := func(from, n int) arrow.Array {
		var keys, values []string
		for i := range n {
			keys, values = append(keys, fmt.Sprint(i)), append(values, fmt.Sprint(from+i))
		}
		return dictionary(t, mem, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64, "["+strings.Join(keys, ",")+"]", "["+strings.Join(values, ",")+"]")
	}
	a, b, c := part(0, 100), part(100, 28), part(128, 1)
	defer a.Release()
	defer b.Release()
	defer c.Release()
	all, err := concat.Arrays([]arrow.Array{a, b}, mem)
	if err != nil {
		t.Fatal("128 values:", err)
	}
	defer all.Release()
	if got := text(all, 127); got != "127" {
		t.Errorf("the last value is %s, want 127", got)
	}
	if _, err := concat.Arrays([]arrow.Array{a, b, c}, mem); !errors.Is(err, errs.ErrResourceExhausted) {
		t.Errorf("129 values: %v", err)
	}
}

// TestNestedDictionariesAreJoined joins dictionaries below each type that nests.
func TestNestedDictionariesAreJoined(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}
	item := arrow.Field{Name: "item", Type: words, Nullable: true}
	list := arrow.ListOfField(item)
	for name, c := range map[string]struct {
		t    arrow.DataType
		n    int
		bits []byte // offsets
		want string
	}{
		"list":            {list, 2, arrow.Int32Traits.CastToBytes([]int32{0, 1, 3}), "[a] [b,null] [c] [d,null]"},
		"large list":      {arrow.LargeListOfField(item), 2, arrow.Int64Traits.CastToBytes([]int64{0, 1, 3}), "[a] [b,null] [c] [d,null]"},
		"fixed-size list": {arrow.FixedSizeListOfField(3, item), 1, nil, "[a,b,null] [c,d,null]"},
		"struct":          {arrow.StructOf(item), 3, nil, "{a} {b} {null} {c} {d} {null}"},
		"map":             {arrow.MapOfFields(arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int32}, item), 2, arrow.Int32Traits.CastToBytes([]int32{0, 1, 3}), "[{7,a}] [{8,b},{9,null}] [{7,c}] [{8,d},{9,null}]"},
	} {
		t.Run(name, func(t *testing.T) {
			mem := checked(t)
			make := func(values string) arrow.Array {
				d := dictionary(t, mem, words.IndexType, words.ValueType, `[0,1,null]`, values)
				defer d.Release()
				buffers := []*memory.Buffer{nil}
				if c.bits != nil {
					buffers = append(buffers, memory.NewBufferBytes(c.bits))
				}
				child := d.Data()
				if m, ok := c.t.(*arrow.MapType); ok {
					k := fromJSON(t, mem, m.KeyType(), `[7,8,9]`)
					defer k.Release()
					child = array.NewData(m.Elem(), 3, []*memory.Buffer{nil}, []arrow.ArrayData{k.Data(), child}, 0, 0)
					defer child.Release()
				}
				data := array.NewData(c.t, c.n, buffers, []arrow.ArrayData{child}, 0, 0)
				defer data.Release()
				return array.MakeFromData(data)
			}
			got := join(t, mem, make(`["a","b"]`), make(`["c","d"]`))
			defer got.Release()
			if texts(got) != c.want {
				t.Errorf("%s, want %s", texts(got), c.want)
			}
			if !arrow.TypeEqual(got.DataType(), c.t) {
				t.Errorf("type %s, want %s", got.DataType(), c.t)
			}
		})
	}
}

func TestArraysWithoutDictionaries(t *testing.T) {
	mem := checked(t)
	got := join(t, mem, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1,null]`), fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3]`))
	defer got.Release()
	if want := "1 null 3"; texts(got) != want {
		t.Errorf("%s, want %s", texts(got), want)
	}
}

func TestKeysOutsideOfTheDictionary(t *testing.T) {
	mem := checked(t)
	keys := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[5]`)
	values := fromJSON(t, mem, arrow.BinaryTypes.String, `["x"]`)
	defer keys.Release()
	defer values.Release()
	data := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: keys.DataType(), ValueType: values.DataType()}, 1, keys.Data().Buffers(), 0, 0, values.Data().(*array.Data))
	defer data.Release()
	bad := array.MakeFromData(data)
	good := dictionary(t, mem, arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String, `[0]`, `["y"]`)
	defer bad.Release()
	defer good.Release()
	if out, err := concat.Arrays([]arrow.Array{good, bad}, mem); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v, %v", out, err)
	}
}
