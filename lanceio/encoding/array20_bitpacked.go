package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// bitpacked reads Bitpacked: numbers of compressed_bits_per_value each, value i from bit i times that on, the first in the lowest
// bits. Where they are signed the highest bit is that of the sign.
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
