package encoding

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// flat reads Flat: values of bits_per_value each, one behind the other in a buffer. Those of one bit are a bitmap, the first
// lowest. The buffer may be compressed as a whole, by "zstd" or "lz4" as codec.Decompressor reads them.
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
