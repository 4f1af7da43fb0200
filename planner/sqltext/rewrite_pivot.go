package sqltext

// UNPIVOT and PIVOT become joins with nothing in the tidb grammar, whose condition is a marker that holds all they say.

// withNothing is a join of left with nothing under a condition that is a marker.
func (r *rewriter) withNothing(left frag, pos int, condition frag) frag {
	nothing := one(marker("nothing", r.add(sideNothing{})), pos)
	f := cat(left, one(" JOIN ", pos), nothing, one(" ON ", pos), condition)
	f.top = topOp
	if f.depth++; f.depth > MaxDepth {
		r.tooDeep(pos)
	}
	return f
}

// unpivotTable rewrites what follows a table: UNPIVOT [INCLUDE NULLS] (value FOR name IN (entries)) [alias].
func (r *rewriter) unpivotTable(left frag) frag {
	u := Unpivot{Pos: r.here()}
	r.expect("unpivot")
	if r.accept("include", "nulls") {
		u.Nulls = true
	} else {
		r.accept("exclude", "nulls")
	}
	r.expectSign("(")
	u.Values = r.oneOrList()
	r.expect("for")
	u.Name, _ = r.ident()
	r.expect("in")
	r.expectSign("(")
	entries := r.entries()
	r.expectSign(")")
	r.expectSign(")")
	u.Alias, u.Columns = r.tableAlias()
	return r.withNothing(left, u.Pos, r.mark("unpivot", u.Pos, sideUnpivot{u}, entries...))
}

// unpivotQuery rewrites the statement UNPIVOT table ON entries [INTO NAME name VALUE values].
func (r *rewriter) unpivotQuery() frag {
	u := Unpivot{Pos: r.here(), Name: Ident{Text: "name"}, Values: []Ident{{Text: "value"}}}
	r.expect("unpivot")
	left := r.tableExpr()
	r.expect("on")
	entries := r.entries()
	if r.accept("into") {
		r.expect("name")
		u.Name, _ = r.ident()
		r.expect("value")
		u.Values = nil
		for first := true; first || r.acceptSign(","); first = false {
			value, _ := r.ident()
			u.Values = append(u.Values, value)
		}
	}
	return r.allOf(u.Pos, r.withNothing(left, u.Pos, r.mark("unpivot", u.Pos, sideUnpivot{u}, entries...)))
}

// allOf is SELECT * FROM a table.
func (r *rewriter) allOf(pos int, table frag) frag {
	return cat(one("SELECT ", pos), r.mark("select", pos, sideSelect{pos: pos}), one(", ", pos), r.plainStar(pos), one(" FROM ", pos), table)
}

// oneOrList reads a name, or several in parentheses.
func (r *rewriter) oneOrList() []Ident {
	if r.peek().isSign("(") {
		return r.identList()
	}
	name, _ := r.ident()
	return []Ident{name}
}

// entries rewrites the list of an IN: each an expression, a star, or several expressions in parentheses, with an alias.
func (r *rewriter) entries() []frag {
	var out []frag
	for first := true; first || r.acceptSign(","); first = false {
		entry := sideEntry{pos: r.here()}
		var exprs []frag
		if star, ok := r.star(); ok {
			exprs = []frag{star}
		} else if r.tupleAhead() {
			r.expectSign("(")
			exprs = r.exprs(")")
			r.expectSign(")")
		} else {
			exprs = []frag{r.expr()}
		}
		if r.accept("as") {
			entry.alias = r.entryAlias()
		}
		out = append(out, r.mark("entry", entry.pos, entry, exprs...))
	}
	return out
}

// tupleAhead tells whether the parenthesis here is a whole entry.
func (r *rewriter) tupleAhead() bool {
	if !r.peek().isSign("(") || r.queryAhead(r.pos) {
		return false
	}
	after := &r.toks[r.match[r.pos]+1]
	return after.kind == tokEnd || after.isSign(",") || after.isSign(")") || after.isSign(";") || after.isWord("as", "into", "using", "group", "order", "limit", "offset", "union", "except", "intersect")
}

