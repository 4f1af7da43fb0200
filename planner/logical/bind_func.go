package logical

import (
	"cmp"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) call(x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	name := strings.ToLower(x.Name)
	if x.WithinGroup {
		name = withinNames(name)
	}
	if name == "grouping_id" {
		name = "grouping"
	}
	switch name {
	case "try":
		return b.try(x, c)
	case "lance_filter", "lance_sql":
		return nil, b.errorf(x.Pos, "%s stands at the top level of WHERE only, beside other parts joined by AND", name)
	case "any_match", "all_match":
		return b.match(name, x, c)
	case "unnest", "unlist":
		return b.unnest(x, c)
	case "current_setting":
		return b.currentSetting(x)
	case sqltext.ServerVariable:
		return b.serverVariable(x)
	}
	if isWindowOnly(name) && x.Over == nil {
		return nil, b.errorf(x.Pos, "%s needs OVER (...)", name)
	}
	if x.Over != nil {
		return b.window(name, x, c)
	}
	if isAggregate(name) {
		if !c.aggs {
			return nil, b.errorf(x.Pos, "%s(...): aggregates can't stand in %s", name, c.what)
		}
		return b.aggregate(name, x, c)
	}
	if x.Star || x.Distinct || x.Filter != nil || len(x.OrderBy) > 0 || x.IgnoreNulls {
		if !isScalar(name) {
			return nil, b.unknownFunction(name, x.Pos)
		}
		return nil, b.errorf(x.Pos, "%s is no aggregate function", name)
	}
	return b.callOf(name, x.Args, x.ArgNames, x.Pos, c)
}

// callOf binds a scalar function.
func (b *binder) callOf(name string, args []sqltext.Expr, argNames []string, pos int, c *exprCtx) (expr.Expr, error) {
	if l, ok := b.now(name, len(args)); ok {
		return l, nil
	}
	if !isScalar(name) {
		if _, ok := b.now(name, 0); ok {
			return nil, b.errorf(pos, "function %s takes 0 arguments, not %d", name, len(args))
		}
		return nil, b.unknownFunction(name, pos)
	}
	args, err := b.unpacked(args, c)
	if err != nil {
		return nil, err
	}
	for i, n := range argNames {
		if n != "" && slices.ContainsFunc(argNames[:i], func(o string) bool { return strings.EqualFold(o, n) }) {
			return nil, b.errorf(args[i].ExprPos(), "the argument %s is there twice", expr.QuoteIdent(n))
		}
	}
	es, err := b.arguments(name, args, c)
	if err != nil {
		return nil, err
	}
	b.wantArgs(name, es)
	if err := b.roundsTo(name, es, pos); err != nil {
		return nil, err
	}
	if first, ok := firstField[name]; ok {
		argNames = fieldNames(args, argNames, first)
	}
	return b.typed(&expr.Call{Name: name, Args: es, ArgNames: argNames}, pos)
}

// firstField tells for functions whose arguments become fields of a struct by their names which is the first that does.
var firstField = map[string]int{"struct_pack": 0, "struct_insert": 1, "struct_update": 1}

// fieldNames gives arguments without a name, from the first, that of the column that they are.
func fieldNames(args []sqltext.Expr, argNames []string, first int) []string {
	out := make([]string, len(args))
	copy(out, argNames)
	for i, a := range args {
		if i < first || out[i] != "" {
			continue
		}
		switch n := a.(type) {
		case *sqltext.Name:
			out[i] = n.Parts[len(n.Parts)-1].Text
		case *unpackedColumn:
			out[i] = n.item.Name
		}
	}
	return out
}

// nested binds a list or struct literal, whose type is that of its parts where these agree.
func (b *binder) nested(name string, args []sqltext.Expr, fields []string, pos int, c *exprCtx) (expr.Expr, error) {
	e, err := b.callOf(name, args, fields, pos, c)
	call, ok := e.(*expr.Call)
	if err != nil || !ok || call.Typ != nil {
		return e, err
	}
	out := *call
	if name == "list_value" {
		elem, err := expr.CommonTypeOf(call.Args...)
		if err == nil && elem != nil {
			out.Typ = arrow.ListOf(elem)
		}
		return &out, nil
	}
	list := make([]arrow.Field, len(call.Args))
	for i, a := range call.Args {
		if a.Type() == nil {
			return e, nil
		}
		list[i] = arrow.Field{Name: fields[i], Type: a.Type(), Nullable: true}
	}
	out.Typ = arrow.StructOf(list...)
	return &out, nil
}

