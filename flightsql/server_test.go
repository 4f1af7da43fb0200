package flightsql_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/flightsql"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ptr[T any](v T) *T { return &v }

// TestSchemasAgree demands one schema, bit for bit, in FlightInfo, GetSchema and the stream of every command.
func TestSchemasAgree(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	c := f.client
	ref := fsql.TableRef{Table: "people"}
	cmd := func(b []byte) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b}
	}
	tests := map[string]struct {
		info   func() (*flight.FlightInfo, error)
		schema func() (*flight.SchemaResult, error)
	}{
		"statement": {
			func() (*flight.FlightInfo, error) { return c.Execute(ctx, "rows 10") },
			func() (*flight.SchemaResult, error) { return c.GetExecuteSchema(ctx, "rows 10") },
		},
		"catalogs": {
			func() (*flight.FlightInfo, error) { return c.GetCatalogs(ctx) },
			func() (*flight.SchemaResult, error) { return c.GetCatalogsSchema(ctx) },
		},
		"schemas": {
			func() (*flight.FlightInfo, error) { return c.GetDBSchemas(ctx, &fsql.GetDBSchemasOpts{}) },
			func() (*flight.SchemaResult, error) { return c.GetDBSchemasSchema(ctx) },
		},
		"tables": {
			func() (*flight.FlightInfo, error) { return c.GetTables(ctx, &fsql.GetTablesOpts{}) },
			func() (*flight.SchemaResult, error) { return c.GetTablesSchema(ctx, &fsql.GetTablesOpts{}) },
		},
		"tables with schema": {
			func() (*flight.FlightInfo, error) { return c.GetTables(ctx, &fsql.GetTablesOpts{IncludeSchema: true}) },
			func() (*flight.SchemaResult, error) {
				return c.GetTablesSchema(ctx, &fsql.GetTablesOpts{IncludeSchema: true})
			},
		},
		"table types": {
			func() (*flight.FlightInfo, error) { return c.GetTableTypes(ctx) },
			func() (*flight.SchemaResult, error) { return c.GetTableTypesSchema(ctx) },
		},
		"sql info": {
			func() (*flight.FlightInfo, error) { return c.GetSqlInfo(ctx, nil) },
			func() (*flight.SchemaResult, error) { return c.GetSqlInfoSchema(ctx) },
		},
		"type info": {
			func() (*flight.FlightInfo, error) { return c.GetXdbcTypeInfo(ctx, nil) },
			func() (*flight.SchemaResult, error) { return c.GetXdbcTypeInfoSchema(ctx) },
		},
		"primary keys": {
			func() (*flight.FlightInfo, error) { return c.GetPrimaryKeys(ctx, ref) },
			func() (*flight.SchemaResult, error) { return c.GetPrimaryKeysSchema(ctx) },
		},
		"exported keys": {
			func() (*flight.FlightInfo, error) { return c.GetExportedKeys(ctx, ref) },
			func() (*flight.SchemaResult, error) { return c.GetExportedKeysSchema(ctx) },
		},
		"imported keys": {
			func() (*flight.FlightInfo, error) { return c.GetImportedKeys(ctx, ref) },
			func() (*flight.SchemaResult, error) { return c.GetImportedKeysSchema(ctx) },
		},
		"cross reference": {
			func() (*flight.FlightInfo, error) { return c.GetCrossReference(ctx, ref, ref) },
			func() (*flight.SchemaResult, error) { return c.GetCrossReferenceSchema(ctx) },
		},
		"path": {
			func() (*flight.FlightInfo, error) {
				return c.Client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"people"}})
			},
			func() (*flight.SchemaResult, error) {
				return c.Client.GetSchema(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"people"}})
			},
		},
		"SQL text": {
			func() (*flight.FlightInfo, error) { return c.Client.GetFlightInfo(ctx, cmd([]byte("rows 5"))) },
			func() (*flight.SchemaResult, error) { return c.Client.GetSchema(ctx, cmd([]byte("rows 5"))) },
		},
		"JSON scan": {
			func() (*flight.FlightInfo, error) {
				return c.Client.GetFlightInfo(ctx, cmd([]byte(` {"table": "people"}`)))
			},
			func() (*flight.SchemaResult, error) {
				return c.Client.GetSchema(ctx, cmd([]byte(` {"table": "people"}`)))
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := tt.info()
			if err != nil {
				t.Fatal(err)
			}
			if len(info.GetEndpoint()) != 1 || len(info.GetEndpoint()[0].GetLocation()) != 0 || info.GetFlightDescriptor() == nil {
				t.Errorf("want one endpoint without a location, and the descriptor: %v", info)
			}
			asked, err := tt.schema()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(asked.GetSchema(), info.GetSchema()) {
				t.Error("GetSchema and FlightInfo differ")
			}
			_, schema, err := f.read(ctx, c, info)
			if err != nil {
				t.Fatal(err)
			}
			if got := flight.SerializeSchema(schema, memory.DefaultAllocator); !bytes.Equal(got, info.GetSchema()) {
				t.Errorf("the stream's schema differs:\n%v", schema)
			}
		})
	}
}

