package encoding

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// values20 is decoded values that are no Arrow array yet. Just one of the ways to hold them is used:
//
//	null              all are null
//	bits, data        fixed width: bits each, back to back
//	offsets, data     variable width
//	dim, items        fixed-size lists
//	index, items      a dictionary: index points into items
//	members           packed structs
type values20 struct {
	n        int
	validity []byte // a bitmap from bit 0 on; nil: none is null
	null     bool
	bits     uint64
	data     []byte
	offsets  []int32 // n+1
	dim      int
	items    *values20
	index    *values20
	members  []*values20
	words    *wordTable // of a dictionary's items, once it was looked up in
}

// valid tells whether value i is not null.
func (v *values20) valid(i int) bool {
	return !v.null && (v.validity == nil || v.validity[i/8]>>(i%8)&1 == 1)
}

// mask makes the values null whose bit in validity is clear.
func (v *values20) mask(a *arena, validity []byte) {
	if v.validity == nil {
		v.validity = validity
		return
	}
	both := a.alloc(len(v.validity))
	for i := range both {
		both[i] = v.validity[i] & validity[i]
	}
	v.validity = both
}

// clone gives the same values in memory of their own, for what outlives the read.
func (v *values20) clone() *values20 {
	if v == nil {
		return nil
	}
	out := *v
	out.validity, out.data, out.offsets = bytes.Clone(v.validity), bytes.Clone(v.data), slices.Clone(v.offsets)
	out.items, out.index, out.members = v.items.clone(), v.index.clone(), slices.Clone(v.members)
	for i, m := range out.members {
		out.members[i] = m.clone()
	}
	return &out
}

// uint gives fixed-width value i, of up to 64 bits, as a number.
func (v *values20) uint(i int) uint64 {
	switch v.bits {
	case 8:
		return uint64(v.data[i])
	case 16:
		return uint64(le20.Uint16(v.data[2*i:]))
	case 32:
		return uint64(le20.Uint32(v.data[4*i:]))
	default:
		return le20.Uint64(v.data[8*i:])
	}
}

// bitmapSize20 is the number of bytes that n bits take.
func bitmapSize20(n int) int { return n/8 + (n%8+7)/8 }

// array makes an Arrow array of type t, whose layout fits how the values were decoded for t.
func (v *values20) array(t arrow.DataType, a *arena) (arrow.Array, error) {
	d, err := v.arrow(t, a)
	if err != nil {
		return nil, err
	}
	return makeArray20(d), nil
}

// makeArray20 makes an array of data, which it takes over.
func makeArray20(d arrow.ArrayData) arrow.Array {
	defer d.Release()
	return array.MakeFromData(d)
}

func (v *values20) arrow(t arrow.DataType, a *arena) (arrow.ArrayData, error) {
	if v.null || t.ID() == arrow.NULL {
		return nullData20(t, uint64(v.n), a.mem)
	}
	switch t := t.(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return v.variable(t, a)
	case *arrow.FixedSizeListType:
		return v.nested(t, []*values20{v.items}, a)
	case *arrow.StructType:
		return v.nested(t, v.members, a)
	case *arrow.DictionaryType:
		return v.dictionary(t, a)
	}
	return v.made(t, a, a.buffer(v.data)), nil
}

// made gives flat data of which the validity is still to be set; it takes over buffers.
func (v *values20) made(t arrow.DataType, a *arena, buffers ...*memory.Buffer) arrow.ArrayData {
	bitmap, nulls := v.bitmap(a)
	all := append([]*memory.Buffer{bitmap}, buffers...)
	d := array.NewData(t, v.n, all, nil, nulls, 0)
	release20(all...)
	return d
}

