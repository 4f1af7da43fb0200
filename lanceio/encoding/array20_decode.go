package encoding

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

var le20 = binary.LittleEndian

// decode is the task of reading rows of an encoding as values of type want.
func (p *page20) decode(e *encodings20.ArrayEncoding, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	if depth > maxNesting20 {
		return task20{}, p.corruptf("encodings are nested more than %d levels deep", maxNesting20)
	}
	if n := countRows20(rows); n > math.MaxInt32 {
		return task20{}, p.tooMuchf("%d values are wanted at once", n)
	}
	switch a := e.GetArrayEncoding().(type) {
	case *encodings20.ArrayEncoding_Flat:
		return p.flat(a.Flat, rows, want)
	case *encodings20.ArrayEncoding_Nullable:
		return p.nullable(a.Nullable, rows, want, depth)
	case *encodings20.ArrayEncoding_FixedSizeList:
		return p.fixedSizeList(a.FixedSizeList, rows, want, depth)
	case *encodings20.ArrayEncoding_Binary:
		return p.binary(a.Binary, rows, want, depth)
	case *encodings20.ArrayEncoding_Dictionary:
		return p.dictionary(a.Dictionary, rows, want, depth)
	case *encodings20.ArrayEncoding_Fsst:
		return p.fsst(a.Fsst, rows, want, depth)
	case *encodings20.ArrayEncoding_PackedStruct:
		return p.packedStruct(a.PackedStruct, rows, want)
	case *encodings20.ArrayEncoding_Bitpacked:
		return p.bitpacked(a.Bitpacked, rows, want)
	case *encodings20.ArrayEncoding_BitpackedForNonNeg:
		return p.bitpackedForNonNeg(a.BitpackedForNonNeg, rows, want)
	case *encodings20.ArrayEncoding_FixedSizeBinary:
		return p.fixedSizeBinary(a.FixedSizeBinary, rows, want, depth)
	case *encodings20.ArrayEncoding_Constant:
		return p.constant(a.Constant, rows, want)
	}
	return task20{}, p.unsupportedf("encoding %s of values of type %s is not supported", kindOf20(e), want)
}

// kindOf20 names an encoding as the format does.
func kindOf20(e *encodings20.ArrayEncoding) string {
	m := e.ProtoReflect()
	f := m.WhichOneof(m.Descriptor().Oneofs().ByName("array_encoding"))
	if f == nil {
		return "(unknown)"
	}
	return string(f.Name())
}

// unwrapNoNulls20 goes down to the encoding of values that are never null.
func unwrapNoNulls20(e *encodings20.ArrayEncoding) *encodings20.ArrayEncoding {
	for range maxNesting20 {
		inner := e.GetNullable().GetNoNulls().GetValues()
		if inner == nil {
			break
		}
		e = inner
	}
	return e
}

// fixedBits20 is the width of a type's values in bits; false for types that are not flat.
func fixedBits20(t arrow.DataType) (uint64, bool) {
	switch t := t.(type) {
	case *arrow.FixedSizeListType, *arrow.DictionaryType:
		return 0, false
	case arrow.FixedWidthDataType:
		return uint64(t.BitWidth()), true
	}
	return 0, false
}

// buffer finds a buffer, and its number among all that the page may name.
func (p *page20) buffer(b *encodings20.Buffer) (BufferRange, uint32, error) {
	var from []BufferRange
	index := b.GetBufferIndex()
	key := index
	switch b.GetBufferType() {
	case encodings20.Buffer_page:
		from = p.buffers
	case encodings20.Buffer_column:
		from = p.col.buffers
		key |= 1 << 31
	default:
		return BufferRange{}, 0, p.unsupportedf("values in a buffer of kind %s are not supported", b.GetBufferType())
	}
	if uint64(index) >= uint64(len(from)) || index >= 1<<31 {
		return BufferRange{}, 0, p.corruptf("buffer %d of %d is named", index, len(from))
	}
	return from[index], key, nil
}

// flat reads values of fixed width.
func (p *page20) flat(f *encodings20.Flat, rows []RowRange, want arrow.DataType) (task20, error) {
	width, ok := fixedBits20(want)
	if !ok || f.GetBitsPerValue() != width || width != 1 && width%8 != 0 {
		return task20{}, p.corruptf("flat values of %d bits for type %s", f.GetBitsPerValue(), want)
	}
	n := int(countRows20(rows))
	if width == 0 {
		return done20(&values20{n: n}), nil
	}
	buf, key, err := p.buffer(f.GetBuffer())
	if err != nil {
		return task20{}, err
	}
	switch scheme := f.GetCompression().GetScheme(); scheme {
	case "", "none":
	case "zstd":
		return p.compressedFlat(buf, key, codec.Zstd, rows, width)
	case "lz4":
		return p.compressedFlat(buf, key, codec.LZ4, rows, width)
	default:
		return task20{}, p.unsupportedf("compression %q is not supported", scheme)
	}
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		b, err := p.bytesOf(r, width, buf.Size)
		if err != nil {
			return task20{}, err
		}
		need[i] = BufferRange{Offset: buf.Offset + b.Offset, Size: b.Size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		return done20(joinFlat20(&p.col.arena, got, rows, n, width)), nil
	}}, nil
}

