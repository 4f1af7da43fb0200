package planner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

func plan(ctx context.Context, text string, o Options) (*Statement, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	parsed, err := sqltext.Parse(text)
	if err != nil {
		return nil, err
	}
	switch s := parsed.Statement.(type) {
	case *sqltext.QueryStmt:
		return planQuery(ctx, parsed, s.Query, o)
	case *sqltext.ExplainStmt:
		q, ok := s.Query.(*sqltext.QueryStmt)
		if !ok {
			return nil, errs.Unsupportedf("EXPLAIN takes a query")
		}
		out, err := planQuery(ctx, parsed, q.Query, o)
		if err != nil {
			return nil, err
		}
		out.Kind, out.Analyze, out.JSON = KindExplain, s.Analyze, s.JSON
		return out, nil
	case *sqltext.SetStmt:
		set := &Set{Name: strings.ToLower(s.Name), Values: s.Values, Reset: s.Reset, Discard: s.Discard}
		return &Statement{Kind: KindSet, Set: set, text: text, pos: s.Pos}, nil
	case *sqltext.UseStmt:
		return &Statement{Kind: KindUse, Use: names(s.Name), text: text, pos: s.Pos}, nil
	case *sqltext.ShowStmt:
		return planShow(ctx, parsed, s, o)
	case *sqltext.TransactionStmt:
		if err := checkTransaction(s, o); err != nil {
			return nil, logical.At(text, s.Pos, err)
		}
		return &Statement{Kind: KindNothing}, nil
	case *sqltext.ViewStmt:
		return planView(ctx, parsed, s, o)
	case *sqltext.WriteStmt:
		if err := checkWrite(ctx, parsed, s, o); err != nil {
			return nil, err
		}
		if !o.Writable {
			return nil, logical.At(text, s.Pos, errs.New(errs.ErrPermissionDenied,
				"%s: the server was not started with --writable", s.Kind))
		}
		line, column := sqltext.Position(text, s.Pos)
		return nil, errs.Unsupportedf("%s (line %d, column %d): this version writes views, no tables yet", s.Kind, line, column)
	}
	return nil, errs.New(errs.ErrInternal, "planner: unknown statement %T", parsed.Statement)
}

// checkTransaction refuses what would promise something of the statements to come where these may write.
func checkTransaction(s *sqltext.TransactionStmt, o Options) error {
	switch {
	case !o.Writable:
	case s.Kind != "SET TRANSACTION":
		return errs.Unsupportedf("%s: there are no transactions, each statement stands for itself", s.Kind)
	case s.ReadOnly:
		return errs.Unsupportedf("SET TRANSACTION READ ONLY: the server was started with --writable, and no session can be kept from writing")
	}
	return nil
}

// planShow takes a SHOW apart; a query that is described is planned, for its columns.
func planShow(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.ShowStmt, o Options) (*Statement, error) {
	out := &Statement{}
	if s.Query != nil {
		var err error
		if out, err = planQuery(ctx, parsed, s.Query, o); err != nil {
			return nil, err
		}
	}
	out.Kind, out.text, out.pos = KindShow, parsed.Text, s.Pos
	out.Show = &Show{What: strings.ToLower(s.What), Name: names(s.Name), Like: s.Like}
	return out, nil
}

// checkWrite checks the names and types of a statement that changes something.
func checkWrite(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.WriteStmt, o Options) error {
	for i, q := range s.Reads {
		bound, err := bindRead(ctx, parsed, s, q, o)
		target := s.Creates && i == 0
		if target {
			if err := checkSchema(ctx, parsed, q, o); err != nil {
				return err
			}
		}
		switch {
		case target && err == nil && !s.Lenient:
			return logical.At(parsed.Text, q.Pos, errs.New(errs.ErrAlreadyExists, "%s: the table is there already", s.Kind))
		case errors.Is(err, errs.ErrNotFound) && (target || s.Lenient):
		case err != nil:
			return err
		}
		if n := s.Columns; i == 0 && n > 0 && n != len(bound.Query.Cols) {
			return logical.At(parsed.Text, q.Pos, errs.Invalidf("%s names %d columns, but %d values are given", s.Kind, n, len(bound.Query.Cols)))
		}
	}
	for _, c := range s.Fresh {
		if _, err := bindRead(ctx, parsed, s, c.Read, o); err == nil {
			return logical.At(parsed.Text, c.Pos, errs.New(errs.ErrAlreadyExists, "%s: the column %s is there already", s.Kind, expr.QuoteIdent(c.Name)))
		}
	}
	return nil
}

