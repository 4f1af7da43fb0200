package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// directPlan checks a Direct plan and gives its projection and the schema of its result.
func directPlan(p *physical.Plan) (*Projector, *arrow.Schema, error) {
	if len(p.Scans) != 1 || len(p.Output) != len(p.Columns) {
		return nil, nil, fmt.Errorf("a direct plan of %d scans, %d outputs, %d columns: %w", len(p.Scans), len(p.Output), len(p.Columns), errs.ErrInternal)
	}
	proj, err := NewProjector(p.Scans[0].Plan.Schema(), p.Output)
	if err != nil {
		return nil, nil, err
	}
	fields := make([]arrow.Field, len(p.Columns))
	for i, col := range p.Columns {
		f := proj.Schema().Field(i)
		if col.Type != nil && !arrow.TypeEqual(f.Type, col.Type) {
			return nil, nil, fmt.Errorf("column %s is planned as %s but computed as %s: %w", col.Name, col.Type, f.Type, errs.ErrInternal)
		}
		fields[i] = ResultField(col, f.Type, f.Nullable)
	}
	return proj, arrow.NewSchema(fields, nil), nil
}

// ResultField gives the Arrow field of a result column: a column that is just read keeps the metadata of the table's
// field. It is nullable where the table's field or the computed column is.
func ResultField(col physical.ResultColumn, typ arrow.DataType, nullable bool) arrow.Field {
	f := arrow.Field{Name: col.Name, Type: typ, Nullable: nullable}
	if col.Passthrough != nil {
		f.Metadata = col.Passthrough.Metadata
		f.Nullable = nullable || col.Passthrough.Nullable
	}
	return f
}

func describeDirect(p *physical.Plan) (*arrow.Schema, error) {
	_, schema, err := directPlan(p)
	return schema, err
}

// batchSource is what a direct stream pulls batches of the result's columns from, before they are cut.
type batchSource interface {
	next(ctx context.Context) (arrow.RecordBatch, error)
	release()
}

func runDirect(ctx context.Context, p *physical.Plan, mem memory.Allocator) (Stream, error) {
	proj, schema, err := directPlan(p)
	if err != nil {
		return nil, err
	}
	if err := Canceled(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	in, err := p.Scans[0].Plan.Open(ctx, mem)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &directStream{ctx: ctx, cancel: cancel, scan: in, schema: schema}
	s.src = &projecting{scan: in, proj: proj, mem: mem}
	if p.TopN != nil {
		top, err := newTopN(p, proj, in, mem)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.src = top
	}
	return s, nil
}

// directStream cuts the batches of its source and names them by the result's schema.
type directStream struct {
	ctx    context.Context //nolint:containedctx // the run's own context, which outlives the call of Run
	cancel context.CancelFunc
	scan   scan.Stream
	src    batchSource
	schema *arrow.Schema
	cut    Cutter
	closed bool
}

func (s *directStream) Schema() *arrow.Schema { return s.schema }

func (s *directStream) Metrics() []scan.Metrics { return []scan.Metrics{s.scan.Metrics()} }

func (s *directStream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	ctx, stop := Either(ctx, s.ctx)
	defer stop()
	for {
		if s.closed {
			return nil, fmt.Errorf("next on a closed stream: %w", errs.ErrInternal)
		}
		if err := Canceled(ctx); err != nil {
			return nil, err
		}
		if out := s.cut.Next(); out != nil {
			return out, nil
		}
		b, err := s.src.next(ctx)
		if err != nil {
			if cerr := Canceled(ctx); cerr != nil && !errors.Is(err, io.EOF) {
				return nil, cerr
			}
			return nil, err
		}
		s.cut.Push(array.NewRecordBatch(s.schema, b.Columns(), b.NumRows()))
		b.Release()
	}
}

func (s *directStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.cancel()
	s.cut.Release()
	s.src.release()
	return s.scan.Close()
}

// projecting gives the scan's batches, projected.
type projecting struct {
	scan scan.Stream
	proj *Projector
	mem  memory.Allocator
}

func (s *projecting) next(ctx context.Context) (arrow.RecordBatch, error) {
	in, err := s.scan.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	return s.proj.Project(s.mem, in)
}

func (s *projecting) release() {}

// Canceled gives an errs.ErrCanceled that wraps the cause of the context's end, or nil while the context goes on.
func Canceled(ctx context.Context) error {
	if ctx.Err() != nil {
		return errs.New(errs.ErrCanceled, "canceled: %w", context.Cause(ctx))
	}
	return nil
}

// Either gives a context with a's values that ends when a or b does; stop must be called.
func Either(a, b context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(a)
	unhook := context.AfterFunc(b, func() { cancel(context.Cause(b)) })
	return ctx, func() { unhook(); cancel(nil) }
}
