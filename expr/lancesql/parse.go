// Package lancesql reads Lance's own filter text, in the dialect of the engine that Lance uses (DataFusion), and gives
// it the meaning that it has there:
//
//	x, `x y`, a.b, a['b']     names; "x" and 'x' are texts
//	1.5                       a DOUBLE
//	/ on integers             whole-number division, an error for zero
//	+ - * on integers         in 64 bits
//	LIKE                      \ is the escape character, and no other can be set
//
// Source: docs/reference.md, 'Filters on values'; behaviour tried on pylance 14.
package lancesql

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// Precedences, loosest first.
const (
	precLowest = iota * 10
	precOr
	precAnd
	precNot
	precIs
	precCompare
	precAdd
	precMul
	precUnary
	precPostfix
)

type parser struct {
	src   string
	toks  []token
	i     int
	depth int
}

// Parse gives the unbound tree of a filter. Faults are *errs.SQLError with line and column.
func Parse(filter string) (expr.Expr, error) {
	toks, err := lex(filter)
	if err != nil {
		return nil, err
	}
	p := &parser{src: filter, toks: toks}
	e, err := p.expr(precLowest)
	if err != nil {
		return nil, err
	}
	p.take(";")
	if p.peek().kind != end {
		return nil, p.unexpected("the end of the filter")
	}
	return e, nil
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != end {
		p.i++
	}
	return t
}

// take eats a symbol.
func (p *parser) take(sym string) bool {
	if t := p.peek(); t.kind == symbol && t.s == sym {
		p.i++
		return true
	}
	return false
}

// is tells whether the words come next.
func (p *parser) is(words ...string) bool {
	for k, w := range words {
		if p.i+k >= len(p.toks) {
			return false
		}
		if t := p.toks[p.i+k]; t.kind != word || !strings.EqualFold(t.s, w) {
			return false
		}
	}
	return true
}

// takeWords eats the words if they come next.
func (p *parser) takeWords(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.i += len(words)
	return true
}

func (p *parser) fail(t token, msg string) error { return syntaxError(p.src, t.at, msg) }

func (p *parser) unexpected(want string) error {
	t := p.peek()
	found := t.s
	if t.kind == end {
		found = "the end"
	}
	return p.fail(t, "expected "+want+", found "+found)
}

func (p *parser) expect(sym string) error {
	if !p.take(sym) {
		return p.unexpected(sym)
	}
	return nil
}

// expr reads operators that bind more tightly than min.
func (p *parser) expr(min int) (expr.Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > MaxDepth {
		return nil, p.fail(p.peek(), "the filter is nested too deeply")
	}
	e, err := p.prefix()
	if err != nil {
		return nil, err
	}
	for {
		prec := p.infixPrec()
		if prec <= min {
			return e, nil
		}
		if e, err = p.infix(e, prec); err != nil {
			return nil, err
		}
	}
}

