package encoding

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// legacyDictionary is a field of keys into values that lie once in the file.
type legacyDictionary struct {
	*legacyFixed
	values node20 // as a page of their own
	count  uint64
	limit  uint64      // how many values the keys can tell apart
	items  arrow.Array // once they were read; of memory that nobody counts, since no one tells a reader to let go
}

func newLegacyDictionary(c *legacyColumn, f *Field) (*legacyDictionary, error) {
	t := f.Type.(*arrow.DictionaryType)
	if len(f.Column.Buffers) != 1 {
		return nil, errs.Corruptf(c.object, -1, "column %s: its dictionary is missing", c.name)
	}
	keys, err := newLegacyFixed(c, t.IndexType)
	if err != nil {
		return nil, err
	}
	place := f.Column.Buffers[0]
	values := *c
	values.typ, values.mem = t.ValueType, memory.NewGoAllocator()
	s, err := shapeOf(t)
	if err != nil {
		return nil, c.wrap(-1, err)
	}
	d := &legacyDictionary{legacyFixed: keys, limit: s.limit}
	if isVariable20(t.ValueType) {
		d.count = place.Size/8 - min(place.Size/8, 1)
		d.values = &legacyTexts{legacyColumn: &values, nullable: true}
	} else {
		fixed, err := newLegacyFixed(&values, t.ValueType)
		if err != nil {
			return nil, err
		}
		if fixed.bits == 0 || fixed.bits%8 != 0 {
			return nil, errs.Unsupportedf("%s: column %s: a dictionary of %s", c.object, c.name, t.ValueType)
		}
		d.count, d.values = place.Size*8/fixed.bits, fixed
	}
	values.pages, values.starts = []Page{{Rows: d.count, Buffers: []BufferRange{place}}}, []uint64{0, d.count}
	return d, nil
}

func (n *legacyDictionary) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	if n.items == nil {
		items, err := n.values.read(ctx, []RowRange{{0, n.count}})
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		n.items = items
	}
	sink := newSink(n.shape, n.mem, maxBufferBytes)
	defer sink.release()
	if err := n.gather(ctx, ranges, sink); err != nil {
		return nil, err
	}
	d, err := sink.data(n.typ.(*arrow.DictionaryType).IndexType, nil, 0)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	defer d.Release()
	keys := d.Buffers()[1]
	if err := checkKeys(keys.Bytes(), int(n.bits), 0, d.Len(), int(min(n.count, n.limit))); err != nil {
		return nil, n.wrap(-1, err)
	}
	valid := newValidity(n.mem)
	defer valid.release()
	if n.items.NullN() > 0 {
		// Keys of null items are null, so that nobody has to look for nulls at two places.
		err = valid.appendWhere(d.Len(), func(i int) bool { return n.items.IsNull(int(key(keys.Bytes(), int(n.bits), i))) })
		if err != nil {
			return nil, n.wrap(-1, err)
		}
	}
	bitmap, err := valid.finish()
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	return makeArray20(array.NewDataWithDictionary(n.typ, d.Len(), []*memory.Buffer{bitmap, keys}, valid.nulls, 0, n.items.Data().(*array.Data))), nil
}
