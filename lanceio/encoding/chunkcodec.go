package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// chunkCodec decodes the values of one chunk of a mini-block page.
type chunkCodec interface {
	// buffers is how many buffers the values of a chunk have.
	buffers() int
	// decode gives the n values. What it gives may share memory with bufs and the codec, and is good until its next call.
	decode(bufs [][]byte, n int) (values, error)
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

type bitpackedChunk struct{ *inlineBlock }

func newBitpackedChunk(b *pb.InlineBitpacking) (chunkCodec, error) {
	c, err := newInlineBlock(b)
	return bitpackedChunk{c}, err
}

func (bitpackedChunk) buffers() int { return 1 }

func (c bitpackedChunk) decode(bufs [][]byte, n int) (values, error) {
	return c.inlineBlock.decode(bufs[0], n)
}

type variableChunk struct{ width int }

func newVariableChunk(v *pb.Variable, d *codec.Decompressor) (chunkCodec, error) {
	if v.GetOffsets().GetCompression() != nil && v.GetOffsets().GetFlat() == nil {
		return newOffsetChunk(v, d)
	}
	w, err := offsetWidth(v)
	return variableChunk{w}, err
}

func (variableChunk) buffers() int { return 1 }

func (c variableChunk) decode(bufs [][]byte, n int) (values, error) {
	v, err := codec.ChunkVariable(bufs[0], c.width, n)
	return values{n: n, text: v}, err
}

type fsstChunk struct {
	text  *codec.Text
	inner chunkCodec
}

func newFSSTChunk(f *pb.Fsst, d *codec.Decompressor) (chunkCodec, error) {
	inner, err := newChunkCodec(f.GetValues(), d)
	if err != nil {
		return nil, err
	}
	table, err := codec.ParseSymbolTable(f.GetSymbolTable())
	if err != nil {
		return nil, err
	}
	return &fsstChunk{text: codec.NewText(table), inner: inner}, nil
}

func (c *fsstChunk) buffers() int { return c.inner.buffers() }

func (c *fsstChunk) decode(bufs [][]byte, n int) (values, error) {
	v, err := c.inner.decode(bufs, n)
	if err != nil {
		return values{}, err
	}
	if v.text.Width == 0 {
		return values{}, corruptf("FSST over values that are no byte strings")
	}
	v.text, err = c.text.Decode(v.text, 0, n)
	return v, err
}

type runsChunk struct{ *runsBlock }

func newRunsChunk(r *pb.Rle, d *codec.Decompressor) (chunkCodec, error) {
	if isLongRuns(r) {
		c, err := newLongRuns(r, d)
		return longRunsChunk{c}, err
	}
	b, err := newRunsBlock(r)
	return runsChunk{b}, err
}

func (runsChunk) buffers() int { return 2 }

func (c runsChunk) decode(bufs [][]byte, n int) (values, error) {
	out, err := codec.RunLengths(c.buf, bufs[0], bufs[1], c.bits/8, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
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

// listChunk is a fixed-size list: the bitmap of its items where there is one, then the buffers of the items.
type listChunk struct {
	dim      int
	validity bool
	inner    chunkCodec
	items    values
}

// dimension checks the number of items of a fixed-size list.
func dimension(l *pb.FixedSizeList) (int, error) {
	if d := l.GetItemsPerValue(); d <= maxDimension {
		return int(d), nil
	}
	return 0, corruptf("fixed-size lists of %d items", l.GetItemsPerValue())
}

func newListChunk(l *pb.FixedSizeList, d *codec.Decompressor) (chunkCodec, error) {
	inner, err := newChunkCodec(l.GetValues(), d)
	if err != nil {
		return nil, err
	}
	dim, err := dimension(l)
	return &listChunk{dim: dim, validity: l.GetHasValidity(), inner: inner}, err
}

func (c *listChunk) buffers() int {
	if c.validity {
		return c.inner.buffers() + 1
	}
	return c.inner.buffers()
}

func (c *listChunk) decode(bufs [][]byte, n int) (values, error) {
	if n > 0 && c.dim > maxDimension/n {
		return values{}, corruptf("chunk of %d lists of %d items", n, c.dim)
	}
	items := n * c.dim
	v := values{n: n, items: &c.items}
	if c.validity {
		if len(bufs) == 0 || len(bufs[0]) != (items+7)/8 {
			return values{}, corruptf("no bitmap of %d list items", items)
		}
		v.valid, bufs = bufs[0], bufs[1:]
	}
	var err error
	c.items, err = c.inner.decode(bufs, items)
	return v, err
}

// packedChunk is a packed struct: its rows, whose members the sink takes apart.
type packedChunk struct {
	chunkCodec
	widths []uint64
}

func newPackedChunk(p *pb.PackedStruct, d *codec.Decompressor) (chunkCodec, error) {
	inner, err := newChunkCodec(p.GetValues(), d)
	return packedChunk{inner, p.GetBitsPerValue()}, err
}

func (c packedChunk) decode(bufs [][]byte, n int) (values, error) {
	v, err := c.chunkCodec.decode(bufs, n)
	v.widths = c.widths
	return v, err
}
