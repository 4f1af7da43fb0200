package sqltext

import "strings"

// nameOrCall rewrites a dotted name, or a function call.
func (r *rewriter) nameOrCall() frag {
	t := r.peek()
	pos := int(t.start)
	if r.peekAt(1).isSign("(") && (t.kind == tokQuoted || namesFunction(t.text)) {
		r.advance()
		return r.call(pos, r.nameText(t))
	}
	if t.kind == tokWord && !namesColumn(t.text) {
		if reservedWords[t.text] && !r.peekAt(1).isSign(".") {
			r.unexpected("an expression")
			return frag{}
		}
		r.failHint(pos, "put it in quotes to use it as a name", "syntax error near %q: %s is a keyword", near(r.text, pos), strings.ToUpper(t.text))
		return frag{}
	}
	first, _ := r.label()
	parts := []Ident{first}
	for r.peek().isSign(".") && !r.peekAt(1).isSign("*") && r.err == nil {
		r.advance()
		part, _ := r.label()
		parts = append(parts, part)
	}
	if r.err != nil {
		return frag{}
	}
	if r.peek().isSign("(") {
		if len(parts) == 1 {
			r.unexpected("")
			return frag{}
		}
		return r.qualifiedCall(pos, parts)
	}
	if r.peek().isSign(".") { // t.*
		r.failHint(pos, "a star stands as a column of SELECT or in count(*)", "unexpected star")
		return frag{}
	}
	return r.leaf(first.Text, &Name{At{pos}, parts})
}

func (r *rewriter) nameText(t *token) string {
	if t.kind == tokQuoted {
		return strings.ToLower(t.text)
	}
	return t.text
}

// qualifiedCall rewrites main.f(x) and system.main.f(x); behind other names a call takes what they name as its first argument.
func (r *rewriter) qualifiedCall(pos int, parts []Ident) frag {
	last := len(parts) - 1
	name := strings.ToLower(parts[last].Text)
	for i, p := range parts[:last] {
		part := strings.ToLower(p.Text)
		system := i == 0 && last == 2 && part == "system"
		if part != "main" && part != "pg_catalog" && !system {
			return r.chained(r.leaf(parts[0].Text, &Name{At{pos}, parts[:last]}), name)
		}
	}
	return r.call(pos, name)
}

// call rewrites the arguments of a function and what may follow them; first are arguments that stand before its name.
func (r *rewriter) call(pos int, name string, first ...frag) frag {
	call := FuncCall{At: At{pos}, Name: name}
	r.expectSign("(")
	args := first
	if len(first) == 0 || !r.peek().isSign(")") {
		args = append(args, r.arguments(&call, len(first))...)
	}
	r.expectSign(")")
	if r.words("within", "group") {
		r.accept("within", "group")
		if call.WithinGroup = true; hasOrder(args) {
			r.fail(pos, "WITHIN GROUP and ORDER BY among the arguments don't go together")
		}
		r.expectSign("(")
		args = append(args, r.orderBy()...)
		r.expectSign(")")
	}
	if r.peek().isWord("filter") && r.peekAt(1).isSign("(") {
		at := r.here()
		r.advance()
		r.expectSign("(")
		r.accept("where") // DuckDB lets the word away
		args = append(args, r.mark("filter", at, sideFilter{}, r.expr()))
		r.expectSign(")")
	}
	if r.words("ignore", "nulls") || r.words("respect", "nulls") {
		call.IgnoreNulls = r.advance().isWord("ignore")
		r.advance()
		if !r.peek().isWord("over") {
			r.unexpected("OVER")
		}
	}
	if r.accept("over") {
		args = append(args, r.over())
	}
	return r.mark(name, pos, sideCall{call}, args...)
}

// hasOrder tells whether an ORDER BY stands among the arguments just read.
func hasOrder(args []frag) bool {
	for _, a := range args {
		if a.top == topOrder {
			return true
		}
	}
	return false
}

// arguments rewrites what stands in the parentheses of a call, behind arguments that stand before it.
func (r *rewriter) arguments(call *FuncCall, before int) []frag {
	if r.peek().isSign(")") {
		// count() is count(*) in DuckDB.
		call.Star = call.Name == "count"
		return nil
	}
	if r.accept("distinct") {
		call.Distinct = true
	} else {
		r.accept("all")
	}
	if before == 0 && r.peek().isSign("*") && r.peekAt(1).isSign(")") {
		if call.Distinct {
			r.unexpected("an expression")
		}
		call.Star = true
		r.advance()
		return nil
	}
	var args []frag
	if !r.words("order", "by") {
		for first := true; first || r.acceptSign(","); first = false {
			args = append(args, r.argument(call, before+len(args)))
		}
	}
	if r.words("order", "by") {
		args = append(args, r.orderBy()...)
	}
	if r.words("ignore", "nulls") || r.words("respect", "nulls") {
		call.IgnoreNulls = r.advance().isWord("ignore")
		r.advance()
	}
	return args
}

