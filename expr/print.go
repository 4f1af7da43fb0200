package expr

import (
	"fmt"
	"strings"
)

// Printer gives trees as SQL text in DuckDB's spelling. The zero Printer is what String uses; the hooks let a plan
// name its own columns.
type Printer struct {
	// Column spells a column; nil: its path.
	Column func(*Column) string
	// Param spells a parameter; nil: $1, $2, ...
	Param func(*Param) string
	// Subquery spells a subquery's query, without parentheses; nil: "...".
	Subquery func(*Subquery) string
	// PlanNames spells parameters of lambdas by their names in the plan, which are unique, not by those that the statement has.
	PlanNames bool
	// Special spells a node in place of the printer where it gives true.
	Special func(Expr) (string, bool)
}

// Precedences, loosest first. Source: DuckDB's grammar (PostgreSQL's).
const (
	precOr = iota + 1
	precAnd
	precNot
	precIs
	precCompare
	precBetween
	precOther
	precAdd
	precMul
	precUnary
	precPostfix
	precAtom
)

var compareNames = [...]string{Eq: "=", Ne: "<>", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	Distinct: "IS DISTINCT FROM", NotDistinct: "IS NOT DISTINCT FROM"}

// String gives the operator's SQL spelling.
func (o CompareOp) String() string { return name(compareNames[:], int(o)) }

var arithNames = [...]string{Add: "+", Sub: "-", Mul: "*", Div: "/", IntDiv: "//", Mod: "%", Concat: "||"}

// String gives the operator's SQL spelling.
func (o ArithOp) String() string { return name(arithNames[:], int(o)) }

// String gives AND or OR.
func (o LogicalOp) String() string { return name([]string{And: "AND", Or: "OR"}, int(o)) }

// String gives any_match or all_match.
func (k MatchKind) String() string {
	return name([]string{AnyMatch: "any_match", AllMatch: "all_match"}, int(k))
}

func name(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("operator(%d)", i)
	}
	return names[i]
}

// Print gives e as SQL text.
func (p Printer) Print(e Expr) string { return p.at(e, 0) }

// at prints e, in parentheses unless it binds at least as tightly as min.
func (p Printer) at(e Expr, min int) string {
	if e == nil {
		return "NULL"
	}
	if p.Special != nil {
		if s, ok := p.Special(e); ok {
			return s
		}
	}
	s, prec := p.text(e)
	if prec < min {
		return "(" + s + ")"
	}
	return s
}

func (p Printer) text(e Expr) (string, int) {
	switch e := e.(type) {
	case *Column:
		if p.Column != nil {
			return p.Column(e), precAtom
		}
		return e.Path.String(), precAtom
	case *Literal:
		return literalText(e)
	case *Param:
		if p.Param != nil {
			return p.Param(e), precAtom
		}
		return fmt.Sprintf("$%d", e.Index+1), precAtom
	case *Compare:
		if e.Op >= Distinct {
			return p.at(e.L, precCompare+1) + " " + e.Op.String() + " " + p.at(e.R, precCompare+1), precIs
		}
		return p.at(e.L, precBetween+1) + " " + e.Op.String() + " " + p.at(e.R, precBetween+1), precCompare
	case *Logical:
		prec := precAnd
		if e.Op == Or {
			prec = precOr
		}
		return p.list(e.Args, " "+e.Op.String()+" ", prec+1), prec
	case *Arith:
		prec := arithPrec(e.Op)
		return p.at(e.L, prec) + " " + e.Op.String() + " " + p.at(e.R, prec+1), prec
	case *Neg:
		return "-" + p.at(e.X, precPostfix), precUnary
	case *Cast:
		name := "CAST("
		if e.Try {
			name = "TRY_CAST("
		}
		return name + p.at(e.X, 0) + " AS " + SQLType(e.To) + ")", precAtom
	case *Not, *In, *Between, *IsNull, *IsTruth, *Like:
		return p.predicate(e, false)
	}
	return p.textRest(e)
}

