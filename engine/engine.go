// Package engine runs physical plans. A Direct plan's batches go from its one scan through a projection (or a top-N)
// to the caller; any other plan is handed to a Relational, which is DuckDB (package engine/duckdb).
//
// Ownership: Next gives a batch away and the receiver releases it; Close releases all that a stream still holds.
package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// Stream gives the result of a running plan. It is used by one goroutine at a time.
type Stream interface {
	// Schema is that of every batch, and what Describe gives for the plan.
	Schema() *arrow.Schema
	// Next gives the next batch, which the caller releases, or io.EOF. Batches hold at least one row and are cut at
	// about 1 MiB. It ends early when ctx, or the one given to Run, ends: the error then is an errs.ErrCanceled.
	Next(ctx context.Context) (arrow.RecordBatch, error)
	// Metrics tells what each scan of the plan has read so far, in the order of Plan.Scans; a scan that was read more
	// than once counts the sum. It may be called at any time, also after Close.
	Metrics() []scan.Metrics
	// Close ends the run and releases all; calling it again does nothing.
	Close() error
}

// Relational runs the plans that are more than one scan and a projection. It is safe for concurrent use.
type Relational interface {
	// Describe gives the result's schema without running the plan.
	Describe(ctx context.Context, p *physical.Plan) (*arrow.Schema, error)
	// Run starts the plan; ctx bounds the whole run.
	Run(ctx context.Context, p *physical.Plan, mem memory.Allocator) (Stream, error)
	// Close frees what it holds. No stream may be open.
	Close() error
}

// Engine runs plans. It is safe for concurrent use.
type Engine struct {
	rel Relational
}

// New makes an Engine that gives plans for physical.DuckDB to rel, which it owns from then on. With a nil rel such
// plans are an errs.ErrUnsupported.
func New(rel Relational) *Engine { return &Engine{rel: rel} }

// Describe gives the schema of a plan's result without running it.
func (e *Engine) Describe(ctx context.Context, p *physical.Plan) (*arrow.Schema, error) {
	if p.Engine == physical.Direct {
		return describeDirect(p)
	}
	if e.rel == nil {
		return nil, errNoRelational
	}
	return e.rel.Describe(ctx, p)
}

// Run starts a plan; ctx bounds the whole run, not just this call. All Arrow memory of the result comes from mem.
func (e *Engine) Run(ctx context.Context, p *physical.Plan, mem memory.Allocator) (Stream, error) {
	if p.Engine == physical.Direct {
		return runDirect(ctx, p, mem)
	}
	if e.rel == nil {
		return nil, errNoRelational
	}
	return e.rel.Run(ctx, p, mem)
}

// Close frees the relational engine. No stream may be open.
func (e *Engine) Close() error {
	if e.rel == nil {
		return nil
	}
	return e.rel.Close()
}

var errNoRelational = errs.Unsupportedf("this program was built without its relational engine: only scans, projections and top-N queries run")
