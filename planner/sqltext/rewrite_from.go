package sqltext

import "strings"

func upper(s string) string { return strings.ToUpper(s) }

// from rewrites FROM and its table expressions.
func (r *rewriter) from() frag {
	pos := r.here()
	r.expect("from")
	var out []frag
	for first := true; first || r.acceptSign(","); first = false {
		if !first && r.endOfItems() {
			break
		}
		out = append(out, r.tableExpr())
	}
	return cat(one(" FROM ", pos), list(out))
}

// tableExpr rewrites a table with all that is joined to it. Every join becomes an inner join of the tidb grammar, whose
// condition is a marker that says which kind it is; a join without condition there is one made by a comma.
func (r *rewriter) tableExpr() frag {
	if !r.enter() {
		return frag{}
	}
	defer r.leave()
	left := r.tableTerm()
	for chain := 0; r.err == nil; chain++ {
		if chain > MaxDepth {
			r.fail(r.here(), "more than %d joins follow each other", MaxDepth)
		}
		switch {
		case r.peek().isWord("unpivot"):
			left = r.unpivotTable(left)
			continue
		case r.peek().isWord("pivot"):
			left = r.pivotTable(left)
			continue
		}
		side, ok := r.joinWords()
		if !ok {
			return left
		}
		left = r.join(left, side)
	}
	return left
}

func (r *rewriter) join(left frag, side sideJoin) frag {
	needsCondition := !side.natural && side.kind != "CROSS" && side.kind != "POSITIONAL"
	right := r.tableTerm()
	if needsCondition {
		// a JOIN b JOIN c ON x ON y: the inner join comes first.
		for depth := 0; r.err == nil && !r.peek().isWord("on", "using"); depth++ {
			inner, ok := r.joinWords()
			if !ok {
				r.unexpected("ON or USING")
				return frag{}
			}
			if depth > MaxNesting {
				r.fail(inner.pos, "the statement nests too deep")
			}
			right = r.join(right, inner)
		}
	}
	var condition []frag
	switch {
	case !needsCondition:
	case r.accept("using"):
		side.using, side.usingAt = r.identsAt()
	default:
		r.expect("on")
		condition = []frag{r.expr()}
	}
	on := r.mark("join", side.pos, side, condition...)
	f := cat(left, one(" JOIN ", side.pos), paren(right), one(" ON ", side.pos), on)
	f.top = topOp
	if f.depth++; f.depth > MaxDepth {
		r.tooDeep(side.pos)
	}
	return f
}

// joinWords passes over the words of a join; false if none follows.
func (r *rewriter) joinWords() (sideJoin, bool) {
	side := sideJoin{kind: "INNER", pos: r.here()}
	t := r.peek()
	start := r.pos
	if r.accept("natural") {
		side.natural = true
	} else if r.accept("asof") {
		side.asof = true
	}
	switch {
	case r.pos == start && r.peek().isWord("cross", "positional"):
		side.kind = upper(r.advance().text)
	case r.accept("inner"):
	case r.peek().isWord("semi", "anti"):
		side.kind = upper(r.advance().text)
	case r.peek().isWord("left", "right", "full"):
		side.kind = upper(r.advance().text)
		r.accept("outer")
		if t := r.peek(); t.isWord("semi", "anti", "asof") {
			r.failHint(int(t.start), "write ASOF before the side, and SEMI JOIN or ANTI JOIN without one", "syntax error near %q", near(r.text, int(t.start)))
		}
	}
	if r.pos == start && !r.peek().isWord("join") {
		if t.isWord("straight_join") {
			r.unexpected("")
		}
		return side, false
	}
	r.expect("join")
	return side, r.err == nil
}

