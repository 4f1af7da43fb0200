package lanceio

import (
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// pickNested is pick for byte strings, lists and what holds them; nil for values of other types, and where the result would
// be too large for its offsets. Ranges of places may touch and be in any order.
func (a assembler) pickNested(arr arrow.Array, places selection) arrow.Array {
	switch arr := arr.(type) {
	case array.ExtensionArray:
		storage := a.pickDirect(arr.Storage(), places)
		if storage == nil {
			return nil
		}
		defer storage.Release()
		return array.NewExtensionArrayWithStorage(arr.ExtensionType(), storage)
	case *array.String, *array.Binary:
		return pickTexts[int32](a, arr, places)
	case *array.LargeString, *array.LargeBinary:
		return pickTexts[int64](a, arr, places)
	case *array.List:
		return pickLists[int32](a, arr, arr.ListValues(), places)
	case *array.Map:
		return pickLists[int32](a, arr, arr.ListValues(), places)
	case *array.LargeList:
		return pickLists[int64](a, arr, arr.ListValues(), places)
	case *array.FixedSizeList:
		dim := uint64(arr.DataType().(*arrow.FixedSizeListType).Len())
		base := uint64(arr.Data().Offset())
		items := make(selection, len(places))
		for i, r := range places {
			items[i] = encoding.RowRange{Start: (base + r.Start) * dim, End: (base + r.End) * dim}
		}
		return a.pickOver(arr, places, nil, arr.ListValues(), items)
	}
	return nil
}

// offsetsOf gives the n+1 offsets of an array of strings or lists.
func offsetsOf[O int32 | int64](arr arrow.Array) []O {
	if arr.Len() == 0 {
		return nil
	}
	return arrow.GetOffsets[O](arr.Data(), 1)[:arr.Len()+1]
}

// newOffsets makes the offsets of the places' values. ok is false where they are too large.
func newOffsets[O int32 | int64](a assembler, from []O, places selection) (buf *memory.Buffer, ok bool) {
	buf = memory.NewResizableBuffer(a.mem)
	n := int(places.count())
	width := int(unsafe.Sizeof(O(0)))
	buf.Resize((n + 1) * width)
	out := arrow.GetData[O](buf.Bytes())
	var total int64
	i := 0
	for _, r := range places {
		for k := r.Start; k < r.End; k++ {
			out[i] = O(total)
			total += int64(from[k+1] - from[k])
			i++
		}
	}
	if width == 4 && total > math.MaxInt32 {
		buf.Release()
		return nil, false
	}
	out[n] = O(total)
	return buf, true
}

func pickTexts[O int32 | int64](a assembler, arr arrow.Array, places selection) arrow.Array {
	from := offsetsOf[O](arr)
	offsets, ok := newOffsets(a, from, places)
	if !ok {
		return nil
	}
	defer offsets.Release()
	n := int(places.count())
	values := memory.NewResizableBuffer(a.mem)
	defer values.Release()
	values.Resize(int(arrow.GetData[O](offsets.Bytes())[n]))
	dst := values.Bytes()
	if len(dst) > 0 {
		src := arr.Data().Buffers()[2].Bytes()
		for _, r := range places {
			dst = dst[copy(dst, src[from[r.Start]:from[r.End]]):]
		}
	}
	validity, nulls := a.pickValidity(arr, places, n)
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(arr.DataType(), n, []*memory.Buffer{validity, offsets, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func pickLists[O int32 | int64](a assembler, arr, values arrow.Array, places selection) arrow.Array {
	from := offsetsOf[O](arr)
	offsets, ok := newOffsets(a, from, places)
	if !ok {
		return nil
	}
	defer offsets.Release()
	items := make(selection, 0, len(places))
	for _, r := range places {
		items = items.add(uint64(from[r.Start]), uint64(from[r.End]))
	}
	return a.pickOver(arr, places, offsets, values, items)
}

// pickOver gives the lists at places over the items at places of values; offsets is nil for lists of a fixed size.
func (a assembler) pickOver(arr arrow.Array, places selection, offsets *memory.Buffer, values arrow.Array, items selection) arrow.Array {
	picked, err := a.pick(values, items)
	if err != nil {
		return nil
	}
	defer picked.Release()
	n := int(places.count())
	validity, nulls := a.pickValidity(arr, places, n)
	buffers := []*memory.Buffer{validity}
	if validity != nil {
		defer validity.Release()
	}
	if offsets != nil {
		buffers = append(buffers, offsets)
	}
	data := array.NewData(arr.DataType(), n, buffers, []arrow.ArrayData{picked.Data()}, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
