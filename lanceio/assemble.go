package lanceio

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/concat"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// assembler puts arrays of the answer's types together from what was read: the leaves of one struct may come from
// several files, from a filter's reads, or not at all.
type assembler struct{ mem memory.Allocator }

// build gives an array of typ with n values. parts hold the values of the same rows, each with some of the members that
// typ has (or more); members are matched by name. Without parts, and for members that no part has, values are null.
// A struct is valid where any part says so: parts of one struct are written from the same rows, and a part that has a
// value must not lose it. The caller releases the array; parts stay the caller's.
func (a assembler) build(typ arrow.DataType, parts []arrow.Array, n int) (arrow.Array, error) {
	if len(parts) == 0 {
		return encoding.Nulls(typ, uint64(n), a.mem)
	}
	for _, p := range parts {
		if p.Len() != n {
			return nil, errs.New(errs.ErrInternal, "a part has %d values for %d rows", p.Len(), n)
		}
	}
	if len(parts) == 1 && arrow.TypeEqual(parts[0].DataType(), typ) {
		parts[0].Retain()
		return parts[0], nil
	}
	for _, p := range parts {
		if p.DataType().ID() != typ.ID() {
			return nil, errs.New(errs.ErrCorrupt, "corrupt: the table says %s, its file holds %s", typ, p.DataType())
		}
	}
	switch t := typ.(type) {
	case *arrow.StructType:
		return a.structOf(t, parts, n)
	case *arrow.MapType:
		return listOf[int32](a, typ, t.Elem(), parts)
	case *arrow.ListType:
		return listOf[int32](a, typ, t.Elem(), parts)
	case *arrow.LargeListType:
		return listOf[int64](a, typ, t.Elem(), parts)
	case *arrow.FixedSizeListType:
		return a.fixedListOf(t, parts)
	}
	if !arrow.TypeEqual(parts[0].DataType(), typ) {
		return nil, errs.New(errs.ErrCorrupt, "corrupt: the table says %s, its file holds %s", typ, parts[0].DataType())
	}
	parts[0].Retain()
	return parts[0], nil
}

func (a assembler) structOf(t *arrow.StructType, parts []arrow.Array, n int) (arrow.Array, error) {
	children := make([]arrow.ArrayData, t.NumFields())
	defer func() {
		for _, c := range children {
			if c != nil {
				c.Release()
			}
		}
	}()
	var below []arrow.Array
	for i, f := range t.Fields() {
		below = below[:0]
		for _, p := range parts {
			at, ok := p.DataType().(*arrow.StructType).FieldIdx(f.Name)
			if ok {
				below = append(below, p.(*array.Struct).Field(at))
			}
		}
		c, err := a.build(f.Type, below, n)
		if err != nil {
			return nil, err
		}
		// The array's own reference goes, that of its data stays until the struct has one.
		c.Data().Retain()
		children[i] = c.Data()
		c.Release()
	}
	validity, nulls := a.anyValid(parts, n)
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(t, n, []*memory.Buffer{validity}, children, nulls, 0)
	defer data.Release()
	return array.NewStructData(data), nil
}

// anyValid gives the validity bitmap of rows that are valid in any part, nil where all are.
func (a assembler) anyValid(parts []arrow.Array, n int) (*memory.Buffer, int) {
	for _, p := range parts {
		if p.NullN() == 0 {
			return nil, 0
		}
	}
	buf := memory.NewResizableBuffer(a.mem)
	buf.Resize(int(bitutil.BytesForBits(int64(n))))
	clear(buf.Bytes())
	for i, p := range parts {
		if i == 0 {
			bitutil.CopyBitmap(p.NullBitmapBytes(), p.Data().Offset(), n, buf.Bytes(), 0)
			continue
		}
		bitutil.BitmapOr(buf.Bytes(), p.NullBitmapBytes(), 0, int64(p.Data().Offset()), buf.Bytes(), 0, int64(n))
	}
	return buf, n - bitutil.CountSetBits(buf.Bytes(), 0, n)
}

