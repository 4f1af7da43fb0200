package concat

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// builder gathers values of a type that a dictionary can have: of a fixed size, booleans, byte strings, nulls.
type builder struct {
	t       arrow.DataType
	width   int // bytes of a value, of values of a fixed size
	offset  int // bytes of an offset, of byte strings
	n       int
	nulls   []int // their places
	data    []byte
	offsets []byte
}

func newBuilder(t arrow.DataType) (builder, error) {
	b := builder{t: t}
	switch t := t.(type) {
	case *arrow.NullType:
	case *arrow.BooleanType:
		b.width = 1 // until the end
	case *arrow.StringType, *arrow.BinaryType:
		b.offset = 4
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		b.offset = 8
	case arrow.FixedWidthDataType:
		b.width = t.BitWidth() / 8
		if t.BitWidth()%8 != 0 || t.ID() == arrow.DICTIONARY {
			return b, errs.Unsupportedf("dictionaries of type %s", t)
		}
	default:
		return b, errs.Unsupportedf("dictionaries of type %s", t)
	}
	return b, nil
}

// bytes gives a value's bytes.
func (b *builder) bytes(a arrow.Array, i int) []byte {
	d := a.Data()
	at := d.Offset() + i
	switch {
	case b.t.ID() == arrow.BOOL:
		if bitutil.BitIsSet(d.Buffers()[1].Bytes(), at) {
			return []byte{1}
		}
		return []byte{0}
	case b.offset == 4:
		o := d.Buffers()[1].Bytes()[4*at:]
		return span(d.Buffers()[2], uint64(binary.LittleEndian.Uint32(o)), uint64(binary.LittleEndian.Uint32(o[4:])))
	case b.offset == 8:
		o := d.Buffers()[1].Bytes()[8*at:]
		return span(d.Buffers()[2], binary.LittleEndian.Uint64(o), binary.LittleEndian.Uint64(o[8:]))
	default:
		return d.Buffers()[1].Bytes()[at*b.width : (at+1)*b.width]
	}
}

func span(buf *memory.Buffer, from, to uint64) []byte {
	if buf == nil {
		return nil
	}
	return buf.Bytes()[from:to]
}

func (b *builder) append(value []byte) {
	b.end()
	b.data = append(b.data, value...)
	b.n++
}

func (b *builder) appendNull() {
	b.end()
	b.nulls = append(b.nulls, b.n)
	b.data = append(b.data, make([]byte, b.width)...)
	b.n++
}

// end writes the offset at which the next value begins.
func (b *builder) end() {
	switch b.offset {
	case 4:
		b.offsets = binary.LittleEndian.AppendUint32(b.offsets, uint32(len(b.data)))
	case 8:
		b.offsets = binary.LittleEndian.AppendUint64(b.offsets, uint64(len(b.data)))
	}
}

// array gives the values. Nothing may be appended after it. The caller releases it.
func (b *builder) array(mem memory.Allocator) (arrow.ArrayData, error) {
	if b.offset == 4 && len(b.data) > math.MaxInt32 {
		return nil, errs.New(errs.ErrResourceExhausted, "dictionary of more than %d bytes", math.MaxInt32)
	}
	b.end()
	var buffers []*memory.Buffer
	defer func() {
		for _, buf := range buffers {
			if buf != nil {
				buf.Release()
			}
		}
	}()
	buffers = append(buffers, b.validity(mem))
	switch {
	case b.t.ID() == arrow.NULL:
		return array.NewData(b.t, b.n, []*memory.Buffer{nil}, nil, b.n, 0), nil
	case b.t.ID() == arrow.BOOL:
		bits := make([]byte, bitutil.BytesForBits(int64(b.n)))
		for i, v := range b.data {
			bits[i/8] |= v << (i % 8)
		}
		buffers = append(buffers, copied(bits, mem))
	case b.offset > 0:
		buffers = append(buffers, copied(b.offsets, mem), copied(b.data, mem))
	default:
		buffers = append(buffers, copied(b.data, mem))
	}
	return array.NewData(b.t, b.n, buffers, nil, len(b.nulls), 0), nil
}

// validity gives the bitmap of values that are not null, nil where none is.
func (b *builder) validity(mem memory.Allocator) *memory.Buffer {
	if len(b.nulls) == 0 || b.t.ID() == arrow.NULL {
		return nil
	}
	bits := make([]byte, bitutil.BytesForBits(int64(b.n)))
	bitutil.SetBitsTo(bits, 0, int64(b.n), true)
	for _, i := range b.nulls {
		bitutil.ClearBit(bits, i)
	}
	return copied(bits, mem)
}

func copied(b []byte, mem memory.Allocator) *memory.Buffer {
	buf := memory.NewResizableBuffer(mem)
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	return buf
}
