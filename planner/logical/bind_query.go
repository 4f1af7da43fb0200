package logical

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// query binds a query expression; outer is what a correlated subquery sees, and holds the CTEs in scope.
func (b *binder) query(q *sqltext.Query, outer *scope) (*Query, error) {
	leave, err := b.deeper(nesting{queries: 1}, q.Pos)
	if err != nil {
		return nil, err
	}
	defer leave()
	out := &Query{Recursive: q.Recursive}
	in := &scope{parent: outer.parent, ctes: outer.ctes}
	*in = *outer
	in.ctes = outer.ctes
	for i := range q.With {
		def, err := b.defineCTE(q, i, in, out)
		if err != nil {
			return nil, err
		}
		in.ctes = &cteScope{up: in.ctes, name: q.With[i].Name.Text, def: def}
	}
	if err := b.queryBody(q, in, out); err != nil {
		return nil, err
	}
	ec := &exprCtx{s: &scope{parent: in, ctes: in.ctes}, what: "LIMIT"}
	if out.Percent = q.Percent; q.Percent {
		out.Limit, err = b.percentage(q.Limit, ec)
	} else {
		out.Limit, err = b.count(q.Limit, ec)
	}
	if err != nil {
		return nil, err
	}
	ec.what = "OFFSET"
	if out.Offset, err = b.count(q.Offset, ec); err != nil {
		return nil, err
	}
	return out, nil
}

// percentage binds LIMIT n%, whose number is a DOUBLE; NULL is no limit.
func (b *binder) percentage(x sqltext.Expr, ec *exprCtx) (expr.Expr, error) {
	if num, ok := x.(*sqltext.NumberLit); ok {
		p, err := strconv.ParseFloat(strings.ReplaceAll(num.Text, "_", ""), 64)
		if err != nil || p > 100 {
			return nil, b.errorf(num.Pos, "LIMIT takes a percentage from 0 to 100, not %s", num.Text)
		}
		return expr.Double(p), nil
	}
	e, err := b.expr(x, ec)
	if err != nil {
		return nil, err
	}
	b.wantType(e, arrow.PrimitiveTypes.Float64)
	if len(expr.Columns(e)) > 0 {
		return nil, b.errorf(x.ExprPos(), "LIMIT can't read columns")
	}
	return b.typed(&expr.Cast{X: e, To: arrow.PrimitiveTypes.Float64}, x.ExprPos())
}

// count binds LIMIT or OFFSET: a parameter there is a BIGINT.
func (b *binder) count(x sqltext.Expr, ec *exprCtx) (expr.Expr, error) {
	if x == nil {
		return nil, nil
	}
	e, err := b.expr(x, ec)
	if err != nil {
		return nil, err
	}
	b.wantValue(e, &expr.Literal{Value: int64(1), Typ: arrow.PrimitiveTypes.Int64}) // NULL is no count that a scan takes
	if l, ok := e.(*expr.Literal); ok && l.Value != nil {
		n, ok := l.Value.(int64)
		if u, unsigned := l.Value.(uint64); unsigned {
			n, ok = int64(min(u, math.MaxInt64)), true
		}
		if expr.KindOf(l.Typ) != expr.KindInt || !ok {
			return nil, b.errorf(x.ExprPos(), "%s takes a whole number, not %s", ec.what, l)
		}
		if n < 0 {
			return nil, b.errorf(x.ExprPos(), "%s can't be negative", ec.what)
		}
		return expr.Int(n), nil
	}
	if len(expr.Columns(e)) > 0 {
		return nil, b.errorf(x.ExprPos(), "%s can't read columns", ec.what)
	}
	b.tell(BoundExpr{Expr: e, Pos: x.ExprPos(), Counts: true})
	return e, nil
}

