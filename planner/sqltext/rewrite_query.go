package sqltext

// queryAhead tells whether the parenthesis at token i holds a query, and not an expression or a join.
func (r *rewriter) queryAhead(i int) bool {
	if !r.toks[i].isSign("(") {
		return false
	}
	next := &r.toks[i+1]
	if next.isWord("select", "with", "from", "table", "pivot", "unpivot", "summarize") {
		return true
	}
	if next.isWord("values") {
		return r.toks[i+2].isSign("(")
	}
	if !r.queryAhead(i + 1) {
		return false
	}
	after := &r.toks[r.match[i+1]+1]
	return after.isSign(")") || after.isWord("union", "except", "intersect", "order", "limit", "offset", "fetch")
}

// subquery rewrites (query).
func (r *rewriter) subquery() frag {
	pos := r.here()
	r.expectSign("(")
	q := r.query()
	r.expectSign(")")
	return cat(one("(", pos), q.frag, one(")", pos))
}

// queryFrag is a rewritten query; extra tells that WITH, ORDER BY, LIMIT or OFFSET stand in it at its own level.
type queryFrag struct {
	frag
	extra bool
	set   bool // a set operation
}

// query rewrites [WITH ...] body [ORDER BY ...] [LIMIT ...] [OFFSET ...].
func (r *rewriter) query() queryFrag {
	if !r.enter() {
		return queryFrag{}
	}
	defer r.leave()
	if pos := r.here(); r.peek().isWord("summarize") {
		table := cat(r.summarized(), one(" AS "+marker("table", r.add(sideTable{pos: pos, summary: "SUMMARIZE"})), pos))
		return queryFrag{frag: r.allOf(pos, table)}
	}
	var with frag
	if r.peek().isWord("with") {
		with = r.with()
	}
	body := r.setOps()
	tail := r.tail()
	if with.head == nil && tail.head == nil || r.err != nil {
		return body
	}
	if body.extra {
		body = r.wrapQuery(body, sideParens{})
	}
	return queryFrag{frag: cat(with, body.frag, tail), extra: true, set: body.set}
}

// wrapQuery makes a query in parentheses the source of a SELECT that only stands for it, so that its own WITH, ORDER BY
// and LIMIT stay apart from those outside, or something can be said of it.
func (r *rewriter) wrapQuery(q queryFrag, what any) queryFrag {
	pos := headPos(q.frag)
	alias := marker("query", r.add(sideTable{pos: pos}))
	star := r.mark("query", pos, what)
	return queryFrag{frag: cat(one("SELECT ", pos), star, one(" FROM (", pos), q.frag, one(") AS "+alias, pos))}
}

func (r *rewriter) with() frag {
	pos := r.here()
	r.expect("with")
	out := one("WITH ", pos)
	if r.accept("recursive") {
		out = one("WITH RECURSIVE ", pos)
	}
	for first := true; first || r.acceptSign(","); first = false {
		if !first {
			out = cat(out, one(", ", r.here()))
		}
		out = cat(out, r.cte())
	}
	return cat(out, one(" ", r.here()))
}

func (r *rewriter) cte() frag {
	side := sideCTE{pos: r.here()}
	side.name, _ = r.ident()
	if r.peek().isSign("(") {
		side.columns = r.identList()
	}
	if r.peek().isWord("using") {
		r.unsupported(r.here(), "USING KEY is not supported")
	}
	r.expect("as")
	if !r.accept("not", "materialized") {
		r.accept("materialized")
	}
	if r.err == nil && !r.queryAhead(r.pos) {
		if r.peekAt(1).isWord("insert", "update", "delete", "merge") {
			r.unsupported(r.peekPos(1), "WITH of a statement that writes is not supported")
		}
		r.unexpected("a query in parentheses")
	}
	name := marker(side.name.Text, r.add(side))
	return cat(one(name+" AS ", side.pos), r.subquery())
}

func (r *rewriter) peekPos(n int) int { return int(r.peekAt(n).start) }

// identList reads (a, b).
func (r *rewriter) identList() []Ident {
	out, _ := r.identsAt()
	return out
}

// identsAt reads a list of names in parentheses, and where they stand.
func (r *rewriter) identsAt() (names []Ident, at []int) {
	r.expectSign("(")
	for first := true; first || r.acceptSign(","); first = false {
		at = append(at, r.here())
		name, _ := r.ident()
		names = append(names, name)
	}
	r.expectSign(")")
	return names, at
}

// setOps rewrites UNION and EXCEPT, which bind alike and looser than INTERSECT.
func (r *rewriter) setOps() queryFrag { return r.setChain(r.intersects, "union", "except") }

func (r *rewriter) intersects() queryFrag { return r.setChain(r.queryTerm, "intersect") }

func (r *rewriter) setChain(term func() queryFrag, ops ...string) queryFrag {
	left := term()
	for chain := 0; r.peek().isWord(ops...); chain++ {
		t := r.advance()
		if chain >= MaxSetOps {
			r.fail(int(t.start), "more than %d set operations follow each other", MaxSetOps)
		}
		op := map[string]string{"union": " UNION ", "except": " EXCEPT ", "intersect": " INTERSECT "}[t.text]
		if r.accept("all") {
			op += "ALL "
		} else {
			r.accept("distinct")
		}
		byName := t.isWord("union") && r.accept("by", "name")
		if chain == 0 {
			left = queryFrag{frag: inParens(left.frag)}
		}
		right := term()
		if byName {
			right = r.wrapQuery(right, sideByName{})
		}
		left = queryFrag{frag: cat(left.frag, one(op, int(t.start)), inParens(right.frag)), set: true}
	}
	return left
}