// try binds TRY(x), which is null where x fails. DuckDB alone computes it.
func (b *binder) try(x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	if len(x.Args) != 1 || x.Star || x.Distinct || x.Filter != nil || x.Over != nil || len(x.OrderBy) > 0 {
		return nil, b.errorf(x.Pos, "TRY takes one expression")
	}
	in := *c
	in.aggs, in.windows, in.what = false, nil, "TRY"
	e, err := b.expr(x.Args[0], &in)
	if err != nil {
		return nil, err
	}
	if hasAggregate(e) || hasSubquery(e) || IsVolatile(e) {
		return nil, b.errorf(x.Pos, "TRY takes no aggregates, subqueries and functions that give another value each time")
	}
	return &expr.Call{Name: "try", Args: []expr.Expr{e}, Typ: e.Type()}, nil
}

// operator binds an operator that has no node of its own, as a call of the function of its name, whose result is of the first operand's type.
func (b *binder) operator(op string, args []expr.Expr, pos int) (expr.Expr, error) {
	if !expr.IsOperator(op) {
		return nil, b.errorf(pos, "there is no operator %s", op)
	}
	if len(args) == 2 {
		b.wantSame(args[0], args[1])
	}
	return &expr.Call{Name: op, Args: args, Typ: args[0].Type()}, nil
}

func (b *binder) unknownFunction(name string, pos int) error {
	hint := instead[name]
	if hint == "" {
		hint = didYouMean(name, functionNames())
	}
	return b.fault(errs.ErrInvalidInput, pos, hint, "there is no function %s", name)
}

// instead tells what stands for functions of other databases that have no form of their own here.
var instead = map[string]string{
	"convert":      "write CAST(x AS type)",
	"getvariable":  "bind a parameter, as ? or $1",
	"union_value":  "there are no unions: a struct can have a field for each",
	"width_bucket": "write CASE WHEN x < lo THEN 0 WHEN x >= hi THEN n + 1 ELSE floor((x - lo) / (hi - lo) * n) + 1 END",
}

// now gives the session functions as constants, so that a statement has one time.
func (b *binder) now(name string, args int) (expr.Expr, bool) {
	if args != 0 {
		return nil, false
	}
	t := b.o.Now
	local := t
	if b.zone != nil {
		local = t.In(b.zone)
	}
	_, offset := local.Zone()
	us := t.UnixMicro()
	wall := us + int64(offset)*1e6
	const dayMicros = 86400 * 1e6
	switch name {
	case "now", "current_timestamp", "get_current_timestamp", "transaction_timestamp":
		return &expr.Literal{Value: us, Typ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}}, true
	case "localtimestamp", "current_localtimestamp":
		return &expr.Literal{Value: wall, Typ: naive(arrow.Microsecond)}, true
	case "current_date", "today":
		return &expr.Literal{Value: (wall - floorMod(wall, dayMicros)) / dayMicros, Typ: arrow.FixedWidthTypes.Date32}, true
	case "current_time", "localtime", "get_current_time", "current_localtime":
		return &expr.Literal{Value: floorMod(wall, dayMicros), Typ: arrow.FixedWidthTypes.Time64us}, true
	case "current_schema", "schema":
		return expr.Text(b.o.Schema), true
	case "current_database", "current_catalog", "database":
		return expr.Text(b.o.Catalog), true
	case "current_user", "session_user", "user", "current_role":
		return expr.Text(cmp.Or(b.o.User, nobody)), true
	case "version":
		return expr.Text(serverName), true
	}
	return nil, false
}

// serverName is what version() gives.
const serverName = "flightsrv"

// nobody is who asks a server that asks nobody for credentials.
const nobody = "anonymous"

// bareCalls are the functions that need no parentheses. Source: ISO/IEC 9075-2, value specifications and datetime functions.
var bareCalls = map[string]bool{
	"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "current_schema": true,
	"current_catalog": true, "current_user": true, "session_user": true, "user": true, "current_role": true,
}

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }

func (b *binder) aggregate(name string, x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	in := *c
	in.windows, in.groupFirst = nil, nil
	if x.Over == nil { // over a window an aggregate may read those of the block
		in.aggs, in.what = false, "an aggregate function"
	}
	a := &expr.Aggregate{Name: name, Distinct: x.Distinct}
	if x.Star {
		if name != "count" || len(x.Args) > 0 {
			return nil, b.errorf(x.Pos, "%s(*): only count takes *", name)
		}
	}
	var err error
	if a.Args, err = b.exprs(x.Args, &in); err != nil {
		return nil, err
	}
	if name == "count" && !x.Distinct && len(a.Args) == 1 && isRow(a.Args[0]) { // of rows, none of which is null
		a.Args = nil
	}
	if x.Filter != nil {
		if a.Filter, err = b.predicate(x.Filter, &in); err != nil {
			return nil, err
		}
	}
	if a.OrderBy, err = b.sortKeys(x.OrderBy, &in); err != nil {
		return nil, err
	}
	if x.WithinGroup {
		if err := withinGroup(a); err != nil {
			return nil, b.at(x.Pos, err)
		}
	}
	b.wantFraction(a, x)
	return b.typed(a, x.Pos)
}

// withinNames gives DuckDB's name of an aggregate of the standard that is used WITHIN GROUP.
func withinNames(name string) string {
	switch name {
	case "percentile_cont":
		return "quantile_cont"
	case "percentile_disc":
		return "quantile_disc"
	}
	return name
}

// withinGroup turns f(p) WITHIN GROUP (ORDER BY x) into DuckDB's plain form.
func withinGroup(a *expr.Aggregate) error {
	if !slices.Contains([]string{"quantile_cont", "quantile_disc", "mode"}, a.Name) {
		return nil // an ordered aggregate: the order stands inside the parentheses
	}
	if len(a.OrderBy) != 1 {
		return errs.Invalidf("%s takes one ORDER BY key", a.Name)
	}
	if a.OrderBy[0].Desc {
		return errs.Unsupportedf("%s with a descending key is not supported", a.Name)
	}
	a.Args, a.OrderBy = append([]expr.Expr{a.OrderBy[0].X}, a.Args...), nil
	return nil
}

func (b *binder) sortKeys(order []sqltext.OrderItem, c *exprCtx) ([]expr.SortKey, error) {
	var out []expr.SortKey
	for _, o := range order {
		e, err := b.expr(o.Expr, c)
		if err != nil {
			return nil, err
		}
		out = append(out, sortKey(o, e))
	}
	return out, nil
}

// windows is the WINDOW clause of a block.
type windows struct {
	b     *binder
	named []sqltext.NamedWindow
}

// windowsOf takes the WINDOW clause of a block, whose names are told apart without regard to case.
func (b *binder) windowsOf(t *sqltext.Select) (*windows, error) {
	for i, n := range t.Windows {
		if slices.ContainsFunc(t.Windows[:i], func(o sqltext.NamedWindow) bool { return strings.EqualFold(o.Name.Text, n.Name.Text) }) {
			return nil, b.errorf(n.Pos, "there are two windows %s", n.Name.Text)
		}
	}
	return &windows{b: b, named: t.Windows}, nil
}

func (w *windows) find(name string) (sqltext.WindowSpec, bool) {
	for _, n := range w.named {
		if strings.EqualFold(n.Name.Text, name) {
			return n.Spec, true
		}
	}
	return sqltext.WindowSpec{}, false
}

// expand puts a base window's parts into a spec; a chain of bases is as long as the clause at most.
func (w *windows) expand(spec sqltext.WindowSpec) (sqltext.WindowSpec, error) {
	pos := spec.NamePos
	for range len(w.named) + 1 {
		if spec.Name == nil {
			return spec, nil
		}
		base, ok := w.find(spec.Name.Text)
		if !ok {
			return spec, w.b.fault(errs.ErrInvalidInput, pos, "", "there is no window %s", spec.Name.Text)
		}
		if len(spec.PartitionBy) > 0 || len(spec.OrderBy) > 0 && len(base.OrderBy) > 0 {
			return spec, w.b.errorf(pos, "window %s: its PARTITION BY and ORDER BY can't be given again", spec.Name.Text)
		}
		spec.PartitionBy = base.PartitionBy
		if len(spec.OrderBy) == 0 {
			spec.OrderBy = base.OrderBy
		}
		if spec.Frame.Text == "" {
			spec.Frame = base.Frame
		}
		spec.Name = base.Name
	}
	return spec, w.b.errorf(pos, "the windows of this query name each other in a circle")
}

