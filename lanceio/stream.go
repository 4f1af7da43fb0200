package lanceio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// stream is a running scan. One goroutine reads and decodes, up to two windows ahead of Next.
type stream struct {
	p      *plan
	mem    memory.Allocator
	c      *counters
	ctx    context.Context
	cancel context.CancelFunc
	start  sync.Once
	q      *batchQueue
	share  int64         // of the budget
	near   int64         // of it what is not for reading ahead
	done   chan struct{} // closed when the producer has ended
	// err is why the producer ended, nil at the end of the rows. It is read after q.ch is closed.
	err error

	mu     sync.Mutex
	closed bool
}

var _ scan.Stream = (*stream)(nil)

func newStream(ctx context.Context, p *plan, mem memory.Allocator) *stream {
	s := &stream{p: p, mem: mem, c: newCounters(), done: make(chan struct{})}
	if p.t.parallel() == 1 {
		s.share = p.t.budget.take(scanBytes)
		s.near = s.share
	} else {
		s.share = p.t.budget.take(farScanBytes)
		s.near = s.share / (farScanBytes / scanBytes)
	}
	s.q = newBatchQueue(2 * s.near / int64(laneCount()+2))
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// Next gives the next batch, or io.EOF. The first call starts the reading.
func (s *stream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	s.start.Do(func() { go s.produce() })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case item, ok := <-s.q.ch:
		if !ok {
			return nil, s.end()
		}
		s.q.taken(item)
		return item.batch, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// end tells why no batch comes any more.
func (s *stream) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errs.New(errs.ErrCanceled, "the scan was closed")
	case s.err != nil:
		return s.err
	}
	return io.EOF
}

// Metrics tells what was read so far.
func (s *stream) Metrics() scan.Metrics { return s.c.metrics() }

// Close ends the reading, waits for it, and releases what was not taken.
func (s *stream) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	if again {
		<-s.done
		return nil
	}
	s.start.Do(func() { // never started
		close(s.q.ch)
		close(s.done)
	})
	<-s.done
	s.q.drain()
	s.p.t.budget.give(s.share)
	return nil
}

// produce runs the scan to its end.
func (s *stream) produce() {
	defer close(s.done)
	defer close(s.q.ch)
	lanes := laneCount()
	mem := newRecycler(s.mem, int(s.near/3*2))
	defer mem.close()
	joined := newCoalescer(s.p, assembler{mem}, s.q.put)
	defer joined.drop()
	r := &runner{
		p: s.p, c: s.c, a: assembler{mem}, emit: joined.put, tick: joined.tick, windowBytes: s.near / int64(lanes+2), lanes: lanes,
		skip: s.p.spec.Offset, left: s.p.spec.Limit, aheadBytes: s.share - s.near, indices: new(indexLookup), widths: new([stages]width),
	}
	err := func() (err error) {
		// Bytes of a file that bring a decoder to fall must not end a server that reads other tables as well.
		defer errs.Contain(&err)
		if err = r.run(s.ctx); err == nil || errors.Is(err, errEnough) {
			err = joined.flush(s.ctx)
		}
		return err
	}()
	if err != nil {
		if s.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = s.ctx.Err()
		} else if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("table %s: %w", s.p.t.name, err)
		}
		s.err = err
	}
}