func TestResultMetadata(t *testing.T) {
	f := start(t)
	info, err := f.client.Execute(context.Background(), "rows 1")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if schema.Field(0).Name != "id" || schema.Field(1).Name != "id" {
		t.Errorf("names %q, %q: both were id", schema.Field(0).Name, schema.Field(1).Name)
	}
	for key, want := range map[string]string{
		"ARROW:FLIGHT:SQL:TYPE_NAME": "DECIMAL", "ARROW:FLIGHT:SQL:PRECISION": "8", "ARROW:FLIGHT:SQL:SCALE": "2",
		"ARROW:extension:name": "my.money",
	} {
		if got, _ := schema.Field(1).Metadata.GetValue(key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

func TestPlainFlight(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	path := func(p ...string) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: p}
	}
	cmd := func(s string) *flight.FlightDescriptor {
		return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(s)}
	}
	tests := map[string]struct {
		d    *flight.FlightDescriptor
		rows int
		code codes.Code
	}{
		"path":              {d: path("people"), rows: 2500},
		"SQL":               {d: cmd("rows 3"), rows: 3},
		"SQL with space":    {d: cmd("\n rows 3"), code: codes.InvalidArgument}, // the fake planner's own refusal
		"scan":              {d: cmd(`{"table": "people", "limit": 2, "columns": ["id"], "version": 7}`), rows: 2500},
		"no path":           {d: path(), code: codes.InvalidArgument},
		"empty part":        {d: path("main", ""), code: codes.InvalidArgument},
		"four parts":        {d: path("a", "b", "c", "d"), code: codes.InvalidArgument},
		"unknown table":     {d: path("nobody"), code: codes.NotFound},
		"broken table":      {d: path("broken"), code: codes.DataLoss},
		"empty command":     {d: cmd("  "), code: codes.InvalidArgument},
		"bytes":             {d: cmd("\xff\xfe"), code: codes.InvalidArgument},
		"zero byte":         {d: cmd("rows \x00"), code: codes.InvalidArgument},
		"unknown kind":      {d: &flight.FlightDescriptor{}, code: codes.InvalidArgument},
		"unknown key":       {d: cmd(`{"table": "people", "colums": []}`), code: codes.InvalidArgument},
		"key of other case": {d: cmd(`{"Table": "people"}`), code: codes.InvalidArgument},
		"double key":        {d: cmd(`{"table": "people", "table": "obs"}`), code: codes.InvalidArgument},
		"wrong type":        {d: cmd(`{"table": 7}`), code: codes.InvalidArgument},
		"no table":          {d: cmd(`{"limit": 7}`), code: codes.InvalidArgument},
		"negative limit":    {d: cmd(`{"table": "people", "limit": -1}`), code: codes.InvalidArgument},
		"negative offset":   {d: cmd(`{"table": "people", "offset": -1}`), code: codes.InvalidArgument},
		"fractional limit":  {d: cmd(`{"table": "people", "limit": 1.5}`), code: codes.InvalidArgument},
		"version of text":   {d: cmd(`{"table": "people", "version": "v1"}`), rows: 2500},
		"version of float":  {d: cmd(`{"table": "people", "version": 1.5}`), code: codes.InvalidArgument},
		"filter and other":  {d: cmd(`{"table": "people", "filter": "a", "filter_expr": "b"}`), code: codes.InvalidArgument},
		"both exprs":        {d: cmd(`{"table": "people", "lance_filter": "a", "filter_expr": "b"}`), rows: 2500},
		"nulls":             {d: cmd(`{"table": "people", "limit": null, "version": null, "columns": null}`), rows: 2500},
		"cut":               {d: cmd(`{"table": `), code: codes.InvalidArgument},
		"more after it":     {d: cmd(`{"table": "people"} x`), code: codes.InvalidArgument},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := f.client.Client.GetFlightInfo(ctx, tt.d)
			var got []string
			if err == nil {
				got, _, err = f.read(ctx, f.client, info)
			}
			if status.Code(err) != tt.code || len(got) != tt.rows {
				t.Errorf("%d rows, %v; want %d rows, code %v", len(got), err, tt.rows, tt.code)
			}
		})
	}
}

