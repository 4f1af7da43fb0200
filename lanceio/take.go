package lanceio

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// place is where a row lies: the place of its fragment in the table, and its physical row.
type place struct {
	fragment int
	row      uint64
}

// Take gives rows by their offsets in the table, counted over live rows, in the order asked; an offset may come more than
// once. Columns are as in NewScan. The caller releases the batch.
func (t *Table) Take(ctx context.Context, mem memory.Allocator, offsets []int64, opts ...ScanOption) (arrow.RecordBatch, scan.Metrics, error) {
	tk, err := t.newTaker(mem, opts)
	if err != nil {
		return nil, scan.Metrics{}, err
	}
	places := make([]place, len(offsets))
	for i, off := range offsets {
		if places[i], err = tk.byOffset(ctx, off); err != nil {
			return nil, scan.Metrics{}, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return tk.take(ctx, places)
}

// TakeRows is Take by row ids, as _rowid gives them. An id of no live row is an errs.ErrNotFound.
func (t *Table) TakeRows(ctx context.Context, mem memory.Allocator, ids []uint64, opts ...ScanOption) (arrow.RecordBatch, scan.Metrics, error) {
	tk, err := t.newTaker(mem, opts)
	if err != nil {
		return nil, scan.Metrics{}, err
	}
	places := make([]place, len(ids))
	for i, id := range ids {
		if places[i], err = tk.byID(ctx, id); err != nil {
			return nil, scan.Metrics{}, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return tk.take(ctx, places)
}

// taker finds and reads single rows.
type taker struct {
	t         *Table
	p         *plan
	a         assembler
	c         *counters
	deletions map[int]*table.DeletionVector
	ids       map[int]*table.RowIDSequence
}

func (t *Table) newTaker(mem memory.Allocator, opts []ScanOption) (*taker, error) {
	s, err := t.NewScan(opts...)
	if err != nil {
		return nil, err
	}
	spec := s.p.spec
	if spec.Filter != nil || spec.StatsFilter != nil || spec.Limit >= 0 || spec.Offset > 0 {
		return nil, errs.Invalidf("table %s: rows are taken without filter, limit or offset", t.name)
	}
	return &taker{
		t: t, p: s.p, a: assembler{mem}, c: newCounters(),
		deletions: map[int]*table.DeletionVector{}, ids: map[int]*table.RowIDSequence{},
	}, nil
}

func (k *taker) deleted(ctx context.Context, i int) (*table.DeletionVector, error) {
	v, ok := k.deletions[i]
	if ok {
		return v, nil
	}
	v, err := k.t.deletions(ctx, i, k.c)
	if err == nil {
		k.deletions[i] = v
	}
	return v, err
}

func (k *taker) rowIDs(i int) (*table.RowIDSequence, error) {
	s, ok := k.ids[i]
	if ok {
		return s, nil
	}
	s, err := k.t.m.Fragments[i].RowIDs(k.t.fragments[i].PhysicalRows)
	if err == nil {
		k.ids[i] = s
	}
	return s, err
}

func (k *taker) byOffset(ctx context.Context, off int64) (place, error) {
	rest := off
	for i, f := range k.t.fragments {
		if off < 0 || rest >= int64(f.Rows) {
			rest -= int64(f.Rows)
			continue
		}
		v, err := k.deleted(ctx, i)
		if err != nil {
			return place{}, err
		}
		return place{i, v.Physical(uint64(rest))}, nil
	}
	return place{}, errs.Invalidf("there is no row %d: the table has %d rows", off, k.t.rows)
}

func (k *taker) byID(ctx context.Context, id uint64) (place, error) {
	if k.t.m.StableRowIDs() {
		for i := range k.t.fragments {
			s, err := k.rowIDs(i)
			if err != nil {
				return place{}, err
			}
			// An updated row keeps its id, so that an id may stand in several fragments; one copy is live.
			if row, ok := s.Find(id); ok {
				if p, ok, err := k.alive(ctx, i, row); ok || err != nil {
					return p, err
				}
			}
		}
		return place{}, errs.NotFoundf("there is no row with id %d", id)
	}
	addr := table.RowAddress(id)
	for i, f := range k.t.fragments {
		if f.ID == addr.Fragment() && uint64(addr.Row()) < f.PhysicalRows {
			if p, ok, err := k.alive(ctx, i, uint64(addr.Row())); ok || err != nil {
				return p, err
			}
		}
	}
	return place{}, errs.NotFoundf("there is no row with id %d", id)
}

func (k *taker) alive(ctx context.Context, i int, row uint64) (place, bool, error) {
	v, err := k.deleted(ctx, i)
	if err != nil || v.Deleted(row) {
		return place{}, false, err
	}
	return place{i, row}, true, nil
}

// take reads the rows, each once, and gives them in the order of places.
func (k *taker) take(ctx context.Context, places []place) (arrow.RecordBatch, scan.Metrics, error) {
	sorted := slices.Clone(places)
	slices.SortFunc(sorted, comparePlaces)
	sorted = slices.Compact(sorted)
	perColumn := make([][]arrow.Array, len(k.p.schema.Fields()))
	defer func() {
		for _, arrs := range perColumn {
			releaseAll(arrs)
		}
	}()
	for start := 0; start < len(sorted); {
		end := start
		var sel selection
		for ; end < len(sorted) && sorted[end].fragment == sorted[start].fragment; end++ {
			sel = sel.add(sorted[end].row, sorted[end].row+1)
		}
		cols, err := k.fragment(ctx, sorted[start].fragment, sel)
		if err != nil {
			return nil, k.c.metrics(), fmt.Errorf("table %s: %w", k.t.name, err)
		}
		for i, c := range cols {
			perColumn[i] = append(perColumn[i], c)
		}
		start = end
	}
	batch, err := k.order(perColumn, sorted, places)
	return batch, k.c.metrics(), err
}

func comparePlaces(a, b place) int {
	switch {
	case a.fragment != b.fragment:
		return a.fragment - b.fragment
	case a.row < b.row:
		return -1
	case a.row > b.row:
		return 1
	}
	return 0
}

// fragment reads rows of one fragment.
func (k *taker) fragment(ctx context.Context, i int, sel selection) ([]arrow.Array, error) {
	var cols []arrow.Array
	r := &runner{p: k.p, c: k.c, a: k.a, left: -1}
	f := &fragmentRun{
		runner: r, reader: newFragmentReader(k.t, i, k.c, k.a.mem), have: partSet{},
		computed: step{a: k.a, stage: k.p.computed}, project: step{a: k.a, stage: k.p.project},
	}
	defer f.reader.close()
	if err := f.loadIDs(); err != nil {
		return nil, err
	}
	if err := f.project.open(ctx, f.reader, f.have); err != nil {
		return nil, err
	}
	b := newBlock(sel)
	defer b.release()
	k.c.rows.Add(sel.count())
	k.c.fragments.Add(1)
	cols, err := f.project.run(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, name := range k.p.spec.Special {
		cols = append(cols, f.ids.special(k.a, name, sel))
	}
	return cols, nil
}

// order puts the columns of the sorted rows into the order asked for.
func (k *taker) order(perColumn [][]arrow.Array, sorted, places []place) (arrow.RecordBatch, error) {
	var at selection // in any order, and touching: only for pick
	for _, p := range places {
		i, _ := slices.BinarySearchFunc(sorted, p, comparePlaces)
		at = append(at, encoding.RowRange{Start: uint64(i), End: uint64(i) + 1})
	}
	cols := make([]arrow.Array, len(perColumn))
	defer func() { releaseAll(cols) }()
	for i, arrs := range perColumn {
		if len(arrs) == 0 {
			cols[i] = array.MakeArrayOfNull(k.a.mem, k.p.schema.Field(i).Type, 0)
			continue
		}
		all, err := k.a.concat(arrs)
		if err != nil {
			return nil, err
		}
		cols[i], err = k.a.pick(all, at)
		all.Release()
		if err != nil {
			return nil, err
		}
	}
	return array.NewRecordBatch(k.p.schema, cols, int64(len(places))), nil
}
