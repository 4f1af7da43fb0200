package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// generalForms decodes General: the bytes of the encoding within, compressed as a whole with lz4 (a u32 with their size, then a
// block) or zstd (a u64 with their size, then a frame; or the frame alone); see codec.Decompressor.
//
//	chunk  just the first buffer is compressed
//	text   each value on its own; the encoding within is Variable
//	block  the whole block, of a sequence too
func generalForms(e *pb.CompressiveEncoding, g *pb.General) forms {
	return forms{
		chunk:    func(d *codec.Decompressor) (chunkCodec, error) { return newGeneralChunk(g, d) },
		text:     func(d *codec.Decompressor) (textCodec, error) { return newGeneralText(g, d) },
		block:    func(d *codec.Decompressor) (blockCodec, error) { return newGeneralBlock(g, d) },
		sequence: blockSequenceOf(e, g.GetValues().GetFlat().GetBitsPerValue()),
	}
}

func schemeOf(g *pb.General) (codec.Scheme, error) {
	s := codec.Scheme(g.GetCompression().GetScheme())
	if s != codec.LZ4 && s != codec.Zstd {
		return 0, errs.Unsupportedf("general compression scheme %d", int(s))
	}
	return s, nil
}

type generalBlock struct {
	scheme codec.Scheme
	dec    *codec.Decompressor
	inner  blockCodec
	buf    []byte
}

func newGeneralBlock(g *pb.General, d *codec.Decompressor) (blockCodec, error) {
	inner, err := newBlockCodec(g.GetValues(), d)
	if err != nil {
		return nil, err
	}
	scheme, err := schemeOf(g)
	return &generalBlock{scheme: scheme, dec: d, inner: inner}, err
}

func (c *generalBlock) decode(src []byte, n int) (values, error) {
	out, err := c.dec.Decompress(c.scheme, c.buf, src)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return c.inner.decode(out, n)
}

// generalChunk undoes the general compression of the first buffer; the others are as they are.
type generalChunk struct {
	scheme codec.Scheme
	dec    *codec.Decompressor
	inner  chunkCodec
	buf    []byte
	bufs   [][]byte
}

func newGeneralChunk(g *pb.General, d *codec.Decompressor) (chunkCodec, error) {
	inner, err := newChunkCodec(g.GetValues(), d)
	if err != nil {
		return nil, err
	}
	scheme, err := schemeOf(g)
	return &generalChunk{scheme: scheme, dec: d, inner: inner}, err
}

func (c *generalChunk) buffers() int { return c.inner.buffers() }

func (c *generalChunk) decode(bufs [][]byte, n int) (values, error) {
	if len(bufs) == 0 {
		return values{}, corruptf("compressed chunk without a buffer")
	}
	out, err := c.dec.Decompress(c.scheme, c.buf, bufs[0])
	if err != nil {
		return values{}, err
	}
	c.buf = out
	c.bufs = append(append(c.bufs[:0], out), bufs[1:]...)
	return c.inner.decode(c.bufs, n)
}

type generalText struct {
	scheme codec.Scheme
	dec    *codec.Decompressor
	buf    []byte
}

func newGeneralText(g *pb.General, d *codec.Decompressor) (textCodec, error) {
	v, ok := g.GetValues().GetCompression().(*pb.CompressiveEncoding_Variable)
	if !ok {
		return nil, errs.Unsupportedf("general compression over encoding %s in a full-zip page", encodingName(g.GetValues()))
	}
	if err := checkOffsets(v.Variable); err != nil {
		return nil, err
	}
	scheme, err := schemeOf(g)
	return &generalText{scheme: scheme, dec: d}, err
}

func (c *generalText) append(s sink, b []byte, spans []uint64) error {
	return appendEach(s, spans, func(from, to uint64) ([]byte, error) {
		out, err := c.dec.Decompress(c.scheme, c.buf, b[from:to])
		if err == nil {
			c.buf = out
		}
		return out, err
	})
}
