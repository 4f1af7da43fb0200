package cells

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/gather"
	"github.com/lanceflight/flightsrv/ndarray"
)

// rowBatch is a batch of rows, whose cells are made run by run. It owns the batch.
type rowBatch struct {
	p      *plan
	batch  arrow.RecordBatch
	mem    memory.Allocator
	values []valueColumn // by variable
	// widths are of the row that was asked for last.
	widthRow int
	widthN   int64
	places   []int64
}

// valueColumn is the values of a variable; lists is nil where they are not read.
type valueColumn struct {
	variable *array.Struct
	lists    array.ListLike
	items    arrow.Array // those of lists as cells have them
}

// newRowBatch takes the batch over, also where it fails.
func newRowBatch(p *plan, batch arrow.RecordBatch, mem memory.Allocator) (*rowBatch, error) {
	r := &rowBatch{p: p, batch: batch, mem: mem, values: make([]valueColumn, len(p.s.vars)), widthRow: -1}
	for i, v := range p.s.vars {
		at := batch.Schema().FieldIndices(v.Name)
		if len(at) != 1 {
			continue // told by the shaper
		}
		st, ok := storage(batch.Column(at[0])).(*array.Struct)
		if !ok {
			continue
		}
		r.values[i].variable = st
		lists := listIn(st, ndarray.ValuesField)
		if lists == nil {
			continue
		}
		items, err := cellItems(lists.ListValues(), mem)
		if err != nil {
			r.release()
			return nil, variableError(v, err)
		}
		r.values[i].lists, r.values[i].items = lists, items
	}
	return r, nil
}

func (r *rowBatch) release() {
	for _, v := range r.values {
		if v.items != nil {
			v.items.Release()
		}
	}
	r.batch.Release()
}

// check holds the number of a row's values against its dimensions.
func (r *rowBatch) check(row int, sh *shape) error {
	if sh.cells == 0 {
		return nil
	}
	for v, p := range sh.vars {
		c := r.values[v]
		if !p.present || c.lists == nil || c.lists.IsNull(row) {
			continue
		}
		from, to := c.lists.ValueOffsets(row)
		if to-from != p.count {
			return variableError(r.p.s.vars[v], errs.New(errs.ErrCorrupt, "has %d values, where its dimensions make it %d", to-from, p.count))
		}
	}
	return nil
}

// width is about the most bytes that a cell of the row takes.
func (r *rowBatch) width(row int, sh *shape) int64 {
	if row == r.widthRow {
		return r.widthN
	}
	total := int64(0)
	add := func(f feed) {
		switch f.kind {
		case fromRow:
			total += gather.Bytes(r.batch.Column(f.at), row, row+1)
		case fromComputed:
			total += gather.Bytes(r.batch.Column(r.p.computedAt()+f.at), row, row+1)
		case fromPlace:
			total += 8
		case fromValues:
			total += r.valueWidth(row, f.at, sh)
		}
	}
	for _, f := range r.p.outputs {
		add(f)
	}
	if r.p.filter != nil {
		for _, in := range r.p.filter.inputs {
			add(in.feed)
		}
	}
	for _, x := range r.p.computed {
		total += 8
		for _, in := range x.inputs {
			add(in.feed)
		}
	}
	r.widthRow, r.widthN = row, total
	return total
}

// valueWidth is the most bytes that one value of a variable takes in a row.
func (r *rowBatch) valueWidth(row, v int, sh *shape) int64 {
	c := r.values[v]
	if t, ok := storage(c.items).DataType().(arrow.FixedWidthDataType); ok {
		return int64(t.BitWidth()+7) / 8
	}
	if !sh.vars[v].present || c.lists.IsNull(row) {
		return 8
	}
	widest := int64(0)
	from, to := c.lists.ValueOffsets(row)
	for i := from; i < to; i++ {
		widest = max(widest, gather.Bytes(c.items, int(i), int(i)+1))
	}
	return widest
}

// inputs makes a batch of what an expression reads.
func (r *rowBatch) inputs(inputs []input, pieces []piece, n int64) (arrow.RecordBatch, error) {
	fields := make([]arrow.Field, len(inputs))
	cols := make([]arrow.Array, 0, len(inputs))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, in := range inputs {
		fields[i] = in.field
		c, err := r.column(in.feed, pieces, n)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, n), nil
}