func (b *binder) queryBody(q *sqltext.Query, in *scope, out *Query) error {
	switch body := q.Body.(type) {
	case *sqltext.Select:
		return b.selectBlock(body, q.OrderBy, in, out)
	case *sqltext.SetOp:
		op, cols, err := b.setOp(body, in)
		if err != nil {
			return err
		}
		out.Body, out.Cols = op, cols
	case *sqltext.Values:
		v, cols, err := b.values(body, in)
		if err != nil {
			return err
		}
		out.Body, out.Cols = v, cols
	case *sqltext.Query:
		inner, err := b.query(body, in)
		if err != nil {
			return err
		}
		out.Body, out.Cols = inner, inner.Cols
	default:
		return errs.New(errs.ErrInternal, "planner: unknown query body %T", q.Body)
	}
	var err error
	if out.OrderBy, err = b.orderOutput(q.OrderBy, out.Cols, in); err != nil {
		return err
	}
	if op, ok := out.Body.(*SetOp); ok {
		return b.checkOutputKeys(op, q.OrderBy, out.OrderBy)
	}
	return nil
}

// checkOutputKeys refuses to sort the rows of a set operation by what is no column of theirs.
func (b *binder) checkOutputKeys(op *SetOp, order []sqltext.OrderItem, keys []expr.SortKey) error {
	for i, k := range keys {
		if c, ok := k.X.(*expr.Column); ok && len(c.Path) == 1 || len(expr.Columns(k.X)) == 0 {
			continue
		}
		return b.fault(errs.ErrInvalidInput, order[min(i, len(order)-1)].Expr.ExprPos(), "put the "+op.Op+" into FROM to sort by what is computed of its columns",
			"ORDER BY of %s takes the columns of its result", op.Op)
	}
	return nil
}

// orderOutput binds ORDER BY above a body that shows only its output columns.
func (b *binder) orderOutput(order []sqltext.OrderItem, cols []Col, in *scope) ([]expr.SortKey, error) {
	var keys []expr.SortKey
	rel := &relation{id: OutputRel, qual: []string{"result"}, cols: cols}
	ec := &exprCtx{s: &scope{parent: in, rels: []*relation{rel}, ctes: in.ctes}, what: "ORDER BY"}
	order, err := b.orderAll(order, len(cols))
	if err != nil {
		return nil, err
	}
	for _, o := range order {
		if i, ok, err := b.ordinal(o.Expr, len(cols), "ORDER BY"); err != nil {
			return nil, err
		} else if ok {
			keys = append(keys, sortKey(o, &expr.Column{Rel: OutputRel, Path: expr.FieldPath{cols[i].Key}, Typ: cols[i].Type}))
			continue
		}
		x, err := b.expr(o.Expr, ec)
		if err != nil {
			return nil, err
		}
		keys = append(keys, sortKey(o, x))
	}
	return keys, nil
}

func sortKey(o sqltext.OrderItem, x expr.Expr) expr.SortKey {
	return expr.SortKey{X: x, Desc: o.Desc, NullsFirst: o.NullsFirst != nil && *o.NullsFirst}
}

// ordinal reads a bare whole number in ORDER BY or GROUP BY as the place of an output column.
func (b *binder) ordinal(x sqltext.Expr, n int, what string) (int, bool, error) {
	num, ok := x.(*sqltext.NumberLit)
	if !ok {
		return 0, false, nil
	}
	l, err := expr.ParseNumber(num.Text)
	if err != nil {
		return 0, false, b.at(num.Pos, err)
	}
	i, isInt := l.Value.(int64)
	if !isInt || expr.KindOf(l.Typ) != expr.KindInt {
		return 0, false, nil
	}
	if i < 1 || i > int64(n) {
		return 0, false, b.errorf(num.Pos, "%s %d: the query has columns 1 to %d", what, i, n)
	}
	return int(i) - 1, true, nil
}

