package flightsql

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/nested"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// DoGet streams what a ticket stands for. Batches are pulled one at a time as the client takes them (gRPC's flow control
// is the brake), in this goroutine: when the client is gone the write fails or the context ends, and everything is
// closed on the way out.
func (e *edge) DoGet(t *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	ctx := stream.Context()
	cmd, err := ticketCommand(t.GetTicket())
	if err != nil {
		return err
	}
	switch cmd := cmd.(type) {
	case *pb.TicketStatementQuery:
		return e.s.getTicket(ctx, cmd.GetStatementHandle(), stream)
	case *pb.CommandPreparedStatementQuery:
		q, err := e.s.preparedQuery(ctx, cmd.GetPreparedStatementHandle())
		if err != nil {
			return err
		}
		return e.s.getQuery(ctx, q, stream)
	}
	schema, batch, err := e.s.metadata(ctx, cmd)
	if err != nil {
		return err
	}
	w := e.s.newWriter(ctx, stream, schema)
	defer w.close()
	return w.writeAll(batch)
}

// ticketCommand takes a ticket apart.
func ticketCommand(ticket []byte) (proto.Message, error) {
	var any anypb.Any
	if !isCommand(ticket) || proto.Unmarshal(ticket, &any) != nil {
		return nil, errs.Invalidf("this is no ticket of this server: ask for the flight's info first")
	}
	cmd, err := any.UnmarshalNew()
	if err != nil {
		return nil, errs.Invalidf("this is no ticket of this server: it holds no command that can be read")
	}
	return cmd, nil
}

// getTicket streams a sealed query; CancelFlightInfo stops it.
func (s *Server) getTicket(ctx context.Context, handle []byte, stream flight.FlightService_DoGetServer) error {
	t, err := s.seal.open(handle, callerOf(ctx).user)
	if err != nil {
		return err
	}
	ctx, end, err := s.running.start(ctx, t.ID)
	if err != nil {
		return err
	}
	defer end()
	return cause(ctx, s.getQuery(ctx, t.Query, stream))
}

// cause tells what ended a context where an error is only a consequence of that.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// getQuery streams a query: the results for each row of its parameters, one after the other.
func (s *Server) getQuery(ctx context.Context, q query, stream flight.FlightService_DoGetServer) error {
	first, err := s.planFirst(ctx, q)
	if err != nil {
		return err
	}
	if q.Part != nil {
		if first.statement.Plan, err = first.statement.Plan.Part(ctx, q.Part); err != nil {
			return err
		}
	}
	w := s.newWriter(ctx, stream, first.schema, codecs[q.Settings.Compression]...)
	defer w.close()
	q.Pins = first.pins
	n := 0
	return rowsOf(q.Params, s.mem, func(params []*expr.Literal) error {
		p := first
		if n++; n > 1 {
			var err error
			if p, err = s.plan(ctx, q, params); err != nil {
				return err
			}
			if err := sameTypes(p.schema, first.schema); err != nil {
				return errs.Invalidf("row %d of the parameters gives another result than the first: %w", n, err)
			}
		}
		return planner.Locate(ctx, q.SQL, p.options, s.takes, s.run(ctx, p, q, w))
	})
}

// run writes the result of one planned statement.
func (s *Server) run(ctx context.Context, p *planned, q query, w *writer) error {
	st := p.statement
	switch st.Kind {
	case planner.KindQuery:
		return s.runPlan(ctx, p, func(b arrow.RecordBatch) error { return w.writeAs(p.nested, b) })
	case planner.KindExplain:
		return s.explain(ctx, st, w)
	case planner.KindShow:
		batch, err := s.show(ctx, st, q.Settings)
		if err != nil {
			return err
		}
		return w.writeAll(batch)
	}
	return s.applyStatement(ctx, st, q.Settings)
}

// runPlan gives each batch of a plan's result away.
func (s *Server) runPlan(ctx context.Context, p *planned, give func(arrow.RecordBatch) error) (err error) {
	in, err := s.cfg.Engine.Run(ctx, p.statement.Plan, s.mem)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for {
		batch, err := in.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := give(batch); err != nil {
			return err
		}
	}
}

