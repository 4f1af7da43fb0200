package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/lanceflight/flightsrv/flightsql"
)

// queryFlags are the settings of query.
type queryFlags struct {
	data   []string
	server string
	user   string
	tlsCA  string
	format string
	params []string
	limits limits
}

func queryCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query {--data URI | --server grpc://HOST:PORT} [--format FORMAT] [--param V ...] SQL",
		Short: "Runs one statement and prints its result",
		Long: "Runs one statement, over a running server or over folders of tables directly, and prints its result.\n" +
			"table cuts long cells. csv writes NULL as an empty field and an empty text as \"\". json writes one object a line in an\n" +
			"array, numbers that JSON lacks as texts (\"NaN\"), binary as base64, maps as objects where their keys are texts, else as\n" +
			"lists of key and value. The formats arrow (an IPC file) and parquet are for pipes and files, not for terminals.",
		Args: oneArgument("the statement, as one argument in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return query(cmd.Context(), f, args[0], cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.data, "data", nil, "a folder of tables, or one table, as URI or NAME=URI; may be repeated")
	flags.StringVar(&f.server, "server", "", "a running server: grpc://HOST:PORT or grpc+tls://HOST:PORT")
	flags.StringVar(&f.user, "user", "", "log in to the server as this user; the password is "+passwordVariable+", or asked for")
	flags.StringVar(&f.tlsCA, "tls-ca", "", "file with the authorities (PEM) to trust in place of the system's")
	flags.StringVar(&f.format, "format", "table", "table, csv, json, arrow or parquet")
	flags.StringArrayVar(&f.params, "param", nil, "value of the next parameter (?); may be repeated")
	addLimits(cmd, &f.limits)
	return cmd
}

func query(ctx context.Context, f queryFlags, sql string, out io.Writer) error {
	sink, err := newSink(f.format, out)
	if err != nil {
		return err
	}
	if (len(f.data) == 0) == (f.server == "") {
		return usagef("give either --data URI or --server grpc://HOST:PORT")
	}
	var c *client
	if f.server != "" {
		c, err = dial(ctx, f)
	} else {
		var stop func()
		if c, stop, err = embedded(ctx, f); err == nil {
			defer stop()
		}
	}
	if err != nil {
		return err
	}
	defer c.close()
	progress := newProgress(os.Stderr, term.IsTerminal(int(os.Stdout.Fd())))
	defer progress.stop()
	err = c.run(ctx, sql, f.params, sink.start, func(b arrow.RecordBatch) error {
		progress.add(b)
		return sink.write(b)
	})
	progress.stop()
	if err == nil {
		err = sink.finish()
	}
	return plain(err)
}

// oneArgument refuses all but one argument, and tells what it is.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%d arguments are given, one is needed: %s", len(args), what)
		}
		return nil
	}
}

// plain takes the wrapping of gRPC off an error.
func plain(err error) error {
	s, ok := status.FromError(err)
	switch {
	case err == nil || !ok:
		return err
	case s.Code() == codes.Canceled:
		return fmt.Errorf("%s: %w", s.Message(), context.Canceled)
	}
	return errors.New(s.Message())
}

// embedded serves the folders inside this process, so that both ways of query are one.
func embedded(ctx context.Context, f queryFlags) (*client, func(), error) {
	be, err := openBackend(ctx, f.data, f.limits)
	if err != nil {
		return nil, nil, err
	}
	var detail string
	srv, err := flightsql.New(flightsql.Config{
		Catalog: be.catalog, Engine: be.engine, Mem: be.mem, Version: version,
		OnCall: func(c flightsql.Call) { detail = c.Detail },
	})
	if err != nil {
		return nil, nil, errors.Join(err, be.close())
	}
	l := bufconn.Listen(1 << 20)
	go func() { _ = srv.Serve(l) }()
	c, err := dialWith(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) })
	stop := func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		srv.Shutdown(ended)
		if err := be.close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		if detail != "" {
			fmt.Fprintln(os.Stderr, detail)
		}
	}
	if err != nil {
		stop()
	}
	return c, stop, err
}

// allocator is that of what the command line reads and prints.
var allocator = memory.DefaultAllocator
