package flightsql

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/nested"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
)

const (
	// maxReceiveBytes bounds a message from a client: SQL text, parameters, batches of a put.
	maxReceiveBytes = 128 << 20
	// maxCommandBytes bounds a command that asks for a result: a statement's text is no longer, and taking a command
	// apart copies it a few times.
	maxCommandBytes = planner.MaxTextBytes + 64<<10
	// maxSendBytes lets a single giant row pass; batches are cut far below.
	maxSendBytes = 1<<31 - 1
	// writeBufferBytes is how much is gathered for one system call: batches are about 1 MiB.
	writeBufferBytes = 256 << 10
	// maxStreams bounds the calls of one connection: a client may read as many partitions as there can be at once, twice.
	maxStreams = 2 * maxPartitions
	// maxHeaderBytes bounds the headers of a call, which are held before anybody is asked who calls.
	maxHeaderBytes = 64 << 10
	// streamWindow is how much a client may send to a call that does not read; a message that is being read has room for
	// all of it. connWindow is how much may be on its way over a connection.
	streamWindow = 256 << 10
	connWindow   = 4 << 20
	// connIdle is after how long a connection without calls is closed.
	connIdle = 30 * time.Minute
)

// Catalog finds and lists tables. It is safe for concurrent use.
type Catalog interface {
	// Catalogs gives the catalogs' names, the default one first.
	Catalogs() []string
	// Schemas gives the schemas of a catalog, sorted.
	Schemas(ctx context.Context, catalog string) ([]string, error)
	// Tables gives the tables of a schema, sorted.
	Tables(ctx context.Context, catalog, schema string) ([]string, error)
	// Views gives the views of a schema, sorted, those that pick leaves of their names.
	Views(ctx context.Context, catalog, schema string, pick func(names []string) []string) ([]string, error)
	// Snapshot gives a Resolver that sees one version of each table.
	Snapshot() planner.Resolver
	// Shown gives the same catalog as a session sees it: with the cells of tables among the views that it lists and describes where
	// cells is true, and in information_schema with what columns gives in place of a table's columns.
	Shown(cells bool, columns func(*arrow.Schema) *arrow.Schema) Catalog
}

// catalogOf is the catalog as a session sees it.
func (s *Server) catalogOf(set settings) Catalog {
	if !set.Cells && set.Nested == nested.Native {
		return s.cfg.Catalog
	}
	return s.cfg.Catalog.Shown(set.Cells, set.Nested.Schema)
}

// Engine runs plans; *engine.Engine is one.
type Engine interface {
	Describe(ctx context.Context, p *physical.Plan) (*arrow.Schema, error)
	Run(ctx context.Context, p *physical.Plan, mem memory.Allocator) (engine.Stream, error)
}

// Planner plans statements; Planned is the one to use outside tests.
type Planner interface {
	Plan(ctx context.Context, text string, o planner.Options) (*planner.Statement, error)
	PlanScan(ctx context.Context, r planner.ScanRequest, o planner.Options) (*planner.Statement, error)
}

// SQL is the Planner of package planner.
type SQL struct{}

// Plan is planner.Plan.
func (SQL) Plan(ctx context.Context, text string, o planner.Options) (*planner.Statement, error) {
	return planner.Plan(ctx, text, o)
}

// PlanScan is planner.PlanScan.
func (SQL) PlanScan(ctx context.Context, r planner.ScanRequest, o planner.Options) (*planner.Statement, error) {
	return planner.PlanScan(ctx, r, o)
}

// Config is what a Server is made of.
type Config struct {
	Catalog Catalog
	Engine  Engine
	// Views keeps views that last; nil for a server that writes nothing.
	Views ViewStore
	// Planner is SQL{} where it is nil.
	Planner Planner
	// Mem is where all Arrow memory of results comes from.
	Mem memory.Allocator
	// Options are the defaults of session options, by name; those that are not there are the program's own.
	Options map[string]string
	// Users are asked who connects. Nil: the server is open, and takes any credentials.
	Users Users
	// TicketKey signs tickets and tokens; servers with the same key over the same storage, and with the same users, read
	// each other's. Empty: a key of this process.
	TicketKey []byte
	// Version is the program's, as clients are told.
	Version string
	// TLS is nil for plain connections.
	TLS *tls.Config
	// Advertise is HOST:PORT that clients are told to read results from. Empty: on the connection that they have, which
	// works whatever stands between them and the server.
	Advertise string
	// OnCall is told of each call when it has ended; nil for nobody. It is called from many goroutines.
	OnCall func(Call)
	// Now is the clock; nil for the real one.
	Now func() time.Time
}

// Server answers Flight SQL and plain Flight calls.
type Server struct {
	fsql.BaseServer
	cfg      Config
	mem      memory.Allocator
	seal     *sealer
	info     map[uint32]any
	prepared *kept[*preparedStatement]
	sessions *kept[*session]
	defaults settings
	running  *running
	grpc     *grpc.Server
	health   *health.Server
	// strangers are the places of those who may have their messages waited for.
	strangers chan struct{}
	draining  atomic.Bool
	halted    context.Context // ends when running calls have to
	halt      context.CancelFunc
}