// argument rewrites one argument: name := x, a lambda, or an expression.
func (r *rewriter) argument(call *FuncCall, n int) frag {
	t, next := r.peek(), r.peekAt(1)
	if (t.kind == tokWord || t.kind == tokQuoted) && (next.isSign(":=") || next.isSign("=>")) {
		name, _ := r.label()
		r.advance()
		for len(call.ArgNames) <= n {
			call.ArgNames = append(call.ArgNames, "")
		}
		call.ArgNames[n] = name.Text
	} else if call.ArgNames != nil {
		call.ArgNames = append(call.ArgNames, "")
	}
	if f, ok := r.lambda(call.Name); ok {
		return f
	}
	return r.element()
}

// element rewrites an argument or an item of a list, where *COLUMNS(...) may stand.
func (r *rewriter) element() frag {
	pos := r.here()
	switch {
	case r.peek().isSign("*") && r.peekAt(1).isWord("columns") && r.peekAt(2).isSign("("):
		r.advance()
		return r.mark("unpack", pos, sideUnpack{pos}, r.columns())
	case r.peek().isWord("unpack") && r.peekAt(1).isSign("(") && r.peekAt(2).isWord("columns"):
		r.advance()
		r.expectSign("(")
		f := r.mark("unpack", pos, sideUnpack{pos}, r.columns())
		r.expectSign(")")
		return f
	}
	return r.expr()
}

// lambda rewrites x -> body, (x, y) -> body or LAMBDA x, y: body as an argument of a function; false where there is none. An arrow in
// the body stands in parentheses unless LAMBDA comes first, as the first arrow would be its left operand.
func (r *rewriter) lambda(function string) (frag, bool) {
	pos, level := r.here(), levelOr
	if r.peek().isWord("lambda") {
		level = levelArrow
	}
	params, ok := r.lambdaParams(function)
	if !ok {
		return frag{}, false
	}
	return r.mark("lambda", pos, sideLambda{params, pos}, r.exprAt(level)), true
}

// lambdaCalls are the functions that take lambdas; among the arguments of others -> reads a field of a JSON text.
var lambdaCalls = map[string]bool{
	"apply": true, "list_apply": true, "array_apply": true, "list_transform": true, "array_transform": true, "filter": true, "list_filter": true,
	"array_filter": true, "reduce": true, "list_reduce": true, "array_reduce": true,
}

// lambdaParams passes over x ->, (x, y) -> or LAMBDA x, y: if that is what comes next.
func (r *rewriter) lambdaParams(function string) ([]Ident, bool) {
	start := r.pos
	if r.peek().isWord("lambda") {
		r.advance()
		params := []Ident{}
		for first := true; first || r.acceptSign(","); first = false {
			p, _ := r.ident()
			params = append(params, p)
		}
		r.expectSign(":")
		return params, r.err == nil
	}
	if !lambdaCalls[function] {
		return nil, false
	}
	end := start
	if r.peek().isSign("(") {
		end = int(r.match[start])
	}
	if end+1 >= len(r.toks) || !r.toks[end+1].isSign("->") {
		return nil, false
	}
	if end == start {
		p, ok := r.ident()
		r.advance()
		return []Ident{p}, ok
	}
	r.advance()
	var params []Ident
	for first := true; first || r.acceptSign(","); first = false {
		p, _ := r.ident()
		params = append(params, p)
	}
	r.expectSign(")")
	r.expectSign("->")
	return params, r.err == nil
}

// orderBy rewrites ORDER BY and its keys.
func (r *rewriter) orderBy() []frag {
	r.expect("order", "by")
	var keys []frag
	for first := true; first || r.acceptSign(","); first = false {
		keys = append(keys, r.orderKey())
	}
	return keys
}