// tableTerm rewrites one table, subquery, VALUES, table function, or join in parentheses; its alias may stand before it, as in
// FROM s: sales.
func (r *rewriter) tableTerm() frag {
	var alias *Ident
	if t := r.peek(); (t.kind == tokWord || t.kind == tokQuoted) && r.peekAt(1).isSign(":") {
		name, _ := r.ident()
		r.advance()
		alias = &name
	}
	pos := r.here()
	lateral := r.accept("lateral")
	t := r.peek()
	switch {
	case t.isSign("(") && r.peekAt(1).isWord("summarize"):
		r.advance()
		q := r.summarized()
		r.expectSign(")")
		return r.derived(q, sideTable{pos: pos, summary: "SUMMARIZE", alias: alias})
	case t.isSign("(") && r.peekAt(1).isWord("describe", "desc", "show"):
		return r.listing(alias)
	case r.queryAhead(r.pos):
		return r.derived(r.subquery(), sideTable{pos: pos, lateral: lateral, alias: alias})
	case t.isWord("values") && r.peekAt(1).isSign("("):
		return r.derived(inParens(r.values()), sideTable{pos: pos, lateral: lateral, alias: alias})
	case t.isSign("(") && !lateral && alias == nil:
		r.advance()
		f := r.tableExpr()
		r.expectSign(")")
		if t := r.peek(); t.isWord("as") || t.kind == tokQuoted || t.kind == tokWord && namesColumn(t.text) {
			r.unsupported(int(t.start), "an alias of a join in parentheses is not supported")
		}
		return paren(f)
	case t.isSign("{") && r.peekAt(1).isWord("oj"): // ODBC's {oj a LEFT OUTER JOIN b ON ...}
		r.pos += 2
		f := r.tableExpr()
		r.expectSign("}")
		return paren(f)
	case t.kind == tokString:
		r.failHint(int(t.start), "name a table", "a text is no table: files are not read")
		return frag{}
	case (t.kind == tokQuoted || t.kind == tokWord && namesFunction(t.text)) && r.peekAt(1).isSign("("):
		return r.tableFunction(sideTable{pos: pos, lateral: lateral, call: true, alias: alias})
	case lateral:
		r.unexpected("a query in parentheses or a function")
		return frag{}
	}
	return r.tableName(alias)
}

// derived rewrites the alias of a subquery in FROM.
func (r *rewriter) derived(query frag, side sideTable) frag {
	if side.alias == nil {
		side.alias, side.columns = r.tableAlias()
	}
	side.sample = r.tableSample()
	return cat(query, one(" AS "+marker("table", r.add(side)), side.pos))
}

// tableFunction rewrites f(x) AS t(a) as a subquery with the call as its column.
func (r *rewriter) tableFunction(side sideTable) frag {
	name := r.advance()
	at := int(name.start)
	call := r.call(at, r.nameText(name))
	side.ordinality = r.accept("with", "ordinality")
	return r.derived(cat(one("(SELECT ", at), call, one(")", at)), side)
}

// tableName rewrites a table's dotted name with AS OF and alias.
func (r *rewriter) tableName(alias *Ident) frag {
	side := sideTable{pos: r.here(), name: r.tablePath(), alias: alias}
	var asOf frag
	if r.words("as", "of", "timestamp") || r.words("as", "of", "system", "time") {
		at := r.here()
		if r.pos += 2; r.peek().isWord("system") {
			r.unsupported(at, "AS OF SYSTEM TIME is not supported: write AS OF TIMESTAMP")
		}
		r.expect("timestamp")
		asOf = cat(one(" AS OF TIMESTAMP ", at), paren(r.exprAt(levelOp)))
	}
	if alias == nil {
		side.alias, side.columns = r.tableAlias()
	}
	side.sample = r.tableSample()
	return cat(one(marker("table", r.add(side)), side.pos), asOf)
}

// listing rewrites (DESCRIBE t) and (SHOW ALL TABLES) as a table, (DESCRIBE query) as a subquery.
func (r *rewriter) listing(alias *Ident) frag {
	r.advance()
	side := sideTable{pos: r.here(), listing: Describe, alias: alias}
	switch {
	case r.words("show", "all", "tables"):
		r.pos += 3
		side.listing = ShowAllTables
	case r.accept("show"):
		r.unsupported(side.pos, "of SHOW only SHOW ALL TABLES can stand in FROM")
	default:
		r.advance()
		if t := r.peek(); t.isWord("select", "with", "from", "values", "pivot", "unpivot") || r.queryAhead(r.pos) {
			q := inParens(r.query().frag)
			r.expectSign(")")
			return r.derived(q, sideTable{pos: side.pos, summary: "DESCRIBE", alias: alias})
		}
		r.accept("table")
		side.pos = r.here()
		side.name = r.tablePath()
	}
	r.expectSign(")")
	if alias == nil {
		side.alias, side.columns = r.tableAlias()
	}
	side.sample = r.tableSample()
	return one(marker("table", r.add(side)), side.pos)
}

// tablePath reads the dotted name of a table.
func (r *rewriter) tablePath() []Ident {
	pos := r.here()
	first, _ := r.ident()
	path := []Ident{first}
	for r.acceptSign(".") {
		part, _ := r.label()
		path = append(path, part)
	}
	if r.peek().isSign("(") {
		r.unsupported(pos, "a table function behind a point is not supported")
	}
	return path
}

// tableAlias reads [AS] t [(a, b)].
func (r *rewriter) tableAlias() (*Ident, []Ident) {
	t := r.peek()
	switch {
	case r.accept("as"):
		if s := r.peek(); s.kind == tokString {
			r.unexpected("a name")
		}
	case t.kind == tokQuoted || t.kind == tokWord && namesColumn(t.text):
	default:
		return nil, nil
	}
	name, _ := r.ident()
	if r.peek().isSign("(") {
		return &name, r.identList()
	}
	return &name, nil
}
