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
func runStep(ctx context.Context, s *step, lane int, b *block) ([]arrow.Array, error) {
	cols, err := s.run(ctx, lane, b)
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
	lanes       int   // windows of a step that are worked on at once
	skip        int64 // rows that pass yet to be skipped
	left        int64 // rows yet to be given, negative for all
	aheadBytes  int64 // what may be in flight where fragments are read side by side

	indices *indexLookup
	shared  *sharedFragment // nil where fragments are read one after the other
	// widths are what the last fragment taught of the windows of each step; nil where fragments are read side by side.
	widths *[stages]width
}

// stages is how many steps there are at most.
const stages = 4

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
	if r.widths != nil {
		for i, s := range []*step{&f.stats, &f.filter, &f.computed, &f.project} {
			s.width = r.widths[i]
			defer func() { r.widths[i] = s.width.after(s.window) }()
		}
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
		err = f.passing(ctx, &f.stats, f.p.spec.StatsFilter, f.p.statsSpecial, newBlock(live), f.filterBlock)
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

// passing gives to use the blocks of the rows of b at which a predicate is true, window by window. It takes b over, as use
// does what it is given.
func (f *fragmentRun) passing(ctx context.Context, s *step, pred expr.Expr, special []string, b *block, use func(context.Context, *block) error) error {
	return lanes[tested]{
		f: f, steps: []*step{s}, left: -1,
		do: func(ctx context.Context, lane int, b *block) (tested, error) {
			return f.test(ctx, s, lane, pred, special, b)
		},
		use: func(ctx context.Context, t tested) error {
			s.window.saw(t.rows, t.bytes)
			return use(ctx, t.pass)
		},
		drop: func(t tested) { t.pass.release() },
	}.run(ctx, b)
}

// tested is the rows of a window that pass; rows and bytes are what was tested.
type tested struct {
	pass        *block
	rows, bytes int64
}

// test gives the rows of a block at which a predicate is true. It takes b over.
func (f *fragmentRun) test(ctx context.Context, s *step, lane int, pred expr.Expr, special []string, b *block) (tested, error) {
	defer b.release()
	cols, err := runStep(ctx, s, lane, b)
	if err != nil {
		return tested{}, err
	}
	env := f.env(s, lane, cols, special, b.sel)
	defer env.release()
	t := tested{rows: b.sel.count(), bytes: env.bytes()}
	s.learn.add(env, env.rows)
	pass, err := env.mask(pred)
	if err != nil {
		return tested{}, err
	}
	b.drop(s.stage.later)
	t.pass, err = b.pick(f.a, b.sel.keep(pass))
	return t, err
}

// filterBlock tests the rows of a block by the exact filter and gathers those that pass. It takes the block over.
func (f *fragmentRun) filterBlock(ctx context.Context, b *block) error {
	if f.p.spec.Filter == nil {
		if f.p.spec.StatsFilter == nil {
			return f.project1(ctx, b)
		}
		return f.gather(ctx, b)
	}
	return f.passing(ctx, &f.filter, f.p.spec.Filter, f.p.filterSpecial, b, f.gather)
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
	err := lanes[given]{
		f: f, steps: []*step{&f.project, &f.computed}, left: f.left,
		do:   f.give,
		use:  f.sendWindow,
		drop: func(g given) { releaseAll(g.cols) },
	}.run(ctx, b)
	if err == nil && f.left == 0 {
		return errEnough
	}
	return err
}

// given is the columns of a window, as they are in the answer.
type given struct {
	cols []arrow.Array
	rows int64
}

// give makes the columns of a block. It takes the block over.
func (f *fragmentRun) give(ctx context.Context, lane int, b *block) (given, error) {
	defer b.release()
	extra, err := f.compute(ctx, lane, b)
	if err != nil {
		return given{}, err
	}
	cols, err := runStep(ctx, &f.project, lane, b)
	if err != nil {
		releaseAll(extra)
		return given{}, err
	}
	for _, name := range f.p.spec.Special {
		cols = append(cols, f.ids.special(f.a, name, b.sel))
	}
	return given{append(cols, extra...), b.sel.count()}, nil
}

// sendWindow sends the columns of a window and counts its rows.
func (f *fragmentRun) sendWindow(ctx context.Context, g given) error {
	defer releaseAll(g.cols)
	if !f.counted && f.p.hasOutput() {
		f.counted = true
		f.c.fragments.Add(1)
	}
	if !f.filtered() {
		f.c.rows.Add(g.rows)
	}
	if f.left >= 0 {
		f.left -= g.rows
	}
	return f.send(ctx, g.cols, int(g.rows))
}

// compute gives the computed columns of a block.
func (f *fragmentRun) compute(ctx context.Context, lane int, b *block) ([]arrow.Array, error) {
	if len(f.p.spec.Computed) == 0 {
		return nil, nil
	}
	cols, err := runStep(ctx, &f.computed, lane, b)
	if err != nil {
		return nil, err
	}
	env := f.env(&f.computed, lane, cols, f.p.computedSpecial, b.sel)
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

// send cuts the columns of a window into batches and gives them. All are cut before the first is given: they share what
// lies within lists and structs, and to make an array of Arrow's null type writes into that.
func (f *fragmentRun) send(ctx context.Context, cols []arrow.Array, n int) error {
	most := batchRows
	if f.p.spec.BatchRows > 0 {
		most = f.p.spec.BatchRows
	}
	var total int64
	var cut []queued
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
		cut = append(cut, queued{batch, bytes})
		i = end
	}
	for i, c := range cut {
		if err := f.emit(ctx, c.batch, c.bytes); err != nil {
			for _, left := range cut[i+1:] {
				left.batch.Release()
			}
			return err
		}
	}
	f.project.window.saw(int64(n), total)
	return nil
}

// env is what expressions see of a block's rows. It takes cols over.
func (f *fragmentRun) env(s *step, lane int, cols []arrow.Array, special []string, sel selection) *env {
	e := &env{f: f.reader, rows: int(sel.count()), mem: f.a.mem, columns: map[string]arrow.Array{}}
	for i, c := range s.lanes[lane] {
		e.columns[c.node.name] = cols[i]
	}
	for _, name := range special {
		e.columns[name] = f.ids.special(f.a, name, sel)
	}
	return e
}