func TestListFlights(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	list, err := f.client.Client.ListFlights(ctx, &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		info, err := list.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d %v", strings.Join(info.GetFlightDescriptor().GetPath(), "/"), info.GetTotalRecords(), len(info.GetSchema()) > 0))
	}
	want := []string{
		"alt/main/people 42 true", "lance/geo/obs 42 true", "lance/geo/people 42 true", "lance/main/Mixed Case 42 true",
		"lance/main/broken -1 false", "lance/main/people 42 true", "lance/main/withXmap 42 true", "lance/main/with_map 42 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	list, err = f.client.Client.ListFlights(ctx, &flight.Criteria{Expression: []byte("x")})
	if err == nil {
		_, err = list.Recv()
	}
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("criteria: %v", err)
	}
}

// TestCancelMidStream ends clients in every way while they read; the fixture then finds no stream and no memory left.
func TestCancelMidStream(t *testing.T) {
	ways := map[string]func(t *testing.T, f *fixture, c *fsql.Client, info *flight.FlightInfo, r *flight.Reader, cancel func()){
		"context": func(_ *testing.T, _ *fixture, _ *fsql.Client, _ *flight.FlightInfo, _ *flight.Reader, cancel func()) {
			cancel()
		},
		"disconnect": func(_ *testing.T, _ *fixture, c *fsql.Client, _ *flight.FlightInfo, _ *flight.Reader, _ func()) {
			_ = c.Close()
		},
		"CancelFlightInfo": func(t *testing.T, f *fixture, _ *fsql.Client, info *flight.FlightInfo, r *flight.Reader, _ func()) {
			got, err := f.client.CancelFlightInfo(context.Background(), &flight.CancelFlightInfoRequest{Info: info})
			if err != nil || got.GetStatus() != flight.CancelStatusCancelled {
				t.Fatalf("%v, %v", got, err)
			}
			for r.Next() {
			}
			if status.Code(r.Err()) != codes.Canceled {
				t.Errorf("the stream ended with %v", r.Err())
			}
			if _, _, err := f.read(context.Background(), f.client, info); status.Code(err) != codes.Canceled {
				t.Errorf("reading it again: %v", err)
			}
		},
	}
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			c := f.dial()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			info, err := c.Execute(ctx, "endless")
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
			if err != nil {
				t.Fatal(err)
			}
			if !r.Next() {
				t.Fatal(r.Err())
			}
			end(t, f, c, info, r, cancel)
			cancel()
			r.Release()
		})
	}
}

func TestDeadline(t *testing.T) {
	f := start(t)
	info, err := f.client.Execute(context.Background(), "endless")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	r, err := f.client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("ended with %v", err)
	}
}

func TestShutdownTellsWhatItCutsOff(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "endless")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	over, end := context.WithCancel(ctx)
	end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.server.Shutdown(over)
	}()
	for r.Next() {
	}
	if status.Code(r.Err()) != codes.Unavailable || !strings.Contains(r.Err().Error(), "the server is stopping") {
		t.Errorf("ended with %v", r.Err())
	}
	<-done
}

func TestUnreadableTickets(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "rows 10")
	if err != nil {
		t.Fatal(err)
	}
	good := info.GetEndpoint()[0].GetTicket().GetTicket()
	tests := map[string][]byte{
		"empty": {}, "a letter": []byte("x"), "zeros": make([]byte, 100), "a name": []byte("people"), "JSON": []byte("{}"),
		"cut": good[:len(good)-1], "longer": append(slices.Clone(good), 0),
	}
	for i := range good {
		b := slices.Clone(good)
		b[i] ^= 1 << (i % 8)
		tests[fmt.Sprintf("bit of byte %d", i)] = b
	}
	for name, b := range tests {
		r, err := f.client.DoGet(ctx, &flight.Ticket{Ticket: b})
		if err == nil {
			r.Release()
			t.Errorf("%s: it was read", name)
		} else if c := status.Code(err); c != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.clock.Store(3700)
	if _, _, err := f.read(ctx, f.client, info); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an hour later: %v", err)
	}
}

