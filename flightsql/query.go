package flightsql

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/nested"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// query is a statement or a scan with all that its answer depends on. Tickets hold it.
type query struct {
	SQL  string               `json:"sql,omitempty"`
	Scan *planner.ScanRequest `json:"scan,omitempty"`
	// Params is an Arrow IPC stream with the parameters: each row is one execution. Empty: none were bound.
	Params   []byte   `json:"params,omitempty"`
	Settings settings `json:"set"`
	Now      int64    `json:"now"` // nanoseconds since 1970
	Pins     []pin    `json:"pins,omitempty"`
	// Part is the rows that one of several endpoints gives; nil for all.
	Part []scan.Range `json:"part,omitempty"`
}

// planned is a query that is ready to run, for one row of parameters.
type planned struct {
	statement *planner.Statement
	nested    nested.Mode
	schema    *arrow.Schema // as the client gets it, with metadata
	pins      []pin
	options   planner.Options
}

// hasRows tells whether the statement has a result.
func (p *planned) hasRows() bool {
	switch p.statement.Kind {
	case planner.KindSet, planner.KindUse, planner.KindView, planner.KindNothing:
		return false
	}
	return true
}

func (s *Server) newQuery(ctx context.Context) (query, error) {
	set, err := s.settingsOf(ctx)
	return query{Settings: set, Now: s.cfg.Now().UnixNano()}, err
}

// plan plans a query. params is one row of parameters; nil plans for the types alone.
func (s *Server) plan(ctx context.Context, q query, params []*expr.Literal) (*planned, error) {
	p, err := s.planGuess(ctx, q, params, nil)
	if params != nil && errors.Is(err, errs.ErrInvalidInput) {
		// As round(x, ?) takes an INTEGER and no BIGINT, which clients bind for any number.
		if small, changed := narrowed(params); changed {
			if p, serr := s.planGuess(ctx, q, small, nil); serr == nil {
				return p, nil
			}
		}
	}
	if err == nil && params == nil {
		s.describeBound(ctx, q, p)
	}
	if params != nil || q.Scan != nil || !errors.Is(err, errs.ErrInvalidInput) || !strings.ContainsAny(q.SQL, "?$") {
		return p, err
	}
	// As abs(?) is none of a text, another type may be what a parameter is meant to have.
	for _, guess := range paramGuesses() {
		if p, gerr := s.planGuess(ctx, q, nil, guess); gerr == nil {
			s.describeBound(ctx, q, p)
			return p, nil
		}
	}
	return nil, err
}

// describeBound gives a statement that is planned without parameters the schema that it has with values of the announced types. It keeps
// its own where these can't be bound.
func (s *Server) describeBound(ctx context.Context, q query, p *planned) {
	bound := make([]*expr.Literal, len(p.statement.StandIns))
	for i, l := range p.statement.StandIns {
		bound[i] = &expr.Literal{Value: l.Value, Typ: plainType(paramType(l.Typ))}
		if l.Value == nil && expr.KindOf(l.Typ) == expr.KindDecimal { // DuckDB computes no type from a NULL that is a decimal
			bound[i].Value = new(big.Int)
		}
	}
	if len(bound) == 0 {
		return
	}
	if b, err := s.plan(ctx, q, bound); err == nil {
		p.schema = b.schema
	}
}

// paramGuesses are the types to try, after utf8, for parameters whose place tells none; the last one fits where several
// parameters are of several types.
func paramGuesses() []arrow.DataType {
	return []arrow.DataType{
		arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64, &arrow.TimestampType{Unit: arrow.Microsecond},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Boolean, arrow.Null,
	}
}

