package flightsql_test

import (
	"bytes"
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/testdata"
)

type realCatalog struct{ *catalog.Catalog }

func (c realCatalog) Snapshot() planner.Resolver { return c.Catalog.Snapshot() }

func (c realCatalog) Shown(cells bool, columns func(*arrow.Schema) *arrow.Schema) flightsql.Catalog {
	return realCatalog{c.Catalog.Shown(cells, columns)}
}

// startReal serves the demo tables with the real planner, catalog and reader, and once more in each further schema; of engines there
// is the direct one.
func startReal(t *testing.T, schemas ...string) *fsql.Client {
	t.Helper()
	demo, err := fs.Sub(testdata.Demo, "demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, demo); err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas {
		if err := os.CopyFS(filepath.Join(dir, schema), demo); err != nil {
			t.Fatal(err)
		}
	}
	return startOver(t, dir, catalog.Options{})
}

// startOver is startReal for the tables of a folder.
func startOver(t testing.TB, dir string, o catalog.Options) *fsql.Client {
	t.Helper()
	found, err := catalog.New(context.Background(), []catalog.Root{{URI: dir}}, o)
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
	out, schema, err := columnOf(ctx, c, info)
	if err != nil {
		return out, err
	}
	if got := flight.SerializeSchema(schema, memory.DefaultAllocator); !bytes.Equal(got, info.GetSchema()) {
		t.Errorf("%v: the stream's schema differs:\n%v", d, schema)
	}
	if n := info.GetTotalRecords(); n >= 0 && n != int64(len(out)) {
		t.Errorf("%v: %d rows, %d were announced", d, len(out), n)
	}
	return out, nil
}

// columnOf reads the first column of a result of one endpoint, and the stream's schema.
func columnOf(ctx context.Context, c *fsql.Client, info *flight.FlightInfo) ([]string, *arrow.Schema, error) {
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	var out []string
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			out = append(out, r.RecordBatch().Column(0).ValueStr(i))
		}
	}
	return out, r.Schema(), r.Err()
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
	got, _, err := columnOf(ctx, c, info)
	if want := []string{all[2], all[0], all[2]}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := c.Prepare(ctx, "SELECT nope FROM worked"); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown column: %v", err)
	}
}

// TestPartitionsOfBoundStatements: a scan with a row of parameters is divided as one without is; with several rows, each of
// which has a result, it is not.
func TestPartitionsOfBoundStatements(t *testing.T) {
	c := startReal(t)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-flightsrv-partitions", "4")
	p, err := c.Prepare(ctx, "SELECT id FROM events WHERE id % ? = 0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(ctx) }()
	read := func(divisors ...int64) (rows []string, endpoints int) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, p.ParameterSchema())
		defer b.Release()
		for _, d := range divisors {
			b.Field(0).(*array.Int64Builder).Append(d)
		}
		batch := b.NewRecordBatch()
		defer batch.Release()
		p.SetParameters(batch)
		info, err := p.Execute(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range info.GetEndpoint() {
			got, _, err := columnOf(ctx, c, &flight.FlightInfo{Endpoint: []*flight.FlightEndpoint{e}})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, got...)
		}
		return rows, len(info.GetEndpoint())
	}
	var want []string
	all, err := firstColumn(t, c, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("SELECT id FROM events")})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range all {
		if id, err := strconv.Atoi(text); err == nil && id%7 == 0 {
			want = append(want, text)
		}
	}
	if got, endpoints := read(7); endpoints < 2 || endpoints > 4 || !slices.Equal(got, want) {
		t.Errorf("%d endpoints, %v; want %v", endpoints, got, want)
	}
	if got, endpoints := read(7, 7); endpoints != 1 || !slices.Equal(got, slices.Concat(want, want)) {
		t.Errorf("two rows of parameters: %d endpoints, %v", endpoints, got)
	}
}

