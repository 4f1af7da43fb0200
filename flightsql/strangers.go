package flightsql

import (
	"context"
	"encoding/binary"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
)

// Bounds of the calls that are taken from anybody: Handshake, which brings credentials, and those of the health service.
const (
	// strangerTime is how long a stranger's messages may take to come, and a login to be checked.
	strangerTime = 20 * time.Second
	// maxStrangerBytes bounds a stranger's message: a name and a password, or another server's token.
	maxStrangerBytes = 16 << 10
	// maxStrangers bounds how many strangers' messages are waited for at once.
	maxStrangers = 1000
)

var (
	errStrangerTime = errs.New(errs.ErrUnauthenticated, "what the call has to bring did not come, or could not be checked, within %s", strangerTime)
	errStrangers    = errs.New(errs.ErrUnavailable, "too many clients are logging in at once: try again")
)

// takesStrangers tells whether a call is taken without credentials.
func takesStrangers(method string) bool {
	return !strings.HasPrefix(method, flightService) || strings.HasSuffix(method, "/Handshake")
}

// strangersStream bounds the size of what comes in, and how long it is waited for.
type strangersStream struct {
	grpc.ServerStream
	until context.Context
	slots chan struct{}
}

// boundStrangers gives a stranger's stream, and with it a context that ends when the stranger's time is over.
func (s *Server) boundStrangers(stream grpc.ServerStream) (_ *strangersStream, end func()) {
	until, end := context.WithTimeoutCause(stream.Context(), strangerTime, errStrangerTime)
	return &strangersStream{stream, until, s.strangers}, end
}

// RecvMsg reads a small message. What it starts ends with the call, which gRPC tells whoever reads its stream.
func (s *strangersStream) RecvMsg(to any) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return errStrangers
	}
	type message struct {
		data []byte
		err  error
	}
	came := make(chan message, 1)
	go func() {
		var m message
		defer func() { came <- m }()
		defer errs.Contain(&m.err)
		m.data, m.err = readSmall(s.Context())
	}()
	select {
	case m := <-came:
		if m.err != nil {
			return m.err
		}
		if err := proto.Unmarshal(m.data, to.(proto.Message)); err != nil {
			return errs.Invalidf("the message can't be read")
		}
		return nil
	case <-s.until.Done():
		return context.Cause(s.until)
	}
}

// rawStream is the stream beneath gRPC's own, which reads a message of any size that the server takes from somebody.
type rawStream interface {
	ReadMessageHeader([]byte) error
	Read(int) (mem.BufferSlice, error)
}

// readSmall reads the next message of a call's stream: a byte that tells whether it is compressed, its length, and so many
// bytes. One that is too long is refused unread.
func readSmall(ctx context.Context) ([]byte, error) {
	raw, ok := grpc.ServerTransportStreamFromContext(ctx).(rawStream)
	if !ok {
		return nil, errs.New(errs.ErrInternal, "the call's stream can't be read in pieces")
	}
	var header [5]byte
	if err := raw.ReadMessageHeader(header[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxStrangerBytes {
		return nil, errs.New(errs.ErrResourceExhausted, "a message of %d bytes: without a login at most %d are read", size, maxStrangerBytes)
	}
	if header[0] != 0 {
		return nil, errs.Unsupportedf("without a login no compressed messages are read")
	}
	data, err := raw.Read(int(size))
	if err != nil {
		return nil, err
	}
	defer data.Free()
	return data.Materialize(), nil
}
