package encoding

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// fslSink gathers fixed-size lists: their items, and which of the items are not null.
type fslSink struct {
	dim      int
	itemType arrow.DataType
	valid    validity // of the items
	items    sink
	n        int
}

func (s *fslSink) append(v *values, from, to int) error {
	if v.null {
		return s.fill(to - from)
	}
	if v.dict != nil {
		return s.gather(v, from, to)
	}
	if v.items == nil || v.items.n != v.n*s.dim {
		return corruptf("values of %d bits in a column of fixed-size lists", v.bits)
	}
	lo, hi := from*s.dim, to*s.dim
	if err := s.items.append(v.items, lo, hi); err != nil {
		return err
	}
	s.n += to - from
	switch {
	case v.items.null:
		return s.valid.appendNull(hi - lo)
	case v.valid == nil:
		return s.valid.appendValid(hi - lo)
	}
	return s.valid.appendBits(v.valid, lo, hi)
}

// gather appends the dictionary's lists at keys from to to.
func (s *fslSink) gather(v *values, from, to int) error {
	if err := checkKeys(v.data, v.bits, from, to, v.dict.n); err != nil {
		return err
	}
	for i := from; i < to; i++ {
		k := int(key(v.data, v.bits, i))
		if err := s.append(v.dict, k, k+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *fslSink) repeat(v *values, n int) error {
	for range n {
		if err := s.append(v, 0, 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *fslSink) fill(n int) error {
	s.n += n
	if err := s.items.fill(n * s.dim); err != nil {
		return err
	}
	return s.valid.appendValid(n * s.dim)
}

func (s *fslSink) expect(n int) { s.items.expect(n * s.dim) }
func (s *fslSink) len() int     { return s.n }

func (s *fslSink) release() {
	s.valid.release()
	s.items.release()
}

func (s *fslSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	itemValid, err := s.valid.finish()
	if err != nil {
		return nil, err
	}
	items, err := s.items.data(s.itemType, itemValid, s.valid.nulls)
	if err != nil {
		return nil, err
	}
	defer items.Release()
	return array.NewData(dt, s.n, []*memory.Buffer{valid}, []arrow.ArrayData{items}, nulls, 0), nil
}

// packedSink takes rows of a packed struct apart into its members.
type packedSink struct {
	shapes  []shape
	dtypes  []arrow.DataType
	members []sink
	n       int
	row     []byte // scratch
}

func (s *packedSink) append(v *values, from, to int) error {
	if v.widths == nil {
		return corruptf("values of %d bits in a column of packed structs", v.bits)
	}
	if len(v.widths) != len(s.shapes) {
		return errs.Unsupportedf("%d of %d members of a packed struct", len(s.shapes), len(v.widths))
	}
	widths := make([]int, len(s.shapes))
	total := 0
	for i, m := range s.shapes {
		widths[i] = fixedBytes(m)
		if widths[i] < 0 || v.widths[i] != 8*uint64(widths[i]) {
			return corruptf("member %d of a packed struct has %d bits", i, v.widths[i])
		}
		total += widths[i]
	}
	if v.bits != 8*total || v.items != nil || v.dict != nil {
		return corruptf("packed rows of %d bits where the members have %d", v.bits, 8*total)
	}
	at := 0
	for i, w := range widths {
		s.row = s.row[:0]
		for r := from; r < to; r++ {
			s.row = append(s.row, v.data[r*total+at:][:w]...)
		}
		m, err := flatValues(s.shapes[i], s.row, to-from)
		if err != nil {
			return err
		}
		if err := s.members[i].append(&m, 0, to-from); err != nil {
			return err
		}
		at += w
	}
	s.n += to - from
	return nil
}

// fixedBytes is the size of a value of a shape in a packed row, -1 where it has none.
func fixedBytes(s shape) int {
	switch s.kind {
	case kindFixed:
		return s.width
	case kindFSL:
		if w := fixedBytes(s.parts[0]); w >= 0 {
			return w * s.dim
		}
	}
	return -1
}

// flatValues reads n values without nulls of a shape of fixed width from their bytes, or their bits for booleans.
func flatValues(s shape, data []byte, n int) (values, error) {
	switch s.kind {
	case kindBool:
		return values{n: n, bits: 1, data: data}, nil
	case kindFixed:
		return values{n: n, bits: 8 * s.width, data: data}, nil
	case kindFSL:
		items, err := flatValues(s.parts[0], data, n*s.dim)
		return values{n: n, items: &items}, err
	}
	return values{}, corruptf("values of no fixed width")
}

func (s *packedSink) repeat(v *values, n int) error {
	for range n {
		if err := s.append(v, 0, 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *packedSink) fill(n int) error {
	for _, m := range s.members {
		if err := m.fill(n); err != nil {
			return err
		}
	}
	s.n += n
	return nil
}

func (s *packedSink) len() int { return s.n }

func (s *packedSink) expect(n int) {
	for _, m := range s.members {
		m.expect(n)
	}
}

func (s *packedSink) release() {
	for _, m := range s.members {
		m.release()
	}
}

func (s *packedSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for i, m := range s.members {
		c, err := m.data(s.dtypes[i], valid, nulls) // a null row has null members
		if err != nil {
			return nil, err
		}
		children = append(children, c)
	}
	return array.NewData(dt, s.n, []*memory.Buffer{valid}, children, nulls, 0), nil
}
