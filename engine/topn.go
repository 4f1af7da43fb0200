package engine

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/concat"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/gather"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// topN keeps the best Offset+Limit rows of a scan, in a heap whose root is the worst of them. The rows stay in the
// batches they came in; when the batches held have become much larger than the rows kept, these are gathered into one.
// Rows with equal keys keep the scan's order.
type topN struct {
	scan          scan.Stream
	proj          *Projector
	keys          *Projector // the sort keys, over the scan's batches
	sorts         []expr.SortKey
	mem           memory.Allocator
	limit, offset int64

	held      []heldBatch
	free      []int // positions in held that hold nothing
	rows      []keptRow
	seq       int64
	heldBytes int64
	compactAt int64 // heldBytes at which the kept rows are gathered
	done      bool
}

// heldBatch is a projected batch with its keys; live counts the rows that are kept.
type heldBatch struct {
	batch, keys arrow.RecordBatch
	cmp         []compareFunc
	live        int
	bytes       int64
}

// keptRow is a row of a held batch; seq is its place in the scan.
type keptRow struct {
	batch, row int
	seq        int64
}

// topNMax is the most rows that a top-N keeps in memory; more is a sort, which the planner leaves to DuckDB.
const topNMax = 1 << 20

// topNSlack is what the held batches may take beyond twice the kept rows.
const topNSlack = 16 << 20

func newTopN(p *physical.Plan, proj *Projector, in scan.Stream, mem memory.Allocator) (*topN, error) {
	if p.Limit < 0 || p.Offset < 0 || p.Offset > topNMax-min(p.Limit, topNMax) {
		return nil, fmt.Errorf("a direct top-N of %d rows after %d: %w", p.Limit, p.Offset, errs.ErrInternal)
	}
	outs := make([]physical.Output, len(p.TopN))
	for i, k := range p.TopN {
		outs[i] = physical.Output{Name: fmt.Sprintf("k%d", i), Expr: k.X}
	}
	keys, err := NewProjector(p.Scans[0].Plan.Schema(), outs)
	if err != nil {
		return nil, fmt.Errorf("sort keys: %w", err)
	}
	for i := range outs {
		if t := keys.Schema().Field(i).Type; !sortable(t) {
			return nil, errs.Unsupportedf("sorting by %s of type %s", p.TopN[i].X, t)
		}
	}
	return &topN{scan: in, proj: proj, keys: keys, sorts: p.TopN, mem: mem, limit: p.Limit, offset: p.Offset, compactAt: topNSlack}, nil
}

func (t *topN) want() int64 { return t.limit + t.offset }

func (t *topN) next(ctx context.Context) (arrow.RecordBatch, error) {
	if t.done {
		return nil, io.EOF
	}
	for t.limit > 0 {
		in, err := t.scan.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		err = t.add(in)
		in.Release()
		if err != nil {
			return nil, err
		}
	}
	t.done = true
	slices.SortFunc(t.rows, func(a, b keptRow) int { return t.compare(a, b) })
	if t.offset >= int64(len(t.rows)) {
		return nil, io.EOF
	}
	out, err := t.gather(t.rows[t.offset:], false)
	t.release()
	return out, err
}

// add offers the rows of a scan's batch.
func (t *topN) add(in arrow.RecordBatch) error {
	keys, err := t.keys.Project(t.mem, in)
	if err != nil {
		return err
	}
	batch, err := t.proj.Project(t.mem, in)
	if err != nil {
		keys.Release()
		return err
	}
	at, err := t.hold(batch, keys)
	if err != nil {
		return err
	}
	t.held[at].live++ // held while its rows come and go
	for row := range int(in.NumRows()) {
		r := keptRow{batch: at, row: row, seq: t.seq}
		t.seq++
		if int64(len(t.rows)) < t.want() {
			heap.Push(t, r)
			t.held[at].live++
		} else if t.compare(r, t.rows[0]) < 0 {
			t.drop(t.rows[0].batch)
			t.rows[0] = r
			t.held[at].live++
			heap.Fix(t, 0)
		}
	}
	t.drop(at)
	if t.heldBytes > t.compactAt {
		return t.compact()
	}
	return nil
}

