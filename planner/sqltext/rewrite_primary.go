package sqltext

import (
	"strings"
)

// primary rewrites an operand without what may follow it.
func (r *rewriter) primary() frag {
	t := r.peek()
	pos := int(t.start)
	switch t.kind {
	case tokNumber:
		r.advance()
		return r.leaf("number", &NumberLit{At{pos}, t.text})
	case tokString:
		r.advance()
		return r.leaf("text", &StringLit{At{pos}, t.text})
	case tokParam:
		r.advance()
		return r.leaf("param", &ParamRef{At{pos}, int(t.index)})
	case tokQuoted:
		return r.nameOrCall()
	case tokWord:
		return r.word()
	case tokSign:
		switch t.text {
		case "(":
			return r.parens()
		case "[":
			return r.listLit(pos)
		case "{":
			if f, ok := r.escape(); ok {
				return f
			}
			return r.structLit(pos)
		case "@":
			if r.peekAt(1).isSign("@") {
				return r.serverVariable(pos)
			}
			r.failHint(pos, "write abs(x)", "the operator %q is not supported", "@")
			return frag{}
		}
	}
	r.unexpected("an expression")
	return frag{}
}

// ServerVariable is the name of the function that stands for reading a variable of MySQL's, as @@version; its argument is the name.
const ServerVariable = "@@"

// serverVariable rewrites MySQL's @@version, @@global.version and their kin, which tools probe a server by.
func (r *rewriter) serverVariable(pos int) frag {
	r.advance()
	r.advance()
	if r.peek().isWord("session", "global") && r.peekAt(1).isSign(".") {
		r.advance()
		r.advance()
	}
	name, _ := r.label()
	text := r.leaf("text", &StringLit{At{pos}, strings.ToLower(name.Text)})
	return r.mark("variable", pos, sideCall{FuncCall{At: At{pos}, Name: ServerVariable}}, text)
}

// word rewrites an operand that starts with a bare word.
func (r *rewriter) word() frag {
	t, next := r.peek(), r.peekAt(1)
	pos := int(t.start)
	if next.isSign("(") {
		if f, ok := r.specialCall(); ok {
			return f
		}
	}
	switch t.text {
	case "null":
		r.advance()
		return r.leaf("null", &NullLit{At{pos}})
	case "true", "false":
		r.advance()
		return r.leaf(t.text, &BoolLit{At{pos}, t.text == "true"})
	case "case":
		return r.caseExpr()
	case "interval":
		if next.kind == tokString || next.kind == tokNumber || next.isSign("(") {
			return r.interval()
		}
	case "array":
		if next.isSign("[") {
			r.advance()
			return r.listLit(pos)
		}
		if next.isSign("(") && r.queryAhead(r.pos+1) {
			r.advance()
			return r.mark("array", pos, sideArray{pos}, r.subquery())
		}
	case "map":
		if next.isSign("{") {
			return r.mapLit()
		}
	}
	if f, ok := r.typedLit(); ok {
		return f
	}
	return r.nameOrCall()
}

// typedLit rewrites DATE '...', TIMESTAMP WITH TIME ZONE '...' and the like: a type and a text.
func (r *rewriter) typedLit() (frag, bool) {
	t, next := r.peek(), r.peekAt(1)
	pos := int(t.start)
	if _, known := typeNames[t.text]; !known {
		if next.kind == tokString && !reservedWords[t.text] {
			r.fail(int(t.start), "syntax error near %q: there is no type %q for the text", near(r.text, pos), t.text)
			return frag{}, true
		}
		return frag{}, false
	}
	// Only a type that a text follows is a literal; else the word is a name.
	end := r.pos + 1
	switch {
	case next.isWord("with", "without", "precision", "varying"):
		for r.toks[end].isWord("with", "without", "time", "zone", "precision", "varying") {
			end++
		}
	case next.isSign("("):
		end = int(r.match[end]) + 1
	}
	if end >= len(r.toks) || r.toks[end].kind != tokString {
		return frag{}, false
	}
	typ := r.typeName()
	value := r.peek()
	if r.err != nil || value.kind != tokString {
		r.unexpected("a text")
		return frag{}, true
	}
	r.advance()
	return r.leaf("literal", &TypedLit{At{pos}, typ, value.text}), true
}

// interval rewrites INTERVAL '2 hours', INTERVAL '1' DAY, INTERVAL 3 MINUTE and INTERVAL (x) DAY.
func (r *rewriter) interval() frag {
	pos := r.here()
	r.advance()
	var value frag
	text := false
	switch t := r.peek(); t.kind {
	case tokString:
		value, text = r.leaf("text", &StringLit{At{int(t.start)}, t.text}), true
		r.advance()
	case tokNumber:
		if strings.ContainsAny(t.text, ".eE") {
			r.failHint(int(t.start), "put it in parentheses", "INTERVAL takes a whole number")
		}
		value = r.leaf("number", &NumberLit{At{int(t.start)}, t.text})
		r.advance()
	default:
		r.expectSign("(")
		value = r.expr()
		r.expectSign(")")
	}
	unit := ""
	if t := r.peek(); t.kind == tokWord && intervalUnits[t.text] != "" {
		unit = intervalUnits[t.text]
		r.advance()
		if r.peek().isWord("to") {
			r.unsupported(r.here(), "INTERVAL with two units is not supported")
		}
	} else if !text {
		r.unexpected("a unit, as DAY or HOUR,")
	}
	return r.mark("interval", pos, sideInterval{unit, pos}, value)
}

