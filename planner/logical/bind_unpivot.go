package logical

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// unpivotEntry is what one row of each source row holds: its name, and its values.
type unpivotEntry struct {
	name   string
	values []expr.Expr
	pos    int
}

// unpivot binds UNPIVOT as a subquery that unnests a list of the names, and one of the values:
//
//	t UNPIVOT (v FOR n IN (a, b))
//	=> SELECT rest, n, v FROM (SELECT rest, unnest(['a', 'b']) AS n, unnest([a, b]) AS v FROM t) WHERE v IS NOT NULL
func (b *binder) unpivot(t *sqltext.Unpivot, s *scope) (From, error) {
	in := &scope{parent: s.parent, ctes: s.ctes}
	src, err := b.tableExpr(t.Source, in)
	if err != nil {
		return nil, err
	}
	all := itemsOf(allColumns(in))
	entries, used, err := b.unpivotEntries(t, in, all)
	if err != nil {
		return nil, err
	}
	sel := &Select{From: src}
	for i, it := range all {
		if !used[i] {
			sel.Items = append(sel.Items, it)
		}
	}
	if err := b.unpivotNames(t, sel.Items); err != nil {
		return nil, err
	}
	rest := len(sel.Items)
	names := make([]expr.Expr, len(entries))
	for i, e := range entries {
		names[i] = expr.Text(e.name)
	}
	if err := b.unnested(sel, t.Name.Text, names, t.Pos); err != nil {
		return nil, err
	}
	for k, v := range t.Values {
		values := make([]expr.Expr, len(entries))
		for i, e := range entries {
			values[i] = e.values[k]
		}
		if err := b.oneType(values, entries); err != nil {
			return nil, err
		}
		if err := b.unnested(sel, v.Text, values, t.Pos); err != nil {
			return nil, err
		}
	}
	q := &Query{Body: sel, Cols: b.outputCols(sel, in)}
	if !t.Nulls {
		if q, err = b.withoutNulls(q, rest+1, t.Pos); err != nil {
			return nil, err
		}
	}
	rel, err := b.derivedRel(q, t.Alias, t.Columns, t.Pos)
	if err != nil {
		return nil, err
	}
	return &Derived{Rel: rel.id, Alias: rel.qual[0], Query: q}, b.addRel(s, rel)
}

// unnested adds a column that is a row for each of the values.
func (b *binder) unnested(sel *Select, name string, values []expr.Expr, pos int) error {
	list, err := b.typed(&expr.Call{Name: "list_value", Args: values}, pos)
	if err != nil {
		return err
	}
	sel.Items = append(sel.Items, Item{Name: name, Expr: &expr.Call{Name: "unnest", Args: []expr.Expr{list}, Typ: expr.Elem(list.Type())}})
	return nil
}

// unpivotEntries gives the entries, with their stars expanded, and the columns of all that they use.
func (b *binder) unpivotEntries(t *sqltext.Unpivot, in *scope, all []Item) ([]unpivotEntry, map[int]bool, error) {
	ec := &exprCtx{s: in, what: "UNPIVOT"}
	used := map[int]bool{}
	var out []unpivotEntry
	for _, e := range t.Entries {
		if len(e.Exprs) == 1 && len(t.Values) == 1 {
			items, err := b.item(sqltext.SelectItem{Expr: e.Exprs[0], Pos: e.Pos}, ec)
			if err != nil {
				return nil, nil, err
			}
			for _, it := range items {
				entry := unpivotEntry{pos: e.Pos}
				if err := b.addUnpivoted(&entry, it.Expr, all, used, e.Pos); err != nil {
					return nil, nil, err
				}
				out = append(out, withAlias(entry, e.Alias))
			}
			continue
		}
		if len(e.Exprs) != len(t.Values) {
			return nil, nil, b.errorf(e.Pos, "UNPIVOT gives %d values, but %d columns stand here", len(t.Values), len(e.Exprs))
		}
		entry := unpivotEntry{pos: e.Pos}
		for _, x := range e.Exprs {
			bound, err := b.expr(x, ec)
			if err != nil {
				return nil, nil, err
			}
			if err := b.addUnpivoted(&entry, bound, all, used, x.ExprPos()); err != nil {
				return nil, nil, err
			}
		}
		out = append(out, withAlias(entry, e.Alias))
	}
	return out, used, nil
}

