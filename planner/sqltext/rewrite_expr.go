package sqltext

// The levels of operators in DuckDB's grammar, from loose to tight.
const (
	levelArrow = iota + 1
	levelOr
	levelAnd
	levelNot
	levelIs
	levelCompare
	levelIn
	levelOp
	levelAdd
	levelMul
	levelPow
	levelAt
	levelCollate
	levelUnary
)

// operator is an allowed binary operator. Native ones are the tidb grammar's own, with the same meaning.
type operator struct {
	level  int
	top    topKind
	name   string // in the tree, and in the rewritten text of a native one
	native bool
}

// operators is the allow list of binary operators; each sign that is not in it is refused.
var operators = map[string]operator{
	"=":  {levelCompare, topCompare, "=", true},
	"==": {levelOp, topOp, "=", false}, // DuckDB's grammar has no level of its own for this spelling
	"<>": {levelCompare, topCompare, "<>", true},
	"!=": {levelCompare, topCompare, "<>", true},
	"<":  {levelCompare, topCompare, "<", true},
	"<=": {levelCompare, topCompare, "<=", true},
	">":  {levelCompare, topCompare, ">", true},
	">=": {levelCompare, topCompare, ">=", true},
	"+":  {levelAdd, topAdd, "+", true},
	"-":  {levelAdd, topAdd, "-", true},
	"*":  {levelMul, topMul, "*", true},
	"/":  {levelMul, topMul, "/", true},
	"%":  {levelMul, topMul, "%", true},
	"//": {levelMul, topMul, "//", false},
	"^":  {levelPow, topPow, "^", false},
	"**": {levelPow, topPow, "^", false},
	"||": {levelOp, topOp, "||", false},
	"&":  {levelOp, topOp, "&", false},
	"|":  {levelOp, topOp, "|", false},
	"<<": {levelOp, topOp, "<<", false},
	">>": {levelOp, topOp, ">>", false},
	"~":  {levelOp, topOp, "~", false},

	"~~~": {levelOp, topOp, "GLOB", false},
	"<->": {levelOp, topOp, "<->", false},
	"<=>": {levelOp, topOp, "<=>", false},
}

// operatorCalls are the operators that are another spelling of a function.
var operatorCalls = map[string]struct {
	function string
	swap     bool
}{
	"&&": {"list_has_any", false},
	"@>": {"list_has_all", false},
	"<@": {"list_has_all", true},
	"^@": {"starts_with", false},
}

// expr rewrites an expression.
func (r *rewriter) expr() frag { return r.exprAt(levelArrow) }

// exprAt rewrites an expression whose operators bind at least as tight as level.
func (r *rewriter) exprAt(level int) frag {
	if !r.enter() {
		return frag{}
	}
	defer r.leave()
	left := r.prefix()
	for r.err == nil {
		next, ok := r.infix(left, level)
		if !ok {
			return left
		}
		left = next
		if left.depth > MaxDepth {
			r.tooDeep(r.here())
		}
	}
	return frag{}
}

// prefix rewrites an operand with the signs and NOT before it.
func (r *rewriter) prefix() frag {
	t := r.peek()
	pos := int(t.start)
	switch {
	case t.isWord("not"):
		r.advance()
		f := cat(one("NOT ", pos), paren(r.exprAt(levelNot)))
		f.top = topNot
		f.depth++
		return f
	case t.isSign("-"), t.isSign("+"):
		r.advance()
		f := cat(one(t.text, pos), paren(r.exprAt(levelUnary)))
		f.top = topUnary
		f.depth++
		return f
	case t.isSign("~"):
		// In DuckDB's grammar this sign binds as loose as ||: ~1 + 2 is ~(1 + 2).
		r.advance()
		f := r.mark("not", pos, sideUnary{"~", pos}, r.exprAt(levelAdd))
		f.top = topOp
		return f
	}
	constant := t.kind == tokNumber || t.isWord("null", "true", "false")
	f := r.primary()
	switch next := r.peek(); {
	case constant && (next.isSign("[") || next.isSign(".")):
		r.unexpected("")
	case t.kind == tokString && next.isSign("."):
		r.failHint(int(next.start), "put the text in parentheses, as in ('a').upper()", "a text has no fields")
	}
	return r.postfix(f)
}