func (b *binder) window(name string, x *sqltext.FuncCall, c *exprCtx) (expr.Expr, error) {
	if c.windows == nil {
		return nil, b.errorf(x.Pos, "%s(...) OVER: window functions can't stand in %s", name, c.what)
	}
	spec, err := c.windows.expand(*x.Over)
	if err != nil {
		return nil, err
	}
	in := *c
	in.windows, in.what = nil, "a window function"
	w := &expr.Window{IgnoreNulls: x.IgnoreNulls, Frame: spec.Frame.Text}
	if isWindowOnly(name) {
		args, err := b.exprs(x.Args, &in)
		if err != nil {
			return nil, err
		}
		b.wantArgs(name, args)
		typ, err := expr.TypeCall(name, args)
		if err != nil {
			return nil, b.at(x.Pos, err)
		}
		if x.Filter != nil || x.Distinct || len(x.OrderBy) > 0 && name == "dense_rank" {
			return nil, b.fault(errs.ErrUnsupported, x.Pos, "", "%s takes no FILTER, DISTINCT or ORDER BY", name)
		}
		w.Func = &expr.Call{Name: name, Args: args, Typ: typ}
		if len(x.OrderBy) > 0 {
			order, err := b.sortKeys(x.OrderBy, &in)
			if err != nil {
				return nil, err
			}
			w.Func = &expr.Aggregate{Name: name, Args: args, OrderBy: order, Typ: typ}
		}
		b.bound(w.Func, x.Pos)
	} else if isAggregate(name) {
		if w.Func, err = b.aggregate(name, x, &in); err != nil {
			return nil, err
		}
	} else if isScalar(name) {
		return nil, b.errorf(x.Pos, "%s is no window function", name)
	} else {
		return nil, b.unknownFunction(name, x.Pos)
	}
	if w.Partition, err = b.exprs(spec.PartitionBy, &in); err != nil {
		return nil, err
	}
	if w.OrderBy, err = b.sortKeys(spec.OrderBy, &in); err != nil {
		return nil, err
	}
	return w, b.checkFrame(spec.Frame, w.OrderBy)
}

// checkFrame refuses distances that are none, and a RANGE with those that its key has not: they are added to it and taken from it.
func (b *binder) checkFrame(f sqltext.Frame, keys []expr.SortKey) error {
	isRange := strings.HasPrefix(f.Text, "RANGE")
	if isRange && len(f.Distances) > 0 && len(keys) != 1 {
		return b.errorf(f.Pos, "RANGE with a distance is measured along one key of ORDER BY, not %d", len(keys))
	}
	for _, d := range f.Distances {
		by, err := distance(d)
		if err != nil {
			return b.at(d.Pos, err)
		}
		if !isRange {
			continue
		}
		key := &expr.Column{Path: expr.FieldPath{"key"}, Typ: keys[0].X.Type()}
		if _, err := b.types.BindNode(&expr.Arith{Op: expr.Sub, L: key, R: by}); err != nil && key.Typ != nil {
			return b.errorf(d.Pos, "RANGE: the key of ORDER BY is of type %s, which has no distances of type %s", expr.SQLType(key.Typ), expr.SQLType(by.Type()))
		}
	}
	return nil
}

// distance reads a bound of a frame.
func distance(d sqltext.Distance) (*expr.Literal, error) {
	if d.Number != "" {
		return expr.ParseNumber(d.Number)
	}
	return expr.ParseInterval(d.Interval, d.Unit)
}

// fractions are the aggregates whose second argument is a part of 1.
var fractions = map[string]bool{"quantile": true, "quantile_cont": true, "quantile_disc": true, "approx_quantile": true}

// wantFraction notes the type of a parameter that is a part of 1. What is bound to that of approx_quantile becomes the FLOAT that DuckDB's takes.
func (b *binder) wantFraction(a *expr.Aggregate, x *sqltext.FuncCall) {
	if !fractions[a.Name] || len(a.Args) != 2 {
		return
	}
	b.wantValue(a.Args[1], expr.Double(0.5))
	_, isParam := x.Args[len(x.Args)-1].(*sqltext.ParamRef)
	if l, ok := a.Args[1].(*expr.Literal); ok && isParam && a.Name == "approx_quantile" && expr.KindOf(l.Typ) == expr.KindDouble {
		a.Args[1] = &expr.Literal{Value: l.Value, Typ: arrow.PrimitiveTypes.Float32}
	}
}