// A cancel of which one ticket is bad is an error, and leaves the streams of all as they were, wherever the bad one stands.
func TestCancelOfABadTicketCancelsNothing(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "rows 1")
	if err != nil {
		t.Fatal(err)
	}
	good, bad := info.GetEndpoint()[0], &flight.FlightEndpoint{Ticket: &flight.Ticket{Ticket: []byte("x")}}
	for name, endpoints := range map[string][]*flight.FlightEndpoint{"first": {bad, good}, "last": {good, bad}, "alone": {bad}} {
		_, err := f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: &flight.FlightInfo{Endpoint: endpoints}})
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := f.read(ctx, f.client, info); err != nil {
			t.Errorf("%s, read afterwards: %v", name, err)
		}
	}
}

// TestTicketPinsVersions reads a ticket after the table has changed: it is the version of the info that is read.
func TestTicketPinsVersions(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "version")
	if err != nil {
		t.Fatal(err)
	}
	f.catalog.version.Store(9)
	renewed, err := f.client.RenewFlightEndpoint(ctx, &flight.RenewFlightEndpointRequest{Endpoint: info.GetEndpoint()[0]})
	if err != nil {
		t.Fatal(err)
	}
	for name, i := range map[string]*flight.FlightInfo{"first": info, "renewed": {Endpoint: []*flight.FlightEndpoint{renewed}}} {
		if got, _, err := f.read(ctx, f.client, i); err != nil || !slices.Equal(got, []string{"7"}) {
			t.Errorf("%s: %v, %v; want version 7", name, got, err)
		}
	}
	f.catalog.version.Store(3) // versions 4 to 9 were cleaned up
	if _, _, err := f.read(ctx, f.client, info); status.Code(err) != codes.NotFound {
		t.Errorf("a version that is gone: %v", err)
	}
}

func TestPreparedStatements(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	p, err := f.client.Prepare(ctx, "echo")
	if err != nil {
		t.Fatal(err)
	}
	if u, told := p.IsUpdate(); u || !told {
		t.Errorf("is_update %v, told %v", u, told)
	}
	if p.DatasetSchema().NumFields() != 1 || p.ParameterSchema().NumFields() != 1 || p.ParameterSchema().Field(0).Type.ID() != arrow.INT64 {
		t.Errorf("dataset %v, parameters %v", p.DatasetSchema(), p.ParameterSchema())
	}
	handle := slices.Clone(p.Handle())
	execute := func(values ...int64) ([]string, error) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int64}}, nil))
		defer b.Release()
		b.Field(0).(*array.Int64Builder).AppendValues(values, nil)
		batch := b.NewRecordBatch()
		defer batch.Release()
		p.SetParameters(batch)
		info, err := p.Execute(ctx)
		if err != nil {
			return nil, err
		}
		got, _, err := f.read(ctx, f.client, info)
		return got, err
	}
	for _, values := range [][]int64{{1}, {2, 3, 4}, {5}} {
		want := make([]string, len(values))
		for i, v := range values {
			want[i] = fmt.Sprint(v)
		}
		if got, err := execute(values...); err != nil || !slices.Equal(got, want) {
			t.Errorf("bound to %v: %v, %v", values, got, err)
		}
	}
	if !bytes.Equal(handle, p.Handle()) {
		t.Error("binding changed the handle")
	}
	f.clock.Add(3500)
	if _, err := execute(6); err != nil {
		t.Errorf("used within its time: %v", err)
	}
	f.clock.Add(3700)
	if _, err := execute(7); status.Code(err) != codes.NotFound {
		t.Errorf("after its time: %v", err)
	}
	if err := p.Close(ctx); err != nil {
		t.Errorf("closing one that is gone: %v", err)
	}
}

