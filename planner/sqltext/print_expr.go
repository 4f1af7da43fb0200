package sqltext

import (
	"fmt"
	"strings"
)

func (p *printer) list(items []Expr) {
	for i, e := range items {
		if i > 0 {
			p.put(", ")
		}
		p.expr(e)
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Name:
		p.put(formatName(e.Parts))
	case *Star:
		p.star(e)
	case *NullLit:
		p.put("NULL")
	case *BoolLit:
		p.put([]string{"FALSE", "TRUE"}[b2i(e.Value)])
	case *NumberLit:
		p.put(e.Text)
	case *AllColumns:
		p.put("ALL")
	case *StringLit:
		p.put(quoteText(e.Value))
	case *TypedLit:
		p.put(e.Type.String(), " ", quoteText(e.Value))
	case *IntervalLit:
		p.interval(e)
	case *ParamRef:
		p.put(fmt.Sprintf("$%d", e.Index+1))
	case *Unary:
		p.put("(", e.Op, " ")
		p.expr(e.X)
		p.put(")")
	case *Binary:
		p.infix(e.L, e.Op, e.R)
	case *IsTest, *InList, *BetweenExpr, *LikeExpr, *LikeSome, *InSubquery, *Quantified:
		p.put("(")
		p.test(e)
		p.put(")")
	case *ExistsExpr:
		p.put("(", not(e.Not), "EXISTS (")
		p.query(e.Query)
		p.put("))")
	case *ArrowExpr:
		p.infix(e.L, e.Op, e.R)
	case *SubqueryExpr:
		if e.Array {
			p.put("ARRAY")
		}
		p.put("(")
		p.query(e.Query)
		p.put(")")
	default:
		p.nested(e)
	}
}

func not(b bool) string { return []string{"", "NOT "}[b2i(b)] }

func (p *printer) infix(l Expr, op string, r Expr) {
	p.put("(")
	p.expr(l)
	p.put(" ", op, " ")
	p.expr(r)
	p.put(")")
}

func (p *printer) interval(e *IntervalLit) {
	p.put("INTERVAL ")
	switch v := e.Value.(type) {
	case *StringLit, *NumberLit:
		p.expr(v)
	default:
		p.put("(")
		p.expr(v)
		p.put(")")
	}
	if e.Unit != "" {
		p.put(" ", e.Unit)
	}
}

func (p *printer) test(e Expr) {
	switch e := e.(type) {
	case *IsTest:
		p.expr(e.X)
		p.put(" IS ", not(e.Not), e.Test)
	case *InList:
		p.expr(e.X)
		p.put(" ", not(e.Not), "IN (")
		p.list(e.List)
		p.put(")")
	case *BetweenExpr:
		p.expr(e.X)
		p.put(" ", not(e.Not), "BETWEEN ", []string{"", "SYMMETRIC "}[b2i(e.Symmetric)])
		p.expr(e.Lo)
		p.put(" AND ")
		p.expr(e.Hi)
	case *LikeExpr:
		p.expr(e.X)
		p.put(" ", not(e.Not), []string{"LIKE ", "ILIKE "}[b2i(e.FoldCase)])
		p.expr(e.Pattern)
		if e.Escape != nil {
			p.put(" ESCAPE ", quoteText(*e.Escape))
		}
	case *LikeSome:
		p.expr(e.X)
		p.put(" ", []string{"LIKE ", "ILIKE "}[b2i(e.FoldCase)], []string{"ANY (", "ALL ("}[b2i(e.All)])
		p.list(e.Patterns)
		p.put(")")
	case *InSubquery:
		p.expr(e.X)
		p.put(" ", not(e.Not), "IN (")
		p.query(e.Query)
		p.put(")")
	case *Quantified:
		p.expr(e.X)
		p.put(" ", e.Op, []string{" ANY (", " ALL ("}[b2i(e.All)])
		if e.Query != nil {
			p.query(e.Query)
		} else {
			p.expr(e.List)
		}
		p.put(")")
	}
}

// nested prints what has brackets of its own.
func (p *printer) nested(e Expr) {
	switch e := e.(type) {
	case *CastExpr:
		p.put([]string{"CAST(", "TRY_CAST("}[b2i(e.Try)])
		p.expr(e.X)
		p.put(" AS ", e.To.String(), ")")
	case *CaseExpr:
		p.caseExpr(e)
	case *FuncCall:
		p.call(e)
	case *Subscript:
		p.operand(e.X)
		p.put("[")
		p.expr(e.Key)
		p.put("]")
	case *SliceExpr:
		p.operand(e.X)
		p.put("[")
		p.slice(e)
		p.put("]")
	case *FieldAccess:
		p.operand(e.X)
		p.put(".", formatIdent(e.Name))
	case *ListLit:
		p.put("[")
		p.list(e.Items)
		p.put("]")
	case *StructLit:
		p.put("{")
		for i, name := range e.Names {
			p.put([]string{"", ", "}[b2i(i > 0)], quoteText(name), ": ")
			p.expr(e.Values[i])
		}
		p.put("}")
	case *RowLit:
		p.put("(")
		p.list(e.Items)
		p.put(")")
	case *ColumnsExpr:
		p.put("COLUMNS(")
		p.expr(e.Of)
		p.put(")")
	case *UnpackExpr:
		p.put("*")
		p.expr(e.Of)
	case *LambdaExpr:
		p.put("LAMBDA ", formatIdents(e.Params, ", "), ": ")
		p.expr(e.Body)
	case *ExtractExpr:
		p.put("EXTRACT(", quoteText(e.Part), " FROM ")
		p.expr(e.X)
		p.put(")")
	case *AtTimeZone:
		p.infix(e.X, "AT TIME ZONE", e.Zone)
	case *CollateExpr:
		p.put("(")
		p.expr(e.X)
		p.put(" COLLATE ", e.Name, ")")
	}
}