// bitmap gives the validity as a buffer, nil where nothing is null, and the number of nulls.
func (v *values20) bitmap(a *arena) (*memory.Buffer, int) {
	if v.validity == nil {
		return nil, 0
	}
	nulls := v.n - bitutil.CountSetBits(v.validity, 0, v.n)
	if nulls == 0 {
		return nil, 0
	}
	return a.buffer(v.validity[:bitmapSize20(v.n)]), nulls
}

func (v *values20) variable(t arrow.DataType, a *arena) (arrow.ArrayData, error) {
	var offsets *memory.Buffer
	if t.ID() == arrow.LARGE_STRING || t.ID() == arrow.LARGE_BINARY {
		wide := a.alloc(8 * len(v.offsets))
		for i, o := range v.offsets {
			le20.PutUint64(wide[8*i:], uint64(o))
		}
		offsets = a.buffer(wide)
	} else {
		offsets = a.buffer(arrow.Int32Traits.CastToBytes(v.offsets))
	}
	return v.made(t, a, offsets, a.buffer(v.data)), nil
}

// nested makes a list or a struct of its children.
func (v *values20) nested(t arrow.NestedType, children []*values20, a *arena) (arrow.ArrayData, error) {
	var data []arrow.ArrayData
	defer func() {
		for _, d := range data {
			d.Release()
		}
	}()
	for i, c := range children {
		d, err := c.arrow(t.Fields()[i].Type, a)
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	bitmap, nulls := v.bitmap(a)
	out := array.NewData(t, v.n, []*memory.Buffer{bitmap}, data, nulls, 0)
	release20(bitmap)
	return out, nil
}

func (v *values20) dictionary(t *arrow.DictionaryType, a *arena) (arrow.ArrayData, error) {
	items, err := v.items.arrow(t.ValueType, a)
	if err != nil {
		return nil, err
	}
	defer items.Release()
	bitmap, nulls := v.bitmap(a)
	keys := a.buffer(v.index.data)
	defer release20(bitmap, keys)
	return array.NewDataWithDictionary(t, v.n, []*memory.Buffer{bitmap, keys}, nulls, 0, items.(*array.Data)), nil
}

func release20(buffers ...*memory.Buffer) {
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
}

// Nulls gives an array of n nulls, or an errs.ErrResourceExhausted where these are too large for one array.
func Nulls(t arrow.DataType, n uint64, mem memory.Allocator) (arrow.Array, error) {
	return nulls20(t, n, mem)
}

// nulls20 gives an array of n nulls.
func nulls20(t arrow.DataType, n uint64, mem memory.Allocator) (arrow.Array, error) {
	d, err := nullData20(t, n, mem)
	if err != nil {
		return nil, err
	}
	return makeArray20(d), nil
}

// nullData20 makes n nulls. Nothing in the file stands behind their size, so that it is bounded here.
func nullData20(t arrow.DataType, n uint64, mem memory.Allocator) (arrow.ArrayData, error) {
	if hi, size := bits.Mul64(n, nullSize20(t)); hi != 0 || size > maxAnswer20 || n > math.MaxInt32 {
		return nil, errs.New(errs.ErrResourceExhausted, "%d nulls of type %s do not fit one batch", n, t)
	}
	a := array.MakeArrayOfNull(mem, t, int(n))
	defer a.Release()
	d := a.Data()
	d.Retain()
	return d, nil
}

// nullSize20 is how many bytes a null of a type takes at most.
func nullSize20(t arrow.DataType) uint64 {
	switch t := t.(type) {
	case *arrow.FixedSizeListType:
		hi, n := bits.Mul64(uint64(t.Len()), nullSize20(t.Elem()))
		if hi != 0 || n > math.MaxUint32 {
			return math.MaxUint32
		}
		return n + 1
	case *arrow.StructType:
		n := uint64(1)
		for _, f := range t.Fields() {
			n += nullSize20(f.Type)
		}
		return n
	case *arrow.DictionaryType:
		return 9
	case arrow.FixedWidthDataType:
		return uint64(t.BitWidth())/8 + 1
	}
	return 9
}