// hold takes both batches over and gives their position in held.
func (t *topN) hold(batch, keys arrow.RecordBatch) (int, error) {
	h := heldBatch{batch: batch, keys: keys, cmp: make([]compareFunc, len(t.sorts))}
	for i := range t.sorts {
		c, err := comparer(keys.Column(i))
		if err != nil {
			batch.Release()
			keys.Release()
			return 0, err
		}
		h.cmp[i] = c
	}
	for _, col := range batch.Columns() {
		h.bytes += gather.Bytes(col, 0, col.Len())
	}
	t.heldBytes += h.bytes
	if n := len(t.free); n > 0 {
		at := t.free[n-1]
		t.free = t.free[:n-1]
		t.held[at] = h
		return at, nil
	}
	t.held = append(t.held, h)
	return len(t.held) - 1, nil
}

// drop tells that a row of a held batch is no longer kept.
func (t *topN) drop(at int) {
	if t.held[at].live--; t.held[at].live == 0 {
		t.let(at)
	}
}

func (t *topN) let(at int) {
	h := t.held[at]
	if h.batch == nil {
		return
	}
	t.heldBytes -= h.bytes
	h.batch.Release()
	h.keys.Release()
	t.held[at] = heldBatch{}
	t.free = append(t.free, at)
}

// compact gathers the kept rows into one batch of their own.
func (t *topN) compact() error {
	slices.SortFunc(t.rows, func(a, b keptRow) int { return int(a.seq - b.seq) })
	batch, err := t.gather(t.rows, false)
	if err != nil {
		return err
	}
	keys, err := t.gather(t.rows, true)
	if err != nil {
		batch.Release()
		return err
	}
	rows := t.rows
	t.release()
	at, err := t.hold(batch, keys)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].batch, rows[i].row = at, i
	}
	t.rows, t.held[at].live = rows, len(rows)
	t.compactAt = 2*t.heldBytes + topNSlack
	heap.Init(t)
	return nil
}

// gather copies rows, in their order, into one batch: of the keys, or of the result's columns.
func (t *topN) gather(rows []keptRow, keys bool) (arrow.RecordBatch, error) {
	schema := t.proj.Schema()
	if keys {
		schema = t.keys.Schema()
	}
	cols := make([]arrow.Array, 0, schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range schema.NumFields() {
		col, err := t.gatherColumn(rows, i, keys)
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return array.NewRecordBatch(schema, cols, int64(len(rows))), nil
}

// gatherColumn concatenates the runs of rows that follow one another in one batch.
func (t *topN) gatherColumn(rows []keptRow, col int, keys bool) (arrow.Array, error) {
	var parts []arrow.Array
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	for i := 0; i < len(rows); {
		j := i + 1
		for j < len(rows) && rows[j].batch == rows[i].batch && rows[j].row == rows[i].row+(j-i) {
			j++
		}
		src := t.held[rows[i].batch].batch
		if keys {
			src = t.held[rows[i].batch].keys
		}
		parts = append(parts, array.NewSlice(src.Column(col), int64(rows[i].row), int64(rows[i].row+j-i)))
		i = j
	}
	out, err := concat.Arrays(parts, t.mem)
	if err != nil {
		return nil, fmt.Errorf("gather sorted rows: %w", err)
	}
	return out, nil
}

// release lets go of all batches.
func (t *topN) release() {
	for at := range t.held {
		t.let(at)
	}
	t.held, t.free, t.rows = nil, nil, nil
}

// compare orders two kept rows; ties go by the scan's order.
func (t *topN) compare(a, b keptRow) int {
	ha, hb := &t.held[a.batch], &t.held[b.batch]
	for i, k := range t.sorts {
		ka, kb := ha.keys.Column(i), hb.keys.Column(i)
		na, nb := isNull(ka, a.row), isNull(kb, b.row)
		if na || nb {
			if na && nb {
				continue
			}
			if na == k.NullsFirst {
				return -1
			}
			return 1
		}
		if c := ha.cmp[i](a.row, kb, b.row); c != 0 {
			if k.Desc {
				return -c
			}
			return c
		}
	}
	switch {
	case a.seq < b.seq:
		return -1
	case a.seq > b.seq:
		return 1
	}
	return 0
}

// The heap.Interface; the worst row is the root.

func (t *topN) Len() int           { return len(t.rows) }
func (t *topN) Less(i, j int) bool { return t.compare(t.rows[i], t.rows[j]) > 0 }
func (t *topN) Swap(i, j int)      { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] }
func (t *topN) Push(x any)         { t.rows = append(t.rows, x.(keptRow)) }

// Pop is part of heap.Interface; nothing pops.
func (t *topN) Pop() any {
	last := t.rows[len(t.rows)-1]
	t.rows = t.rows[:len(t.rows)-1]
	return last
}