// column makes a column of n cells.
func (r *rowBatch) column(f feed, pieces []piece, n int64) (arrow.Array, error) {
	r.places = r.places[:0]
	for _, p := range pieces {
		switch f.kind {
		case fromRow, fromComputed:
			r.repeat(int64(p.row), p.n)
		case fromValues:
			c, at := r.values[f.at], p.shape.vars[f.at]
			if !at.present || c.lists.IsNull(p.row) {
				r.repeat(gather.Null, p.n)
				continue
			}
			from, _ := c.lists.ValueOffsets(p.row)
			r.places = p.shape.walk(r.places, at.strides, from, p.start, p.n)
		case fromPlace:
			strides, ok := p.shape.stridesOf(f.at)
			if !ok {
				r.repeat(gather.Null, p.n)
				continue
			}
			r.places = p.shape.walk(r.places, strides, 0, p.start, p.n)
		}
	}
	switch f.kind {
	case fromRow:
		return gather.Values(r.batch.Column(f.at), r.places, r.mem)
	case fromComputed:
		return gather.Values(r.batch.Column(r.p.computedAt()+f.at), r.places, r.mem)
	case fromValues:
		return gather.Values(r.values[f.at].items, r.places, r.mem)
	}
	return placeColumn(r.places, r.mem), nil
}

func (r *rowBatch) repeat(place, n int64) {
	for range n {
		r.places = append(r.places, place)
	}
}

// placeColumn gives places as they are.
func placeColumn(places []int64, mem memory.Allocator) arrow.Array {
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.Reserve(len(places))
	for _, p := range places {
		if p == gather.Null {
			b.UnsafeAppendBoolToBitmap(false)
			continue
		}
		b.UnsafeAppend(p)
	}
	return b.NewArray()
}

// cellItems gives values as cells have them: those of a dictionary themselves, NaN as null.
func cellItems(items arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	if d, ok := items.(*array.Dictionary); ok {
		places := make([]int64, d.Len())
		for i := range places {
			places[i] = gather.Null
			if d.IsValid(i) {
				places[i] = int64(d.GetValueIndex(i))
				if places[i] < 0 || places[i] >= int64(d.Dictionary().Len()) {
					return nil, errs.New(errs.ErrCorrupt, "has a value outside of its dictionary")
				}
			}
		}
		plain, err := gather.Values(d.Dictionary(), places, mem)
		if err != nil {
			return nil, err
		}
		defer plain.Release()
		return withoutNaN(plain, mem), nil
	}
	return withoutNaN(items, mem), nil
}

// withoutNaN gives an array with null in place of NaN; it shares the values.
func withoutNaN(a arrow.Array, mem memory.Allocator) arrow.Array {
	isNaN := nanTest(a)
	first := 0
	for isNaN != nil && first < a.Len() && !isNaN(first) {
		first++
	}
	if isNaN == nil || first == a.Len() {
		a.Retain()
		return a
	}
	offset := a.Data().Offset()
	valid := memory.NewResizableBuffer(mem)
	defer valid.Release()
	valid.Resize(int(bitutil.BytesForBits(int64(offset + a.Len()))))
	clear(valid.Bytes())
	nulls := 0
	for i := range a.Len() {
		if a.IsNull(i) || isNaN(i) {
			nulls++
			continue
		}
		bitutil.SetBit(valid.Bytes(), offset+i)
	}
	data := array.NewData(a.DataType(), a.Len(), []*memory.Buffer{valid, a.Data().Buffers()[1]}, nil, nulls, offset)
	defer data.Release()
	return array.MakeFromData(data)
}

// nanTest tells which values are NaN; nil for types that have none.
func nanTest(a arrow.Array) func(int) bool {
	switch a := storage(a).(type) {
	case *array.Float64:
		return func(i int) bool { return math.IsNaN(a.Value(i)) }
	case *array.Float32:
		return func(i int) bool { return a.Value(i) != a.Value(i) } //nolint:gocritic // only NaN differs from itself
	case *array.Float16:
		return func(i int) bool { v := a.Value(i); return v.IsNaN() }
	}
	return nil
}
