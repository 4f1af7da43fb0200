package flightsql_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// fakeCatalog is catalog -> schema -> table -> version.
type fakeCatalog struct {
	names   []string
	tables  map[string]map[string][]string
	version atomic.Uint64 // of all tables
}

func newFakeCatalog() *fakeCatalog {
	c := &fakeCatalog{
		names: []string{"lance", "alt"},
		tables: map[string]map[string][]string{
			"lance": {"main": {"people", "with_map", "withXmap", "Mixed Case", "broken"}, "geo": {"obs", "people"}},
			"alt":   {"main": {"people"}},
		},
	}
	c.version.Store(7)
	return c
}

func (c *fakeCatalog) Catalogs() []string { return c.names }

func (c *fakeCatalog) Schemas(_ context.Context, catalog string) ([]string, error) {
	var out []string
	for s := range c.tables[catalog] {
		out = append(out, s)
	}
	slices.Sort(out)
	return out, nil
}

func (c *fakeCatalog) Tables(_ context.Context, catalog, schema string) ([]string, error) {
	return c.tables[catalog][schema], nil
}

func (c *fakeCatalog) Views(context.Context, string, string, func([]string) []string) ([]string, error) {
	return nil, nil
}

func (c *fakeCatalog) Snapshot() planner.Resolver { return c }

func (c *fakeCatalog) Shown(bool, func(*arrow.Schema) *arrow.Schema) flightsql.Catalog { return c }

func (c *fakeCatalog) Resolve(_ context.Context, ref scan.TableRef) (scan.Source, error) {
	if !slices.Contains(c.tables[ref.Catalog][ref.Schema], ref.Table) {
		return nil, errs.NotFoundf("no table %q", ref.Table)
	}
	if ref.Table == "broken" {
		return nil, errs.Corruptf("_versions/1.manifest", 3, "bad magic")
	}
	v := c.version.Load()
	if ref.Version != "" {
		asked, err := strconv.ParseUint(ref.Version, 10, 64)
		if err != nil || asked > v {
			return nil, errs.NotFoundf("no version %q", ref.Version)
		}
		v = asked
	}
	return &fakeSource{name: ref.Catalog + "." + ref.Schema + "." + ref.Table, version: v}, nil
}

type fakeSource struct {
	scan.Source
	name    string
	version uint64
}

func (s *fakeSource) Name() string    { return s.name }
func (s *fakeSource) Version() uint64 { return s.version }
func (s *fakeSource) Rows() int64     { return 42 }
func (s *fakeSource) Schema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"lance-schema:unenforced-primary-key"}, []string{"true"})},
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}, Nullable: true, Metadata: arrow.NewMetadata([]string{"comment", "k"}, []string{"in euro", "v"})},
		{Name: "__stats__:price", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
}

// fakePlanner knows these statements:
//
//	rows N      N rows (id, name) of lance.main.people, in batches of 1000
//	endless     rows without end
//	echo        one row with the parameter, an int64
//	version     one row with the version of lance.main.people
//	show NAME, set NAME VALUE, use NAME
//	fail KIND   an error at planning; later KIND the same while it runs; panic, later-panic
type fakePlanner struct{}

var failures = map[string]error{
	"invalid":     &errs.SQLError{Line: 3, Column: 14, Msg: "what is this", Hint: "write something else"},
	"notfound":    errs.NotFoundf("no table \"peple\"; the nearest is \"people\""),
	"unsupported": errs.Unsupportedf("column s.a: encoding blob v2 can't be read"),
	"sqlrefused":  &errs.SQLError{Kind: errs.ErrUnsupported, Line: 1, Column: 2, Msg: "MERGE is not taken"},
	"corrupt":     errs.Corruptf("data/1.lance", 17, "page 3 ends early"),
	"exists":      errs.New(errs.ErrAlreadyExists, "table t is there"),
	"conflict":    errs.New(errs.ErrConflict, "version 8 was written meanwhile"),
	"permission":  errs.New(errs.ErrPermissionDenied, "this server only reads"),
	"unauth":      errs.New(errs.ErrUnauthenticated, "who are you"),
	"exhausted":   errs.New(errs.ErrResourceExhausted, "more than 1 GiB of groups"),
	"canceled":    errs.New(errs.ErrCanceled, "the query was canceled"),
	"unavailable": errs.New(errs.ErrUnavailable, "the store does not answer"),
	"internal":    errs.New(errs.ErrInternal, "secret in /srv/data/t.lance"),
	"plain":       fmt.Errorf("open /srv/data/t.lance: too many files"),
}

