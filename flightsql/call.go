package flightsql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
)

// Call is what is known of a call when it has ended. It holds no text of a statement and no value of a parameter.
type Call struct {
	Method   string
	Peer     string
	User     string // "" on an open server
	Duration time.Duration
	Rows     int64 // sent
	Bytes    int64 // sent, of Arrow data
	Code     codes.Code
	// Error is what the client was told, empty where all went well. Detail is what only the log is told, under ErrorID.
	Error, ErrorID, Detail string
}

type callKey struct{}

// callOf gives the record of the running call.
func callOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// stream stands around every call: it recovers panics, asks who calls, gives errors their status and tells OnCall.
func (s *Server) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	ctx, end := s.begin(stream.Context(), info.FullMethod)
	defer func() { err = end(recover(), err) }()
	if takesStrangers(info.FullMethod) {
		bounded, stop := s.boundStrangers(&streamWith{stream, ctx})
		defer stop()
		return next(srv, bounded)
	}
	if ctx, err = s.authenticate(ctx); err != nil {
		return err
	}
	return next(srv, &streamWith{stream, ctx})
}

type streamWith struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *streamWith) Context() context.Context { return s.ctx }

func (s *Server) begin(ctx context.Context, method string) (context.Context, func(panicked any, err error) error) {
	call := &Call{Method: path.Base(method)}
	if p, ok := peer.FromContext(ctx); ok {
		call.Peer = p.Addr.String()
	}
	start := s.cfg.Now()
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, callKey{}, call))
	unhook := context.AfterFunc(s.halted, func() { cancel(errHalted) })
	return ctx, func(panicked any, err error) error {
		defer cancel(nil)
		unhook()
		call.Duration = s.cfg.Now().Sub(start)
		if panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
		if err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = ctx.Err() // layers below tell it as a cancel
			}
			if errors.Is(context.Cause(ctx), errHalted) {
				err = errHalted // so they tell this
			}
			f := failureOf(err)
			call.Code, call.Error = f.status.Code(), cmp.Or(f.logged, f.status.Message())
			if f.id != "" {
				call.ErrorID, call.Detail = f.id, err.Error()
			}
			err = f.status.Err()
		}
		if s.cfg.OnCall != nil {
			s.cfg.OnCall(*call)
		}
		return err
	}
}