// bytesOf is where the values of rows lie in a buffer of size bytes, from its start.
func (p *page20) bytesOf(r RowRange, width, size uint64) (BufferRange, error) {
	hi, end := bits.Mul64(r.End, width)
	if hi != 0 || end > math.MaxUint64-7 || (end+7)/8 > size {
		return BufferRange{}, p.corruptf("%d values of %d bits are more than %d bytes", r.End, width, size)
	}
	start := r.Start * width / 8
	return BufferRange{Offset: start, Size: (end+7)/8 - start}, nil
}

// joinFlat20 puts the bytes of ranges together. Bits start at the range's first byte.
func joinFlat20(a *arena, got [][]byte, rows []RowRange, n int, width uint64) *values20 {
	v := &values20{n: n, bits: width}
	switch {
	case width == 1 && len(got) == 1 && rows[0].Start%8 == 0:
		v.data = got[0]
	case width == 1:
		v.data = a.zeroed(bitmapSize20(n))
		at := 0
		for i, r := range rows {
			bitutil.CopyBitmap(got[i], int(r.Start%8), int(r.End-r.Start), v.data, at)
			at += int(r.End - r.Start)
		}
	default:
		v.data = joinBytes20(a, got)
	}
	return v
}

// joinBytes20 puts pieces behind each other.
func joinBytes20(a *arena, pieces [][]byte) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	size := 0
	for _, b := range pieces {
		size += len(b)
	}
	out := a.alloc(size)
	at := 0
	for _, b := range pieces {
		at += copy(out[at:], b)
	}
	return out
}

// compressedFlat reads values of a buffer that is compressed as a whole.
func (p *page20) compressedFlat(buf BufferRange, key uint32, scheme codec.Scheme, rows []RowRange, width uint64) (task20, error) {
	cut := func(plain []byte) (task20, error) {
		pieces := make([][]byte, len(rows))
		for i, r := range rows {
			b, err := p.bytesOf(r, width, uint64(len(plain)))
			if err != nil {
				return task20{}, err
			}
			pieces[i] = plain[b.Offset:][:b.Size]
		}
		return done20(joinFlat20(&p.col.arena, pieces, rows, int(countRows20(rows)), width)), nil
	}
	if plain, ok := p.plain[key]; ok {
		return cut(plain)
	}
	return task20{need: []BufferRange{buf}, next: func(got [][]byte) (task20, error) {
		plain, err := p.col.dec.Decompress(scheme, nil, got[0])
		if err != nil {
			return task20{}, p.wrap(err)
		}
		if p.plain == nil {
			p.plain = make(map[uint32][]byte)
		}
		p.plain[key] = plain
		return cut(plain)
	}}, nil
}

func (p *page20) nullable(n *encodings20.Nullable, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	switch k := n.GetNullability().(type) {
	case *encodings20.Nullable_NoNulls:
		return p.decode(k.NoNulls.GetValues(), rows, want, depth+1)
	case *encodings20.Nullable_AllNulls:
		return done20(&values20{n: int(countRows20(rows)), null: true}), nil
	case *encodings20.Nullable_SomeNulls:
		validity, err := p.decode(k.SomeNulls.GetValidity(), rows, arrow.FixedWidthTypes.Boolean, depth+1)
		if err != nil {
			return task20{}, err
		}
		values, err := p.decode(k.SomeNulls.GetValues(), rows, want, depth+1)
		if err != nil {
			return task20{}, err
		}
		return join20([]task20{validity, values}, func(v []*values20) (task20, error) {
			if v[0].null || v[0].validity != nil {
				return task20{}, p.corruptf("a validity bitmap with nulls")
			}
			out := *v[1]
			if !out.null {
				out.mask(&p.col.arena, v[0].data)
			}
			return done20(&out), nil
		})
	}
	return task20{}, p.unsupportedf("a nullable encoding of an unknown kind is not supported")
}