func (fakePlanner) Plan(ctx context.Context, text string, o planner.Options) (*planner.Statement, error) {
	word, rest, _ := strings.Cut(text, " ")
	st := &planner.Statement{Kind: planner.KindQuery, Plan: &physical.Plan{Text: text}}
	switch word {
	case "rows", "endless", "later", "later-panic":
	case "echo":
		st.ParamTypes = []arrow.DataType{arrow.PrimitiveTypes.Int64}
		if len(o.Params) > 0 {
			st.Plan.Text = fmt.Sprintf("echo %v", o.Params[0].Value)
		}
	case "version":
		src, err := o.Resolver.Resolve(ctx, scan.TableRef{Catalog: o.Catalog, Schema: o.Schema, Table: "people"})
		if err != nil {
			return nil, err
		}
		st.Plan.Text = fmt.Sprintf("echo %d", src.Version())
	case "show":
		return &planner.Statement{Kind: planner.KindShow, Show: &planner.Show{What: rest}}, nil
	case "set":
		name, value, _ := strings.Cut(rest, " ")
		return &planner.Statement{Kind: planner.KindSet, Set: &planner.Set{Name: name, Values: []string{value}}}, nil
	case "use":
		return &planner.Statement{Kind: planner.KindUse, Use: strings.Split(rest, ".")}, nil
	case "panic":
		panic("at planning /srv/data")
	case "fail":
		return nil, failures[rest]
	default:
		return nil, &errs.SQLError{Line: 1, Column: 1, Msg: "no such statement"}
	}
	return st, nil
}

func (p fakePlanner) PlanScan(ctx context.Context, r planner.ScanRequest, o planner.Options) (*planner.Statement, error) {
	if _, err := o.Resolver.Resolve(ctx, scan.TableRef{Catalog: "lance", Schema: "main", Table: strings.Trim(r.Table, `"`)}); err != nil {
		return nil, err
	}
	return p.Plan(ctx, "rows 2500", o)
}

var rowSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "id", Type: &arrow.Decimal128Type{Precision: 8, Scale: 2}, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"my.money"})},
}, nil)

var echoSchema = arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)

// fakeEngine runs the plans of fakePlanner, and counts the streams that are open.
type fakeEngine struct{ open atomic.Int64 }

func (e *fakeEngine) Describe(_ context.Context, p *physical.Plan) (*arrow.Schema, error) {
	if strings.HasPrefix(p.Text, "echo") {
		return echoSchema, nil
	}
	return rowSchema, nil
}

func (e *fakeEngine) Run(ctx context.Context, p *physical.Plan, mem memory.Allocator) (engine.Stream, error) {
	word, rest, _ := strings.Cut(p.Text, " ")
	s := &fakeStream{engine: e, mem: mem, word: word, rest: rest, left: 1 << 40}
	if word == "rows" || word == "echo" {
		n, err := strconv.Atoi(rest)
		if err != nil {
			return nil, err
		}
		s.left, s.value = n, int64(n)
	}
	if word == "echo" {
		s.left = 1
	}
	e.open.Add(1)
	return s, nil
}

type fakeStream struct {
	engine     *fakeEngine
	mem        memory.Allocator
	word, rest string
	left, sent int
	value      int64
	closed     bool
}

