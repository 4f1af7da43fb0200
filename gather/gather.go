// Package gather takes values of an Arrow array by their places, in any order and as often as wanted, and tells how many
// bytes rows take.
package gather

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// Null as a place gives a null.
const Null = -1

// Values gives the values of arr at places, which are Null or below arr.Len(); the caller releases them. Places that follow
// one another give a slice. A result whose offsets would not fit its type is an errs.ErrResourceExhausted, a type that can't
// be taken from an errs.ErrUnsupported.
func Values(arr arrow.Array, places []int64, mem memory.Allocator) (arrow.Array, error) {
	if len(places) > 0 && inOrder(places) {
		return array.NewSlice(arr, places[0], places[0]+int64(len(places))), nil
	}
	g := &gatherer{mem: mem}
	data, err := g.data(arr, places)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// inOrder tells whether the places are a run of values.
func inOrder(places []int64) bool {
	first := places[0]
	if first < 0 {
		return false
	}
	for i, p := range places {
		if p != first+int64(i) {
			return false
		}
	}
	return true
}

type gatherer struct{ mem memory.Allocator }

func (g *gatherer) data(arr arrow.Array, places []int64) (*array.Data, error) {
	switch a := arr.(type) {
	case *array.Null:
		return array.NewData(arr.DataType(), len(places), []*memory.Buffer{nil}, nil, len(places), 0), nil
	case array.ExtensionArray:
		storage, err := g.data(a.Storage(), places)
		if err != nil {
			return nil, err
		}
		defer storage.Release()
		return array.NewData(arr.DataType(), storage.Len(), storage.Buffers(), storage.Children(), storage.NullN(), 0), nil
	case *array.Struct:
		return g.structs(a, places)
	case *array.FixedSizeList:
		return g.fixedLists(a, places)
	case *array.List, *array.Map:
		return lists[int32](g, arr.(array.ListLike), places)
	case *array.LargeList:
		return lists[int64](g, a, places)
	case *array.ListView:
		return g.views(arr, places, 4), nil
	case *array.LargeListView:
		return g.views(arr, places, 8), nil
	case *array.String, *array.Binary:
		return texts[int32](g, arr, places)
	case *array.LargeString, *array.LargeBinary:
		return texts[int64](g, arr, places)
	case *array.Boolean:
		return g.flat(arr, places, g.bits(arr.Data().Buffers()[1], arr.Data().Offset(), places), nil), nil
	case *array.StringView, *array.BinaryView:
		values := g.fixed(arr.Data().Buffers()[1], arr.Data().Offset(), arrow.ViewHeaderSizeBytes, places)
		return g.flat(arr, places, values, arr.Data().Buffers()[2:]), nil
	case *array.Dictionary:
		width := a.DataType().(*arrow.DictionaryType).IndexType.(arrow.FixedWidthDataType).Bytes()
		keys := g.fixed(arr.Data().Buffers()[1], arr.Data().Offset(), width, places)
		nulls, count := g.nulls(arr, places)
		defer release(keys, nulls)
		return array.NewDataWithDictionary(arr.DataType(), len(places), []*memory.Buffer{nulls, keys}, count, 0, arr.Data().Dictionary().(*array.Data)), nil
	}
	if t, ok := arr.DataType().(arrow.FixedWidthDataType); ok && t.BitWidth()%8 == 0 {
		return g.flat(arr, places, g.fixed(arr.Data().Buffers()[1], arr.Data().Offset(), t.Bytes(), places), nil), nil
	}
	return nil, errs.Unsupportedf("values of type %s can't be taken one by one", arr.DataType())
}

// flat makes an array of values and the buffers that they point to. values is released.
func (g *gatherer) flat(arr arrow.Array, places []int64, values *memory.Buffer, more []*memory.Buffer) *array.Data {
	nulls, count := g.nulls(arr, places)
	defer release(values, nulls)
	return array.NewData(arr.DataType(), len(places), append([]*memory.Buffer{nulls, values}, more...), nil, count, 0)
}

func release(bufs ...*memory.Buffer) {
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
}

// nulls gives the validity bits, nil where all are valid, and how many are not.
func (g *gatherer) nulls(arr arrow.Array, places []int64) (*memory.Buffer, int) {
	var valid []byte // nil where all are
	if arr.NullN() > 0 {
		valid = arr.NullBitmapBytes()
	}
	offset := arr.Data().Offset()
	isNull := func(p int64) bool { return p < 0 || valid != nil && !bitutil.BitIsSet(valid, offset+int(p)) }
	count := 0
	for _, p := range places {
		if isNull(p) {
			count++
		}
	}
	if count == 0 {
		return nil, 0
	}
	buf := g.buffer(int(bitutil.BytesForBits(int64(len(places)))))
	clear(buf.Bytes())
	for i, p := range places {
		if !isNull(p) {
			bitutil.SetBit(buf.Bytes(), i)
		}
	}
	return buf, count
}

func (g *gatherer) buffer(n int) *memory.Buffer {
	buf := memory.NewResizableBuffer(g.mem)
	buf.Resize(n)
	return buf
}

func (g *gatherer) bits(from *memory.Buffer, offset int, places []int64) *memory.Buffer {
	buf := g.buffer(int(bitutil.BytesForBits(int64(len(places)))))
	clear(buf.Bytes())
	for i, p := range places {
		if p >= 0 && bitutil.BitIsSet(from.Bytes(), offset+int(p)) {
			bitutil.SetBit(buf.Bytes(), i)
		}
	}
	return buf
}

// fixed copies values of width bytes.
func (g *gatherer) fixed(from *memory.Buffer, offset, width int, places []int64) *memory.Buffer {
	buf := g.buffer(len(places) * width)
	if len(places) == 0 || width == 0 {
		return buf
	}
	var src []byte
	if from != nil {
		src = from.Bytes()[offset*width:]
	}
	switch width {
	case 1:
		copyWords[uint8](buf.Bytes(), src, places)
	case 2:
		copyWords[uint16](buf.Bytes(), src, places)
	case 4:
		copyWords[uint32](buf.Bytes(), src, places)
	case 8:
		copyWords[uint64](buf.Bytes(), src, places)
	default:
		to := buf.Bytes()
		for i, p := range places {
			if p < 0 {
				clear(to[i*width : (i+1)*width])
				continue
			}
			copy(to[i*width:(i+1)*width], src[int(p)*width:])
		}
	}
	return buf
}

// copyWords is fixed for values of a word's width.
func copyWords[W uint8 | uint16 | uint32 | uint64](to, src []byte, places []int64) {
	out, in := words[W](to), words[W](src)
	for i, p := range places {
		if p < 0 {
			out[i] = 0
			continue
		}
		out[i] = in[p]
	}
}

// words reads bytes as words; what is left at the end is not seen.
func words[W any](b []byte) []W {
	n := len(b) / int(unsafe.Sizeof(*new(W)))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func (g *gatherer) structs(a *array.Struct, places []int64) (*array.Data, error) {
	var kids []arrow.ArrayData
	defer func() {
		for _, k := range kids {
			k.Release()
		}
	}()
	for i := range a.NumField() { // fields are sliced as the struct is
		k, err := g.data(a.Field(i), places)
		if err != nil {
			return nil, err
		}
		kids = append(kids, k)
	}
	nulls, count := g.nulls(a, places)
	defer release(nulls)
	return array.NewData(a.DataType(), len(places), []*memory.Buffer{nulls}, kids, count, 0), nil
}

func (g *gatherer) fixedLists(a *array.FixedSizeList, places []int64) (*array.Data, error) {
	size := int64(a.DataType().(*arrow.FixedSizeListType).Len())
	items := make([]int64, 0, int64(len(places))*size)
	for _, p := range places {
		for k := range size {
			if p < 0 {
				items = append(items, Null)
				continue
			}
			items = append(items, (int64(a.Data().Offset())+p)*size+k)
		}
	}
	kid, err := g.data(a.ListValues(), items)
	if err != nil {
		return nil, err
	}
	defer kid.Release()
	nulls, count := g.nulls(a, places)
	defer release(nulls)
	return array.NewData(a.DataType(), len(places), []*memory.Buffer{nulls}, []arrow.ArrayData{kid}, count, 0), nil
}

// views takes lists that say where they begin and how long they are, in integers of width bytes.
func (g *gatherer) views(arr arrow.Array, places []int64, width int) *array.Data {
	data := arr.Data()
	offsets := g.fixed(data.Buffers()[1], data.Offset(), width, places)
	sizes := g.fixed(data.Buffers()[2], data.Offset(), width, places)
	nulls, count := g.nulls(arr, places)
	defer release(offsets, sizes, nulls)
	return array.NewData(arr.DataType(), len(places), []*memory.Buffer{nulls, offsets, sizes}, data.Children(), count, 0)
}

// lists takes lists and maps.
func lists[O int32 | int64](g *gatherer, a array.ListLike, places []int64) (*array.Data, error) {
	offsets := g.buffer((len(places) + 1) * int(unsafe.Sizeof(O(0))))
	defer release(offsets)
	ends := words[O](offsets.Bytes())
	ends[0] = 0
	var items []int64
	for i, p := range places {
		if p >= 0 && a.IsValid(int(p)) {
			from, to := a.ValueOffsets(int(p))
			for k := from; k < to; k++ {
				items = append(items, k)
			}
		}
		ends[i+1] = O(len(items))
		if int64(ends[i+1]) != int64(len(items)) {
			return nil, tooLarge(a.DataType())
		}
	}
	kid, err := g.data(a.ListValues(), items)
	if err != nil {
		return nil, err
	}
	defer kid.Release()
	nulls, count := g.nulls(a, places)
	defer release(nulls)
	return array.NewData(a.DataType(), len(places), []*memory.Buffer{nulls, offsets}, []arrow.ArrayData{kid}, count, 0), nil
}

// texts takes byte strings.
func texts[O int32 | int64](g *gatherer, arr arrow.Array, places []int64) (*array.Data, error) {
	from := []O{0}
	if arr.Len() > 0 {
		from = words[O](arr.Data().Buffers()[1].Bytes())[arr.Data().Offset():]
	}
	offsets := g.buffer((len(places) + 1) * int(unsafe.Sizeof(O(0))))
	ends := words[O](offsets.Bytes())
	ends[0] = 0
	var total int64
	for i, p := range places {
		if p >= 0 && arr.IsValid(int(p)) {
			total += int64(from[p+1] - from[p])
		}
		ends[i+1] = O(total)
		if int64(ends[i+1]) != total {
			release(offsets)
			return nil, tooLarge(arr.DataType())
		}
	}
	values := g.buffer(int(total))
	if total > 0 {
		src := arr.Data().Buffers()[2].Bytes()
		for i, p := range places {
			if ends[i+1] > ends[i] {
				copy(values.Bytes()[ends[i]:ends[i+1]], src[from[p]:from[p+1]])
			}
		}
	}
	nulls, count := g.nulls(arr, places)
	defer release(offsets, values, nulls)
	return array.NewData(arr.DataType(), len(places), []*memory.Buffer{nulls, offsets, values}, nil, count, 0), nil
}

func tooLarge(t arrow.DataType) error {
	return errs.New(errs.ErrResourceExhausted, "a batch of values of type %s is too large", t)
}
