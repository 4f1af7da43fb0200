package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// planView checks CREATE VIEW and DROP VIEW: what the view reads, and whether it may be written.
func planView(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.ViewStmt, o Options) (*Statement, error) {
	ref, err := logical.TableRefOf(names(s.Name), logical.Options{Catalog: o.Catalog, Schema: o.Schema})
	ref.Bare = false // a view of the schema itself is meant
	if err == nil && ref.Version != "" {
		err = errs.Invalidf("a view has no versions: its name holds no '@'")
	}
	if err == nil && !s.Drop && strings.ContainsFunc(ref.Table, unicode.IsControl) {
		err = errs.Invalidf("%q is no name for a view: it holds a control character", ref.Table)
	}
	if err != nil {
		return nil, logical.At(parsed.Text, s.Pos, err)
	}
	out := &ViewChange{Drop: s.Drop, Replace: s.Replace, Lenient: s.Lenient, Bare: len(s.Name) == 1,
		View: scan.View{Ref: ref, Query: s.Text, Temporary: s.Temporary}}
	if !s.Drop {
		if err := checkView(ctx, parsed, s, &out.View, o); err != nil {
			return nil, err
		}
		if len(s.Columns) > 0 {
			out.View.Query = withColumns(s.Text, names(s.Columns))
		}
	}
	if s.Temporary && !out.Bare {
		return nil, logical.At(parsed.Text, s.Pos, errs.Invalidf("a temporary view belongs to the session and to no schema: name it without one"))
	}
	if !o.Writable && !s.Temporary && (!s.Drop || !out.Bare || scan.ViewAt(o.Views, ref.Table) < 0) {
		return deniedView(ctx, parsed, s, ref, o)
	}
	return &Statement{Kind: KindView, View: out, text: parsed.Text, pos: s.NamePos}, nil
}

// deniedView is the answer where lasting views are not to be changed: what is wrong with the names goes first.
func deniedView(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.ViewStmt, ref scan.TableRef, o Options) (*Statement, error) {
	src, err := o.Resolver.Resolve(ctx, ref)
	if err != nil && !errors.Is(err, errs.ErrNotFound) {
		return nil, logical.At(parsed.Text, s.NamePos, err)
	}
	if fault := schemaFault(err); !s.Drop && fault != nil {
		return nil, logical.At(parsed.Text, s.NamePos, fault)
	}
	_, isView := src.(*scan.View)
	kind := "CREATE VIEW"
	switch {
	case s.Drop && err != nil && s.Lenient:
		return &Statement{Kind: KindNothing}, nil
	case s.Drop && err != nil:
		return nil, logical.At(parsed.Text, s.NamePos, err)
	case s.Drop && !isView:
		return nil, logical.At(parsed.Text, s.NamePos, errs.Invalidf("%s is a table, no view", src.Name()))
	case s.Drop:
		kind = "DROP VIEW"
	case err == nil && !isView:
		return nil, logical.At(parsed.Text, s.NamePos, errs.New(errs.ErrAlreadyExists, "there is a table %s", src.Name()))
	case err == nil && !s.Replace && !s.Lenient:
		return nil, logical.At(parsed.Text, s.NamePos, errs.New(errs.ErrAlreadyExists, "there is a view %s", src.Name()))
	}
	return nil, logical.At(parsed.Text, s.Pos, errs.New(errs.ErrPermissionDenied, "%s: the server was not started with --writable", kind))
}

// checkView binds the view's query, which must not read the view that it takes the place of. One that lasts sees nothing of
// the session: its names are looked up in its own schema, as they are when it is read.
func checkView(ctx context.Context, parsed *sqltext.Parsed, s *sqltext.ViewStmt, v *scan.View, o Options) error {
	if parsed.Params > 0 {
		return logical.At(parsed.Text, parsed.ParamPos, errs.Invalidf("a view takes no parameters"))
	}
	lo := o.logical(supports)
	lo.Making = v
	if !s.Temporary {
		lo.Views, lo.DottedNames = nil, false
		lo.Catalog, lo.Schema = v.Ref.Catalog, v.Ref.Schema
	}
	bound, err := logical.Bind(ctx, parsed, s.Query, lo)
	if err != nil {
		return elsewhere(ctx, parsed, s.Query, lo, o, err)
	}
	if n := len(bound.Query.Cols); len(s.Columns) > n {
		return logical.At(parsed.Text, s.NamePos, errs.Invalidf("the query has fewer columns than names are given: %d, not %d", n, len(s.Columns)))
	}
	return nil
}

// elsewhere adds to the fault of a view's query where names are looked up, if there is none in the session's schema.
func elsewhere(ctx context.Context, parsed *sqltext.Parsed, q *sqltext.Query, lo logical.Options, o Options, fault error) error {
	schema := lo.Schema
	lo.Catalog, lo.Schema = o.Catalog, o.Schema
	if _, err := logical.Bind(ctx, parsed, q, lo); err != nil {
		return fault
	}
	return logical.MoreHint(fault, fmt.Sprintf("names in a view are looked up in its own schema, %s", expr.QuoteIdent(schema)))
}

// withColumns is a query under other names of its first columns.
func withColumns(query string, names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
	}
	return fmt.Sprintf("SELECT * FROM (\n%s\n) AS q(%s)", query, strings.Join(quoted, ", "))
}
