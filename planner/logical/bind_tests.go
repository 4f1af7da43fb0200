package logical

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) between(x *sqltext.BetweenExpr, c *exprCtx) (expr.Expr, error) {
	es, err := b.exprs([]sqltext.Expr{x.X, x.Lo, x.Hi}, c)
	if err != nil {
		return nil, err
	}
	if err := b.noValues(c, x.Pos, es...); err != nil {
		return nil, err
	}
	b.wantSame(es[0], es[1])
	b.wantSame(es[0], es[2])
	b.wantSame(es[1], es[2])
	if !x.Symmetric {
		out, err := b.negated(&expr.Between{X: es[0], Lo: es[1], Hi: es[2]}, x.Not, x.Pos)
		return out, b.namedByText(err, c, x.X, x.Lo, x.Hi)
	}
	if err := b.steady(x.Pos, es...); err != nil {
		return nil, err
	}
	either := []expr.Expr{&expr.Between{X: es[0], Lo: es[1], Hi: es[2]}, &expr.Between{X: es[0], Lo: es[2], Hi: es[1]}}
	return b.negated(&expr.Logical{Op: expr.Or, Args: either}, x.Not, x.Pos)
}

func (b *binder) like(x *sqltext.LikeExpr, c *exprCtx) (expr.Expr, error) {
	es, err := b.exprs([]sqltext.Expr{x.X, x.Pattern}, c)
	if err != nil {
		return nil, err
	}
	b.wantType(es[0], arrow.BinaryTypes.String)
	b.wantType(es[1], arrow.BinaryTypes.String)
	out := &expr.Like{X: es[0], Pattern: es[1], FoldCase: x.FoldCase}
	if x.Escape != nil {
		r, n := utf8.DecodeRuneInString(*x.Escape)
		if n != len(*x.Escape) || *x.Escape != "" && r == utf8.RuneError {
			return nil, b.errorf(x.Pos, "ESCAPE takes one character, not %q", *x.Escape)
		}
		if n > 0 {
			out.Escape = r
		}
	}
	test, err := b.negated(out, x.Not, x.Pos)
	if err != nil {
		return nil, err
	}
	return test, b.textsWritten(es, x.X, x.Pattern)
}

// textsWritten refuses constants beside LIKE that are no texts. A parameter may be a number, which is one as its text.
func (b *binder) textsWritten(es []expr.Expr, xs ...sqltext.Expr) error {
	if len(es) != len(xs) { // columns were put in for *COLUMNS
		return nil
	}
	for i, e := range es {
		l, ok := e.(*expr.Literal)
		if _, isParam := xs[i].(*sqltext.ParamRef); !ok || isParam {
			continue
		}
		if k := expr.KindOf(l.Typ); k != expr.KindText && k != expr.KindNull {
			return b.errorf(xs[i].ExprPos(), "LIKE takes texts, and %s is of type %s - an explicit cast is required", l, expr.SQLType(l.Typ))
		}
	}
	return nil
}

// likeSome binds LIKE ANY and LIKE ALL, which are the tests by each pattern joined by OR or AND.
func (b *binder) likeSome(x *sqltext.LikeSome, c *exprCtx) (expr.Expr, error) {
	patterns := x.Patterns
	if list, ok := patterns[0].(*sqltext.ListLit); ok && len(patterns) == 1 {
		patterns = list.Items
	}
	es, err := b.exprs(append([]sqltext.Expr{x.X}, patterns...), c)
	if err != nil {
		return nil, err
	}
	if err := b.textsWritten(es, append([]sqltext.Expr{x.X}, patterns...)...); err != nil {
		return nil, err
	}
	if err := b.steady(x.Pos, es[0]); err != nil {
		return nil, err
	}
	out := &expr.Logical{Op: expr.Or}
	if x.All {
		out.Op = expr.And
	}
	b.wantType(es[0], arrow.BinaryTypes.String)
	for i, p := range es[1:] {
		b.wantType(p, arrow.BinaryTypes.String)
		if t := p.Type(); t != nil && expr.Elem(t) != nil {
			return nil, b.errorf(patterns[i].ExprPos(), "LIKE ANY and LIKE ALL take their patterns one by one, as in x LIKE ANY ('a%%', 'b%%'), not as a %s", expr.SQLType(t))
		}
		out.Args = append(out.Args, &expr.Like{X: es[0], Pattern: p, FoldCase: x.FoldCase})
	}
	switch len(out.Args) {
	case 0:
		return nil, b.errorf(x.Pos, "LIKE ANY and LIKE ALL take at least one pattern")
	case 1:
		return b.typed(out.Args[0], x.Pos)
	}
	return b.typed(out, x.Pos)
}

// arrow binds the reading of a JSON text's field. Operands that no JSON text or key can be are refused: an operator beside the arrow
// took them.
func (b *binder) arrow(x *sqltext.ArrowExpr, c *exprCtx) (expr.Expr, error) {
	es, err := b.exprs([]sqltext.Expr{x.L, x.R}, c)
	if err != nil {
		return nil, err
	}
	b.wantType(es[0], arrow.BinaryTypes.String)
	b.wantType(es[1], arrow.BinaryTypes.String)
	hint := "an arrow takes all operators to its left; put it in parentheses, as (j " + x.Op + " 'key')"
	if x.Op == "->" {
		hint = "an arrow takes all operators beside it; put it in parentheses, as (j -> 'key')"
	}
	switch t := es[0].Type(); expr.KindOf(t) {
	case expr.KindText, expr.KindNull, expr.KindList, expr.KindOther:
	default:
		return nil, b.fault(errs.ErrInvalidInput, x.OpPos, hint, "%q reads JSON texts, and what stands left of it is a %s", x.Op, expr.SQLType(t))
	}
	key := es[1].Type()
	switch expr.KindOf(key) {
	case expr.KindText, expr.KindNull, expr.KindInt, expr.KindOther:
	case expr.KindList:
		if k := expr.KindOf(expr.Elem(key)); k == expr.KindText || k == expr.KindInt {
			break
		}
		fallthrough
	default:
		return nil, b.fault(errs.ErrInvalidInput, x.OpPos, hint, "%q takes a key or an index, and what stands right of it is a %s", x.Op, expr.SQLType(key))
	}
	name := "json_extract"
	if x.Op == "->>" {
		name = "json_extract_string"
	}
	return b.typed(&expr.Call{Name: name, Args: es}, x.OpPos)
}
