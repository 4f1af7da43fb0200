package encoding

import (
	"encoding/binary"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// packedTextForms decodes VariablePackedStruct: a row is its members one behind the other. One of fixed width is just its
// bits_per_value; any other has its size before it, of bits_per_length. Each member has an encoding of its own, of values of
// one size or of sizes of their own. A row without bytes is null.
func packedTextForms(p *pb.VariablePackedStruct) forms {
	return forms{text: func(d *codec.Decompressor) (textCodec, error) { return newPackedText(p, d) }}
}

// packedText is a packed struct with members of no fixed width: a row is the members one after the other, those without
// fixed width after their size.
type packedText struct{ members []packedMember }

// packedMember is a member of a packed struct: rows where it has a fixed width, else text.
type packedMember struct {
	rows   rowCodec
	text   textCodec
	length int // bytes of the size of a text
	bytes  []byte
	spans  []uint64
}

func newPackedText(p *pb.VariablePackedStruct, d *codec.Decompressor) (textCodec, error) {
	c := &packedText{members: make([]packedMember, len(p.GetFields()))}
	for i, f := range p.GetFields() {
		m := &c.members[i]
		var err error
		switch l := f.GetLayout().(type) {
		case *pb.VariablePackedStruct_FieldEncoding_BitsPerValue:
			if m.rows, err = newRowCodec(f.GetValue()); err != nil {
				return nil, err
			}
			if n := m.rows.size(); n <= 0 || uint64(n)*8 != l.BitsPerValue {
				return nil, corruptf("packed member of %d bits, its encoding has %d bytes", l.BitsPerValue, n)
			}
		case *pb.VariablePackedStruct_FieldEncoding_BitsPerLength:
			if l.BitsPerLength != 32 && l.BitsPerLength != 64 {
				return nil, corruptf("packed member with sizes of %d bits", l.BitsPerLength)
			}
			m.length = int(l.BitsPerLength / 8)
			if m.text, err = newTextCodec(f.GetValue(), d); err != nil {
				return nil, err
			}
		default:
			return nil, errs.Unsupportedf("packed member without a width")
		}
	}
	return c, nil
}

func (c *packedText) append(s sink, b []byte, spans []uint64) error {
	p, ok := s.(*packedSink)
	if !ok {
		return corruptf("rows of a packed struct in a column of another type")
	}
	if len(p.members) != len(c.members) {
		return errs.Unsupportedf("%d of %d members of a packed struct", len(p.members), len(c.members))
	}
	for i := range c.members {
		c.members[i].bytes, c.members[i].spans = c.members[i].bytes[:0], c.members[i].spans[:0]
	}
	for i := 0; i < len(spans); i += 2 {
		if err := c.split(b[:spans[i+1]], spans[i]); err != nil {
			return err
		}
	}
	n := len(spans) / 2
	for i := range c.members {
		m := &c.members[i]
		if m.text != nil {
			if err := m.text.append(p.members[i], b, m.spans); err != nil {
				return err
			}
			continue
		}
		v, err := m.rows.decode(m.bytes, n, nil)
		if err != nil {
			return err
		}
		if err := p.members[i].append(&v, 0, n); err != nil {
			return err
		}
	}
	p.n += n
	return nil
}

// split takes the row apart that is the end of b from at on; an empty row is a null.
func (c *packedText) split(b []byte, at uint64) error {
	end := uint64(len(b))
	null := at == end
	for i := range c.members {
		m := &c.members[i]
		if m.text == nil {
			w := uint64(m.rows.size())
			if null {
				m.bytes = append(m.bytes, make([]byte, w)...)
				continue
			}
			if end-at < w {
				return corruptf("row of a packed struct is %d bytes short", w-(end-at))
			}
			m.bytes = append(m.bytes, b[at:at+w]...)
			at += w
			continue
		}
		if null {
			m.spans = append(m.spans, end, end)
			continue
		}
		size, err := readSize(b[at:], m.length)
		if err != nil {
			return err
		}
		at += uint64(m.length)
		m.spans = append(m.spans, at, at+size)
		at += size
	}
	if at != end {
		return corruptf("%d bytes behind a row of a packed struct", end-at)
	}
	return nil
}

// readSize reads the size of a value, of length bytes, and makes sure that b holds the value behind it.
func readSize(b []byte, length int) (uint64, error) {
	if len(b) < length {
		return 0, corruptf("item of %d bytes has no size", len(b))
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if length == 8 {
		size = binary.LittleEndian.Uint64(b)
	}
	if have := uint64(len(b) - length); size > have {
		return 0, corruptf("value of %d bytes, %d are there", size, have)
	}
	return size, nil
}
