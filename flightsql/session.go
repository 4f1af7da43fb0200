package flightsql

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/nested"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// Bounds of the sessions.
const (
	maxSessions     = 100_000
	maxSessionBytes = 64 << 20
	sessionIdle     = 24 * time.Hour
	sessionBytes    = 400 // about what one weighs
)

const (
	sessionCookie = "arrow_flight_session_id"
	// headerPrefix starts the call headers that set an option for one call.
	headerPrefix = "x-flightsrv-"
	// defaultSchema is the schema of tables that lie in the root of a folder.
	defaultSchema = "main"
)

// maxPartitions bounds how many endpoints a client may ask for.
const maxPartitions = 1000

// The names of the options.
const (
	optionCatalog  = "catalog"
	optionSchema   = "schema"
	optionTimeZone = "timezone"
	optionNested   = "nested"
	optionCells    = "cells"
	// optionPartitions is of calls and sessions that read a result's endpoints side by side.
	optionPartitions = "partitions"
	// optionCompression is of clients behind a slow network.
	optionCompression = "compression"
)

// The values of the option cells.
const (
	cellsListed = "listed"
	cellsHidden = "hidden"
)

var optionNames = []string{optionCatalog, optionSchema, optionTimeZone, optionNested, optionCells, optionPartitions, optionCompression}

// optionTexts tell what the options are.
var optionTexts = map[string]string{
	optionCatalog: "the catalog of names without one", optionSchema: "the schema of names without one",
	optionCells:       "whether metadata lists the cells of tables with n-d arrays, t$cells: listed or hidden",
	optionCompression: "how results are compressed on the wire: none, lz4 or zstd",
	optionPartitions:  "the most endpoints that the result of a plain scan comes in",
	optionNested:      "how nested columns come: native, flatten or json",
	optionTimeZone:    "the time zone of dates, texts and functions of timestamps with a time zone",
}

// settings are the options that change what a statement means.
type settings struct {
	Catalog  string `json:"catalog"`
	Schema   string `json:"schema"`
	TimeZone string `json:"timezone"`
	// Nested is how results and metadata give nested columns.
	Nested nested.Mode `json:"nested"`
	// Partitions is in how many endpoints a result may come, at most.
	Partitions int `json:"partitions"`
	// Compression is the codec of the bodies of batches, a key of codecs.
	Compression string `json:"compression"`
	// Cells tells that metadata lists the cells of tables.
	Cells bool `json:"cells,omitempty"`
	// User is who asks, empty where nobody had to log in. Nobody else may use a handle or ticket with these settings.
	User string `json:"user,omitempty"`
	// Views are the session's temporary views; the list is never changed in place.
	Views []scan.View `json:"views,omitempty"`
}

func (s settings) get(name string) string {
	switch name {
	case optionCatalog:
		return s.Catalog
	case optionSchema:
		return s.Schema
	case optionNested:
		return string(s.Nested)
	case optionPartitions:
		return strconv.Itoa(s.Partitions)
	case optionCompression:
		return s.Compression
	case optionCells:
		if s.Cells {
			return cellsListed
		}
		return cellsHidden
	}
	return s.TimeZone
}

// session keeps options between calls, for clients that keep its cookie or log in for a token.
type session struct {
	id   string // what sessions has it under
	user string // whose it is

	mu        sync.Mutex
	set       map[string]string
	effective settings // set over the defaults, checked when they were set
}

// baseSettings are the options in force where nothing sets them.
func (s *Server) baseSettings() settings {
	return settings{Catalog: s.cfg.Catalog.Catalogs()[0], Schema: defaultSchema, TimeZone: "UTC", Nested: nested.Native, Partitions: 1, Compression: "none"}
}

// errSessionEnded is the answer to a cookie or token whose session is not there: it was closed or not used for long, the
// server was started anew, or another one keeps it. What was set in it is not known, so that nothing is done without.
var errSessionEnded = errs.New(errs.ErrUnauthenticated, "the session of this connection has ended: connect again")