func (s *fakeStream) Schema() *arrow.Schema   { return rowSchema }
func (s *fakeStream) Metrics() []scan.Metrics { return nil }

func (s *fakeStream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if ctx.Err() != nil {
		return nil, errs.New(errs.ErrCanceled, "the query was canceled")
	}
	if s.sent > 0 && s.word == "later" {
		return nil, failures[s.rest]
	}
	if s.sent > 0 && s.word == "later-panic" {
		panic("while it runs /srv/data")
	}
	n := min(s.left, 1000)
	if n == 0 {
		return nil, io.EOF
	}
	s.left -= n
	schema := rowSchema
	if s.word == "echo" {
		schema = echoSchema
	}
	b := array.NewRecordBuilder(s.mem, schema)
	defer b.Release()
	for i := range n {
		v := int64(s.sent + i)
		if s.word == "echo" {
			v = s.value
		}
		b.Field(0).(*array.Int64Builder).Append(v)
		if s.word != "echo" {
			b.Field(1).AppendNull()
		}
	}
	s.sent += n
	return b.NewRecordBatch(), nil
}

func (s *fakeStream) Close() error {
	if !s.closed {
		s.closed = true
		s.engine.open.Add(-1)
	}
	return nil
}

// fixture is a server over the fakes with a client; both are gone, and all memory is back, when the test ends.
type fixture struct {
	client  *fsql.Client
	catalog *fakeCatalog
	engine  *fakeEngine
	server  *flightsql.Server
	dial    func(mw ...flight.ClientMiddleware) *fsql.Client
	connect func() (*grpc.ClientConn, error) // beneath dial
	clock   atomic.Int64                     // seconds that the server's clock is ahead
	calls   chan flightsql.Call
}

func start(t testing.TB, change ...func(*flightsql.Config)) *fixture {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	f := &fixture{catalog: newFakeCatalog(), engine: &fakeEngine{}, calls: make(chan flightsql.Call, 100)}
	cfg := flightsql.Config{
		Catalog: f.catalog, Engine: f.engine, Planner: fakePlanner{}, Mem: mem, Version: "1.2.3",
		Now: func() time.Time { return time.Now().Add(time.Duration(f.clock.Load()) * time.Second) },
		OnCall: func(c flightsql.Call) {
			select {
			case f.calls <- c:
			default: // nobody looks at so many
			}
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	srv, err := flightsql.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.server = srv
	l := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		srv.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if n := f.engine.open.Load(); n != 0 {
			t.Errorf("%d streams of the engine are open", n)
		}
		mem.AssertSize(t, 0)
	})
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
	}
	f.connect = func() (*grpc.ClientConn, error) { return grpc.NewClient("passthrough:///buf", options...) }
	f.dial = func(mw ...flight.ClientMiddleware) *fsql.Client {
		c, err := fsql.NewClient("passthrough:///buf", nil, mw, options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	f.client = f.dial()
	return f
}

// read gives the first column of a result as text, and the stream's schema.
func (f *fixture) read(ctx context.Context, c *fsql.Client, info *flight.FlightInfo) ([]string, *arrow.Schema, error) {
	var out []string
	var schema *arrow.Schema
	for _, ep := range info.GetEndpoint() {
		r, err := c.DoGet(ctx, ep.GetTicket())
		if err != nil {
			return nil, nil, err
		}
		schema = r.Schema()
		for r.Next() {
			for i := range int(r.RecordBatch().NumRows()) {
				out = append(out, r.RecordBatch().Column(0).ValueStr(i))
			}
		}
		err = r.Err()
		r.Release()
		if err != nil {
			return out, schema, err
		}
	}
	return out, schema, nil
}

// query runs a statement and gives its first column.
func (f *fixture) query(c *fsql.Client, text string) ([]string, error) {
	ctx := context.Background()
	info, err := c.Execute(ctx, text)
	if err != nil {
		return nil, err
	}
	got, _, err := f.read(ctx, c, info)
	return got, err
}
