package encoding

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// constant reads Constant: one value, in the description, for all rows; no buffer.
func (p *page20) constant(c *encodings20.Constant, rows []RowRange, want arrow.DataType) (task20, error) {
	n, value := countRows20(rows), c.GetValue()
	if hi, size := bits.Mul64(n, uint64(len(value))+1); hi != 0 || size > maxAnswer20 {
		return task20{}, p.tooMuchf("%d times a value of %d bytes", n, len(value))
	}
	v := &values20{n: int(n)}
	width, fixed := fixedBits20(want)
	switch {
	case isVariable20(want):
		if n*uint64(len(value)) > math.MaxInt32 {
			return task20{}, p.tooMuchf("%d bytes of text are wanted at once", n*uint64(len(value)))
		}
		v.offsets = p.col.offsets(int(n) + 1)
		for i := range v.offsets {
			v.offsets[i] = int32(i * len(value))
		}
	case fixed && width == 1 && len(value) == 1:
		v.bits, v.data = 1, make([]byte, bitmapSize20(int(n)))
		if value[0]&1 == 1 {
			for i := range n {
				v.data[i/8] |= 1 << (i % 8)
			}
		}
		return done20(v), nil
	case fixed && width == 8*uint64(len(value)):
		v.bits = width
	default:
		return task20{}, p.corruptf("a constant of %d bytes for type %s", len(value), want)
	}
	v.data = make([]byte, 0, int(n)*len(value))
	for range n {
		v.data = append(v.data, value...)
	}
	return done20(v), nil
}
