package logical

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// selectBlock binds SELECT ... and the ORDER BY that stands behind it, which sees its relations and its aliases.
func (b *binder) selectBlock(t *sqltext.Select, order []sqltext.OrderItem, in *scope, out *Query) error {
	s := in.child()
	s.parent = in
	sel := &Select{Distinct: t.Distinct, GroupAll: t.GroupAll}
	out.Body = sel
	var err error
	before := b.rels
	if sel.From, err = b.from(t.From, s); err != nil {
		return err
	}
	if t.Sample != nil {
		if sel.From, err = b.sampled(sel.From, t.Sample, s.rels, before); err != nil {
			return err
		}
	}
	w, err := b.windowsOf(t)
	if err != nil {
		return err
	}
	if err := b.items(t, sel, s, w); err != nil {
		return err
	}
	s.aliases = sel.Items
	if sel.Where, err = b.where(t.Where, s); err != nil {
		return err
	}
	if err := b.groupBy(t, sel, s); err != nil {
		return err
	}
	if sel.Having, err = b.clause(t.Having, sel, s, &exprCtx{s: s, what: "HAVING", aggs: true, groupFirst: sel}); err != nil {
		return err
	}
	if sel.Qualify, err = b.clause(t.Qualify, sel, s, &exprCtx{s: s, what: "QUALIFY", aggs: true, windows: w}); err != nil {
		return err
	}
	if err := b.checkQualify(t, sel); err != nil {
		return err
	}
	ec := &exprCtx{s: s, what: "ORDER BY", aggs: true, windows: w}
	for _, x := range t.DistinctOn {
		err := b.eachColumn(ec, func(c *exprCtx) error {
			e, err := b.orderExpr(x, sel, c)
			sel.DistinctOn = append(sel.DistinctOn, e)
			return err
		})
		if err != nil {
			return err
		}
	}
	order, err = b.orderAll(order, len(sel.Items))
	if err != nil {
		return err
	}
	var keys []sqltext.Expr
	for _, o := range order {
		err := b.eachColumn(ec, func(c *exprCtx) error {
			e, err := b.orderExpr(o.Expr, sel, c)
			out.OrderBy, keys = append(out.OrderBy, sortKey(o, e)), append(keys, o.Expr)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := b.checkGrouping(t, sel, out, keys); err != nil {
		return err
	}
	out.Cols = b.outputCols(sel, s)
	return nil
}

// checkQualify refuses QUALIFY in a block without window functions.
func (b *binder) checkQualify(t *sqltext.Select, sel *Select) error {
	if t.Qualify == nil || hasWindow(sel.Qualify) || slices.ContainsFunc(sel.Items, func(it Item) bool { return hasWindow(it.Expr) }) {
		return nil
	}
	return b.errorf(t.Qualify.ExprPos(), "QUALIFY needs a window function, in it or in SELECT: WHERE and HAVING test without one")
}

func (b *binder) clause(x sqltext.Expr, sel *Select, s *scope, ec *exprCtx) (expr.Expr, error) {
	if x == nil {
		return nil, nil
	}
	return b.predicate(x, ec)
}

// items binds the SELECT list; a name that is no column may be the alias of an item to its left.
func (b *binder) items(t *sqltext.Select, sel *Select, s *scope, w *windows) error {
	ec := &exprCtx{s: s, what: "SELECT", aggs: true, windows: w}
	for _, it := range t.Items {
		items, err := b.item(it, ec)
		if err != nil {
			return err
		}
		sel.Items = append(sel.Items, items...)
		if len(sel.Items) > maxItems {
			return b.errorf(it.Pos, "the query gives more than %d columns", maxItems)
		}
		if it.Alias != nil {
			s.aliases = append(s.aliases, items...)
		}
	}
	return nil
}

// item binds one element of the SELECT list: the columns of a star, or an expression, once for each column that COLUMNS
// stands for in it.
func (b *binder) item(it sqltext.SelectItem, ec *exprCtx) ([]Item, error) {
	if star, ok := it.Expr.(*sqltext.Star); ok {
		return b.starItem(star, it, ec)
	}
	var out []Item
	err := b.eachColumn(ec, func(c *exprCtx) error {
		if call, ok := isUnnest(it.Expr); ok {
			items, err := b.unnestItem(call, it, c)
			out = append(out, items...)
			return err
		}
		e, err := b.expr(it.Expr, c)
		if err != nil {
			return err
		}
		name, err := c.columns.name(it)
		if err != nil {
			return b.at(it.Pos, err)
		}
		out = append(out, Item{Name: name, Expr: e, from: it.Expr})
		return nil
	})
	return out, err
}

// starItem binds a star, whose alias names each of its columns.
func (b *binder) starItem(star *sqltext.Star, it sqltext.SelectItem, ec *exprCtx) ([]Item, error) {
	items, err := b.star(star, ec.s, ec)
	if err != nil || it.Alias == nil {
		return items, err
	}
	for i := range items {
		name := it.Alias.Text
		if star.Filter != nil {
			if name, err = columnAlias(name, items[i].Name, nil); err != nil {
				return nil, b.at(it.Pos, err)
			}
		}
		items[i].Name = name
	}
	return items, nil
}

// itemName is the alias, the last part of a path, or else the text as written.
func itemName(it sqltext.SelectItem) string {
	if it.Alias != nil {
		return it.Alias.Text
	}
	switch x := it.Expr.(type) {
	case *sqltext.Name:
		return x.Parts[len(x.Parts)-1].Text
	case *sqltext.FieldAccess:
		return x.Name.Text
	}
	return strings.TrimSpace(it.Text)
}

// groupBy binds GROUP BY: ordinals, then columns, then aliases.
func (b *binder) groupBy(t *sqltext.Select, sel *Select, s *scope) error {
	ec := &exprCtx{s: s, what: "GROUP BY"}
	for _, g := range t.GroupBy {
		group := Group{Kind: g.Kind}
		for _, set := range g.Sets {
			es := make([]expr.Expr, 0, len(set))
			for _, x := range set {
				i, ok, err := b.ordinal(x, len(sel.Items), "GROUP BY")
				if err != nil {
					return err
				}
				e := expr.Expr(nil)
				if ok {
					e = sel.Items[i].Expr
				} else if e, err = b.expr(x, ec); err != nil {
					return err
				}
				e = selected(e, x, sel.Items)
				if hasAggregate(e) || hasWindow(e) {
					return b.errorf(x.ExprPos(), "GROUP BY can't hold aggregates or window functions")
				}
				if _, constant := e.(*expr.Literal); constant && g.Kind != "" {
					return b.fault(errs.ErrUnsupported, x.ExprPos(), "make it a column of a subquery in FROM", "%s takes no constants", g.Kind)
				}
				es = append(es, e)
			}
			group.Sets = append(group.Sets, es)
		}
		sel.GroupBy = append(sel.GroupBy, group)
	}
	return nil
}

// selected gives what is selected in place of a key of GROUP BY that is written alike and holds a subquery: two of these are
// never equal.
func selected(e expr.Expr, x sqltext.Expr, items []Item) expr.Expr {
	if !hasSubquery(e) {
		return e
	}
	text := sqltext.FormatExpr(x)
	for _, it := range items {
		if it.from != nil && sqltext.FormatExpr(it.from) == text {
			return it.Expr
		}
	}
	return e
}

// orderAll puts the ordinals of all output columns in place of ORDER BY ALL.
func (b *binder) orderAll(order []sqltext.OrderItem, columns int) ([]sqltext.OrderItem, error) {
	for _, o := range order {
		all, ok := o.Expr.(*sqltext.AllColumns)
		if !ok {
			continue
		}
		if len(order) > 1 {
			return nil, b.errorf(all.Pos, "ORDER BY ALL stands alone")
		}
		out := make([]sqltext.OrderItem, columns)
		for i := range out {
			out[i] = o
			out[i].Expr = &sqltext.NumberLit{At: all.At, Text: formatInt(int64(i + 1))}
		}
		return out, nil
	}
	return order, nil
}

// orderExpr binds a key of ORDER BY: a bare name is an alias before it is a column, a bare number an ordinal.
func (b *binder) orderExpr(x sqltext.Expr, sel *Select, ec *exprCtx) (expr.Expr, error) {
	i, ok, err := b.ordinal(x, len(sel.Items), "ORDER BY")
	if err != nil {
		return nil, err
	}
	if ok {
		return sel.Items[i].Expr, nil
	}
	if n, isName := x.(*sqltext.Name); isName && len(n.Parts) == 1 {
		found := match(n.Parts[0].Text, sel.Items, func(it Item) string { return it.Name })
		if len(found) > 0 {
			return b.aliased(found[0].Expr, n.Pos)
		}
	}
	return b.expr(collated(x)[0], ec)
}

// outputCols describes the output of a block.
func (b *binder) outputCols(sel *Select, s *scope) []Col {
	cols := make([]Col, len(sel.Items))
	aggregated := len(sel.GroupBy) > 0 || sel.GroupAll || sel.Distinct || len(sel.DistinctOn) > 0
	for i, it := range sel.Items {
		cols[i] = Col{Name: it.Name, Key: OutputKey(i), Type: it.Expr.Type()}
		c, ok := it.Expr.(*expr.Column)
		if !ok {
			continue
		}
		src, found := findCol(s, c)
		if !found {
			continue
		}
		cols[i].Field = fieldAt(src, c.Path)
		if len(c.Path) == 1 && !aggregated {
			cols[i].Var = renamed(src.Var, OutputKey(i))
		}
	}
	return cols
}

// findCol looks a column's relation up, in this scope or the ones around it.
func findCol(s *scope, c *expr.Column) (Col, bool) {
	for ; s != nil; s = s.parent {
		for _, r := range s.rels {
			if r.id != c.Rel {
				continue
			}
			if col, ok := r.keyed(c.Path[0]); ok {
				return col, true
			}
			if r.scan && isSpecial(c.Path[0]) {
				f := arrow.Field{Name: c.Path[0], Type: arrow.PrimitiveTypes.Uint64, Nullable: true}
				return Col{Name: f.Name, Key: f.Name, Type: f.Type, Field: &f}, true
			}
		}
	}
	return Col{}, false
}

// fieldAt gives the table's own field at a path; it is nullable where any parent is.
func fieldAt(c Col, path expr.FieldPath) *arrow.Field {
	if c.Field == nil {
		return nil
	}
	f := *c.Field
	for _, name := range path[1:] {
		st, ok := structOf(f.Type)
		if !ok {
			return nil
		}
		i, ok := st.FieldIdx(name)
		if !ok {
			return nil
		}
		nullable := f.Nullable
		f = st.Field(i)
		f.Nullable = f.Nullable || nullable
	}
	return &f
}
