package flightsql_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// The calls that are taken without credentials.
var strangersCalls = []string{
	"/" + pb.FlightService_ServiceDesc.ServiceName + "/Handshake",
	"/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/Check",
	"/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/List",
	"/" + grpc_health_v1.Health_ServiceDesc.ServiceName + "/Watch",
}

// rawBytes sends what it is given as it is, without a copy.
type rawBytes struct{}

func (rawBytes) Name() string { return "proto" }
func (rawBytes) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (rawBytes) Unmarshal(mem.BufferSlice, any) error { return nil }

// openStream begins a call of any kind.
func openStream(t testing.TB, ctx context.Context, conn *grpc.ClientConn, name string, opts ...grpc.CallOption) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, name, append(opts, grpc.ForceCodecV2(rawBytes{}))...)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func connectTo(t testing.TB, f *fixture) *grpc.ClientConn {
	t.Helper()
	conn, err := f.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestStrangersSendLittle(t *testing.T) {
	closedServer, _ := closed(t)
	huge := make([]byte, 100<<20)
	for server, f := range map[string]*fixture{"open": start(t), "closed": closedServer} {
		conn := connectTo(t, f)
		for _, call := range strangersCalls {
			for name, tt := range map[string]struct {
				data []byte
				opts []grpc.CallOption
				want codes.Code
			}{
				"too long":   {huge[:16<<10+1], nil, codes.ResourceExhausted},
				"huge":       {huge, nil, codes.ResourceExhausted},
				"compressed": {huge[:1<<10], []grpc.CallOption{grpc.UseCompressor(gzip.Name)}, codes.Unimplemented},
				"no message": {[]byte("\xff\xff\xff"), nil, codes.InvalidArgument},
			} {
				stream := openStream(t, context.Background(), conn, call, tt.opts...)
				_ = stream.SendMsg(tt.data) // it fails where the server has answered
				if err := stream.RecvMsg(nil); status.Code(err) != tt.want {
					t.Errorf("%s, %s, %s: %v, want %v", server, call, name, err, tt.want)
				}
			}
		}
	}
}

// A stranger that sends nothing is let go, and one that has logged in and says no more as well.
func TestStrangersAreTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _ := closed(t)
		conn := connectTo(t, f)
		for _, call := range strangersCalls {
			stream := openStream(t, context.Background(), conn, call)
			before := time.Now()
			if err := stream.RecvMsg(nil); status.Code(err) != codes.Unauthenticated {
				t.Errorf("%s without a message: %v", call, err)
			}
			if waited := time.Since(before); waited > 21*time.Second {
				t.Errorf("%s was kept for %s", call, waited)
			}
		}
		known := openStream(t, as("ann"), conn, strangersCalls[0])
		if err := known.RecvMsg(nil); !errors.Is(err, io.EOF) {
			t.Errorf("logged in, and silent: %v", err)
		}
		header, err := known.Header()
		if err != nil || len(header.Get("authorization")) != 1 {
			t.Errorf("the token: %v, %v", header, err)
		}
		watch, err := grpc_health_v1.NewHealthClient(conn).Watch(context.Background(), &grpc_health_v1.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := watch.Recv(); err != nil || r.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("health: %v, %v", r, err)
		}
		time.Sleep(time.Hour) // the time is that of messages that come in, not of the watch
		drain, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		go f.server.Shutdown(drain)
		if r, err := watch.Recv(); err != nil || r.GetStatus() != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
			t.Errorf("health of a server that stops: %v, %v", r, err)
		}
	})
}

// TestManyStrangers: thousands of calls without credentials, silent ones and ones with huge messages, cost a bounded
// amount of memory, and those with credentials are served meanwhile.
func TestManyStrangers(t *testing.T) {
	f, _ := closed(t)
	const conns, streams = 8, 400
	before := heapBytes()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	huge := make([]byte, 100<<20)
	refused := make(chan codes.Code, conns*streams)
	for range conns {
		conn := connectTo(t, f)
		var all sync.WaitGroup
		for i := range streams {
			stream := openStream(t, ctx, conn, strangersCalls[0])
			if i%4 == 0 {
				all.Go(func() { _ = stream.SendMsg(huge) })
			}
			go func() { refused <- status.Code(stream.RecvMsg(nil)) }()
		}
		all.Wait()
	}
	for range conns*streams - 1000 { // as many as 1000 are waited for
		if got := <-refused; got != codes.Unavailable && got != codes.ResourceExhausted {
			t.Fatalf("a stranger too many: %v", got)
		}
	}
	if grown := heapBytes() - before; grown > 300<<20 {
		t.Errorf("%d MiB for %d strangers, the messages of which are 100 MiB each", grown>>20, conns*streams)
	}
	token := logIn(t, f, "ann", testUsers["ann"])
	for _, ctx := range []context.Context{token, as("bob")} {
		info, err := f.client.Execute(ctx, "rows 3")
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := f.read(ctx, f.client, info); err != nil || len(got) != 3 {
			t.Errorf("beside strangers: %v, %v", got, err)
		}
	}
	stop()
	for range 1000 {
		<-refused
	}
}

// heapBytes is the memory in use.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestStreamsOfAConnection: who reads as many partitions as there can be at once, over one connection, can make other calls
// beside.
func TestStreamsOfAConnection(t *testing.T) {
	f := start(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	conn := connectTo(t, f)
	client := flight.NewClientFromConn(conn, nil)
	info, err := client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("endless")})
	if err != nil {
		t.Fatal(err)
	}
	var open []flight.FlightService_DoGetClient
	for range 1000 { // a client that reads each of the most partitions there can be
		s, err := client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	for _, s := range open {
		if _, err := s.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("rows 1")}); err != nil {
		t.Errorf("another call beside them: %v", err)
	}
}

// TestIdleConnections: a connection that was let go is made again by the client itself, and the session goes on.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _ := closed(t)
		ctx := logIn(t, f, "ann", testUsers["ann"])
		if _, err := f.client.ExecuteUpdate(ctx, "use geo"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Hour)
		wantOptions(t, options(t, ctx, f.client), "lance", "geo", "UTC")
	})
}
