package flightsql

import (
	"slices"

	"google.golang.org/grpc"
)

// streamsAlone describes a service with streams alone, which are the same on the wire: gRPC reads the message of a unary
// call before any interceptor is asked, so that a client without credentials could have the server hold as many of 128 MiB
// as it likes. ServerStreams are set since gRPC asks no interceptor for a stream that is none either way.
func streamsAlone(d grpc.ServiceDesc) *grpc.ServiceDesc {
	d.Streams = slices.Clone(d.Streams)
	for _, m := range d.Methods {
		d.Streams = append(d.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: answering(m), ServerStreams: true})
	}
	d.Methods = nil
	return &d
}

// answering gives the handler of a call that takes one message and has one answer.
func answering(m grpc.MethodDesc) grpc.StreamHandler {
	return func(srv any, stream grpc.ServerStream) error {
		answer, err := m.Handler(srv, stream.Context(), stream.RecvMsg, nil)
		if err != nil {
			return err
		}
		return stream.SendMsg(answer)
	}
}