func TestPreparedWithoutParameters(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	p, err := f.client.Prepare(ctx, "rows 3")
	if err != nil {
		t.Fatal(err)
	}
	if p.ParameterSchema() == nil || p.ParameterSchema().NumFields() != 0 {
		t.Errorf("parameter schema %v, want an empty one", p.ParameterSchema())
	}
	direct, err := f.client.DoGet(ctx, &flight.Ticket{Ticket: descriptorOf(t, p)})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for direct.Next() {
		rows += int(direct.RecordBatch().NumRows())
	}
	direct.Release()
	if rows != 3 || direct.Err() != nil {
		t.Errorf("its command as a ticket: %d rows, %v", rows, direct.Err())
	}
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := fsql.NewPreparedStatement(f.client, p.Handle()).Execute(ctx); status.Code(err) != codes.NotFound {
		t.Errorf("after it was closed: %v", err)
	}
	if _, err := f.client.Execute(ctx, "echo"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a parameter without a value: %v", err)
	}
	if _, err := f.client.GetExecuteSchema(ctx, "echo"); err != nil {
		t.Errorf("its schema alone: %v", err)
	}
}

func descriptorOf(t *testing.T, p *fsql.PreparedStatement) []byte {
	t.Helper()
	info, err := p.Execute(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return info.GetFlightDescriptor().GetCmd()
}

func TestReceiveLimit(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	if _, err := f.client.Prepare(ctx, "version "+strings.Repeat("x", 5<<20)); err != nil {
		t.Errorf("5 MiB of SQL: %v", err)
	}
	if _, err := f.client.Execute(ctx, strings.Repeat("x", 129<<20)); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("129 MiB of SQL: %v", err)
	}
	if _, err := f.query(f.client, "rows 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRefusedCommands(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	c := f.client
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}}, nil), []arrow.Array{array.NewNull(1)}, 1)
	defer batch.Release()
	tests := map[string]struct {
		call func() error
		code codes.Code
	}{
		"substrait":         {func() error { _, err := c.ExecuteSubstrait(ctx, fsql.SubstraitPlan{}); return err }, codes.Unimplemented},
		"substrait update":  {func() error { _, err := c.ExecuteSubstraitUpdate(ctx, fsql.SubstraitPlan{}); return err }, codes.Unimplemented},
		"substrait prepare": {func() error { _, err := c.PrepareSubstrait(ctx, fsql.SubstraitPlan{}); return err }, codes.Unimplemented},
		"transaction":       {func() error { _, err := c.BeginTransaction(ctx); return err }, codes.Unimplemented},
		"query as update":   {func() error { _, err := c.ExecuteUpdate(ctx, "rows 1"); return err }, codes.InvalidArgument},
		"write":             {func() error { _, err := c.ExecuteUpdate(ctx, "fail permission"); return err }, codes.PermissionDenied},
		"ingest": {func() error {
			r, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
			if err != nil {
				return err
			}
			defer r.Release()
			_, err = c.ExecuteIngest(ctx, r, &fsql.ExecuteIngestOpts{Table: "t", TableDefinitionOptions: &fsql.TableDefinitionOptions{}})
			return err
		}, codes.PermissionDenied},
		"exchange": {func() error {
			s, err := c.Client.DoExchange(ctx)
			if err != nil {
				return err
			}
			_, err = s.Recv()
			return err
		}, codes.Unimplemented},
		"put without a word": {func() error {
			s, err := c.Client.DoPut(ctx)
			if err != nil {
				return err
			}
			if err := s.CloseSend(); err != nil {
				return err
			}
			_, err = s.Recv()
			return err
		}, codes.InvalidArgument},
		"put without a descriptor": {func() error {
			s, err := c.Client.DoPut(ctx)
			if err != nil {
				return err
			}
			if err := s.Send(&flight.FlightData{}); err != nil {
				return err
			}
			_, err = s.Recv()
			return err
		}, codes.InvalidArgument},
		"unknown action": {func() error {
			s, err := c.Client.DoAction(ctx, &flight.Action{Type: "Nonsense"})
			if err != nil {
				return err
			}
			_, err = s.Recv()
			return err
		}, codes.InvalidArgument},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.call(); status.Code(err) != tt.code {
				t.Errorf("%v, want code %v", err, tt.code)
			}
		})
	}
}

// TestLongCommands: commands far above the bound of a statement's text are refused before they are taken apart.
func TestLongCommands(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	text := "SELECT '" + strings.Repeat("x", 9<<20) + "'"
	_, err := f.client.Execute(ctx, text)
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "too long") {
		t.Errorf("info: %v", err)
	}
	_, err = f.client.GetExecuteSchema(ctx, text)
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "too long") {
		t.Errorf("schema: %v", err)
	}
}

