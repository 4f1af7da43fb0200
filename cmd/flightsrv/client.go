package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"math"
	"math/big"
	"net"
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
)

// client is a connection to a Flight SQL server.
type client struct{ sql *fsql.Client }

// dial connects to grpc://HOST:PORT or grpc+tls://HOST:PORT.
func dial(uri string) (*client, error) {
	scheme, address, ok := strings.Cut(uri, "://")
	if !ok {
		return nil, fmt.Errorf("--server %s: a server is named as grpc://HOST:PORT or grpc+tls://HOST:PORT", uri)
	}
	var creds credentials.TransportCredentials
	switch scheme {
	case "grpc", "grpc+tcp":
		creds = insecure.NewCredentials()
	case "grpc+tls":
		creds = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	default:
		return nil, fmt.Errorf("--server %s: the scheme is grpc or grpc+tls", uri)
	}
	return newClient(strings.TrimSuffix(address, "/"), grpc.WithTransportCredentials(creds))
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
	return &client{c}, nil
}

func (c *client) close() { _ = c.sql.Close() }

// run prepares a statement, binds its parameters and gives its result: the schema once, then each batch, which is lent.
func (c *client) run(ctx context.Context, sql string, params []string, start func(*arrow.Schema) error, each func(arrow.RecordBatch) error) error {
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

// valueTypes is the schema of the values to bind: where the announced type is an integer, a number that is not whole is
// sent as DOUBLE and one that is too large as BIGINT, since the server takes values of other types than it announced.
func valueTypes(schema *arrow.Schema, params []string) *arrow.Schema {
	fields := schema.Fields()
	for i, text := range params {
		if !arrow.IsInteger(fields[i].Type.ID()) {
			continue
		}
		n, whole := new(big.Int).SetString(text, 10)
		if whole && n.IsInt64() && n.BitLen() >= fields[i].Type.(arrow.FixedWidthDataType).BitWidth() {
			fields[i].Type = arrow.PrimitiveTypes.Int64
		}
		if _, err := strconv.ParseFloat(text, 64); err == nil && !whole {
			fields[i].Type = arrow.PrimitiveTypes.Float64
		}
	}
	return arrow.NewSchema(fields, nil)
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