func (r *rewriter) orderKey() frag {
	side := sideOrder{pos: r.here()}
	var key frag
	if r.peek().isWord("all") || r.peek().isSign("*") {
		key = r.leaf("all", &AllColumns{At{r.here()}})
		r.advance()
	} else {
		key = r.expr()
	}
	if r.accept("desc") {
		side.desc = true
	} else {
		r.accept("asc")
	}
	if r.peek().isWord("using") {
		r.unsupported(r.here(), "ORDER BY ... USING is not supported")
	}
	if r.accept("nulls") {
		first := r.peek().isWord("first")
		if !r.accept("first") {
			r.expect("last")
		}
		side.nulls = &first
	}
	f := r.mark("order", side.pos, side, key)
	f.top = topOrder
	return f
}

// specialCall rewrites the calls with a grammar of their own; false if the word is none of them.
func (r *rewriter) specialCall() (frag, bool) {
	t := r.peek()
	pos := int(t.start)
	switch t.text {
	case "cast", "try_cast":
		r.advance()
		r.expectSign("(")
		x := r.expr()
		r.expect("as")
		side := sideCast{to: r.typeName(), try: t.text == "try_cast", pos: pos}
		r.expectSign(")")
		return r.mark("cast", pos, side, x), true
	case "extract":
		r.advance()
		r.expectSign("(")
		part := r.peek()
		if part.kind != tokWord && part.kind != tokString && part.kind != tokQuoted {
			r.unexpected("a part, as YEAR or EPOCH,")
		}
		r.advance()
		r.expect("from")
		x := r.expr()
		r.expectSign(")")
		return r.mark("extract", pos, sideExtract{strings.ToLower(part.text), pos}, x), true
	case "exists":
		if r.queryAhead(r.pos + 1) {
			r.advance()
			f := cat(one("EXISTS ", pos), r.subquery())
			// As an operand it goes into parentheses: the tidb parser would make one node of NOT EXISTS, at EXISTS.
			f.top = topUnary
			return f, true
		}
	case "row":
		r.advance()
		r.expectSign("(")
		items := r.exprs(")")
		r.expectSign(")")
		if len(items) == 1 {
			return r.mark("row", pos, sideCall{FuncCall{At: At{pos}, Name: "row"}}, items...), true
		}
		return r.mark("row", pos, sideRow{pos}, items...), true
	case "position", "substring", "trim", "overlay":
		return r.textCall()
	case "columns":
		return r.columns(), true
	case "unpack":
		r.failHint(pos, "the arguments of a call, the items of a list and of IN are such places", "UNPACK(...) can't stand here")
		return frag{}, true
	case "treat", "xmlforest", "xmlparse", "xmlroot":
		r.unsupported(pos, "%s(...) is not supported in an expression", strings.ToUpper(t.text))
		return frag{}, true
	}
	return frag{}, false
}

// textCall rewrites the forms of POSITION, SUBSTRING and TRIM that words stand in, as calls with plain arguments.
func (r *rewriter) textCall() (frag, bool) {
	t := r.advance()
	pos := int(t.start)
	call := FuncCall{At: At{pos}, Name: t.text}
	r.expectSign("(")
	var args []frag
	switch t.text {
	case "position":
		call.Name = "strpos"
		part := r.exprAt(levelOp)
		r.expect("in")
		args = []frag{r.exprAt(levelOp), part}
	case "substring":
		args = r.exprs(")")
		if len(args) == 1 && r.peek().isWord("from", "for") {
			args = append(args, r.leaf("number", &NumberLit{At{pos}, "1"}))
			if r.accept("from") {
				args[1] = r.expr()
			}
			if r.accept("for") {
				args = append(args, r.expr())
			}
		}
	case "overlay":
		args = r.overlay()
	case "trim":
		switch {
		case r.accept("leading"):
			call.Name = "ltrim"
		case r.accept("trailing"):
			call.Name = "rtrim"
		default:
			r.accept("both")
		}
		if !r.peek().isWord("from") {
			args = r.exprs(")")
		}
		if len(args) <= 1 && r.accept("from") {
			args = append([]frag{r.expr()}, args...)
		}
	}
	r.expectSign(")")
	return r.mark(call.Name, pos, sideCall{call}, args...), true
}

// overlay rewrites the arguments of OVERLAY(text PLACING part FROM n [FOR m]).
func (r *rewriter) overlay() []frag {
	args := r.exprs(")")
	if len(args) != 1 {
		return args
	}
	r.expect("placing")
	args = append(args, r.expr())
	r.expect("from")
	args = append(args, r.expr())
	if r.accept("for") {
		args = append(args, r.expr())
	}
	return args
}
