package flightsql_test

import (
	"bytes"
	"context"
	"io/fs"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/testdata"
)

type realCatalog struct{ *catalog.Catalog }

func (c realCatalog) Snapshot() planner.Resolver { return c.Catalog.Snapshot() }

// startReal serves the demo tables with the real planner, catalog and reader; of engines there is the direct one.
func startReal(t *testing.T) *fsql.Client {
	t.Helper()
	demo, err := fs.Sub(testdata.Demo, "demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, demo); err != nil {
		t.Fatal(err)
	}
	found, err := catalog.New(context.Background(), []catalog.Root{{URI: dir}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	srv, err := flightsql.New(flightsql.Config{Catalog: realCatalog{found}, Engine: engine.New(nil), Mem: mem})
	if err != nil {
		t.Fatal(err)
	}
	l := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	c, err := fsql.NewClient("passthrough:///buf", nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		srv.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		mem.AssertSize(t, 0)
	})
	return c
}

// column reads a descriptor's result; it gives the first column as text, and checks the stream's schema.
func firstColumn(t *testing.T, c *fsql.Client, d *flight.FlightDescriptor) ([]string, error) {
	t.Helper()
	ctx := context.Background()
	info, err := c.Client.GetFlightInfo(ctx, d)
	if err != nil {
		return nil, err
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if got := flight.SerializeSchema(r.Schema(), memory.DefaultAllocator); !bytes.Equal(got, info.GetSchema()) {
		t.Errorf("%v: the stream's schema differs:\n%v", d, r.Schema())
	}
	var out []string
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			out = append(out, r.RecordBatch().Column(0).ValueStr(i))
		}
	}
	if n := info.GetTotalRecords(); n >= 0 && n != int64(len(out)) {
		t.Errorf("%v: %d rows, %d were announced", d, len(out), n)
	}
	return out, r.Err()
}

// TestRealTables reads the four-row example, whose rows have lat min/max -90/-80, 17/30, no lat, null/null.
func TestRealTables(t *testing.T) {
	c := startReal(t)
	path := func(p ...string) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: p}
	}
	cmd := func(s string) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(s)}
	}
	first, err := firstColumn(t, c, path("worked"))
	if err != nil || len(first) != 4 {
		t.Fatalf("the whole table: %v, %v", first, err)
	}
	kept := []string{first[1], first[3]}
	tests := map[string]struct {
		d    *flight.FlightDescriptor
		want []string
		code codes.Code
	}{
		"path of two":    {d: path("main", "worked"), want: first},
		"path of three":  {d: path("lance", "main", "worked"), want: first},
		"SQL":            {d: cmd("SELECT id FROM worked WHERE lat.values BETWEEN 17.5 AND 25.4"), want: kept},
		"scan":           {d: cmd(`{"table": "worked", "columns": ["id"], "filter_expr": "lat.values BETWEEN 17.5 AND 25.4"}`), want: kept},
		"offset, limit":  {d: cmd(`{"table": "main.worked", "columns": ["id"], "offset": 1, "limit": 2}`), want: first[1:3]},
		"first version":  {d: cmd(`{"table": "worked", "columns": ["id"], "version": 1}`), want: first},
		"other version":  {d: cmd(`{"table": "worked", "columns": ["id"], "version": 99}`), code: codes.NotFound},
		"version path":   {d: path("worked@99"), code: codes.NotFound},
		"unknown table":  {d: path("workd"), code: codes.NotFound},
		"unknown column": {d: cmd(`{"table": "worked", "columns": ["idd"]}`), code: codes.NotFound},
		"describe":       {d: cmd("DESCRIBE worked"), want: []string{"id", "lat"}},
		"of a version":   {d: cmd(`DESCRIBE "sst@1"`), want: []string{"id", "cruise", "lat", "lon", "time", "sst", "__global_attrs__"}},
		"of no version":  {d: cmd(`DESCRIBE "sst@77"`), code: codes.NotFound},
		"bad SQL":        {d: cmd("SELECT FROM WHERE"), code: codes.InvalidArgument},
		"bad filter":     {d: cmd(`{"table": "worked", "filter_expr": "id >"}`), code: codes.InvalidArgument},
		"events":         {d: path("events"), want: nil},
		"n-d":            {d: path("sst"), want: nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := firstColumn(t, c, tt.d)
			if status.Code(err) != tt.code || tt.want != nil && !slices.Equal(got, tt.want) || tt.code == codes.OK && len(got) == 0 {
				t.Errorf("%v, %v; want %v, code %v", got, err, tt.want, tt.code)
			}
		})
	}
}

func TestRealParameters(t *testing.T) {
	c := startReal(t)
	ctx := context.Background()
	all, err := firstColumn(t, c, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"worked"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Prepare(ctx, "SELECT id FROM worked WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(ctx) }()
	if p.ParameterSchema().Field(0).Type.ID() != arrow.INT64 || p.DatasetSchema().NumFields() != 1 {
		t.Fatalf("parameters %v, dataset %v", p.ParameterSchema(), p.DatasetSchema())
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil))
	defer b.Release()
	for _, id := range []string{all[2], all[0], all[2]} {
		if err := b.Field(0).AppendValueFromString(id); err != nil {
			t.Fatal(err)
		}
	}
	b.Field(0).AppendNull() // no row equals it
	batch := b.NewRecordBatch()
	defer batch.Release()
	p.SetParameters(batch)
	info, err := p.Execute(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var got []string
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			got = append(got, r.RecordBatch().Column(0).ValueStr(i))
		}
	}
	if want := []string{all[2], all[0], all[2]}; r.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, r.Err(), want)
	}
	if _, err := c.Prepare(ctx, "SELECT nope FROM worked"); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown column: %v", err)
	}
}
