package encoding

import (
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// constantForms decodes Constant: one value, which the description holds, as often as it is wanted. It has no bytes. It
// stands in fixed-size lists too, see listRows.
func constantForms(c *pb.Constant) forms {
	return forms{
		sequence: func(width int, _ *codec.Decompressor) (sequence, error) { return newConstantSequence(c, width) },
		simple:   true,
	}
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
