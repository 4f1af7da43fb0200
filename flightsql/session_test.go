package flightsql_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/lanceflight/flightsrv/flightsql"
)

func options(t *testing.T, ctx context.Context, c *fsql.Client) map[string]string {
	t.Helper()
	got, err := c.GetSessionOptions(ctx, &flight.GetSessionOptionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for k, v := range got.GetSessionOptions() {
		out[k] = v.GetStringValue()
	}
	return out
}

func setOptions(t *testing.T, ctx context.Context, c *fsql.Client, set map[string]any) map[string]*flight.SetSessionOptionsResultError {
	t.Helper()
	values, err := flight.NewSessionOptionValues(set)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.SetSessionOptions(ctx, &flight.SetSessionOptionsRequest{SessionOptions: values})
	if err != nil {
		t.Fatal(err)
	}
	return got.GetErrors()
}

func wantOptions(t *testing.T, got map[string]string, catalog, schema, timezone string) {
	t.Helper()
	if got["catalog"] != catalog || got["schema"] != schema || got["timezone"] != timezone {
		t.Errorf("options %v, want %s, %s, %s", got, catalog, schema, timezone)
	}
}

// awaitSession waits until the client sends its session's cookie: it takes the headers of an answer beside the call's
// return, and a call sent before that would begin another session.
func awaitSession(t *testing.T, ctx context.Context, c *fsql.Client) {
	t.Helper()
	for range 1000 {
		if options(t, ctx, c)["timezone"] != "UTC" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the client never sends the session's cookie")
}

// awaitNone waits until a client has dropped the cookie of a session that it closed, which it does in its own time too.
func awaitNone(t *testing.T, ctx context.Context, c *fsql.Client) {
	t.Helper()
	for range 1000 {
		if _, err := c.GetSessionOptions(ctx, &flight.GetSessionOptionsRequest{}); status.Code(err) != codes.Unauthenticated {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the client goes on sending the cookie of a closed session")
}

func TestSessionByCookie(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	c := f.dial(flight.NewClientCookieMiddleware())
	wantOptions(t, options(t, ctx, c), "lance", "main", "UTC")
	faults := setOptions(t, ctx, c, map[string]any{"schema": "geo", "timezone": "Europe/Berlin", "nonsense": "x", "catalog": int64(3)})
	if len(faults) != 2 || faults["nonsense"].GetValue() != flight.SetSessionOptionsResultErrorInvalidName || faults["catalog"].GetValue() != flight.SetSessionOptionsResultErrorInvalidValue {
		t.Errorf("faults %v", faults)
	}
	awaitSession(t, ctx, c)
	wantOptions(t, options(t, ctx, c), "lance", "geo", "Europe/Berlin")
	wantOptions(t, options(t, ctx, f.client), "lance", "main", "UTC")
	for option, value := range map[string]string{"catalog": "nope", "schema": "nope", "timezone": "Nowhere/Land"} {
		if faults := setOptions(t, ctx, c, map[string]any{option: value}); faults[option].GetValue() != flight.SetSessionOptionsResultErrorInvalidValue {
			t.Errorf("%s = %s: %v", option, value, faults)
		}
	}
	// another catalog begins in its main schema
	if faults := setOptions(t, ctx, c, map[string]any{"catalog": "alt"}); len(faults) != 0 {
		t.Errorf("faults %v", faults)
	}
	wantOptions(t, options(t, ctx, c), "alt", "main", "Europe/Berlin")
	// a prepared statement keeps the options of the time it was prepared
	p, err := c.Prepare(ctx, "show catalog")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"use lance.geo", "set timezone Asia/Tokyo"} {
		if _, err := c.ExecuteUpdate(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	wantOptions(t, options(t, ctx, c), "lance", "geo", "Asia/Tokyo")
	info, err := p.Execute(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := f.read(ctx, c, info); err != nil || len(got) != 1 || got[0] != "alt" {
		t.Errorf("prepared before: %v, %v", got, err)
	}
	if got, err := f.query(c, "show timezone"); err != nil || len(got) != 1 || got[0] != "Asia/Tokyo" {
		t.Errorf("show: %v, %v", got, err)
	}
	closed, err := c.CloseSession(ctx, &flight.CloseSessionRequest{})
	if err != nil || closed.GetStatus() != flight.CloseSessionResultClosed {
		t.Errorf("close: %v, %v", closed, err)
	}
	awaitNone(t, ctx, c)
	wantOptions(t, options(t, ctx, c), "lance", "main", "UTC")
}

func TestSessionByToken(t *testing.T) {
	f := start(t)
	ctx, err := f.client.Client.AuthenticateBasicToken(context.Background(), "someone", "something")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.client.ExecuteUpdate(ctx, "use geo"); err != nil {
		t.Fatal(err)
	}
	wantOptions(t, options(t, ctx, f.client), "lance", "geo", "UTC")
	wantOptions(t, options(t, context.Background(), f.client), "lance", "main", "UTC")
	made := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer None")
	wantOptions(t, options(t, made, f.client), "lance", "main", "UTC")
}

func TestNoSession(t *testing.T) {
	f := start(t)
	ctx := context.Background()
	for _, text := range []string{"set timezone UTC", "use geo"} {
		if _, err := f.client.ExecuteUpdate(ctx, text); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s as an update: %v", text, err)
		}
		if _, err := f.client.Execute(ctx, text); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s as a query: %v", text, err)
		}
	}
	if _, err := f.client.CloseSession(ctx, &flight.CloseSessionRequest{}); err != nil {
		t.Errorf("closing no session: %v", err)
	}
}

// TestUseOfNames: a name that is none is told with the nearest one, and with the catalogs.
func TestUseOfNames(t *testing.T) {
	f := start(t)
	ctx := logIn(t, f, "x", "y")
	for text, want := range map[string]string{
		"use gea":     "catalog lance has no schema gea; near it: geo; no catalog has the name either, there are lance, alt (line 1, column 1)",
		"use lance.x": "catalog lance has no schema x (line 1, column 1)",
		"use lnce.x":  "there is no catalog lnce; there are lance, alt (line 1, column 1)",
	} {
		if _, err := f.client.ExecuteUpdate(ctx, text); status.Code(err) != codes.NotFound || status.Convert(err).Message() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string][2]string{"use GEO": {"lance", "geo"}, "use alt": {"alt", "main"}, "use Lance.geo": {"lance", "geo"}} {
		if _, err := f.client.ExecuteUpdate(ctx, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		wantOptions(t, options(t, ctx, f.client), want[0], want[1], "UTC")
		if _, err := f.client.CloseSession(ctx, &flight.CloseSessionRequest{}); err != nil {
			t.Fatal(err)
		}
	}
}

// sessionCalls are the calls the answer to which depends on what was set in the session.
func sessionCalls(ctx context.Context, c *fsql.Client) map[string]error {
	out := map[string]error{}
	sql := flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("rows 1")}
	path := flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"people"}}
	_, out["Execute"] = c.Execute(ctx, "rows 1")
	_, out["ExecuteUpdate"] = c.ExecuteUpdate(ctx, "use geo")
	_, out["GetExecuteSchema"] = c.GetExecuteSchema(ctx, "rows 1")
	_, out["Prepare"] = c.Prepare(ctx, "rows 1")
	_, out["plain SQL"] = c.Client.GetFlightInfo(ctx, &sql)
	_, out["a path"] = c.Client.GetFlightInfo(ctx, &path)
	_, out["PollFlightInfo"] = c.Client.PollFlightInfo(ctx, &sql)
	list, err := c.Client.ListFlights(ctx, &flight.Criteria{})
	for err == nil {
		_, err = list.Recv()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	out["ListFlights"] = err
	_, out["GetSessionOptions"] = c.GetSessionOptions(ctx, &flight.GetSessionOptionsRequest{})
	values, err := flight.NewSessionOptionValues(map[string]any{"timezone": "Asia/Tokyo"})
	if err == nil {
		_, err = c.SetSessionOptions(ctx, &flight.SetSessionOptionsRequest{SessionOptions: values})
	}
	out["SetSessionOptions"] = err
	return out
}

// TestSessionsEnd: who names a session that is not there is told so by each call that depends on it, whichever way the
// session was lost, and gets no answer by the defaults. All else is answered, and CloseSession leaves what was lost.
func TestSessionsEnd(t *testing.T) {
	key := []byte("0123456789abcdef")
	share := func(c *flightsql.Config) { c.TicketKey = key }
	shareUsers := func(c *flightsql.Config) { c.TicketKey, c.Users = key, &fakeUsers{names: testUsers} }
	token := func(f *fixture) context.Context { return logIn(t, f, "ann", testUsers["ann"]) }
	open, openAgain := start(t), start(t)
	keyed, keyedAgain := start(t, share), start(t, share)
	users, usersAgain := start(t, shareUsers), start(t, shareUsers)
	idle := start(t)
	old := token(idle)
	idle.clock.Store(int64((25 * time.Hour) / time.Second))
	for name, tt := range map[string]struct {
		at        *fixture
		ctx       context.Context
		goesOnNew bool // after CloseSession
	}{
		"token of an open server before a restart": {openAgain, token(open), false},
		"the same, with a key that lasts":          {keyedAgain, token(keyed), true},
		"token of a server with users":             {usersAgain, token(users), true},
		"token that was not used for a day":        {idle, old, true},
		"a cookie":                                 {open, withHeader("cookie", "arrow_flight_session_id=0123"), false},
		"a cookie beside a good token": {users, metadata.AppendToOutgoingContext(token(users), "cookie", "arrow_flight_session_id=0123"),
			false},
	} {
		t.Run(name, func(t *testing.T) {
			for call, err := range sessionCalls(tt.ctx, tt.at.client) {
				if status.Code(err) != codes.Unauthenticated || !strings.Contains(err.Error(), "session of this connection has ended") {
					t.Errorf("%s: %v", call, err)
				}
			}
			fresh := context.Background()
			if tt.at == users || tt.at == usersAgain {
				fresh = as("ann")
			}
			info, err := tt.at.client.Execute(fresh, "rows 2")
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := tt.at.read(tt.ctx, tt.at.client, info); err != nil || len(got) != 2 {
				t.Errorf("a ticket, which tells all by itself: %v, %v", got, err)
			}
			if _, err := tt.at.client.CloseSession(tt.ctx, &flight.CloseSessionRequest{}); err != nil {
				t.Errorf("closing it: %v", err)
			}
			if tt.goesOnNew {
				wantOptions(t, options(t, tt.ctx, tt.at.client), "lance", "main", "UTC")
			}
		})
	}
}

// TestTokensOfOneUser: each Handshake begins a session of its own, also one with another's token.
func TestTokensOfOneUser(t *testing.T) {
	f, _ := closed(t)
	one := logIn(t, f, "ann", testUsers["ann"])
	if _, err := f.client.ExecuteUpdate(one, "use geo"); err != nil {
		t.Fatal(err)
	}
	stream, err := f.client.Client.Handshake(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	header, err := stream.Header()
	if err != nil || len(header.Get("authorization")) != 1 {
		t.Fatalf("%v, %v", header, err)
	}
	two := withHeader("authorization", header.Get("authorization")[0])
	wantOptions(t, options(t, two, f.client), "lance", "main", "UTC")
	if _, err := f.client.CloseSession(two, &flight.CloseSessionRequest{}); err != nil {
		t.Fatal(err)
	}
	wantOptions(t, options(t, one, f.client), "lance", "geo", "UTC")
	if _, err := f.client.CloseSession(one, &flight.CloseSessionRequest{}); err != nil {
		t.Fatal(err)
	}
	wantOptions(t, options(t, one, f.client), "lance", "main", "UTC")
}

func TestOptionHeaders(t *testing.T) {
	f := start(t)
	header := func(kv ...string) context.Context {
		return metadata.AppendToOutgoingContext(context.Background(), kv...)
	}
	wantOptions(t, options(t, header("x-flightsrv-schema", "main", "x-flightsrv-catalog", "alt", "x-flightsrv-timezone", "Asia/Tokyo"), f.client), "alt", "main", "Asia/Tokyo")
	for name, ctx := range map[string]context.Context{
		"unknown option": header("x-flightsrv-nonsense", "1"),
		"unknown zone":   header("x-flightsrv-timezone", "Nowhere/Land"),
	} {
		if _, err := f.client.Execute(ctx, "rows 1"); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.client.Execute(header("x-flightsrv-catalog", "nope"), "rows 1"); status.Code(err) != codes.NotFound {
		t.Errorf("unknown catalog: %v", err)
	}
	// a header of the info's call decides, not one of the read's
	info, err := f.client.Execute(header("x-flightsrv-timezone", "Asia/Tokyo"), "show timezone")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := f.read(context.Background(), f.client, info); err != nil || len(got) != 1 || got[0] != "Asia/Tokyo" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNestedOption(t *testing.T) {
	f := start(t, func(c *flightsql.Config) { c.Options = map[string]string{"nested": "JSON", "timezone": "Asia/Tokyo"} })
	ctx := context.Background()
	if got := options(t, ctx, f.client); got["nested"] != "json" || got["timezone"] != "Asia/Tokyo" {
		t.Errorf("defaults %v", got)
	}
	if got := options(t, metadata.AppendToOutgoingContext(ctx, "x-flightsrv-nested", "flatten"), f.client); got["nested"] != "flatten" {
		t.Errorf("by a header: %v", got)
	}
	bad := metadata.AppendToOutgoingContext(ctx, "x-flightsrv-nested", "flat")
	if _, err := f.client.Execute(bad, "rows 1"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a mode that there is not: %v", err)
	}
	for _, options := range []map[string]string{{"nested": "flat"}, {"nope": "x"}, {"catalog": "nope"}} {
		if _, err := flightsql.New(flightsql.Config{Catalog: newFakeCatalog(), Engine: &fakeEngine{}, Options: options}); err == nil {
			t.Errorf("%v is taken as defaults", options)
		}
	}
}

// TestCompression: the same rows in fewer bytes.
func TestCompression(t *testing.T) {
	f := start(t)
	bytes := map[string]int64{}
	for _, codec := range []string{"none", "lz4", "ZSTD"} {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "x-flightsrv-compression", codec)
		info, err := f.client.Execute(ctx, "rows 5000")
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := f.read(context.Background(), f.client, info)
		if err != nil || len(got) != 5000 || got[4321] != "4321" {
			t.Fatalf("%s: %d rows, %v", codec, len(got), err)
		}
		for c := range f.calls {
			if c.Method == "DoGet" {
				bytes[codec] = c.Bytes
				break
			}
		}
	}
	if bytes["lz4"] >= bytes["none"] || bytes["ZSTD"] >= bytes["lz4"] {
		t.Errorf("bytes sent: %v", bytes)
	}
	bad := metadata.AppendToOutgoingContext(context.Background(), "x-flightsrv-compression", "gzip")
	if _, err := f.client.Execute(bad, "rows 1"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a codec that there is not: %v", err)
	}
}
