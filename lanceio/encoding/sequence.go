package encoding

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// sequence decodes unsigned integers of 32 or 64 bits, as version 2.3 stores offsets, positions and counts. Some kinds
// have all in their description and no bytes.
type sequence interface {
	// payload tells whether there are bytes.
	payload() bool
	// decode gives n values, little-endian, good until the next call. src is nil where there is no payload.
	decode(src []byte, n int) ([]byte, error)
}

// newSequence gives the decoder of values of 32 or 64 bits. Kinds that are made of others are made of simple ones only.
func newSequence(e *pb.CompressiveEncoding, width int, d *codec.Decompressor, nested bool) (sequence, error) {
	if width != 32 && width != 64 {
		return nil, corruptf("sequence of %d-bit values", width)
	}
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return newBlockSequence(e, c.Flat.GetBitsPerValue(), width, d)
	case *pb.CompressiveEncoding_InlineBitpacking:
		return newBlockSequence(e, c.InlineBitpacking.GetUncompressedBitsPerValue(), width, d)
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		return newBlockSequence(e, c.OutOfLineBitpacking.GetUncompressedBitsPerValue(), width, d)
	case *pb.CompressiveEncoding_Constant:
		return newConstantSequence(c.Constant, width)
	case *pb.CompressiveEncoding_Range:
		return newRangeSequence(c.Range, width)
	}
	if nested {
		return nil, errs.Unsupportedf("encoding %s within a sequence", encodingName(e))
	}
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Delta:
		return newDeltaSequence(c.Delta, width, d)
	case *pb.CompressiveEncoding_Rle:
		return newRunSequence(c.Rle, width, d)
	case *pb.CompressiveEncoding_Dictionary:
		return newDictSequence(c.Dictionary, width, d)
	case *pb.CompressiveEncoding_General:
		return newBlockSequence(e, c.General.GetValues().GetFlat().GetBitsPerValue(), width, d)
	}
	return nil, errs.Unsupportedf("encoding %s of a sequence", encodingName(e))
}

// Values that are made from the description alone are bounded by their number, others by the bytes there are as well.
const (
	maxSequence      = 1 << 24
	sequencePerByte  = 1024
	maxSequenceItems = 1 << 16 // values of a sequence's dictionary
)

// checkSequence bounds the values that some bytes can claim to be.
func checkSequence(src []byte, n int) error {
	if n > maxSequence && n > len(src)*sequencePerByte {
		return errs.New(errs.ErrResourceExhausted, "%d values in a sequence of %d bytes", n, len(src))
	}
	return nil
}

// number gives value i of some of width bits.
func number(b []byte, width, i int) uint64 { return key(b, width, i) }