// TestIngestNames: names and options are checked before writing is refused.
func TestIngestNames(t *testing.T) {
	exists, missing := fsql.TableDefinitionOptionsTableExistsOptionFail, fsql.TableDefinitionOptionsTableNotExistOptionFail
	text := func(s string) *string { return &s }
	for name, server := range map[string]struct {
		change  func(*flightsql.Config)
		refused codes.Code
	}{
		"read only": {func(*flightsql.Config) {}, codes.PermissionDenied},
		"writable":  {func(c *flightsql.Config) { c.Views = noViews{} }, codes.Unimplemented},
	} {
		f := start(t, server.change)
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}}, nil), []arrow.Array{array.NewNull(1)}, 1)
		for what, tt := range map[string]struct {
			options *fsql.ExecuteIngestOpts
			want    codes.Code
		}{
			"new":                   {&fsql.ExecuteIngestOpts{Table: "t"}, server.refused},
			"create what there is":  {&fsql.ExecuteIngestOpts{Table: "people", TableDefinitionOptions: &fsql.TableDefinitionOptions{IfExists: exists}}, codes.AlreadyExists},
			"append to what is not": {&fsql.ExecuteIngestOpts{Table: "t", TableDefinitionOptions: &fsql.TableDefinitionOptions{IfNotExist: missing}}, codes.NotFound},
			"append":                {&fsql.ExecuteIngestOpts{Table: "People", TableDefinitionOptions: &fsql.TableDefinitionOptions{IfNotExist: missing}}, server.refused},
			"no such schema":        {&fsql.ExecuteIngestOpts{Table: "t", Schema: text("nope")}, codes.NotFound},
			"no such catalog":       {&fsql.ExecuteIngestOpts{Table: "t", Catalog: text("nope")}, codes.NotFound},
			"a schema":              {&fsql.ExecuteIngestOpts{Table: "obs", Schema: text("geo"), TableDefinitionOptions: &fsql.TableDefinitionOptions{IfExists: exists}}, codes.AlreadyExists},
		} {
			r, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
			if err != nil {
				t.Fatal(err)
			}
			if tt.options.TableDefinitionOptions == nil {
				tt.options.TableDefinitionOptions = &fsql.TableDefinitionOptions{}
			}
			if _, err := f.client.ExecuteIngest(context.Background(), r, tt.options); status.Code(err) != tt.want {
				t.Errorf("%s, %s: %v, want %v", name, what, err, tt.want)
			}
			r.Release()
		}
		for path, want := range map[string]codes.Code{
			"t": server.refused, "people": server.refused, "geo.t": server.refused, "lance.geo.obs": server.refused, "nope.t": codes.NotFound,
			"nope.geo.t": codes.NotFound, "": codes.InvalidArgument, "a.b.c.d": codes.InvalidArgument, "geo.": codes.InvalidArgument,
		} {
			if err := putOn(f, strings.Split(path, ".")); status.Code(err) != want {
				t.Errorf("%s, a put on %q: %v, want %v", name, path, err, want)
			}
		}
		batch.Release()
	}
}

// putOn puts on a path, and gives what the server says.
func putOn(f *fixture, path []string) error {
	s, err := f.client.Client.DoPut(context.Background())
	if err != nil {
		return err
	}
	if err := s.Send(&flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: path}}); err != nil {
		return err
	}
	_, err = s.Recv()
	return err
}

// noViews keeps nothing.
type noViews struct{ flightsql.ViewStore }

