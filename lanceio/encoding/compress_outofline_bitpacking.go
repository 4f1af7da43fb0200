package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// outOfLineForms decodes OutOfLineBitpacking: groups of 1024 values of uncompressed_bits_per_value bits, all packed to the
// width of the flat values within, in the order of FastLanes (codec.Unpack). What is left behind the whole groups is either
// a group that is filled up or words as they are; just the size tells which.
func outOfLineForms(e *pb.CompressiveEncoding, b *pb.OutOfLineBitpacking) forms {
	return forms{
		block:    func(*codec.Decompressor) (blockCodec, error) { return newOutOfLineBlock(b) },
		sequence: blockSequenceOf(e, b.GetUncompressedBitsPerValue()),
		simple:   true,
	}
}

type outOfLineBlock struct {
	bits, packed int
	buf          []byte
}

func newOutOfLineBlock(b *pb.OutOfLineBitpacking) (blockCodec, error) {
	bits, err := widthOf(b.GetUncompressedBitsPerValue())
	if err != nil {
		return nil, err
	}
	f, ok := b.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return nil, errs.Unsupportedf("bit-packed values in encoding %s", encodingName(b.GetValues()))
	}
	if f.Flat.GetBitsPerValue() > uint64(bits) || f.Flat.GetData() != nil {
		return nil, corruptf("values of %d bits packed to %d", bits, f.Flat.GetBitsPerValue())
	}
	return &outOfLineBlock{bits: bits, packed: int(f.Flat.GetBitsPerValue())}, nil
}

func (c *outOfLineBlock) decode(src []byte, n int) (values, error) {
	out, err := codec.OutOfLineBitpacked(c.buf, src, c.bits, c.packed, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}
