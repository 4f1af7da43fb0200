package encoding

import (
	"sort"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// numbers is a sequence of a sparse structure: n values, in list or, where there is none, start + i*step. They are either
// positions, which ascend, or counts, of which each in list may stand for several.
type numbers struct {
	n           uint64
	start, step uint64
	positions   bool
	list        []uint64
	repeats     []uint64 // of counts: how many each in list stands for; nil where for one
	stored      sequence // how list is stored; nil where there is none
}

// newPositions reads the description of n positions.
func newPositions(e *pb.CompressiveEncoding, n uint64, d *codec.Decompressor) (*numbers, error) {
	return newNumbers(&numbers{n: n, positions: true}, e, d)
}

// newCounts reads the description of n counts.
func newCounts(e *pb.CompressiveEncoding, n uint64, d *codec.Decompressor) (*numbers, error) {
	return newNumbers(&numbers{n: n}, e, d)
}

func newNumbers(s *numbers, e *pb.CompressiveEncoding, d *codec.Decompressor) (*numbers, error) {
	n := s.n
	stored, err := newSequence(e, 64, d, false)
	if err != nil {
		return nil, err
	}
	if c, ok := stored.(*constantSequence); (ok && c.value == nil) != (n == 0) {
		return nil, corruptf("sequence of %d values in encoding %s", n, encodingName(e))
	}
	if n == 0 {
		return s, nil
	}
	if start, step, ok, err := symbolic(stored, n); err != nil || ok {
		s.start, s.step = start, step
		return s, err
	}
	if n > maxLevels {
		return nil, errs.New(errs.ErrResourceExhausted, "%d positions in one page", n)
	}
	s.stored = stored
	return s, nil
}

// symbolic gives what makes up n values where no more than their start and step is needed.
func symbolic(s sequence, n uint64) (start, step uint64, ok bool, err error) {
	switch s := s.(type) {
	case *constantSequence:
		if s.value == nil {
			return 0, 0, false, corruptf("constant sequence without a value")
		}
		return number(s.value, s.width, 0), 0, true, nil
	case *rangeSequence:
		return s.start, s.step, true, checkRange(s.start, s.step, n, s.width)
	case *deltaSequence:
		c, constant := s.steps.(*constantSequence)
		if !constant || c.value == nil {
			return 0, 0, false, nil
		}
		if n < 2 {
			return 0, 0, false, corruptf("differences of %d values", n)
		}
		if step = number(c.value, c.width, 0); step > 0 {
			err = checkRange(s.base, step, n, s.width)
		}
		return s.base, step, true, err
	}
	return 0, 0, false, nil
}

// read takes the values from the first of bufs, where they have bytes, and gives the other bufs.
func (s *numbers) read(bufs [][]byte) ([][]byte, error) {
	if s.stored == nil {
		return bufs, nil
	}
	var src []byte
	if s.stored.payload() {
		src, bufs = bufs[0], bufs[1:]
	}
	if r, ok := s.stored.(*runSequence); ok && !s.positions {
		values, lengths, err := r.parts(src, int(s.n))
		if err != nil {
			return nil, err
		}
		s.list, s.repeats = words64(values, 64), words64(lengths, 32)
		return bufs, nil
	}
	if err := s.checkBytes(len(src)); err != nil {
		return nil, err
	}
	b, err := s.stored.decode(src, int(s.n))
	if err != nil {
		return nil, err
	}
	s.list = words64(b, 64)
	return bufs, nil
}

// What makes up each of very many values takes some of a byte at the least: positions differ, counts may repeat.
const (
	freeNumbers      = 1 << 16
	positionsPerByte = 64
	countsPerByte    = 1024
)

// checkBytes bounds the values that some bytes can claim to be.
func (s *numbers) checkBytes(size int) error {
	most := uint64(countsPerByte)
	if s.positions {
		most = positionsPerByte
	}
	if s.n > freeNumbers && s.n/most > uint64(size) {
		return corruptf("%d numbers in %d bytes", s.n, size)
	}
	return nil
}

// words64 gives numbers of some bits.
func words64(b []byte, bits int) []uint64 {
	out := make([]uint64, len(b)/(bits/8))
	for i := range out {
		out[i] = number(b, bits, i)
	}
	return out
}

// buffers is how many buffers the values have.
func (s *numbers) buffers() int {
	if s.stored != nil && s.stored.payload() {
		return 1
	}
	return 0
}

func (s *numbers) at(i uint64) uint64 {
	if s.list != nil {
		return s.list[i]
	}
	return s.start + i*s.step
}

// checkPositions makes sure that the values ascend and are below domain.
func (s *numbers) checkPositions(domain uint64) error {
	if s.n == 0 {
		return nil
	}
	ok := s.n == 1 || s.step > 0
	if s.list != nil {
		ok = true
		for i := 1; i < len(s.list); i++ {
			ok = ok && s.list[i] > s.list[i-1]
		}
	}
	if !ok || s.at(s.n-1) >= domain {
		return corruptf("positions that do not ascend below %d", domain)
	}
	return nil
}

// rank is how many positions are below x.
func (s *numbers) rank(x uint64) uint64 {
	switch {
	case s.list != nil:
		return uint64(sort.Search(len(s.list), func(i int) bool { return s.list[i] >= x }))
	case s.n == 0 || x <= s.start:
		return 0
	case s.step == 0: // one position
		return s.n
	default:
		return min((x-s.start-1)/s.step+1, s.n)
	}
}

// runs gives the runs of neighbouring positions that are at least lo and below hi.
func (s *numbers) runs(lo, hi uint64, yield func(from, to uint64) error) error {
	if s.list == nil && (s.step == 1 || s.n == 1) {
		from, to := max(s.start, lo), min(s.start+s.n, hi)
		if s.n == 0 || from >= to {
			return nil
		}
		return yield(from, to)
	}
	for i := s.rank(lo); i < s.n && s.at(i) < hi; {
		from := s.at(i)
		to := from + 1
		for i++; i < s.n && to < hi && s.at(i) == to; i++ {
			to++
		}
		if err := yield(from, to); err != nil {
			return err
		}
	}
	return nil
}
