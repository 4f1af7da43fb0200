package logical

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func hasAggregate(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Aggregate:
			found = true
		case *expr.Window: // its own function is no aggregate of the block, its operands may hold some
			for _, c := range windowOperands(e) {
				found = found || hasAggregate(c)
			}
			return false
		}
		return !found
	})
	return found
}

func windowOperands(w *expr.Window) []expr.Expr {
	out := expr.Children(w)
	if len(out) > 0 {
		out = append(expr.Children(w.Func), out[1:]...)
	}
	return out
}

func hasWindow(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool { _, ok := e.(*expr.Window); return ok })
}

// Aggregated tells whether a block groups its rows.
func (s *Select) Aggregated() bool {
	if len(s.GroupBy) > 0 || s.GroupAll || s.Having != nil {
		return true
	}
	for _, it := range s.Items {
		if hasAggregate(it.Expr) {
			return true
		}
	}
	return false
}

// checkGrouping refuses columns that are neither grouped nor inside an aggregate, and rewrites `s.a` to the field a of
// the grouped s where a struct is grouped. keys are the keys of ORDER BY as the statement has them.
func (b *binder) checkGrouping(t *sqltext.Select, sel *Select, out *Query, keys []sqltext.Expr) error {
	grouped := sel.Aggregated()
	for _, k := range out.OrderBy {
		grouped = grouped || hasAggregate(k.X)
	}
	if !grouped {
		return nil
	}
	g := newGrouper(b, sel)
	for i, it := range sel.Items {
		e, err := g.check(it.Expr, it.from)
		if err != nil {
			return err
		}
		sel.Items[i].Expr = e
	}
	for _, c := range []struct {
		x   sqltext.Expr
		dst *expr.Expr
	}{{t.Having, &sel.Having}, {t.Qualify, &sel.Qualify}} {
		if c.x == nil {
			continue
		}
		e, err := g.check(*c.dst, c.x)
		if err != nil {
			return err
		}
		*c.dst = e
	}
	for i, k := range out.OrderBy {
		e, err := g.check(k.X, keys[i])
		if err != nil {
			return err
		}
		out.OrderBy[i].X = e
	}
	return nil
}

// grouper knows what a block is grouped by. There may be thousands of keys, and as many items.
type grouper struct {
	b       *binder
	rels    map[int]bool
	marks   expr.Fingerprints
	keys    map[uint64][]expr.Expr // by fingerprint
	columns []*expr.Column         // those of the keys that are columns
}

func newGrouper(b *binder, sel *Select) *grouper {
	g := &grouper{b: b, rels: relIDs(sel.From), marks: expr.NewFingerprints(), keys: map[uint64][]expr.Expr{}}
	for _, gr := range sel.GroupBy {
		for _, set := range gr.Sets {
			g.add(set...)
		}
	}
	if sel.GroupAll {
		for _, it := range sel.Items {
			if !hasAggregate(it.Expr) {
				g.add(it.Expr)
			}
		}
	}
	return g
}

// has tells whether the rows are grouped by e.
func (g *grouper) has(e expr.Expr) bool {
	return slices.ContainsFunc(g.keys[g.marks.Of(e)], func(k expr.Expr) bool { return expr.Equal(e, k) })
}

func (g *grouper) add(keys ...expr.Expr) {
	for _, k := range keys {
		mark := g.marks.Of(k)
		g.keys[mark] = append(g.keys[mark], k)
		if c, ok := k.(*expr.Column); ok {
			g.columns = append(g.columns, c)
		}
	}
}

// check gives e with fields of grouped structs taken from the grouped struct; from is what it was bound from.
func (g *grouper) check(e expr.Expr, from sqltext.Expr) (expr.Expr, error) {
	if err := g.b.ctx.Err(); err != nil {
		return nil, err
	}
	if g.has(e) {
		return e, nil
	}
	switch x := e.(type) {
	case *expr.Aggregate:
		return e, g.grouping(x, from)
	case *expr.Window:
		return e, g.checkAll(windowOperands(x), from)
	case *expr.Column:
		return g.column(x, from)
	}
	children := expr.Children(e)
	fresh := make([]expr.Expr, len(children))
	changed := false
	for i, c := range children {
		n, err := g.check(c, from)
		if err != nil {
			return nil, err
		}
		fresh[i], changed = n, changed || n != c
	}
	if !changed {
		return e, nil
	}
	return expr.WithChildren(e, fresh), nil
}

func (g *grouper) checkAll(es []expr.Expr, from sqltext.Expr) error {
	for _, e := range es {
		if a, ok := e.(*expr.Aggregate); ok && a != nil {
			continue
		}
		if _, err := g.check(e, from); err != nil {
			return err
		}
	}
	return nil
}

// grouping refuses grouping(x) of what the rows are not grouped by.
func (g *grouper) grouping(a *expr.Aggregate, from sqltext.Expr) error {
	if a.Name != "grouping" {
		return nil
	}
	for _, x := range a.Args {
		if g.has(x) {
			continue
		}
		at := expr.FieldPath{a.Name}
		if c, ok := x.(*expr.Column); ok {
			at = g.b.shownPath(c)
		}
		return g.b.errorf(placeOf(from, at), "grouping takes what the rows are grouped by, not %s", g.b.shown(x))
	}
	return nil
}

func (g *grouper) column(c *expr.Column, from sqltext.Expr) (expr.Expr, error) {
	if !g.rels[c.Rel] {
		return c, nil // of a query around this one
	}
	for _, kc := range g.columns {
		if kc.Rel != c.Rel || !c.Path.HasPrefix(kc.Path) {
			continue
		}
		var x expr.Expr = kc
		for _, name := range c.Path[len(kc.Path):] {
			st, ok := structOf(x.Type())
			if !ok {
				break
			}
			i, _ := st.FieldIdx(name)
			x = &expr.Extract{X: x, Name: name, Typ: st.Field(i).Type}
		}
		return x, nil
	}
	path := g.b.shownPath(c)
	return nil, g.b.errorf(placeOf(from, path), "column %s must stand in GROUP BY or inside an aggregate function", path)
}

// placeOf is where an expression names a column, or else where it begins.
func placeOf(x sqltext.Expr, column expr.FieldPath) int {
	if x == nil {
		return 0
	}
	pos := -1
	walkExpr(x, func(x sqltext.Expr) {
		n, ok := x.(*sqltext.Name)
		if ok && pos < 0 && strings.EqualFold(n.Parts[len(n.Parts)-1].Text, column[len(column)-1]) {
			pos = n.Pos
		}
	})
	if pos < 0 {
		pos = x.ExprPos()
	}
	return pos
}