// infix rewrites the operator at the current token with left as its left operand; false if there is none, or one that
// binds looser than level.
func (r *rewriter) infix(left frag, level int) (frag, bool) {
	t := r.peek()
	if t.kind == tokSign {
		return r.signInfix(left, level)
	}
	if t.kind != tokWord {
		return left, false
	}
	switch t.text {
	case "or":
		return r.terms(left, level, levelOr, topOr, "or", " OR ")
	case "and":
		return r.terms(left, level, levelAnd, topAnd, "and", " AND ")
	case "is", "isnull", "notnull":
		return r.is(left, level)
	case "not":
		if r.peekAt(1).isWord("null") {
			return r.is(left, level)
		}
		return r.negated(left, level)
	case "in", "like", "ilike", "between", "similar", "glob":
		return r.test(left, level, false)
	case "at":
		if level > levelAt || !r.words("at", "time", "zone") {
			return left, false
		}
		r.accept("at", "time", "zone")
		return r.mark("zone", headPos(left), sideAtTimeZone{}, left, r.exprAt(levelCollate)), true
	case "collate":
		if level > levelCollate {
			return left, false
		}
		r.advance()
		if t := r.peek(); t.kind == tokWord && !namesColumn(t.text) {
			r.unexpected("a collation")
		}
		return r.mark("collate", headPos(left), sideCollate{r.dotted()}, left), true
	case "overlaps":
		r.unsupported(int(t.start), "OVERLAPS is not supported")
	}
	return left, false
}

// terms rewrites a chain of AND or of OR. A long one is put together as a balanced tree, so that nothing that walks the
// tree needs a deep stack.
func (r *rewriter) terms(left frag, level, own int, top topKind, word, op string) (frag, bool) {
	if level > own {
		return left, false
	}
	parts := []frag{left}
	for r.accept(word) {
		parts = append(parts, r.exprAt(own+1))
	}
	if r.err != nil {
		return frag{}, false
	}
	return joinTerms(parts, top, op), true
}

// flatTerms is how many terms of AND or OR stand in one left-leaning chain.
const flatTerms = 64

func joinTerms(parts []frag, top topKind, op string) frag {
	if len(parts) > flatTerms {
		mid := len(parts) / 2
		parts = []frag{joinTerms(parts[:mid], top, op), joinTerms(parts[mid:], top, op)}
	}
	out := paren(parts[0])
	for _, p := range parts[1:] {
		out = cat(out, one(op, int(p.head.pos)), paren(p))
	}
	out.top = top
	return out
}

// signInfix rewrites a binary operator that is a sign.
func (r *rewriter) signInfix(left frag, level int) (frag, bool) {
	t := r.peek()
	op, ok := operators[t.text]
	if !ok {
		return r.otherSign(left, level)
	}
	if op.level < level {
		return left, false
	}
	pos := int(t.start)
	if op.top == topCompare && left.top == topCompare {
		r.failHint(pos, "put one of them in parentheses", "comparisons don't chain, near %q", near(r.text, pos))
		return left, false
	}
	r.advance()
	if op.top == topCompare && r.peek().isWord("any", "some", "all") && r.peekAt(1).isSign("(") {
		return r.quantified(left, op.name), true
	}
	if op.level == levelOp && r.peek().isWord("not") {
		r.failHint(r.here(), "put it in parentheses", "unexpected NOT behind %q", t.text)
	}
	right := r.exprAt(op.level + 1)
	var f frag
	if op.native {
		if left.top != op.top || op.top == topCompare {
			left = paren(left)
		}
		f = cat(left, one(" "+op.name+" ", pos), paren(right))
	} else {
		f = r.mark("op", headPos(left), sideBinary{op.name}, left, right)
	}
	f.top = op.top
	if op.native {
		f.depth++
	}
	return f, true
}

func headPos(f frag) int {
	if f.head == nil {
		return 0
	}
	return int(f.head.pos)
}

// otherSign rewrites the operators that are another spelling of something, and refuses unknown ones.
func (r *rewriter) otherSign(left frag, level int) (frag, bool) {
	t := r.peek()
	pos := int(t.start)
	if c, ok := operatorCalls[t.text]; ok {
		if level > levelOp {
			return left, false
		}
		r.advance()
		args := []frag{left, r.exprAt(levelOp + 1)}
		if c.swap {
			args[0], args[1] = args[1], args[0]
		}
		f := r.mark(c.function, headPos(left), sideCall{FuncCall{At: At{headPos(left)}, Name: c.function}}, args...)
		f.top = topOp
		return f, true
	}
	switch t.text {
	case "->", "->>":
		return r.arrow(left, level)
	case "~~", "!~~", "~~*", "!~~*":
		if level > levelOp {
			return left, false
		}
		r.advance()
		words := map[string]string{"~~": " LIKE ", "!~~": " NOT LIKE ", "~~*": " ILIKE ", "!~~*": " NOT ILIKE "}
		f := inParens(cat(paren(left), one(words[t.text], pos), paren(r.exprAt(levelOp+1))))
		f.top = topOp
		return f, true
	case "!~":
		if level > levelOp {
			return left, false
		}
		r.advance()
		f := inParens(cat(one("NOT ", headPos(left)), r.mark("op", headPos(left), sideBinary{"~"}, left, r.exprAt(levelOp+1))))
		f.top = topOp
		return f, true
	case "~*", "!~*":
		r.failHint(pos, "~ tests the whole text; regexp_matches(x, 'pattern', 'i') finds the pattern anywhere in it, without regard to case",
			"the operator %q is not supported", t.text)
	case "!":
		r.failHint(pos, "write factorial(x)", "the operator %q is not supported", t.text)
	case "<#>", "@":
		r.unsupported(pos, "the operator %q is not supported", t.text)
	}
	return left, false
}

