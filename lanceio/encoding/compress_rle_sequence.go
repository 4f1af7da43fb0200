package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// runSequence is values, each as often as a 32-bit length says. Its bytes are the size of the values' part (u64), that
// part, and the lengths. How many runs there are follows from the part that is flat, or from the lengths.
type runSequence struct {
	width           int
	values, lengths sequence
	flatValues      bool // the values are flat
	flatLengths     bool
	length          sequence // of the lengths where these are in the description, else nil
	first, step     uint64
	buf             []byte
}

func newRunSequence(r *pb.Rle, width int, d *codec.Decompressor) (sequence, error) {
	s := &runSequence{width: width}
	var err error
	if s.values, err = newSequence(r.GetValues(), width, d, true); err != nil {
		return nil, err
	}
	if s.lengths, err = newSequence(r.GetRunLengths(), 32, d, true); err != nil {
		return nil, err
	}
	s.flatValues = r.GetValues().GetFlat() != nil
	s.flatLengths = r.GetRunLengths().GetFlat() != nil
	switch l := s.lengths.(type) {
	case *constantSequence:
		if l.value == nil {
			return nil, corruptf("runs without a length")
		}
		s.length, s.first = l, number(l.value, 32, 0)
	case *rangeSequence:
		s.length, s.first, s.step = l, l.start, l.step
		if l.step == 0 {
			return nil, corruptf("runs of lengths in steps of 0")
		}
	}
	if s.length == nil && !s.flatValues && !s.flatLengths {
		return nil, errs.Unsupportedf("runs of values in encoding %s and lengths in encoding %s", encodingName(r.GetValues()), encodingName(r.GetRunLengths()))
	}
	return s, nil
}

func (s *runSequence) payload() bool { return s.values.payload() || s.lengths.payload() }

// runs tells how many runs make n values.
func (s *runSequence) runs(values, lengths []byte, n uint64) (int, error) {
	size, width := len(lengths), 4
	switch {
	case s.length != nil && s.first == 0:
		return 0, corruptf("runs of length 0")
	case s.length != nil && s.step == 0:
		if n%s.first != 0 {
			return 0, corruptf("runs of %d in a sequence of %d values", s.first, n)
		}
		return int(n / s.first), nil
	case s.length != nil:
		k, total := 0, uint64(0)
		for l := s.first; total < n; l += s.step {
			total += l
			k++
			if l > n {
				break
			}
		}
		if total != n {
			return 0, corruptf("runs that are not of %d values in all", n)
		}
		return k, nil
	case s.flatValues:
		size, width = len(values), s.width/8
	}
	if size%width != 0 || uint64(size/width) > n {
		return 0, corruptf("runs of %d bytes", size)
	}
	return size / width, nil
}

// parts gives the values and the lengths of the runs that make n values.
func (s *runSequence) parts(src []byte, n int) (vals, lens []byte, err error) {
	if n <= 0 {
		return nil, nil, corruptf("runs of %d values", n)
	}
	if s.payload() {
		if vals, lens, err = codec.RunBlock(src); err != nil {
			return nil, nil, err
		}
		if !s.values.payload() && len(vals) > 0 || !s.lengths.payload() && len(lens) > 0 {
			return nil, nil, corruptf("bytes of a part of runs that has none")
		}
	}
	k, err := s.runs(vals, lens, uint64(n))
	if err == nil && k > freeNumbers && k/countsPerByte > len(src) {
		err = corruptf("%d runs in %d bytes", k, len(src))
	}
	if err != nil {
		return nil, nil, err
	}
	if vals, err = s.values.decode(vals, k); err != nil {
		return nil, nil, err
	}
	if lens, err = s.lengths.decode(lens, k); err != nil {
		return nil, nil, err
	}
	at := 0
	for i := range k {
		l := number(lens, 32, i)
		if l == 0 || l > uint64(n-at) {
			return nil, nil, corruptf("run of %d values, %d are left", l, n-at)
		}
		at += int(l)
	}
	if at != n {
		return nil, nil, corruptf("runs of %d values, %d are wanted", at, n)
	}
	return vals, lens, nil
}

func (s *runSequence) decode(src []byte, n int) ([]byte, error) {
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	vals, lens, err := s.parts(src, n)
	if err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	at := 0
	for i := range len(lens) / 4 {
		v := number(vals, s.width, i)
		for range number(lens, 32, i) {
			putNumber(s.buf, s.width, at, v)
			at++
		}
	}
	return s.buf, nil
}
