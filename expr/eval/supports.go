package eval

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// Supports tells whether the bound expression can be evaluated here with DuckDB's answers. Where it can't, DuckDB runs
// it; a plain column of any type can always be returned by Eval.
func Supports(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Column:
		return loadable(e.Typ)
	case *expr.Literal:
		return e.Typ != nil && loadable(e.Typ)
	case *expr.Compare:
		return Supports(e.L) && Supports(e.R) && comparable(e.L.Type(), e.R.Type())
	case *expr.Between:
		return supportAll(e.X, e.Lo, e.Hi) && comparable(e.X.Type(), e.Lo.Type()) && comparable(e.X.Type(), e.Hi.Type())
	case *expr.In:
		for _, x := range e.List {
			if !Supports(x) || !comparable(e.X.Type(), x.Type()) {
				return false
			}
		}
		return Supports(e.X)
	case *expr.Logical:
		return supportAll(e.Args...) && booleans(e.Args...)
	case *expr.Not:
		return Supports(e.X) && booleans(e.X)
	case *expr.IsTruth:
		return Supports(e.X) && booleans(e.X)
	case *expr.IsNull:
		if c, ok := e.X.(*expr.Column); ok {
			return c.Typ != nil && hasValidity(c.Typ)
		}
		return Supports(e.X)
	case *expr.Like:
		return supportLike(e)
	case *expr.Arith:
		return Supports(e.L) && Supports(e.R) && canArith(e)
	case *expr.Neg:
		return Supports(e.X) && canNeg(e)
	case *expr.Cast:
		return e.X.Type() != nil && Supports(e.X) && loadable(e.To) &&
			(arrow.TypeEqual(expr.Storage(e.X.Type()), expr.Storage(e.To)) || canCast(e.X.Type(), e.To) || canCastText(e))
	case *expr.Case:
		return supportCase(e)
	case *expr.Call:
		return supportCall(e)
	case *expr.Extract:
		return e.Typ != nil && loadable(e.Typ) && isPath(e)
	case *expr.Index:
		return isPath(e.X) && flatList(e.X.Type()) && e.Typ != nil && loadable(e.Typ) && Supports(e.Key) &&
			expr.KindOf(e.Key.Type()) == expr.KindInt
	case *expr.Match:
		return supportMatch(e)
	case *expr.StatsTest:
		return Supports(e.Test)
	case *expr.StatsState:
		return true
	}
	return false
}

func supportAll(es ...expr.Expr) bool {
	for _, e := range es {
		if e == nil || !Supports(e) {
			return false
		}
	}
	return true
}

func booleans(es ...expr.Expr) bool {
	for _, e := range es {
		if k := expr.KindOf(e.Type()); k != expr.KindBool && k != expr.KindNull {
			return false
		}
	}
	return true
}

// loadable tells whether values of the type can be computed with here.
func loadable(t arrow.DataType) bool {
	for {
		x, ok := t.(arrow.ExtensionType)
		if !ok {
			break
		}
		t = x.StorageType()
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		_, nested := d.ValueType.(*arrow.DictionaryType)
		return !nested && loadable(d.ValueType)
	}
	switch t.ID() {
	case arrow.RUN_END_ENCODED, arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME:
		return false
	}
	k := expr.KindOf(t)
	return k != expr.KindOther && k != expr.KindList
}

// hasValidity tells whether nulls of the type are in its own bitmap.
func hasValidity(t arrow.DataType) bool {
	switch expr.Storage(t).ID() {
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return false
	}
	_, ree := t.(*arrow.RunEndEncodedType)
	return !ree
}

// comparable tells whether values of the two types compare here as they are.
func comparable(a, b arrow.DataType) bool {
	if a == nil || b == nil {
		return false
	}
	ak, bk := expr.KindOf(a), expr.KindOf(b)
	switch {
	case ak == expr.KindNull || bk == expr.KindNull:
		return true
	case ak.Numeric() && bk.Numeric():
		return true
	case ak == bk:
		return ak != expr.KindOther && ak != expr.KindList
	case sameClock(ak, bk):
		return (ak == expr.KindTimestampTZ) == (bk == expr.KindTimestampTZ)
	case ak == expr.KindDuration && bk == expr.KindInterval, ak == expr.KindInterval && bk == expr.KindDuration:
		return true
	}
	return false
}

func supportLike(e *expr.Like) bool {
	for _, x := range []expr.Expr{e.X, e.Pattern} {
		if k := expr.KindOf(x.Type()); !Supports(x) || k != expr.KindText && k != expr.KindNull {
			return false
		}
	}
	if e.Escape == 0 {
		return true
	}
	l, ok := e.Pattern.(*expr.Literal)
	if !ok {
		return false
	}
	s, ok := l.Value.(string)
	if !ok {
		return true
	}
	_, ok = compileLike(s, e.Escape, e.FoldCase)
	return ok
}

func supportCase(e *expr.Case) bool {
	if e.Typ == nil || !loadable(e.Typ) {
		return false
	}
	result := func(x expr.Expr) bool {
		if x == nil {
			return true
		}
		t := x.Type()
		return Supports(x) && (expr.KindOf(t) == expr.KindNull || arrow.TypeEqual(expr.Storage(t), expr.Storage(e.Typ)))
	}
	for _, w := range e.Whens {
		if !Supports(w.Cond) || !booleans(w.Cond) || !result(w.Then) {
			return false
		}
	}
	return result(e.Else)
}

// isPath tells whether e is a column or a field of one.
func isPath(e expr.Expr) bool {
	for {
		switch x := e.(type) {
		case *expr.Column:
			return true
		case *expr.Extract:
			e = x.X
		default:
			return false
		}
	}
}

// flatList tells whether t is a list whose values lie one list after the other.
func flatList(t arrow.DataType) bool {
	if t == nil {
		return false
	}
	if _, ok := t.(*arrow.DictionaryType); ok {
		return false
	}
	switch expr.Storage(t).ID() {
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		return true
	}
	return false
}

func supportMatch(e *expr.Match) bool {
	var elem arrow.DataType
	expr.Walk(e.Pred, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok && c.Path.Equal(e.Path) {
			elem = c.Typ
		}
		return true
	})
	return elem != nil && loadable(elem) && Supports(e.Pred) && booleans(e.Pred) &&
		!expr.Has(e.Pred, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Match, *expr.StatsTest, *expr.StatsState, *expr.Index, *expr.Extract:
				return true
			case *expr.Call:
				return readsList[x.Name]
			}
			return false
		})
}
