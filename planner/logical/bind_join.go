package logical

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) join(t *sqltext.Join, s *scope) (From, error) {
	start := len(s.rels)
	l, err := b.tableExpr(t.L, s)
	if err != nil {
		return nil, err
	}
	mid := len(s.rels)
	r, err := b.tableExpr(t.R, s)
	if err != nil {
		return nil, err
	}
	j := &Join{Kind: t.Kind, Lateral: t.Lateral || isLateral(r), L: l, R: r}
	left, right := s.rels[start:mid], s.rels[mid:]
	names := t.Using
	if t.Natural {
		if names = commonNames(s, left, right); len(names) == 0 {
			return nil, b.errorf(t.Pos, "the two sides of NATURAL JOIN have no column name in common")
		}
	}
	seen := map[string]bool{}
	for _, n := range t.Using {
		if seen[n.Text] {
			return nil, b.errorf(t.Pos, "USING names the column %s twice", n.Text)
		}
		seen[n.Text] = true
	}
	if len(names) > 0 {
		j.On, err = b.using(names, t, s, left, right)
		return j, err
	}
	if t.On == nil {
		return j, nil
	}
	// ON sees the two sides only, not what stands before them in FROM.
	on := &scope{parent: s.parent, rels: s.rels[start:], merged: s.merged, ctes: s.ctes}
	ec := &exprCtx{s: on, what: "ON", values: t.Kind == "INNER" || t.Kind == "CROSS"}
	j.On, err = b.predicate(t.On, ec)
	return j, err
}

// commonNames are the columns that both sides of a NATURAL JOIN have, in the left side's order.
func commonNames(s *scope, left, right []*relation) []sqltext.Ident {
	var out []sqltext.Ident
	for _, l := range left {
		for _, c := range l.cols {
			if c.Hidden || isMergedAway(s, l.id, c.Key) {
				continue
			}
			for _, r := range right {
				for _, d := range r.cols {
					if !d.Hidden && strings.EqualFold(c.Name, d.Name) {
						out = append(out, sqltext.Ident{Text: c.Name, Quoted: true})
					}
				}
			}
		}
	}
	return out
}

// using makes the condition of USING and the merged columns, which stand for both sides from here on.
func (b *binder) using(names []sqltext.Ident, t *sqltext.Join, s *scope, left, right []*relation) (expr.Expr, error) {
	var conds []expr.Expr
	for _, n := range names {
		l, err := b.usingSide(n.Text, t.Pos, &scope{rels: left, merged: mergedOf(s, left)}, "left")
		if err != nil {
			return nil, err
		}
		r, err := b.usingSide(n.Text, t.Pos, &scope{rels: right, merged: mergedOf(s, right)}, "right")
		if err != nil {
			return nil, err
		}
		cond, err := b.typed(&expr.Compare{Op: expr.Eq, L: l, R: r}, t.Pos)
		if err != nil {
			return nil, err
		}
		conds = append(conds, cond)
		m := merged{name: n.Text, expr: l}
		switch t.Kind {
		case "RIGHT":
			m.expr = r
		case "FULL":
			if m.expr, err = b.typed(&expr.Call{Name: "coalesce", Args: []expr.Expr{l, r}}, t.Pos); err != nil {
				return nil, err
			}
		}
		m.hide = distinctColumns(append(hiddenBy(s, expr.Columns(l)), hiddenBy(s, expr.Columns(r))...))
		s.merged = append(dropMerged(s.merged, m.hide), m)
	}
	return expr.AllOf(conds...), nil
}

// distinctColumns drops columns that stand there before: a chain of joins merges the same ones again and again.
func distinctColumns(cols []expr.Column) []expr.Column {
	type key struct {
		rel  int
		path string
	}
	seen := make(map[key]bool, len(cols))
	return slices.DeleteFunc(cols, func(c expr.Column) bool {
		k := key{c.Rel, c.Path.Key()}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// hiddenBy are the columns that stand behind cols: those that an earlier USING merged into them too.
func hiddenBy(s *scope, cols []expr.Column) []expr.Column {
	var out []expr.Column
	for _, c := range cols {
		if m, _, ok := mergedFor(s, c.Rel, c.Path[0]); ok {
			out = append(out, m.hide...)
		} else {
			out = append(out, c)
		}
	}
	return out
}

func (b *binder) usingSide(name string, pos int, s *scope, side string) (expr.Expr, error) {
	x, err := b.resolveIn(s, []string{name}, pos)
	if err == nil && x == nil {
		err = b.fault(errs.ErrNotFound, pos, "", "USING (%s): the %s side of the join has no such column", name, side)
	}
	return x, err
}

// mergedOf are the merged columns that stand for columns of rels.
func mergedOf(s *scope, rels []*relation) []merged {
	var out []merged
	for _, m := range s.merged {
		for _, r := range rels {
			if len(m.hide) > 0 && m.hide[0].Rel == r.id {
				out = append(out, m)
				break
			}
		}
	}
	return out
}

func dropMerged(all []merged, hide []expr.Column) []merged {
	var out []merged
	for _, m := range all {
		gone := false
		for _, h := range hide {
			for _, c := range m.hide {
				gone = gone || c.Rel == h.Rel && c.Path.Equal(h.Path)
			}
		}
		if !gone {
			out = append(out, m)
		}
	}
	return out
}

func isMergedAway(s *scope, rel int, key string) bool {
	for _, m := range s.merged {
		for _, c := range m.hide[min(1, len(m.hide)):] {
			if c.Rel == rel && c.Path[0] == key {
				return true
			}
		}
	}
	return false
}