func arithPrec(op ArithOp) int {
	switch op {
	case Add, Sub:
		return precAdd
	case Concat:
		return precOther
	}
	return precMul
}

// predicate prints the predicates that have a NOT form of their own.
func (p Printer) predicate(e Expr, not bool) (string, int) {
	word := func(s string) string {
		if not {
			return " NOT " + s + " "
		}
		return " " + s + " "
	}
	is := " IS "
	if not {
		is = " IS NOT "
	}
	switch e := e.(type) {
	case *Not:
		switch e.X.(type) {
		case *In, *Between, *IsNull, *IsTruth, *Like:
			if !not {
				return p.predicate(e.X, true)
			}
		}
		return "NOT " + p.at(e.X, precAtom), precNot
	case *In:
		return p.at(e.X, precOther) + word("IN") + "(" + p.list(e.List, ", ", 0) + ")", precBetween
	case *Between:
		return p.at(e.X, precOther) + word("BETWEEN") + p.at(e.Lo, precOther) + " AND " + p.at(e.Hi, precOther), precBetween
	case *IsNull:
		return p.at(e.X, precCompare+1) + is + "NULL", precIs
	case *IsTruth:
		if e.Value {
			return p.at(e.X, precCompare+1) + is + "TRUE", precIs
		}
		return p.at(e.X, precCompare+1) + is + "FALSE", precIs
	case *Like:
		op := "LIKE"
		if e.FoldCase {
			op = "ILIKE"
		}
		s := p.at(e.X, precOther) + word(op) + p.at(e.Pattern, precOther)
		if e.Escape != 0 {
			s += " ESCAPE " + quoteText(string(e.Escape))
		}
		return s, precBetween
	}
	return p.textRest(e)
}

func (p Printer) textRest(e Expr) (string, int) {
	switch e := e.(type) {
	case *Case:
		return p.caseText(e), precAtom
	case *Call:
		if typ, ok := strings.CutPrefix(e.Name, CastAs); ok {
			return "CAST(" + p.at(e.Args[0], 0) + " AS " + typ + ")", precAtom
		}
		if typ, ok := strings.CutPrefix(e.Name, TryCastAs); ok {
			return "TRY_CAST(" + p.at(e.Args[0], 0) + " AS " + typ + ")", precAtom
		}
		if s, prec := p.operator(e); s != "" {
			return s, prec
		}
		return p.call(e.Name, e.Args, e.ArgNames), precAtom
	case *Extract:
		return "(" + p.at(e.X, 0) + ")." + quotePart(e.Name), precPostfix
	case *Index:
		return "(" + p.at(e.X, 0) + ")[" + p.at(e.Key, 0) + "]", precPostfix
	case *Match:
		return e.Kind.String() + "(" + p.at(e.Pred, 0) + ")", precAtom
	case *StatsTest:
		if e.Part != nil {
			return p.text(e.Part)
		}
		return "stats_test(" + p.at(e.Test, 0) + ")", precAtom
	case *StatsState:
		return "stats_state(" + e.Stats.String() + ")", precAtom
	case *Aggregate:
		return p.aggregate(e, false), precAtom
	case *Window:
		return p.window(e), precAtom
	case *Subquery:
		return p.subquery(e)
	case *Lambda:
		names := make([]string, len(e.Params))
		for i := range names {
			names[i] = p.lambdaParam(e.Params[i], label(e.Names, i))
		}
		if len(names) == 1 {
			return names[0] + " -> " + p.at(e.Body, 0), 0
		}
		return "(" + strings.Join(names, ", ") + ") -> " + p.at(e.Body, 0), 0
	case *LambdaParam:
		return p.lambdaParam(e.Name, e.Label), precAtom
	}
	return fmt.Sprintf("%T", e), precAtom
}

func label(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

func (p Printer) lambdaParam(name, label string) string {
	if p.PlanNames || label == "" {
		return quotePart(name)
	}
	return quotePart(label)
}

func (p Printer) list(es []Expr, sep string, min int) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = p.at(e, min)
	}
	return strings.Join(parts, sep)
}

