package lanceio

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/scan"
)

// Reader runs the scan as Arrow's own reader, which lends each batch until the next one. ctx ends it early. It is
// released like any Arrow object; Close does the same at once, and both may come more than once.
func (s *Scan) Reader(ctx context.Context, mem memory.Allocator) (*Reader, error) {
	st, err := s.Open(ctx, mem)
	if err != nil {
		return nil, err
	}
	r := &Reader{ctx: ctx, schema: s.Schema(), s: st}
	r.refs.Store(1)
	return r, nil
}

// Reader gives the batches of a scan. It is used by one goroutine at a time.
type Reader struct {
	ctx    context.Context
	schema *arrow.Schema
	s      scan.Stream
	batch  arrow.RecordBatch
	err    error
	refs   atomic.Int64
}

var _ array.RecordReader = (*Reader)(nil)

// Retain adds a reference.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release takes a reference away; with the last one the reader is closed.
func (r *Reader) Release() {
	if r.refs.Add(-1) == 0 {
		_ = r.Close()
	}
}

// Close ends the scan and releases the current batch; calling it again does nothing.
func (r *Reader) Close() error {
	r.drop()
	return r.s.Close()
}

func (r *Reader) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// Schema is that of every batch.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Next moves to the next batch, and tells whether there is one.
func (r *Reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	b, err := r.s.Next(r.ctx)
	if err != nil {
		r.err = err
		return false
	}
	r.batch = b
	return true
}

// RecordBatch is the current batch, which stays the reader's.
func (r *Reader) RecordBatch() arrow.RecordBatch { return r.batch }

// Record is RecordBatch.
//
// Deprecated: it is here because Arrow's interface demands it.
func (r *Reader) Record() arrow.RecordBatch { return r.batch }

// Err is what ended the scan, nil at the end of the rows.
func (r *Reader) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// Metrics tells what was read so far.
func (r *Reader) Metrics() scan.Metrics { return r.s.Metrics() }
