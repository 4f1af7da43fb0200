package flightsql

import (
	"context"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"

	"github.com/lanceflight/flightsrv/errs"
)

// maxCanceled bounds the memory of which tickets were canceled before they were read.
const maxCanceled = 10_000

var errStopped = errs.New(errs.ErrCanceled, "the query was canceled")

// running knows the streams that tickets have open, and the tickets that were canceled. It is safe for concurrent use.
type running struct {
	mu       sync.Mutex
	streams  map[string]map[*context.CancelCauseFunc]struct{}
	canceled *kept[struct{}]
}

func newRunning(now func() time.Time) *running {
	return &running{streams: map[string]map[*context.CancelCauseFunc]struct{}{}, canceled: newKept[struct{}](maxCanceled, maxCanceled, ticketLife, now)}
}

// start gives the context of a ticket's stream; end must be called when it is over.
func (r *running) start(ctx context.Context, id string) (_ context.Context, end func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, gone := r.canceled.get(id); gone {
		return nil, nil, errStopped
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if r.streams[id] == nil {
		r.streams[id] = map[*context.CancelCauseFunc]struct{}{}
	}
	r.streams[id][&cancel] = struct{}{}
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.streams[id], &cancel)
		if len(r.streams[id]) == 0 {
			delete(r.streams, id)
		}
	}, nil
}

// cancel stops the streams of a ticket, and those that would be opened later.
func (r *running) cancel(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.canceled.put(id, struct{}{}, 1)
	for c := range r.streams[id] {
		(*c)(errStopped)
	}
}

// CancelFlightInfo stops all streams of an info's tickets.
func (s *Server) CancelFlightInfo(ctx context.Context, r *flight.CancelFlightInfoRequest) (flight.CancelFlightInfoResult, error) {
	if len(r.GetInfo().GetEndpoint()) == 0 {
		return flight.CancelFlightInfoResult{}, errs.Invalidf("the FlightInfo to cancel has no endpoint")
	}
	result := flight.CancelStatusCancelled
	var ids []string // canceled when all tickets are known to be good: an error leaves all as they were
	for _, e := range r.GetInfo().GetEndpoint() {
		cmd, err := ticketCommand(e.GetTicket().GetTicket())
		if err != nil {
			return flight.CancelFlightInfoResult{}, err
		}
		sealed, ok := cmd.(*pb.TicketStatementQuery)
		if !ok {
			result = flight.CancelStatusNotCancellable // a metadata command is over before it can be canceled
			continue
		}
		t, err := s.seal.open(sealed.GetStatementHandle(), callerOf(ctx).user)
		if err != nil {
			return flight.CancelFlightInfoResult{}, err
		}
		ids = append(ids, t.ID)
	}
	for _, id := range ids {
		s.running.cancel(id)
	}
	return flight.CancelFlightInfoResult{Status: result}, nil
}

// RenewFlightEndpoint gives a ticket for the same query that expires later.
func (s *Server) RenewFlightEndpoint(ctx context.Context, r *flight.RenewFlightEndpointRequest) (*flight.FlightEndpoint, error) {
	cmd, err := ticketCommand(r.GetEndpoint().GetTicket().GetTicket())
	if err != nil {
		return nil, err
	}
	sealed, ok := cmd.(*pb.TicketStatementQuery)
	if !ok {
		return r.GetEndpoint(), nil // the tickets of metadata commands don't expire
	}
	t, err := s.seal.open(sealed.GetStatementHandle(), callerOf(ctx).user)
	if err != nil {
		return nil, err
	}
	return s.endpoint(t.ID, t.Query)
}
