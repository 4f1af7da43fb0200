package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// longRuns are runs as version 2.3 has them: the lengths may be of 16 or 32 bits, and values or lengths compressed.
type longRuns struct {
	values, lengths runPart
	buf             []byte
}

// runPart is the values or the lengths of runs.
type runPart struct {
	bits    int
	block   blockCodec // nil for what is as it is
	counted bool       // the block needs to be told how many there are
	scheme  codec.Scheme
	dec     *codec.Decompressor // of a compressed flat part
	buf     []byte
}

// isLongRuns tells whether runs are of a kind that comes with version 2.3.
func isLongRuns(r *pb.Rle) bool {
	return r.GetValues().GetFlat() == nil || r.GetRunLengths().GetFlat().GetBitsPerValue() != 8
}

func newLongRuns(r *pb.Rle, d *codec.Decompressor) (*longRuns, error) {
	c := new(longRuns)
	var err error
	if c.values, err = newRunPart(r.GetValues(), d); err != nil {
		return nil, err
	}
	if c.lengths, err = newRunPart(r.GetRunLengths(), d); err != nil {
		return nil, err
	}
	if c.lengths.bits == 64 {
		return nil, errs.Unsupportedf("run lengths of %d bits", c.lengths.bits)
	}
	if c.values.counted && c.lengths.counted {
		return nil, errs.Unsupportedf("runs whose values and lengths are both bit-packed")
	}
	return c, nil
}

func newRunPart(e *pb.CompressiveEncoding, d *codec.Decompressor) (runPart, error) {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		bits, err := widthOf(c.Flat.GetBitsPerValue())
		return runPart{bits: bits}, err
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		return packedRunPart(e, c.OutOfLineBitpacking, d)
	case *pb.CompressiveEncoding_General:
		switch inner := c.General.GetValues().GetCompression().(type) {
		case *pb.CompressiveEncoding_OutOfLineBitpacking:
			return packedRunPart(e, inner.OutOfLineBitpacking, d)
		case *pb.CompressiveEncoding_Flat:
			bits, err := widthOf(inner.Flat.GetBitsPerValue())
			if err != nil {
				return runPart{}, err
			}
			scheme, err := schemeOf(c.General)
			return runPart{bits: bits, scheme: scheme, dec: d}, err
		}
	}
	return runPart{}, errs.Unsupportedf("runs of values or lengths in encoding %s", encodingName(e))
}

func packedRunPart(e *pb.CompressiveEncoding, p *pb.OutOfLineBitpacking, d *codec.Decompressor) (runPart, error) {
	bits, err := widthOf(p.GetUncompressedBitsPerValue())
	if err != nil {
		return runPart{}, err
	}
	block, err := newBlockCodec(e, d)
	return runPart{bits: bits, block: block, counted: true}, err
}

// plain gives the values of a part; n is how many there are where the part needs to be told.
func (p *runPart) plain(src []byte, n int) ([]byte, error) {
	switch {
	case p.block != nil:
		v, err := p.block.decode(src, n)
		if err == nil && v.bits != p.bits {
			err = corruptf("runs of %d bits", v.bits)
		}
		return v.data, err
	case p.dec != nil:
		out, err := p.dec.Decompress(p.scheme, p.buf, src)
		p.buf = out
		return out, err
	}
	return src, nil
}

// decode gives n values of runs whose lengths are at least n in all, or just n where exact.
func (c *longRuns) decode(values, lengths []byte, n int, exact bool) ([]byte, error) {
	width, length := c.values.bits/8, c.lengths.bits/8
	var err error
	if !c.values.counted {
		if values, err = c.values.plain(values, 0); err != nil {
			return nil, err
		}
		if lengths, err = c.lengths.plain(lengths, len(values)/width); err != nil {
			return nil, err
		}
	} else {
		if lengths, err = c.lengths.plain(lengths, 0); err != nil {
			return nil, err
		}
		if values, err = c.values.plain(values, len(lengths)/length); err != nil {
			return nil, err
		}
	}
	k := len(values) / width
	if len(values)%width != 0 || len(lengths) != k*length {
		return nil, corruptf("%d bytes of run lengths for %d values", len(lengths), k)
	}
	total := uint64(0)
	for i := range k {
		l := key(lengths, c.lengths.bits, i)
		if l == 0 {
			return nil, corruptf("run of length 0")
		}
		total += l
	}
	if n < 0 || total < uint64(n) || exact && total > uint64(n) {
		return nil, corruptf("runs hold %d values, %d are wanted", total, n)
	}
	if n > maxSequence {
		return nil, errs.New(errs.ErrResourceExhausted, "runs of %d values", n)
	}
	c.buf = codec.Grow(c.buf, n*width)
	out := c.buf
	for i := range k {
		l := int(min(key(lengths, c.lengths.bits, i), uint64(len(out)/width)))
		run := out[:l*width]
		for at := copy(run, values[i*width:(i+1)*width]); at > 0 && at < len(run); at *= 2 {
			copy(run[at:], run[:at])
		}
		out = out[len(run):]
	}
	return c.buf, nil
}

// longRunsChunk are runs in a chunk.
type longRunsChunk struct{ *longRuns }

func (longRunsChunk) buffers() int { return 2 }

func (c longRunsChunk) decode(bufs [][]byte, n int) (values, error) {
	out, err := c.longRuns.decode(bufs[0], bufs[1], n, false)
	return values{n: n, bits: c.values.bits, data: out}, err
}

// longRunsBlock are runs that stand alone.
type longRunsBlock struct{ *longRuns }

func (c longRunsBlock) decode(src []byte, n int) (values, error) {
	vals, lengths, err := codec.RunBlock(src)
	if err != nil {
		return values{}, err
	}
	out, err := c.longRuns.decode(vals, lengths, n, true)
	return values{n: n, bits: c.values.bits, data: out}, err
}
