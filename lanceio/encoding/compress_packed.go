package encoding

import (
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// packedForms decodes PackedStruct: rows of members of fixed width, one behind the other, whose widths in bits are
// bits_per_value. The rows themselves are in the encoding within, which is Flat of the sum.
func packedForms(p *pb.PackedStruct) forms {
	return forms{
		chunk: func(d *codec.Decompressor) (chunkCodec, error) { return newPackedChunk(p, d) },
		row:   func() (rowCodec, error) { return newPackedRows(p) },
	}
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

// packedRows is a packed struct whose members all have a fixed width.
type packedRows struct {
	rowCodec
	widths []uint64
}

func newPackedRows(p *pb.PackedStruct) (rowCodec, error) {
	inner, err := newRowCodec(p.GetValues())
	return packedRows{inner, p.GetBitsPerValue()}, err
}

func (c packedRows) decode(b []byte, n int, _ *arena) (values, error) {
	v, err := c.rowCodec.decode(b, n, nil)
	v.widths = c.widths
	return v, err
}