// putNumber sets value i of some of width bits.
func putNumber(b []byte, width, i int, v uint64) {
	if width == 32 {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
	} else {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
}

// fits tells whether a value has at most width bits.
func fits(v uint64, width int) bool { return bits.Len64(v) <= width }

// blockSequence is a sequence that is stored as other blocks are.
type blockSequence struct {
	block blockCodec
	width int
}

func newBlockSequence(e *pb.CompressiveEncoding, have uint64, width int, d *codec.Decompressor) (sequence, error) {
	if have != uint64(width) {
		return nil, corruptf("encoding %s of %d-bit values in a sequence of %d-bit ones", encodingName(e), have, width)
	}
	b, err := newBlockCodec(e, d)
	return &blockSequence{b, width}, err
}

func (*blockSequence) payload() bool { return true }

func (s *blockSequence) decode(src []byte, n int) ([]byte, error) {
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	v, err := s.block.decode(src, n)
	if err != nil {
		return nil, err
	}
	if v.bits != s.width || len(v.data) < n*s.width/8 {
		return nil, corruptf("sequence of %d-bit values where %d are wanted", v.bits, s.width)
	}
	return v.data[:n*s.width/8], nil
}

// constantSequence is one value that repeats; an empty sequence has none.
type constantSequence struct {
	width int
	value []byte
	buf   []byte
}

func newConstantSequence(c *pb.Constant, width int) (sequence, error) {
	if c.Value != nil && len(c.Value) != width/8 {
		return nil, corruptf("constant of %d bytes in a sequence of %d-bit values", len(c.Value), width)
	}
	return &constantSequence{width: width, value: c.Value}, nil
}

func (*constantSequence) payload() bool { return false }

func (s *constantSequence) decode(src []byte, n int) ([]byte, error) {
	if (s.value == nil) != (n == 0) {
		return nil, corruptf("constant sequence of %d values", n)
	}
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	for at := copy(s.buf, s.value); at > 0 && at < len(s.buf); at *= 2 {
		copy(s.buf[at:], s.buf[:at])
	}
	return s.buf, nil
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

func (s *runSequence) decode(src []byte, n int) ([]byte, error) {
	if n <= 0 {
		return nil, corruptf("runs of %d values", n)
	}
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	var vals, lens []byte
	if s.payload() {
		var err error
		if vals, lens, err = codec.RunBlock(src); err != nil {
			return nil, err
		}
		if !s.values.payload() && len(vals) > 0 || !s.lengths.payload() && len(lens) > 0 {
			return nil, corruptf("bytes of a part of runs that has none")
		}
	}
	k, err := s.runs(vals, lens, uint64(n))
	if err != nil {
		return nil, err
	}
	if vals, err = s.values.decode(vals, k); err != nil {
		return nil, err
	}
	if lens, err = s.lengths.decode(lens, k); err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	at := 0
	for i := range k {
		l := number(lens, 32, i)
		if l == 0 || l > uint64(n-at) {
			return nil, corruptf("run of %d values, %d are left", l, n-at)
		}
		v := number(vals, s.width, i)
		for range l {
			putNumber(s.buf, s.width, at, v)
			at++
		}
	}
	if at != n {
		return nil, corruptf("runs of %d values, %d are wanted", at, n)
	}
	return s.buf, nil
}

// dictSequence is 32-bit indices into some values. Its bytes are the sizes of both parts (u64 each) and these.
type dictSequence struct {
	width          int
	indices, items sequence
	count          int
	buf            []byte
}

func newDictSequence(m *pb.Dictionary, width int, d *codec.Decompressor) (sequence, error) {
	if c := m.GetNumDictionaryItems(); c == 0 || c > maxSequenceItems {
		return nil, corruptf("sequence with a dictionary of %d values", c)
	}
	s := &dictSequence{width: width, count: int(m.GetNumDictionaryItems())}
	var err error
	if s.indices, err = newSequence(m.GetIndices(), 32, d, true); err != nil {
		return nil, err
	}
	s.items, err = newSequence(m.GetItems(), width, d, true)
	return s, err
}

func (s *dictSequence) payload() bool { return s.indices.payload() || s.items.payload() }

func (s *dictSequence) decode(src []byte, n int) ([]byte, error) {
	if err := checkSequence(src, n); err != nil {
		return nil, err
	}
	var indices, items []byte
	if s.payload() {
		if len(src) < 16 {
			return nil, corruptf("dictionary of %d bytes has no header", len(src))
		}
		a, b := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		rest := src[16:]
		if a > uint64(len(rest)) || b != uint64(len(rest))-a {
			return nil, corruptf("dictionary of %d and %d bytes in %d", a, b, len(rest))
		}
		indices, items = rest[:a], rest[a:]
		if !s.indices.payload() && a > 0 || !s.items.payload() && b > 0 {
			return nil, corruptf("bytes of a part of a dictionary that has none")
		}
	}
	indices, err := s.indices.decode(indices, n)
	if err != nil {
		return nil, err
	}
	if items, err = s.items.decode(items, s.count); err != nil {
		return nil, err
	}
	if err := checkKeys(indices, 32, 0, n, s.count); err != nil {
		return nil, err
	}
	s.buf = codec.Grow(s.buf, n*s.width/8)
	for i := range n {
		putNumber(s.buf, s.width, i, number(items, s.width, int(number(indices, 32, i))))
	}
	return s.buf, nil
}
