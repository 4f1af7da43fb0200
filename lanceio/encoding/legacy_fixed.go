package encoding

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// legacyFixed is a field of values of fixed width, or of fixed-size lists of such.
type legacyFixed struct {
	*legacyColumn
	shape shape
	bits  uint64
}

func newLegacyFixed(c *legacyColumn, t arrow.DataType) (*legacyFixed, error) {
	width, ok := legacyBits(t)
	if !ok {
		return nil, errs.Unsupportedf("%s: column %s: type %s does not exist in legacy files", c.object, c.name, t)
	}
	s, err := shapeOf(t)
	if err != nil {
		return nil, c.wrap(-1, err)
	}
	return &legacyFixed{legacyColumn: c, shape: s, bits: width}, nil
}

func (n *legacyFixed) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	sink := newSink(n.shape, n.mem, maxBufferBytes)
	defer sink.release()
	if err := n.gather(ctx, ranges, sink); err != nil {
		return nil, err
	}
	d, err := sink.data(n.typ, nil, 0)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	return makeArray20(d), nil
}

// gather appends the values at rows to a sink.
func (n *legacyFixed) gather(ctx context.Context, ranges []RowRange, sink sink) error {
	runs, err := n.runs(ranges)
	if err != nil {
		return err
	}
	// A run starts at a whole byte: eight values do.
	align := uint64(1)
	if n.bits%8 != 0 {
		align = 8
	}
	need := make([]BufferRange, len(runs))
	for i, r := range runs {
		start, end := (r.Start-r.Start%align)*n.bits/8, (r.End*n.bits+7)/8
		need[i] = BufferRange{Offset: n.pages[r.page].Buffers[0].Offset + start, Size: end - start}
	}
	got, err := n.fetch(ctx, need)
	if err != nil {
		return err
	}
	sink.expect(int(min(countRows20(ranges), maxExpected)))
	for i, r := range runs {
		skip := int(r.Start % align)
		v, err := flatValues(n.shape, got[i], skip+r.rows())
		if err != nil {
			return n.wrap(r.page, err)
		}
		if err := sink.append(&v, skip, skip+r.rows()); err != nil {
			return n.wrap(r.page, err)
		}
	}
	return nil
}
