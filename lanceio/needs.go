package lanceio

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// needs is what expressions read.
type needs struct {
	wanted
	special []string
}

// specialField gives the field of a special column by its name.
func specialField(name string) (arrow.Field, bool) {
	if !slices.Contains(scan.SpecialColumns(), name) {
		return arrow.Field{}, false
	}
	return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Uint64}, true
}

// add collects what e reads. A column of the table hides a special column of its name.
func (n *needs) add(t *Table, e expr.Expr) error {
	var err error
	column := func(p expr.FieldPath, nullOnly bool) {
		if err != nil {
			return
		}
		if len(p) == 1 && t.m.Schema.Field(p[0]) == nil {
			if _, ok := specialField(p[0]); ok {
				if !slices.Contains(n.special, p[0]) {
					n.special = append(n.special, p[0])
				}
				return
			}
		}
		f, ferr := t.find(p)
		switch {
		case ferr != nil:
			err = ferr
		case nullOnly && splits(f):
			n.addValidity(f)
		default:
			n.wanted.add(f)
		}
	}
	stats := func(p expr.FieldPath) {
		// A table without the stats column has no fragment with it: the evaluation asks for none.
		if f, ferr := t.find(p); ferr == nil {
			if bounds, ok := statsBounds(f); ok {
				n.wanted.add(bounds[0])
				n.wanted.add(bounds[1])
				n.addValidity(f)
			}
		}
	}
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			column(x.Path, false)
		case *expr.IsNull:
			if c, ok := x.X.(*expr.Column); ok {
				column(c.Path, true)
				return false
			}
		case *expr.StatsTest:
			stats(x.Stats)
			for _, c := range expr.Columns(x.Test) {
				if !c.Path.HasPrefix(x.Stats) {
					column(c.Path, false)
				}
			}
			return false
		case *expr.StatsState:
			stats(x.Stats)
		case *expr.Match:
			column(x.Path, false)
			for _, c := range expr.Columns(x.Pred) {
				if !c.Path.Equal(x.Path) {
					column(c.Path, false)
				}
			}
			return false
		}
		return true
	})
	return err
}

// isStats tells whether a name is that of a stats column.
func isStats(name string) bool { return strings.HasPrefix(name, statsPrefix) }

// statsBounds gives the fields min and max of a stats column, false where it has another form.
func statsBounds(f *table.Field) ([2]*table.Field, bool) {
	var out [2]*table.Field
	if !splits(f) {
		return out, false
	}
	for _, c := range f.Children {
		switch c.Name {
		case "min":
			out[0] = c
		case "max":
			out[1] = c
		}
	}
	return out, out[0] != nil && out[1] != nil
}
