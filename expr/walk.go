package expr

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// Children gives the direct operands of a node, in a fixed order. StatsTest.Part is no operand: it is kept for
// EXPLAIN only, and neither is what a Subquery's query holds.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Compare:
		return []Expr{e.L, e.R}
	case *Logical:
		return e.Args
	case *Not:
		return []Expr{e.X}
	case *In:
		return append([]Expr{e.X}, e.List...)
	case *Between:
		return []Expr{e.X, e.Lo, e.Hi}
	case *IsNull:
		return []Expr{e.X}
	case *IsTruth:
		return []Expr{e.X}
	case *Like:
		return []Expr{e.X, e.Pattern}
	case *Arith:
		return []Expr{e.L, e.R}
	case *Neg:
		return []Expr{e.X}
	case *Cast:
		return []Expr{e.X}
	case *Case:
		return caseChildren(e)
	case *Call:
		return e.Args
	case *Extract:
		return []Expr{e.X}
	case *Index:
		return []Expr{e.X, e.Key}
	case *Match:
		return []Expr{e.Pred}
	case *StatsTest:
		return []Expr{e.Test}
	case *Aggregate:
		return aggregateChildren(e)
	case *Window:
		return windowChildren(e)
	case *Subquery:
		if e.Operand != nil {
			return []Expr{e.Operand}
		}
	case *Lambda:
		return []Expr{e.Body}
	}
	return nil
}

func caseChildren(e *Case) []Expr {
	out := make([]Expr, 0, 2*len(e.Whens)+1)
	for _, w := range e.Whens {
		out = append(out, w.Cond, w.Then)
	}
	if e.Else != nil {
		out = append(out, e.Else)
	}
	return out
}

func aggregateChildren(e *Aggregate) []Expr {
	out := slices.Clone(e.Args)
	if e.Filter != nil {
		out = append(out, e.Filter)
	}
	for _, k := range e.OrderBy {
		out = append(out, k.X)
	}
	return out
}

func windowChildren(e *Window) []Expr {
	out := append([]Expr{e.Func}, e.Partition...)
	for _, k := range e.OrderBy {
		out = append(out, k.X)
	}
	return out
}

// withChildren makes a copy of e over other operands, given in the order of Children.
func withChildren(e Expr, c []Expr) Expr {
	switch e := e.(type) {
	case *Compare:
		return &Compare{Op: e.Op, L: c[0], R: c[1]}
	case *Logical:
		return &Logical{Op: e.Op, Args: c}
	case *Not:
		return &Not{X: c[0]}
	case *In:
		return &In{X: c[0], List: c[1:]}
	case *Between:
		return &Between{X: c[0], Lo: c[1], Hi: c[2]}
	case *IsNull:
		return &IsNull{X: c[0]}
	case *IsTruth:
		return &IsTruth{X: c[0], Value: e.Value}
	case *Like:
		return &Like{X: c[0], Pattern: c[1], Escape: e.Escape, FoldCase: e.FoldCase}
	case *Arith:
		return &Arith{Op: e.Op, L: c[0], R: c[1], Typ: e.Typ}
	case *Neg:
		return &Neg{X: c[0], Typ: e.Typ}
	case *Cast:
		return &Cast{X: c[0], To: e.To, Try: e.Try, Implicit: e.Implicit, Zone: e.Zone}
	case *Case:
		return caseWith(e, c)
	case *Call:
		return &Call{Name: e.Name, Args: c, ArgNames: e.ArgNames, Typ: e.Typ}
	case *Extract:
		return &Extract{X: c[0], Name: e.Name, Typ: e.Typ}
	case *Index:
		return &Index{X: c[0], Key: c[1], Typ: e.Typ}
	case *Match:
		return &Match{Kind: e.Kind, Path: e.Path, Pred: c[0]}
	case *StatsTest:
		return &StatsTest{Rel: e.Rel, Variable: e.Variable, Stats: e.Stats, Test: c[0], Part: e.Part}
	case *Aggregate:
		return aggregateWith(e, c)
	case *Window:
		return windowWith(e, c)
	case *Subquery:
		return &Subquery{Kind: e.Kind, Operand: c[0], Op: e.Op, Query: e.Query, Typ: e.Typ}
	case *Lambda:
		return &Lambda{Params: e.Params, Names: e.Names, Body: c[0]}
	}
	return e
}

func caseWith(e *Case, c []Expr) Expr {
	out := &Case{Whens: make([]When, len(e.Whens)), Typ: e.Typ}
	for i := range e.Whens {
		out.Whens[i] = When{Cond: c[2*i], Then: c[2*i+1]}
	}
	if e.Else != nil {
		out.Else = c[2*len(e.Whens)]
	}
	return out
}