func withAlias(e unpivotEntry, alias *sqltext.Ident) unpivotEntry {
	if alias != nil {
		e.name = alias.Text
	}
	return e
}

// addUnpivoted adds a value, which reads one column of the source; the entry's name is made of the columns' names.
func (b *binder) addUnpivoted(entry *unpivotEntry, x expr.Expr, all []Item, used map[int]bool, pos int) error {
	found := -1
	for i, it := range all {
		if readsSome(x, it.Expr) {
			if found >= 0 {
				return b.errorf(pos, "what UNPIVOT takes reads one column, not several")
			}
			found = i
		}
	}
	if found < 0 {
		return b.fault(errs.ErrInvalidInput, pos, "", "UNPIVOT takes columns")
	}
	if slices.ContainsFunc(expr.Columns(x), func(c expr.Column) bool { return len(c.Path) > 1 }) {
		return b.errorf(pos, "UNPIVOT takes whole columns, no fields of them")
	}
	if entry.values != nil {
		entry.name += "_"
	}
	entry.name += all[found].Name
	entry.values = append(entry.values, x)
	used[found] = true
	return nil
}

// readsSome tells whether two expressions have a column in common.
func readsSome(x, y expr.Expr) bool {
	cols := expr.Columns(y)
	return slices.ContainsFunc(expr.Columns(x), func(c expr.Column) bool {
		return slices.ContainsFunc(cols, func(d expr.Column) bool { return c.Rel == d.Rel && c.Path[0] == d.Path[0] })
	})
}

// unpivotNames refuses names of values that DuckDB would mistake for other columns when it leaves nulls out.
func (b *binder) unpivotNames(t *sqltext.Unpivot, rest []Item) error {
	if len(t.Columns) > 0 {
		return b.errorf(t.Pos, "names of columns behind the alias of UNPIVOT are not supported: name them within")
	}
	taken := map[string]bool{strings.ToLower(t.Name.Text): true}
	for _, it := range rest {
		taken[strings.ToLower(it.Name)] = true
	}
	for _, v := range t.Values {
		low := strings.ToLower(v.Text)
		if taken[low] {
			return b.errorf(t.Pos, "UNPIVOT: there is another column %s: give the values another name", v.Text)
		}
		taken[low] = true
	}
	return nil
}

// oneType refuses values that DuckDB would unpivot only with a cast.
func (b *binder) oneType(values []expr.Expr, entries []unpivotEntry) error {
	first := values[0].Type()
	for i, v := range values {
		t := v.Type()
		if first == nil || t == nil || arrow.TypeEqual(first, t) {
			continue
		}
		isText := expr.KindOf(first) == expr.KindText
		if other := expr.KindOf(t) == expr.KindText; isText != other || commonType(first, t) == nil {
			return b.errorf(entries[i].pos, "UNPIVOT takes columns of one type: cast %s or %s", expr.SQLType(first), expr.SQLType(t))
		}
	}
	return nil
}

// withoutNulls gives a query without the rows in which a column from the i-th on is null.
func (b *binder) withoutNulls(q *Query, i, pos int) (*Query, error) {
	rel, err := b.derivedRel(q, nil, nil, pos)
	if err != nil {
		return nil, err
	}
	b.relations[rel.id] = rel
	sel := &Select{From: &Derived{Rel: rel.id, Alias: rel.qual[0], Query: q}}
	out := &Query{Body: sel}
	var conds []expr.Expr
	for at, c := range rel.cols {
		x := &expr.Column{Rel: rel.id, Path: expr.FieldPath{c.Key}, Typ: c.Type}
		sel.Items = append(sel.Items, Item{Name: c.Name, Expr: x})
		out.Cols = append(out.Cols, Col{Name: c.Name, Key: OutputKey(at), Type: c.Type, Field: c.Field, Var: renamed(c.Var, OutputKey(at))})
		if at >= i {
			conds = append(conds, &expr.Not{X: &expr.IsNull{X: x}})
		}
	}
	sel.Where = expr.AllOf(conds...)
	return out, nil
}

func itemsOf(cols []starItem) []Item {
	out := make([]Item, len(cols))
	for i, c := range cols {
		out[i] = c.Item
	}
	return out
}