// checkSchema refuses to make the table that q reads where its schema or catalog is not there.
func checkSchema(ctx context.Context, parsed *sqltext.Parsed, q *sqltext.Query, o Options) error {
	sel, ok := q.Body.(*sqltext.Select)
	if !ok || len(sel.From) == 0 {
		return nil
	}
	table, ok := sel.From[0].(*sqltext.TableName)
	if !ok {
		return nil
	}
	ref, err := logical.TableRefOf(names(table.Name), logical.Options{Catalog: o.Catalog, Schema: o.Schema})
	if err != nil {
		return logical.At(parsed.Text, table.Pos, err)
	}
	_, err = o.Resolver.Resolve(ctx, ref)
	return logical.At(parsed.Text, table.Pos, schemaFault(err))
}

// schemaFault gives the error of looking a table up if it is not just that its schema has none of the name.
func schemaFault(err error) error {
	var none *scan.NoTableError
	if errors.As(err, &none) {
		return nil
	}
	return err
}

// bindRead binds a query that tells what a statement reads.
func bindRead(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.WriteStmt, q *sqltext.Query, o Options) (*logical.Bound, error) {
	lo := o.logical(supports)
	if s.Kind == "UPDATE" || s.Kind == "DELETE" || s.Kind == "MERGE" {
		lo.Changes = s.Kind
	}
	if o.Params == nil {
		if _, values, err := unbound(ctx, parsed, q, lo, o.ParamGuess); err == nil {
			lo.Params = values
		}
	}
	return logical.Bind(ctx, parsed, q, lo)
}

func (o Options) logical(supports func(expr.Expr) bool) logical.Options {
	return logical.Options{Catalog: o.Catalog, Schema: o.Schema, TimeZone: o.TimeZone, DottedNames: o.DottedNames, Params: o.Params, Resolver: o.Resolver, Views: o.Views, User: o.User, Setting: o.Setting,
		Now: o.Now, Supports: supports}
}

func (o Options) env(supports func(expr.Expr) bool) rules.Env {
	return rules.Env{Supports: supports, UTC: o.TimeZone == "" || o.TimeZone == "UTC"}
}

func names(ids []sqltext.Ident) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Text
	}
	return out
}

func planQuery(ctx context.Context, parsed *sqltext.Parsed, q *sqltext.Query, o Options) (*Statement, error) {
	out := &Statement{Kind: KindQuery}
	supports := supports
	if o.Relational {
		supports = scanOnly
	}
	lo := o.logical(supports)
	if o.Params == nil {
		types, values, err := unbound(ctx, parsed, q, lo, o.ParamGuess)
		if err != nil {
			return nil, err
		}
		out.ParamTypes, out.StandIns, lo.Params = types, values, values
	} else {
		if len(o.Params) != parsed.Params {
			return nil, logical.At(parsed.Text, parsed.ParamPos, errs.Invalidf("a value is needed for each parameter: %d, not %d", parsed.Params, len(o.Params)))
		}
		for _, p := range o.Params {
			out.ParamTypes = append(out.ParamTypes, p.Typ)
		}
	}
	bound, err := logical.Bind(ctx, parsed, q, lo)
	if err != nil {
		return nil, err
	}
	fresh, applied, err := rules.Run(o.env(supports), rules.Default, bound.Query)
	if err != nil {
		return nil, logical.At(parsed.Text, q.Pos, err)
	}
	out.applied = applied
	out.Plan, err = physical.Build(ctx, fresh, physical.Options{TimeZone: o.TimeZone, Supports: supports, Notes: notes(bound.Reasons), Relational: o.Relational})
	return out, err
}

// scanOnly accepts what supports does and DuckDB can't compute: tests on stats, and on the elements of lists.
func scanOnly(e expr.Expr) bool {
	only := false
	expr.Walk(e, func(e expr.Expr) bool {
		switch e.(type) {
		case *expr.StatsTest, *expr.StatsState, *expr.Match:
			only = true
		}
		return !only
	})
	return only && supports(e)
}

// unbound finds the type of each parameter by its place, guess, or utf8, where nothing tells, and a value that stands in for it
// while there is none: NULL, where that may stand.
func unbound(ctx context.Context, parsed *sqltext.Parsed, q *sqltext.Query, o logical.Options, guess arrow.DataType) ([]arrow.DataType, []*expr.Literal, error) {
	if guess == nil {
		guess = arrow.BinaryTypes.String
	}
	if parsed.Params == 0 {
		return nil, nil, nil
	}
	bound, err := logical.Bind(ctx, parsed, q, o)
	if err != nil {
		return nil, nil, err
	}
	for i, t := range bound.ParamTypes {
		if t == nil {
			bound.ParamTypes[i] = guess
		}
		if bound.StandIns[i] == nil {
			bound.StandIns[i] = &expr.Literal{Typ: bound.ParamTypes[i]}
		}
	}
	return bound.ParamTypes, bound.StandIns, nil
}

func notes(reasons []statsrewrite.Reason) []string {
	var out []string
	for _, r := range reasons {
		note := r.Part.String() + " keeps all rows: " + r.Why
		if !slices.Contains(out, note) { // a CTE is bound once for each reference
			out = append(out, note)
		}
	}
	return out
}
