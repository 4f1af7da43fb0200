package lanceio

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"

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
	defer tk.mem.close()
	places, err := tk.byOffset(ctx, offsets)
	if err != nil {
		return nil, scan.Metrics{}, fmt.Errorf("table %s: %w", t.name, err)
	}
	return tk.take(ctx, places)
}

// TakeRows is Take by row ids, as _rowid gives them. An id of no live row is an errs.ErrNotFound.
func (t *Table) TakeRows(ctx context.Context, mem memory.Allocator, ids []uint64, opts ...ScanOption) (arrow.RecordBatch, scan.Metrics, error) {
	tk, err := t.newTaker(mem, opts)
	if err != nil {
		return nil, scan.Metrics{}, err
	}
	defer tk.mem.close()
	places, err := tk.byID(ctx, ids)
	if err != nil {
		return nil, scan.Metrics{}, fmt.Errorf("table %s: %w", t.name, err)
	}
	return tk.take(ctx, places)
}

// taker finds and reads single rows. What it wants of several fragments it asks for side by side, where requests wait for
// the store.
type taker struct {
	t   *Table
	p   *plan
	a   assembler
	mem *recycler
	c   *counters

	mu        sync.Mutex
	deletions map[int]*deletionsOnce // by the fragment's place
}

// deletionsOnce are the deleted rows of a fragment, once they were read.
type deletionsOnce struct {
	once sync.Once
	v    *table.DeletionVector
	err  error
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
	recycled := newRecycler(mem, scanBytes/3*2)
	return &taker{
		t: t, p: s.p, a: assembler{recycled}, mem: recycled, c: newCounters(),
		deletions: map[int]*deletionsOnce{},
	}, nil
}

func (k *taker) deleted(ctx context.Context, i int) (*table.DeletionVector, error) {
	k.mu.Lock()
	d := k.deletions[i]
	if d == nil {
		d = new(deletionsOnce)
		k.deletions[i] = d
	}
	k.mu.Unlock()
	d.once.Do(func() { d.v, d.err = k.t.deletions(ctx, i, k.c) })
	return d.v, d.err
}

// eachOf calls do with each of n, several at once where requests wait for the store.
func (k *taker) eachOf(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return sideBySide(ctx, n, k.t.parallel(), func(ctx context.Context, i int) (err error) {
		defer errs.Contain(&err)
		return do(ctx, i)
	})
}

func (k *taker) byOffset(ctx context.Context, offsets []int64) ([]place, error) {
	ends := make([]int64, len(k.t.fragments)) // offsets behind each fragment
	var rows int64
	for i, f := range k.t.fragments {
		rows += int64(f.Rows)
		ends[i] = rows
	}
	places := make([]place, len(offsets))
	var fragments []int
	for i, off := range offsets {
		if off < 0 || off >= rows {
			return nil, errs.Invalidf("there is no row %d: the table has %d rows", off, rows)
		}
		places[i].fragment = sort.Search(len(ends), func(n int) bool { return ends[n] > off })
		fragments = append(fragments, places[i].fragment)
	}
	slices.Sort(fragments)
	fragments = slices.Compact(fragments)
	err := k.eachOf(ctx, len(fragments), func(ctx context.Context, i int) error {
		_, err := k.deleted(ctx, fragments[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, off := range offsets {
		n := places[i].fragment
		places[i].row = k.deletions[n].v.Physical(uint64(off - ends[n] + int64(k.t.fragments[n].Rows)))
	}
	return places, nil
}

func (k *taker) byID(ctx context.Context, ids []uint64) ([]place, error) {
	runs := make(spans, len(ids))
	for i, id := range ids {
		runs[i] = table.Span{First: id, Last: id}
	}
	set := &rowSet{ids: union(runs), addresses: allNumbers(), fragments: allNumbers()}
	if !k.t.m.StableRowIDs() {
		set.ids, set.addresses = set.addresses, set.ids
	}
	each := make([]map[uint64]place, len(k.t.fragments))
	err := k.eachOf(ctx, len(each), func(ctx context.Context, i int) (err error) {
		each[i], err = k.find(ctx, i, set)
		return err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[uint64]place, len(ids))
	for _, some := range each {
		maps.Copy(found, some)
	}
	places := make([]place, len(ids))
	for i, id := range ids {
		p, ok := found[id]
		if !ok {
			return nil, errs.NotFoundf("there is no row with id %d", id)
		}
		places[i] = p
	}
	return places, nil
}

// find gives where the live rows of a set lie that are in a fragment. An updated row keeps its id, so that an id may stand
// in several fragments; one copy is live.
func (k *taker) find(ctx context.Context, i int, set *rowSet) (map[uint64]place, error) {
	r := newFragmentReader(k.t, i, k.c, k.a.mem)
	defer r.close()
	sel, err := set.of(ctx, r)
	if err != nil || len(sel) == 0 {
		return nil, err
	}
	v, err := k.deleted(ctx, i)
	if err != nil {
		return nil, err
	}
	ids, err := r.rowIDs(ctx)
	if err != nil {
		return nil, err
	}
	found := map[uint64]place{}
	for _, rg := range sel {
		for start, end := range v.Live(rg.Start, rg.End) {
			for row := start; row < end; row++ {
				found[ids.at(row)] = place{i, row}
			}
		}
	}
	return found, nil
}

// take reads the rows, each once, and gives them in the order of places.
func (k *taker) take(ctx context.Context, places []place) (arrow.RecordBatch, scan.Metrics, error) {
	sorted := slices.Clone(places)
	slices.SortFunc(sorted, comparePlaces)
	sorted = slices.Compact(sorted)
	var parts []takenPart
	for start := 0; start < len(sorted); {
		p := takenPart{fragment: sorted[start].fragment}
		for ; start < len(sorted) && sorted[start].fragment == p.fragment; start++ {
			p.rows = p.rows.add(sorted[start].row, sorted[start].row+1)
		}
		parts = append(parts, p)
	}
	defer func() {
		for _, p := range parts {
			releaseAll(p.columns)
		}
	}()
	err := k.eachOf(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		parts[i].columns, err = k.fragment(ctx, parts[i].fragment, parts[i].rows)
		return err
	})
	if err != nil {
		return nil, k.c.metrics(), fmt.Errorf("table %s: %w", k.t.name, err)
	}
	perColumn := make([][]arrow.Array, len(k.p.schema.Fields()))
	for _, p := range parts {
		for i, c := range p.columns {
			perColumn[i] = append(perColumn[i], c)
		}
	}
	batch, err := k.order(perColumn, sorted, places)
	return batch, k.c.metrics(), err
}

// takenPart is the rows that are taken of one fragment.
type takenPart struct {
	fragment int
	rows     selection
	columns  []arrow.Array
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
	if err := f.loadIDs(ctx); err != nil {
		return nil, err
	}
	if err := f.project.open(ctx, 0, f.reader, f.have); err != nil {
		return nil, err
	}
	b := newBlock(sel)
	defer b.release()
	k.c.rows.Add(sel.count())
	k.c.fragments.Add(1)
	cols, err := f.project.run(ctx, 0, b)
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
