package logical

import (
	"regexp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

const (
	// maxPivot bounds the columns that PIVOT makes.
	maxPivot = 2000
	// maxPivotFilters is how many aggregates may have a filter each; it is DuckDB's pivot_filter_threshold.
	maxPivotFilters = 20
)

// pivotCell is a column that PIVOT makes: its name, the condition on the rows that its aggregates see, and the place of its value.
type pivotCell struct {
	name string
	cond expr.Expr
	pos  int
}

// pivot binds PIVOT as a subquery that groups, with a filter for each of the aggregates:
//
//	t PIVOT (sum(a) FOR k IN ('x') GROUP BY g)
//	=> SELECT g, sum(a) FILTER (WHERE CAST(k AS VARCHAR) IS NOT DISTINCT FROM 'x') AS x FROM t GROUP BY g
//
// Values are compared as texts, as DuckDB does.
func (b *binder) pivot(t *sqltext.Pivot, s *scope) (From, error) {
	leave, err := b.deeper(nesting{pivots: 1}, t.Pos)
	if err != nil {
		return nil, err
	}
	in := &scope{parent: s.parent, ctes: s.ctes}
	src, err := b.tableExpr(t.Source, in)
	if err != nil {
		return nil, err
	}
	leave()
	aggs, err := b.pivotAggregates(t, in)
	if err != nil {
		return nil, err
	}
	cells, read, err := b.pivotCells(t, in)
	if err != nil {
		return nil, err
	}
	if len(cells)*len(aggs) > maxPivot {
		return nil, b.errorf(t.Pos, "PIVOT makes more than %d columns", maxPivot)
	}
	sel := &Select{From: src}
	if sel.Items, err = b.pivotGroups(t, itemsOf(allColumns(in)), append(read, aggs...)); err != nil {
		return nil, err
	}
	for _, it := range sel.Items {
		sel.GroupBy = append(sel.GroupBy, Group{Sets: [][]expr.Expr{{it.Expr}}})
	}
	for _, c := range cells {
		for i, a := range aggs {
			name := c.name + aggregateName(t, i)
			if name == "" {
				return nil, b.errorf(c.pos, "a column of PIVOT needs a name: write it behind AS")
			}
			sel.Items = append(sel.Items, Item{Name: name, Expr: filtered(a, c.cond, len(cells)*len(aggs) > maxPivotFilters)})
		}
	}
	uniquePivotNames(sel.Items)
	q := &Query{Body: sel, Cols: b.outputCols(sel, in)}
	rel, err := b.derivedRel(q, t.Alias, t.Columns, t.Pos)
	if err != nil {
		return nil, err
	}
	return &Derived{Rel: rel.id, Alias: rel.qual[0], Query: q}, b.addRel(s, rel)
}

// pivotAggregates binds expressions that each hold one aggregate, and read columns only within it.
func (b *binder) pivotAggregates(t *sqltext.Pivot, in *scope) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(t.Aggs))
	for i, a := range t.Aggs {
		e, err := b.expr(a.Expr, &exprCtx{s: in, what: "PIVOT", aggs: true})
		if err != nil {
			return nil, err
		}
		n, outside, filter := 0, false, false
		expr.Walk(e, func(e expr.Expr) bool {
			switch e := e.(type) {
			case *expr.Aggregate:
				n++
				filter = filter || e.Filter != nil
				return false
			case *expr.Column, *expr.Subquery, *expr.Window:
				outside = true
			}
			return true
		})
		if n != 1 || outside {
			return nil, b.errorf(a.Pos, "PIVOT takes expressions of one aggregate, outside of which they read nothing")
		}
		if filter { // DuckDB passes over it where the columns are few
			return nil, b.fault(errs.ErrInvalidInput, a.Pos, "filter the rows that PIVOT reads, or use CASE within the aggregate", "FILTER in PIVOT is not supported")
		}
		out[i] = e
	}
	return out, nil
}

// passesNulls are aggregates of one argument that nulls make no difference to.
var passesNulls = map[string]bool{"sum": true, "min": true, "max": true, "avg": true, "count": true, "any_value": true, "median": true, "mode": true,
	"stddev": true, "stddev_samp": true, "stddev_pop": true, "variance": true, "var_samp": true, "var_pop": true, "bool_and": true, "bool_or": true,
	"product": true, "approx_count_distinct": true}

// filtered gives an expression whose aggregate sees just the rows that pass a condition. Where there are many it is null
// on the others, if that means the same: DuckDB's memory for filters grows with the square of their number.
func filtered(e, cond expr.Expr, many bool) expr.Expr {
	return MapNodes(e, func(e expr.Expr) expr.Expr {
		a, ok := e.(*expr.Aggregate)
		if !ok {
			return e
		}
		out := *a
		switch {
		case !many || len(a.Args) > 1 || len(a.OrderBy) > 0 || !passesNulls[a.Name]:
			out.Filter = cond
		case len(a.Args) == 0:
			out.Args = []expr.Expr{&expr.Case{Whens: []expr.When{{Cond: cond, Then: expr.Int(1)}}, Typ: expr.Int(1).Typ}}
		default:
			out.Args = []expr.Expr{&expr.Case{Whens: []expr.When{{Cond: cond, Then: a.Args[0]}}, Typ: a.Args[0].Type()}}
		}
		return &out
	})
}

// plainCall is a function over names of columns, whose text DuckDB would write just so.
var plainCall = regexp.MustCompile(`^[A-Za-z_]\w*\([a-z_][a-z0-9_]*\)$`)

