package logical

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func (b *binder) join(t *sqltext.Join, s *scope) (From, error) {
	start, before := len(s.rels), b.rels
	l, err := b.tableExpr(t.L, s)
	if err != nil {
		return nil, err
	}
	mid := len(s.rels)
	r, err := b.tableExpr(t.R, s)
	if err != nil {
		return nil, err
	}
	if t.Asof && (t.Kind == "RIGHT" || t.Kind == "FULL") { // on one thread DuckDB never ends them where the left side is empty
		return nil, b.errorf(t.Pos, "ASOF %s JOIN is not supported: ASOF JOIN and ASOF LEFT JOIN are", t.Kind)
	}
	j := &Join{Kind: t.Kind, Asof: t.Asof, Lateral: t.Lateral || isLateral(r), L: l, R: r}
	if err := b.notLateral(j, t.Pos); err != nil {
		return nil, err
	}
	if err := b.joinCondition(j, t, s, start, mid); err != nil {
		return nil, err
	}
	if !j.plain() && b.readsAround(j, before) {
		return nil, b.errorf(t.Pos, "%s JOIN can't read columns of the query around it", j.Name())
	}
	if j.LeftOnly() {
		s.forget(mid)
	}
	return j, nil
}

// notLateral refuses a right side that reads the left one where DuckDB can't join so.
func (b *binder) notLateral(j *Join, pos int) error {
	if j.plain() && j.Kind != "RIGHT" && j.Kind != "FULL" {
		return nil
	}
	left, reads := RelIDs(j.L), false
	right := j.R
	if s, ok := right.(*Sampled); ok {
		right = s.From
	}
	switch r := right.(type) {
	case *Derived:
		reads = r.Lateral && readsAny(r.Query, left)
	case *TableFunc:
		reads = slices.ContainsFunc(r.Args, func(e expr.Expr) bool {
			return slices.ContainsFunc(expr.Columns(e), func(c expr.Column) bool { return left[c.Rel] })
		})
	}
	if reads {
		return b.errorf(pos, "the right side of %s JOIN can't read the left one", j.Name())
	}
	return nil
}

// plain tells of a join that it is one of the standard's.
func (j *Join) plain() bool { return !j.Asof && !j.LeftOnly() && j.Kind != "POSITIONAL" }

// readsAround tells whether an element of FROM reads relations that were there before it: DuckDB gives wrong rows for
// correlated ASOF joins, and refuses the other kinds and samples.
func (b *binder) readsAround(f From, before int) bool {
	var early []int
	c := readingCloner(func(rel int) {
		if rel > 0 && rel <= before {
			early = append(early, rel)
		}
	})
	c.from(f)
	// A CTE was bound where it was defined, and its relations may be read in it.
	return slices.ContainsFunc(early, func(rel int) bool { return !c.seen[rel] })
}

// readsAny tells whether a query reads one of these relations.
func readsAny(q *Query, rels map[int]bool) bool {
	found := false
	readingCloner(func(rel int) { found = found || rels[rel] }).query(q)
	return found
}

// readingCloner tells of each relation that what it clones reads.
func readingCloner(reads func(rel int)) *cloner {
	c := &cloner{ctes: map[*CTE]*CTE{}, subs: map[*Query]*Query{}, seen: map[int]bool{}}
	c.f = func(e expr.Expr) expr.Expr {
		for _, col := range expr.Columns(e) {
			reads(col.Rel)
		}
		return e
	}
	return c
}

