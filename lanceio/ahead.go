package lanceio

import (
	"context"
	"errors"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	// unitBytes is about how much of a fragment one leg reads, where requests wait long for their answers.
	unitBytes = 4 << 20
	// heldBytes is what each leg may hold of its answer before its turn, even where it was expected to be smaller.
	heldBytes = 1 << 20
	// maxColumnsBeside bounds the columns of a step that wait for the store at once.
	maxColumnsBeside = 32
)

// unit is a part of a fragment that is read for itself.
type unit struct {
	fragment   int
	rows       selection
	skip, left int64 // as the runner's, where no rows are tested
	weight     int64 // about how many bytes it takes
	shared     *sharedFragment
}

// sharedFragment is what the units of one fragment use together.
type sharedFragment struct {
	once    sync.Once
	deleted *table.DeletionVector
	err     error

	learn    sync.Once
	learners learners
}

// parallel is how many units of a scan are read at once: one where the table's store is as near as a disk.
func (t *Table) parallel() int { return objstore.Parallel(t.store) }

// columnsBeside is how many columns are read at once so that the store is not waited for.
func (t *Table) columnsBeside() int { return min(t.parallel(), maxColumnsBeside) }

// ahead reads a scan's units side by side, as many as may wait for a store and as the bytes in flight allow. Their
// batches go out in the order of the rows: a leg that is ahead of its turn holds a few back, and waits then.
func (r *runner) ahead(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	a := &aheadRun{r: r, leg: *r, cancel: cancel, bytes: semaphore.NewWeighted(r.aheadBytes), most: r.p.t.parallel()}
	defer a.wg.Wait()
	defer cancel()
	// A scan that may end early begins with one leg, and has twice as many with each that did not end it.
	a.places = make(chan struct{}, a.most)
	start := a.most
	if r.filtered() && r.left >= 0 {
		start = 1
	}
	for range start {
		a.places <- struct{}{}
	}
	a.made = start
	turn := make(chan struct{})
	close(turn)
	for _, u := range r.units() {
		u.weight = min(u.weight, r.aheadBytes)
		if !a.admit(ctx, u.weight) {
			break
		}
		l := &leg{a: a, unit: u, turn: turn, next: make(chan struct{})}
		turn = l.next
		a.wg.Go(func() { l.run(ctx) })
	}
	select {
	case <-turn: // the last leg has had its turn
	case <-ctx.Done():
	}
	cancel()
	a.wg.Wait()
	if a.err == nil {
		select {
		case <-turn:
		default:
			return ctx.Err()
		}
	}
	return a.err
}

// aheadRun is a scan whose units are read side by side.
type aheadRun struct {
	r      *runner // gives the batches
	leg    runner  // what each leg begins as
	cancel context.CancelFunc
	bytes  *semaphore.Weighted
	places chan struct{}
	most   int
	made   int // places that there are; it is the leg's whose turn it is
	wg     sync.WaitGroup
	err    error // of the leg whose turn it was
}

// admit waits until another leg may begin. Legs begin in the order of their turns, so that the one whose turn it is never
// waits for others.
func (a *aheadRun) admit(ctx context.Context, weight int64) bool {
	select {
	case <-a.places:
	case <-ctx.Done():
		return false
	}
	return a.bytes.Acquire(ctx, weight) == nil
}

// leave gives back what a leg took.
func (a *aheadRun) leave(weight int64) {
	a.bytes.Release(weight)
	a.places <- struct{}{}
	if a.made < a.most {
		a.made++
		a.places <- struct{}{}
	}
}

// leg reads one unit. Until its turn has come it holds back what it has read.
type leg struct {
	a     *aheadRun
	unit  unit
	turn  <-chan struct{} // closed when all before it has been given
	next  chan struct{}
	held  []queued
	bytes int64 // of held
	// enough tells that the scan has given all rows that are wanted.
	enough bool
}

func (l *leg) run(ctx context.Context) {
	defer l.drop()
	err := l.read(ctx)
	select {
	case <-l.turn:
	case <-ctx.Done():
		return
	}
	if ferr := l.flush(ctx); err == nil {
		err = ferr
	}
	if err != nil {
		l.a.err = err
		l.a.cancel()
		return
	}
	l.a.leave(l.unit.weight)
	close(l.next)
}

// read runs the unit.
func (l *leg) read(ctx context.Context) (err error) {
	defer errs.Contain(&err)
	r := l.a.leg
	r.emit, r.tick, r.shared, r.widths = l.emit, l.tick, l.unit.shared, nil
	r.skip, r.left = l.unit.skip, l.unit.left
	err = r.part(ctx, l.unit.fragment, l.unit.rows)
	if errors.Is(err, errEnough) && !l.enough {
		return nil // it has given all rows that were wanted of it
	}
	return err
}

// myTurn tells whether all before the leg has been given.
func (l *leg) myTurn() bool {
	select {
	case <-l.turn:
		return true
	default:
		return false
	}
}

func (l *leg) tick(ctx context.Context) error {
	if l.myTurn() {
		return l.a.r.tick(ctx)
	}
	return nil
}

