package flightsql

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/status"

	"github.com/lanceflight/flightsrv/errs"
)

// Bounds of the prepared statements: JDBC leaves more than half of its handles open.
const (
	maxPrepared      = 20_000
	maxPreparedBytes = 256 << 20
	preparedIdle     = time.Hour
	// maxParamBytes bounds the parameters bound to one statement.
	maxParamBytes = 128 << 20
)

// preparedStatement is what a handle stands for. The statement itself is planned anew at each execution, so that it
// sees the tables' newest versions.
type preparedStatement struct {
	sql      string
	settings settings // of the time it was prepared, as a session's later changes don't reach it; its user owns it

	mu     sync.Mutex
	params []byte // Arrow IPC stream
}

// CreatePreparedStatement plans a statement for its types. A statement with rows has a dataset schema and is no update;
// JDBC's driver decides by the former, ADBC's by the latter.
func (s *Server) CreatePreparedStatement(ctx context.Context, r fsql.ActionCreatePreparedStatementRequest) (fsql.ActionCreatePreparedStatementResult, error) {
	var none fsql.ActionCreatePreparedStatementResult
	if err := noTransaction(r.GetTransactionId()); err != nil {
		return none, err
	}
	q, err := s.newQuery(ctx)
	if err != nil {
		return none, err
	}
	q.SQL = r.GetQuery()
	p, err := s.plan(ctx, q, nil)
	if err != nil {
		return none, err
	}
	handle := newID()
	s.prepared.put(handle, &preparedStatement{sql: q.SQL, settings: q.Settings},
		int64(len(q.SQL)+viewBytes(q.Settings.Views))+200)
	isUpdate := !p.hasRows()
	out := fsql.ActionCreatePreparedStatementResult{
		Handle:          []byte(handle),
		ParameterSchema: paramSchema(p.statement.ParamTypes),
		IsUpdate:        &isUpdate,
	}
	if p.hasRows() {
		out.DatasetSchema = p.schema
	}
	return out, nil
}

// ClosePreparedStatement forgets a handle; one that is gone already is no error, since handles also expire.
func (s *Server) ClosePreparedStatement(ctx context.Context, r fsql.ActionClosePreparedStatementRequest) error {
	if _, err := s.preparedOf(ctx, r.GetPreparedStatementHandle()); err == nil {
		s.prepared.remove(string(r.GetPreparedStatementHandle()))
	}
	return nil
}

// preparedOf finds a handle of the caller's: another user's is as good as none.
func (s *Server) preparedOf(ctx context.Context, handle []byte) (*preparedStatement, error) {
	p, ok := s.prepared.get(string(handle))
	if !ok || p.settings.User != callerOf(ctx).user {
		return nil, errs.NotFoundf("no such prepared statement: it was closed, or not used for %s; prepare it again", preparedIdle)
	}
	return p, nil
}

// preparedQuery gives the query of a handle with the parameters bound to it.
func (s *Server) preparedQuery(ctx context.Context, handle []byte) (query, error) {
	p, err := s.preparedOf(ctx, handle)
	if err != nil {
		return query{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return query{SQL: p.sql, Params: p.params, Settings: p.settings, Now: s.cfg.Now().UnixNano()}, nil
}

// GetFlightInfoPreparedStatement plans a prepared statement with its parameters; the ticket holds them, so that a later
// binding does not change it.
func (s *Server) GetFlightInfoPreparedStatement(ctx context.Context, cmd fsql.PreparedStatementQuery, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	q, err := s.preparedQuery(ctx, cmd.GetPreparedStatementHandle())
	if err != nil {
		return nil, err
	}
	return s.infoOf(ctx, q, nil, d)
}

// GetSchemaPreparedStatement gives the schema of a prepared statement's result.
func (s *Server) GetSchemaPreparedStatement(ctx context.Context, cmd fsql.PreparedStatementQuery, _ *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	q, err := s.preparedQuery(ctx, cmd.GetPreparedStatementHandle())
	if err != nil {
		return nil, err
	}
	return s.schemaOf(ctx, q, nil)
}

// bind reads all parameters of a put and binds them in place of those before. The handle stays as it is.
func (s *Server) bind(ctx context.Context, handle []byte, r *flight.Reader) error {
	p, err := s.preparedOf(ctx, handle)
	if err != nil {
		return err
	}
	params, err := s.readParams(ctx, r)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.params = params
	sql := p.sql
	p.mu.Unlock()
	s.prepared.put(string(handle), p, int64(len(sql)+len(params)+viewBytes(p.settings.Views))+200)
	return nil
}

// readParams reads the rest of a put as an Arrow IPC stream; nil where it has no columns. A put that ends because its
// client went away or its deadline passed is an error.
func (s *Server) readParams(ctx context.Context, r *flight.Reader) ([]byte, error) {
	var out bytes.Buffer
	var w *ipc.Writer
	defer func() {
		if w != nil {
			_ = w.Close() // again where all went well
		}
	}()
	if schema := schemaOrNil(r); schema != nil {
		if err := checkDepth(schema, "parameter %d"); err != nil {
			return nil, err
		}
	}
	for r.Next() {
		b := r.RecordBatch()
		if w == nil {
			w = ipc.NewWriter(&out, ipc.WithSchema(b.Schema()), ipc.WithAllocator(s.mem), ipc.WithDictionaryDeltas(false))
		}
		if err := w.Write(b); err != nil {
			return nil, errs.Invalidf("the parameters can't be read: %v", err)
		}
		if out.Len() > maxParamBytes {
			return nil, errs.New(errs.ErrResourceExhausted, "more than %d bytes of parameters", maxParamBytes)
		}
	}
	if err := readError(ctx, r.Err()); err != nil {
		return nil, err
	}
	schema := schemaOrNil(r)
	if schema == nil || schema.NumFields() == 0 {
		return nil, nil
	}
	if w == nil { // a schema and no batch: no executions, but the types
		w = ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithAllocator(s.mem))
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// readError tells why a put's reader ended: nil where the client sent all it had.
func readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	return errs.Invalidf("what was put can't be read: %v", err)
}

// schemaOrNil gives the schema of a put, nil where none came: the reader would wait for it.
func schemaOrNil(r *flight.Reader) (schema *arrow.Schema) {
	if r.Err() != nil {
		return nil
	}
	return r.Schema()
}