// New makes a server; Serve starts it.
func New(cfg Config) (*Server, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Planner == nil {
		cfg.Planner = SQL{}
	}
	if len(cfg.Catalog.Catalogs()) == 0 {
		return nil, errs.Invalidf("no data to serve: at least one catalog is needed")
	}
	seal, err := newSealer(cfg.TicketKey, cfg.Now)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, mem: cfg.Mem, seal: seal, info: sqlInfo(cfg),
		prepared:  newKept[*preparedStatement](maxPrepared, maxPreparedBytes, preparedIdle, cfg.Now),
		sessions:  newKept[*session](maxSessions, maxSessionBytes, sessionIdle, cfg.Now),
		running:   newRunning(cfg.Now),
		strangers: make(chan struct{}, maxStrangers),
		health:    health.NewServer(),
	}
	s.Alloc = cfg.Mem
	s.defaults = s.baseSettings()
	if err := s.merge(context.Background(), &s.defaults, cfg.Options); err != nil {
		return nil, err
	}
	s.halted, s.halt = context.WithCancel(context.Background())
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxReceiveBytes),
		grpc.MaxSendMsgSize(maxSendBytes),
		grpc.WriteBufferSize(writeBufferBytes),
		grpc.StreamInterceptor(s.stream),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.ConnectionTimeout(strangerTime),
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		// A client that is gone without a word is noticed within a minute and a half; clients may ping as they like. One that
		// makes no calls for long is let go: it connects again with its next call, by itself, and goes on with its session.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second, MaxConnectionIdle: connIdle}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	}
	if cfg.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(cfg.TLS)))
	}
	s.grpc = grpc.NewServer(options...)
	s.grpc.RegisterService(streamsAlone(pb.FlightService_ServiceDesc), &edge{FlightServer: fsql.NewFlightServerWithAllocator(s, s.mem), s: s})
	s.grpc.RegisterService(streamsAlone(grpc_health_v1.Health_ServiceDesc), s.health)
	return s, nil
}

// Serve answers calls on the listener until Shutdown; it then gives nil.
func (s *Server) Serve(l net.Listener) error {
	err := s.grpc.Serve(l)
	if s.draining.Load() {
		return nil
	}
	return err
}

// haltGrace is how long calls that were told to end may take to tell their clients so.
const haltGrace = time.Second

var errHalted = errs.New(errs.ErrUnavailable, "the server is stopping: the call was cut off")

// Shutdown refuses new calls, gives running ones until ctx ends, and stops them then.
func (s *Server) Shutdown(ctx context.Context) {
	s.draining.Store(true)
	s.health.Shutdown()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.grpc.GracefulStop()
	}()
	select {
	case <-done:
		s.halt()
		return
	case <-ctx.Done():
	}
	s.halt()
	select {
	case <-done:
	case <-time.After(haltGrace):
		s.grpc.Stop()
		<-done
	}
}

// edge takes apart what clients send: plain Flight descriptors and all streams here, the commands of Flight SQL in
// Arrow's server, which calls Server's methods.
type edge struct {
	flight.FlightServer
	s *Server
}

// commandPrefix starts the type URLs of Flight SQL's commands.
const commandPrefix = "type.googleapis.com/arrow.flight.protocol.sql."

// isCommand tells whether the bytes are a google.protobuf.Any with a command of Flight SQL: field 1, the type URL,
// comes first in every encoder.
func isCommand(b []byte) bool {
	if len(b) < 2 || b[0] != 0x0a || b[1] >= 0x80 {
		return false
	}
	return strings.HasPrefix(string(b[2:min(len(b), 2+int(b[1]))]), commandPrefix)
}

// checkCommand refuses a command that is too long before it is taken apart.
func checkCommand(b []byte) error {
	if len(b) > maxCommandBytes {
		return errs.Invalidf("the command is too long: it has %d bytes, a statement's text may have 8 MiB", len(b))
	}
	return nil
}

// GetFlightInfo answers a descriptor with a schema and one endpoint.
func (e *edge) GetFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if d.GetType() == flight.DescriptorCMD && isCommand(d.GetCmd()) {
		if err := checkCommand(d.GetCmd()); err != nil {
			return nil, err
		}
		return e.FlightServer.GetFlightInfo(ctx, d)
	}
	q, err := e.s.plainQuery(ctx, d)
	if err != nil {
		return nil, err
	}
	return e.s.infoOf(ctx, q, nil, d)
}

// GetSchema answers a descriptor with the schema that its stream has.
func (e *edge) GetSchema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	if d.GetType() == flight.DescriptorCMD && isCommand(d.GetCmd()) {
		if err := checkCommand(d.GetCmd()); err != nil {
			return nil, err
		}
		return e.FlightServer.GetSchema(ctx, d)
	}
	q, err := e.s.plainQuery(ctx, d)
	if err != nil {
		return nil, err
	}
	return e.s.schemaOf(ctx, q, nil)
}

// PollFlightInfo answers at once with the whole info: planning is all the work there is before DoGet. It tells no progress,
// as the query itself runs while it is read.
func (e *edge) PollFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.PollInfo, error) {
	info, err := e.GetFlightInfo(ctx, d)
	if err != nil {
		return nil, err
	}
	return &flight.PollInfo{Info: info, ExpirationTime: info.Endpoint[0].ExpirationTime}, nil
}

// DoExchange is nothing that this server offers.
func (e *edge) DoExchange(flight.FlightService_DoExchangeServer) error {
	return errs.Unsupportedf("DoExchange is not offered")
}
