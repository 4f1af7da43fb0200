package encoding

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
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

// legacyTexts is a field of byte strings.
type legacyTexts struct {
	*legacyColumn
	nullable bool // empty ones are null
}

func (n *legacyTexts) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	runs, err := n.runs(ranges)
	if err != nil {
		return nil, err
	}
	places, err := n.offsets(ctx, runs, 8)
	if err != nil {
		return nil, err
	}
	need := make([]BufferRange, len(runs))
	var total uint64
	for i, r := range runs {
		if need[i], err = n.extent(places[i]); err != nil {
			return nil, n.wrap(r.page, err)
		}
		if total += need[i].Size; total > n.size {
			return nil, n.corruptf(r.page, "byte strings of %d bytes in a file of %d", total, n.size)
		}
	}
	data, err := n.fetch(ctx, need)
	if err != nil {
		return nil, err
	}
	s, err := shapeOf(n.typ)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	out := textGatherer{sink: newSink(s, n.mem, maxBufferBytes), valid: newValidity(n.mem), nullable: n.nullable}
	defer out.release()
	out.sink.expect(int(min(countRows20(ranges), maxExpected)))
	for i, r := range runs {
		if err := out.add(places[i], need[i].Offset, data[i]); err != nil {
			return nil, n.wrap(r.page, err)
		}
	}
	a, err := out.array(n.typ)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	return a, nil
}

// extent gives where the bytes of values lie, of which places tell where each starts and the last ends.
func (n *legacyTexts) extent(places []byte) (BufferRange, error) {
	first := le20.Uint64(places)
	last := first
	for ; len(places) > 0; places = places[8:] {
		at := le20.Uint64(places)
		if at < last || at > n.size {
			return BufferRange{}, corruptf("a byte string from byte %d to %d of a file of %d", last, at, n.size)
		}
		last = at
	}
	return BufferRange{Offset: first, Size: last - first}, nil
}

// textGatherer gathers byte strings, and which are null.
type textGatherer struct {
	sink     sink
	valid    validity
	nullable bool
}

// add appends the values that places tell of. data are the file's bytes from byte first on.
func (g *textGatherer) add(places []byte, first uint64, data []byte) error {
	n := len(places)/8 - 1
	text := codec.Variable{Width: 8, Offsets: make([]byte, len(places)), Data: data}
	for i := 0; i < len(places); i += 8 {
		le20.PutUint64(text.Offsets[i:], le20.Uint64(places[i:])-first)
	}
	if err := g.sink.append(&values{n: n, text: text}, 0, n); err != nil {
		return err
	}
	if !g.nullable {
		return g.valid.appendValid(n)
	}
	return g.valid.appendWhere(n, func(i int) bool { return le20.Uint64(places[8*i:]) == le20.Uint64(places[8*i+8:]) })
}

func (g *textGatherer) array(t arrow.DataType) (arrow.Array, error) {
	bitmap, err := g.valid.finish()
	if err != nil {
		return nil, err
	}
	d, err := g.sink.data(t, bitmap, g.valid.nulls)
	if err != nil {
		return nil, err
	}
	return makeArray20(d), nil
}

func (g *textGatherer) release() {
	g.sink.release()
	g.valid.release()
}

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

// legacyLists is a field of lists.
type legacyLists struct {
	*legacyColumn
	items      node20
	width      int      // bytes of an offset
	itemStarts []uint64 // first item of each page, and the end
}

func (n *legacyLists) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	runs, err := n.runs(ranges)
	if err != nil {
		return nil, err
	}
	raw, err := n.offsets(ctx, runs, n.width)
	if err != nil {
		return nil, err
	}
	offsets := byteBuf{mem: n.mem}
	defer offsets.release()
	var total uint64
	var items []RowRange
	for i, r := range runs {
		at, err := n.add(&offsets, raw[i], r.page, total)
		if err != nil {
			return nil, n.wrap(r.page, err)
		}
		if at.Start == at.End {
			continue
		}
		total += at.End - at.Start
		if k := len(items); k > 0 && items[k-1].End > at.Start {
			return nil, n.corruptf(r.page, "lists whose items overlap")
		}
		items = appendRange20(items, at)
	}
	last, err := offsets.extend(n.width)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	n.put(last, total)
	below, err := n.items.read(ctx, items)
	if err != nil {
		return nil, err
	}
	defer below.Release()
	buffers := []*memory.Buffer{nil, offsets.finish()}
	return makeArray20(array.NewData(n.typ, int(countRows20(ranges)), buffers, []arrow.ArrayData{below.Data()}, 0, 0)), nil
}

// add appends the offsets at which the lists of a run start, of which total items come before, and gives the run's items.
func (n *legacyLists) add(out *byteBuf, raw []byte, page int, total uint64) (RowRange, error) {
	lists := len(raw)/n.width - 1
	first, last := n.offset(raw, 0), n.offset(raw, lists)
	count := n.itemStarts[page+1] - n.itemStarts[page]
	if last < first || last > count {
		return RowRange{}, corruptf("lists from item %d to %d of %d", first, last, count)
	}
	if n.width == 4 && total+last-first > math.MaxInt32 {
		return RowRange{}, errs.New(errs.ErrResourceExhausted, "%d items do not fit one batch", total+last-first)
	}
	dst, err := out.extend(lists * n.width)
	if err != nil {
		return RowRange{}, err
	}
	before := first
	for i := range lists {
		at := n.offset(raw, i)
		if at < before || at > last {
			return RowRange{}, corruptf("a list from item %d to %d of %d", before, at, count)
		}
		n.put(dst[i*n.width:], at-first+total)
		before = at
	}
	return RowRange{n.itemStarts[page] + first, n.itemStarts[page] + last}, nil
}

func (n *legacyLists) offset(raw []byte, i int) uint64 {
	if n.width == 4 {
		return uint64(le20.Uint32(raw[4*i:]))
	}
	return le20.Uint64(raw[8*i:])
}

func (n *legacyLists) put(dst []byte, at uint64) {
	if n.width == 4 {
		le20.PutUint32(dst, uint32(at))
	} else {
		le20.PutUint64(dst, at)
	}
}
