package planner

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// maxLocated is the longest statement in which faults of the engines are looked for.
const maxLocated = 64 << 10

// Locate gives a fault that an engine found in a statement its place in the text, where its message names an expression or the
// types of a function's arguments, and else the place of the query. The statement is bound once more for that; o is what it was planned under.
func Locate(ctx context.Context, text string, o Options, err error) error {
	var placed *errs.SQLError
	var onDisk *fs.PathError
	if !errors.Is(err, errs.ErrInvalidInput) || errors.As(err, &placed) || errors.As(err, &onDisk) || len(text) > maxLocated {
		return err
	}
	parsed, perr := sqltext.Parse(text)
	if perr != nil {
		return err
	}
	q := queryOf(parsed.Statement)
	if q == nil {
		return err
	}
	lo := o.logical(supports)
	if o.Params == nil {
		_, values, perr := unbound(ctx, parsed, q, lo, o.ParamGuess)
		if perr != nil {
			return err
		}
		lo.Params = values
	}
	l := newLocator(err.Error())
	lo.Bound = l.see
	l.pos = q.Pos // of the whole query, unless something better is found
	if _, berr := logical.Bind(ctx, parsed, q, lo); berr != nil {
		return err
	}
	return logical.At(text, l.pos, err)
}

func queryOf(s sqltext.Statement) *sqltext.Query {
	switch s := s.(type) {
	case *sqltext.QueryStmt:
		return s.Query
	case *sqltext.ExplainStmt:
		return queryOf(s.Query)
	case *sqltext.ShowStmt:
		return s.Query
	}
	return nil
}

// locator looks for the expression that a message is about: the longest that it begins with, or the call of a function whose
// arguments are most like those that it names.
type locator struct {
	msg      string
	function string
	types    []string
	best     int // how well the place found so far fits; -1: none is found
	pos      int
}

// signature is a function with the types of its arguments, as DuckDB's messages have it.
var signature = regexp.MustCompile(`(?:argument types '|function call ")([^\s(]+)\((.*?)\)['"]`)

// template is the name of a function that takes types of one kind.
var template = regexp.MustCompile(`^Cannot deduce template type .* in function: '([^\s(]+)\(`)

func newLocator(msg string) *locator {
	l := &locator{msg: msg, best: -1}
	if m := signature.FindStringSubmatch(msg); m != nil {
		l.function, l.types = m[1], splitTypes(m[2])
		return l
	}
	if m := template.FindStringSubmatch(msg); m != nil {
		l.function = m[1]
		return l
	}
	if zone, ok := strings.CutPrefix(msg, "Unknown TimeZone "); ok { // a text, as expressions have it
		l.msg = strings.TrimSuffix(zone, "!") + ": "
		return l
	}
	l.msg = strings.TrimPrefix(msg, "one of ")
	if rest, ok := strings.CutPrefix(msg, "table "); ok { // of a scan: the expression follows
		_, l.msg, _ = strings.Cut(rest, ": ")
	}
	return l
}

// splitTypes parts a list of types at the commas that stand in no brackets.
func splitTypes(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

func (l *locator) see(e expr.Expr, pos int) {
	fit := -1
	if l.function != "" {
		fit = l.likeness(e)
	} else if text := e.String(); strings.HasPrefix(l.msg, text+": ") || strings.HasPrefix(l.msg, text+", ") {
		fit = len(text)
	}
	if fit > l.best {
		l.best, l.pos = fit, pos
	}
}

// likeness counts the arguments of a call that are of the types that the message names; -1 where it names another function.
func (l *locator) likeness(e expr.Expr) int {
	var name string
	var args []expr.Expr
	switch e := e.(type) {
	case *expr.Call:
		name, args = e.Name, e.Args
	case *expr.Aggregate:
		name, args = e.Name, e.Args
	}
	if name != l.function || l.types != nil && len(args) != len(l.types) {
		return -1
	}
	n := 0
	for i, a := range args[:min(len(args), len(l.types))] {
		if isType(a, l.types[i]) {
			n++
		}
	}
	return n
}

// isType tells whether DuckDB calls an argument's type so: a literal has a type of its own.
func isType(e expr.Expr, name string) bool {
	if _, ok := e.(*expr.Literal); ok && strings.HasSuffix(name, "_LITERAL") {
		return (expr.KindOf(e.Type()) == expr.KindText) == (name == "STRING_LITERAL")
	}
	return e.Type() != nil && expr.SQLType(e.Type()) == name
}