// arrow rewrites the reading of a JSON text's field. In DuckDB's grammar an arrow binds looser than any operator to its left, so that
// '1' = j ->> 'k' is ('1' = j) ->> 'k'. To its right -> takes all, and ->> what binds tighter than ||.
func (r *rewriter) arrow(left frag, level int) (frag, bool) {
	if level > levelArrow {
		return left, false
	}
	t := r.advance()
	right := levelOr
	if t.text == "->>" {
		right = levelOp + 1
	}
	f := r.mark("arrow", headPos(left), sideArrow{t.text, int(t.start)}, left, r.exprAt(right))
	f.top = topOp
	return f, true
}

// quantified rewrites ANY|ALL (...) behind a comparison.
func (r *rewriter) quantified(left frag, op string) frag {
	all := r.advance().isWord("all")
	var right frag
	if r.queryAhead(r.pos) {
		right = r.subquery()
	} else {
		r.expectSign("(")
		right = r.expr()
		r.expectSign(")")
	}
	f := r.mark("any", headPos(left), sideQuantified{op, all}, left, right)
	f.top = topIs
	return f
}

// is rewrites IS tests, ISNULL, NOTNULL and NOT NULL.
func (r *rewriter) is(left frag, level int) (frag, bool) {
	if level > levelIs {
		return left, false
	}
	pos := r.here()
	if left.top == topDistinct {
		r.failHint(pos, "put one of them in parentheses", "IS can't follow IS DISTINCT FROM, near %q", near(r.text, pos))
		return left, false
	}
	native := func(test string) (frag, bool) {
		f := cat(paren(left), one(test, pos))
		f.top = topIs
		f.depth++
		return f, true
	}
	switch {
	case r.accept("isnull"):
		return native(" IS NULL")
	case r.accept("notnull"), r.accept("not", "null"):
		return native(" IS NOT NULL")
	}
	r.expect("is")
	not, word := r.accept("not"), " IS "
	if not {
		word = " IS NOT "
	}
	switch {
	case r.accept("null"):
		return native(word + "NULL")
	case r.accept("true"):
		return native(word + "TRUE")
	case r.accept("false"):
		return native(word + "FALSE")
	case r.accept("unknown"):
		f := r.mark("unknown", headPos(left), sideIsUnknown{not}, left)
		f.top = topIs
		return f, true
	case r.accept("distinct", "from"):
		op := "IS DISTINCT FROM"
		if not {
			op = "IS NOT DISTINCT FROM"
		}
		f := r.mark("distinct", headPos(left), sideBinary{op}, left, r.exprAt(levelIs+1))
		f.top = topDistinct
		return f, true
	}
	r.unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
	return left, false
}

// negated rewrites NOT IN, NOT LIKE and their kin.
func (r *rewriter) negated(left frag, level int) (frag, bool) {
	if level > levelIn || !r.peekAt(1).isWord("in", "like", "ilike", "between", "similar") {
		return left, false
	}
	r.advance()
	return r.test(left, level, true)
}

// test rewrites IN, LIKE, ILIKE, BETWEEN, SIMILAR TO and GLOB.
func (r *rewriter) test(left frag, level int, not bool) (frag, bool) {
	if level > levelIn {
		return left, false
	}
	t := r.peek()
	pos := int(t.start)
	if left.top == topLike {
		r.failHint(pos, "put one of them in parentheses", "unexpected %s behind a test of its kind", near(r.text, pos))
		return left, false
	}
	r.advance()
	word := " "
	if not {
		word = " NOT "
	}
	var f frag
	switch t.text {
	case "in":
		f = r.in(left, not, word)
		f.top = topIn
		f.depth++
		return f, true
	case "like", "ilike":
		if r.peek().isWord("any", "some", "all") && r.peekAt(1).isSign("(") {
			f = r.likeSome(left, pos, t.text == "ilike", not)
			break
		}
		if t.text == "like" {
			f = cat(paren(left), one(word+"LIKE ", pos), r.pattern())
			break
		}
		f = cat(paren(left), one(word+"ILIKE ", pos), r.pattern())
	case "between":
		f = r.between(left, pos, not)
	case "similar":
		r.expect("to")
		f = r.mark("similar", headPos(left), sideBinary{"SIMILAR TO"}, left, r.exprAt(levelOp))
		if not {
			f = inParens(cat(one("NOT ", headPos(left)), f))
		}
	case "glob":
		f = r.mark("glob", headPos(left), sideBinary{"GLOB"}, left, r.exprAt(levelOp))
	}
	f.top = topLike
	f.depth++
	return f, true
}

