package sqltext

import "strings"

// over rewrites what follows OVER: a window's name, or a specification in parentheses.
func (r *rewriter) over() frag {
	pos := r.here()
	if r.peek().isSign("(") {
		return r.windowSpec(pos, nil)
	}
	name, _ := r.ident()
	return r.mark("over", pos, sideWindow{name: &name, namePos: pos})
}

// windowSpec rewrites ([base] [PARTITION BY ...] [ORDER BY ...] [frame]).
func (r *rewriter) windowSpec(pos int, def *Ident) frag {
	r.expectSign("(")
	side := sideWindow{def: def, pos: pos}
	t := r.peek()
	if (t.kind == tokWord || t.kind == tokQuoted) && !t.isWord("order", "rows", "range", "groups") && !r.words("partition", "by") {
		side.namePos = r.here()
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

// frame checks a frame clause. Its bounds are constants.
func (r *rewriter) frame() Frame {
	out := Frame{Pos: r.here()}
	out.Text = r.extent(&out) + r.excluded()
	return out
}

// extent reads the unit and the bounds.
func (r *rewriter) extent(f *Frame) string {
	unit := strings.ToUpper(r.advance().text)
	if !r.accept("between") {
		bound, rank := r.bound(f)
		if rank > 2 {
			r.fail(f.Pos, "the frame starts behind the current row, where it ends")
		}
		return unit + " " + bound
	}
	lo, loRank := r.bound(f)
	r.expect("and")
	hi, hiRank := r.bound(f)
	if loRank == 4 || hiRank == 0 || loRank > hiRank {
		r.fail(f.Pos, "the frame ends before it starts")
	}
	return unit + " BETWEEN " + lo + " AND " + hi
}

// excluded reads what the frame leaves out.
func (r *rewriter) excluded() string {
	switch {
	case !r.accept("exclude"):
		return ""
	case r.accept("current", "row"):
		return " EXCLUDE CURRENT ROW"
	case r.accept("group"):
		return " EXCLUDE GROUP"
	case r.accept("ties"):
		return " EXCLUDE TIES"
	case r.accept("no", "others"):
		return " EXCLUDE NO OTHERS"
	}
	r.unexpected("CURRENT ROW, GROUP, TIES or NO OTHERS")
	return ""
}

// bound reads one bound of a frame, and tells how far down it lies, from 0 (UNBOUNDED PRECEDING) to 4.
func (r *rewriter) bound(f *Frame) (string, int) {
	switch {
	case r.accept("unbounded", "preceding"):
		return "UNBOUNDED PRECEDING", 0
	case r.accept("unbounded", "following"):
		return "UNBOUNDED FOLLOWING", 4
	case r.accept("current", "row"):
		return "CURRENT ROW", 2
	}
	d := Distance{Pos: r.here()}
	value := r.boundValue(&d)
	f.Distances = append(f.Distances, d)
	if r.accept("preceding") {
		return value + " PRECEDING", 1
	}
	r.expect("following")
	return value + " FOLLOWING", 3
}

func (r *rewriter) boundValue(d *Distance) string {
	t := r.peek()
	if t.kind == tokNumber {
		r.advance()
		d.Number = t.text
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
	d.Interval = t.text
	unit := r.peek()
	if u := intervalUnits[unit.text]; unit.kind == tokWord && u != "" {
		r.advance()
		d.Unit = u
		return value + " " + u
	}
	if t.kind == tokNumber {
		r.unexpected("a unit, as DAY or HOUR,")
	}
	return value
}
