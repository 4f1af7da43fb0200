package logical

import (
	"errors"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/lancesql"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// where binds WHERE, in which parts that read values stand for their stats tests. lance_filter(...) stands at its top
// level, lance_sql('...') alone.
func (b *binder) where(x sqltext.Expr, s *scope) (expr.Expr, error) {
	if x == nil {
		return nil, nil
	}
	ec := &exprCtx{s: s, what: "WHERE", values: true}
	parts := chain(x, "AND")
	var out []expr.Expr
	for _, p := range parts {
		// Where COLUMNS stands for several columns, the part must be true for each.
		err := b.eachColumn(ec, func(c *exprCtx) error {
			e, err := b.wherePart(p, c, len(parts) == 1)
			if e != nil {
				out = append(out, e)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return expr.AllOf(out...), nil
}

func (b *binder) wherePart(x sqltext.Expr, ec *exprCtx, alone bool) (expr.Expr, error) {
	call, ok := x.(*sqltext.FuncCall)
	if !ok {
		return b.predicate(x, ec)
	}
	switch strings.ToLower(call.Name) {
	case "lance_filter":
		if len(call.Args) != 1 {
			return nil, b.errorf(call.Pos, "lance_filter takes one condition")
		}
		exact := *ec
		exact.values, exact.what = false, "lance_filter"
		e, err := b.predicate(call.Args[0], &exact)
		if err != nil {
			return nil, err
		}
		if rels := relsOf(e); len(rels) > 1 {
			return nil, b.errorf(call.Pos, "lance_filter reads the columns of one table")
		}
		return e, nil
	case "lance_sql":
		if !alone {
			return nil, b.errorf(call.Pos, "lance_sql must be the whole WHERE of its table; put the other parts into its text")
		}
		return b.lanceSQL(call, ec)
	}
	return b.predicate(x, ec)
}

func (b *binder) lanceSQL(call *sqltext.FuncCall, ec *exprCtx) (expr.Expr, error) {
	var text string
	switch {
	case len(call.Args) != 1:
		return nil, b.errorf(call.Pos, "lance_sql takes one text")
	default:
		e, err := b.expr(call.Args[0], ec)
		if err != nil {
			return nil, err
		}
		if p, ok := e.(*expr.Param); ok { // prepared: nothing is known yet
			b.setParam(p.Index, expr.Text("").Typ)
			return nil, nil
		}
		l, ok := e.(*expr.Literal)
		if text, _ = literalString(l); !ok || text == "" {
			return nil, b.errorf(call.Pos, "lance_sql takes a text")
		}
	}
	if len(ec.s.rels) != 1 || !ec.s.rels[0].scan {
		return nil, b.errorf(call.Pos, "lance_sql stands in the WHERE of a query over just one table")
	}
	if ec.s.rels[0].sampled {
		return nil, b.errorf(call.Pos, "lance_sql is tested by the scan of a table, so that it does not go with a sample")
	}
	e, err := b.lanceText(text, ec.s.rels[0])
	var inner *errs.SQLError
	if errors.As(err, &inner) { // its place is one in the inner text
		err = errs.New(inner.Unwrap(), "lance_sql: %s, at line %d, column %d of its text", inner.Msg, inner.Line, inner.Column)
	}
	return e, b.at(call.Pos, err)
}

func literalString(l *expr.Literal) (string, bool) {
	if l == nil {
		return "", false
	}
	s, ok := l.Value.(string)
	return s, ok
}

// lanceText binds Lance's own SQL text over one table. Only a scan reads it as Lance does, so it must be able to compute
// all of it.
func (b *binder) lanceText(text string, r *relation) (expr.Expr, error) {
	e, err := lancesql.Filter(text, func(c expr.Column) (expr.Column, error) {
		found, err := b.columnPaths(r, c.Path, 0)
		if err != nil {
			return c, err
		}
		if len(found) == 0 {
			if err := b.missBelow(r, c.Path, 0); err != nil {
				return c, err
			}
			return c, b.noColumn([]*relation{r}, c.Path, 0)
		}
		if len(found) > 1 {
			return c, b.ambiguous(c.Path, found, 0)
		}
		col, ok := found[0].x.(*expr.Column)
		if !ok {
			return c, b.noColumn([]*relation{r}, c.Path, 0)
		}
		return *col, nil
	})
	if err != nil {
		return nil, err
	}
	if b.o.Supports != nil && !b.o.Supports(e) {
		return nil, errs.Unsupportedf("a scan can't compute the Lance filter %s yet", e)
	}
	return e, nil
}

func relsOf(e expr.Expr) map[int]bool {
	out := map[int]bool{}
	for _, c := range expr.Columns(e) {
		out[c.Rel] = true
	}
	return out
}

// predicate binds a condition; where values stand for their tests, each conjunct is rewritten by itself.
func (b *binder) predicate(x sqltext.Expr, c *exprCtx) (expr.Expr, error) {
	var out []expr.Expr
	for _, p := range chain(x, "AND") {
		e, err := b.expr(p, c)
		if err != nil {
			return nil, err
		}
		if param, ok := e.(*expr.Param); ok {
			b.setParam(param.Index, expr.Bool(true).Typ)
		}
		if e, err = expr.AsBoolean(e, b.zone); err != nil {
			return nil, b.at(p.ExprPos(), err)
		}
		b.bound(e, p.ExprPos())
		if c.values {
			if err := b.foreignValues(e, c, p.ExprPos()); err != nil {
				return nil, err
			}
			e = b.rewriteValues(e)
		}
		out = append(out, e)
	}
	return expr.AllOf(out...), nil
}

// match binds any_match(P) and all_match(P), in which a list stands for its elements.
func (b *binder) match(name string, x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	in := *c
	in.element, in.values, in.what, in.windows, in.aggs = true, false, name, nil, false
	args, err := b.exprs(x.Args, &in)
	if err != nil {
		return nil, err
	}
	return b.typed(&expr.Call{Name: name, Args: args}, x.Pos)
}
