package sqltext

// star rewrites *, t.*, and what may follow; false if what comes next is no star.
func (r *rewriter) star() (frag, bool) {
	i := r.pos
	for r.toks[i].kind == tokWord || r.toks[i].kind == tokQuoted {
		if !r.toks[i+1].isSign(".") {
			return frag{}, false
		}
		i += 2
	}
	if !r.toks[i].isSign("*") {
		return frag{}, false
	}
	pos := r.here()
	star := Star{At: At{pos}}
	for !r.peek().isSign("*") {
		part, _ := r.label()
		star.Qualifier = append(star.Qualifier, part)
		r.expectSign(".")
	}
	r.advance()
	if r.accept("exclude") {
		star.Exclude = r.starNames(false)
	}
	side := sideStar{}
	var args []frag
	if r.accept("replace") {
		side.replace, args = r.replaced()
	}
	if r.accept("rename") {
		star.Rename = r.starNames(true)
	}
	star.Filter = r.starFilter()
	if star.Filter != nil && len(side.replace)+len(star.Rename) > 0 {
		r.fail(star.Filter.Pos, "REPLACE and RENAME of a star don't go together with a test of the names")
	}
	if r.peek().isSign("::") {
		r.unsupported(r.here(), "%q behind a star is not supported", r.peek().text)
	}
	side.star = star
	return r.mark("star", pos, side, args...), true
}

// starNames reads the columns of EXCLUDE or RENAME: one, or several in parentheses.
func (r *rewriter) starNames(rename bool) []StarName {
	several := r.acceptSign("(")
	var out []StarName
	for first := true; first || several && r.acceptSign(","); first = false {
		if !first && r.peek().isSign(")") {
			break
		}
		n := StarName{Pos: r.here()}
		n.Name = r.names()
		if rename {
			r.expect("as")
			n.To, _ = r.label()
		}
		out = append(out, n)
	}
	if several {
		r.expectSign(")")
	}
	return out
}

// replaced rewrites the columns of REPLACE: one, or several in parentheses.
func (r *rewriter) replaced() (items []SelectItem, exprs []frag) {
	several := r.acceptSign("(")
	for first := true; first || several && r.acceptSign(","); first = false {
		if !first && r.peek().isSign(")") {
			break
		}
		item := SelectItem{Pos: r.here()}
		exprs = append(exprs, r.expr())
		item.Text = r.text[item.Pos:max(item.Pos, r.lastEnd())]
		r.expect("as")
		alias, _ := r.label()
		item.Alias = &alias
		items = append(items, item)
	}
	if several {
		r.expectSign(")")
	}
	return items, exprs
}

// starFilter reads the test that the names of a star's columns must pass; nil where there is none.
func (r *rewriter) starFilter() *StarFilter {
	out := &StarFilter{Pos: r.here()}
	out.Not = r.peek().isWord("not") && r.peekAt(1).isWord("like", "ilike", "similar")
	if out.Not {
		r.advance()
	}
	t := r.peek()
	switch {
	case r.accept("like"), r.accept("ilike"), r.accept("glob"):
		out.Op = upper(t.text)
	case r.accept("similar"):
		r.expect("to")
		out.Op = "SIMILAR TO"
	default:
		return nil
	}
	if t = r.peek(); t.kind != tokString {
		r.unexpected("a pattern as a text")
		return nil
	}
	r.advance()
	out.Pattern = t.text
	if out.Op == "SIMILAR TO" || out.Op == "GLOB" || !r.accept("escape") {
		return out
	}
	if t = r.peek(); t.kind != tokString {
		r.unexpected("a text of one character")
		return nil
	}
	r.advance()
	out.Escape = &t.text
	return out
}

// columns rewrites COLUMNS(...).
func (r *rewriter) columns() frag {
	side := sideColumns{pos: r.here()}
	r.expect("columns")
	r.expectSign("(")
	of, ok := r.star()
	if !ok {
		if of, ok = r.lambda("list_filter"); !ok {
			of = r.expr()
		}
	}
	r.expectSign(")")
	return r.mark("columns", side.pos, side, of)
}