// entryAlias reads a name, or a text that stands for one.
func (r *rewriter) entryAlias() *Ident {
	if t := r.peek(); t.kind == tokString {
		r.advance()
		return &Ident{Text: t.text, Quoted: true}
	}
	name, _ := r.label()
	return &name
}

// pivotTable rewrites what follows a table: PIVOT (aggregates FOR expression IN (values) ... [GROUP BY columns]) [alias].
func (r *rewriter) pivotTable(left frag) frag {
	p := Pivot{Pos: r.here()}
	r.expect("pivot")
	r.expectSign("(")
	args := r.aggregates(&p)
	r.expect("for")
	for first := true; first || r.err == nil && !r.peek().isSign(")") && !r.words("group", "by"); first = false {
		args = append(args, r.pivotOn())
	}
	r.pivotGroups(&p)
	r.expectSign(")")
	p.Alias, p.Columns = r.tableAlias()
	return r.withNothing(left, p.Pos, r.mark("pivot", p.Pos, sidePivot{p}, args...))
}

// pivotQuery rewrites the statement PIVOT table ON expression IN (values), ... [USING aggregates] [GROUP BY columns].
func (r *rewriter) pivotQuery() frag {
	p := Pivot{Pos: r.here()}
	r.expect("pivot")
	left := r.tableExpr()
	if !r.peek().isWord("on") {
		r.unexpected("ON")
		return frag{}
	}
	r.advance()
	var on []frag
	for first := true; first || r.acceptSign(","); first = false {
		on = append(on, r.pivotOn())
	}
	var args []frag
	if r.accept("using") {
		args = r.aggregates(&p)
	} else {
		p.Aggs = []SelectItem{{Text: "count(*)", Pos: p.Pos}}
		args = []frag{r.mark("count", p.Pos, sideCall{FuncCall{At: At{p.Pos}, Name: "count", Star: true}})}
	}
	r.pivotGroups(&p)
	return r.allOf(p.Pos, r.withNothing(left, p.Pos, r.mark("pivot", p.Pos, sidePivot{p}, append(args, on...)...)))
}

// aggregates reads the aggregates of PIVOT with their aliases into p and gives their expressions.
func (r *rewriter) aggregates(p *Pivot) []frag {
	var out []frag
	for first := true; first || r.acceptSign(","); first = false {
		item := SelectItem{Pos: r.here()}
		out = append(out, r.expr())
		item.Text = r.text[item.Pos:max(item.Pos, r.lastEnd())]
		item.Alias = r.itemAlias()
		p.Aggs = append(p.Aggs, item)
	}
	return out
}

// pivotOn rewrites expression IN (values), where several expressions in parentheses take values in parentheses.
func (r *rewriter) pivotOn() frag {
	pos := r.here()
	var exprs []frag
	if r.peek().isSign("(") && r.toks[r.match[r.pos]+1].isWord("in") && !r.queryAhead(r.pos) {
		r.advance()
		exprs = r.exprs(")")
		r.expectSign(")")
	} else {
		exprs = []frag{r.exprAt(levelOp)}
	}
	if r.err == nil && !r.peek().isWord("in") {
		r.failHint(pos, "list the values with IN (...)", "PIVOT without the values that become columns is not supported")
		return frag{}
	}
	r.expect("in")
	if !r.peek().isSign("(") || r.queryAhead(r.pos) {
		r.failHint(r.here(), "list the values with IN (...)", "PIVOT takes constants as the values that become columns")
		return frag{}
	}
	r.expectSign("(")
	values := r.entries()
	r.expectSign(")")
	return r.mark("on", pos, sidePivotOn{len(exprs)}, append(exprs, values...)...)
}

func (r *rewriter) pivotGroups(p *Pivot) {
	if !r.accept("group", "by") {
		return
	}
	for first := true; first || r.acceptSign(","); first = false {
		p.GroupsAt = append(p.GroupsAt, r.here())
		name, _ := r.ident()
		p.Groups = append(p.Groups, name)
	}
}
