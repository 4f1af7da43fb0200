package flightsql

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// errReadOnly refuses what would write.
var errReadOnly = errs.New(errs.ErrPermissionDenied, "this server only reads: nothing can be written")

// noTableWrites refuses to write tables, which is not offered even where the server may write.
func (s *Server) noTableWrites() error {
	if s.cfg.Views == nil {
		return errReadOnly
	}
	return errs.Unsupportedf("this version writes views, no tables yet")
}

// checkIngest checks the names and options of a bulk ingest.
func (s *Server) checkIngest(ctx context.Context, cmd *pb.CommandStatementIngest) error {
	if err := noTransaction(cmd.GetTransactionId()); err != nil {
		return err
	}
	if cmd.GetTable() == "" {
		return errs.Invalidf("the ingest names no table")
	}
	set, err := s.settingsOf(ctx)
	if err != nil {
		return err
	}
	for _, o := range []struct{ name, value string }{{optionCatalog, cmd.GetCatalog()}, {optionSchema, cmd.GetSchema()}} {
		if o.value == "" {
			continue
		}
		if err := s.setOption(ctx, &set, o.name, o.value); err != nil {
			return err
		}
	}
	tables, err := s.cfg.Catalog.Tables(ctx, set.Catalog, set.Schema)
	if err != nil {
		return err
	}
	_, there := nameIn(tables, cmd.GetTable())
	options := cmd.GetTableDefinitionOptions()
	switch {
	case there && options.GetIfExists() == pb.CommandStatementIngest_TableDefinitionOptions_TABLE_EXISTS_OPTION_FAIL:
		return errs.New(errs.ErrAlreadyExists, "there is a table %s in %s.%s", cmd.GetTable(), set.Catalog, set.Schema)
	case !there && options.GetIfNotExist() == pb.CommandStatementIngest_TableDefinitionOptions_TABLE_NOT_EXIST_OPTION_FAIL:
		return errs.NotFoundf("there is no table %s in %s.%s", cmd.GetTable(), set.Catalog, set.Schema)
	}
	return nil
}

// checkPut checks the names of a put on a path.
func (s *Server) checkPut(ctx context.Context, path []string) error {
	if _, err := pathScan(path); err != nil {
		return err
	}
	n := len(path)
	cmd := &pb.CommandStatementIngest{Table: path[n-1]}
	if n > 1 {
		cmd.Schema = &path[n-2]
	}
	if n > 2 {
		cmd.Catalog = &path[0]
	}
	return s.checkIngest(ctx, cmd)
}

// DoPut takes parameters and statements without a result. It answers one PutResult. A first message with the descriptor
// alone and an empty schema are fine.
func (e *edge) DoPut(stream flight.FlightService_DoPutServer) error {
	r, err := flight.NewRecordReader(stream, ipc.WithAllocator(e.s.mem), ipc.WithDelayReadSchema(true))
	if errors.Is(err, io.EOF) {
		return errs.Invalidf("the put ended before its descriptor")
	}
	if err != nil {
		return readError(stream.Context(), err)
	}
	defer r.Release()
	d := r.LatestFlightDescriptor()
	if d == nil {
		return errs.Invalidf("the put's first message has no descriptor")
	}
	if d.GetType() == flight.DescriptorPATH {
		if err := e.s.checkPut(stream.Context(), d.GetPath()); err != nil {
			return err
		}
		return e.s.noTableWrites()
	}
	answer, err := e.s.put(stream.Context(), d.GetCmd(), r)
	if err != nil {
		return err
	}
	data, err := proto.Marshal(answer)
	if err != nil {
		return err
	}
	return stream.Send(&flight.PutResult{AppMetadata: data})
}

func (s *Server) put(ctx context.Context, command []byte, r *flight.Reader) (proto.Message, error) {
	var any anypb.Any
	if !isCommand(command) || proto.Unmarshal(command, &any) != nil {
		return nil, errs.Invalidf("the put's descriptor holds no command of Flight SQL")
	}
	cmd, err := any.UnmarshalNew()
	if err != nil {
		return nil, errs.Invalidf("the put's command can't be read")
	}
	switch cmd := cmd.(type) {
	case *pb.CommandStatementUpdate:
		if err := noTransaction(cmd.GetTransactionId()); err != nil {
			return nil, err
		}
		q, err := s.newQuery(ctx)
		if err != nil {
			return nil, err
		}
		q.SQL = cmd.GetQuery()
		return s.update(ctx, q)
	case *pb.CommandPreparedStatementQuery:
		handle := cmd.GetPreparedStatementHandle()
		return &pb.DoPutPreparedStatementResult{PreparedStatementHandle: handle}, s.bind(ctx, handle, r)
	case *pb.CommandPreparedStatementUpdate:
		return s.preparedUpdate(ctx, cmd.GetPreparedStatementHandle(), r)
	case *pb.CommandStatementIngest:
		if err := s.checkIngest(ctx, cmd); err != nil {
			return nil, err
		}
		return nil, s.noTableWrites()
	case *pb.CommandStatementSubstraitPlan:
		return nil, errSubstrait
	}
	return nil, errs.Invalidf("the put's command takes no put")
}

// preparedUpdate runs a prepared statement once for each row that comes with the put; a put without any takes what was
// bound before.
func (s *Server) preparedUpdate(ctx context.Context, handle []byte, r *flight.Reader) (proto.Message, error) {
	q, err := s.preparedQuery(ctx, handle)
	if err != nil {
		return nil, err
	}
	params, err := s.readParams(ctx, r)
	if err != nil {
		return nil, err
	}
	if params != nil {
		q.Params = params
	}
	return s.update(ctx, q)
}

// update runs a statement without a result. Those that write tables are refused by the planner, after it has checked
// their names; what is left changes the session.
func (s *Server) update(ctx context.Context, q query) (proto.Message, error) {
	err := rowsOf(q.Params, s.mem, func(params []*expr.Literal) error {
		p, err := s.plan(ctx, q, params)
		if err != nil {
			return err
		}
		if p.hasRows() {
			return errs.Invalidf("the statement gives rows: run it as a query")
		}
		return s.applyStatement(ctx, p.statement, q.Settings)
	})
	return &pb.DoPutUpdateResult{}, err
}
