package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// run prepares the plan; it starts with the first call of Next, which thereby can end it. The stream owns the session
// from then on.
func (s *session) run(p *physical.Plan) (*stream, error) {
	if err := s.prepare(p); err != nil {
		return nil, err
	}
	st := &stream{s: s, plan: p, step: firstStep}
	for _, c := range s.carriers {
		st.cols = append(st.cols, newCollector(c, s.mem))
	}
	return st, nil
}

// start has DuckDB begin.
func (st *stream) start() error {
	st.started = true
	if err := st.s.reduce(st.plan); err != nil {
		return err
	}
	again, err := st.s.materialize(st.plan)
	if err != nil {
		return err
	}
	if again { // views have become tables
		if err := st.s.prepare(st.plan); err != nil {
			return err
		}
	}
	return st.execute()
}

// execute has DuckDB begin with the prepared statement.
func (st *stream) execute() error {
	var pending db.PendingResult
	// The only way to a result that isn't held in memory as a whole
	state := db.PendingPreparedStreaming(st.s.stmt, &pending)
	defer db.DestroyPending(&pending)
	if state == db.StateError {
		return st.s.explain(duckError(db.PendingError(pending)))
	}
	if db.ExecutePending(pending, &st.res) == db.StateError {
		return st.s.explain(duckError(db.ResultError(&st.res)))
	}
	return nil
}

// firstStep is how many rows are taken at first, before their size is known.
const firstStep = 64

// stream gives the result as DuckDB makes it.
type stream struct {
	s     *session
	plan  *physical.Plan
	res   db.Result
	cols  []*collector
	chunk db.DataChunk
	row   int // the chunk's next row
	step  int // rows taken at once, so that a batch hardly passes engine.CutBytes
	cut   engine.Cutter

	rows    int64 // collected
	started bool
	ended   bool
	closed  bool
	err     error // that ended the run
}

func (st *stream) Schema() *arrow.Schema { return st.s.schema }

func (st *stream) Metrics() []scan.Metrics { return st.s.metrics() }

// Next gives the next batch. When ctx ends the run ends.
func (st *stream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if st.closed {
		return nil, fmt.Errorf("next on a closed stream: %w", errs.ErrInternal)
	}
	if st.err != nil {
		return nil, st.err
	}
	if out := st.cut.Next(); out != nil {
		return out, nil
	}
	both, stopBoth := engine.Either(ctx, st.s.ctx)
	defer stopBoth()
	if err := engine.Canceled(both); err != nil {
		return nil, err
	}
	stop := st.s.watch(both)
	defer stop()
	err := st.collect()
	if errors.Is(err, errLost) {
		err = st.again()
	}
	if err != nil {
		st.err = err
		return nil, err
	}
	if st.rows == 0 {
		return nil, io.EOF
	}
	b, err := st.flush()
	if err != nil {
		return nil, err
	}
	st.cut.Push(b)
	return st.cut.Next(), nil
}

// collect takes rows until they are enough for a batch.
func (st *stream) collect() error {
	if !st.started {
		if err := st.start(); err != nil {
			return err
		}
	}
	for !st.ended && st.size() < engine.CutBytes*3/4 {
		if st.chunk.Ptr == nil {
			if err := st.fetch(); err != nil {
				return err
			}
			continue
		}
		n := min(st.step, int(db.DataChunkGetSize(st.chunk))-st.row)
		for i, col := range st.cols {
			if err := col.add(db.DataChunkGetVector(st.chunk, db.IdxT(i)), st.row, n); err != nil {
				return fmt.Errorf("column %s: %w", st.s.schema.Field(i).Name, err)
			}
		}
		st.row += n
		st.rows += int64(n)
		if st.row >= int(db.DataChunkGetSize(st.chunk)) {
			db.DestroyDataChunk(&st.chunk)
		}
		st.step = max(1, min(2048, int(engine.CutBytes/4*st.rows/int64(st.size()+1))))
	}
	return nil
}

// again runs the statement once more, just to find the error that was lost; no row of this run is given out.
func (st *stream) again() error {
	db.DestroyDataChunk(&st.chunk)
	db.DestroyResult(&st.res)
	if err := st.execute(); err != nil {
		return err
	}
	for !st.ended {
		if err := st.fetch(); err != nil {
			return err
		}
		db.DestroyDataChunk(&st.chunk)
	}
	return errLost
}

// size is the number of bytes collected.
func (st *stream) size() int {
	n := 0
	for _, col := range st.cols {
		n += col.size()
	}
	return n
}

// fetch gets the next chunk.
func (st *stream) fetch() error {
	// Deprecated, without another way that tells an error from the end.
	state := db.StreamFetchChunk(st.res, &st.chunk)
	st.row = 0
	if state == db.StateError { // no chunk: an error, or the end
		if text := db.ResultError(&st.res); text != "" {
			return st.s.explain(duckError(text))
		}
		st.ended = true
	} else if db.DataChunkGetSize(st.chunk) == 0 {
		db.DestroyDataChunk(&st.chunk)
		st.ended = true
	}
	return nil
}

// flush makes a batch of what was collected.
func (st *stream) flush() (arrow.RecordBatch, error) {
	arrs := make([]arrow.Array, 0, len(st.cols))
	defer func() {
		for _, a := range arrs {
			a.Release()
		}
	}()
	for i, col := range st.cols {
		a, err := col.take()
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", st.s.schema.Field(i).Name, err)
		}
		arrs = append(arrs, a)
	}
	b := array.NewRecordBatch(st.s.schema, arrs, st.rows)
	st.rows = 0
	return b, nil
}

// Close ends the run.
func (st *stream) Close() error {
	if st.closed {
		return nil
	}
	st.closed = true
	st.s.cancel(nil) // a scan that DuckDB's threads wait for gives up
	db.Interrupt(st.s.conn.conn)
	st.cut.Release()
	for _, col := range st.cols {
		col.release()
	}
	db.DestroyDataChunk(&st.chunk)
	db.DestroyResult(&st.res)
	st.s.end()
	return nil
}