// explain answers EXPLAIN; with ANALYZE the query runs first, to nowhere.
func (s *Server) explain(ctx context.Context, st *planner.Statement, w *writer) error {
	var metrics []scan.Metrics
	if st.Analyze {
		in, err := s.cfg.Engine.Run(ctx, st.Plan, s.mem)
		if err != nil {
			return err
		}
		err = drain(ctx, in)
		metrics = in.Metrics()
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	batch, err := planner.ExplainResult(st, metrics, s.mem)
	if err != nil {
		return err
	}
	return w.writeAll(batch)
}

func drain(ctx context.Context, in engine.Stream) error {
	for {
		batch, err := in.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		batch.Release()
	}
}

// writer sends batches under the schema that the client was told.
type writer struct {
	ctx    context.Context
	mem    memory.Allocator
	schema *arrow.Schema
	out    *flight.Writer
	call   *Call
}

// codecs are the ways to compress the bodies of batches.
var codecs = map[string][]ipc.Option{"none": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

func (s *Server) newWriter(ctx context.Context, stream flight.FlightService_DoGetServer, schema *arrow.Schema, codec ...ipc.Option) *writer {
	call := callOf(ctx)
	counted := &countingStream{stream, call}
	return &writer{ctx: ctx, mem: s.mem, schema: schema, call: call, out: flight.NewRecordWriter(counted, append([]ipc.Option{ipc.WithSchema(schema), ipc.WithAllocator(s.mem)}, codec...)...)}
}

// write sends a batch and releases it, sent or not.
func (w *writer) write(batch arrow.RecordBatch) error {
	defer batch.Release()
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := sameTypes(batch.Schema(), w.schema); err != nil {
		return errs.New(errs.ErrInternal, "a batch that was not announced: %w", err)
	}
	out := array.NewRecordBatch(w.schema, batch.Columns(), batch.NumRows())
	defer out.Release()
	if err := w.out.Write(out); err != nil {
		return err
	}
	w.call.Rows += batch.NumRows()
	return nil
}

// writeAs sends a batch with its nested columns as the client wants them, and releases it.
func (w *writer) writeAs(m nested.Mode, batch arrow.RecordBatch) error {
	if m == nested.Native {
		return w.write(batch)
	}
	defer batch.Release()
	out, err := m.Batch(batch, w.mem)
	if err != nil {
		return err
	}
	return w.writeAll(out) // texts may be longer than what they were made of
}

// writeAll sends a batch that no engine has cut, in pieces, and releases it.
func (w *writer) writeAll(batch arrow.RecordBatch) error {
	var c engine.Cutter
	c.Push(batch)
	defer c.Release()
	for piece := c.Next(); piece != nil; piece = c.Next() {
		if err := w.write(piece); err != nil {
			return err
		}
	}
	return nil
}

// close ends the stream: with its schema alone where nothing was written.
func (w *writer) close() { _ = w.out.Close() }

// sameTypes tells where columns are not of the types that were announced.
func sameTypes(got, want *arrow.Schema) error {
	if got.NumFields() != want.NumFields() {
		return fmt.Errorf("it has %d columns, announced were %d", got.NumFields(), want.NumFields())
	}
	for i, f := range want.Fields() {
		if !arrow.TypeEqual(got.Field(i).Type, f.Type) {
			return fmt.Errorf("column %d is %s, announced as %s", i+1, got.Field(i).Type, f.Type)
		}
	}
	return nil
}

// countingStream counts the bytes that leave.
type countingStream struct {
	flight.FlightService_DoGetServer
	call *Call
}

func (c *countingStream) Send(d *flight.FlightData) error {
	c.call.Bytes += int64(len(d.DataBody) + len(d.DataHeader))
	return c.FlightService_DoGetServer.Send(d)
}

var _ fsql.Server = (*Server)(nil)
