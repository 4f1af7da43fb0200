package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math"
	"math/big"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// client is a connection to a Flight SQL server.
type client struct {
	sql   *fsql.Client
	token string // header of each call; "" for none
}

// dial connects to grpc://HOST:PORT or grpc+tls://HOST:PORT, and logs in where a user is named.
func dial(ctx context.Context, f queryFlags) (*client, error) {
	scheme, address, ok := strings.Cut(f.server, "://")
	if !ok {
		return nil, usagef("--server %s: a server is named as grpc://HOST:PORT or grpc+tls://HOST:PORT", f.server)
	}
	var creds credentials.TransportCredentials
	switch scheme {
	case "grpc", "grpc+tcp":
		creds = insecure.NewCredentials()
	case "grpc+tls":
		roots, err := f.authorities()
		if err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots})
	default:
		return nil, usagef("--server %s: the scheme is grpc or grpc+tls", f.server)
	}
	c, err := newClient(strings.TrimSuffix(address, "/"), grpc.WithTransportCredentials(creds))
	if err != nil || f.user == "" {
		return c, err
	}
	if err := c.logIn(ctx, f.user); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// authorities gives those of --tls-ca, nil for the system's.
func (f queryFlags) authorities() (*x509.CertPool, error) {
	if f.tlsCA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.tlsCA)
	if err != nil {
		return nil, fmt.Errorf("--tls-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--tls-ca: %s holds no certificate in PEM", f.tlsCA)
	}
	return pool, nil
}

// passwordVariable is the environment variable with the password of --user.
const passwordVariable = envPrefix + "PASSWORD"

// logIn takes a token for a user.
func (c *client) logIn(ctx context.Context, user string) error {
	password, set := os.LookupEnv(passwordVariable)
	if !set {
		var err error
		if password, _, err = readPassword(os.Stdin, "Password of "+user+": "); err != nil {
			return err
		}
	}
	ctx, err := c.sql.Client.AuthenticateBasicToken(ctx, user, password)
	if err != nil {
		return plain(err)
	}
	md, _ := metadata.FromOutgoingContext(ctx)
	if token := md.Get("authorization"); len(token) > 0 {
		c.token = token[len(token)-1]
	}
	return nil
}

// dialWith connects through a function.
func dialWith(dial func(context.Context, string) (net.Conn, error)) (*client, error) {
	return newClient("passthrough:///embedded", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
}

func newClient(address string, options ...grpc.DialOption) (*client, error) {
	options = append(options, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	c, err := fsql.NewClient(address, nil, nil, options...)
	if err != nil {
		return nil, err
	}
	return &client{sql: c}, nil
}

func (c *client) close() { _ = c.sql.Close() }

// run prepares a statement, binds its parameters and gives its result: the schema once, then each batch, which is lent.
func (c *client) run(ctx context.Context, sql string, params []string, start func(*arrow.Schema) error, each func(arrow.RecordBatch) error) error {
	if c.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", c.token)
	}
	st, err := c.sql.Prepare(ctx, sql)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close(context.WithoutCancel(ctx)) }()
	if err := bindTexts(st, params); err != nil {
		return err
	}
	if isUpdate, told := st.IsUpdate(); told && isUpdate {
		_, err := st.ExecuteUpdate(ctx)
		return err
	}
	info, err := st.Execute(ctx)
	if err != nil {
		return err
	}
	schema, err := flight.DeserializeSchema(info.GetSchema(), allocator)
	if err != nil {
		return err
	}
	if err := start(schema); err != nil {
		return err
	}
	for _, ep := range info.GetEndpoint() {
		if err := c.read(ctx, ep.GetTicket(), each); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) read(ctx context.Context, t *flight.Ticket, each func(arrow.RecordBatch) error) error {
	r, err := c.sql.DoGet(ctx, t)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		if err := each(r.RecordBatch()); err != nil {
			return err
		}
	}
	return r.Err()
}

// valueTypes is the schema of the values to bind, since the server takes values of other types than it announced: where that
// is an integer, a number that is not whole is sent as DOUBLE and one that is too large as BIGINT or UBIGINT; times and timestamps are
// sent with all their digits.
func valueTypes(schema *arrow.Schema, params []string) *arrow.Schema {
	fields := schema.Fields()
	for i, text := range params {
		switch t := fields[i].Type.(type) {
		case *arrow.TimestampType:
			fields[i].Type = &arrow.TimestampType{Unit: unitFor(text), TimeZone: t.TimeZone}
		case *arrow.Time32Type:
			fields[i].Type = &arrow.Time64Type{Unit: unitFor(text)}
		}
		if !arrow.IsInteger(fields[i].Type.ID()) {
			continue
		}
		n, whole := new(big.Int).SetString(text, 10)
		if whole && !n.IsInt64() && n.IsUint64() {
			fields[i].Type = arrow.PrimitiveTypes.Uint64
		}
		if whole && n.IsInt64() && n.BitLen() >= fields[i].Type.(arrow.FixedWidthDataType).BitWidth() {
			fields[i].Type = arrow.PrimitiveTypes.Int64
		}
		if _, err := strconv.ParseFloat(text, 64); err == nil && !whole {
			fields[i].Type = arrow.PrimitiveTypes.Float64
		}
	}
	return arrow.NewSchema(fields, nil)
}

// unitFor gives the unit that holds all digits of a time's text: microseconds, or nanoseconds where there are more.
func unitFor(text string) arrow.TimeUnit {
	_, digits, _ := strings.Cut(text, ".")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	if len(digits) > 6 {
		return arrow.Nanosecond
	}
	return arrow.Microsecond
}

// appendText reads a value as the builder's type. A timestamp may be written as in SQL or in the form of RFC 3339; without
// a zone it is UTC, where the parameter has one.
func appendText(b array.Builder, text string) error {
	t, ok := b.(*array.TimestampBuilder)
	if !ok {
		return b.AppendValueFromString(text)
	}
	typ := t.Type().(*arrow.TimestampType)
	v, _, err := arrow.TimestampFromStringInLocation(text, typ.Unit, time.UTC)
	if err == nil {
		t.Append(v)
	}
	return err
}

// bindTexts binds values written as text, each read as the type that its parameter was announced with.
func bindTexts(st *fsql.PreparedStatement, params []string) error {
	schema := st.ParameterSchema()
	want := 0
	if schema != nil {
		want = schema.NumFields()
	}
	if want != len(params) {
		return fmt.Errorf("the statement has %d parameters, %d values are given with --param", want, len(params))
	}
	if want == 0 {
		return nil
	}
	b := array.NewRecordBuilder(allocator, valueTypes(schema, params))
	defer b.Release()
	for i, text := range params {
		if s, ok := b.Field(i).(*array.StringBuilder); ok {
			s.Append(text)
			continue
		}
		if err := appendText(b.Field(i), text); err != nil {
			return fmt.Errorf("--param %q: parameter %d takes a value of type %s", text, i+1, schema.Field(i).Type)
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	st.SetParameters(batch)
	return nil
}