// queryTerm rewrites SELECT, VALUES, TABLE, FROM, or a query in parentheses.
func (r *rewriter) queryTerm() queryFrag {
	t := r.peek()
	switch {
	case t.isWord("select"), t.isWord("from"):
		return queryFrag{frag: r.selectBlock()}
	case t.isWord("values"):
		return queryFrag{frag: r.values()}
	case t.isWord("table"):
		return queryFrag{frag: r.tableQuery()}
	case t.isWord("unpivot"):
		return queryFrag{frag: r.unpivotQuery()}
	case t.isWord("pivot"):
		return queryFrag{frag: r.pivotQuery()}
	case t.isSign("("):
		r.advance()
		q := r.query()
		r.expectSign(")")
		return q
	}
	r.unexpected("SELECT")
	return queryFrag{}
}

// summarized rewrites SUMMARIZE with what stands behind it, a query or a table, as a subquery.
func (r *rewriter) summarized() frag {
	r.expect("summarize")
	pos, t := r.here(), r.peek()
	switch {
	case t.isWord("select", "with", "from", "table", "values", "pivot", "unpivot"), r.queryAhead(r.pos):
		return inParens(r.query().frag)
	case t.kind == tokString:
		r.failHint(pos, "name a table", "a text is no table: files are not read")
		return frag{}
	}
	table := marker("table", r.add(sideTable{pos: pos, name: r.tablePath()}))
	return inParens(r.allOf(pos, one(table, pos)))
}

// tableQuery rewrites TABLE t, which is SELECT * FROM t.
func (r *rewriter) tableQuery() frag {
	pos := r.here()
	r.expect("table")
	side := sideTable{pos: r.here(), name: r.tablePath()}
	return r.allOf(pos, one(marker("table", r.add(side)), side.pos))
}

// plainStar is a column that is a star, where the text has none.
func (r *rewriter) plainStar(pos int) frag {
	star := r.mark("star", pos, sideStar{star: Star{At: At{pos}}})
	return cat(star, one(" AS "+marker("item", r.add(sideItem{text: "*", pos: pos})), pos))
}

// values rewrites VALUES (...), (...).
func (r *rewriter) values() frag {
	pos := r.here()
	r.expect("values")
	var rows []frag
	width := 0
	for first := true; first || r.peek().isSign(",") && r.peekAt(1).isSign("("); first = false {
		if !first {
			r.advance()
		}
		at := r.here()
		r.expectSign("(")
		row := r.exprs(")")
		r.expectSign(")")
		if width == 0 {
			width = len(row)
		}
		if len(row) != width {
			r.fail(at, "the rows of VALUES have different numbers of columns")
		}
		rows = append(rows, r.mark("row", at, sideSet{}, row...))
	}
	return cat(one("SELECT ", pos), r.mark("values", pos, sideValues{pos}, rows...))
}

// tail rewrites ORDER BY, LIMIT, OFFSET and FETCH as keys of one ORDER BY.
func (r *rewriter) tail() frag {
	pos := r.here()
	var keys []frag
	if r.words("order", "by") {
		keys = r.orderBy()
	}
	limit, offset := false, false
	for r.err == nil {
		t := r.peek()
		at := int(t.start)
		switch {
		case t.isWord("limit") && !limit:
			limit = true
			keys = r.limit(keys, at)
		case t.isWord("offset") && !offset:
			offset = true
			r.advance()
			keys = append(keys, r.mark("offset", at, sideOffset{}, r.expr()))
			if !r.accept("rows") {
				r.accept("row")
			}
		case t.isWord("fetch") && !limit:
			limit = true
			keys = append(keys, r.fetch(at))
		default:
			if len(keys) == 0 {
				return frag{}
			}
			return cat(one(" ORDER BY ", pos), list(keys))
		}
	}
	return frag{}
}

func (r *rewriter) limit(keys []frag, at int) []frag {
	r.advance()
	if r.accept("all") {
		return keys
	}
	if r.percentAhead() {
		n := r.exprAt(levelUnary)
		if !r.acceptSign("%") && !r.accept("percent") {
			r.unexpected("a percentage")
		}
		return append(keys, r.mark("limit", at, sideLimit{percent: true}, n))
	}
	n := r.expr()
	if r.peek().isSign(",") {
		r.failHint(r.here(), "write LIMIT n OFFSET m", "syntax error near %q", near(r.text, r.here()))
	}
	return append(keys, r.mark("limit", at, sideLimit{}, n))
}

// percentAhead tells whether a percentage stands here: what comes ends in % or PERCENT.
func (r *rewriter) percentAhead() bool {
	i := r.pos
	for r.toks[i].kind != tokEnd && !r.toks[i].isSign(")") && !r.toks[i].isSign(";") && !r.toks[i].isWord("offset") {
		i = max(i, int(r.match[i])) + 1
	}
	last := &r.toks[i-1]
	return i-1 > r.pos && (last.isSign("%") || last.isWord("percent"))
}

func (r *rewriter) fetch(at int) frag {
	r.advance()
	if !r.accept("first") {
		r.expect("next")
	}
	n := r.leaf("number", &NumberLit{At{at}, "1"})
	if !r.peek().isWord("row", "rows") {
		n = r.expr()
	}
	if !r.accept("rows") {
		r.expect("row")
	}
	r.expect("only")
	return r.mark("limit", at, sideLimit{}, n)
}