// setOp binds a set operation. Those that follow each other, as a UNION b UNION c, are a list and not a nesting.
func (b *binder) setOp(t *sqltext.SetOp, in *scope) (*SetOp, []Col, error) {
	chain := []*sqltext.SetOp{t}
	for {
		below, ok := chain[len(chain)-1].L.(*sqltext.SetOp)
		if !ok {
			break
		}
		chain = append(chain, below)
	}
	left, err := b.operand(chain[len(chain)-1].L, in)
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(chain)
	for len(chain) > 0 {
		n := 1
		for chain[0].ByName && n < len(chain) && chain[n].ByName {
			n++
		}
		if left, err = b.combine(chain[:n], left, in); err != nil {
			return nil, nil, err
		}
		chain = chain[n:]
	}
	return left.Body.(*SetOp), left.Cols, nil
}

// combine binds the right sides of set operations that follow each other and joins them to the left one. There is one, or
// all are BY NAME.
func (b *binder) combine(ops []*sqltext.SetOp, l *Query, in *scope) (*Query, error) {
	sides := []*Query{l}
	for _, op := range ops {
		r, err := b.operand(op.R, in)
		if err != nil {
			return nil, err
		}
		sides = append(sides, r)
	}
	if ops[0].ByName {
		if err := b.byName(sides, ops[0].Pos); err != nil {
			return nil, err
		}
	}
	out := sides[0]
	for i, op := range ops {
		r := sides[i+1]
		if len(out.Cols) != len(r.Cols) {
			return nil, b.errorf(bodyPos(op.R), "the two sides of %s have %d and %d columns", op.Op, len(out.Cols), len(r.Cols))
		}
		b.tellCasts(op.R, out.Cols, r.Cols)
		cols := make([]Col, len(out.Cols))
		for i := range cols {
			cols[i] = mergeCols(out.Cols[i], r.Cols[i], op.Op == "UNION" && op.All)
		}
		out = &Query{Body: &SetOp{Op: op.Op, All: op.All, L: out, R: r}, Cols: cols}
	}
	return out, nil
}

// bodyPos is where a side of a set operation begins.
func bodyPos(body sqltext.Body) int {
	switch body := body.(type) {
	case *sqltext.Select:
		return body.Pos
	case *sqltext.Values:
		return body.Pos
	case *sqltext.SetOp:
		return bodyPos(body.L)
	case *sqltext.Query:
		return body.Pos
	}
	return 0
}

// tellCasts tells of the casts that the columns of a set operation's sides may need, at the place of the right side's.
func (b *binder) tellCasts(right sqltext.Body, l, r []Col) {
	sel, _ := right.(*sqltext.Select)
	for i := range l {
		if l[i].Type == nil || r[i].Type == nil || arrow.TypeEqual(l[i].Type, r[i].Type) {
			continue
		}
		pos := bodyPos(right)
		if sel != nil && len(sel.Items) == len(r) {
			pos = sel.Items[i].Pos
		}
		b.tellCast(l[i].Type, r[i].Type, pos)
	}
}

// tellCast tells that a value of either type may have to be cast to the other.
func (b *binder) tellCast(t, other arrow.DataType, pos int) {
	value := func(t arrow.DataType) expr.Expr { return &expr.Column{Path: expr.FieldPath{"value"}, Typ: t} }
	b.bound(&expr.Cast{X: value(t), To: other}, pos)
	b.bound(&expr.Cast{X: value(other), To: t}, pos)
}

// mergeCols is the output column of a set operation: the left name; the type, the field and what makes a variable stay
// only where both sides agree on them.
func mergeCols(l, r Col, all bool) Col {
	out := Col{Name: l.Name, Key: l.Key}
	switch {
	case l.Type == nil || r.Type == nil:
	case arrow.TypeEqual(l.Type, r.Type):
		out.Type = l.Type
		if l.Field != nil && r.Field != nil {
			f := *l.Field
			f.Nullable = f.Nullable || r.Field.Nullable
			out.Field = &f
		}
	case l.Type.ID() == arrow.NULL:
		out.Type = r.Type
	case r.Type.ID() == arrow.NULL:
		out.Type = l.Type
	default:
		out.Type = commonType(l.Type, r.Type)
	}
	if all && out.Type != nil && l.Type != nil && r.Type != nil {
		out.Var = mergeVars(l.Var, r.Var, out.Key)
	}
	return out
}

