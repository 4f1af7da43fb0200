package lanceio

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

const (
	// batchBytes is what a batch is cut to, batchRows the most rows of one where the caller sets no bound.
	batchBytes = 1 << 20
	batchRows  = 64 << 10
	// pendingRows bounds what is gathered from filter windows that few rows pass, as half a window's bytes does, before
	// the projected columns of these rows are read at once.
	pendingRows = 64 << 10
)

// errEnough ends a scan whose limit is reached.
var errEnough = errors.New("limit reached")

// errTooWide tells that a window of several rows did not fit an array: pages hold more than their size on disk lets one
// guess. The rows are read again by smaller windows.
var errTooWide = errors.New("window too wide")

// runStep runs a step on a window of its own.
func runStep(ctx context.Context, s *step, b *block) ([]arrow.Array, error) {
	cols, err := s.run(ctx, b)
	if err != nil && errors.Is(err, errs.ErrResourceExhausted) && b.sel.count() > 1 {
		return nil, fmt.Errorf("%w: %w", errTooWide, err)
	}
	return cols, err
}

// runner runs a plan: fragment by fragment, window by window, step by step.
type runner struct {
	p           *plan
	c           *counters
	a           assembler
	emit        func(ctx context.Context, b arrow.RecordBatch, bytes int64) error
	tick        func(ctx context.Context) error // called now and then while no batch comes
	windowBytes int64
	skip        int64 // rows that pass yet to be skipped
	left        int64 // rows yet to be given, negative for all
	aheadBytes  int64 // what may be in flight where fragments are read side by side

	indices *indexLookup
	shared  *sharedFragment // nil where fragments are read one after the other
}

func (r *runner) run(ctx context.Context) error {
	if r.p.never || r.left == 0 {
		return nil
	}
	if r.p.t.parallel() > 1 && !r.p.readsNothing() {
		return r.ahead(ctx)
	}
	for i := range r.p.t.fragments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.fragment(ctx, i); err != nil {
			return err
		}
		if err := r.tick(ctx); err != nil {
			return err
		}
	}
	return nil
}

// filtered tells whether rows are tested.
func (r *runner) filtered() bool { return r.p.spec.StatsFilter != nil || r.p.spec.Filter != nil }

func (r *runner) fragment(ctx context.Context, i int) error {
	info := r.p.t.fragments[i]
	if !r.filtered() && r.skip >= int64(info.Rows) {
		r.skip -= int64(info.Rows)
		r.c.rows.Add(int64(info.Rows))
		return nil
	}
	if r.p.readsNothing() {
		return r.countOnly(ctx, int64(info.Rows))
	}
	return r.part(ctx, i, rowsOf(0, info.PhysicalRows))
}

// part scans some rows of a fragment.
func (r *runner) part(ctx context.Context, i int, part selection) error {
	reader := newFragmentReader(r.p.t, i, r.c, r.a.mem)
	defer reader.close()
	rows, err := r.p.rows.of(ctx, reader)
	rows = rows.intersect(part)
	if err != nil || r.p.t.fragments[i].Rows == 0 || len(rows) == 0 || r.filtered() && r.p.skips(ctx, i) {
		return err
	}
	if rows, err = r.indices.of(ctx, r, i, rows); err != nil || len(rows) == 0 {
		return err
	}
	f := &fragmentRun{
		runner: r, reader: reader, have: partSet{},
		stats:    r.step(r.p.stats),
		filter:   r.step(r.p.filter),
		computed: r.step(r.p.computed),
		project:  r.step(r.p.project),
	}
	if rows.count() == part.count() { // only who sees all rows learns something
		l := f.learners(i)
		f.stats.learn, f.filter.learn = l.stats, l.filter
	}
	return f.run(ctx, i, rows)
}

func (r *runner) step(s stage) step {
	return step{a: r.a, stage: s, bytes: r.windowBytes, beside: r.p.t.columnsBeside()}
}

// countOnly gives batches without columns.
func (r *runner) countOnly(ctx context.Context, rows int64) error {
	r.c.rows.Add(rows)
	rows -= r.skip
	r.skip = 0
	if r.left >= 0 {
		rows = min(rows, r.left)
		r.left -= rows
	}
	for rows > 0 {
		n := rows
		if r.p.spec.BatchRows > 0 {
			n = min(n, int64(r.p.spec.BatchRows))
		}
		rows -= n
		if err := r.emit(ctx, array.NewRecordBatch(r.p.schema, nil, n), 0); err != nil {
			return err
		}
	}
	if r.left == 0 {
		return errEnough
	}
	return nil
}

// fragmentRun is the scan of one fragment.
type fragmentRun struct {
	*runner
	reader                           *fragmentReader
	ids                              rowIDs
	have                             partSet // what was read of structs
	stats, filter, computed, project step
	pending                          []*block
	pendingRows                      int64
	pendingBytes                     int64
	counted                          bool // as a fragment read
}

