package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// fsstForms decodes Fsst: byte strings in the encoding within, each compressed on its own with the symbol table of the
// description (codec.ParseSymbolTable): a byte stands for a symbol of up to eight bytes, 255 for the byte behind it.
func fsstForms(f *pb.Fsst) forms {
	return forms{
		chunk: func(d *codec.Decompressor) (chunkCodec, error) { return newFSSTChunk(f, d) },
		text:  func(*codec.Decompressor) (textCodec, error) { return newFSSTText(f) },
	}
}

// fsstChunk leaves the texts compressed: they are decoded where they are to be, and only those that are wanted.
type fsstChunk struct {
	table *codec.SymbolTable
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
	return &fsstChunk{table: table, inner: inner}, nil
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
	if v.symbols != nil {
		return values{}, corruptf("FSST over FSST")
	}
	if !c.table.Raw() {
		v.symbols = c.table
	}
	return v, nil
}

type fsstText struct {
	table *codec.SymbolTable
	buf   []byte
}

func newFSSTText(f *pb.Fsst) (textCodec, error) {
	v, ok := f.GetValues().GetCompression().(*pb.CompressiveEncoding_Variable)
	if !ok {
		return nil, errs.Unsupportedf("FSST over encoding %s in a full-zip page", encodingName(f.GetValues()))
	}
	if err := checkOffsets(v.Variable); err != nil {
		return nil, err
	}
	table, err := codec.ParseSymbolTable(f.GetSymbolTable())
	return &fsstText{table: table}, err
}

func (c *fsstText) append(s sink, b []byte, spans []uint64) error {
	if c.table.Raw() {
		return plainText{}.append(s, b, spans)
	}
	return appendEach(s, spans, func(from, to uint64) ([]byte, error) {
		c.buf = codec.Grow(c.buf, c.table.MaxSize(int(to-from))+8)
		n, err := c.table.Decode(c.buf, b[from:to])
		return c.buf[:n], err
	})
}

// appendEach appends a byte string that is made from each span.
func appendEach(s sink, spans []uint64, value func(from, to uint64) ([]byte, error)) error {
	t, err := asText(s)
	if err != nil {
		return err
	}
	for i := 0; i < len(spans); i += 2 {
		v, err := value(spans[i], spans[i+1])
		if err != nil {
			return err
		}
		if err := t.spans(v, []uint64{0, uint64(len(v))}); err != nil {
			return err
		}
	}
	return nil
}
