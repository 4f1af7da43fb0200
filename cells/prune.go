package cells

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// split parts a filter: what must be tested with each cell, what is the same in all cells of a row, and what the stats of
// a row must tell for one of its cells to pass.
func (s *Source) split(filter expr.Expr) (cells, rows, stats expr.Expr) {
	var cellParts, rowParts, statsParts []expr.Expr
	for _, c := range expr.Conjuncts(filter) {
		if !s.readsCells(c) {
			rowParts = append(rowParts, c)
			continue
		}
		cellParts = append(cellParts, c)
		test := s.implied(c)
		if test == nil {
			continue
		}
		if expr.Has(test, func(e expr.Expr) bool { _, ok := e.(*expr.StatsTest); return ok }) {
			statsParts = append(statsParts, test)
		} else {
			rowParts = append(rowParts, test)
		}
	}
	return expr.AllOf(cellParts...), expr.AllOf(rowParts...), expr.AllOf(statsParts...)
}

// readsCells tells whether an expression reads more than plain columns.
func (s *Source) readsCells(e expr.Expr) bool {
	for _, c := range expr.Columns(e) {
		if _, ok := s.feeds[c.Path[0]]; ok {
			return true
		}
	}
	return false
}

// implied gives what holds for a row when the predicate does for one of its cells; nil where that is nothing. It is what
// the predicate would mean in WHERE if each cell column were the variable's values there: the row's stats decide, rows
// that lack the variable are left out as their cells are null, and what has no form keeps all rows. Values that are NaN,
// of which the stats don't tell, are null in cells and satisfy no form.
func (s *Source) implied(pred expr.Expr) expr.Expr {
	return statsrewrite.Rewrite(s.asValues(pred), func(_ int, column string) (ndarray.Variable, bool) {
		f, ok := s.feeds[column]
		if !ok || f.kind != fromValues {
			return ndarray.Variable{}, false
		}
		return s.vars[f.at], true
	}).Test
}

// asValues puts the values of the variables in place of their cells.
func (s *Source) asValues(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Column:
		return s.valuesOf(x)
	case *expr.Match:
		return e
	case *expr.Compare, *expr.Between, *expr.In:
		e = s.uncast(e)
	}
	operands := expr.Children(e)
	if len(operands) == 0 {
		return e
	}
	fresh := make([]expr.Expr, len(operands))
	for i, o := range operands {
		fresh[i] = s.asValues(o)
	}
	return expr.WithChildren(e, fresh)
}

func (s *Source) valuesOf(c *expr.Column) expr.Expr {
	f, ok := s.feeds[c.Path[0]]
	switch {
	case !ok:
		return c
	case f.kind == fromValues && len(c.Path) == 1:
		return &expr.Column{Path: expr.FieldPath{c.Path[0], ndarray.ValuesField}, Typ: c.Typ}
	case f.kind == fromValues:
		return &expr.Column{Path: append(expr.FieldPath{c.Path[0], ndarray.ValuesField}, c.Path[1:]...), Typ: c.Typ}
	}
	// A place along a dimension differs from cell to cell as values do, and nothing tells of it: a path below some values
	// has no form.
	return &expr.Column{Path: expr.FieldPath{s.vars[0].Name, ndarray.ValuesField, c.Path[0]}, Typ: c.Typ}
}

// uncast takes the casts off the cells that are compared, where comparing the bounds of the stats would bring the same
// casts in: these keep the order.
func (s *Source) uncast(e expr.Expr) expr.Expr {
	operands := expr.Children(e)
	fresh := make([]expr.Expr, len(operands))
	copy(fresh, operands)
	for i, o := range operands {
		cast, ok := o.(*expr.Cast)
		if !ok || !cast.Implicit {
			continue
		}
		c, ok := cast.X.(*expr.Column)
		if !ok || !s.readsCells(c) {
			continue
		}
		same := true
		for k, other := range operands {
			if k == i {
				continue
			}
			l, _, err := expr.CoerceCompare(c, other, false, nil)
			same = same && err == nil && expr.Equal(l, cast)
		}
		if same {
			fresh[i] = c
		}
	}
	return expr.WithChildren(e, fresh)
}