func (b *binder) operand(body sqltext.Body, in *scope) (*Query, error) {
	leave, err := b.deeper(nesting{queries: 1}, 0)
	if err != nil {
		return nil, err
	}
	defer leave()
	if q, ok := body.(*sqltext.Query); ok {
		return b.query(q, in)
	}
	out := &Query{}
	return out, b.queryBody(&sqltext.Query{Body: body}, in, out)
}

func (b *binder) values(t *sqltext.Values, in *scope) (*Values, []Col, error) {
	out := &Values{}
	ec := &exprCtx{s: &scope{parent: in, ctes: in.ctes}, what: "VALUES"}
	var cols []Col
	for i, row := range t.Rows {
		es, err := b.exprs(row, ec)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 && len(es) != len(cols) {
			return nil, nil, b.errorf(t.Pos, "the rows of VALUES have %d and %d columns", len(cols), len(es))
		}
		for j, e := range es {
			if i == 0 {
				cols = append(cols, Col{Name: "col" + formatInt(int64(j)), Key: OutputKey(j), Type: e.Type()})
				continue
			}
			if t := e.Type(); t != nil && cols[j].Type != nil && !arrow.TypeEqual(t, cols[j].Type) {
				b.tellCast(t, cols[j].Type, row[j].ExprPos())
			}
			cols[j].Type = mergeCols(cols[j], Col{Type: e.Type()}, false).Type
		}
		out.Rows = append(out.Rows, es)
	}
	for j := range cols {
		column := make([]expr.Expr, len(out.Rows))
		for i, row := range out.Rows {
			column[i] = row[j]
		}
		b.wantAllSame(column)
	}
	return out, cols, nil
}

// cteDef is one WITH element on its way.
type cteDef struct {
	cte   *sqltext.CTE
	in    *scope // what its query sees
	owner *Query // the query that has the WITH
	refs  int
	kept  *CTE    // set where it stays a CTE
	bound *Query  // what it was defined as, until the first reference takes it
	depth nesting // of bound
}

func (b *binder) defineCTE(q *sqltext.Query, i int, in *scope, owner *Query) (*cteDef, error) {
	c := &q.With[i]
	scoped := *in
	def := &cteDef{cte: c, in: &scoped, owner: owner, refs: b.countRefs(q, c.Name.Text)}
	if q.Recursive && b.countRefs(c.Query, c.Name.Text) > 0 {
		return def, b.recursiveCTE(def)
	}
	bound, err := b.defined(def)
	if err != nil {
		return nil, err
	}
	if len(c.Columns) > len(bound.Cols) {
		return nil, b.errorf(c.Pos, "%s has fewer columns than names are given: %d, not %d", c.Name.Text, len(bound.Cols), len(c.Columns))
	}
	if def.refs > 1 && (b.rels > inlineRelations || !isPlain(bound) || hasVolatile(bound)) || matchesCTE(bound) {
		def.kept = b.keep(def, bound)
	} else {
		def.bound = bound
	}
	return def, nil
}

// defined binds the query of a CTE and measures it.
func (b *binder) defined(def *cteDef) (*Query, error) {
	most := b.deepest
	b.deepest = b.depth
	q, err := b.query(def.cte.Query, def.in)
	def.depth = b.deepest.minus(b.depth)
	b.deepest = b.deepest.max(most)
	return q, err
}

func (b *binder) keep(def *cteDef, q *Query) *CTE {
	b.ctes++
	kept := &CTE{ID: b.ctes, Name: def.cte.Name.Text, Query: q}
	def.owner.CTEs = append(def.owner.CTEs, kept)
	return kept
}

