package encoding

import (
	"context"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// blobPlaces20 is how a blob column is stored: where in the file the bytes lie. A null has position 1 and size 0.
var blobPlaces20 = arrow.StructOf(
	arrow.Field{Name: "position", Type: arrow.PrimitiveTypes.Uint64},
	arrow.Field{Name: "size", Type: arrow.PrimitiveTypes.Uint64},
)

// readBlobs gives the bytes that places tell of.
func (c *column20) readBlobs(ctx context.Context, places []*values20) (arrow.Array, error) {
	if !isVariable20(c.typ) {
		return nil, errs.Corruptf(c.object, -1, "column %s: blobs for type %s", c.name, c.typ)
	}
	out := &values20{offsets: []int32{0}}
	var need []BufferRange
	for _, v := range places {
		if v.null {
			out.n += v.n
			continue
		}
		out.n += v.n
	}
	out.validity = allOnes20(&c.arena, out.n)
	for _, v := range places {
		for i := range v.n {
			row := len(out.offsets) - 1
			var r BufferRange
			if !v.null {
				r = BufferRange{Offset: v.members[0].uint(i), Size: v.members[1].uint(i)}
			}
			if v.null || r == (BufferRange{Offset: 1}) {
				out.validity[row/8] &^= 1 << (row % 8)
			}
			total := uint64(out.offsets[row])
			if r.Size > math.MaxInt32 || total+r.Size > math.MaxInt32 {
				return nil, errs.New(errs.ErrResourceExhausted, "%s: column %s: %d bytes of blobs do not fit one batch", c.object, c.name, total+r.Size)
			}
			out.offsets = append(out.offsets, int32(total+r.Size))
			if r.Size > 0 {
				need = append(need, r)
			}
		}
	}
	if len(need) > 0 {
		got, err := c.readRanges(ctx, need)
		if err != nil {
			return nil, c.wrap(err)
		}
		out.data = joinBytes20(&c.arena, got)
	}
	a, err := out.array(c.typ, &c.arena)
	if err != nil {
		return nil, c.wrap(err)
	}
	return a, nil
}
