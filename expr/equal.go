package expr

import (
	"bytes"
	"math"
	"math/big"
	"slices"
)

// Equal tells whether two trees are the same node by node, types included. Float literals are equal when their bits
// are, so that NaN equals itself. Subqueries are equal when they hold the same query node.
func Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if !sameHead(a, b) {
		return false
	}
	return slices.EqualFunc(Children(a), Children(b), Equal)
}

func sameHead(a, b Expr) bool {
	if !typesEqual(a.Type(), b.Type()) {
		return false
	}
	switch a := a.(type) {
	case *Column:
		b, ok := b.(*Column)
		return ok && a.Rel == b.Rel && a.Path.Equal(b.Path)
	case *Literal:
		b, ok := b.(*Literal)
		return ok && sameValue(a.Value, b.Value)
	case *Param:
		b, ok := b.(*Param)
		return ok && a.Index == b.Index
	case *Compare:
		b, ok := b.(*Compare)
		return ok && a.Op == b.Op
	case *Logical:
		b, ok := b.(*Logical)
		return ok && a.Op == b.Op
	case *Not:
		_, ok := b.(*Not)
		return ok
	case *In:
		_, ok := b.(*In)
		return ok
	case *Between:
		_, ok := b.(*Between)
		return ok
	case *IsNull:
		_, ok := b.(*IsNull)
		return ok
	case *IsTruth:
		b, ok := b.(*IsTruth)
		return ok && a.Value == b.Value
	case *Like:
		b, ok := b.(*Like)
		return ok && a.Escape == b.Escape && a.FoldCase == b.FoldCase
	case *Arith:
		b, ok := b.(*Arith)
		return ok && a.Op == b.Op
	case *Neg:
		_, ok := b.(*Neg)
		return ok
	case *Cast:
		b, ok := b.(*Cast)
		return ok && a.Try == b.Try && a.Implicit == b.Implicit && a.Zone == b.Zone
	}
	return sameHeadRest(a, b)
}

func sameHeadRest(a, b Expr) bool {
	switch a := a.(type) {
	case *Case:
		b, ok := b.(*Case)
		return ok && len(a.Whens) == len(b.Whens)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Name == b.Name && slices.Equal(a.ArgNames, b.ArgNames)
	case *Extract:
		b, ok := b.(*Extract)
		return ok && a.Name == b.Name
	case *Index:
		_, ok := b.(*Index)
		return ok
	case *Match:
		b, ok := b.(*Match)
		return ok && a.Kind == b.Kind && a.Path.Equal(b.Path)
	case *StatsTest:
		b, ok := b.(*StatsTest)
		return ok && a.Rel == b.Rel && a.Variable.Equal(b.Variable) && a.Stats.Equal(b.Stats)
	case *StatsState:
		b, ok := b.(*StatsState)
		return ok && a.Rel == b.Rel && a.Variable.Equal(b.Variable) && a.Stats.Equal(b.Stats)
	case *Aggregate:
		b, ok := b.(*Aggregate)
		return ok && a.Name == b.Name && a.Distinct == b.Distinct && len(a.Args) == len(b.Args) &&
			(a.Filter == nil) == (b.Filter == nil) && sameKeys(a.OrderBy, b.OrderBy)
	case *Window:
		b, ok := b.(*Window)
		return ok && a.IgnoreNulls == b.IgnoreNulls && a.Frame == b.Frame && len(a.Partition) == len(b.Partition) &&
			sameKeys(a.OrderBy, b.OrderBy)
	case *Subquery:
		b, ok := b.(*Subquery)
		return ok && a.Kind == b.Kind && a.Op == b.Op && a.Query == b.Query
	case *Lambda:
		b, ok := b.(*Lambda)
		return ok && slices.Equal(a.Params, b.Params)
	case *LambdaParam:
		b, ok := b.(*LambdaParam)
		return ok && a.Name == b.Name
	}
	return false
}

func sameKeys(a, b []SortKey) bool {
	return slices.EqualFunc(a, b, func(x, y SortKey) bool { return x.Desc == y.Desc && x.NullsFirst == y.NullsFirst })
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case *big.Int:
		b, ok := b.(*big.Int)
		return ok && a.Cmp(b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !sameValue(v, w) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []byte, []any, map[string]any:
		return false
	}
	return a == b
}
