package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/lanceflight/flightsrv/flightsql"
)

// serveFlags are the settings of serve.
type serveFlags struct {
	data      []string
	listen    string
	config    string
	advertise string
	ticketKey string
	tlsCert   string
	tlsKey    string
	users     string
	options   []string
	insecure  bool
	writable  bool
	drain     time.Duration
	limits    limits
}

// limits are the settings of what runs statements.
type limits struct {
	memory    byteSize
	spill     string
	cache     string
	cacheSize byteSize
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve --data URI [--data NAME=URI ...]",
		Short: "Serves tables until SIGTERM or SIGINT",
		Long: "Serves the tables of one or more folders over Arrow Flight SQL until SIGTERM or SIGINT.\n" +
			"Each flag is also a key of the config file (tls-cert = \"...\") and an environment variable (FLIGHTSRV_TLS_CERT).",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := fillFlags(cmd.Flags()); err != nil {
				return err
			}
			return serve(cmd.Context(), f, newLog(os.Stderr))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.data, "data", nil, "a folder of tables, or one table, as URI or NAME=URI; may be repeated")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:31337", "HOST:PORT to listen on; port 0 takes a free one")
	flags.StringVar(&f.config, configFlag, "", "TOML file with further settings")
	flags.StringVar(&f.advertise, "advertise", "", "HOST:PORT that clients are told to read from; without it they use the connection that they have")
	flags.StringVar(&f.ticketKey, "ticket-key", "", "file with the key that signs tickets, at least 16 bytes; servers that share it read each other's tickets")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "file with the certificate chain (PEM)")
	flags.StringVar(&f.tlsKey, "tls-key", "", "file with the certificate's key (PEM)")
	flags.StringArrayVar(&f.options, "option", nil, "NAME=VALUE, the default of a session option, as nested=flatten; may be repeated")
	flags.StringVar(&f.users, "users", "", "file of the users who may connect, as \"flightsrv user\" writes it; without it nobody is asked for credentials")
	flags.BoolVar(&f.insecure, "insecure", false, "listen on an address that others can reach, though there is no authentication or no TLS")
	flags.BoolVar(&f.writable, "writable", false, "let statements write: CREATE VIEW and DROP VIEW, of tables nothing yet")
	flags.DurationVar(&f.drain, "drain", 10*time.Second, "how long running calls may go on after SIGTERM")
	addLimits(cmd, &f.limits)
	return cmd
}

func addLimits(cmd *cobra.Command, l *limits) {
	cmd.Flags().Var(&l.memory, "memory", "memory that joins, sorts and aggregates may take together, as 512MiB")
	cmd.Flags().StringVar(&l.spill, "spill", "", "folder for what does not fit into memory; the system's temporary folder without it")
	cmd.Flags().StringVar(&l.cache, "cache", "", "folder that keeps what was read from object stores; nothing is kept without it")
	cmd.Flags().Var(&l.cacheSize, "cache-size", "bound on that folder, as 50GiB; 10GiB without it")
}

func serve(ctx context.Context, f serveFlags, log zerolog.Logger) (err error) {
	secure, err := f.tlsConfig()
	if err != nil {
		return err
	}
	key, err := readTicketKey(f.ticketKey)
	if err != nil {
		return err
	}
	if err := f.checkExposure(); err != nil {
		return err
	}
	who, err := openUsers(f.users)
	if err != nil {
		return err
	}
	if err := checkAdvertise(f.advertise); err != nil {
		return err
	}
	options, err := parseOptions(f.options)
	if err != nil {
		return err
	}
	be, err := openBackend(ctx, f.data, f.limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, be.close()) }()
	var views flightsql.ViewStore
	if f.writable {
		views = be.views
	}
	srv, err := flightsql.New(flightsql.Config{
		Catalog: be.catalog, Engine: be.engine, Views: views, Mem: be.mem,
		Users: who, Options: options, TicketKey: key, Version: version, TLS: secure, Advertise: f.advertise, OnCall: logCalls(log),
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	warnOfEmpty(ctx, be.catalog, log)
	scheme := "grpc"
	if secure != nil {
		scheme = "grpc+tls"
	}
	go manageMemory(ctx)
	log.Info().Str("version", version).Msgf("listening on %s://%s", scheme, shownAddress(f.listen, l.Addr()))
	return runUntil(ctx, srv, l, f.drain, log)
}

// parseOptions reads NAME=VALUE texts.
func parseOptions(texts []string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--option %s: an option is given as NAME=VALUE", text)
		}
		out[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return out, nil
}

// shownAddress is the address as the user wrote it, with the port that was taken: the listener's own text has 0.0.0.0 as
// [::], and localhost as a number.
func shownAddress(listen string, taken net.Addr) string {
	host, _, err := net.SplitHostPort(listen)
	_, port, perr := net.SplitHostPort(taken.String())
	if err != nil || perr != nil || host == "" {
		return taken.String()
	}
	return net.JoinHostPort(host, port)
}

// warnOfEmpty tells of folders without tables, which may be a slip in --data; tables that come later are seen.
func warnOfEmpty(ctx context.Context, tables flightsql.Catalog, log zerolog.Logger) {
	for _, name := range tables.Catalogs() {
		schemas, err := tables.Schemas(ctx, name)
		found := 0
		for _, s := range schemas {
			list, _ := tables.Tables(ctx, name, s)
			found += len(list)
		}
		if err != nil || found == 0 {
			log.Warn().Str("catalog", name).AnErr("error", err).Msg("no tables are there")
		}
	}
}

// runUntil serves until ctx ends, and drains then.
func runUntil(ctx context.Context, srv *flightsql.Server, l net.Listener, drain time.Duration, log zerolog.Logger) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	log.Info().Dur("drain_ms", drain).Msg("stopping: new calls are refused")
	limited, stop := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer stop()
	srv.Shutdown(limited)
	return <-done
}
