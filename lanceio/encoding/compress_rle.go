package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// runForms decodes Rle: values of a word each and, for each, how often it repeats, in a byte. A longer run is several.
//
//	chunk     a buffer of values and one of lengths; what they hold beyond the values of the chunk is dropped
//	block     the size of the values' part (u64), the values, the lengths
//	sequence  as a block, see runSequence
//
// From version 2.3 on the lengths may be of 16 or 32 bits and either part compressed, see longRuns.
func runForms(r *pb.Rle) forms {
	return forms{
		chunk: func(d *codec.Decompressor) (chunkCodec, error) { return newRunsChunk(r, d) },
		block: func(d *codec.Decompressor) (blockCodec, error) {
			if isLongRuns(r) {
				c, err := newLongRuns(r, d)
				return longRunsBlock{c}, err
			}
			return newRunsBlock(r)
		},
		sequence: func(width int, d *codec.Decompressor) (sequence, error) { return newRunSequence(r, width, d) },
	}
}

type runsBlock struct {
	bits int
	buf  []byte
}

// runsWidth checks the two parts of a run-length encoding and gives the width of a value in bits.
func runsWidth(r *pb.Rle) (int, error) {
	v, ok := r.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return 0, errs.Unsupportedf("run-length values in encoding %s", encodingName(r.GetValues()))
	}
	l, ok := r.GetRunLengths().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return 0, errs.Unsupportedf("run lengths in encoding %s", encodingName(r.GetRunLengths()))
	}
	if l.Flat.GetBitsPerValue() != 8 {
		return 0, errs.Unsupportedf("run lengths of %d bits", l.Flat.GetBitsPerValue())
	}
	return widthOf(v.Flat.GetBitsPerValue())
}

func newRunsBlock(r *pb.Rle) (*runsBlock, error) {
	bits, err := runsWidth(r)
	return &runsBlock{bits: bits}, err
}

func (c *runsBlock) decode(src []byte, n int) (values, error) {
	vals, lengths, err := codec.RunBlock(src)
	if err != nil {
		return values{}, err
	}
	out, err := codec.RunLengths(c.buf, vals, lengths, c.bits/8, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}

// total is how many values a block of runs has.
func (c *runsBlock) total(src []byte) (int, error) {
	_, lengths, err := codec.RunBlock(src)
	return codec.RunTotal(lengths), err
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
