package encoding

import (
	"math/bits"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// rangeForms decodes Range: values from start on in steps, which are above 0. It has no bytes.
func rangeForms(r *pb.Range) forms {
	return forms{
		sequence: func(width int, _ *codec.Decompressor) (sequence, error) { return newRangeSequence(r, width) },
		simple:   true,
	}
}

// rangeSequence is start, start + step, ...
type rangeSequence struct {
	width       int
	start, step uint64
	buf         []byte
}

func newRangeSequence(r *pb.Range, width int) (sequence, error) {
	if r.GetUncompressedBitsPerValue() != uint64(width) {
		return nil, corruptf("range of %d-bit values in a sequence of %d-bit ones", r.GetUncompressedBitsPerValue(), width)
	}
	return &rangeSequence{width: width, start: r.GetStart(), step: r.GetStep()}, nil
}

func (*rangeSequence) payload() bool { return false }

// checkRange tells whether n values from start on, in steps, have at most width bits.
func checkRange(start, step, n uint64, width int) error {
	if step == 0 || n < 2 {
		return corruptf("range of %d values in steps of %d", n, step)
	}
	hi, far := bits.Mul64(step, n-1)
	last, carry := bits.Add64(start, far, 0)
	if hi != 0 || carry != 0 || !fits(last, width) {
		return corruptf("range of %d values in steps of %d that runs over", n, step)
	}
	return nil
}

func (s *rangeSequence) decode(src []byte, n int) ([]byte, error) {
	if err := checkRange(s.start, s.step, uint64(max(n, 0)), s.width); err != nil {
		return nil, err
	}
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	v := s.start
	for i := range n {
		putNumber(s.buf, s.width, i, v)
		v += s.step
	}
	return s.buf, nil
}