func (r *rewriter) between(left frag, pos int, not bool) frag {
	symmetric := r.accept("symmetric")
	if !symmetric {
		r.accept("asymmetric")
	}
	lo := paren(r.exprAt(levelOp))
	and := r.here()
	r.expect("and")
	hi := paren(r.exprAt(levelOp))
	if symmetric {
		return r.mark("between", headPos(left), sideBetween{not}, left, lo, hi)
	}
	word := " BETWEEN "
	if not {
		word = " NOT BETWEEN "
	}
	return cat(paren(left), one(word, pos), lo, one(" AND ", and), hi)
}

// likeSome rewrites ANY (...) or ALL (...) behind LIKE and ILIKE.
func (r *rewriter) likeSome(left frag, pos int, foldCase, not bool) frag {
	if not {
		r.failHint(pos, "put NOT before the whole test", "NOT LIKE ANY and NOT LIKE ALL mean different things to different databases")
	}
	side := sideLikeSome{foldCase: foldCase, all: r.advance().isWord("all")}
	if r.queryAhead(r.pos) {
		r.failHint(r.here(), "write EXISTS (SELECT ... WHERE x LIKE pattern)", "LIKE ANY and LIKE ALL take patterns, no query")
	}
	r.expectSign("(")
	patterns := r.exprs(")")
	r.expectSign(")")
	return r.mark("like", headPos(left), side, append([]frag{left}, patterns...)...)
}

// pattern rewrites the right side of LIKE with its ESCAPE.
func (r *rewriter) pattern() frag {
	pattern := r.exprAt(levelOp)
	braced := r.peek().isSign("{") && r.peekAt(1).isWord("escape") // ODBC's {escape 'c'}
	if braced {
		r.advance()
	}
	if !r.accept("escape") {
		return paren(pattern)
	}
	t := r.peek()
	if t.kind != tokString {
		r.unexpected("a text of one character")
		return frag{}
	}
	if len([]rune(t.text)) > 1 {
		r.fail(int(t.start), "ESCAPE takes a text of one character")
	}
	r.advance()
	if braced {
		r.expectSign("}")
	}
	if r.bindsTighter() {
		r.failHint(r.here(), "put the test in parentheses", "unexpected %q behind ESCAPE", near(r.text, r.here()))
	}
	return r.mark("escape", headPos(pattern), sideEscape{t.text}, pattern)
}

// bindsTighter tells whether the current token is an operator that would take what stands before it away from a test.
func (r *rewriter) bindsTighter() bool {
	t := r.peek()
	if t.kind != tokSign {
		return t.isWord("at", "collate")
	}
	switch t.text {
	case ")", "]", "}", ",", ";", ":":
		return false
	}
	return operators[t.text].level != levelCompare
}

// in rewrites the right side of IN: a list, a subquery, or one expression that is a list.
func (r *rewriter) in(left frag, not bool, word string) frag {
	pos := r.here()
	if r.queryAhead(r.pos) {
		return cat(paren(left), one(word+"IN ", pos), r.subquery())
	}
	if r.acceptSign("(") {
		items := r.exprs(")")
		r.expectSign(")")
		return cat(paren(left), one(word+"IN (", pos), list(items), one(")", pos))
	}
	if t := r.peek(); t.kind == tokNumber || t.isWord("null", "true", "false") {
		r.unexpected("a list in parentheses")
		return frag{}
	}
	// x IN l, with l a list: DuckDB takes it for contains(l, x).
	at := headPos(left)
	f := r.mark("contains", at, sideCall{FuncCall{At: At{at}, Name: "contains"}}, r.primary(), left)
	if t := r.peek(); t.isSign("[") || t.isSign("::") || t.isSign(".") {
		r.failHint(int(t.start), "put what follows IN in parentheses", "unexpected %q", t.text)
	}
	if not {
		f = inParens(cat(one("NOT ", at), f))
	}
	return f
}

// exprs rewrites expressions parted by commas, at least one; a comma may stand before the closing sign.
func (r *rewriter) exprs(closing string) []frag {
	items := []frag{r.element()}
	for r.acceptSign(",") {
		if r.peek().isSign(closing) {
			break
		}
		items = append(items, r.element())
	}
	return items
}
