package flightsql

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/metadata"
)

// Handshake answers any client that logs in, whatever it sends: no credentials are configured, so none are checked. The
// token that it gives names a session.
func (e *edge) Handshake(stream flight.FlightService_HandshakeServer) error {
	token := e.s.seal.newToken()
	if err := stream.SetHeader(metadata.Pairs("authorization", "Bearer "+token)); err != nil {
		return err
	}
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// The older form of the handshake sends its credentials as payload and waits for a token as payload.
		if len(r.GetPayload()) > 0 {
			if err := stream.Send(&flight.HandshakeResponse{ProtocolVersion: r.GetProtocolVersion(), Payload: []byte(token)}); err != nil {
				return err
			}
		}
	}
}
