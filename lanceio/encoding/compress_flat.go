package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// flatForms decodes Flat: n values of bits_per_value each, one behind the other. Values of one bit are a bitmap, the first
// lowest, whose last byte is filled up with zeros; all others are whole bytes. The size is just that of n values.
func flatForms(e *pb.CompressiveEncoding, f *pb.Flat) forms {
	return forms{
		chunk:    func(*codec.Decompressor) (chunkCodec, error) { return newFlatChunk(f) },
		row:      func() (rowCodec, error) { return newFlatRows(f) },
		block:    func(*codec.Decompressor) (blockCodec, error) { return newFlatBlock(f) },
		sequence: blockSequenceOf(e, f.GetBitsPerValue()),
		simple:   true,
	}
}

// maxValueBits bounds the width of one value of fixed width.
const maxValueBits = 8 << 30

// flatBits checks the width of flat values: a bit, or whole bytes.
func flatBits(f *pb.Flat) (int, error) {
	if f.GetData() != nil {
		return 0, errs.Unsupportedf("flat values with compression of their own")
	}
	bits := f.GetBitsPerValue()
	if bits != 1 && (bits%8 != 0 || bits > maxValueBits) {
		return 0, corruptf("flat values of %d bits", bits)
	}
	return int(bits), nil
}

// flatSize is the size of n flat values.
func flatSize(bits, n int) uint64 {
	if bits == 1 {
		return (uint64(n) + 7) / 8
	}
	return uint64(n) * uint64(bits/8)
}

type flatBlock struct{ bits int }

func (c flatBlock) decode(src []byte, n int) (values, error) {
	if uint64(len(src)) != flatSize(c.bits, n) {
		return values{}, corruptf("%d bytes for %d values of %d bits", len(src), n, c.bits)
	}
	return values{n: n, bits: c.bits, data: src}, nil
}

func newFlatBlock(f *pb.Flat) (blockCodec, error) {
	bits, err := flatBits(f)
	return flatBlock{bits}, err
}

type flatChunk struct{ flatBlock }

func newFlatChunk(f *pb.Flat) (chunkCodec, error) {
	bits, err := flatBits(f)
	return flatChunk{flatBlock{bits}}, err
}

func (flatChunk) buffers() int { return 1 }

func (c flatChunk) decode(bufs [][]byte, n int) (values, error) {
	return c.flatBlock.decode(bufs[0], n)
}

// maxRowBytes bounds one value of fixed width.
const maxRowBytes = 1 << 30

type flatRows struct{ width int }

func newFlatRows(f *pb.Flat) (rowCodec, error) {
	bits, err := flatBits(f)
	if err != nil {
		return nil, err
	}
	if bits%8 != 0 || bits/8 > maxRowBytes {
		return nil, corruptf("values of %d bits", bits)
	}
	return flatRows{bits / 8}, nil
}

func (c flatRows) size() int { return c.width }

func (c flatRows) decode(b []byte, n int, lender *arena) (values, error) {
	if uint64(len(b)) != uint64(n)*uint64(c.width) {
		return values{}, corruptf("%d bytes for %d values of %d bytes", len(b), n, c.width)
	}
	return values{n: n, bits: 8 * c.width, data: b, arena: lender}, nil
}