func (p *page20) fixedSizeList(l *encodings20.FixedSizeList, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	dim := uint64(l.GetDimension())
	var item arrow.DataType
	var width uint64
	switch t := want.(type) {
	case *arrow.FixedSizeListType:
		item, width = t.Elem(), uint64(t.Len())
	case *arrow.FixedSizeBinaryType:
		item, width = arrow.PrimitiveTypes.Uint8, uint64(t.ByteWidth)
	}
	if item == nil || width != dim {
		return task20{}, p.corruptf("lists of %d items for type %s", dim, want)
	}
	items := make([]RowRange, len(rows))
	for i, r := range rows {
		hi, end := bits.Mul64(r.End, dim)
		if hi != 0 || end > maxRows20 {
			return task20{}, p.corruptf("%d lists of %d items", r.End, dim)
		}
		items[i] = RowRange{r.Start * dim, end}
	}
	n := int(countRows20(rows))
	t, err := p.decode(l.GetItems(), items, item, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if want.ID() != arrow.FIXED_SIZE_BINARY {
			return done20(&values20{n: n, dim: int(dim), items: v}), nil
		}
		if v.null || v.validity != nil {
			return task20{}, p.corruptf("bytes that are null")
		}
		return done20(&values20{n: n, bits: 8 * dim, data: v.data}), nil
	})
}

// constant repeats one value.
func (p *page20) constant(c *encodings20.Constant, rows []RowRange, want arrow.DataType) (task20, error) {
	n, value := countRows20(rows), c.GetValue()
	if hi, size := bits.Mul64(n, uint64(len(value))+1); hi != 0 || size > maxAnswer20 {
		return task20{}, p.tooMuchf("%d times a value of %d bytes", n, len(value))
	}
	v := &values20{n: int(n)}
	width, fixed := fixedBits20(want)
	switch {
	case isVariable20(want):
		if n*uint64(len(value)) > math.MaxInt32 {
			return task20{}, p.tooMuchf("%d bytes of text are wanted at once", n*uint64(len(value)))
		}
		v.offsets = p.col.offsets(int(n) + 1)
		for i := range v.offsets {
			v.offsets[i] = int32(i * len(value))
		}
	case fixed && width == 1 && len(value) == 1:
		v.bits, v.data = 1, make([]byte, bitmapSize20(int(n)))
		if value[0]&1 == 1 {
			for i := range n {
				v.data[i/8] |= 1 << (i % 8)
			}
		}
		return done20(v), nil
	case fixed && width == 8*uint64(len(value)):
		v.bits = width
	default:
		return task20{}, p.corruptf("a constant of %d bytes for type %s", len(value), want)
	}
	v.data = make([]byte, 0, int(n)*len(value))
	for range n {
		v.data = append(v.data, value...)
	}
	return done20(v), nil
}

// bitpacked reads a stream of numbers of a width of their own, the first in the lowest bits.
func (p *page20) bitpacked(b *encodings20.Bitpacked, rows []RowRange, want arrow.DataType) (task20, error) {
	packed, width, buf, err := p.packing(b.GetCompressedBitsPerValue(), b.GetUncompressedBitsPerValue(), b.GetBuffer(), want)
	if err != nil {
		return task20{}, err
	}
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		at, err := p.bytesOf(r, packed, buf.Size)
		if err != nil {
			return task20{}, err
		}
		need[i] = BufferRange{Offset: buf.Offset + at.Offset, Size: at.Size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		v := &values20{n: int(countRows20(rows)), bits: width}
		v.data = make([]byte, 0, v.n*int(width/8))
		for i, r := range rows {
			bit := r.Start * packed % 8
			for range r.End - r.Start {
				x := bits20(got[i], bit, packed)
				if b.GetSigned() && x>>(packed-1)&1 == 1 {
					x |= math.MaxUint64 << packed
				}
				v.data = appendUint20(v.data, x, width)
				bit += packed
			}
		}
		return done20(v), nil
	}}, nil
}

// packing checks the widths of bit-packed numbers and finds their buffer.
func (p *page20) packing(packed, width uint64, buffer *encodings20.Buffer, want arrow.DataType) (uint64, uint64, BufferRange, error) {
	bitsWanted, ok := fixedBits20(want)
	if !ok || width != bitsWanted || width < 8 || width > 64 || width&(width-1) != 0 || packed == 0 || packed > width {
		return 0, 0, BufferRange{}, p.corruptf("numbers of %d bits packed into %d for type %s", width, packed, want)
	}
	buf, _, err := p.buffer(buffer)
	return packed, width, buf, err
}

// bits20 gives n bits, up to 64, from a bit on; src has them all.
func bits20(src []byte, bit, n uint64) uint64 {
	var x uint64
	for i := range n {
		at := bit + i
		x |= uint64(src[at/8]>>(at%8)&1) << i
	}
	return x
}

