package logical

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// Options is what a query is bound under; see planner.Options.
type Options struct {
	Catalog, Schema string
	TimeZone        string
	DottedNames     bool            // a part of a name may be a whole path: "s.a.b"
	Params          []*expr.Literal // nil: parameters stay expr.Param while their types are found
	Resolver        Resolver
	Views           []scan.View // temporary ones
	Making          *scan.View  // the view that the query is to be, nil for none: it must not read itself
	Changes         string      // what the query is read for: UPDATE, DELETE or MERGE; empty for none of these
	User            string
	Setting         func(name string) (string, bool) // nil: there are none
	Now             time.Time
	// Bound is told of each expression as it is bound, the operands first; nil: nobody asks.
	Bound func(BoundExpr)
	// Supports tells whether a scan can compute a bound expression; nil: any.
	Supports func(expr.Expr) bool
}

// BoundExpr is an expression of a statement with its place. In Shown, columns have the names that the statement knows them by.
type BoundExpr struct {
	Expr, Shown expr.Expr
	Pos         int
	InFrom      bool // a call in FROM
	Counts      bool // of LIMIT or OFFSET
}

// Limits on what one statement may name, so that hostile text costs little.
const (
	maxRelations = 2000
	// inlineRelations is how many relations a statement may have for its CTEs to be bound anew for each reference.
	inlineRelations = 100
)

// Bound is a bound query.
type Bound struct {
	Query *Query
	// ParamTypes has the type of each parameter where its place tells, nil elsewhere.
	ParamTypes []arrow.DataType
	// StandIns has a value for each parameter where NULL can't stand, or changes how the statement runs; nil elsewhere.
	StandIns []*expr.Literal
	// Reasons tells of the parts of WHERE that keep all rows.
	Reasons []statsrewrite.Reason
	// Rels counts the relation ids given out; ids above it are free for the rules.
	Rels int
}

// Bind resolves the names and types of a query.
func Bind(ctx context.Context, p *sqltext.Parsed, q *sqltext.Query, o Options) (*Bound, error) {
	b, err := newBinder(ctx, p.Text, p.Params, o)
	if err != nil {
		return nil, err
	}
	out, err := b.query(q, &scope{})
	if err != nil {
		return nil, err
	}
	return &Bound{Query: out, ParamTypes: b.paramTypes, StandIns: b.standIns, Rels: b.rels, Reasons: b.reasons}, nil
}

type binder struct {
	ctx            context.Context //nolint:containedctx // lives as long as one Bind call
	text           string
	o              Options
	types          expr.Binder
	zone           *time.Location
	rels           int
	relations      map[int]*relation
	depth, deepest nesting // how deep the binder is, and how deep it was
	lambdas        int
	reasons        []statsrewrite.Reason
	ctes           int
	sources        map[string]scan.Source
	columns        map[scan.Source][]Col
	refs           map[*sqltext.Query]map[string]int // how often a query names a table, by foldName
	paramTypes     []arrow.DataType
	standIns       []*expr.Literal
	views          []openView  // outermost first
	repeated       int         // see maxRepeated
	args           []expr.Expr // what the parameters of a macro's text stand for; nil outside of one
}

func newBinder(ctx context.Context, text string, params int, o Options) (*binder, error) {
	b := &binder{ctx: ctx, text: text, o: o, sources: map[string]scan.Source{}, relations: map[int]*relation{},
		columns: map[scan.Source][]Col{}, refs: map[*sqltext.Query]map[string]int{},
		paramTypes: make([]arrow.DataType, params), standIns: make([]*expr.Literal, params)}
	if o.TimeZone != "" && o.TimeZone != "UTC" {
		zone, err := time.LoadLocation(o.TimeZone)
		if err != nil {
			return nil, errs.Invalidf("there is no time zone %q", o.TimeZone)
		}
		b.zone = zone
	}
	if o.Making != nil {
		b.views = []openView{{name: o.Making.Name(), temporary: o.Making.Temporary, made: true}}
	}
	if b.o.Now.IsZero() {
		b.o.Now = time.Now()
	}
	b.types = expr.Binder{Resolve: func(c expr.Column) (expr.Column, error) { return c, nil }, Zone: b.zone}
	return b, nil
}

// bound tells of an expression that is bound.
func (b *binder) bound(e expr.Expr, pos int) { b.tell(BoundExpr{Expr: e, Pos: pos}) }

// tell tells of an expression. Where it stands in the text of a view, its place is where the statement names that.
func (b *binder) tell(e BoundExpr) {
	if b.o.Bound == nil || e.Expr == nil {
		return
	}
	if i := slices.IndexFunc(b.views, func(v openView) bool { return !v.made }); i >= 0 {
		e.Pos = b.views[i].pos
	}
	e.Shown = b.shown(e.Expr)
	b.o.Bound(e)
}

func (b *binder) newRel(pos int) (int, error) {
	b.rels++
	if b.rels > maxRelations {
		return 0, b.errorf(pos, "more than %d tables and subqueries in one statement", maxRelations)
	}
	return b.rels, nil
}

// errorf is an InvalidInput fault at a place of the user's text.
func (b *binder) errorf(pos int, format string, args ...any) error {
	return b.at(pos, errs.Invalidf(format, args...))
}

func (b *binder) fault(kind error, pos int, hint, format string, args ...any) error {
	e := b.at(pos, errs.New(kind, format, args...))
	var s *errs.SQLError
	if errors.As(e, &s) {
		s.Hint = hint
	}
	return e
}

// at gives err a place in the user's text, unless it has one; its kind stays.
func (b *binder) at(pos int, err error) error { return At(b.text, pos, err) }

// kinds that a fault found while planning may have; any other stays as it is, since it is no fault of the text.
var textKinds = []error{errs.ErrInvalidInput, errs.ErrNotFound, errs.ErrUnsupported, errs.ErrPermissionDenied,
	errs.ErrResourceExhausted, errs.ErrAlreadyExists}

// At gives err a place in text, unless it has one or is no fault of the text.
func At(text string, pos int, err error) error {
	var s *errs.SQLError
	if err == nil || errors.As(err, &s) {
		return err
	}
	for _, k := range textKinds {
		if errors.Is(err, k) {
			line, col := sqltext.Position(text, pos)
			return &errs.SQLError{Kind: k, Line: line, Column: col, Msg: err.Error(), Source: sqltext.Line(text, pos)}
		}
	}
	return err
}
