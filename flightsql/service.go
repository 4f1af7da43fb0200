package flightsql

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
)

// flightServiceDesc describes Flight's service with streams alone, which are the same on the wire: gRPC reads the message
// of a unary call before any interceptor is asked, so that a client without credentials could have the server hold as
// many of 128 MiB as it likes. ServerStreams are set since gRPC asks no interceptor for a stream that is none either way.
func flightServiceDesc() *grpc.ServiceDesc {
	d := pb.FlightService_ServiceDesc
	d.Streams = slices.Concat(d.Streams, []grpc.StreamDesc{
		{StreamName: "GetFlightInfo", Handler: answering((*edge).GetFlightInfo), ServerStreams: true},
		{StreamName: "GetSchema", Handler: answering((*edge).GetSchema), ServerStreams: true},
		{StreamName: "PollFlightInfo", Handler: answering((*edge).PollFlightInfo), ServerStreams: true},
	})
	d.Methods = nil
	return &d
}

// answering gives the handler of a call that takes one descriptor and has one answer.
func answering[A any](method func(*edge, context.Context, *flight.FlightDescriptor) (*A, error)) grpc.StreamHandler {
	return func(srv any, stream grpc.ServerStream) error {
		var d flight.FlightDescriptor
		if err := stream.RecvMsg(&d); err != nil {
			return err
		}
		answer, err := method(srv.(*edge), stream.Context(), &d)
		if err != nil {
			return err
		}
		return stream.SendMsg(answer)
	}
}
