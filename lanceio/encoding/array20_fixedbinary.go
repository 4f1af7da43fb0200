package encoding

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// fixedSizeBinary reads FixedSizeBinary: byte strings of byte_width bytes each, one behind the other, as bytes in the encoding
// within.
func (p *page20) fixedSizeBinary(f *encodings20.FixedSizeBinary, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	width := uint64(f.GetByteWidth())
	if t, ok := want.(*arrow.FixedSizeBinaryType); !isVariable20(want) && (!ok || uint64(t.ByteWidth) != width) {
		return task20{}, p.corruptf("byte strings of %d bytes for type %s", width, want)
	}
	n := int(countRows20(rows))
	where := make([]RowRange, len(rows))
	for i, r := range rows {
		hi, end := bits.Mul64(r.End, width)
		if hi != 0 || end > maxRows20 {
			return task20{}, p.corruptf("%d byte strings of %d bytes", r.End, width)
		}
		where[i] = RowRange{r.Start * width, end}
	}
	t, err := p.decode(f.GetBytes(), where, arrow.PrimitiveTypes.Uint8, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if v.null || v.validity != nil {
			return task20{}, p.corruptf("bytes that are null")
		}
		if !isVariable20(want) {
			return done20(&values20{n: n, bits: 8 * width, data: v.data}), nil
		}
		if uint64(n)*width > math.MaxInt32 {
			return task20{}, p.tooMuchf("%d bytes of text are wanted at once", uint64(n)*width)
		}
		out := &values20{n: n, data: v.data, offsets: p.col.offsets(n + 1)}
		for i := range out.offsets {
			out.offsets[i] = int32(i) * int32(width)
		}
		return done20(out), nil
	})
}