// pick gives the values of arr at ranges of places, in order. The caller releases the array.
func (a assembler) pick(arr arrow.Array, places selection) (arrow.Array, error) {
	if len(places) == 1 {
		if places[0].Start == 0 && places[0].End == uint64(arr.Len()) {
			arr.Retain()
			return arr, nil
		}
		return array.NewSlice(arr, int64(places[0].Start), int64(places[0].End)), nil
	}
	if len(places) == 0 {
		return array.NewSlice(arr, 0, 0), nil
	}
	if out := a.pickDirect(arr, places); out != nil {
		return out, nil
	}
	slice := make([]arrow.Array, len(places))
	for i, r := range places {
		slice[i] = array.NewSlice(arr, int64(r.Start), int64(r.End))
		defer slice[i].Release()
	}
	return concat.Arrays(slice, a.mem)
}

// pickDirect is pick of values one by one; nil for those of a type that it does not know.
func (a assembler) pickDirect(arr arrow.Array, places selection) arrow.Array {
	switch arr := arr.(type) {
	case *array.Struct:
		return a.pickStruct(arr, places)
	case *array.Dictionary:
		indices := a.pickDirect(arr.Indices(), places)
		if indices == nil {
			return nil
		}
		defer indices.Release()
		return array.NewDictionaryArray(arr.DataType(), indices, arr.Dictionary())
	}
	if out := a.pickNested(arr, places); out != nil {
		return out
	}
	t, ok := arr.DataType().(arrow.FixedWidthDataType)
	if !ok || t.BitWidth()%8 != 0 || len(arr.Data().Children()) > 0 || len(arr.Data().Buffers()) != 2 {
		return nil
	}
	d := arr.Data()
	width := t.BitWidth() / 8
	n := int(places.count())
	values := memory.NewResizableBuffer(a.mem)
	defer values.Release()
	values.Resize(n * width)
	dst := values.Bytes()
	if width > 0 {
		src := d.Buffers()[1].Bytes()[d.Offset()*width:]
		for _, r := range places {
			// One row is the usual length of a range where a filter keeps few rows.
			if r.End-r.Start == 1 && width == 8 {
				binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src[r.Start*8:]))
				dst = dst[8:]
				continue
			}
			dst = dst[copy(dst, src[r.Start*uint64(width):r.End*uint64(width)]):]
		}
	}
	validity, nulls := a.pickValidity(arr, places, n)
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(arr.DataType(), n, []*memory.Buffer{validity, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func (a assembler) pickValidity(arr arrow.Array, places selection, n int) (*memory.Buffer, int) {
	if arr.NullN() == 0 {
		return nil, 0
	}
	buf := memory.NewResizableBuffer(a.mem)
	buf.Resize(int(bitutil.BytesForBits(int64(n))))
	clear(buf.Bytes())
	at := 0
	for _, r := range places {
		size := int(r.End - r.Start)
		copyBits(buf.Bytes(), at, arr.NullBitmapBytes(), arr.Data().Offset()+int(r.Start), size)
		at += size
	}
	return buf, n - bitutil.CountSetBits(buf.Bytes(), 0, n)
}

// shortBits is the number of bits up to which setting one by one is faster than getting ready to copy words.
const shortBits = 48

// copyBits copies n bits of src from bit from on to dst, which is zero there, from bit at on.
func copyBits(dst []byte, at int, src []byte, from, n int) {
	if n > shortBits {
		bitutil.CopyBitmap(src, from, n, dst, at)
		return
	}
	for i := range n {
		bit := src[(from+i)/8] >> (uint(from+i) % 8) & 1
		dst[(at+i)/8] |= bit << (uint(at+i) % 8)
	}
}

func (a assembler) pickStruct(st *array.Struct, places selection) arrow.Array {
	n := int(places.count())
	children := make([]arrow.ArrayData, st.NumField())
	defer func() {
		for _, c := range children {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i := range children {
		c := a.pickDirect(st.Field(i), places)
		if c == nil {
			return nil
		}
		c.Data().Retain()
		children[i] = c.Data()
		c.Release()
	}
	validity, nulls := a.pickValidity(st, places, n)
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(st.DataType(), n, []*memory.Buffer{validity}, children, nulls, 0)
	defer data.Release()
	return array.NewStructData(data)
}

func releaseAll(arrs []arrow.Array) {
	for _, a := range arrs {
		if a != nil {
			a.Release()
		}
	}
}

// concat joins arrays of one type. The caller releases the result; the arrays stay the caller's.
func (a assembler) concat(arrs []arrow.Array) (arrow.Array, error) {
	return concat.Arrays(arrs, a.mem)
}
