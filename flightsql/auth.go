package flightsql

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/lanceflight/flightsrv/errs"
)

// Users knows who may connect; *users.File is one. It is safe for concurrent use.
type Users interface {
	// Check tells whether a user has a password.
	Check(ctx context.Context, name, password string) (bool, error)
	// Mark gives a text that changes when the user's password does. A user who is not there is an errs.ErrNotFound.
	Mark(name string) (string, error)
}

// errCredentials is the one answer to all that proves nobody: none, wrong, expired or another server's credentials.
var errCredentials = errs.New(errs.ErrUnauthenticated,
	"no or wrong credentials: log in with a user and password of this server, or for a new token where the one in use is too old")

// caller is who makes a call.
type caller struct {
	user    string // "" on an open server
	session string // names the token's session; "" without a token of ours
	expires int64  // when the token does, in seconds since 1970; 0: never
}

// lostSession is the session of a token that an open server can't read: one of another key, as that of an earlier process.
const lostSession = "lost"

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// flightService starts the names of the calls that need credentials; the others tell a health check no more than that
// the server is up.
const flightService = "/arrow.flight.protocol.FlightService/"

// authenticate gives the context that holds who makes a call. A token that gets old is answered with a new one.
func (s *Server) authenticate(ctx context.Context) (context.Context, error) {
	who, err := s.callerFrom(ctx)
	if err != nil {
		return ctx, err
	}
	callOf(ctx).User = who.user
	return context.WithValue(ctx, callerKey{}, who), s.renew(ctx, who)
}

// callerFrom reads a call's credentials. Without users to ask, any are taken, and a token of ours names its session.
func (s *Server) callerFrom(ctx context.Context) (caller, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if token := bearerOf(md); token != "" {
		t, err := s.openToken(token)
		switch {
		case err == nil:
			return caller{user: t.User, session: t.ID, expires: t.Expires}, nil
		case s.cfg.Users != nil:
			return caller{}, err
		case strings.HasPrefix(token, tokenPrefix):
			return caller{session: lostSession}, nil
		}
		return caller{}, nil
	}
	if s.cfg.Users == nil {
		return caller{}, nil
	}
	name, password, ok := basicOf(md)
	if !ok {
		return caller{}, errCredentials
	}
	return s.logIn(ctx, name, password)
}

// logIn checks a user's password.
func (s *Server) logIn(ctx context.Context, name, password string) (caller, error) {
	right, err := s.cfg.Users.Check(ctx, name, password)
	if err == nil && !right {
		err = errCredentials
	}
	return caller{user: name}, err
}

// authorizations gives the credentials of a scheme that a call came with.
func authorizations(md metadata.MD, scheme string) []string {
	var out []string
	for _, v := range md.Get("authorization") {
		if s, rest, _ := strings.Cut(strings.TrimSpace(v), " "); strings.EqualFold(s, scheme) {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

// oldTokenHeader carries the token of clients that log in by the payload of Handshake.
const oldTokenHeader = "auth-token-bin"

func bearerOf(md metadata.MD) string {
	for _, token := range append(authorizations(md, "bearer"), md.Get(oldTokenHeader)...) {
		if token != "" {
			return token
		}
	}
	return ""
}

// basicOf reads a user and a password as HTTP has them: base64 of NAME:PASSWORD.
func basicOf(md metadata.MD) (name, password string, ok bool) {
	for _, text := range authorizations(md, "basic") {
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			plain, err = base64.RawStdEncoding.DecodeString(text)
		}
		if err != nil {
			continue
		}
		if name, password, ok = strings.Cut(string(plain), ":"); ok {
			return name, password, true
		}
	}
	return "", "", false
}

// tokenLife is how long a token proves who bears it. In the second half of it, each answer brings a new one, which the
// drivers for JDBC and ADBC take over.
const tokenLife = 24 * time.Hour

// token is what a bearer's token says. One of an open server names a session alone, and does not expire: the session does.
type token struct {
	ID      string `json:"id"` // of the session
	User    string `json:"u,omitempty"`
	Mark    string `json:"m,omitempty"`   // of the user's password at that time
	Expires int64  `json:"exp,omitempty"` // seconds since 1970
}

// newToken gives a token for a user, "" for nobody's.
func (s *Server) newToken(id, user string) (string, error) {
	t := token{ID: id, User: user}
	if s.cfg.Users != nil {
		mark, err := s.cfg.Users.Mark(user)
		if err != nil {
			return "", err
		}
		t.Mark, t.Expires = mark, s.cfg.Now().Add(tokenLife).Unix()
	}
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return s.seal.sign(text), nil
}

// openToken reads a token. One that this server would not give now is errCredentials.
func (s *Server) openToken(text string) (token, error) {
	var t token
	data, ok := s.seal.signed(text)
	if !ok || json.Unmarshal(data, &t) != nil {
		return token{}, errCredentials
	}
	if s.cfg.Users == nil {
		return token{ID: t.ID}, nil // whoever it was made for
	}
	mark, err := s.cfg.Users.Mark(t.User)
	if errors.Is(err, errs.ErrNotFound) {
		return token{}, errCredentials
	}
	if err != nil {
		return token{}, err
	}
	if mark != t.Mark || s.cfg.Now().Unix() >= t.Expires {
		return token{}, errCredentials
	}
	return t, nil
}

// renew answers a token in the second half of its life with a new one for the same session.
func (s *Server) renew(ctx context.Context, who caller) error {
	if who.expires == 0 || s.cfg.Now().Add(tokenLife/2).Unix() < who.expires {
		return nil
	}
	fresh, err := s.newToken(who.session, who.user)
	if err != nil {
		return err
	}
	return grpc.SetHeader(ctx, metadata.Pairs("authorization", "Bearer "+fresh))
}
