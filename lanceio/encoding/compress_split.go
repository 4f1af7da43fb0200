package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// splitForms decodes ByteStreamSplit: the first bytes of all n values of a chunk, then all second bytes, and so on: byte j of
// value i stands at j*n + i. The values are of four or eight bytes, and flat.
func splitForms(b *pb.ByteStreamSplit) forms {
	return forms{chunk: func(*codec.Decompressor) (chunkCodec, error) { return newSplitChunk(b) }}
}

type splitChunk struct {
	bits int
	buf  []byte
}

func newSplitChunk(b *pb.ByteStreamSplit) (chunkCodec, error) {
	f, ok := b.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return nil, errs.Unsupportedf("byte stream split of values in encoding %s", encodingName(b.GetValues()))
	}
	bits, err := flatBits(f.Flat)
	return &splitChunk{bits: bits}, err
}

func (*splitChunk) buffers() int { return 1 }

func (c *splitChunk) decode(bufs [][]byte, n int) (values, error) {
	out, err := codec.SplitBytes(c.buf, bufs[0], c.bits/8, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}