// joinCondition binds ON, USING or NATURAL. The left side's relations start at start, the right side's at mid.
func (b *binder) joinCondition(j *Join, t *sqltext.Join, s *scope, start, mid int) error {
	left, right := s.rels[start:mid], s.rels[mid:]
	names, at := t.Using, t.UsingAt
	if t.Natural {
		if names = commonNames(s, left, right); len(names) == 0 {
			return b.errorf(t.Pos, "the two sides of NATURAL JOIN have no column name in common")
		}
		at = slices.Repeat([]int{t.Pos}, len(names))
	}
	seen := map[string]bool{}
	for i, n := range t.Using {
		if seen[n.Text] {
			return b.errorf(at[i], "USING names the column %s twice", n.Text)
		}
		seen[n.Text] = true
	}
	var err error
	if len(names) > 0 {
		j.On, err = b.using(names, at, t, s, left, right)
		return err
	}
	if t.On == nil {
		return nil
	}
	// ON sees the two sides only, not what stands before them in FROM.
	on := &scope{parent: s.parent, rels: s.rels[start:], merged: s.merged, ctes: s.ctes}
	ec := &exprCtx{s: on, what: "ON", values: !t.Asof && (t.Kind == "INNER" || t.Kind == "CROSS" || t.Kind == "SEMI")}
	if t.Kind == "SEMI" {
		ec.valuesOf = relSet(left)
	}
	if j.On, err = b.predicate(t.On, ec); err != nil || !t.Asof {
		return err
	}
	return b.oneInequality(j.On, relSet(left), relSet(right), t.Pos)
}

func relSet(rels []*relation) map[int]bool {
	out := make(map[int]bool, len(rels))
	for _, r := range rels {
		out[r.id] = true
	}
	return out
}

// oneInequality holds that an ASOF join says by which one inequality a row is the nearest.
func (b *binder) oneInequality(on expr.Expr, left, right map[int]bool, pos int) error {
	n := 0
	count := func(x, y expr.Expr) {
		if reads(x, left) && reads(y, right) || reads(x, right) && reads(y, left) {
			n++
		}
	}
	for _, c := range expr.Conjuncts(on) {
		if not, ok := c.(*expr.Not); ok {
			c = not.X
		}
		switch c := c.(type) {
		case *expr.Compare:
			if c.Op == expr.Lt || c.Op == expr.Le || c.Op == expr.Gt || c.Op == expr.Ge {
				count(c.L, c.R)
			}
		case *expr.Between:
			count(c.X, c.Lo)
			count(c.X, c.Hi)
		}
	}
	switch n {
	case 0:
		return b.errorf(pos, "ASOF JOIN needs an inequality between a column of the left side and one of the right side")
	case 1:
		return nil
	}
	return b.errorf(pos, "ASOF JOIN takes one inequality between its two sides, not %d", n)
}

// reads tells whether an expression reads some of the relations, and none beside.
func reads(e expr.Expr, rels map[int]bool) bool {
	cols := expr.Columns(e)
	return len(cols) > 0 && !slices.ContainsFunc(cols, func(c expr.Column) bool { return !rels[c.Rel] })
}

// forget takes the relations from mid on out of the scope, with what USING merged of them: nothing outside the join sees
// them.
func (s *scope) forget(mid int) {
	gone := relSet(s.rels[mid:])
	s.rels = s.rels[:mid:mid]
	s.merged = slices.DeleteFunc(slices.Clone(s.merged), func(m merged) bool { return len(m.hide) > 0 && gone[m.hide[0].Rel] })
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
func (b *binder) using(names []sqltext.Ident, at []int, t *sqltext.Join, s *scope, left, right []*relation) (expr.Expr, error) {
	var conds []expr.Expr
	for i, n := range names {
		l, err := b.usingSide(n.Text, at[i], &scope{rels: left, merged: mergedOf(s, left)}, "left")
		if err != nil {
			return nil, err
		}
		r, err := b.usingSide(n.Text, at[i], &scope{rels: right, merged: mergedOf(s, right)}, "right")
		if err != nil {
			return nil, err
		}
		op := expr.Eq
		if t.Asof && i == len(names)-1 {
			op = expr.Ge
		}
		cond, err := b.typed(&expr.Compare{Op: op, L: l, R: r}, at[i])
		if err != nil {
			return nil, err
		}
		conds = append(conds, cond)
		if t.Kind == "SEMI" || t.Kind == "ANTI" {
			continue
		}
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