// sessionOf gives the call's session, nil where it names none. A cookie goes before a token.
func (s *Server) sessionOf(ctx context.Context) (*session, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	who := callerOf(ctx)
	id := cmp.Or(cookieOf(md), who.session)
	if id == "" {
		return nil, nil
	}
	if got, ok := s.sessions.get(id); ok && got.user == who.user {
		return got, nil
	}
	return nil, errSessionEnded
}

// openSession gives the call's session, and begins one under a cookie where it names none.
func (s *Server) openSession(ctx context.Context) (*session, error) {
	got, err := s.sessionOf(ctx)
	if got != nil || err != nil {
		return got, err
	}
	id := newID()
	cookie := http.Cookie{Name: sessionCookie, Value: id, Path: "/"}
	if err := grpc.SetHeader(ctx, metadata.Pairs("set-cookie", cookie.String())); err != nil {
		return nil, err
	}
	return s.beginSession(id, callerOf(ctx).user), nil
}

// beginSession makes a session of a user's, with the server's defaults.
func (s *Server) beginSession(id, user string) *session {
	fresh := &session{id: id, user: user, effective: s.defaults}
	s.sessions.put(id, fresh, sessionBytes)
	return fresh
}

// requireSession gives the session for statements that change it.
func (s *Server) requireSession(ctx context.Context) (*session, error) {
	got, err := s.sessionOf(ctx)
	if err == nil && got == nil {
		err = errs.Invalidf("there is no session to keep this: log in for a token or let the client keep cookies and call SetSessionOptions, or send the option with each call as the header %sOPTION", headerPrefix)
	}
	return got, err
}

func cookieOf(md metadata.MD) string {
	h := http.Header{"Cookie": md.Get("cookie")}
	c, err := (&http.Request{Header: h}).Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// settingsOf gives the options of a call: the server's defaults, the session's over them, the headers' over all.
func (s *Server) settingsOf(ctx context.Context) (settings, error) {
	out := s.defaults
	got, err := s.sessionOf(ctx)
	if err != nil {
		return out, err
	}
	if got != nil {
		got.mu.Lock()
		out = got.effective
		got.mu.Unlock()
	}
	out.User = callerOf(ctx).user
	md, _ := metadata.FromIncomingContext(ctx)
	headers := map[string]string{}
	for k, v := range md {
		if name, ours := strings.CutPrefix(k, headerPrefix); ours && len(v) > 0 {
			headers[name] = v[len(v)-1]
		}
	}
	err = s.merge(ctx, &out, headers)
	return out, err
}

// merge sets options, the catalog first since the schema is looked for in it.
func (s *Server) merge(ctx context.Context, to *settings, set map[string]string) error {
	if len(set) == 0 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(set), func(a, b string) int { return slices.Index(optionNames, a) - slices.Index(optionNames, b) })
	for _, name := range names {
		if err := s.setOption(ctx, to, name, set[name]); err != nil {
			return err
		}
	}
	return nil
}

// setOption checks one option and sets it.
func (s *Server) setOption(ctx context.Context, to *settings, name, value string) error {
	switch name {
	case optionCatalog:
		got, ok := nameIn(s.cfg.Catalog.Catalogs(), value)
		if !ok {
			return errs.NotFoundf("there is no catalog %s; there are %s", expr.FieldPath{value}.Key(), strings.Join(s.cfg.Catalog.Catalogs(), ", "))
		}
		to.Catalog = got
	case optionSchema:
		names, err := s.cfg.Catalog.Schemas(ctx, to.Catalog)
		if err != nil {
			return err
		}
		got, ok := nameIn(append(names, defaultSchema), value)
		if !ok {
			return errs.NotFoundf("catalog %s has no schema %s%s", expr.FieldPath{to.Catalog}.Key(), expr.FieldPath{value}.Key(), catalog.Near(value, names))
		}
		to.Schema = got
	case optionTimeZone:
		if _, err := time.LoadLocation(value); err != nil || value == "" || strings.EqualFold(value, "local") {
			return errs.Invalidf("no time zone %q; zones are named as in Europe/Berlin", value)
		}
		to.TimeZone = value
	case optionNested:
		mode, err := nested.ParseMode(value)
		if err != nil {
			return err
		}
		to.Nested = mode
	case optionPartitions:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxPartitions {
			return errs.Invalidf("partitions is a number from 1 to %d, not %q", maxPartitions, value)
		}
		to.Partitions = n
	case optionCompression:
		codec := strings.ToLower(value)
		if _, ok := codecs[codec]; !ok {
			return errs.Invalidf("no compression %q; there are %s", value, strings.Join(slices.Sorted(maps.Keys(codecs)), ", "))
		}
		to.Compression = codec
	case optionCells:
		if value != cellsListed && value != cellsHidden {
			return errs.Invalidf("the option cells is %s or %s, not %q", cellsListed, cellsHidden, value)
		}
		to.Cells = value == cellsListed
	default:
		return noOption(name)
	}
	return nil
}

