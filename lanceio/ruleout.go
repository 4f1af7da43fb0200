package lanceio

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// known is what is known of a fragment's rows without a read. What it gives may cover more rows than the fragment has
// alive, never fewer.
type known interface {
	// extent gives that of a column; false where nothing is known.
	extent(c *expr.Column) (eval.Extent, bool)
	// statsOf gives what is known of a variable's stats.
	statsOf(variable, stats expr.FieldPath) (statsExtent, bool)
}

// statsExtent is what is known of the stats of a variable over some rows.
type statsExtent struct {
	// keep tells that some row's stats tell nothing, so that a test keeps the row.
	keep bool
	// min and max are those of the rows whose stats are to be tested; without any there is no such row.
	min, max eval.Extent
}

// verdict is what can be said of a predicate over all rows. All but mayHold say too that testing it gives no error.
type verdict int

const (
	mayHold   verdict = iota // it may be true for some row
	neverTrue                // it is false or NULL for each row
	allFalse                 // it is false for each row
)

// filtersRuleOut tells that no row passes two filters, of which the second is tested where the first is true, and that
// testing them gives no error.
func filtersRuleOut(first, second expr.Expr, k known) bool {
	if first != nil {
		if judge(first, k) != mayHold {
			return true
		}
		if canFail(first) {
			return false
		}
	}
	return second != nil && judge(second, k) != mayHold
}

// judge gives the verdict on a predicate.
func judge(e expr.Expr, k known) verdict {
	switch e := e.(type) {
	case *expr.Logical:
		if e.Op == expr.Or {
			out := allFalse
			for _, a := range e.Args {
				out = min(out, judge(a, k))
			}
			return out
		}
		return judgeAnd(e.Args, k)
	case *expr.Compare:
		if c := placed(e.L); c != nil && e.Op == expr.Lt {
			return judgeLowNaN(c, e.R, k)
		}
		return judgeComparison(e.Op, e.L, e.R, k)
	case *expr.Between:
		if canFail(e.X) || canFail(e.Lo) || canFail(e.Hi) {
			return mayHold
		}
		return max(judgeComparison(expr.Ge, e.X, e.Lo, k), judgeComparison(expr.Le, e.X, e.Hi, k))
	case *expr.In:
		if len(e.List) > maxListed {
			return mayHold
		}
		out := allFalse
		for _, x := range e.List {
			out = min(out, judgeComparison(expr.Eq, e.X, x, k))
		}
		return out
	case *expr.IsNull:
		if x, ok := extentOf(e.X, k); ok && !x.Nulls {
			return allFalse
		}
	case *expr.Not:
		if n, isNull := e.X.(*expr.IsNull); isNull {
			if x, ok := extentOf(n.X, k); ok && x.Least == nil {
				return allFalse
			}
		}
	case *expr.IsTruth:
		if e.Value && judge(e.X, k) != mayHold {
			return allFalse
		}
	case *expr.StatsTest:
		return judgeStats(e, k)
	}
	return mayHold
}

// maxListed bounds the items of IN that are looked at one by one for a fragment.
const maxListed = 1000

// judgeAnd gives the verdict on an AND, whose operands are tested in order, each at the rows where none before is false.
func judgeAnd(args []expr.Expr, k known) verdict {
	out := mayHold
	for _, a := range args {
		switch v := judge(a, k); {
		case v == allFalse:
			return allFalse
		case v == neverTrue:
			out = neverTrue
		case canFail(a):
			return mayHold
		}
	}
	return out
}

// extentOf gives that of a column; false for any other expression.
func extentOf(e expr.Expr, k known) (eval.Extent, bool) {
	c, ok := e.(*expr.Column)
	if !ok {
		return eval.Extent{}, false
	}
	return k.extent(c)
}

func judgeStats(e *expr.StatsTest, k known) verdict {
	s, ok := k.statsOf(e.Variable, e.Stats)
	if !ok || s.keep || s.min.Least != nil && judge(e.Test, testKnown{k, e, s}) == mayHold {
		return mayHold
	}
	return allFalse
}

// testKnown is what is known of the rows that a stats test is asked for: their min and max too.
type testKnown struct {
	known
	e *expr.StatsTest
	s statsExtent
}

func (k testKnown) extent(c *expr.Column) (eval.Extent, bool) {
	switch {
	case c.Path.Equal(k.e.Stats.Child("min")):
		return k.s.min, true
	case c.Path.Equal(k.e.Stats.Child("max")):
		return k.s.max, true
	}
	return k.known.extent(c)
}

