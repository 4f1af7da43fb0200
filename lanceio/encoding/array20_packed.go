package encoding

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// packedStruct reads PackedStruct: a buffer of rows, whose members lie one after the other, each in as many bytes as its type
// has; what the description says of the members' own encodings tells nothing more. Members are never null.
func (p *page20) packedStruct(s *encodings20.PackedStruct, rows []RowRange, want arrow.DataType) (task20, error) {
	st, ok := want.(*arrow.StructType)
	if !ok || st.NumFields() == 0 {
		return task20{}, p.corruptf("packed structs for type %s", want)
	}
	if len(s.GetInner()) != st.NumFields() {
		return task20{}, p.corruptf("packed structs of %d members for type %s", len(s.GetInner()), want)
	}
	var width uint64
	widths := make([]uint64, st.NumFields())
	for i, f := range st.Fields() {
		w, ok := memberBytes20(f.Type)
		if !ok {
			return task20{}, p.unsupportedf("a packed struct with a member of type %s is not supported", f.Type)
		}
		widths[i], width = w, width+w
	}
	buf, _, err := p.buffer(s.GetBuffer())
	if err != nil {
		return task20{}, err
	}
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		at, err := p.bytesOf(r, 8*width, buf.Size)
		if err != nil {
			return task20{}, err
		}
		need[i] = BufferRange{Offset: buf.Offset + at.Offset, Size: at.Size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		n := int(countRows20(rows))
		out := &values20{n: n}
		var at uint64
		for i, f := range st.Fields() {
			data := make([]byte, 0, uint64(n)*widths[i])
			for _, b := range got {
				for row := at; row < uint64(len(b)); row += width {
					data = append(data, b[row:][:widths[i]]...)
				}
			}
			at += widths[i]
			out.members = append(out.members, member20(f.Type, n, data))
		}
		return done20(out), nil
	}}, nil
}

// memberBytes20 is how many bytes a member of a packed struct takes.
func memberBytes20(t arrow.DataType) (uint64, bool) {
	if l, ok := t.(*arrow.FixedSizeListType); ok {
		w, ok := memberBytes20(l.Elem())
		hi, n := bits.Mul64(w, uint64(l.Len()))
		return n, ok && hi == 0 && n <= math.MaxInt32
	}
	width, ok := fixedBits20(t)
	return width / 8, ok && width%8 == 0 && width > 0
}

// member20 makes values of a type out of its bytes.
func member20(t arrow.DataType, n int, data []byte) *values20 {
	if l, ok := t.(*arrow.FixedSizeListType); ok {
		return &values20{n: n, dim: int(l.Len()), items: member20(l.Elem(), n*int(l.Len()), data)}
	}
	width, _ := fixedBits20(t)
	return &values20{n: n, bits: width, data: data}
}