// caseExpr rewrites CASE; the words are the tidb grammar's own.
func (r *rewriter) caseExpr() frag {
	pos := r.here()
	r.expect("case")
	out := one("CASE", pos)
	if !r.peek().isWord("when") {
		out = cat(out, one(" ", r.here()), paren(r.expr()))
	}
	for first := true; first || r.peek().isWord("when"); first = false {
		at := r.here()
		r.expect("when")
		cond := r.expr()
		then := r.here()
		r.expect("then")
		out = cat(out, one(" WHEN ", at), paren(cond), one(" THEN ", then), paren(r.expr()))
	}
	if at := r.here(); r.accept("else") {
		out = cat(out, one(" ELSE ", at), paren(r.expr()))
	}
	r.expect("end")
	out = cat(out, one(" END", pos))
	out.depth++
	return out
}

// parens rewrites what starts with a parenthesis: a subquery, an expression, a row, or a lambda's parameters.
func (r *rewriter) parens() frag {
	pos := r.here()
	if r.queryAhead(r.pos) {
		return r.subquery()
	}
	r.expectSign("(")
	if r.peek().isSign(")") {
		r.unexpected("an expression")
		return frag{}
	}
	first := r.expr()
	if !r.peek().isSign(",") {
		r.expectSign(")")
		return cat(one("(", pos), first, one(")", pos))
	}
	items := []frag{first}
	for r.acceptSign(",") {
		items = append(items, r.element())
	}
	r.expectSign(")")
	return r.mark("row", pos, sideRow{pos}, items...)
}

// listLit rewrites [a, b].
func (r *rewriter) listLit(pos int) frag {
	r.expectSign("[")
	if r.acceptSign("]") {
		return r.mark("list", pos, sideList{pos})
	}
	items := r.exprs("]")
	if r.peek().isWord("for") {
		return r.comprehension(pos, items)
	}
	r.expectSign("]")
	return r.mark("list", pos, sideList{pos}, items...)
}

// comprehension rewrites [body FOR x[, i] IN list IF condition], of which the body is read: what DuckDB makes of it too.
func (r *rewriter) comprehension(pos int, body []frag) frag {
	at := r.here()
	if len(body) != 1 {
		r.fail(at, "a list comprehension has one expression before FOR")
		return frag{}
	}
	r.expect("for")
	params := []Ident{}
	for first := true; first || r.acceptSign(","); first = false {
		p, _ := r.ident()
		params = append(params, p)
	}
	r.expect("in")
	source := r.exprAt(levelOr)
	call := func(name string, list, lambda frag) frag {
		return r.mark(name, pos, sideCall{FuncCall{At: At{pos}, Name: name}}, list, r.mark("lambda", pos, sideLambda{params, pos}, lambda))
	}
	if r.accept("if") {
		if len(params) > 1 {
			r.unsupported(at, "IF in a list comprehension with an index is not supported")
		}
		source = call("list_filter", source, r.expr())
	}
	r.expectSign("]")
	return call("list_transform", source, body[0])
}

// escape rewrites the escapes of ODBC and JDBC, {fn call}, {d 'date'}, {t 'time'} and {ts 'timestamp'}; false where it is none.
// Source: JDBC 4.3, 13.4.
func (r *rewriter) escape() (frag, bool) {
	t, next := r.peekAt(1), r.peekAt(2)
	types := map[string]string{"d": "DATE", "t": "TIME", "ts": "TIMESTAMP"}
	switch {
	case t.isWord("fn") && (next.kind == tokWord || next.kind == tokQuoted):
		r.advance()
		r.advance()
		f := r.escapedCall()
		r.expectSign("}")
		return f, true
	case t.kind == tokWord && types[t.text] != "" && next.kind == tokString:
		pos := r.here()
		r.pos += 3
		r.expectSign("}")
		return r.leaf("typed", &TypedLit{At{pos}, TypeName{Name: types[t.text], Pos: pos}, next.text}), true
	}
	return frag{}, false
}

// EscapedPrefix begins the names of the functions that mean something else within {fn ...}.
const EscapedPrefix = "fn "