func (b *binder) lambda(x *sqltext.LambdaExpr, c *exprCtx) (expr.Expr, error) {
	s := c.s.child()
	s.parent = c.s
	out := &expr.Lambda{}
	for i, p := range x.Params {
		b.lambdas++ // names of our own: none can be a word of the grammar, or hide another
		key := "p" + formatInt(int64(b.lambdas))
		s.lambda = append(s.lambda, lambdaVar{name: p.Text, key: key, typ: typeAt(c.lambdaTypes, i)})
		out.Params, out.Names = append(out.Params, key), append(out.Names, p.Text)
	}
	in := c.in(s)
	in.lambdaTypes = nil
	body, err := b.expr(x.Body, in)
	if err != nil {
		return nil, err
	}
	out.Body = body
	return out, nil
}

func (b *binder) subquery(x sqltext.Expr, c *exprCtx) (expr.Expr, error) {
	switch x := x.(type) {
	case *sqltext.SubqueryExpr:
		q, err := b.query(x.Query, &scope{parent: c.s, ctes: c.s.ctes})
		if err != nil {
			return nil, err
		}
		if len(q.Cols) != 1 {
			return nil, b.errorf(x.Pos, "a subquery used as a value gives one column, not %d", len(q.Cols))
		}
		if !x.Array {
			return &expr.Subquery{Kind: expr.ScalarSubquery, Query: q, Typ: q.Cols[0].Type}, nil
		}
		out := &expr.Subquery{Kind: expr.ArraySubquery, Query: q}
		if t := q.Cols[0].Type; t != nil {
			out.Typ = arrow.ListOf(expr.Storage(t))
		}
		return out, nil
	case *sqltext.ExistsExpr:
		q, err := b.query(x.Query, &scope{parent: c.s, ctes: c.s.ctes})
		if err != nil {
			return nil, err
		}
		e := &expr.Subquery{Kind: expr.ExistsSubquery, Query: q}
		return b.negated(e, x.Not, x.Pos)
	case *sqltext.InSubquery:
		e, err := b.operandQuery(expr.InSubquery, expr.Eq, x.X, x.Query, x.Pos, c)
		if err != nil || !x.Not {
			return e, err
		}
		return &expr.Not{X: e}, nil
	case *sqltext.Quantified:
		return b.quantified(x, c)
	}
	return nil, errs.New(errs.ErrInternal, "planner: unknown subquery %T", x)
}

func (b *binder) operandQuery(kind expr.SubqueryKind, op expr.CompareOp, x sqltext.Expr, q *sqltext.Query, pos int,
	c *exprCtx,
) (expr.Expr, error) {
	operand, err := b.expr(x, c)
	if err != nil {
		return nil, err
	}
	bound, err := b.query(q, &scope{parent: c.s, ctes: c.s.ctes})
	if err != nil {
		return nil, err
	}
	if err := b.noValues(c, pos, operand); err != nil {
		return nil, err
	}
	want := 1
	if call, ok := operand.(*expr.Call); ok && call.Name == "row" {
		want = len(call.Args)
	}
	if len(bound.Cols) != want {
		return nil, b.errorf(pos, "the subquery gives %d columns, where %d belong", len(bound.Cols), want)
	}
	if want == 1 {
		b.wantType(operand, bound.Cols[0].Type)
	}
	return &expr.Subquery{Kind: kind, Operand: operand, Op: op, Query: bound}, nil
}

func (b *binder) quantified(x *sqltext.Quantified, c *exprCtx) (expr.Expr, error) {
	op, ok := compareOps[x.Op]
	if !ok {
		return nil, b.errorf(x.Pos, "there is no %s ANY", x.Op)
	}
	kind, word := expr.AnySubquery, "any"
	if x.All {
		kind, word = expr.AllSubquery, "all"
	}
	if x.Query != nil {
		return b.operandQuery(kind, op, x.X, x.Query, x.Pos, c)
	}
	es, err := b.exprs([]sqltext.Expr{x.X, x.List}, c)
	if err != nil {
		return nil, err
	}
	if t := es[1].Type(); t != nil && expr.Elem(t) == nil && expr.KindOf(t) != expr.KindNull && expr.KindOf(t) != expr.KindOther {
		return nil, b.errorf(x.List.ExprPos(), "%s takes a list or a subquery, not a value of type %s", strings.ToUpper(word), expr.SQLType(t))
	}
	b.wantList(es[1], es[0])
	return &expr.Call{Name: op.String() + " " + word, Args: es, Typ: arrow.FixedWidthTypes.Boolean}, nil
}
