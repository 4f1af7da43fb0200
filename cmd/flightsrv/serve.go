package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
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
	insecure  bool
	drain     time.Duration
	limits    limits
}

// limits are the settings of what runs statements.
type limits struct {
	memory byteSize
	spill  string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve --data URI [--data NAME=URI ...]",
		Short: "Serves tables until SIGTERM or SIGINT",
		Long: "Serves the tables of one or more folders over Arrow Flight SQL until SIGTERM or SIGINT.\n" +
			"Each flag is also a key of the config file (tls-cert = \"...\") and an environment variable (FLIGHTSRV_TLS_CERT).",
		Args: cobra.NoArgs,
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
	flags.BoolVar(&f.insecure, "insecure", false, "listen on an address that others can reach, though there is no authentication")
	flags.DurationVar(&f.drain, "drain", 10*time.Second, "how long running calls may go on after SIGTERM")
	addLimits(cmd, &f.limits)
	return cmd
}

func addLimits(cmd *cobra.Command, l *limits) {
	cmd.Flags().Var(&l.memory, "memory", "memory that joins, sorts and aggregates may take together, as 512MiB")
	cmd.Flags().StringVar(&l.spill, "spill", "", "folder for what does not fit into memory; the system's temporary folder without it")
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
	if err := checkExposure(f.listen, f.insecure); err != nil {
		return err
	}
	be, err := openBackend(ctx, f.data, f.limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, be.close()) }()
	srv, err := flightsql.New(flightsql.Config{
		Catalog: be.catalog, Engine: be.engine, Mem: be.mem,
		TicketKey: key, Version: version, TLS: secure, Advertise: f.advertise, OnCall: logCalls(log),
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	scheme := "grpc"
	if secure != nil {
		scheme = "grpc+tls"
	}
	go returnMemory(ctx)
	log.Info().Str("version", version).Msgf("listening on %s://%s", scheme, l.Addr())
	return runUntil(ctx, srv, l, f.drain, log)
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

// checkExposure refuses an address that other machines reach: there is no authentication yet.
func checkExposure(listen string, insecure bool) error {
	if insecure {
		return nil
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", listen, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s: other machines can reach this address, and there is no authentication; --insecure serves there all the same", listen)
}

func (f serveFlags) tlsConfig() (*tls.Config, error) {
	if f.tlsCert == "" && f.tlsKey == "" {
		return nil, nil
	}
	if f.tlsCert == "" || f.tlsKey == "" {
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// minKeyBytes is the shortest key that signs tickets.
const minKeyBytes = 16

func readTicketKey(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(key) < minKeyBytes {
		return nil, fmt.Errorf("%s: a ticket key has at least %d bytes, this one has %d", file, minKeyBytes, len(key))
	}
	return key, nil
}