func appendUint20(b []byte, x, width uint64) []byte {
	switch width {
	case 8:
		return append(b, byte(x))
	case 16:
		return le20.AppendUint16(b, uint16(x))
	case 32:
		return le20.AppendUint32(b, uint32(x))
	default:
		return le20.AppendUint64(b, x)
	}
}

// packedBlock20 is how many numbers a block of bitpackedForNonNeg holds.
const packedBlock20 = 1024

// bitpackedForNonNeg reads blocks of 1024 numbers in FastLanes order.
func (p *page20) bitpackedForNonNeg(b *encodings20.BitpackedForNonNeg, rows []RowRange, want arrow.DataType) (task20, error) {
	packed, width, buf, err := p.packing(b.GetCompressedBitsPerValue(), b.GetUncompressedBitsPerValue(), b.GetBuffer(), want)
	if err != nil {
		return task20{}, err
	}
	size := uint64(codec.PackedSize(int(packed)))
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		first, end := r.Start/packedBlock20, (r.End+packedBlock20-1)/packedBlock20
		if end > buf.Size/size {
			return task20{}, p.corruptf("%d blocks of %d bytes are more than %d bytes", end, size, buf.Size)
		}
		need[i] = BufferRange{Offset: buf.Offset + first*size, Size: (max(end, first) - first) * size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		v := &values20{n: int(countRows20(rows)), bits: width}
		v.data = make([]byte, 0, v.n*int(width/8))
		block := make([]byte, packedBlock20*width/8)
		for i, r := range rows {
			for at := r.Start; at < r.End; {
				k := at/packedBlock20 - r.Start/packedBlock20
				if err := codec.Unpack(block, got[i][k*size:][:size], int(width), int(packed)); err != nil {
					return task20{}, p.wrap(err)
				}
				stop := min(r.End, (at/packedBlock20+1)*packedBlock20)
				v.data = append(v.data, block[at%packedBlock20*width/8:][:(stop-at)*width/8]...)
				at = stop
			}
		}
		return done20(v), nil
	}}, nil
}

// packedStruct reads rows whose members lie one after the other.
func (p *page20) packedStruct(s *encodings20.PackedStruct, rows []RowRange, want arrow.DataType) (task20, error) {
	st, ok := want.(*arrow.StructType)
	if !ok || st.NumFields() == 0 {
		return task20{}, p.corruptf("packed structs for type %s", want)
	}
	if len(s.GetInner()) != st.NumFields() {
		return task20{}, p.corruptf("packed structs of %d members for type %s", len(s.GetInner()), want)
	}
	var width uint64
	widths := make([]uint64, st.NumFields())
	for i, f := range st.Fields() {
		w, ok := memberBytes20(f.Type)
		if !ok {
			return task20{}, p.unsupportedf("a packed struct with a member of type %s is not supported", f.Type)
		}
		widths[i], width = w, width+w
	}
	buf, _, err := p.buffer(s.GetBuffer())
	if err != nil {
		return task20{}, err
	}
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		at, err := p.bytesOf(r, 8*width, buf.Size)
		if err != nil {
			return task20{}, err
		}
		need[i] = BufferRange{Offset: buf.Offset + at.Offset, Size: at.Size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		n := int(countRows20(rows))
		out := &values20{n: n}
		var at uint64
		for i, f := range st.Fields() {
			data := make([]byte, 0, uint64(n)*widths[i])
			for _, b := range got {
				for row := at; row < uint64(len(b)); row += width {
					data = append(data, b[row:][:widths[i]]...)
				}
			}
			at += widths[i]
			out.members = append(out.members, member20(f.Type, n, data))
		}
		return done20(out), nil
	}}, nil
}

// memberBytes20 is how many bytes a member of a packed struct takes.
func memberBytes20(t arrow.DataType) (uint64, bool) {
	if l, ok := t.(*arrow.FixedSizeListType); ok {
		w, ok := memberBytes20(l.Elem())
		hi, n := bits.Mul64(w, uint64(l.Len()))
		return n, ok && hi == 0 && n <= math.MaxInt32
	}
	width, ok := fixedBits20(t)
	return width / 8, ok && width%8 == 0 && width > 0
}

// member20 makes values of a type out of its bytes.
func member20(t arrow.DataType, n int, data []byte) *values20 {
	if l, ok := t.(*arrow.FixedSizeListType); ok {
		return &values20{n: n, dim: int(l.Len()), items: member20(l.Elem(), n*int(l.Len()), data)}
	}
	width, _ := fixedBits20(t)
	return &values20{n: n, bits: width, data: data}
}
