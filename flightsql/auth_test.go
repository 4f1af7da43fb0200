package flightsql_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/flightsql"
)

// fakeUsers is name -> password.
type fakeUsers struct {
	mu    sync.Mutex
	names map[string]string
	fault error
}

func (u *fakeUsers) set(name, password string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names[name] = password
	if password == "" {
		delete(u.names, name)
	}
}

func (u *fakeUsers) Check(_ context.Context, name, password string) (bool, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	want, known := u.names[name]
	return known && want == password, u.fault
}

func (u *fakeUsers) Mark(name string) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.names[name]; !known {
		return "", errs.NotFoundf("no user %q", name)
	}
	return "mark of " + u.names[name], u.fault
}

var testUsers = map[string]string{"ann": "an:n's", "bob": "bob's"}

// closed is a server that asks for credentials.
func closed(t *testing.T) (*fixture, *fakeUsers) {
	u := &fakeUsers{names: maps.Clone(testUsers)}
	return start(t, func(c *flightsql.Config) { c.Users = u }), u
}

func withHeader(kv ...string) context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), kv...)
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func as(user string) context.Context {
	return withHeader("authorization", basic(user, testUsers[user]))
}

// logIn gives a context with a token.
func logIn(t *testing.T, f *fixture, user, password string) context.Context {
	t.Helper()
	ctx, err := f.client.Client.AuthenticateBasicToken(context.Background(), user, password)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// everyCall makes a call of each kind and gives its error. Streams are read to their end.
func everyCall(f *fixture, ctx context.Context) map[string]error {
	drain := func(recv func() error, err error) error {
		for err == nil {
			err = recv()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	c := f.client.Client
	sql := flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte("rows 1")}
	out := map[string]error{}
	_, out["GetFlightInfo"] = c.GetFlightInfo(ctx, &sql)
	_, out["GetSchema"] = c.GetSchema(ctx, &sql)
	_, out["PollFlightInfo"] = c.PollFlightInfo(ctx, &sql)
	list, err := c.ListFlights(ctx, &flight.Criteria{})
	out["ListFlights"] = drain(func() error { _, err := list.Recv(); return err }, err)
	actions, err := c.ListActions(ctx, &flight.Empty{})
	out["ListActions"] = drain(func() error { _, err := actions.Recv(); return err }, err)
	get, err := c.DoGet(ctx, &flight.Ticket{Ticket: []byte("x")})
	out["DoGet"] = drain(func() error { _, err := get.Recv(); return err }, err)
	put, err := c.DoPut(ctx)
	if err == nil {
		err = put.CloseSend()
	}
	out["DoPut"] = drain(func() error { _, err := put.Recv(); return err }, err)
	exchange, err := c.DoExchange(ctx)
	if err == nil {
		err = exchange.CloseSend()
	}
	out["DoExchange"] = drain(func() error { _, err := exchange.Recv(); return err }, err)
	for _, name := range []string{"CreatePreparedStatement", "ClosePreparedStatement", "CancelFlightInfo", "CancelQuery", "SetSessionOptions", "GetSessionOptions", "CloseSession", "nonsense"} {
		act, err := c.DoAction(ctx, &flight.Action{Type: name})
		out["DoAction "+name] = drain(func() error { _, err := act.Recv(); return err }, err)
	}
	return out
}

func TestEveryCallAsksWhoCalls(t *testing.T) {
	f, _ := closed(t)
	good := logIn(t, f, "ann", testUsers["ann"])
	token := tokenOf(good)
	other := start(t, func(c *flightsql.Config) { c.Users = &fakeUsers{names: testUsers} })
	foreign := tokenOf(logIn(t, other, "ann", testUsers["ann"]))
	var text string
	for name, ctx := range map[string]context.Context{
		"nothing":          context.Background(),
		"no such user":     withHeader("authorization", basic("carl", "bob's")),
		"wrong password":   withHeader("authorization", basic("ann", "an:n'z")),
		"no password":      withHeader("authorization", basic("ann", "")),
		"no colon":         withHeader("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("ann"))),
		"no base64":        withHeader("authorization", "Basic ???"),
		"nonsense":         withHeader("authorization", "x"),
		"empty bearer":     withHeader("authorization", "Bearer "),
		"bearer of a dbms": withHeader("authorization", "Bearer None"),
		"cut token":        withHeader("authorization", "Bearer "+token[:len(token)-1]),
		"other text":       withHeader("authorization", "Bearer "+token[:60]+"A"+token[61:]),
		"foreign token":    withHeader("authorization", "Bearer "+foreign),
		"wrong, then good": withHeader("authorization", "Bearer x", "authorization", basic("ann", testUsers["ann"])),
	} {
		for call, err := range everyCall(f, ctx) {
			if status.Code(err) != codes.Unauthenticated {
				t.Errorf("%s, %s: %v", name, call, err)
				continue
			}
			if text == "" {
				text = err.Error()
			}
			if err.Error() != text {
				t.Errorf("%s, %s: %v; other failures say %q", name, call, err, text)
			}
		}
	}
	for name, ctx := range map[string]context.Context{
		"basic": as("ann"), "token": good, "lower case": withHeader("authorization", strings.Replace(basic("bob", "bob's"), "Basic", "basic", 1)),
		"no padding": withHeader("authorization", strings.TrimRight(basic("bob", "bob's"), "=")),
		"old header": withHeader("auth-token-bin", token),
	} {
		for call, err := range everyCall(f, ctx) {
			if status.Code(err) == codes.Unauthenticated {
				t.Errorf("%s, %s: %v", name, call, err)
			}
		}
	}
}

// A call without credentials is refused before its message is read: whoever may not call can't fill the memory.
func TestRefusedBeforeTheMessageIsRead(t *testing.T) {
	f, _ := closed(t)
	conn, err := f.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	d := pb.FlightService_ServiceDesc
	var names []string
	for _, m := range d.Methods {
		names = append(names, m.MethodName)
	}
	for _, s := range d.Streams {
		if s.StreamName != "Handshake" { // whose messages are credentials
			names = append(names, s.StreamName)
		}
	}
	for _, name := range names {
		stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+d.ServiceName+"/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(&flight.Result{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(names) != 9 {
		t.Errorf("the calls are %v", names)
	}
}

func tokenOf(ctx context.Context) string {
	md, _ := metadata.FromOutgoingContext(ctx)
	return strings.TrimPrefix(md.Get("authorization")[0], "Bearer ")
}

func TestHandshake(t *testing.T) {
	f, users := closed(t)
	payload := func(user, password string) []byte {
		b, err := proto.Marshal(&flight.BasicAuth{Username: user, Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, tt := range map[string]struct {
		header  string
		payload []byte
		want    codes.Code
	}{
		"basic":                     {basic("ann", "an:n's"), nil, codes.OK},
		"good token":                {"Bearer " + tokenOf(logIn(t, f, "bob", "bob's")), nil, codes.OK},
		"payload":                   {"", payload("bob", "bob's"), codes.OK},
		"wrong password":            {basic("ann", "x"), nil, codes.Unauthenticated},
		"bad token":                 {"Bearer x", nil, codes.Unauthenticated},
		"nothing":                   {"", nil, codes.Unauthenticated},
		"payload of wrong password": {"", payload("bob", "x"), codes.Unauthenticated},
		"payload of no message":     {"", []byte("\xff\xff\xff"), codes.Unauthenticated},
		"wrong header, right payload": {basic("ann", "x"), payload("bob", "bob's"),
			codes.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			if tt.header != "" {
				ctx = withHeader("authorization", tt.header)
			}
			stream, err := f.client.Client.Handshake(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if tt.payload != nil {
				_ = stream.Send(&flight.HandshakeRequest{Payload: tt.payload})
				_ = stream.Send(&flight.HandshakeRequest{Payload: tt.payload})
			}
			if err := stream.CloseSend(); err != nil {
				t.Fatal(err)
			}
			var answers []string
			for {
				r, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					err = nil
				}
				if err != nil || r == nil {
					if status.Code(err) != tt.want {
						t.Errorf("%v, want %v", err, tt.want)
					}
					break
				}
				answers = append(answers, string(r.GetPayload()))
			}
			if tt.want != codes.OK {
				return
			}
			header, err := stream.Header()
			if err != nil || len(header.Get("authorization")) != 1 {
				t.Fatalf("headers %v, %v", header, err)
			}
			token := strings.TrimPrefix(header.Get("authorization")[0], "Bearer ")
			if tt.payload != nil && (len(answers) != 2 || answers[0] != token || answers[1] != token) {
				t.Errorf("answers %q beside the token %q", answers, token)
			}
			if _, err := f.client.Execute(withHeader("authorization", "Bearer "+token), "rows 1"); err != nil {
				t.Errorf("with the token: %v", err)
			}
		})
	}
	users.mu.Lock()
	users.fault = errs.New(errs.ErrInternal, "open /etc/users: broken")
	users.mu.Unlock()
	if _, err := f.client.Client.AuthenticateBasicToken(context.Background(), "ann", "an:n's"); status.Code(err) != codes.Internal || strings.Contains(err.Error(), "/etc") {
		t.Errorf("users that can't be read: %v", err)
	}
}

func TestTokensEnd(t *testing.T) {
	f, users := closed(t)
	try := func(what string, ctx context.Context, want codes.Code) {
		t.Helper()
		if _, err := f.client.Execute(ctx, "rows 1"); status.Code(err) != want {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	ann, bob := logIn(t, f, "ann", "an:n's"), logIn(t, f, "bob", "bob's")
	users.set("bob", "new")
	try("after a new password", bob, codes.Unauthenticated)
	try("another user", ann, codes.OK)
	users.set("ann", "")
	try("a user who is gone", ann, codes.Unauthenticated)
	bob = logIn(t, f, "bob", "new")
	f.clock.Store(int64((24*time.Hour - time.Minute) / time.Second))
	try("just before a day", bob, codes.OK)
	f.clock.Store(int64((24*time.Hour + time.Minute) / time.Second))
	try("just after it", bob, codes.Unauthenticated)
}

func TestTokensAreRenewed(t *testing.T) {
	f, _ := closed(t)
	ctx := logIn(t, f, "ann", "an:n's")
	setOptions(t, ctx, f.client, map[string]any{"timezone": "Asia/Tokyo"})
	renewed := func() string {
		var header metadata.MD
		if _, err := f.client.Execute(ctx, "rows 1", grpc.Header(&header)); err != nil {
			t.Fatal(err)
		}
		return strings.Join(header.Get("authorization"), " ")
	}
	f.clock.Store(int64(11 * time.Hour / time.Second))
	if got := renewed(); got != "" {
		t.Errorf("a token that is good for long is answered with %q", got)
	}
	f.clock.Store(int64(13 * time.Hour / time.Second))
	fresh := renewed()
	if !strings.HasPrefix(fresh, "Bearer ") {
		t.Fatalf("no new token: %q", fresh)
	}
	f.clock.Store(int64(30 * time.Hour / time.Second))
	ctx = withHeader("authorization", fresh)
	wantOptions(t, options(t, ctx, f.client), "lance", "main", "Asia/Tokyo") // of the same session
}

func TestHandlesBelongToTheirUser(t *testing.T) {
	f, _ := closed(t)
	ann, bob := as("ann"), as("bob")
	annToken := logIn(t, f, "ann", "an:n's")

	prepared, err := f.client.Prepare(ann, "rows 3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepared.Execute(bob); status.Code(err) != codes.NotFound {
		t.Errorf("another user's prepared statement: %v", err)
	}
	if err := fsql.NewPreparedStatement(f.client, prepared.Handle()).Close(bob); err != nil {
		t.Errorf("closing what is not there: %v", err)
	}
	info, err := prepared.Execute(annToken)
	if err != nil {
		t.Fatalf("one's own, after another user closed it: %v", err)
	}
	if _, _, err := f.read(bob, f.client, info); status.Code(err) != codes.InvalidArgument {
		t.Errorf("another user's ticket: %v", err)
	}
	if _, err := f.client.CancelFlightInfo(bob, &flight.CancelFlightInfoRequest{Info: info}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("canceling another user's query: %v", err)
	}
	if _, err := f.client.RenewFlightEndpoint(bob, &flight.RenewFlightEndpointRequest{Endpoint: info.Endpoint[0]}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("renewing another user's ticket: %v", err)
	}
	if got, _, err := f.read(ann, f.client, info); err != nil || len(got) != 3 {
		t.Errorf("one's own ticket: %v, %v", got, err)
	}
	if err := prepared.Close(ann); err != nil {
		t.Error(err)
	}

	var header metadata.MD
	values, err := flight.NewSessionOptionValues(map[string]any{"schema": "geo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.client.SetSessionOptions(ann, &flight.SetSessionOptionsRequest{SessionOptions: values}, grpc.Header(&header)); err != nil {
		t.Fatal(err)
	}
	cookie := strings.Split(strings.Join(header.Get("set-cookie"), ""), ";")[0]
	if cookie == "" {
		t.Fatal("no cookie")
	}
	stolen := metadata.AppendToOutgoingContext(bob, "cookie", cookie)
	if _, err := f.client.GetSessionOptions(stolen, &flight.GetSessionOptionsRequest{}); status.Code(err) != codes.Unauthenticated {
		t.Errorf("another user's session: %v", err)
	}
	if _, err := f.client.CloseSession(stolen, &flight.CloseSessionRequest{}); err != nil {
		t.Errorf("closing what is not there: %v", err)
	}
	wantOptions(t, options(t, metadata.AppendToOutgoingContext(ann, "cookie", cookie), f.client), "lance", "geo", "UTC")
}

func TestServersThatShareAKey(t *testing.T) {
	share := func(c *flightsql.Config) {
		c.Users, c.TicketKey = &fakeUsers{names: testUsers}, []byte("0123456789abcdef")
	}
	one, two := start(t, share), start(t, share)
	open := start(t, func(c *flightsql.Config) { c.TicketKey = []byte("0123456789abcdef") })
	ctx := logIn(t, one, "ann", testUsers["ann"])
	info, err := two.client.Execute(as("ann"), "rows 2")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := one.read(ctx, one.client, info); err != nil || len(got) != 2 {
		t.Errorf("the other server's ticket: %v, %v", got, err)
	}
	if got, _, err := two.read(ctx, two.client, info); err != nil || len(got) != 2 {
		t.Errorf("the other server's token: %v, %v", got, err)
	}
	free, err := open.client.Execute(context.Background(), "rows 2")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := one.read(ctx, one.client, free); status.Code(err) != codes.InvalidArgument {
		t.Errorf("nobody's ticket: %v", err)
	}
	nobody := tokenOf(logIn(t, open, "x", "y"))
	if _, err := one.client.Execute(withHeader("authorization", "Bearer "+nobody), "rows 1"); status.Code(err) != codes.Unauthenticated {
		t.Errorf("nobody's token: %v", err)
	}
}

func TestCallsTellTheirUser(t *testing.T) {
	f, _ := closed(t)
	if _, err := f.client.Execute(as("bob"), "rows 1"); err != nil {
		t.Fatal(err)
	}
	if c := <-f.calls; c.User != "bob" {
		t.Errorf("the call's user is %q", c.User)
	}
}
