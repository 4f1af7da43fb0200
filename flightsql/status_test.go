package flightsql_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lanceflight/flightsrv/flightsql"
)

// errorCodes has the code of each of the fakes' failures.
var errorCodes = map[string]codes.Code{
	"invalid": codes.InvalidArgument, "notfound": codes.NotFound, "unsupported": codes.Unimplemented, "sqlrefused": codes.InvalidArgument,
	"corrupt": codes.DataLoss, "exists": codes.AlreadyExists, "conflict": codes.Aborted, "permission": codes.PermissionDenied,
	"unauth": codes.Unauthenticated, "exhausted": codes.ResourceExhausted, "canceled": codes.Canceled, "unavailable": codes.Unavailable,
	"internal": codes.Internal, "plain": codes.Internal,
}

// hasPath tells whether a text holds what looks like a path of the server's disk, or a stack trace.
func hasPath(text string) bool {
	for _, bad := range []string{"/srv", "goroutine", ".go:", "panic"} {
		if strings.Contains(text, bad) {
			return true
		}
	}
	return false
}

func TestErrorCodes(t *testing.T) {
	f := start(t)
	check := func(name string, err error, want codes.Code) {
		t.Helper()
		if status.Code(err) != want {
			t.Errorf("%s: %v, want code %v", name, err, want)
		}
		if err != nil && hasPath(err.Error()) {
			t.Errorf("%s: the text tells too much: %v", name, err)
		}
	}
	for kind := range failures {
		want, known := errorCodes[kind]
		if !known {
			t.Errorf("no code for %s", kind)
		}
		_, err := f.query(f.client, "fail "+kind)
		check("planning, "+kind, err, want)
		rows, err := f.query(f.client, "later "+kind)
		check("running, "+kind, err, want)
		if len(rows) != 1000 {
			t.Errorf("running, %s: %d rows came before", kind, len(rows))
		}
	}
	_, err := f.query(f.client, "panic")
	check("panic at planning", err, codes.Internal)
	_, err = f.query(f.client, "later-panic")
	check("panic while running", err, codes.Internal)
	if _, err := f.query(f.client, "rows 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestHiddenErrorsAreLogged finds the whole error under the id that the client was told.
func TestHiddenErrorsAreLogged(t *testing.T) {
	f := start(t)
	_, err := f.client.Execute(context.Background(), "fail plain")
	call := <-f.calls
	if call.ErrorID == "" || !strings.Contains(err.Error(), call.ErrorID) || !strings.Contains(call.Detail, "/srv/data/t.lance") {
		t.Errorf("client: %v\nlog: %+v", err, call)
	}
	if call.Method != "GetFlightInfo" || call.Code != codes.Internal || call.Duration < 0 {
		t.Errorf("log: %+v", call)
	}
	if _, err := f.query(f.client, "rows 1500"); err != nil {
		t.Fatal(err)
	}
	<-f.calls // GetFlightInfo
	if call := <-f.calls; call.Method != "DoGet" || call.Rows != 1500 || call.Bytes < 1500*8 || call.Code != codes.OK {
		t.Errorf("log: %+v", call)
	}
}

func TestLongErrorsAreCut(t *testing.T) {
	f := start(t)
	failures["long"] = errors.Join(failures["invalid"], errors.New(strings.Repeat("ß", 10_000)+"\xff"))
	t.Cleanup(func() { delete(failures, "long") })
	_, err := f.client.Execute(context.Background(), "fail long")
	if s := status.Convert(err); s.Code() != codes.InvalidArgument || len(s.Message()) > 2100 || !strings.Contains(s.Message(), "line 3") {
		t.Errorf("%d bytes: %.100s", len(s.Message()), s.Message())
	}
}

// TestFaultsAreShown: the client gets the line with a caret, the log does not.
func TestFaultsAreShown(t *testing.T) {
	a := asking(t, startReal(t))
	_, err := a.first("SELECT id,\n\tidd FROM worked")
	want := "table lance.main.worked has no column idd (line 2, column 2): did you mean \"id\"?\n idd FROM worked\n ^"
	if got := status.Convert(err).Message(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	ids := strings.Repeat("id, ", 500)
	_, err = a.first("SELECT " + ids + "idd, " + ids + "id FROM worked")
	want = "\n…" + ids[:40] + "idd, " + ids[:35] + "…\n" + strings.Repeat(" ", 41) + "^"
	if got := status.Convert(err).Message(); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the end %q", got, want)
	}
	f := start(t, func(c *flightsql.Config) { c.Planner = flightsql.SQL{} })
	_, err = f.client.Execute(context.Background(), "SELECT 'a secret' FROM WHERE")
	call := <-f.calls
	if !strings.Contains(err.Error(), "a secret") || strings.Contains(call.Error, "a secret") || !strings.Contains(call.Error, "(line 1, column 24)") {
		t.Errorf("client: %v\nlog: %s", err, call.Error)
	}
}
