package flightsql

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
)

// Handshake gives a token to who proves to be a user: by the header authorization (Basic, or a token that is still good),
// or by a flight.BasicAuth as payload, the older form, which waits for the token as payload. An open server answers
// whatever it is sent. The token names a session, which begins with it. How much a client may send, and how long it may
// take, is bounded by the stream.
func (e *edge) Handshake(stream flight.FlightService_HandshakeServer) error {
	ctx, stop := context.WithTimeoutCause(stream.Context(), strangerTime, errStrangerTime)
	defer stop()
	who, err := e.s.callerFrom(ctx)
	md, _ := metadata.FromIncomingContext(ctx)
	payloadAsked := errors.Is(err, errCredentials) && len(md.Get("authorization")) == 0
	if err != nil && !payloadAsked {
		return err
	}
	token := ""
	if !payloadAsked {
		if token, err = e.giveToken(stream, who); err != nil {
			return err
		}
	}
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if token == "" {
				return errCredentials
			}
			return nil
		}
		if token != "" && (errors.Is(err, errStrangerTime) || errors.Is(err, errStrangers)) {
			return nil // who has logged in need not send more
		}
		if err != nil {
			return err
		}
		if len(r.GetPayload()) == 0 {
			continue
		}
		if token == "" {
			if token, err = e.tokenForPayload(ctx, stream, r.GetPayload()); err != nil {
				return err
			}
		}
		if err := stream.Send(&flight.HandshakeResponse{ProtocolVersion: r.GetProtocolVersion(), Payload: []byte(token)}); err != nil {
			return err
		}
	}
}

func (e *edge) tokenForPayload(ctx context.Context, stream flight.FlightService_HandshakeServer, payload []byte) (string, error) {
	var basic flight.BasicAuth
	if err := proto.Unmarshal(payload, &basic); err != nil {
		return "", errCredentials
	}
	who, err := e.s.logIn(ctx, basic.GetUsername(), basic.GetPassword())
	if err != nil {
		return "", err
	}
	return e.giveToken(stream, who)
}

// giveToken begins a session, and sends a token for it as header. Each Handshake is a client that connects, so a token
// that it came with gives no share in that token's session.
func (e *edge) giveToken(stream flight.FlightService_HandshakeServer, who caller) (string, error) {
	callOf(stream.Context()).User = who.user
	id := newID()
	token, err := e.s.newToken(id, who.user)
	if errors.Is(err, errs.ErrNotFound) {
		err = errCredentials // removed meanwhile
	}
	if err != nil {
		return "", err
	}
	e.s.beginSession(id, who.user)
	return token, stream.SetHeader(metadata.Pairs("authorization", "Bearer "+token))
}