func (p Printer) caseText(e *Case) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range e.Whens {
		b.WriteString(" WHEN " + p.at(w.Cond, 0) + " THEN " + p.at(w.Then, 0))
	}
	if e.Else != nil {
		b.WriteString(" ELSE " + p.at(e.Else, 0))
	}
	return b.String() + " END"
}

func (p Printer) call(name string, args []Expr, argNames []string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = p.at(a, 0)
		if i < len(argNames) && argNames[i] != "" {
			parts[i] = quotePart(argNames[i]) + " := " + parts[i]
		}
	}
	return quotePart(name) + "(" + strings.Join(parts, ", ") + ")"
}

// operator prints the calls that stand for operators; nothing for all others.
func (p Printer) operator(e *Call) (string, int) {
	last := strings.LastIndexByte(e.Name, ' ')
	switch {
	case last > 0 && len(e.Args) == 2: // "= any"
		return p.at(e.Args[0], precBetween+1) + " " + strings.ToUpper(e.Name) + "(" + p.at(e.Args[1], 0) + ")", precCompare
	case !IsOperator(e.Name):
	case len(e.Args) == 1:
		return e.Name + p.at(e.Args[0], precPostfix), precOther
	case len(e.Args) == 2:
		return p.at(e.Args[0], precOther) + " " + e.Name + " " + p.at(e.Args[1], precOther+1), precOther
	}
	return "", 0
}

func (p Printer) aggregate(e *Aggregate, ignoreNulls bool) string {
	args := p.list(e.Args, ", ", 0)
	if len(e.Args) == 0 && e.Name == "count" {
		args = "*"
	}
	if e.Distinct {
		args = "DISTINCT " + args
	}
	if len(e.OrderBy) > 0 {
		args += " ORDER BY " + p.Keys(e.OrderBy)
	}
	if ignoreNulls {
		args += " IGNORE NULLS"
	}
	s := quotePart(e.Name) + "(" + args + ")"
	if e.Filter != nil {
		s += " FILTER (WHERE " + p.at(e.Filter, 0) + ")"
	}
	return s
}

// Keys prints the keys of an ORDER BY, the place of nulls always spelled out.
func (p Printer) Keys(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = p.at(k.X, 0)
		if k.Desc {
			parts[i] += " DESC"
		}
		if k.NullsFirst {
			parts[i] += " NULLS FIRST"
		} else {
			parts[i] += " NULLS LAST"
		}
	}
	return strings.Join(parts, ", ")
}

func (p Printer) window(e *Window) string {
	var fn string
	switch f := e.Func.(type) {
	case *Aggregate:
		fn = p.aggregate(f, e.IgnoreNulls)
	case *Call:
		fn = p.call(f.Name, f.Args, nil)
		if e.IgnoreNulls {
			fn = strings.TrimSuffix(fn, ")") + " IGNORE NULLS)"
		}
	default:
		fn = p.at(e.Func, 0)
	}
	var parts []string
	if len(e.Partition) > 0 {
		parts = append(parts, "PARTITION BY "+p.list(e.Partition, ", ", 0))
	}
	if len(e.OrderBy) > 0 {
		parts = append(parts, "ORDER BY "+p.Keys(e.OrderBy))
	}
	if e.Frame != "" {
		parts = append(parts, e.Frame)
	}
	return fn + " OVER (" + strings.Join(parts, " ") + ")"
}

func (p Printer) subquery(e *Subquery) (string, int) {
	q := "..."
	if p.Subquery != nil {
		q = p.Subquery(e)
	}
	q = "(" + q + ")"
	switch e.Kind {
	case ExistsSubquery:
		return "EXISTS " + q, precAtom
	case ArraySubquery:
		return "ARRAY" + q, precAtom
	case InSubquery:
		return p.at(e.Operand, precOther) + " IN " + q, precBetween
	case AnySubquery:
		return p.at(e.Operand, precOther) + " " + e.Op.String() + " ANY " + q, precCompare
	case AllSubquery:
		return p.at(e.Operand, precOther) + " " + e.Op.String() + " ALL " + q, precCompare
	}
	return q, precAtom
}