// planGuess is plan with the type of parameters whose place tells none.
func (s *Server) planGuess(ctx context.Context, q query, params []*expr.Literal, guess arrow.DataType) (*planned, error) {
	resolver := newPinning(s.catalogOf(q.Settings).Snapshot(), q.Pins)
	o := planner.Options{
		Catalog: q.Settings.Catalog, Schema: q.Settings.Schema, TimeZone: q.Settings.TimeZone,
		DottedNames: q.Settings.Nested == nested.Flatten,
		Params:      params, ParamGuess: guess, Resolver: resolver, Views: q.Settings.Views, User: q.Settings.User, Setting: q.Settings.setting, Now: time.Unix(0, q.Now).UTC(),
		Writable: s.cfg.Views != nil,
	}
	if q.Scan != nil {
		st, err := s.cfg.Planner.PlanScan(ctx, *q.Scan, o)
		if err != nil {
			return nil, err
		}
		schema, err := s.cfg.Engine.Describe(ctx, st.Plan)
		if err != nil {
			return nil, err
		}
		if err := checkDepth(schema, "column %d of the result"); err != nil {
			return nil, err
		}
		schema = q.Settings.Nested.Schema(withTableMetadata(schema, st.Plan))
		return &planned{statement: st, nested: q.Settings.Nested, schema: schema, pins: resolver.pins()}, nil
	}
	st, err := s.cfg.Planner.Plan(ctx, q.SQL, o)
	if err != nil {
		return nil, err
	}
	schema, err := s.resultSchema(ctx, st)
	if err != nil {
		return nil, planner.Locate(ctx, q.SQL, o, s.takes, err)
	}
	if err := checkDepth(schema, "column %d of the result"); err != nil {
		return nil, err
	}
	schema = sqlSchema(q.Settings.Nested.Schema(schema))
	return &planned{statement: st, nested: q.Settings.Nested, schema: schema, pins: resolver.pins(), options: o}, nil
}

// takes tells what is wrong with a plan, as far as the engine sees without running it.
func (s *Server) takes(ctx context.Context, p *physical.Plan) error {
	_, err := s.cfg.Engine.Describe(ctx, p)
	return err
}

// withTableMetadata gives a scan's schema the metadata of its table's.
func withTableMetadata(schema *arrow.Schema, p *physical.Plan) *arrow.Schema {
	if len(p.Scans) != 1 {
		return schema
	}
	md := p.Scans[0].Plan.Schema().Metadata()
	return arrow.NewSchemaWithEndian(schema.Fields(), &md, schema.Endianness())
}

func (s *Server) resultSchema(ctx context.Context, st *planner.Statement) (*arrow.Schema, error) {
	switch st.Kind {
	case planner.KindQuery:
		return s.cfg.Engine.Describe(ctx, st.Plan)
	case planner.KindExplain:
		return planner.ExplainSchema(), nil
	case planner.KindShow:
		return showSchema(st.Show), nil
	}
	return arrow.NewSchema(nil, nil), nil
}

// planFirst plans a query for its first row of parameters, which gives the schema of all rows' results. It refuses a
// number of parameters that is not the statement's.
func (s *Server) planFirst(ctx context.Context, q query) (*planned, error) {
	params, err := s.firstRow(q.Params)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, q, params)
	if err != nil {
		return nil, err
	}
	if n := len(p.statement.ParamTypes); n != len(params) && q.Scan == nil {
		return nil, errs.Invalidf("a value is needed for each parameter: %d, not %d", n, len(params))
	}
	return p, nil
}

// infoOf answers a descriptor with the info of a query.
func (s *Server) infoOf(ctx context.Context, q query, p *planned, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	var err error
	if p == nil {
		if p, err = s.planFirst(ctx, q); err != nil {
			return nil, err
		}
	}
	if changesSession(p.statement, q.Settings) {
		if _, err := s.requireSession(ctx); err != nil {
			return nil, err
		}
	}
	q.Pins = p.pins
	endpoints, err := s.endpoints(q, p)
	if err != nil {
		return nil, err
	}
	return &flight.FlightInfo{
		Schema:           flight.SerializeSchema(p.schema, s.mem),
		FlightDescriptor: d,
		Endpoint:         endpoints,
		TotalRecords:     knownRows(q, p),
		TotalBytes:       -1,
		Ordered:          q.Scan != nil,
	}, nil
}

