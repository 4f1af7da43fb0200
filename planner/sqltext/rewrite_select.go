package sqltext

import "slices"

// selectBlock rewrites one SELECT, or DuckDB's form that starts with FROM.
func (r *rewriter) selectBlock() frag {
	pos := r.here()
	var from frag
	if r.peek().isWord("from") {
		from = r.from()
		if !r.peek().isWord("select") {
			return r.selectRest(pos, sideSelect{pos: pos}, nil, []frag{r.plainStar(pos)}, from)
		}
	}
	r.expect("select")
	side := sideSelect{pos: pos}
	var on []frag
	switch {
	case r.words("distinct", "on"):
		r.accept("distinct", "on")
		r.expectSign("(")
		on = r.exprs(")")
		r.expectSign(")")
	case r.accept("distinct"):
		side.distinct = true
	default:
		r.accept("all")
	}
	items := []frag{r.item()}
	for r.acceptSign(",") {
		if r.endOfItems() {
			break
		}
		items = append(items, r.item())
	}
	if from.head == nil && r.peek().isWord("from") {
		from = r.from()
	}
	return r.selectRest(pos, side, on, items, from)
}

// endOfItems tells that a comma was the last thing in a list of columns, as DuckDB allows.
func (r *rewriter) endOfItems() bool {
	t := r.peek()
	return t.kind == tokEnd || t.isSign(")") || t.isSign(";") ||
		t.isWord("from", "where", "group", "having", "window", "qualify", "order", "limit", "offset", "union", "except", "intersect")
}

// selectRest rewrites what follows the FROM of a SELECT, and puts all together. DISTINCT ON, QUALIFY and WINDOW, which
// the tidb grammar lacks, stand as marked columns before the real ones.
func (r *rewriter) selectRest(pos int, side sideSelect, on, items []frag, from frag) frag {
	var columns []frag
	where := r.clause("where", " WHERE ")
	var group frag
	if at := r.here(); r.accept("group", "by") {
		group = cat(one(" GROUP BY ", at), r.groupBy())
	}
	having := r.clause("having", " HAVING ")
	if r.accept("window") {
		for first := true; first || r.acceptSign(","); first = false {
			at := r.here()
			name, _ := r.ident()
			r.expect("as")
			columns = append(columns, r.windowSpec(at, &name))
		}
	}
	if at := r.here(); r.accept("qualify") {
		columns = append(columns, r.mark("qualify", at, sideQualify{}, r.expr()))
	}
	if at := r.here(); r.accept("using", "sample") {
		side.sample = r.sample(at)
	}
	if r.peek().isWord("into") {
		r.unsupported(r.here(), "SELECT INTO is not supported")
	}
	if from.head == nil {
		// The tidb grammar has GROUP BY and HAVING only behind FROM.
		from = one(" FROM "+marker("nothing", r.add(sideNothing{})), pos)
	}
	return cat(one("SELECT ", pos), list(slices.Concat([]frag{r.mark("select", pos, side, on...)}, columns, items)), from, where, group, having)
}

func (r *rewriter) clause(word, text string) frag {
	at := r.here()
	if !r.accept(word) {
		return frag{}
	}
	return cat(one(text, at), r.expr())
}

// item rewrites one column of a SELECT with its alias.
func (r *rewriter) item() frag {
	pos := r.here()
	side := sideItem{pos: pos}
	if t, next := r.peek(), r.peekAt(1); (t.kind == tokWord || t.kind == tokQuoted) && next.isSign(":") {
		name, _ := r.ident()
		r.advance()
		side.alias, side.pos = &name, r.here()
	}
	start := side.pos
	expr, star := r.star()
	if !star {
		expr = r.expr()
	}
	side.text = r.text[start:max(start, r.lastEnd())]
	if side.alias == nil && (!star || r.peek().isWord("as")) {
		side.alias = r.itemAlias()
	}
	return cat(expr, one(" AS "+marker("item", r.add(side)), pos))
}

func (r *rewriter) itemAlias() *Ident {
	t := r.peek()
	if r.accept("as") {
		if s := r.peek(); s.kind == tokString && s.text != "" {
			r.advance()
			return &Ident{Text: s.text, Quoted: true}
		}
		name, _ := r.label()
		return &name
	}
	if t.kind == tokQuoted || t.kind == tokWord && bareAlias(t.text) {
		name, _ := r.label()
		return &name
	}
	if t.kind == tokWord && plainWords[t.text] && t.text != "over" && t.text != "filter" {
		r.failHint(int(t.start), "write AS before an alias that is a keyword", "syntax error near %q", near(r.text, int(t.start)))
	}
	return nil
}

// groupBy rewrites the elements of GROUP BY.
func (r *rewriter) groupBy() frag {
	pos := r.here()
	if r.accept("all") || r.acceptSign("*") {
		return r.mark("all", pos, sideGroupAll{})
	}
	var out []frag
	for first := true; first || r.acceptSign(","); first = false {
		out = append(out, r.groupItem())
	}
	return list(out)
}

func (r *rewriter) groupItem() frag {
	t := r.peek()
	pos := int(t.start)
	switch {
	case t.isWord("rollup", "cube") && r.peekAt(1).isSign("("):
		r.advance()
		return r.mark(t.text, pos, sideGroup{upper(t.text), pos}, r.groupSets(false)...)
	case r.words("grouping", "sets"):
		r.accept("grouping", "sets")
		return r.mark("sets", pos, sideGroup{"GROUPING SETS", pos}, r.groupSets(true)...)
	case t.isSign("(") && r.groupTuple():
		return r.mark("sets", pos, sideGroup{"GROUPING SETS", pos}, r.groupSet())
	}
	return r.expr()
}

// groupTuple tells whether the parenthesis here is () or (a, b) and ends the element: a set of keys, and no expression.
func (r *rewriter) groupTuple() bool {
	end := int(r.match[r.pos])
	after := &r.toks[end+1]
	if after.kind == tokSign && !after.isSign(",") && !after.isSign(")") && !after.isSign(";") {
		return false
	}
	if after.kind == tokWord && !after.isWord("having", "window", "qualify", "order", "limit", "offset", "fetch", "union", "except", "intersect") {
		return false
	}
	if end == r.pos+1 {
		return true
	}
	for i := r.pos + 1; i < end; i++ {
		switch {
		case r.toks[i].isSign(","):
			return true
		case r.match[i] > int32(i):
			i = int(r.match[i])
		}
	}
	return false
}

// groupSets rewrites the parenthesis of ROLLUP, CUBE or GROUPING SETS.
func (r *rewriter) groupSets(nested bool) []frag {
	r.expectSign("(")
	var sets []frag
	for first := true; first || r.acceptSign(","); first = false {
		if nested && (r.peek().isWord("rollup", "cube") && r.peekAt(1).isSign("(") || r.words("grouping", "sets")) {
			sets = append(sets, r.groupItem())
			continue
		}
		sets = append(sets, r.groupSet())
	}
	r.expectSign(")")
	return sets
}

// groupSet rewrites one set: (), (a, b), or one expression.
func (r *rewriter) groupSet() frag {
	pos := r.here()
	if r.peek().isSign("(") && r.groupTuple() {
		r.advance()
		if r.acceptSign(")") {
			return r.mark("set", pos, sideSet{})
		}
		items := r.exprs(")")
		r.expectSign(")")
		return r.mark("set", pos, sideSet{}, items...)
	}
	return r.mark("set", pos, sideSet{}, r.expr())
}