// aggregateName is what the i-th aggregate adds to the names of its columns: nothing where it stands alone without a name.
func aggregateName(t *sqltext.Pivot, i int) string {
	a := t.Aggs[i]
	if a.Alias != nil {
		return "_" + a.Alias.Text
	}
	if len(t.Aggs) == 1 {
		return ""
	}
	text := strings.TrimSpace(a.Text)
	if call, ok := a.Expr.(*sqltext.FuncCall); ok && call.Star {
		return "_count_star()"
	}
	if plainCall.MatchString(text) {
		return "_" + strings.ToLower(text)
	}
	return "_" + text
}

// pivotCells gives the columns to be made, in order, and the expressions that they are made of.
func (b *binder) pivotCells(t *sqltext.Pivot, in *scope) (cells []pivotCell, read []expr.Expr, err error) {
	cells = []pivotCell{{}}
	for _, on := range t.On {
		exprs, err := b.exprs(on.Exprs, &exprCtx{s: in, what: "PIVOT"})
		if err != nil {
			return nil, nil, err
		}
		read = append(read, exprs...)
		values, err := b.pivotValues(on, exprs)
		if err != nil {
			return nil, nil, err
		}
		if len(cells)*len(values) > maxPivot {
			return nil, nil, b.errorf(t.Pos, "PIVOT makes more than %d columns", maxPivot)
		}
		var next []pivotCell
		for _, c := range cells {
			for _, v := range values {
				name := v.name
				if c.cond != nil {
					name = c.name + "_" + v.name
				}
				next = append(next, pivotCell{name, expr.AllOf(c.cond, v.cond), v.pos})
			}
		}
		cells = next
	}
	return cells, read, nil
}

// pivotValues gives a column for each value of one FOR.
func (b *binder) pivotValues(on sqltext.PivotOn, exprs []expr.Expr) ([]pivotCell, error) {
	var out []pivotCell
	seen := map[string]bool{}
	for _, v := range on.Values {
		if len(v.Exprs) != len(exprs) {
			return nil, b.errorf(v.Pos, "PIVOT compares %d columns, but %d values stand here", len(exprs), len(v.Exprs))
		}
		var conds []expr.Expr
		var names []string
		key := ""
		for i, x := range v.Exprs {
			value, text, err := b.pivotValue(x)
			if err != nil {
				return nil, err
			}
			cast, err := b.typed(&expr.Cast{X: exprs[i], To: arrow.BinaryTypes.String}, v.Pos)
			if err != nil {
				return nil, err
			}
			conds, names = append(conds, &expr.Compare{Op: expr.NotDistinct, L: cast, R: value}), append(names, text)
			key += value.String() + "\x00"
		}
		cell := pivotCell{strings.Join(names, "_"), expr.AllOf(conds...), v.Pos}
		if v.Alias != nil {
			cell.name = v.Alias.Text
		}
		if seen[key] {
			return nil, b.errorf(v.Pos, "the IN of PIVOT has the value %s twice", strings.Join(names, ", "))
		}
		seen[key] = true
		out = append(out, cell)
	}
	return out, nil
}

// Numbers and times that DuckDB writes as they stand here.
var (
	plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	plainTime   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2})?$`)
)

// pivotValue gives a constant of the IN as a text to compare with, and as the name of a column.
func (b *binder) pivotValue(x sqltext.Expr) (expr.Expr, string, error) {
	switch x := x.(type) {
	case *sqltext.StringLit:
		return expr.Text(x.Value), x.Value, nil
	case *sqltext.Name:
		if len(x.Parts) == 1 {
			return expr.Text(x.Parts[0].Text), x.Parts[0].Text, nil
		}
	case *sqltext.NullLit:
		return expr.Null(), "NULL", nil
	case *sqltext.BoolLit:
		if x.Value {
			return expr.Text("true"), "true", nil
		}
		return expr.Text("false"), "false", nil
	case *sqltext.NumberLit:
		if plainNumber.MatchString(x.Text) {
			return expr.Text(x.Text), x.Text, nil
		}
	case *sqltext.TypedLit:
		if plainTime.MatchString(x.Value) && (x.Type.Name == "DATE" && len(x.Value) == 10 || x.Type.Name == "TIMESTAMP" && len(x.Value) > 10) {
			return expr.Text(x.Value), x.Value, nil
		}
	}
	return nil, "", b.fault(errs.ErrInvalidInput, x.ExprPos(), "write the value as a text, as it is cast to one", "the IN of PIVOT takes constants and names")
}

// pivotGroups gives the columns to group by: those of GROUP BY, or all that nothing else reads.
func (b *binder) pivotGroups(t *sqltext.Pivot, all []Item, read []expr.Expr) ([]Item, error) {
	var out []Item
	if t.Groups == nil {
		for _, it := range all {
			used := false
			for _, x := range read {
				used = used || readsSome(x, it.Expr)
			}
			if !used {
				out = append(out, it)
			}
		}
		return out, nil
	}
	for i, g := range t.Groups {
		found := match(g.Text, all, func(it Item) string { return it.Name })
		switch len(found) {
		case 0:
			return nil, b.fault(errs.ErrNotFound, t.GroupsAt[i], "", "GROUP BY of PIVOT: there is no column %s", g.Text)
		case 1:
			out = append(out, found[0])
		default:
			return nil, b.errorf(t.GroupsAt[i], "GROUP BY of PIVOT: there are several columns %s", g.Text)
		}
	}
	return out, nil
}

// uniquePivotNames gives columns of one name numbers from the second on; case makes no difference, as DuckDB has it here.
func uniquePivotNames(items []Item) {
	taken := make(map[string]bool, len(items))
	for i, it := range items {
		name := it.Name
		for n := 1; taken[strings.ToLower(name)]; n++ {
			name = it.Name + "_" + formatInt(int64(n))
		}
		taken[strings.ToLower(name)], items[i].Name = true, name
	}
}