func aggregateWith(e *Aggregate, c []Expr) Expr {
	out := *e
	out.Args, c = c[:len(e.Args):len(e.Args)], c[len(e.Args):]
	if e.Filter != nil {
		out.Filter, c = c[0], c[1:]
	}
	out.OrderBy = keysWith(e.OrderBy, c)
	return &out
}

func windowWith(e *Window, c []Expr) Expr {
	out := *e
	out.Func, c = c[0], c[1:]
	out.Partition, c = c[:len(e.Partition):len(e.Partition)], c[len(e.Partition):]
	out.OrderBy = keysWith(e.OrderBy, c)
	return &out
}

func keysWith(keys []SortKey, c []Expr) []SortKey {
	out := slices.Clone(keys)
	for i := range out {
		out[i].X = c[i]
	}
	return out
}

// Walk visits e and all below it, parents first. Where f gives false the node's operands are not visited.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, f)
	}
}

// Rewrite gives e with f applied to every node, operands first; f gives its argument back where it changes nothing.
// changed tells whether anything did; e itself is never changed.
func Rewrite(e Expr, f func(Expr) (Expr, error)) (out Expr, changed bool, err error) {
	if e == nil {
		return nil, false, nil
	}
	old := Children(e)
	var fresh []Expr
	for i, c := range old {
		n, ch, err := Rewrite(c, f)
		if err != nil {
			return nil, false, err
		}
		if ch && fresh == nil {
			fresh = slices.Clone(old)
		}
		if fresh != nil {
			fresh[i] = n
		}
	}
	out = e
	if fresh != nil {
		out = withChildren(e, fresh)
	}
	n, err := f(out)
	if err != nil {
		return nil, false, err
	}
	return n, n != e, nil
}

// Columns gives the columns that e reads, each once, in the order of first use; a StatsTest or StatsState reads the
// min and max of its stats, a Match its list.
func Columns(e Expr) []Column {
	var out []Column
	add := func(c Column) {
		for _, o := range out {
			if o.Rel == c.Rel && o.Path.Equal(c.Path) {
				return
			}
		}
		out = append(out, c)
	}
	stats := func(rel int, p FieldPath) {
		add(Column{Rel: rel, Path: p.Child("min")})
		add(Column{Rel: rel, Path: p.Child("max")})
	}
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Column:
			add(*e)
		case *StatsTest:
			for _, c := range Columns(e.Test) {
				add(c)
			}
			stats(e.Rel, e.Stats)
			return false
		case *StatsState:
			stats(e.Rel, e.Stats)
		case *Match:
			for _, c := range Columns(e.Pred) {
				add(c)
			}
			add(Column{Path: e.Path, Rel: matchRel(e)})
			return false
		}
		return true
	})
	return out
}

// matchRel finds the relation of a Match's list: that of its element column.
func matchRel(m *Match) int {
	rel := 0
	Walk(m.Pred, func(e Expr) bool {
		if c, ok := e.(*Column); ok && c.Path.Equal(m.Path) {
			rel = c.Rel
		}
		return true
	})
	return rel
}

// Conjuncts splits a predicate at its top-level ANDs; nil gives none.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	if l, ok := e.(*Logical); ok && l.Op == And {
		var out []Expr
		for _, a := range l.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []Expr{e}
}

// AllOf joins predicates by AND: nil for none, the predicate itself for one. nil operands are left out.
func AllOf(es ...Expr) Expr { return join(And, es) }

// AnyOf joins predicates by OR: nil for none, the predicate itself for one. nil operands are left out.
func AnyOf(es ...Expr) Expr { return join(Or, es) }

func join(op LogicalOp, es []Expr) Expr {
	var args []Expr
	for _, e := range es {
		if e == nil {
			continue
		}
		if l, ok := e.(*Logical); ok && l.Op == op {
			args = append(args, l.Args...)
			continue
		}
		args = append(args, e)
	}
	switch len(args) {
	case 0:
		return nil
	case 1:
		return args[0]
	}
	return &Logical{Op: op, Args: args}
}

// Has tells whether some node of e satisfies f.
func Has(e Expr, f func(Expr) bool) bool {
	found := false
	Walk(e, func(e Expr) bool {
		found = found || f(e)
		return !found
	})
	return found
}

func typesEqual(a, b arrow.DataType) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return arrow.TypeEqual(a, b)
}