// escapedCall rewrites the call within {fn ...}, where some functions are not those of SQL. Source: JDBC 4.3, appendix C; ODBC 3.8,
// appendix E.
func (r *rewriter) escapedCall() frag {
	t, pos := r.peek(), r.here()
	if !r.peekAt(1).isSign("(") || !t.isWord("char", "convert", "dayofweek", "insert", "length", "log", "octet_length", "rand") {
		return r.primary()
	}
	r.advance()
	return r.call(pos, EscapedPrefix+t.text)
}

// structLit rewrites {'a': 1, b: 2}.
func (r *rewriter) structLit(pos int) frag {
	r.expectSign("{")
	side := sideStruct{pos: pos}
	var values []frag
	for first := true; first || r.acceptSign(","); first = false {
		t := r.peek()
		if !first && t.isSign("}") {
			break
		}
		switch t.kind {
		case tokString, tokQuoted:
			side.names = append(side.names, t.text)
		case tokWord:
			side.names = append(side.names, r.text[t.start:t.end])
		default:
			r.unexpected("a field's name")
		}
		side.at = append(side.at, int(t.start))
		r.advance()
		r.expectSign(":")
		values = append(values, r.expr())
	}
	r.expectSign("}")
	return r.mark("struct", pos, side, values...)
}

// mapLit rewrites MAP {k: v}, which is map([k], [v]).
func (r *rewriter) mapLit() frag {
	pos := r.here()
	r.advance()
	r.expectSign("{")
	var keys, values []frag
	for !r.peek().isSign("}") && r.err == nil {
		keys = append(keys, r.expr())
		r.expectSign(":")
		values = append(values, r.expr())
		if !r.acceptSign(",") {
			break
		}
	}
	r.expectSign("}")
	call := FuncCall{At: At{pos}, Name: "map"}
	return r.mark("map", pos, sideCall{call}, r.mark("list", pos, sideList{pos}, keys...), r.mark("list", pos, sideList{pos}, values...))
}

// postfix rewrites what follows an operand and binds tightest: [i], [a:b], .field, ::type.
func (r *rewriter) postfix(f frag) frag {
	for r.err == nil {
		switch t := r.peek(); {
		case t.isSign("["):
			f = r.subscript(f)
		case t.isSign("::"):
			r.advance()
			at := headPos(f)
			f = r.mark("cast", at, sideCast{to: r.typeName(), pos: at}, f)
		case t.isSign("."):
			f = r.field(f)
		default:
			return f
		}
	}
	return f
}

func (r *rewriter) field(f frag) frag {
	r.advance()
	t := r.peek()
	if t.isSign("*") {
		r.unsupported(int(t.start), "a star behind an expression is not supported")
		return f
	}
	name, ok := r.label()
	if !ok {
		return f
	}
	if r.peek().isSign("(") {
		return r.chained(f, r.nameText(t))
	}
	return r.mark("field", headPos(f), sideField{name}, f)
}

// chained rewrites x.f(y), which is f(x, y).
func (r *rewriter) chained(x frag, name string) frag {
	return r.call(headPos(x), name, x)
}

func (r *rewriter) subscript(f frag) frag {
	at := headPos(f)
	r.expectSign("[")
	var lo, hi frag
	var side sideSlice
	if !r.peek().isSign(":") {
		lo, side.lo = r.expr(), true
	}
	if r.acceptSign("]") {
		return r.mark("at", at, sideSubscript{}, f, lo)
	}
	r.expectSign(":")
	args := []frag{f}
	if side.lo {
		args = append(args, lo)
	}
	switch {
	case r.peek().isSign("-") && r.peekAt(1).isSign(":"):
		r.advance()
	case !r.peek().isSign("]") && !r.peek().isSign(":"):
		hi, side.hi = r.expr(), true
		args = append(args, hi)
	}
	if r.acceptSign(":") && !r.peek().isSign("]") {
		side.step = true
		args = append(args, r.expr())
	}
	r.expectSign("]")
	return r.mark("slice", at, side, args...)
}

// label reads any word or quoted name, as it may stand behind a point or AS.
func (r *rewriter) label() (Ident, bool) {
	t := r.peek()
	switch t.kind {
	case tokWord:
		r.advance()
		return Ident{Text: r.text[t.start:t.end]}, true
	case tokQuoted:
		r.advance()
		return Ident{Text: t.text, Quoted: true}, true
	}
	r.unexpected("a name")
	return Ident{}, false
}

// ident reads a name that is no keyword where one can't stand: of a column, table or alias.
func (r *rewriter) ident() (Ident, bool) {
	t := r.peek()
	if t.kind == tokWord && !namesColumn(t.text) {
		r.failHint(int(t.start), `put it in quotes to use it as a name`, "syntax error near %q: a name expected, and %s is a keyword",
			near(r.text, int(t.start)), strings.ToUpper(t.text))
		return Ident{}, false
	}
	return r.label()
}

// dotted reads a name with points as one text.
func (r *rewriter) dotted() string {
	name, _ := r.label()
	text := name.Text
	for r.acceptSign(".") {
		part, _ := r.label()
		text += "." + part.Text
	}
	return text
}