// nameIn finds a name as SQL does: exactly, or else without regard to case where just one is so.
func nameIn(names []string, want string) (string, bool) {
	var found []string
	for _, n := range names {
		if n == want {
			return n, true
		}
		if strings.EqualFold(n, want) && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// change sets options of a session, all or none; an empty text takes one back to the default.
func (s *Server) change(ctx context.Context, in *session, set map[string]string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	next := map[string]string{}
	maps.Copy(next, in.set)
	for k, v := range set {
		if v == "" {
			delete(next, k)
			continue
		}
		next[k] = v
	}
	if _, moved := set[optionCatalog]; moved {
		if _, named := set[optionSchema]; !named {
			delete(next, optionSchema) // a schema of the catalog before
		}
	}
	check := s.defaults
	check.Views = in.effective.Views
	if err := s.merge(ctx, &check, next); err != nil {
		return err
	}
	in.set, in.effective = next, check
	return nil
}

// changesSession tells whether a statement needs a session to keep what it changes. What takes all back needs none.
func changesSession(st *planner.Statement, set settings) bool {
	if st.Kind == planner.KindSet {
		_, foreign := foreignSettings[st.Set.Name]
		return !foreign && st.Set.Name != allOptions
	}
	return st.Kind == planner.KindUse || st.Kind == planner.KindView && !isLasting(st, set)
}

// applyStatement runs SET, RESET or USE in the call's session, or changes a view.
func (s *Server) applyStatement(ctx context.Context, st *planner.Statement, set settings) error {
	switch st.Kind {
	case planner.KindView:
		return st.At(s.changeView(ctx, st, set))
	case planner.KindNothing:
		return nil
	case planner.KindSet:
		return st.At(s.applySet(ctx, st.Set))
	case planner.KindUse:
		in, err := s.requireSession(ctx)
		if err != nil {
			return err
		}
		return st.At(s.use(ctx, in, st.Use))
	}
	return errs.New(errs.ErrInternal, "statement kind %d changes no session", st.Kind)
}

// allOptions is what RESET ALL and DISCARD ALL name.
const allOptions = "all"

// applySet runs SET or RESET.
func (s *Server) applySet(ctx context.Context, set *planner.Set) error {
	if foreign, err := setForeign(set); foreign {
		return err
	}
	if set.Name == allOptions && set.Reset {
		return s.resetAll(ctx, set.Discard)
	}
	name := set.Name
	if name == searchPath {
		name = optionSchema
	}
	if !slices.Contains(optionNames, name) {
		return noOption(name)
	}
	in, err := s.requireSession(ctx)
	if err != nil {
		return err
	}
	value := ""
	switch {
	case set.Reset:
	case set.Name == searchPath:
		in.mu.Lock()
		catalog := in.effective.Catalog
		in.mu.Unlock()
		names, err := s.cfg.Catalog.Schemas(ctx, catalog)
		if err != nil {
			return err
		}
		if !slices.Contains(names, defaultSchema) {
			names = append(names, defaultSchema)
		}
		if value, err = schemaOfPath(set.Values, names); err != nil {
			return err
		}
	case len(set.Values) > 1:
		return errs.Invalidf("the option %s takes one value", name)
	case set.Values[0] == "":
		return errs.Invalidf("the option %s can't be empty; RESET %s takes it back to its default", name, name)
	default:
		value = set.Values[0]
	}
	return s.change(ctx, in, map[string]string{name: value})
}

// resetAll takes all options of the call's session back to the defaults, and its temporary views away where it is discarded. Where
// there is no session, all is as it should be.
func (s *Server) resetAll(ctx context.Context, discard bool) error {
	in, err := s.sessionOf(ctx)
	if in == nil || err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	fresh := s.defaults
	if !discard {
		fresh.Views = in.effective.Views
	}
	in.set, in.effective = map[string]string{}, fresh
	s.sessions.put(in.id, in, sessionBytes+int64(viewBytes(fresh.Views)))
	return nil
}

// use is USE catalog.schema, USE schema, or USE catalog where no schema has the name.
func (s *Server) use(ctx context.Context, in *session, name []string) error {
	if len(name) == 2 {
		return s.change(ctx, in, map[string]string{optionCatalog: name[0], optionSchema: name[1]})
	}
	err := s.change(ctx, in, map[string]string{optionSchema: name[0]})
	if !errors.Is(err, errs.ErrNotFound) {
		return err
	}
	catalogs := s.cfg.Catalog.Catalogs()
	if _, isCatalog := nameIn(catalogs, name[0]); isCatalog {
		return s.change(ctx, in, map[string]string{optionCatalog: name[0]})
	}
	return errs.New(errs.ErrNotFound, "%w; no catalog has the name either, there are %s", err, strings.Join(catalogs, ", "))
}

// SetSessionOptions sets options of the call's session, and begins one where there is none. Each fault is told by its
// option, the others are set.
func (s *Server) SetSessionOptions(ctx context.Context, r *flight.SetSessionOptionsRequest) (*flight.SetSessionOptionsResult, error) {
	in, err := s.openSession(ctx)
	if err != nil {
		return nil, err
	}
	out := &flight.SetSessionOptionsResult{Errors: map[string]*flight.SetSessionOptionsResultError{}}
	names := slices.SortedFunc(maps.Keys(r.GetSessionOptions()), func(a, b string) int { return slices.Index(optionNames, a) - slices.Index(optionNames, b) })
	for _, name := range names {
		value, isText := optionText(r.GetSessionOptions()[name])
		switch {
		case !slices.Contains(optionNames, name):
			out.Errors[name] = &flight.SetSessionOptionsResultError{Value: flight.SetSessionOptionsResultErrorInvalidName}
		case !isText || s.change(ctx, in, map[string]string{name: value}) != nil:
			out.Errors[name] = &flight.SetSessionOptionsResultError{Value: flight.SetSessionOptionsResultErrorInvalidValue}
		}
	}
	return out, nil
}

// optionText gives the text of an option's value; no value at all means the default.
func optionText(v *flight.SessionOptionValue) (string, bool) {
	switch x := v.GetOptionValue().(type) {
	case nil:
		return "", true
	case *pb.SessionOptionValue_StringValue:
		return x.StringValue, true
	case *pb.SessionOptionValue_Int64Value:
		return strconv.FormatInt(x.Int64Value, 10), true
	}
	return "", false
}

// GetSessionOptions gives all options in force, with or without a session.
func (s *Server) GetSessionOptions(ctx context.Context, _ *flight.GetSessionOptionsRequest) (*flight.GetSessionOptionsResult, error) {
	set, err := s.settingsOf(ctx)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, name := range optionNames {
		values[name] = set.get(name)
	}
	options, err := flight.NewSessionOptionValues(values)
	return &flight.GetSessionOptionsResult{SessionOptions: options}, err
}

// CloseSession ends the call's session; where there is none, nothing is left to close. A cookie is taken back; a token
// goes on with a new session, since several connections may have one token.
func (s *Server) CloseSession(ctx context.Context, _ *flight.CloseSessionRequest) (*flight.CloseSessionResult, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	who := callerOf(ctx)
	if id := cookieOf(md); id != "" {
		if got, ok := s.sessions.get(id); ok && got.user == who.user {
			s.sessions.remove(id)
		}
		gone := http.Cookie{Name: sessionCookie, Value: id, Path: "/", MaxAge: -1}
		if err := grpc.SetHeader(ctx, metadata.Pairs("set-cookie", gone.String())); err != nil {
			return nil, err
		}
	}
	if who.session != "" && who.session != lostSession {
		s.beginSession(who.session, who.user)
	}
	return &flight.CloseSessionResult{Status: flight.CloseSessionResultClosed}, nil
}