func (p *printer) slice(e *SliceExpr) {
	p.clause("", e.Lo)
	p.put(":")
	p.clause("", e.Hi)
	if e.Step == nil {
		return
	}
	if e.Hi == nil {
		p.put("-")
	}
	p.put(":")
	p.expr(e.Step)
}

// operand prints what a bracket or a point follows: a name as (name), so that the point can't make it longer.
func (p *printer) operand(e Expr) {
	switch e.(type) {
	case *Subscript, *SliceExpr, *FieldAccess, *FuncCall, *RowLit:
		p.expr(e)
	default:
		p.put("(")
		p.expr(e)
		p.put(")")
	}
}

func (p *printer) caseExpr(e *CaseExpr) {
	p.put("CASE")
	p.clause(" ", e.Operand)
	for _, w := range e.Whens {
		p.clause(" WHEN ", w.Cond)
		p.clause(" THEN ", w.Then)
	}
	p.clause(" ELSE ", e.Else)
	p.put(" END")
}

func (p *printer) call(e *FuncCall) {
	p.put(formatFunction(e.Name), "(")
	if e.Distinct {
		p.put("DISTINCT ")
	}
	if e.Star {
		p.put("*")
	}
	for i, a := range e.Args {
		if i > 0 {
			p.put(", ")
		}
		if i < len(e.ArgNames) && e.ArgNames[i] != "" {
			p.put(e.ArgNames[i], " := ")
		}
		p.expr(a)
	}
	if !e.WithinGroup {
		p.orderBy(" ORDER BY ", e.OrderBy)
	}
	if e.IgnoreNulls {
		p.put(" IGNORE NULLS")
	}
	p.put(")")
	if e.WithinGroup {
		p.orderBy(" WITHIN GROUP (ORDER BY ", e.OrderBy)
		p.put(")")
	}
	if e.Filter != nil {
		p.clause(" FILTER (WHERE ", e.Filter)
		p.put(")")
	}
	if e.Over != nil {
		p.put(" OVER ")
		p.window(e.Over, true)
	}
}

// bareFunctions are keywords that DuckDB takes for a function only, or another one, without quotes.
var bareFunctions = wordSet("coalesce grouping grouping_id nullif substring trim")

// formatFunction quotes a function's name that isn't plain.
func formatFunction(name string) string {
	if bareFunctions[name] {
		return name
	}
	for i, r := range name {
		if !isNamePart(r) || i == 0 && !isNameStart(r) {
			return formatIdent(Ident{Text: name, Quoted: true})
		}
	}
	if functionWords[name] || reservedWords[name] || plainWords[name] {
		return formatIdent(Ident{Text: name, Quoted: true})
	}
	return name
}

func (p *printer) star(e *Star) {
	for _, q := range e.Qualifier {
		p.put(formatIdent(q), ".")
	}
	p.put("*")
	p.starNames(" EXCLUDE (", e.Exclude, false)
	if len(e.Replace) > 0 {
		p.put(" REPLACE (")
		p.items(e.Replace)
		p.put(")")
	}
	p.starNames(" RENAME (", e.Rename, true)
	if f := e.Filter; f != nil {
		p.put([]string{" ", " NOT "}[b2i(f.Not)], f.Op, " ", quoteText(f.Pattern))
		if f.Escape != nil {
			p.put(" ESCAPE ", quoteText(*f.Escape))
		}
	}
}

func (p *printer) starNames(word string, names []StarName, rename bool) {
	for i, n := range names {
		p.put([]string{", ", word}[b2i(i == 0)], formatName(n.Name))
		if rename {
			p.put(" AS ", formatIdent(n.To))
		}
	}
	if len(names) > 0 {
		p.put(")")
	}
}

// String gives the type as SQL spells it.
func (t TypeName) String() string {
	var b strings.Builder
	b.WriteString(t.Name)
	var parts []string
	for _, n := range t.Args {
		parts = append(parts, fmt.Sprint(n))
	}
	for i, child := range t.Children {
		if i < len(t.Fields) {
			parts = append(parts, formatIdent(Ident{Text: t.Fields[i], Quoted: true})+" "+child.String())
		} else {
			parts = append(parts, child.String())
		}
	}
	if len(parts) > 0 {
		b.WriteString("(" + strings.Join(parts, ", ") + ")")
	}
	for _, size := range t.Lists {
		if size > 0 {
			fmt.Fprintf(&b, "[%d]", size)
		} else {
			b.WriteString("[]")
		}
	}
	return b.String()
}