// run scans the rows of the fragment at a place that are not deleted.
func (f *fragmentRun) run(ctx context.Context, i int, rows selection) (err error) {
	defer func() {
		for _, b := range f.pending {
			b.release()
		}
	}()
	live, err := f.live(ctx, i, rows)
	if err != nil {
		return err
	}
	if err := f.loadIDs(ctx); err != nil {
		return err
	}
	if f.p.spec.StatsFilter == nil {
		err = f.filterBlock(ctx, newBlock(live))
	} else {
		err = f.windows(ctx, &f.stats, newBlock(live), func(ctx context.Context, b *block) error {
			pass, err := f.test(ctx, &f.stats, f.p.spec.StatsFilter, f.p.statsSpecial, b)
			if err != nil {
				return err
			}
			return f.filterBlock(ctx, pass)
		})
	}
	if err != nil {
		return err
	}
	f.stats.learn.finish(f.reader, i)
	f.filter.learn.finish(f.reader, i)
	return f.flush(ctx)
}

// deleted reads the deleted rows of the fragment.
func (f *fragmentRun) deleted(ctx context.Context, i int) (*table.DeletionVector, error) {
	if f.shared == nil {
		return f.p.t.deletions(ctx, i, f.c)
	}
	err := f.prepare(ctx, i, f.reader)
	return f.shared.deleted, err
}

// live gives those of rows that are not deleted.
func (f *fragmentRun) live(ctx context.Context, i int, rows selection) (selection, error) {
	v, err := f.deleted(ctx, i)
	if err != nil {
		return nil, err
	}
	var live selection
	for _, r := range rows {
		for start, end := range v.Live(r.Start, r.End) {
			live = live.add(start, end)
		}
	}
	return live, nil
}

// loadIDs reads what steps need of row ids and versions.
func (f *fragmentRun) loadIDs(ctx context.Context) error {
	f.ids = rowIDs{fragment: f.reader.f.ID}
	var wanted []string
	for _, names := range [][]string{f.p.spec.Special, f.p.statsSpecial, f.p.filterSpecial, f.p.computedSpecial} {
		wanted = append(wanted, names...)
	}
	var err error
	if slices.Contains(wanted, scan.RowID) {
		if f.ids, err = f.reader.rowIDs(ctx); err != nil {
			return err
		}
	}
	if slices.Contains(wanted, scan.RowCreated) {
		if f.ids.created, err = f.reader.versions(ctx, table.HiddenCreatedAt); err != nil {
			return err
		}
	}
	if slices.Contains(wanted, scan.RowUpdated) {
		f.ids.updated, err = f.reader.versions(ctx, table.HiddenUpdatedAt)
	}
	return err
}

// windows cuts a block into windows of a step and hands them to do, which takes them over. It takes the block over.
func (f *fragmentRun) windows(ctx context.Context, s *step, b *block, do func(context.Context, *block) error) error {
	defer b.release()
	if len(b.sel) == 0 {
		return nil
	}
	if err := s.open(ctx, f.reader, f.have); err != nil {
		return err
	}
	for rest := (cursor{s: b.sel}); !rest.done(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		win, behind := s.window.take(rest, -1)
		part, err := b.pick(f.a, win)
		if err != nil {
			return err
		}
		if err := f.tick(ctx); err != nil {
			part.release()
			return err
		}
		switch err := do(ctx, part); {
		case errors.Is(err, errTooWide):
			s.window.rows = win.count() / 2
		case err != nil:
			return err
		default:
			rest = behind
		}
	}
	return nil
}

// test gives the block of the rows at which a predicate is true. It takes b over.
func (f *fragmentRun) test(ctx context.Context, s *step, pred expr.Expr, special []string, b *block) (*block, error) {
	defer b.release()
	cols, err := runStep(ctx, s, b)
	if err != nil {
		return nil, err
	}
	env := f.env(s, cols, special, b.sel)
	defer env.release()
	s.window.saw(b.sel.count(), env.bytes())
	s.learn.add(env, env.rows)
	pass, err := env.mask(pred)
	if err != nil {
		return nil, err
	}
	b.drop(s.stage.later)
	return b.pick(f.a, b.sel.keep(pass))
}

// filterBlock tests the rows of a block by the exact filter and gathers those that pass. It takes the block over.
func (f *fragmentRun) filterBlock(ctx context.Context, b *block) error {
	if f.p.spec.Filter == nil {
		if f.p.spec.StatsFilter == nil {
			return f.project1(ctx, b)
		}
		return f.gather(ctx, b)
	}
	return f.windows(ctx, &f.filter, b, func(ctx context.Context, b *block) error {
		pass, err := f.test(ctx, &f.filter, f.p.spec.Filter, f.p.filterSpecial, b)
		if err != nil {
			return err
		}
		return f.gather(ctx, pass)
	})
}

// gather counts the rows that passed all filters, drops those of the offset, and keeps the others until there are enough.
// It takes the block over.
func (f *fragmentRun) gather(ctx context.Context, b *block) error {
	n := b.sel.count()
	f.c.rows.Add(n)
	if f.skip > 0 {
		drop := min(f.skip, n)
		f.skip -= drop
		_, rest := b.sel.split(drop)
		kept, err := b.pick(f.a, rest)
		b.release()
		if err != nil {
			return err
		}
		b, n = kept, n-drop
	}
	if n == 0 {
		b.release()
		return nil
	}
	f.pending = append(f.pending, b)
	f.pendingRows += n
	f.pendingBytes += b.bytes()
	if f.pendingRows >= pendingRows || f.pendingBytes >= f.windowBytes/2 || f.left >= 0 && f.pendingRows >= f.left {
		return f.flush(ctx)
	}
	return nil
}

