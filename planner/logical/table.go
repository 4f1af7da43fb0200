package logical

import (
	"context"
	"slices"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// Table is one table version whose columns and filters are named without SQL around them.
type Table struct {
	Source scan.Source
	// Reasons tells of the parts of filters that keep all rows.
	Reasons []statsrewrite.Reason

	ctx context.Context //nolint:containedctx // lives as long as the request that opened the table
	o   Options
	rel *relation
}

// OpenTable resolves a table.
func OpenTable(ctx context.Context, ref scan.TableRef, o Options) (*Table, error) {
	src, err := o.Resolver.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	qual := splitKey(src.Name())
	if len(qual) == 0 {
		qual = []string{ref.Table}
	}
	return &Table{Source: src, ctx: ctx, o: o, rel: &relation{id: 1, qual: qual, cols: TableCols(src.Schema()), scan: true}}, nil
}

func (t *Table) binder(text string) (*binder, *scope, error) {
	b, err := newBinder(t.ctx, text, 0, t.o)
	if err != nil {
		return nil, nil, err
	}
	b.relations[t.rel.id] = t.rel
	return b, &scope{rels: []*relation{t.rel}}, nil
}

// Columns finds columns by names as in SQL. Special columns come apart.
func (t *Table) Columns(names []string) (paths []expr.FieldPath, special []string, err error) {
	for _, text := range names {
		parts, err := sqltext.ParseName(text)
		if err != nil {
			if len(t.Source.Schema().FieldIndices(text)) == 0 {
				return nil, nil, err
			}
			parts = []sqltext.Ident{{Text: text, Quoted: true}} // a column's name as it is, though SQL would quote it
		}
		b, s, err := t.binder(text)
		if err != nil {
			return nil, nil, err
		}
		e, err := b.resolve(s, &sqltext.Name{Parts: parts})
		if err != nil {
			return nil, nil, err
		}
		c, ok := e.(*expr.Column)
		if !ok {
			return nil, nil, errs.Invalidf("column %s: there is no such path through structs", text)
		}
		if len(c.Path) == 1 && isSpecial(c.Path[0]) && len(t.Source.Schema().FieldIndices(c.Path[0])) == 0 {
			if !slices.Contains(special, c.Path[0]) {
				special = append(special, c.Path[0])
			}
			continue
		}
		if !slices.ContainsFunc(paths, c.Path.Equal) {
			paths = append(paths, c.Path)
		}
	}
	return paths, special, nil
}

// AllColumns are the paths of all columns but the stats columns.
func (t *Table) AllColumns() []expr.FieldPath {
	var out []expr.FieldPath
	for _, c := range t.rel.cols {
		if !c.Hidden {
			out = append(out, expr.FieldPath{c.Key})
		}
	}
	return out
}

// FilterKind tells how a filter's text is read.
type FilterKind int

// The kinds of filter. Source: docs/reference.md, 'Scan commands' (the JSON scan command).
const (
	LanceText  FilterKind = iota // Lance's own SQL text, nothing rewritten
	ValuesExpr                   // our SQL, values as stats
	ExactExpr                    // our SQL, nothing rewritten
)

// Filter binds a filter; nil keeps all rows. Positions in errors are those in the filter's own text.
func (t *Table) Filter(kind FilterKind, text string) (expr.Expr, error) {
	b, s, err := t.binder(text)
	if err != nil {
		return nil, err
	}
	if kind == LanceText {
		e, err := b.lanceText(text, t.rel)
		return e, b.at(0, err)
	}
	x, params, err := sqltext.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	if params > 0 {
		return nil, b.errorf(0, "a filter takes no parameters")
	}
	ec := &exprCtx{s: s, what: "filter_expr", values: kind == ValuesExpr}
	if kind == ExactExpr {
		ec.what = "lance_filter"
	}
	e, err := b.predicate(x, ec)
	if err != nil {
		return nil, err
	}
	if hasSubquery(e) {
		return nil, b.fault(errs.ErrInvalidInput, 0, "", "a filter takes no subqueries")
	}
	t.Reasons = append(t.Reasons, b.reasons...)
	return e, nil
}
