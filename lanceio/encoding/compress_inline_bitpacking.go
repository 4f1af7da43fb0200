package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// inlineForms decodes InlineBitpacking: one group of at most 1024 values of uncompressed_bits_per_value bits. The first word,
// of that width, tells the width that they are packed to; the packed group follows, always of 1024 values, in the order of
// FastLanes (codec.Unpack).
func inlineForms(e *pb.CompressiveEncoding, b *pb.InlineBitpacking) forms {
	return forms{
		chunk:    func(*codec.Decompressor) (chunkCodec, error) { return newBitpackedChunk(b) },
		block:    func(*codec.Decompressor) (blockCodec, error) { return newInlineBlock(b) },
		sequence: blockSequenceOf(e, b.GetUncompressedBitsPerValue()),
		simple:   true,
	}
}

type inlineBlock struct {
	bits int
	buf  []byte
}

func newInlineBlock(b *pb.InlineBitpacking) (*inlineBlock, error) {
	if b.GetValues() != nil {
		return nil, errs.Unsupportedf("bit-packed values with compression of their own")
	}
	bits, err := widthOf(b.GetUncompressedBitsPerValue())
	return &inlineBlock{bits: bits}, err
}

func (c *inlineBlock) decode(src []byte, n int) (values, error) {
	out, err := codec.InlineBitpacked(c.buf, src, c.bits, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}

type bitpackedChunk struct{ *inlineBlock }

func newBitpackedChunk(b *pb.InlineBitpacking) (chunkCodec, error) {
	c, err := newInlineBlock(b)
	return bitpackedChunk{c}, err
}

func (bitpackedChunk) buffers() int { return 1 }

func (c bitpackedChunk) decode(bufs [][]byte, n int) (values, error) {
	return c.inlineBlock.decode(bufs[0], n)
}
