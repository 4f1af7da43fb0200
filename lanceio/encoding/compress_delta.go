package encoding

import (
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// deltaForms decodes Delta: n values that do not fall, as the first, base, and a sequence of the n-1 differences.
func deltaForms(m *pb.Delta) forms {
	return forms{sequence: func(width int, d *codec.Decompressor) (sequence, error) { return newDeltaSequence(m, width, d) }}
}

// deltaSequence is a first value and the steps to the next ones.
type deltaSequence struct {
	width int
	base  uint64
	steps sequence
	buf   []byte
}

func newDeltaSequence(d *pb.Delta, width int, dec *codec.Decompressor) (sequence, error) {
	if d.GetUncompressedBitsPerValue() != uint64(width) || !fits(d.GetBase(), width) {
		return nil, corruptf("differences of %d-bit values from %d in a sequence of %d-bit ones", d.GetUncompressedBitsPerValue(), d.GetBase(), width)
	}
	steps, err := newSequence(d.GetDeltas(), width, dec, true)
	return &deltaSequence{width: width, base: d.GetBase(), steps: steps}, err
}

func (s *deltaSequence) payload() bool { return s.steps.payload() }

func (s *deltaSequence) decode(src []byte, n int) ([]byte, error) {
	if n < 2 {
		return nil, corruptf("differences of %d values", n)
	}
	steps, err := s.steps.decode(src, n-1)
	if err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	v := s.base
	putNumber(s.buf, s.width, 0, v)
	for i := range n - 1 {
		next := v + number(steps, s.width, i)
		if next < v || !fits(next, s.width) {
			return nil, corruptf("differences that run over")
		}
		v = next
		putNumber(s.buf, s.width, i+1, v)
	}
	return s.buf, nil
}