// endpoints gives one endpoint; more where the client asked for them, and a plain scan is all there is to run, once.
func (s *Server) endpoints(q query, p *planned) ([]*flight.FlightEndpoint, error) {
	parts := [][]scan.Range{nil}
	if n := q.Settings.Partitions; n > 1 && p.statement.Kind == planner.KindQuery && s.runsOnce(q.Params) {
		if divided := p.statement.Plan.Divide(n); len(divided) > 1 {
			parts = divided
		}
	}
	out := make([]*flight.FlightEndpoint, len(parts))
	for i, part := range parts {
		q.Part = part
		var err error
		if out[i], err = s.endpoint(newID(), q); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// endpoint gives one with a ticket for a query. The id names its streams.
func (s *Server) endpoint(id string, q query) (*flight.FlightEndpoint, error) {
	handle, expires, err := s.seal.seal(id, q)
	if err != nil {
		return nil, err
	}
	data, err := fsql.CreateStatementQueryTicket(handle)
	if err != nil {
		return nil, err
	}
	return &flight.FlightEndpoint{Ticket: &flight.Ticket{Ticket: data}, Location: s.locations(), ExpirationTime: timestamppb.New(expires)}, nil
}

// locations gives where a result is to be read: nowhere else, unless an address is advertised.
func (s *Server) locations() []*flight.Location {
	if s.cfg.Advertise == "" {
		return nil
	}
	scheme := "grpc"
	if s.cfg.TLS != nil {
		scheme = "grpc+tls"
	}
	return []*flight.Location{{Uri: scheme + "://" + s.cfg.Advertise}}
}

// knownRows gives the number of rows of a scan without filters, -1 for any other query.
func knownRows(q query, p *planned) int64 {
	r := q.Scan
	if r == nil || r.Filter != "" || r.FilterExpr != "" || r.LanceFilter != "" || len(p.statement.Plan.Scans) != 1 {
		return -1
	}
	all := p.statement.Plan.Scans[0].Plan.Info().All()
	if all < 0 {
		return -1
	}
	n := max(0, all-r.Offset)
	if r.Limit != nil {
		n = min(n, *r.Limit)
	}
	return n
}

// schemaOf gives the schema of a query's stream, whether parameters are bound or not.
func (s *Server) schemaOf(ctx context.Context, q query, p *planned) (*flight.SchemaResult, error) {
	if p == nil {
		var params []*expr.Literal
		var err error
		if len(q.Params) > 0 {
			if params, err = s.firstRow(q.Params); err != nil {
				return nil, err
			}
		}
		if p, err = s.plan(ctx, q, params); err != nil {
			return nil, err
		}
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(p.schema, s.mem)}, nil
}

// GetFlightInfoStatement plans a statement.
func (s *Server) GetFlightInfoStatement(ctx context.Context, cmd fsql.StatementQuery, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	q, err := s.statementQuery(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return s.infoOf(ctx, q, nil, d)
}

// GetSchemaStatement gives the schema of a statement's result.
func (s *Server) GetSchemaStatement(ctx context.Context, cmd fsql.StatementQuery, _ *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	q, err := s.statementQuery(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return s.schemaOf(ctx, q, nil)
}

func (s *Server) statementQuery(ctx context.Context, cmd fsql.StatementQuery) (query, error) {
	if err := noTransaction(cmd.GetTransactionId()); err != nil {
		return query{}, err
	}
	q, err := s.newQuery(ctx)
	q.SQL = cmd.GetQuery()
	return q, err
}

func noTransaction(id []byte) error {
	if len(id) > 0 {
		return errs.NotFoundf("no such transaction: this server has none")
	}
	return nil
}
