package planner

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// maxLocated is the longest statement in which faults of the engines are looked for.
const maxLocated = 64 << 10

// Locate gives a fault that an engine found in a statement its place in the text: that of the expression that it is about, or
// else of the query. The statement is bound once more for that; o is what it was planned under, and describe asks the engine whether it takes a plan.
func Locate(ctx context.Context, text string, o Options, describe func(context.Context, *physical.Plan) error, err error) error {
	var placed *errs.SQLError
	var onDisk *fs.PathError
	var column *physical.ColumnFault
	if !errors.Is(err, errs.ErrInvalidInput) && !errors.As(err, &column) || errors.As(err, &placed) || errors.As(err, &onDisk) || len(text) > maxLocated {
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
	var seen []logical.BoundExpr
	lo.Bound = func(e logical.BoundExpr) { seen = append(seen, e) }
	bound, berr := logical.Bind(ctx, parsed, q, lo)
	if berr != nil {
		return err
	}
	if column != nil {
		return logical.At(text, bound.Query.ItemPos(column.Index, q.Pos), err)
	}
	pos, found := placeOf(err, seen)
	if !found {
		pos, found = probe(ctx, seen, describe, err.Error())
	}
	if !found {
		pos, found = follow(err.Error(), seen)
	}
	if !found {
		pos = newLocator(err.Error(), q.Pos).find(seen)
	}
	return logical.At(text, pos, err)
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

// placeOf finds the part of a query that an error names. A rule may have put what a subquery computes in place of its columns: then
// the only expression that is the same but for its columns is taken.
func placeOf(err error, seen []logical.BoundExpr) (pos int, found bool) {
	var fault *physical.PartFault
	if !errors.As(err, &fault) {
		return 0, false
	}
	for _, p := range fault.Parts {
		for _, e := range seen {
			if e.Shown.String() == p.Text {
				return e.Pos, true
			}
		}
	}
	shape := shapeOf(fault.Parts[0].Expr)
	for _, e := range seen {
		switch {
		case shapeOf(e.Expr) != shape || found && e.Pos == pos:
		case found:
			return 0, false
		default:
			pos, found = e.Pos, true
		}
	}
	return pos, found
}

// shapeOf is an expression's text without the names of columns.
func shapeOf(e expr.Expr) string {
	return expr.Printer{Column: func(*expr.Column) string { return "_" }}.Print(e)
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

// signature is a function with the types of its arguments.
var signature = regexp.MustCompile(`^(?:there is no function )?([\w.]+)\((.*?)\) (?:-|may be several functions)`)

// template is the name of a function that takes types of one kind.
var template = regexp.MustCompile(`^Cannot deduce template type .* in function: '([^\s(]+)\(`)

// newLocator looks for what msg is about; pos is the place where nothing is found.
func newLocator(msg string, pos int) *locator {
	l := &locator{msg: msg, best: -1, pos: pos}
	if m := signature.FindStringSubmatch(msg); m != nil {
		l.function, l.types = m[1], splitTypes(m[2])
		return l
	}
	if m := template.FindStringSubmatch(msg); m != nil {
		l.function = m[1]
		return l
	}
	if rest, ok := strings.CutPrefix(msg, "table "); ok { // of a scan: the expression follows
		_, l.msg, _ = strings.Cut(rest, ": ")
	}
	return l
}

// find gives the place of the expression that fits best. Of an expression that names another within itself it is that of the other.
func (l *locator) find(seen []logical.BoundExpr) int {
	for inner := true; inner; {
		inner = false
		for _, e := range seen {
			fit := -1
			if l.function != "" {
				fit = l.likeness(e.Shown)
			} else if text := e.Shown.String(); strings.HasPrefix(l.msg, text+": ") {
				fit = len(text)
			}
			if fit > l.best {
				l.best, l.pos, inner = fit, e.Pos, l.function == ""
			}
		}
		if inner {
			l.msg, l.best = l.msg[l.best+len(": "):], -1
		}
	}
	return l.pos
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
		if isType(a.Type(), l.types[i]) {
			n++
		}
	}
	return n
}

// isType tells whether DuckDB calls a type so, which quotes more names of fields.
func isType(t arrow.DataType, name string) bool {
	return t != nil && strings.ReplaceAll(expr.SQLType(t), `"`, "") == strings.ReplaceAll(name, `"`, "")
}
