package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
	"google.golang.org/grpc/codes"

	"github.com/lanceflight/flightsrv/flightsql"
)

// newLog writes one line of JSON per event, or a readable form where the output is a terminal.
func newLog(out *os.File) zerolog.Logger {
	var w io.Writer = out
	if term.IsTerminal(int(out.Fd())) {
		w = zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).With().Timestamp().Logger()
}

// logCalls gives the function that logs each call: never the values of parameters, nor the text of a statement.
func logCalls(log zerolog.Logger) func(flightsql.Call) {
	return func(c flightsql.Call) {
		e := log.Info()
		switch c.Code {
		case codes.OK, codes.Canceled:
		case codes.Internal, codes.DataLoss, codes.Unavailable:
			e = log.Error()
		default:
			e = log.Warn()
		}
		e = e.Str("method", c.Method).Str("peer", c.Peer).Dur("ms", c.Duration).Str("code", c.Code.String())
		if c.User != "" {
			e = e.Str("user", c.User)
		}
		if c.Rows > 0 || c.Bytes > 0 {
			e = e.Int64("rows", c.Rows).Int64("bytes", c.Bytes)
		}
		if c.Error != "" {
			e = e.Str("error", c.Error)
		}
		if c.ErrorID != "" {
			e = e.Str("error_id", c.ErrorID).Str("detail", c.Detail)
		}
		e.Msg("call")
	}
}
