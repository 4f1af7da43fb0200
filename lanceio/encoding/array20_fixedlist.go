package encoding

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// fixedSizeList reads FixedSizeList: dimension items for each value, in an encoding of their own. A list that is null has items
// too. Bytes of fixed size are stored as lists of bytes.
func (p *page20) fixedSizeList(l *encodings20.FixedSizeList, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	dim := uint64(l.GetDimension())
	var item arrow.DataType
	var width uint64
	switch t := want.(type) {
	case *arrow.FixedSizeListType:
		item, width = t.Elem(), uint64(t.Len())
	case *arrow.FixedSizeBinaryType:
		item, width = arrow.PrimitiveTypes.Uint8, uint64(t.ByteWidth)
	}
	if item == nil || width != dim {
		return task20{}, p.corruptf("lists of %d items for type %s", dim, want)
	}
	items := make([]RowRange, len(rows))
	for i, r := range rows {
		hi, end := bits.Mul64(r.End, dim)
		if hi != 0 || end > maxRows20 {
			return task20{}, p.corruptf("%d lists of %d items", r.End, dim)
		}
		items[i] = RowRange{r.Start * dim, end}
	}
	n := int(countRows20(rows))
	t, err := p.decode(l.GetItems(), items, item, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if want.ID() != arrow.FIXED_SIZE_BINARY {
			return done20(&values20{n: n, dim: int(dim), items: v}), nil
		}
		if v.null || v.validity != nil {
			return task20{}, p.corruptf("bytes that are null")
		}
		return done20(&values20{n: n, bits: 8 * dim, data: v.data}), nil
	})
}
