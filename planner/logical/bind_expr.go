package logical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// exprCtx is where an expression stands.
type exprCtx struct {
	s       *scope
	what    string // the clause, for messages
	aggs    bool   // aggregates may stand here
	windows *windows
	// values tells that parts that read values stand for their stats tests here.
	values bool
	// valuesOf are the relations whose values do; nil for all.
	valuesOf map[int]bool
	// element tells that a list stands for its elements: inside any_match and all_match.
	element bool
	// lambdaTypes are the types of a lambda's parameters, as far as they are known.
	lambdaTypes []arrow.DataType
	// columns is what COLUMNS(...) stands for; nil where it can't stand.
	columns *columnSet
	// groupFirst is the block whose HAVING this is: a name is a grouped column, an alias, or else any column.
	groupFirst *Select
}

func (c exprCtx) in(s *scope) *exprCtx { c.s = s; return &c }

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// expr binds one expression: names resolved, types found.
func (b *binder) expr(x sqltext.Expr, c *exprCtx) (expr.Expr, error) {
	leave, err := b.deeper(nesting{exprs: 1}, x.ExprPos())
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := b.ctx.Err(); err != nil { // the caller may be gone while a long statement is bound
		return nil, err
	}
	e, err := b.node(x, c)
	if err != nil {
		return nil, b.at(x.ExprPos(), err)
	}
	b.bound(e, x.ExprPos())
	return e, nil
}

