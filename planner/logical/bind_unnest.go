package logical

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// unnesting is what a call of unnest takes apart: so many levels of lists and, where the lists end, of structs.
type unnesting struct {
	levels int
	// parents tells that fields are named with what they are in, as in s.a.
	parents bool
}

func isUnnest(x sqltext.Expr) (*sqltext.FuncCall, bool) {
	call, ok := x.(*sqltext.FuncCall)
	return call, ok && (call.Name == "unnest" || call.Name == "unlist")
}

// unnest in a SELECT list gives a row for each element.
func (b *binder) unnest(x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	e, rest, err := b.unnestLists(x, c)
	if _, ok := structOf(e.Type()); err == nil && ok && rest.levels > 0 {
		return nil, b.errorf(x.Pos, "unnest of a struct gives a column for each field: it stands as a column of SELECT")
	}
	return e, err
}

// unnestItem binds unnest as a whole column of SELECT, where a struct gives a column for each of its fields.
func (b *binder) unnestItem(x *sqltext.FuncCall, it sqltext.SelectItem, c *exprCtx) ([]Item, error) {
	e, rest, err := b.unnestLists(x, c)
	if err != nil {
		return nil, err
	}
	b.bound(e, x.Pos)
	if _, ok := structOf(e.Type()); ok && rest.levels > 0 {
		return structItems(nil, e, "", rest, it), nil
	}
	name, err := c.columns.name(it)
	return []Item{{Name: name, Expr: e, from: it.Expr}}, b.at(it.Pos, err)
}

// structItems adds the fields of a struct, and those of structs among them as far down as is asked for.
func structItems(out []Item, e expr.Expr, parent string, how unnesting, it sqltext.SelectItem) []Item {
	st, ok := structOf(e.Type())
	if !ok || how.levels == 0 {
		return append(out, Item{Name: parent, Expr: e, from: it.Expr})
	}
	how.levels--
	for _, f := range st.Fields() {
		name := f.Name
		if how.parents && parent != "" {
			name = parent + "." + name
		}
		field := down(e, f)
		if col, ok := columnOf(e, f.Name); ok {
			field = col
		}
		out = structItems(out, field, name, how, it)
	}
	return out
}

// unnestLists binds what unnest takes apart with as many levels of lists as it has and are asked for; rest are the levels left.
func (b *binder) unnestLists(x *sqltext.FuncCall, c *exprCtx) (e expr.Expr, rest unnesting, err error) {
	how, err := b.unnesting(x, c)
	if err != nil {
		return expr.Null(), how, err
	}
	in := *c
	in.what = "unnest"
	if e, err = b.expr(x.Args[0], &in); err != nil {
		return expr.Null(), how, err
	}
	t, levels := e.Type(), 0
	for ; levels < how.levels && expr.Elem(t) != nil; levels++ {
		t = expr.Elem(t)
	}
	_, isStruct := structOf(t)
	switch {
	case t == nil && how.levels > 1:
		err = b.fault(errs.ErrUnsupported, x.Pos, "cast it, as in unnest(CAST(x AS BIGINT[][]), recursive := true)", "nothing tells the type of this list")
	case levels == 0 && expr.KindOf(t) == expr.KindNull:
		return &expr.Call{Name: "unnest", Args: []expr.Expr{e}, Typ: arrow.PrimitiveTypes.Int32}, how, nil
	case levels == 0 && t != nil && !isStruct:
		err = b.errorf(x.Pos, "unnest takes a list or a struct, not a %s", expr.SQLType(t))
	default:
		err = b.listKnown(e, x.Pos)
	}
	if err != nil {
		return expr.Null(), how, err
	}
	rest = unnesting{how.levels - levels, how.parents}
	if isStruct && levels == 0 {
		return e, rest, nil
	}
	out := &expr.Call{Name: "unnest", Args: []expr.Expr{e}, Typ: t}
	if levels > 1 {
		out.Args, out.ArgNames = append(out.Args, expr.Int(int64(levels))), []string{"", "max_depth"}
	}
	return out, rest, nil
}

// unnesting reads what stands behind the first argument: recursive := TRUE, max_depth := n, keep_parent_names := TRUE.
func (b *binder) unnesting(x *sqltext.FuncCall, c *exprCtx) (unnesting, error) {
	how := unnesting{levels: 1}
	if c.what != "SELECT" || len(x.Args) == 0 || len(x.ArgNames) > 0 && x.ArgNames[0] != "" {
		return how, b.errorf(x.Pos, "unnest takes one list or struct, in SELECT or in FROM")
	}
	deep := 0
	for i, a := range x.Args[1:] {
		name := ""
		if i+1 < len(x.ArgNames) {
			name = x.ArgNames[i+1]
		}
		yes, isBool := a.(*sqltext.BoolLit)
		n, isNumber := a.(*sqltext.NumberLit)
		switch {
		case name == "recursive" && isBool:
			if deep++; yes.Value {
				how.levels = math.MaxInt
			}
		case name == "keep_parent_names" && isBool:
			how.parents = yes.Value
		case name == "max_depth" && isNumber:
			levels, err := strconv.ParseUint(n.Text, 10, 31)
			if deep++; err != nil || levels == 0 {
				return how, b.errorf(n.Pos, "max_depth is a whole number from 1")
			}
			how.levels = int(levels)
		default:
			return how, b.errorf(a.ExprPos(), "unnest takes one list or struct, and recursive := TRUE or max_depth := a number behind it")
		}
	}
	if deep > 1 {
		return how, b.errorf(x.Pos, "unnest takes recursive or max_depth, not both")
	}
	return how, nil
}

// listKnown refuses a bare parameter where a list is taken apart: nothing tells of what.
func (b *binder) listKnown(e expr.Expr, pos int) error {
	if _, ok := e.(*expr.Param); ok {
		return b.errorf(pos, "nothing tells the type of this list: cast it, as in unnest(CAST(? AS BIGINT[]))")
	}
	return nil
}
