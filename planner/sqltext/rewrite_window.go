package sqltext

import "strings"

// over rewrites what follows OVER: a window's name, or a specification in parentheses.
func (r *rewriter) over() frag {
	pos := r.here()
	if r.peek().isSign("(") {
		return r.windowSpec(pos, nil)
	}
	name, _ := r.ident()
	return r.mark("over", pos, sideWindow{name: &name})
}

// windowSpec rewrites ([base] [PARTITION BY ...] [ORDER BY ...] [frame]).
func (r *rewriter) windowSpec(pos int, def *Ident) frag {
	r.expectSign("(")
	side := sideWindow{def: def}
	t := r.peek()
	if (t.kind == tokWord || t.kind == tokQuoted) && !t.isWord("order", "rows", "range", "groups") && !r.words("partition", "by") {
		base, _ := r.ident()
		side.name = &base
	}
	var args []frag
	if r.accept("partition", "by") {
		for first := true; first || r.acceptSign(","); first = false {
			args = append(args, r.expr())
		}
	}
	if r.words("order", "by") {
		args = append(args, r.orderBy()...)
	}
	if r.peek().isWord("rows", "range", "groups") {
		side.frame = r.frame()
	}
	r.expectSign(")")
	return r.mark("over", pos, side, args...)
}

// frame checks a frame clause and gives it back in one spelling. Its bounds are constants.
func (r *rewriter) frame() string {
	pos := r.here()
	unit := strings.ToUpper(r.advance().text)
	var out string
	if r.accept("between") {
		lo, loRank := r.bound()
		r.expect("and")
		hi, hiRank := r.bound()
		if loRank == 4 || hiRank == 0 || loRank > hiRank {
			r.fail(pos, "the frame ends before it starts")
		}
		out = unit + " BETWEEN " + lo + " AND " + hi
	} else {
		bound, rank := r.bound()
		if rank > 2 {
			r.fail(pos, "the frame starts behind the current row, where it ends")
		}
		out = unit + " " + bound
	}
	if !r.accept("exclude") {
		return out
	}
	switch {
	case r.accept("current", "row"):
		return out + " EXCLUDE CURRENT ROW"
	case r.accept("group"):
		return out + " EXCLUDE GROUP"
	case r.accept("ties"):
		return out + " EXCLUDE TIES"
	case r.accept("no", "others"):
		return out + " EXCLUDE NO OTHERS"
	}
	r.unexpected("CURRENT ROW, GROUP, TIES or NO OTHERS")
	return out
}

// bound reads one bound of a frame, and tells how far down it lies, from 0 (UNBOUNDED PRECEDING) to 4.
func (r *rewriter) bound() (string, int) {
	switch {
	case r.accept("unbounded", "preceding"):
		return "UNBOUNDED PRECEDING", 0
	case r.accept("unbounded", "following"):
		return "UNBOUNDED FOLLOWING", 4
	case r.accept("current", "row"):
		return "CURRENT ROW", 2
	}
	value := r.boundValue()
	if r.accept("preceding") {
		return value + " PRECEDING", 1
	}
	r.expect("following")
	return value + " FOLLOWING", 3
}

func (r *rewriter) boundValue() string {
	t := r.peek()
	if t.kind == tokNumber {
		r.advance()
		return t.text
	}
	if !r.accept("interval") {
		r.failHint(int(t.start), "a bound is a number or an interval", "unsupported bound of a frame near %q", near(r.text, int(t.start)))
		return ""
	}
	t = r.peek()
	var value string
	switch t.kind {
	case tokNumber:
		value = "INTERVAL " + t.text
	case tokString:
		value = "INTERVAL '" + strings.ReplaceAll(t.text, "'", "''") + "'"
	default:
		r.unexpected("a text or a number")
		return ""
	}
	r.advance()
	unit := r.peek()
	if u := intervalUnits[unit.text]; unit.kind == tokWord && u != "" {
		r.advance()
		return value + " " + u
	}
	if t.kind == tokNumber {
		r.unexpected("a unit, as DAY or HOUR,")
	}
	return value
}
