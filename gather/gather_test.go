package gather_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine/enginetest"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/gather"
)

// types has one of each layout.
func types() []arrow.DataType {
	utf8, i32 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	return []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, i32, arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Float16, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal128Type{Precision: 38}, &arrow.Decimal256Type{Precision: 76}, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		utf8, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.ListOf(utf8), arrow.LargeListOf(i32), arrow.ListViewOf(i32), arrow.FixedSizeListOf(2, utf8), arrow.ListOf(arrow.ListOf(i32)),
		arrow.StructOf(arrow.Field{Name: "a", Type: utf8, Nullable: true}, arrow.Field{Name: "b", Type: arrow.ListOf(i32), Nullable: true}),
		arrow.FixedSizeListOf(2, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedWidthTypes.Boolean, Nullable: true})), arrow.MapOf(utf8, i32),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: utf8}, extensions.NewUUIDType(),
	}
}

func TestValues(t *testing.T) {
	for _, typ := range types() {
		t.Run(typ.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			for round := range 40 {
				whole := enginetest.Random(typ, rnd, 1+rnd.IntN(40))
				from := rnd.IntN(whole.Len())
				arr := array.NewSlice(whole, int64(from), int64(whole.Len()))
				places := make([]int64, rnd.IntN(60))
				for i := range places {
					places[i] = int64(rnd.IntN(arr.Len()+1)) + gather.Null
				}
				if round%4 == 0 { // a run
					places = places[:min(len(places), arr.Len())]
					for i := range places {
						places[i] = int64(i)
					}
				}
				checkValues(t, arr, places)
				arr.Release()
				whole.Release()
			}
		})
	}
}

func checkValues(t *testing.T, arr arrow.Array, places []int64) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	got, err := gather.Values(arr, places, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	if got.Len() != len(places) || !arrow.TypeEqual(got.DataType(), arr.DataType()) {
		t.Fatalf("%d values of %s, want %d", got.Len(), got.DataType(), len(places))
	}
	nulls := 0
	for i, p := range places {
		null := p == gather.Null || arr.IsNull(int(p))
		if null {
			nulls++
		}
		if got.IsNull(i) != null && arr.DataType().ID() != arrow.NULL {
			t.Errorf("place %d: null is %v, want %v", p, got.IsNull(i), null)
		} else if !null && got.ValueStr(i) != arr.ValueStr(int(p)) {
			t.Errorf("place %d: %s, want %s", p, got.ValueStr(i), arr.ValueStr(int(p)))
		}
	}
	if got.NullN() != nulls && arr.DataType().ID() != arrow.NULL {
		t.Errorf("%d nulls, want %d", got.NullN(), nulls)
	}
	if v, ok := got.(interface{ ValidateFull() error }); ok {
		if err := v.ValidateFull(); err != nil {
			t.Error(err)
		}
	}
}

func TestTypesThatCannotBeTaken(t *testing.T) {
	typ := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64)
	b := array.NewRunEndEncodedBuilder(memory.DefaultAllocator, typ.RunEnds(), typ.Encoded())
	defer b.Release()
	b.AppendNull()
	arr := b.NewArray()
	defer arr.Release()
	if _, err := gather.Values(arr, []int64{0, 0}, memory.DefaultAllocator); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

// TestTooManyBytes: texts whose offsets would not fit are an error before they are copied.
func TestTooManyBytes(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Append(string(make([]byte, 1<<20)))
	arr := b.NewArray()
	defer arr.Release()
	if _, err := gather.Values(arr, make([]int64, 2049), memory.DefaultAllocator); !errors.Is(err, errs.ErrResourceExhausted) {
		t.Errorf("got %v", err)
	}
}

func TestBytes(t *testing.T) {
	mem := memory.DefaultAllocator
	ints := array.NewInt32Builder(mem)
	ints.AppendValues(make([]int32, 10), nil)
	texts := array.NewStringBuilder(mem)
	texts.AppendValues([]string{"a", "bcd", ""}, nil)
	lists := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int64)
	for n := range 3 {
		lists.Append(true)
		for range n {
			lists.ValueBuilder().(*array.Int64Builder).Append(1)
		}
	}
	for _, tc := range []struct {
		arr      arrow.Array
		from, to int
		want     int64
	}{
		{ints.NewArray(), 2, 5, 12}, {texts.NewArray(), 1, 3, 2*4 + 3}, {lists.NewArray(), 1, 3, 2*4 + 3*8}, {array.NewNull(5), 0, 5, 0},
	} {
		if got := gather.Bytes(tc.arr, tc.from, tc.to); got != tc.want {
			t.Errorf("%s %d to %d: %d bytes, want %d", tc.arr.DataType(), tc.from, tc.to, got, tc.want)
		}
		if got := gather.Bytes(tc.arr, tc.to, tc.to); got != 0 {
			t.Errorf("no rows of %s: %d bytes", tc.arr.DataType(), got)
		}
	}
}
