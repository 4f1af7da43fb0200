package encoding

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

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

// blockSequenceOf makes the decoder of a sequence that is stored as a block of values of have bits.
func blockSequenceOf(e *pb.CompressiveEncoding, have uint64) func(int, *codec.Decompressor) (sequence, error) {
	return func(width int, d *codec.Decompressor) (sequence, error) { return newBlockSequence(e, have, width, d) }
}

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
