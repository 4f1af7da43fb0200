package lanceio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/lancesql"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// setFilters turns the three filters of a scan into the two of a Spec.
func (t *Table) setFilters(spec *scan.Spec, o scanOptions) error {
	if o.filterText != nil {
		if o.filterExpr != nil || o.lanceFilter != nil {
			return errs.Invalidf("table %s: Filter can't stand with FilterExpr or LanceFilter", t.name)
		}
		e, err := lancesql.Filter(*o.filterText, t.resolve)
		if err != nil {
			return fmt.Errorf("table %s: filter: %w", t.name, err)
		}
		spec.Filter = e
		return nil
	}
	var stats, exact []expr.Expr
	if o.filterExpr != nil {
		e, err := t.bindFilter(o.filterExpr)
		if err != nil {
			return err
		}
		for _, c := range expr.Conjuncts(statsrewrite.Rewrite(e, t.variables).Test) {
			if m, ok := c.(*expr.Match); ok {
				if skip := statsrewrite.Skip(m, t.variables); skip != nil {
					stats = append(stats, skip)
				}
			}
			if hasStatsTest(c) {
				stats = append(stats, c)
			} else {
				exact = append(exact, c)
			}
		}
	}
	if o.lanceFilter != nil {
		e, err := t.bindFilter(o.lanceFilter)
		if err != nil {
			return err
		}
		exact = append(exact, expr.Conjuncts(e)...)
	}
	for _, e := range exact {
		if lists := expr.ElementComparisons(e); len(lists) > 0 {
			return errs.Invalidf("table %s: filter: the list %s is compared with a single value; any_match or all_match do that", t.name, lists[0])
		}
	}
	spec.StatsFilter, spec.Filter = expr.AllOf(stats...), expr.AllOf(exact...)
	return nil
}

func hasStatsTest(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool { _, ok := e.(*expr.StatsTest); return ok })
}

// bindFilter binds a predicate over the table's columns; it must be a boolean.
func (t *Table) bindFilter(e expr.Expr) (expr.Expr, error) {
	bound, err := expr.Bind(e, t.resolve)
	if err != nil {
		return nil, fmt.Errorf("table %s: filter: %w", t.name, err)
	}
	if typ := bound.Type(); typ == nil || typ.ID() != arrow.BOOL && typ.ID() != arrow.NULL {
		return nil, errs.Invalidf("table %s: filter %s is no predicate: its type is %s", t.name, e, typ)
	}
	return bound, nil
}

// resolve finds a column of a filter: each part matches exactly, or else without regard to case where just one name does.
func (t *Table) resolve(c expr.Column) (expr.Column, error) {
	if len(c.Path) == 1 && t.m.Schema.Field(c.Path[0]) == nil {
		if f, ok := specialField(strings.ToLower(c.Path[0])); ok {
			return expr.Column{Rel: c.Rel, Path: expr.FieldPath{f.Name}, Typ: f.Type}, nil
		}
	}
	if len(c.Path) == 0 {
		return c, errs.Invalidf("table %s: empty column path", t.name)
	}
	level := t.m.Schema.Fields
	path := make(expr.FieldPath, 0, len(c.Path))
	var f *table.Field
	for i, part := range c.Path {
		found, err := t.match(part, level, c.Path)
		if err != nil {
			return c, err
		}
		if found == nil {
			return c, t.noColumn(c.Path, c.Path[:i], level)
		}
		f, path, level = found, append(path, found.Name), nil
		if f.Type.ID() == arrow.STRUCT {
			level = f.Children
		}
	}
	return expr.Column{Rel: c.Rel, Path: path, Typ: f.Type}, nil
}

// match finds the field that a part of a path names, nil where there is none.
func (t *Table) match(part string, level []*table.Field, path expr.FieldPath) (*table.Field, error) {
	if i := slices.IndexFunc(level, func(f *table.Field) bool { return f.Name == part }); i >= 0 {
		return level[i], nil
	}
	var found *table.Field
	for _, f := range level {
		if !strings.EqualFold(f.Name, part) {
			continue
		}
		if found != nil {
			return nil, errs.Invalidf("table %s: %s may be %s or %s", t.name, path, expr.QuoteIdent(found.Name), expr.QuoteIdent(f.Name))
		}
		found = f
	}
	return found, nil
}

// variables finds the n-d array columns.
func (t *Table) variables(_ int, column string) (ndarray.Variable, bool) {
	return ndarray.Lookup(t.schema, column)
}
