package encoding

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// levelCodec decodes levels, which are blocks of 16-bit values.
type levelCodec struct{ block blockCodec }

func newLevelCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (*levelCodec, error) {
	if e == nil {
		return nil, nil
	}
	b, err := newBlockCodec(e, d)
	return &levelCodec{b}, err
}

// decode gives n levels, appended to dst.
func (c *levelCodec) decode(dst []uint16, src []byte, n int) ([]uint16, error) {
	data, err := c.bytes(src, n)
	if err != nil {
		return nil, err
	}
	return appendLevels(dst, data), nil
}

// view gives n levels, good until the next call, which may be overwritten. They may be in buf.
func (c *levelCodec) view(buf *[]uint16, src []byte, n int) ([]uint16, error) {
	data, err := c.bytes(src, n)
	if err != nil {
		return nil, err
	}
	switch c.block.(type) {
	case *outOfLineBlock, *inlineBlock, *runsBlock: // they decode into memory of their own
		return arrow.Uint16Traits.CastFromBytes(data), nil
	}
	*buf = appendLevels((*buf)[:0], data)
	return *buf, nil
}

func (c *levelCodec) bytes(src []byte, n int) ([]byte, error) {
	v, err := c.block.decode(src, n)
	if err != nil {
		return nil, err
	}
	if v.bits != 16 {
		return nil, corruptf("levels of %d bits", v.bits)
	}
	return v.data, nil
}

// appendLevels appends 16-bit levels from their bytes.
func appendLevels(dst []uint16, src []byte) []uint16 {
	at := len(dst)
	n := len(src) / 2
	if cap(dst)-at < n {
		dst = append(dst, make([]uint16, n)...)
	} else {
		dst = dst[:at+n]
	}
	out := dst[at:]
	for ; len(out) >= 4 && len(src) >= 8; out, src = out[4:], src[8:] {
		w := binary.LittleEndian.Uint64(src)
		out[0], out[1], out[2], out[3] = uint16(w), uint16(w>>16), uint16(w>>32), uint16(w>>48)
	}
	for i := range out {
		out[i] = uint16(src[2*i]) | uint16(src[2*i+1])<<8
	}
	return dst
}

// runs gives the codec as one of runs, where it is one, else nil.
func (c *levelCodec) runs() *runsBlock {
	r, _ := c.block.(*runsBlock)
	return r
}
