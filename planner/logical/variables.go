package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// TableCols describes a table's columns: stats columns are there by name only, and so is what the table itself hides.
func TableCols(s *arrow.Schema) []Col {
	cols := make([]Col, s.NumFields())
	for i, f := range s.Fields() {
		f, hidden := scan.Hidden(f)
		c := Col{Name: f.Name, Key: f.Name, Type: f.Type, Field: &f, Hidden: hidden, Named: hidden}
		if _, stats := ndarray.StatsOf(f.Name); stats {
			c.Hidden, c.Named = true, true
		} else if v, ok := ndarray.Lookup(s, f.Name); ok {
			c.Var = &v
		}
		cols[i] = c
	}
	return cols
}

// renamed is a variable as a column of another relation, where its stats are reached under the column's own name.
func renamed(v *ndarray.Variable, key string) *ndarray.Variable {
	if v == nil {
		return nil
	}
	out := *v
	out.Name = key
	if out.Stats != "" {
		out.Stats = ndarray.StatsColumn(key)
	}
	return &out
}

// mergeVars is a column of UNION ALL that is a variable on one side at least; a side without stats keeps its rows.
func mergeVars(l, r *ndarray.Variable, key string) *ndarray.Variable {
	switch {
	case l == nil:
		return renamed(r, key)
	case r == nil || r.StatsElem == nil:
		return renamed(l, key)
	case l.StatsElem == nil:
		return renamed(r, key)
	}
	out := renamed(l, key)
	if !arrow.TypeEqual(l.StatsElem, r.StatsElem) {
		out.Stats, out.StatsElem = "", nil
	}
	return out
}

// vars finds variables for the stats rewrite.
func (b *binder) vars(rel int, column string) (ndarray.Variable, bool) {
	r := b.relations[rel]
	if r == nil {
		return ndarray.Variable{}, false
	}
	if c, ok := r.keyed(column); ok && c.Var != nil {
		return *c.Var, true
	}
	return ndarray.Variable{}, false
}

func (b *binder) isValues(c *expr.Column) bool {
	if len(c.Path) != 2 || c.Path[1] != ndarray.ValuesField {
		return false
	}
	_, ok := b.vars(c.Rel, c.Path[0])
	return ok
}

// rewriteValues gives a conjunct its meaning in WHERE; nil where it keeps all rows. A match stays, with a stats test
// beside it that skips rows it can't be true for.
func (b *binder) rewriteValues(e expr.Expr) expr.Expr {
	if m, ok := e.(*expr.Match); ok {
		return expr.AllOf(statsrewrite.Skip(m, b.vars), e)
	}
	res := statsrewrite.Rewrite(e, b.vars)
	b.reasons = append(b.reasons, res.Reasons...)
	return res.Test
}

// noValues refuses a list column beside something that is no list, unless it is a variable's values where these stand
// for their stats test, or the elements of a list inside any_match and all_match.
func (b *binder) noValues(c *exprCtx, pos int, operands ...expr.Expr) error {
	if c.element {
		return nil
	}
	for i, e := range operands {
		col, ok := e.(*expr.Column)
		if !ok || expr.Elem(col.Typ) == nil || len(operands) == 1 {
			continue
		}
		elementwise := true
		for j, o := range operands {
			_, param := o.(*expr.Param)
			if t := o.Type(); j != i && !param && (t == nil || expr.Elem(t) != nil || expr.KindOf(t) == expr.KindOther) {
				elementwise = false
			}
		}
		if !elementwise || c.values && b.isValues(col) {
			continue
		}
		if c.values {
			return b.errorf(pos, "%s is a list and no variable, so it is not compared with a value; any_match(%s ...) tells "+
				"whether some element matches", b.shownPath(col), b.shownPath(col))
		}
		where := c.what
		if b.o.Changes != "" && b.depth.queries == 1 {
			where = b.o.Changes + ", which changes no rows that only may match"
		}
		return b.errorf(pos, "%s can't be compared with a value in %s; any_match(%s ...) tells whether some value matches, "+
			"all_match whether all do", b.shownPath(col), where, b.shownPath(col))
	}
	return nil
}

// foreignValues refuses values of a relation whose values stand for no test in c.
func (b *binder) foreignValues(e expr.Expr, c *exprCtx, pos int) error {
	if c.valuesOf == nil {
		return nil
	}
	var err error
	expr.Walk(e, func(e expr.Expr) bool {
		col, ok := e.(*expr.Column)
		if ok && err == nil && b.isValues(col) && !c.valuesOf[col.Rel] {
			err = b.errorf(pos, "%s can't be compared with a value in %s of a SEMI JOIN's right side; any_match(%s ...) tells whether some value matches",
				col.Path, c.what, col.Path)
		}
		_, isMatch := e.(*expr.Match)
		return !isMatch
	})
	return err
}