// tableList gives what GetTables lists, as "TYPE name", with the number of columns where their schemas are asked for.
func tableList(t *testing.T, ctx context.Context, c *fsql.Client, o *fsql.GetTablesOpts) []string {
	t.Helper()
	info, err := c.GetTables(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var out []string
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			text := b.Column(3).ValueStr(i) + " " + b.Column(2).ValueStr(i)
			if o.IncludeSchema {
				schema, err := flight.DeserializeSchema(b.Column(4).(*array.Binary).Value(i), memory.DefaultAllocator)
				if err != nil {
					t.Fatal(err)
				}
				text += " " + schema.Field(schema.NumFields()-1).Name
			}
			out = append(out, text)
		}
	}
	return out
}

// TestCellsAreListedWhereAsked: t$cells always works by name; metadata lists it where the option says so.
func TestCellsAreListedWhereAsked(t *testing.T) {
	c := startReal(t)
	plain := context.Background()
	listed := metadata.AppendToOutgoingContext(plain, "x-flightsrv-cells", "listed")
	all := []string{"TABLE events", "TABLE sst", "TABLE worked", "VIEW sst$cells", "VIEW worked$cells"}
	for _, tc := range []struct {
		name string
		ctx  context.Context
		opts *fsql.GetTablesOpts
		want []string
	}{
		{"by default", plain, &fsql.GetTablesOpts{}, all[:3]},
		{"hidden", metadata.AppendToOutgoingContext(plain, "x-flightsrv-cells", "hidden"), &fsql.GetTablesOpts{}, all[:3]},
		{"listed", listed, &fsql.GetTablesOpts{}, all},
		{"tables alone", listed, &fsql.GetTablesOpts{TableTypes: []string{"TABLE"}}, all[:3]},
		{"by pattern", listed, &fsql.GetTablesOpts{TableNameFilterPattern: proto.String("work%")}, []string{all[2], all[4]}},
		{"with schema", listed, &fsql.GetTablesOpts{TableTypes: []string{"VIEW"}, IncludeSchema: true}, []string{"VIEW sst$cells chl", "VIEW worked$cells lat"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tableList(t, tc.ctx, c, tc.opts); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	cmd := &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`SELECT lat FROM worked$cells WHERE lat < -85`)}
	if got, err := firstColumn(t, c, cmd); err != nil || !slices.Equal(got, []string{"-90", "-85.5"}) {
		t.Errorf("by name: %v, %v", got, err)
	}
	for text, want := range map[string]int{`{"table": "worked$cells"}`: 9, `{"table": "worked$cells", "offset": 7, "limit": 5}`: 2,
		`{"table": "worked$cells", "filter": "lat > 20"}`: 2} { // the number of rows that is announced is checked too
		cmd := &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(text)}
		if got, err := firstColumn(t, c, cmd); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	show := func(ctx context.Context, text string) []string {
		info, err := c.Execute(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := columnOf(ctx, c, info)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := show(plain, "SHOW TABLES"); len(got) != 3 {
		t.Errorf("SHOW TABLES: %v", got)
	}
	if got := show(listed, "SHOW VIEWS"); !slices.Equal(got, []string{"sst$cells", "worked$cells"}) {
		t.Errorf("SHOW VIEWS: %v", got)
	}
	if got := show(plain, "SELECT table_name FROM information_schema.views"); got != nil {
		t.Errorf("information_schema.views: %v", got)
	}
	if got := show(listed, "SELECT view_definition FROM information_schema.views WHERE table_name = 'worked$cells'"); !slices.Equal(got, []string{`SELECT * FROM cells('lance.main.worked')`}) {
		t.Errorf("information_schema.views: %v", got)
	}
	if got := show(listed, "SELECT column_name FROM information_schema.columns WHERE table_name = 'worked$cells'"); !slices.Contains(got, "lat") || slices.Contains(got, "__global_attrs__") {
		t.Errorf("information_schema.columns: %v", got)
	}
	if errs := setOptions(t, plain, c, map[string]any{"cells": "sometimes"}); errs["cells"] == nil {
		t.Error("cells = sometimes is taken")
	}
}