// emit gives a batch away, also when it fails.
func (l *leg) emit(ctx context.Context, b arrow.RecordBatch, bytes int64) error {
	if !l.myTurn() {
		if l.bytes+bytes <= max(l.unit.weight, heldBytes) {
			l.held, l.bytes = append(l.held, queued{b, bytes}), l.bytes+bytes
			return nil
		}
		select {
		case <-l.turn:
		case <-ctx.Done():
			b.Release()
			return ctx.Err()
		}
	}
	if err := l.flush(ctx); err != nil {
		b.Release()
		return err
	}
	err := l.a.r.give(ctx, b, bytes)
	l.enough = errors.Is(err, errEnough)
	return err
}

// flush gives what was held back; it is the leg's turn.
func (l *leg) flush(ctx context.Context) error {
	for len(l.held) > 0 {
		q := l.held[0]
		l.held = l.held[1:]
		if err := l.a.r.give(ctx, q.batch, q.bytes); err != nil {
			l.enough = errors.Is(err, errEnough)
			return err
		}
	}
	l.bytes = 0
	return nil
}

func (l *leg) drop() {
	for _, q := range l.held {
		q.batch.Release()
	}
	l.held = nil
}

// give gives the rows of a batch that are neither skipped nor too many: legs of a filtered scan don't know how many rows
// passed before theirs.
func (r *runner) give(ctx context.Context, b arrow.RecordBatch, bytes int64) error {
	if !r.filtered() {
		return r.emit(ctx, b, bytes)
	}
	start, end := min(r.skip, b.NumRows()), b.NumRows()
	r.skip -= start
	if r.left >= 0 {
		end = min(end, start+r.left)
		r.left -= end - start
	}
	if end-start < b.NumRows() {
		part := b.NewSlice(start, end)
		b.Release()
		b = part
	}
	if b.NumRows() == 0 && start > 0 {
		b.Release()
		return nil
	}
	err := r.emit(ctx, b, bytes)
	if err == nil && r.left == 0 {
		return errEnough
	}
	return err
}

// units divides the scan.
func (r *runner) units() []unit {
	var out []unit
	skip, left := r.skip, r.left
	if r.filtered() {
		if left >= 0 {
			left += skip
		}
		skip = 0
	}
	share := r.p.share()
	for i, info := range r.p.t.fragments {
		if info.Rows == 0 || left == 0 {
			continue
		}
		f := r.p.t.m.Fragments[i]
		var size float64
		for _, d := range f.Files {
			size += float64(d.SizeBytes) * share
		}
		step := info.PhysicalRows
		// Where rows are counted off, a fragment with deleted rows can't be cut before these are known.
		if size > unitBytes && (f.Deletion == nil || r.filtered() || skip == 0 && left < 0) {
			step = max(windowAlign, uint64(float64(step)*unitBytes/size)/windowAlign*windowAlign)
		}
		shared := &sharedFragment{}
		for at := uint64(0); at < info.PhysicalRows && left != 0; at += step {
			end := min(at+step, info.PhysicalRows)
			u := unit{fragment: i, rows: rowsOf(at, end), skip: skip, left: left, shared: shared}
			u.weight = max(1, int64(2*size*float64(end-at)/float64(info.PhysicalRows)))
			if r.filtered() {
				out = append(out, u)
				continue
			}
			live := int64(end - at)
			if step == info.PhysicalRows {
				live = int64(info.Rows)
			}
			skip = max(0, skip-live)
			if live -= u.skip; live <= 0 {
				r.c.rows.Add(live + u.skip)
				continue
			}
			if left >= 0 {
				left -= min(left, live)
			}
			out = append(out, u)
		}
	}
	return out
}

// share is about how much of a data file the scan reads: its leaves' share of all.
func (p *plan) share() float64 {
	all, read := 0, 0
	for _, f := range p.t.m.Schema.Fields {
		all += leavesOf(f)
	}
	p.eachUnit(func(f *table.Field) { read += leavesOf(f) })
	return min(1, float64(max(read, 1))/float64(max(all, 1)))
}

func leavesOf(f *table.Field) int {
	n := 0
	for _, c := range f.Children {
		n += leavesOf(c)
	}
	return max(n, 1)
}

// eachUnit calls do with each unit that a step may read.
func (p *plan) eachUnit(do func(f *table.Field)) {
	for _, s := range []stage{p.stats, p.filter, p.computed, p.project} {
		for _, n := range s.nodes {
			n.units(func(f *table.Field) {
				if s.read[f.ID] {
					do(f)
				}
			})
		}
	}
}

// prepare reads what the steps on a fragment begin with, side by side: the deleted rows, and the metadata of the files that
// hold what the steps may read, some of which opens files for nothing where stats let no row pass.
func (r *runner) prepare(ctx context.Context, i int, reader *fragmentReader) error {
	s := r.shared
	s.once.Do(func() {
		var g errgroup.Group
		g.Go(func() (err error) {
			s.deleted, s.err = r.p.t.deletions(ctx, i, r.c)
			return nil
		})
		for k, d := range reader.f.Files {
			if r.p.mayRead(d) {
				g.Go(func() error {
					_, err := reader.file(ctx, k)
					return err
				})
			}
		}
		_ = g.Wait() // a file that can't be opened is a fault only for the step that needs it, which finds it again
	})
	return s.err
}

// mayRead tells whether a step may read from a data file.
func (p *plan) mayRead(d *table.DataFile) (reads bool) {
	p.eachUnit(func(f *table.Field) { reads = reads || d.Holds(f) })
	return reads
}