// judgeComparison gives the verdict on a comparison of a column with a constant.
func judgeComparison(op expr.CompareOp, l, r expr.Expr, k known) verdict {
	if len(expr.Columns(l)) == 0 {
		mirror, ok := mirrored[op]
		if !ok {
			return mayHold
		}
		l, r, op = r, l, mirror
	}
	c := subject(l)
	if c == nil || len(expr.Columns(r)) > 0 || expr.Has(r, isCall) {
		return mayHold
	}
	x, ok := k.extent(c)
	if !ok {
		return mayHold
	}
	if x.Least == nil { // all rows are null
		x.Least = &expr.Literal{Typ: c.Typ}
		x.Greatest, x.Nulls = x.Least, true
	}
	null, ok := eval.Constant(&expr.IsNull{X: r})
	if !ok {
		return mayHold
	}
	var holds, ok1, ok2 bool
	switch op {
	case expr.Eq:
		var low, high bool
		low, _, ok1 = comparedAtEnds(expr.Le, l, x, r)
		_, high, ok2 = comparedAtEnds(expr.Ge, l, x, r)
		holds = low && high
	case expr.Lt, expr.Le:
		holds, _, ok1 = comparedAtEnds(op, l, x, r)
		ok2 = ok1
	case expr.Gt, expr.Ge:
		_, holds, ok1 = comparedAtEnds(op, l, x, r)
		ok2 = ok1
	}
	switch {
	case !ok1 || !ok2 || holds:
		return mayHold
	case x.Nulls || null.Value == true:
		return neverTrue
	}
	return allFalse
}

// placed gives the column whose place in the order of Lance's filters e is; nil for any other expression.
func placed(e expr.Expr) *expr.Column {
	c, ok := e.(*expr.Call)
	if !ok || c.Name != expr.LanceOrder {
		return nil
	}
	return subject(c.Args[0])
}

// judgeLowNaN gives the verdict on a column's place being below a bound: where that is the place of minus infinity, only NaNs
// of negative sign are.
func judgeLowNaN(c *expr.Column, bound expr.Expr, k known) verdict {
	l, _ := bound.(*expr.Literal)
	x, ok := k.extent(c)
	if !ok || l == nil || l.Value != expr.TotalOrder(math.Inf(-1)) {
		return mayHold
	}
	if x.Least == nil {
		return neverTrue
	}
	if f, isFloat := x.Greatest.Value.(float64); !isFloat || math.IsNaN(f) {
		return mayHold
	}
	if x.Nulls {
		return neverTrue
	}
	return allFalse
}

// isCall tells a function, which need not give the same value twice.
func isCall(e expr.Expr) bool {
	_, ok := e.(*expr.Call)
	return ok
}

// subject gives the column of an expression that grows with it: the column itself, or a number of it converted to
// another kind of number. nil for any other.
func subject(e expr.Expr) *expr.Column {
	if c, ok := e.(*expr.Cast); ok {
		if c.Try || !expr.KindOf(c.To).Numeric() || c.X.Type() == nil || !expr.KindOf(c.X.Type()).Numeric() {
			return nil
		}
		return subject(c.X)
	}
	c, _ := e.(*expr.Column)
	return c
}

// comparedAtEnds compares l, which reads one column, at the ends of that column with a constant. At both, so that a
// conversion that fails in between fails here; ok is then false.
func comparedAtEnds(op expr.CompareOp, l expr.Expr, x eval.Extent, r expr.Expr) (least, greatest, ok bool) {
	at := func(end *expr.Literal) (holds, ok bool) {
		l, _, err := expr.Rewrite(l, func(e expr.Expr) (expr.Expr, error) {
			if _, ok := e.(*expr.Column); ok {
				return end, nil
			}
			return e, nil
		})
		if err != nil {
			return false, false
		}
		v, ok := eval.Constant(expr.Cmp(op, l, r))
		return ok && v.Value == true, ok
	}
	least, ok1 := at(x.Least)
	greatest, ok2 := at(x.Greatest)
	return least, greatest, ok1 && ok2
}

// canFail tells whether evaluating an expression may give an error at some row.
func canFail(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Column, *expr.Literal, *expr.Compare, *expr.Logical, *expr.Not, *expr.In, *expr.Between, *expr.IsNull,
			*expr.IsTruth, *expr.StatsTest, *expr.StatsState:
			return false
		case *expr.Call:
			return e.Name != expr.LanceOrder
		case *expr.Cast:
			from := e.X.Type()
			return !e.Try && (from == nil || !expr.KindOf(from).Numeric() || e.To.ID() != arrow.FLOAT64)
		}
		return true
	})
}