func (b *binder) exprs(xs []sqltext.Expr, c *exprCtx) ([]expr.Expr, error) {
	xs, err := b.unpacked(xs, c)
	if err != nil {
		return nil, err
	}
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		e, err := b.expr(x, c)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

func (b *binder) node(x sqltext.Expr, c *exprCtx) (expr.Expr, error) {
	switch x := x.(type) {
	case *sqltext.Name:
		return b.name(x, c)
	case *sqltext.NullLit:
		return expr.Null(), nil
	case *sqltext.BoolLit:
		return expr.Bool(x.Value), nil
	case *sqltext.NumberLit:
		return b.number(x)
	case *sqltext.AllColumns:
		return nil, b.errorf(x.Pos, "ALL is no column: ORDER BY ALL stands behind a query")
	case *sqltext.StringLit:
		return expr.Text(x.Value), nil
	case *sqltext.TypedLit:
		return b.typedLit(x)
	case *sqltext.IntervalLit:
		return b.interval(x, c)
	case *sqltext.ParamRef:
		return b.param(x)
	case *sqltext.Unary:
		return b.unary(x, c)
	case *sqltext.Binary:
		return b.binary(x, c)
	case *sqltext.Star:
		return nil, b.errorf(x.Pos, "* can't stand here")
	case *sqltext.ColumnsExpr:
		return b.columnsExpr(x, c)
	case *unpackedColumn:
		return x.item.Expr, nil
	case *sqltext.UnpackExpr:
		return nil, b.errorf(x.Pos, "*COLUMNS(...) stands among the arguments of a call, the items of a list or those of IN")
	}
	return b.nodeRest(x, c)
}

func (b *binder) nodeRest(x sqltext.Expr, c *exprCtx) (expr.Expr, error) {
	switch x := x.(type) {
	case *sqltext.IsTest:
		return b.isTest(x, c)
	case *sqltext.InList:
		return b.inList(x, c)
	case *sqltext.BetweenExpr:
		return b.between(x, c)
	case *sqltext.LikeExpr:
		return b.like(x, c)
	case *sqltext.LikeSome:
		return b.likeSome(x, c)
	case *sqltext.ArrowExpr:
		return b.arrow(x, c)
	case *sqltext.CastExpr:
		return b.cast(x, c)
	case *sqltext.CaseExpr:
		return b.caseExpr(x, c)
	case *sqltext.FuncCall:
		if e, ok, err := b.foreign(x, c); ok || err != nil {
			return e, err
		}
		if e, ok, err := b.macro(x, c); ok || err != nil {
			return e, err
		}
		other, err := b.spelled(x)
		if err != nil {
			return nil, err
		}
		if other != sqltext.Expr(x) {
			return b.expr(other, c)
		}
		return b.call(x, c)
	case *sqltext.Subscript:
		return b.subscript(x, c)
	case *sqltext.SliceExpr:
		return b.slice(x, c)
	case *sqltext.FieldAccess:
		e, err := b.expr(x.X, c)
		if err != nil {
			return nil, err
		}
		if _, ok := e.(*expr.Param); ok {
			return nil, b.errorf(x.Pos, "nothing tells the type of this struct: cast it, as in CAST(? AS STRUCT(%s BIGINT))", expr.QuoteIdent(x.Name.Text))
		}
		return b.fields(e, e.Type(), []string{x.Name.Text}, x.Pos)
	case *sqltext.ListLit:
		return b.nested("list_value", x.Items, nil, x.Pos, c)
	case *sqltext.StructLit:
		for i, name := range x.Names {
			if slices.ContainsFunc(x.Names[:i], func(n string) bool { return strings.EqualFold(n, name) }) {
				return nil, b.errorf(x.NamePos[i], "a struct has the field %s twice", expr.QuoteIdent(name))
			}
		}
		return b.nested("struct_pack", x.Values, x.Names, x.Pos, c)
	case *sqltext.RowLit:
		return b.callOf("row", x.Items, nil, x.Pos, c)
	case *sqltext.LambdaExpr:
		return b.lambda(x, c)
	case *sqltext.SubqueryExpr, *sqltext.ExistsExpr, *sqltext.InSubquery, *sqltext.Quantified:
		return b.subquery(x, c)
	case *sqltext.ExtractExpr:
		return b.extract(x, c)
	case *sqltext.AtTimeZone:
		return b.callOf("timezone", []sqltext.Expr{x.Zone, x.X}, nil, x.Pos, c)
	case *sqltext.CollateExpr:
		return nil, b.fault(errs.ErrUnsupported, x.Pos, "compare lower(...) of both sides for a comparison without case",
			"COLLATE is not supported")
	}
	return nil, errs.New(errs.ErrInternal, "planner: unknown expression %T", x)
}

func (b *binder) name(x *sqltext.Name, c *exprCtx) (expr.Expr, error) {
	if e, ok := b.havingAlias(x, c); ok {
		return b.aliased(e, x.Pos)
	}
	e, err := b.resolve(c.s, x)
	if err != nil {
		return nil, err
	}
	if !c.aggs && hasAggregate(e) {
		return nil, b.errorf(x.Pos, "%s: aggregates can't stand in %s", expr.FieldPath(names(x)), c.what)
	}
	return e, nil
}

func names(x *sqltext.Name) []string {
	out := make([]string, len(x.Parts))
	for i, p := range x.Parts {
		out[i] = p.Text
	}
	return out
}

// havingAlias reads a bare name in HAVING as an alias unless it is a grouped column.
func (b *binder) havingAlias(x *sqltext.Name, c *exprCtx) (expr.Expr, bool) {
	if c.groupFirst == nil || len(x.Parts) != 1 {
		return nil, false
	}
	found := match(x.Parts[0].Text, c.groupFirst.Items, func(it Item) string { return it.Name })
	if len(found) == 0 {
		return nil, false
	}
	if e, err := b.resolveIn(&scope{rels: c.s.rels, merged: c.s.merged}, names(x), x.Pos); err == nil && e != nil {
		if newGrouper(b, c.groupFirst).has(e) {
			return nil, false
		}
	}
	return found[0].Expr, true
}

func (b *binder) unary(x *sqltext.Unary, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	switch x.Op {
	case "NOT":
		return b.typed(&expr.Not{X: e}, x.Pos)
	case "-":
		return b.typed(&expr.Neg{X: e}, x.Pos)
	case "+":
		return e, nil
	case "~":
		return b.operator("~", []expr.Expr{e}, x.Pos)
	}
	return nil, b.errorf(x.Pos, "there is no operator %s", x.Op)
}

var compareOps = map[string]expr.CompareOp{"=": expr.Eq, "==": expr.Eq, "<>": expr.Ne, "!=": expr.Ne, "<": expr.Lt, "<=": expr.Le,
	">": expr.Gt, ">=": expr.Ge, "IS DISTINCT FROM": expr.Distinct, "IS NOT DISTINCT FROM": expr.NotDistinct}

var arithOps = map[string]expr.ArithOp{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div, "//": expr.IntDiv,
	"%": expr.Mod, "||": expr.Concat}

func (b *binder) binary(x *sqltext.Binary, c *exprCtx) (expr.Expr, error) {
	if x.Op == "AND" || x.Op == "OR" {
		return b.logic(x, c)
	}
	op, compares := compareOps[x.Op]
	sides := []sqltext.Expr{x.L, x.R}
	if compares {
		sides = collated(sides...)
	}
	l, err := b.expr(sides[0], c)
	if err != nil {
		return nil, err
	}
	r, err := b.expr(sides[1], c)
	if err != nil {
		return nil, err
	}
	if compares {
		e, err := b.compare(op, l, r, x.Pos, c)
		return e, b.namedByText(err, c, sides...)
	}
	if op, ok := arithOps[x.Op]; ok {
		if err := b.noValues(c, x.Pos, l, r); err != nil {
			return nil, err
		}
		l, r = arithOperand(op, l, r.Type(), true), arithOperand(op, r, l.Type(), false)
		b.wantSame(l, r)
		e, err := b.typed(&expr.Arith{Op: op, L: l, R: r}, x.Pos)
		if err == nil && op == expr.Concat && e.Type() != nil && (typedNull(l) || typedNull(r)) {
			return b.typed(&expr.Cast{X: e, To: e.Type()}, x.Pos)
		}
		return e, err
	}
	switch x.Op {
	case "~", "SIMILAR TO":
		return b.typed(&expr.Call{Name: "regexp_full_match", Args: []expr.Expr{l, r}}, x.Pos)
	case "!~":
		e, err := b.typed(&expr.Call{Name: "regexp_full_match", Args: []expr.Expr{l, r}}, x.Pos)
		return &expr.Not{X: e}, err
	case "<->", "<=>":
		return b.distance(x.Op, l, r, x.Pos)
	case "GLOB":
		return b.glob(l, r, x.Pos)
	case "^", "**":
		return b.typed(&expr.Call{Name: "pow", Args: []expr.Expr{l, r}}, x.Pos)
	}
	return b.operator(x.Op, []expr.Expr{l, r}, x.Pos)
}

// typedNull tells whether e is a NULL that was bound as a value of some type, maybe cast: || with one has no type in DuckDB.
func typedNull(e expr.Expr) bool {
	if c, ok := e.(*expr.Cast); ok {
		return typedNull(c.X)
	}
	l, ok := e.(*expr.Literal)
	return ok && l.Value == nil && expr.KindOf(l.Typ) != expr.KindNull
}

// logic flattens chains of one operator, so that a thousand ORs cost no depth.
func (b *binder) logic(x *sqltext.Binary, c *exprCtx) (expr.Expr, error) {
	var args []expr.Expr
	for _, a := range chain(x, x.Op) {
		e, err := b.expr(a, c)
		if err != nil {
			return nil, err
		}
		b.wantType(e, arrow.FixedWidthTypes.Boolean)
		args = append(args, e)
	}
	op := expr.And
	if x.Op == "OR" {
		op = expr.Or
	}
	return b.typed(&expr.Logical{Op: op, Args: args}, x.Pos)
}

// chain gives the operands of a chain of one operator, in order, without recursion on the left side.
func chain(x sqltext.Expr, op string) []sqltext.Expr {
	var rev []sqltext.Expr
	stack := []sqltext.Expr{x}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if bin, ok := n.(*sqltext.Binary); ok && bin.Op == op {
			stack = append(stack, bin.L, bin.R)
			continue
		}
		rev = append(rev, n)
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

func (b *binder) compare(op expr.CompareOp, l, r expr.Expr, pos int, c *exprCtx) (expr.Expr, error) {
	if err := b.noValues(c, pos, l, r); err != nil {
		return nil, err
	}
	b.wantSame(l, r)
	return b.typed(&expr.Compare{Op: op, L: l, R: r}, pos)
}

func (b *binder) isTest(x *sqltext.IsTest, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	var out expr.Expr
	switch x.Test {
	case "NULL":
		if isRow(e) {
			return expr.Bool(x.Not), nil
		}
		out = &expr.IsNull{X: e}
	case "UNKNOWN":
		b.wantType(e, arrow.FixedWidthTypes.Boolean)
		out = &expr.IsNull{X: e}
	case "TRUE", "FALSE":
		b.wantType(e, arrow.FixedWidthTypes.Boolean)
		out = &expr.IsTruth{X: e, Value: x.Test == "TRUE"}
	default:
		return nil, b.errorf(x.Pos, "there is no test IS %s", x.Test)
	}
	return b.negated(out, x.Not, x.Pos)
}

// negated types a predicate and puts NOT over it where the statement has one.
func (b *binder) negated(e expr.Expr, not bool, pos int) (expr.Expr, error) {
	e, err := b.typed(e, pos)
	if err != nil || !not {
		return e, err
	}
	return &expr.Not{X: e}, nil
}

func (b *binder) inList(x *sqltext.InList, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	list, err := b.exprs(x.List, c)
	if err != nil {
		return nil, err
	}
	if err := b.noValues(c, x.Pos, append([]expr.Expr{e}, list...)...); err != nil {
		return nil, err
	}
	for _, l := range list {
		b.wantSame(e, l)
	}
	out, err := b.negated(&expr.In{X: e, List: list}, x.Not, x.Pos)
	return out, b.namedByText(err, c, append([]sqltext.Expr{x.X}, x.List...)...)
}

func (b *binder) cast(x *sqltext.CastExpr, c *exprCtx) (expr.Expr, error) {
	if x.To.Name == sqltext.RegClass && len(x.To.Lists) == 0 {
		return b.regClass(x, c)
	}
	if inner, ok := x.X.(*sqltext.CastExpr); ok && inner.To.Name == sqltext.RegClass && x.To.Name == "VARCHAR" {
		return b.regClassName(inner, c)
	}
	alone := duckAlone(x.To)
	to, err := TypeOf(x.To)
	switch {
	case err != nil && !alone:
		return nil, b.at(x.To.Pos, err)
	case err != nil:
		to = arrow.BinaryTypes.String // what a parameter would be
	}
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	b.wantType(e, to)
	if alone {
		return &expr.Call{Name: castName(x), Args: []expr.Expr{e}}, nil
	}
	return b.typed(&expr.Cast{X: e, To: to, Try: x.Try}, x.Pos)
}

// castName names the call that stands for a cast to a type that Arrow lacks: only DuckDB tells what comes of it.
func castName(x *sqltext.CastExpr) string {
	if x.Try {
		return expr.TryCastAs + x.To.String()
	}
	return expr.CastAs + x.To.String()
}

// duckTypes are DuckDB's types that Arrow lacks; for HUGEINT a table would have DECIMAL(38,0).
var duckTypes = map[string]bool{"HUGEINT": true, "UHUGEINT": true, "UUID": true, "JSON": true, "BIT": true, "TIMETZ": true}

// duckAlone tells whether a type is or holds one of duckTypes.
func duckAlone(t sqltext.TypeName) bool {
	return duckTypes[t.Name] || slices.ContainsFunc(t.Children, duckAlone)
}

func (b *binder) caseExpr(x *sqltext.CaseExpr, c *exprCtx) (expr.Expr, error) {
	out := &expr.Case{}
	var operand expr.Expr
	var err error
	if x.Operand != nil {
		if operand, err = b.expr(x.Operand, c); err != nil {
			return nil, err
		}
	}
	for _, w := range x.Whens {
		es, err := b.exprs([]sqltext.Expr{w.Cond, w.Then}, c)
		if err != nil {
			return nil, err
		}
		cond := es[0]
		if operand != nil {
			if cond, err = b.compare(expr.Eq, operand, cond, w.Cond.ExprPos(), c); err != nil {
				return nil, err
			}
		} else {
			b.wantType(cond, arrow.FixedWidthTypes.Boolean)
		}
		out.Whens = append(out.Whens, expr.When{Cond: cond, Then: es[1]})
	}
	if x.Else != nil {
		if out.Else, err = b.expr(x.Else, c); err != nil {
			return nil, err
		}
	}
	for _, w := range out.Whens {
		if out.Else != nil {
			b.wantSame(w.Then, out.Else)
		}
		b.wantSame(out.Whens[0].Then, w.Then)
	}
	return b.typed(out, x.Pos)
}

func (b *binder) subscript(x *sqltext.Subscript, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	if st, ok := structOf(e.Type()); ok {
		if s, isText := x.Key.(*sqltext.StringLit); isText {
			return b.fields(e, e.Type(), []string{s.Value}, x.Pos)
		}
		return nil, b.errorf(x.Key.ExprPos(), "a field of a struct with %d fields is named by a text, as in s['x']", st.NumFields())
	}
	k, err := b.expr(x.Key, c)
	if err != nil {
		return nil, err
	}
	if expr.KindOf(e.Type()) == expr.KindList || expr.KindOf(e.Type()) == expr.KindText {
		b.wantType(k, arrow.PrimitiveTypes.Int64)
	}
	return b.typed(&expr.Index{X: e, Key: k}, x.Pos)
}

// distances are the operators on vectors, as functions of lists. DuckDB takes arrays for lists there.
var distances = map[string]string{"<->": "list_distance", "<=>": "list_cosine_distance"}

// distance binds an operator on vectors.
func (b *binder) distance(op string, l, r expr.Expr, pos int) (expr.Expr, error) {
	b.wantSame(l, r)
	for _, e := range []expr.Expr{l, r} {
		if e.Type() == nil || expr.Elem(e.Type()) != nil {
			continue
		}
		hint := "it tells the distance of two lists or arrays of numbers"
		if op == "<=>" {
			hint += "; for equality write IS NOT DISTINCT FROM"
		}
		return nil, b.fault(errs.ErrInvalidInput, pos, hint, "the operator %q takes vectors", op)
	}
	return b.typed(&expr.Call{Name: distances[op], Args: []expr.Expr{l, r}}, pos)
}

// glob binds a test that DuckDB alone computes.
func (b *binder) glob(x, pattern expr.Expr, pos int) (expr.Expr, error) {
	for _, e := range []expr.Expr{x, pattern} {
		b.wantType(e, arrow.BinaryTypes.String)
		if k := expr.KindOf(e.Type()); e.Type() != nil && k != expr.KindText && k != expr.KindNull {
			return nil, b.errorf(pos, "GLOB tests texts, and one of its sides is a %s", expr.SQLType(e.Type()))
		}
	}
	return &expr.Call{Name: "~~~", Args: []expr.Expr{x, pattern}, Typ: arrow.FixedWidthTypes.Boolean}, nil
}

func (b *binder) slice(x *sqltext.SliceExpr, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	lo, hi := expr.Expr(expr.Int(1)), expr.Expr(expr.Int(1<<62))
	if x.Lo != nil {
		if lo, err = b.expr(x.Lo, c); err != nil {
			return nil, err
		}
	}
	if x.Hi != nil {
		if hi, err = b.expr(x.Hi, c); err != nil {
			return nil, err
		}
	}
	b.wantArgs("list_slice", []expr.Expr{e, lo, hi})
	if x.Step == nil {
		return b.typed(&expr.Call{Name: "list_slice", Args: []expr.Expr{e, lo, hi}, Typ: e.Type()}, x.Pos)
	}
	step, err := b.expr(x.Step, c)
	if err != nil {
		return nil, err
	}
	return b.stepped(e, lo, hi, step, x)
}

// stepped binds a slice with a step, whose missing bounds are the first and the last item in the step's direction.
func (b *binder) stepped(e, lo, hi, step expr.Expr, x *sqltext.SliceExpr) (expr.Expr, error) {
	if expr.KindOf(e.Type()) == expr.KindText {
		return nil, b.fault(errs.ErrUnsupported, x.Pos, "slice string_split(x, '') and join it by array_to_string", "a slice of a text takes no step")
	}
	if err := b.steady(x.Pos, step); err != nil {
		return nil, err
	}
	b.wantType(step, arrow.PrimitiveTypes.Int64)
	back, err := b.typed(&expr.Compare{Op: expr.Lt, L: step, R: expr.Int(0)}, x.Pos)
	if err != nil {
		return nil, err
	}
	if x.Lo == nil {
		lo = &expr.Case{Whens: []expr.When{{Cond: back, Then: expr.Int(-1)}}, Else: lo, Typ: lo.Type()}
	}
	if x.Hi == nil {
		hi = &expr.Case{Whens: []expr.When{{Cond: back, Then: expr.Int(1)}}, Else: hi, Typ: hi.Type()}
	}
	return b.typed(&expr.Call{Name: "list_slice", Args: []expr.Expr{e, lo, hi, step}, Typ: e.Type()}, x.Pos)
}

func (b *binder) extract(x *sqltext.ExtractExpr, c *exprCtx) (expr.Expr, error) {
	e, err := b.expr(x.X, c)
	if err != nil {
		return nil, err
	}
	return b.typed(&expr.Call{Name: "date_part", Args: []expr.Expr{expr.Text(x.Part), e}}, x.Pos)
}