// TestRefusedActions: savepoints and ends of transactions, which the client only sends for a transaction that it has.
func TestRefusedActions(t *testing.T) {
	f := start(t)
	for name, body := range map[string]proto.Message{
		fsql.BeginSavepointActionType: &pb.ActionBeginSavepointRequest{TransactionId: []byte("t"), Name: "s"},
		fsql.EndSavepointActionType:   &pb.ActionEndSavepointRequest{SavepointId: []byte("s"), Action: pb.ActionEndSavepointRequest_END_SAVEPOINT_RELEASE},
		fsql.EndTransactionActionType: &pb.ActionEndTransactionRequest{TransactionId: []byte("t"), Action: pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT},
	} {
		var command anypb.Any
		if err := command.MarshalFrom(body); err != nil {
			t.Fatal(err)
		}
		data, err := proto.Marshal(&command)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.client.Client.DoAction(context.Background(), &flight.Action{Type: name, Body: data})
		if err == nil {
			_, err = s.Recv()
		}
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFaultyActions: an action that there is not, and bodies that hold nothing of the kind.
func TestFaultyActions(t *testing.T) {
	f := start(t)
	act := func(name string, body []byte) error {
		s, err := f.client.Client.DoAction(context.Background(), &flight.Action{Type: name, Body: body})
		if err == nil {
			_, err = s.Recv()
		}
		return err
	}
	for name, want := range map[string]string{
		"CreatePreparedStatment": `there is no action "CreatePreparedStatment"; near it: CreatePreparedStatement, ClosePreparedStatement; ListActions tells all`,
		"HealthCheck":            `there is no action "HealthCheck"; ListActions tells all`,
		"":                       `there is no action ""; ListActions tells all`,
	} {
		if err := act(name, nil); status.Code(err) != codes.InvalidArgument || status.Convert(err).Message() != want {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	list, err := f.client.Client.ListActions(context.Background(), &flight.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for a, err := list.Recv(); !errors.Is(err, io.EOF); a, err = list.Recv() {
		if err != nil {
			t.Fatal(err)
		}
		if err := act(a.GetType(), []byte("\xff\xff\xff")); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s with a body of nonsense: %v", a.GetType(), err)
		}
	}
}

// TestCancelWhatIsOver: what was read, or canceled, can be canceled; nothing more is read of it then.
func TestCancelWhatIsOver(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "rows 3")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := f.read(ctx, f.client, info); err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	for range 2 {
		got, err := f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: info})
		if err != nil || got.GetStatus() != flight.CancelStatusCancelled {
			t.Errorf("%v, %v", got, err)
		}
		old, err := f.client.CancelQuery(ctx, info) //nolint:staticcheck // what older clients send
		if err != nil || old != fsql.CancelResultCancelled {
			t.Errorf("the older form: %v, %v", old, err)
		}
	}
	if _, _, err := f.read(ctx, f.client, info); status.Code(err) != codes.Canceled {
		t.Errorf("reading it again: %v", err)
	}
	tables, err := f.client.GetTableTypes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: tables}); err != nil || got.GetStatus() != flight.CancelStatusNotCancellable {
		t.Errorf("metadata, which is over at once: %v, %v", got, err)
	}
	f.clock.Store(2 * 3600)
	if _, err := f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: info}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a ticket that has expired: %v", err)
	}
}

// TestPollTellsNoProgress: the info is whole at once, and the query runs when it is read.
func TestPollTellsNoProgress(t *testing.T) {
	f := start(t)
	got, err := f.client.ExecutePoll(context.Background(), "rows 3", nil)
	if err != nil || got.GetFlightDescriptor() != nil || got.Progress != nil || len(got.GetInfo().GetEndpoint()) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if rows, _, err := f.read(context.Background(), f.client, got.GetInfo()); err != nil || len(rows) != 3 {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestRenewedTickets(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	info, err := f.client.Execute(ctx, "rows 3")
	if err != nil {
		t.Fatal(err)
	}
	f.clock.Store(50 * 60)
	renewed, err := f.client.RenewFlightEndpoint(ctx, &flight.RenewFlightEndpointRequest{Endpoint: info.Endpoint[0]})
	if err != nil {
		t.Fatal(err)
	}
	if was, is := info.Endpoint[0].GetExpirationTime().AsTime(), renewed.GetExpirationTime().AsTime(); is.Sub(was) < 45*time.Minute {
		t.Errorf("expires at %v, before at %v", is, was)
	}
	f.clock.Store(100 * 60)
	if _, _, err := f.read(ctx, f.client, info); status.Code(err) != codes.InvalidArgument {
		t.Errorf("the ticket that was not renewed: %v", err)
	}
	info.Endpoint[0] = renewed
	if got, _, err := f.read(ctx, f.client, info); err != nil || len(got) != 3 {
		t.Errorf("the renewed ticket: %v, %v", got, err)
	}
	if _, err := f.client.RenewFlightEndpoint(ctx, &flight.RenewFlightEndpointRequest{Endpoint: &flight.FlightEndpoint{Ticket: &flight.Ticket{Ticket: []byte("x")}}}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("garbage: %v", err)
	}
}
