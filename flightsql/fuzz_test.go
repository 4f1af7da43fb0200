package flightsql_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// allowed are the codes that made-up input may end in.
func allowed(c codes.Code) bool {
	return c == codes.OK || c == codes.InvalidArgument || c == codes.NotFound || c == codes.Unimplemented || c == codes.DataLoss || c == codes.PermissionDenied
}

// FuzzTicket reads made-up tickets.
func FuzzTicket(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x0a\x30type.googleapis.com/arrow.flight.protocol.sql.CommandGetTables\x12\x02\x28\x01"))
	f.Add([]byte("\x0a\x45type.googleapis.com/arrow.flight.protocol.sql.TicketStatementQuery\x12\x24\x0a\x22\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
	fix := start(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := fix.client.DoGet(context.Background(), &flight.Ticket{Ticket: b})
		if err == nil {
			for r.Next() {
			}
			err = r.Err()
			r.Release()
		}
		if !allowed(status.Code(err)) {
			t.Errorf("%q: %v", b, err)
		}
	})
}

// FuzzScanJSON reads made-up commands: only what encoding/json reads as an object may be taken for a scan.
func FuzzScanJSON(f *testing.F) {
	f.Add([]byte(`{"table": "people", "version": 7, "columns": ["id", "s.a"], "filter": "", "limit": 10, "offset": 0, "with_row_id": true}`))
	f.Add([]byte(`{"table": "people", "limit": 1e2}`))
	f.Add([]byte(`{"table": {"a": [[[[]]]]}}`))
	f.Add([]byte(`{"version": 18446744073709551616, "table": "people"}`))
	fix := start(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := fix.client.Client.GetSchema(context.Background(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: append([]byte("{"), b...)})
		if !allowed(status.Code(err)) {
			t.Errorf("%q: %v", b, err)
		}
		var object map[string]json.RawMessage
		if err == nil && json.Unmarshal(append([]byte("{"), b...), &object) != nil {
			t.Errorf("%q was taken, though it is no JSON object", b)
		}
	})
}
