package rules

import (
	"slices"
	"strconv"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

const (
	// maxEqual is how many expressions DuckDB may be told to be equal to one another: the time that it plans for grows with
	// their number to the fourth, and nothing can stop it meanwhile. For so many it takes some seconds.
	maxEqual = 48
	// equalAtOnce is how many columns are told of together where a block sets more than twice as many equal.
	equalAtOnce = 12
)

// splitEqualities says in another way that many columns of a block are equal: sets of a few by =, and the first of each
// equals the first of all by IS NOT DISTINCT FROM, of which DuckDB draws no conclusions. No row has a null there, as the
// first of all equals another by =. Sets of other expressions that are too large are refused.
func splitEqualities(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	var err error
	fresh, changed, _ := edit(q, func(q *logical.Query) bool {
		changed := false
		eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
			for _, set := range largeSets(holding(sel)) {
				splitSet(sel, set)
				changed = true
			}
			if mostEqual(holding(sel)) > maxEqual {
				err = errs.Invalidf("more than %d tables are joined on one value: join some of them in a subquery with a LIMIT, or on plain columns", maxEqual)
			}
		})
		return changed
	})
	return fresh, changed, err
}

// largeSets gives the sets of columns that conjuncts set equal, of those that are split.
func largeSets(known []expr.Expr) (out [][]*expr.Column) {
	seen := map[columnKey]bool{}
	same := equalColumns(known)
	for _, c := range known { // not over the map, whose order differs from run to run
		l, _ := equalPair(c)
		if l == nil || seen[keyOf(l)] || len(same[keyOf(l)]) <= 2*equalAtOnce {
			continue
		}
		set := same[keyOf(l)]
		for _, col := range set {
			seen[keyOf(col)] = true
		}
		out = append(out, set)
	}
	return out
}

// splitSet takes what makes a set equal out of a block's conditions, and puts it to WHERE in the other way.
func splitSet(sel *logical.Select, set []*expr.Column) {
	in := map[columnKey]bool{}
	for _, c := range set {
		in[keyOf(c)] = true
	}
	without := func(e expr.Expr) expr.Expr {
		return expr.AllOf(slices.DeleteFunc(expr.Conjuncts(e), func(c expr.Expr) bool {
			l, _ := equalPair(c)
			return l != nil && in[keyOf(l)]
		})...)
	}
	eachReached(sel.From, func(f logical.From) {
		if j, ok := f.(*logical.Join); ok && isInner(j) && j.On != nil {
			if j.On = without(j.On); j.On == nil {
				j.Kind = "CROSS"
			}
		}
	})
	conds := []expr.Expr{without(sel.Where)}
	for i, c := range set[1:] {
		leader, op := set[(i+1)/equalAtOnce*equalAtOnce], expr.Eq
		if leader == c {
			leader, op = set[0], expr.NotDistinct
		}
		conds = append(conds, &expr.Compare{Op: op, L: c, R: leader})
	}
	sel.Where = expr.AllOf(conds...)
}

// mostEqual counts the largest set of expressions that conjuncts set equal to one another.
func mostEqual(known []expr.Expr) (most int) {
	sets := map[string][]string{}
	for _, c := range known {
		cmp, ok := c.(*expr.Compare)
		if !ok || cmp.Op != expr.Eq || isLiteral(cmp.L) || isLiteral(cmp.R) {
			continue
		}
		l, r := setOf(sets, cmp.L), setOf(sets, cmp.R)
		if &l[0] == &r[0] {
			continue
		}
		all := append(l[:len(l):len(l)], r...)
		for _, k := range all {
			sets[k] = all
		}
		most = max(most, len(all))
	}
	return most
}

// setOf gives the expressions that are known to equal one, itself first.
func setOf(sets map[string][]string, e expr.Expr) []string {
	k := e.String()
	for _, c := range expr.Columns(e) {
		k += " " + strconv.Itoa(c.Rel)
	}
	if sets[k] == nil {
		sets[k] = []string{k}
	}
	return sets[k]
}