// recursiveCTE binds a CTE that reads itself: a UNION whose left side gives the first rows and the columns.
func (b *binder) recursiveCTE(def *cteDef) error {
	c := def.cte
	op, ok := c.Query.Body.(*sqltext.SetOp)
	if !ok || op.Op != "UNION" || len(c.Query.OrderBy) > 0 || c.Query.Limit != nil || c.Query.Offset != nil ||
		len(c.Query.With) > 0 {
		return b.errorf(c.Pos, "the recursive query %s must be a UNION of a start and a step, without ORDER BY and LIMIT",
			c.Name.Text)
	}
	if op.ByName {
		return b.errorf(c.Pos, "UNION BY NAME in the recursive query %s is not supported", c.Name.Text)
	}
	l, err := b.operand(op.L, def.in)
	if err != nil {
		return err
	}
	def.kept = b.keep(def, &Query{Cols: plainCols(l.Cols)})
	def.kept.Recursive = true
	if len(c.Columns) > len(l.Cols) {
		return b.errorf(c.Pos, "%s has fewer columns than names are given: %d, not %d", c.Name.Text, len(l.Cols), len(c.Columns))
	}
	step := *def.in
	step.ctes = &cteScope{up: def.in.ctes, name: c.Name.Text, def: def}
	r, err := b.operand(op.R, &step)
	if err != nil {
		return err
	}
	if len(l.Cols) != len(r.Cols) {
		return b.errorf(bodyPos(op.R), "the two sides of UNION have %d and %d columns", len(l.Cols), len(r.Cols))
	}
	def.kept.Query.Body = &SetOp{Op: op.Op, All: op.All, L: l, R: r}
	return nil
}

// plainCols drops what is only known of columns that are read from tables.
func plainCols(cols []Col) []Col {
	out := make([]Col, len(cols))
	for i, c := range cols {
		out[i] = Col{Name: c.Name, Key: c.Key, Type: c.Type}
	}
	return out
}

// cteQuery gives a reference the query of a CTE. One that is not kept is bound anew for all but the first, so that each
// reference has scans of its own; a chain of CTEs that are read once is bound once.
func (b *binder) cteQuery(def *cteDef, pos int) (*Query, error) {
	if def.kept != nil {
		return def.kept.Query, nil
	}
	q := def.bound
	if q == nil {
		return b.query(def.cte.Query, def.in)
	}
	def.bound = nil
	return q, b.reach(def.depth, pos)
}

// cteRef binds a reference.
func (b *binder) cteRef(t *sqltext.TableName, def *cteDef, s *scope) (From, error) {
	alias := t.Alias
	if alias == nil {
		alias = &sqltext.Ident{Text: t.Name[0].Text}
	}
	q, err := b.cteQuery(def, t.Pos)
	if err != nil {
		return nil, err
	}
	rel, err := b.derivedRel(q, alias, def.cte.Columns, t.Pos)
	if err != nil {
		return nil, err
	}
	if err := b.renameCols(rel, t.Columns, t.Pos); err != nil {
		return nil, err
	}
	if err := b.addRel(s, rel); err != nil {
		return nil, err
	}
	if def.kept != nil {
		return &CTERef{Rel: rel.id, Alias: alias.Text, CTE: def.kept, Names: newNames(rel, q)}, nil
	}
	return &Derived{Rel: rel.id, Alias: alias.Text, Query: q, Names: newNames(rel, q)}, nil
}

// countRefs counts the tables of that bare name in a query. Names that hide it are not minded: too high a count costs
// only speed. A query is walked once for all names.
func (b *binder) countRefs(q *sqltext.Query, name string) int {
	counts, ok := b.refs[q]
	if !ok {
		counts = map[string]int{}
		walkTables(q, func(t *sqltext.TableName) {
			if len(t.Name) == 1 {
				counts[foldName(t.Name[0].Text)]++
			}
		})
		b.refs[q] = counts
	}
	return counts[foldName(name)]
}

// foldName is equal for names that strings.EqualFold holds for equal.
func foldName(s string) string { return strings.ToLower(strings.ToUpper(s)) }
