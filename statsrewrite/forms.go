package statsrewrite

import (
	"fmt"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
)

// bound names one end of the stats.
type bound string

const (
	low  bound = ndarray.MinField
	high bound = ndarray.MaxField
)

// term is one comparison of a stats bound with the part's nth x.
type term struct {
	bound bound
	op    expr.CompareOp
	x     int
}

// forms is the table of forms: some value v with min <= v <= max satisfies the part iff all terms hold.
// BETWEEN and IN are written with these: v BETWEEN a AND b has the terms of betweenForm, v IN (x, y) those of = for
// each, joined with OR.
var forms = map[expr.CompareOp][]term{
	expr.Eq: {{low, expr.Le, 0}, {high, expr.Ge, 0}},
	expr.Lt: {{low, expr.Lt, 0}},
	expr.Le: {{low, expr.Le, 0}},
	expr.Gt: {{high, expr.Gt, 0}},
	expr.Ge: {{high, expr.Ge, 0}},
}

var betweenForm = []term{{high, expr.Ge, 0}, {low, expr.Le, 1}}

// flipped gives the operator with its sides exchanged: x < v is v > x.
var flipped = map[expr.CompareOp]expr.CompareOp{expr.Eq: expr.Eq, expr.Lt: expr.Gt, expr.Le: expr.Ge, expr.Gt: expr.Lt, expr.Ge: expr.Le}

// form is a part that has one: column is v; any of the alternatives may hold, each being all of its terms over xs.
type form struct {
	column       *expr.Column
	alternatives [][]term
	xs           []expr.Expr
}

// formOf finds the form of a part, or says why there is none. isValues tells that an operand is v itself, reads that
// an operand reads some variable's values.
func formOf(e expr.Expr, isValues func(expr.Expr) (*expr.Column, bool), reads func(expr.Expr) bool) (form, string) {
	switch e := e.(type) {
	case *expr.Compare:
		l, r, op := e.L, e.R, e.Op
		if _, ok := isValues(l); !ok || reads(r) {
			l, r, op = r, l, flippedOr(op)
		}
		c, ok := isValues(l)
		if !ok || reads(r) {
			return form{}, "both sides, or more than the plain values, are read"
		}
		terms, ok := forms[op]
		if !ok {
			return form{}, fmt.Sprintf("there is no form for %s", e.Op)
		}
		return form{column: c, alternatives: [][]term{terms}, xs: []expr.Expr{r}}, ""
	case *expr.Between:
		c, ok := isValues(e.X)
		if !ok || reads(e.Lo) || reads(e.Hi) {
			return form{}, "a bound of BETWEEN reads values, or more than the plain values is tested"
		}
		return form{column: c, alternatives: [][]term{betweenForm}, xs: []expr.Expr{e.Lo, e.Hi}}, ""
	case *expr.In:
		c, ok := isValues(e.X)
		if !ok {
			return form{}, "more than the plain values is tested"
		}
		f := form{column: c, xs: e.List}
		for i, x := range e.List {
			if reads(x) {
				return form{}, "an item of IN reads values"
			}
			f.alternatives = append(f.alternatives, at(forms[expr.Eq], i))
		}
		return f, ""
	case *expr.Not:
		return form{}, "there is no form for NOT over values"
	case *expr.IsNull:
		return form{}, "there is no form for IS NULL over values"
	}
	return form{}, "there is no form for this use of values"
}

// flippedOr gives the flipped operator; those without a form stay as they are.
func flippedOr(op expr.CompareOp) expr.CompareOp {
	if f, ok := flipped[op]; ok {
		return f
	}
	return op
}

func at(terms []term, x int) []term {
	out := make([]term, len(terms))
	for i, t := range terms {
		out[i] = term{t.bound, t.op, x}
	}
	return out
}

// test gives the form over the min and max columns of v's stats.
func (f form) test(v ndarray.Variable) (expr.Expr, error) {
	var any []expr.Expr
	for _, terms := range f.alternatives {
		var all []expr.Expr
		for _, t := range terms {
			c := &expr.Column{Rel: f.column.Rel, Path: expr.FieldPath{v.Stats, string(t.bound)}, Typ: v.StatsElem}
			l, r, err := expr.CoerceCompare(c, f.xs[t.x], false, nil)
			if err != nil {
				return nil, err
			}
			all = append(all, expr.Cmp(t.op, l, r))
		}
		any = append(any, expr.AllOf(all...))
	}
	return expr.AnyOf(any...), nil
}
