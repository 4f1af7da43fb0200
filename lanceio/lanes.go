package lanceio

import (
	"context"
	"errors"
	"runtime"

	"github.com/lanceflight/flightsrv/errs"
)

// maxLanes bounds the windows of a step that are worked on at once.
const maxLanes = 8

// laneCount is how many windows of a step are worked on at once: one for each core.
func laneCount() int { return min(runtime.GOMAXPROCS(0), maxLanes) }

// lanes cuts blocks into windows and works on several of them at once, on a goroutine each, with readers of its own.
type lanes[T any] struct {
	f *fragmentRun
	// steps are what do runs; the first one's window decides how many rows are taken.
	steps []*step
	// left is the most rows to take, negative for all.
	left int64
	// do makes something of a window's block, which it takes over. Just one do runs in a lane at a time.
	do func(ctx context.Context, lane int, b *block) (T, error)
	// use is given the results in the order of the rows, and takes them over. It runs on the caller's goroutine.
	use func(ctx context.Context, t T) error
	// drop releases a result that nobody uses.
	drop func(t T)
}

// flight is a window that is worked on.
type flight[T any] struct {
	lane   int
	rows   int64
	before cursor // where the window began
	left   int64  // rows to take before it
	got    T
	err    error
	done   chan struct{}
}

// laneRun is one block on its way through the lanes.
type laneRun[T any] struct {
	lanes[T]
	block   *block
	rest    cursor
	free    []int // lanes
	flights []*flight[T]
}

// run works on a block, which it takes over.
func (l lanes[T]) run(ctx context.Context, b *block) (err error) {
	defer b.release()
	if len(b.sel) == 0 || l.left == 0 {
		return nil
	}
	r := &laneRun[T]{lanes: l, block: b, rest: cursor{s: b.sel}}
	for i := range l.f.lanes {
		r.free = append(r.free, l.f.lanes-1-i)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer r.abandon()
	defer cancel()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.fill(ctx); err != nil || len(r.flights) == 0 {
			return err
		}
		if err := r.land(ctx); err != nil {
			return err
		}
	}
}

// fill starts windows while lanes are free.
func (r *laneRun[T]) fill(ctx context.Context) error {
	for len(r.free) > 0 && !r.rest.done() && r.left != 0 {
		if len(r.flights) > 0 && !r.steps[0].window.aside() {
			return nil
		}
		lane := r.free[len(r.free)-1]
		for _, s := range r.steps {
			if err := s.open(ctx, lane, r.f.reader, r.f.have); err != nil {
				return err
			}
		}
		win, behind := r.steps[0].window.take(r.rest, r.left)
		part, err := r.block.pick(r.f.a, win)
		if err != nil {
			return err
		}
		f := &flight[T]{lane: lane, rows: win.count(), before: r.rest, left: r.left, done: make(chan struct{})}
		r.free = r.free[:len(r.free)-1]
		r.flights = append(r.flights, f)
		r.rest = behind
		if r.left >= 0 {
			r.left -= f.rows
		}
		work := func() {
			defer close(f.done)
			defer errs.Contain(&f.err)
			f.got, f.err = r.do(ctx, lane, part)
		}
		if len(r.flights) == 1 && (r.rest.done() || r.left == 0) {
			work() // nothing is left to do beside it
			continue
		}
		go work()
	}
	return nil
}

// land waits for the first window and uses what came of it. Where that was too wide, all is taken back from there on.
func (r *laneRun[T]) land(ctx context.Context) error {
	f := r.flights[0]
	<-f.done
	if errors.Is(f.err, errTooWide) {
		r.abandon()
		r.rest, r.left = f.before, f.left
		r.steps[0].window.rows = f.rows / 2
		r.steps[0].learn.giveUp()
		return nil
	}
	r.flights = r.flights[1:]
	r.free = append(r.free, f.lane)
	if f.err != nil {
		return f.err
	}
	if err := r.f.tick(ctx); err != nil {
		r.drop(f.got)
		return err
	}
	return r.use(ctx, f.got)
}

// abandon waits for all windows and drops what came of them.
func (r *laneRun[T]) abandon() {
	for _, f := range r.flights {
		<-f.done
		if f.err == nil {
			r.drop(f.got)
		}
		r.free = append(r.free, f.lane)
	}
	r.flights = nil
}