// flush gives the rows that were gathered.
func (f *fragmentRun) flush(ctx context.Context) error {
	if len(f.pending) == 0 {
		return nil
	}
	blocks := f.pending
	f.pending, f.pendingRows, f.pendingBytes = nil, 0, 0
	blocks, err := joinBlocks(f.a, blocks)
	if err != nil {
		return err
	}
	for i, b := range blocks {
		if err := f.giveWindows(ctx, b); err != nil {
			for _, left := range blocks[i+1:] {
				left.release()
			}
			return err
		}
	}
	return nil
}

// project1 gives the rows of a fragment that is not filtered. It takes the block over.
func (f *fragmentRun) project1(ctx context.Context, b *block) error {
	if f.skip > 0 {
		_, rest := b.sel.split(f.skip)
		f.c.rows.Add(f.skip)
		b.sel, f.skip = rest, 0
	}
	return f.giveWindows(ctx, b)
}

// giveWindows reads the projected columns of a block window by window and sends them. It takes the block over.
func (f *fragmentRun) giveWindows(ctx context.Context, b *block) error {
	defer b.release()
	if err := f.computed.open(ctx, f.reader, f.have); err != nil {
		return err
	}
	if err := f.project.open(ctx, f.reader, f.have); err != nil {
		return err
	}
	for rest := (cursor{s: b.sel}); !rest.done(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		win, behind := f.project.window.take(rest, f.left)
		part, err := b.pick(f.a, win)
		if err != nil {
			return err
		}
		switch err := f.give(ctx, part); {
		case errors.Is(err, errTooWide):
			f.project.window.rows = win.count() / 2
			continue
		case err != nil:
			return err
		}
		rest = behind
		if f.left == 0 {
			return errEnough
		}
	}
	return nil
}

// give sends the rows of a block. It takes the block over.
func (f *fragmentRun) give(ctx context.Context, b *block) error {
	defer b.release()
	n := b.sel.count()
	if !f.counted && f.p.hasOutput() {
		f.counted = true
		f.c.fragments.Add(1)
	}
	extra, err := f.compute(ctx, b)
	if err != nil {
		return err
	}
	defer func() { releaseAll(extra) }()
	cols, err := runStep(ctx, &f.project, b)
	if err != nil {
		return err
	}
	if !f.filtered() {
		f.c.rows.Add(n)
	}
	for _, name := range f.p.spec.Special {
		cols = append(cols, f.ids.special(f.a, name, b.sel))
	}
	cols = append(cols, extra...)
	extra = nil
	defer releaseAll(cols)
	if f.left >= 0 {
		f.left -= n
	}
	return f.send(ctx, cols, int(n))
}

// compute gives the computed columns of a block.
func (f *fragmentRun) compute(ctx context.Context, b *block) ([]arrow.Array, error) {
	if len(f.p.spec.Computed) == 0 {
		return nil, nil
	}
	cols, err := runStep(ctx, &f.computed, b)
	if err != nil {
		return nil, err
	}
	env := f.env(&f.computed, cols, f.p.computedSpecial, b.sel)
	defer env.release()
	var out []arrow.Array
	for _, c := range f.p.spec.Computed {
		arr, err := env.value(c.Expr)
		if err != nil {
			releaseAll(out)
			return nil, err
		}
		out = append(out, arr)
	}
	return out, nil
}

// send cuts the columns of a window into batches.
func (f *fragmentRun) send(ctx context.Context, cols []arrow.Array, n int) error {
	most := batchRows
	if f.p.spec.BatchRows > 0 {
		most = f.p.spec.BatchRows
	}
	var total int64
	for i := 0; i < n; {
		end := fitRows(cols, i, min(n, i+most), batchBytes)
		part := make([]arrow.Array, len(cols))
		var bytes int64
		for k, c := range cols {
			part[k] = array.NewSlice(c, int64(i), int64(end))
			bytes += sizeOf(c, i, end)
		}
		batch := array.NewRecordBatch(f.p.schema, part, int64(end-i))
		releaseAll(part)
		total += bytes
		if err := f.emit(ctx, batch, bytes); err != nil {
			return err
		}
		i = end
	}
	f.project.window.saw(int64(n), total)
	return nil
}

// env is what expressions see of a block's rows. It takes cols over.
func (f *fragmentRun) env(s *step, cols []arrow.Array, special []string, sel selection) *env {
	e := &env{f: f.reader, rows: int(sel.count()), mem: f.a.mem, columns: map[string]arrow.Array{}}
	for i, c := range s.columns {
		e.columns[c.node.name] = cols[i]
	}
	for _, name := range special {
		e.columns[name] = f.ids.special(f.a, name, sel)
	}
	return e
}
