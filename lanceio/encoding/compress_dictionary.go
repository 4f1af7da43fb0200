package encoding

import (
	"encoding/binary"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// dictionaryForms decodes Dictionary: a sequence of 32-bit indices into a sequence of num_dictionary_items values. Its bytes
// are the sizes of both parts (u64 each) and these. Dictionaries of pages are not this: their layout has them.
func dictionaryForms(m *pb.Dictionary) forms {
	return forms{sequence: func(width int, d *codec.Decompressor) (sequence, error) { return newDictSequence(m, width, d) }}
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