var compareOps = map[string]expr.CompareOp{"=": expr.Eq, "==": expr.Eq, "<>": expr.Ne, "!=": expr.Ne, "<": expr.Lt,
	"<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}

// Division is `//` of the tree: bind.go tells integers from floats.
var arithOps = map[string]expr.ArithOp{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.IntDiv, "%": expr.Mod,
	"||": expr.Concat}

func (p *parser) infixPrec() int {
	t := p.peek()
	switch t.kind {
	case symbol:
		if _, ok := compareOps[t.s]; ok {
			return precCompare
		}
		switch t.s {
		case "+", "-":
			return precAdd
		case "*", "/", "%", "||":
			return precMul
		case "[", "::":
			return precPostfix
		}
	case word:
		switch strings.ToUpper(t.s) {
		case "OR":
			return precOr
		case "AND":
			return precAnd
		case "IS":
			return precIs
		case "IN", "BETWEEN", "LIKE", "ILIKE", "NOT":
			return precCompare
		}
	}
	return precLowest
}

func (p *parser) infix(l expr.Expr, prec int) (expr.Expr, error) {
	t := p.next()
	if t.kind == word {
		return p.wordInfix(l, t, prec)
	}
	switch t.s {
	case "[":
		key, err := p.expr(precLowest)
		if err != nil {
			return nil, err
		}
		return subscript(l, key), p.expect("]")
	case "::":
		typ, err := p.typeName()
		return &expr.Cast{X: l, To: typ}, err
	}
	r, err := p.expr(prec)
	if err != nil {
		return nil, err
	}
	if op, ok := compareOps[t.s]; ok {
		return expr.Cmp(op, l, r), nil
	}
	op := arithOps[t.s]
	if op != expr.Concat {
		l, r = wide(l), wide(r)
	}
	return expr.Op(op, l, r), nil
}

// wide gives an integer literal as BIGINT: arithmetic with it is done in 64 bits.
func wide(e expr.Expr) expr.Expr {
	if l, ok := e.(*expr.Literal); ok && l.Typ.ID() == arrow.INT32 {
		return expr.CastTo(l, arrow.PrimitiveTypes.Int64)
	}
	return e
}

// subscript gives a['b'] as a path where a is one.
func subscript(l, key expr.Expr) expr.Expr {
	if k, ok := key.(*expr.Literal); ok {
		if name, ok := k.Value.(string); ok {
			if c, ok := l.(*expr.Column); ok {
				return expr.Path(c.Path.Child(name)...)
			}
			return &expr.Extract{X: l, Name: name}
		}
	}
	return &expr.Index{X: l, Key: key}
}

func (p *parser) wordInfix(l expr.Expr, t token, prec int) (expr.Expr, error) {
	switch strings.ToUpper(t.s) {
	case "AND", "OR":
		r, err := p.expr(prec)
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(t.s, "AND") {
			return expr.AllOf(l, r), nil
		}
		return expr.AnyOf(l, r), nil
	case "IS":
		return p.isTest(l)
	case "NOT":
		if !p.is("IN") && !p.is("BETWEEN") && !p.is("LIKE") && !p.is("ILIKE") {
			return nil, p.unexpected("IN, BETWEEN or LIKE")
		}
		e, err := p.wordInfix(l, p.next(), prec)
		if err != nil {
			return nil, err
		}
		return expr.Fn(negated, e), nil
	case "IN":
		if err := p.expect("("); err != nil {
			return nil, err
		}
		list, err := p.list(")")
		if err == nil && len(list) == 0 {
			err = p.fail(t, "IN needs a value")
		}
		return &expr.In{X: l, List: list}, err
	case "BETWEEN":
		lo, err := p.expr(precCompare)
		if err != nil {
			return nil, err
		}
		if !p.takeWords("AND") {
			return nil, p.unexpected("AND")
		}
		hi, err := p.expr(precCompare)
		return &expr.Between{X: l, Lo: lo, Hi: hi}, err
	}
	return p.like(l, strings.EqualFold(t.s, "ILIKE"))
}

func (p *parser) like(l expr.Expr, foldCase bool) (expr.Expr, error) {
	pat, err := p.expr(precCompare)
	if err != nil {
		return nil, err
	}
	if p.takeWords("ESCAPE") {
		if t := p.next(); t.kind != text || t.s != `\` {
			return nil, p.fail(t, `LIKE takes no escape character but \`)
		}
	}
	return &expr.Like{X: l, Pattern: pat, Escape: '\\', FoldCase: foldCase}, nil
}

func (p *parser) isTest(l expr.Expr) (expr.Expr, error) {
	not := p.takeWords("NOT")
	var e expr.Expr
	switch {
	case p.takeWords("NULL"):
		e = &expr.IsNull{X: l}
	case p.takeWords("TRUE"):
		e = &expr.IsTruth{X: l, Value: true}
	case p.takeWords("FALSE"):
		e = &expr.IsTruth{X: l}
	case p.takeWords("DISTINCT", "FROM"):
		r, err := p.expr(0) // Lance reads all that follows as the right side, AND and OR too
		if err != nil {
			return nil, err
		}
		if not {
			return expr.Cmp(expr.NotDistinct, l, r), nil
		}
		return expr.Cmp(expr.Distinct, l, r), nil
	default:
		return nil, p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
	}
	if not {
		e = expr.Negate(e)
	}
	return e, nil
}

// list reads values up to the closing symbol.
func (p *parser) list(closing string) ([]expr.Expr, error) {
	var out []expr.Expr
	if p.take(closing) {
		return nil, nil
	}
	for {
		e, err := p.expr(precLowest)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if p.take(closing) {
			return out, nil
		}
		if !p.take(",") {
			return nil, p.unexpected(", or " + closing)
		}
	}
}

var unsupportedWords = []string{"CASE", "INTERVAL", "EXISTS", "EXTRACT", "SELECT"}

func (p *parser) prefix() (expr.Expr, error) {
	t := p.next()
	switch t.kind {
	case number:
		return p.number(t)
	case text:
		return expr.Text(t.s), nil
	case quotedName:
		return p.path(t)
	case word:
		return p.wordPrefix(t)
	case symbol:
		switch t.s {
		case "(":
			e, err := p.expr(precLowest)
			if err != nil {
				return nil, err
			}
			return e, p.expect(")")
		case "-":
			return p.negative()
		case "[":
			list, err := p.list("]")
			return expr.Fn("list_value", list...), err
		}
	}
	p.i -= min(p.i, 1)
	if t.kind == end {
		p.i = len(p.toks) - 1
	}
	return nil, p.unexpected("a value")
}

func (p *parser) number(t token) (expr.Expr, error) {
	l, err := expr.ParseNumber(t.s)
	if err != nil {
		return nil, p.fail(t, t.s+" is no number")
	}
	if expr.KindOf(l.Typ) == expr.KindDecimal {
		v, err := expr.CastValue(t.s, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, nil)
		if err != nil {
			return nil, p.fail(t, t.s+" is no number")
		}
		f, _ := v.(float64)
		if !strings.ContainsAny(t.s, ".eE") { // a whole number of more than 64 bits stays exact
			return l, nil
		}
		return expr.Double(f), nil
	}
	return l, nil
}

// negative reads -x; the sign of a number belongs to it.
func (p *parser) negative() (expr.Expr, error) {
	x, err := p.expr(precUnary)
	if err != nil {
		return nil, err
	}
	if l, ok := x.(*expr.Literal); ok {
		if n, ok := l.Value.(int64); ok && n > 0 {
			return expr.Int(-n), nil
		}
		if f, ok := l.Value.(float64); ok {
			return expr.Double(-f), nil
		}
	}
	return &expr.Neg{X: x}, nil
}

func (p *parser) wordPrefix(t token) (expr.Expr, error) {
	upper := strings.ToUpper(t.s)
	switch upper {
	case "TRUE", "FALSE":
		return expr.Bool(upper == "TRUE"), nil
	case "NULL":
		return expr.Null(), nil
	case "NOT":
		x, err := p.expr(precNot)
		if err != nil {
			return nil, err
		}
		return expr.Negate(x), nil
	case "CAST", "TRY_CAST":
		if p.take("(") {
			return p.cast(upper == "TRY_CAST")
		}
	case "DATE", "TIMESTAMP", "TIME":
		if p.peek().kind == text {
			return p.typedText(t, upper)
		}
	}
	if slices.Contains(unsupportedWords, upper) && p.peek().kind != symbol {
		return nil, p.fail(t, upper+" can't stand in a Lance filter")
	}
	if p.take("(") {
		return p.function(t)
	}
	return p.path(t)
}

func (p *parser) typedText(t token, upper string) (expr.Expr, error) {
	s := p.next()
	var l *expr.Literal
	var err error
	switch upper {
	case "DATE":
		l, err = expr.ParseDate(s.s)
	case "TIME":
		l, err = expr.ParseTime(s.s)
	default:
		l, err = expr.ParseTimestamp(s.s)
	}
	if err != nil {
		return nil, p.fail(t, err.Error())
	}
	return l, nil
}

func (p *parser) cast(try bool) (expr.Expr, error) {
	x, err := p.expr(precLowest)
	if err != nil {
		return nil, err
	}
	if !p.takeWords("AS") {
		return nil, p.unexpected("AS")
	}
	typ, err := p.typeName()
	if err != nil {
		return nil, err
	}
	return &expr.Cast{X: x, To: typ, Try: try}, p.expect(")")
}

// path reads a name with the parts that follow it.
func (p *parser) path(first token) (expr.Expr, error) {
	parts := []string{first.s}
	for p.take(".") {
		t := p.next()
		if t.kind != word && t.kind != quotedName {
			p.i--
			return nil, p.unexpected("a name")
		}
		parts = append(parts, t.s)
	}
	return expr.Path(parts...), nil
}
