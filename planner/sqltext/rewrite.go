package sqltext

import (
	"strconv"
	"strings"
)

// The rewriting goes over the tokens once and gives text that the tidb grammar takes with the meaning that the user's
// text has in DuckDB:
//
//   - what both grammars read alike stays as it is: SELECT, FROM, WHERE, GROUP BY, HAVING, WITH, the set operations, AND,
//     OR, NOT, comparisons, + - * / %, IN, BETWEEN, LIKE, IS, CASE, EXISTS, subqueries;
//   - operands are put in parentheses wherever the grammars could bind them differently;
//   - every name, literal and alias, and every construct that the tidb grammar lacks or takes for something else, becomes
//     a marker: a back-quoted name, or a call of such a name whose arguments are the construct's parts. The marker ends
//     in the number of an entry of the side table, which holds what the text no longer says.
//
// No byte of the user's text reaches the tidb parser but inside markers, reduced to letters and digits.

// piece is a part of the rewritten text, and the place in the user's text that it stands for.
type piece struct {
	text string
	pos  int32
	next *piece
}

// frag is a piece of rewritten text under construction, and what its top operator is.
type frag struct {
	head, tail *piece
	top        topKind
	depth      int // how deep its tree is
}

// topKind tells how a fragment may stand as an operand. What the user put in parentheses is an atom.
type topKind uint8

const (
	topAtom topKind = iota
	topOr
	topAnd
	topNot
	topIs       // IS NULL and its kin
	topDistinct // IS DISTINCT FROM, which IS can't follow
	topCompare  // can't be followed by its like
	topIn
	topLike // LIKE, BETWEEN, SIMILAR TO: can't be followed by their like
	topOp
	topAdd
	topMul
	topPow
	topUnary
	topOrder // a key of ORDER BY among arguments
)

// rewriter holds the state of one rewriting. After the first error pos stands at the end, so that every loop ends.
type rewriter struct {
	text  string
	toks  []token
	match []int32
	pos   int
	depth int
	side  []any
	err   error
}

func newRewriter(text string) (*rewriter, int, error) {
	if err := checkText(text); err != nil {
		return nil, 0, err
	}
	toks, params, err := tokenize(text)
	if err != nil {
		return nil, 0, err
	}
	match, err := matchBrackets(text, toks)
	if err != nil {
		return nil, 0, err
	}
	return &rewriter{text: text, toks: toks, match: match}, params, nil
}

// fail keeps the first error and moves to the end of the tokens. Later ones cost nothing: there may be one at each level
// that the first leaves.
func (r *rewriter) fail(pos int, format string, args ...any) {
	r.failHint(pos, "", format, args...)
}

func (r *rewriter) failHint(pos int, hint, format string, args ...any) {
	if r.err == nil {
		r.err = newError(r.text, pos, hint, format, args...)
	}
	r.pos = len(r.toks) - 1
}

// unsupported fails for SQL that is right, but isn't offered. Its kind is InvalidInput as of any statement that is
// refused before it runs.
func (r *rewriter) unsupported(pos int, format string, args ...any) {
	r.failHint(pos, "", format, args...)
}

// unexpected fails at the current token.
func (r *rewriter) unexpected(want string) {
	if r.err != nil {
		return
	}
	t := r.peek()
	what := "unexpected end of the statement"
	if t.kind != tokEnd {
		what = "syntax error near " + strconv.Quote(near(r.text, int(t.start)))
	}
	if want != "" {
		what += ": " + want + " expected"
	}
	r.fail(int(t.start), "%s", what)
}

func (r *rewriter) peek() *token { return &r.toks[r.pos] }

func (r *rewriter) peekAt(n int) *token { return &r.toks[min(r.pos+n, len(r.toks)-1)] }

func (r *rewriter) advance() *token {
	t := &r.toks[r.pos]
	if r.pos < len(r.toks)-1 {
		r.pos++
	}
	return t
}

// here is the position of the current token.
func (r *rewriter) here() int { return int(r.toks[r.pos].start) }

// lastEnd is the end of the token before the current one.
func (r *rewriter) lastEnd() int {
	if r.pos == 0 {
		return 0
	}
	return int(r.toks[r.pos-1].end)
}

func (t *token) isWord(words ...string) bool {
	if t.kind != tokWord {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

func (t *token) isSign(s string) bool { return t.kind == tokSign && t.text == s }

// words tells whether the next tokens are these words.
func (r *rewriter) words(words ...string) bool {
	for i, w := range words {
		if !r.peekAt(i).isWord(w) {
			return false
		}
	}
	return true
}

// accept passes over the words if they are next.
func (r *rewriter) accept(words ...string) bool {
	if !r.words(words...) {
		return false
	}
	r.pos += len(words)
	return true
}

func (r *rewriter) acceptSign(s string) bool {
	if !r.peek().isSign(s) {
		return false
	}
	r.advance()
	return true
}

func (r *rewriter) expect(words ...string) {
	if !r.accept(words...) {
		r.unexpected(strings.ToUpper(strings.Join(words, " ")))
	}
}

func (r *rewriter) expectSign(s string) {
	if !r.acceptSign(s) {
		r.unexpected(strconv.Quote(s))
	}
}

// enter counts a level of nesting; leave must follow.
func (r *rewriter) enter() bool {
	r.depth++
	if r.depth > maxRecursion {
		r.fail(r.here(), "the statement nests too deep")
		return false
	}
	return true
}

func (r *rewriter) leave() { r.depth-- }

// add puts an entry into the side table and gives its number.
func (r *rewriter) add(e any) int {
	r.side = append(r.side, e)
	return len(r.side) - 1
}

// one is a fragment of one piece.
func one(text string, pos int) frag {
	p := &piece{text: text, pos: int32(pos)}
	return frag{head: p, tail: p}
}

// cat joins fragments; the result is no atom unless the caller says so.
func cat(frags ...frag) frag {
	var out frag
	for _, f := range frags {
		out.depth = max(out.depth, f.depth)
		switch {
		case f.head == nil:
		case out.head == nil:
			out.head, out.tail = f.head, f.tail
		default:
			out.tail.next = f.head
			out.tail = f.tail
		}
	}
	return out
}

// paren puts a fragment in parentheses unless it is an atom.
func paren(f frag) frag {
	if f.top == topAtom {
		return f
	}
	return inParens(f)
}

func inParens(f frag) frag {
	if f.head == nil {
		return f
	}
	return cat(one("(", int(f.head.pos)), f, one(")", int(f.tail.pos)))
}

// marker names entry n; label is only there to make the rewritten text readable.
func marker(label string, n int) string {
	var b strings.Builder
	b.WriteByte('`')
	for i := 0; i < len(label) && i < 24; i++ {
		if c := label[i]; c == '_' || c == '.' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		}
	}
	b.WriteByte('#')
	b.WriteString(strconv.Itoa(n))
	b.WriteByte('`')
	return b.String()
}

// leaf is a marker without parts for a finished node.
func (r *rewriter) leaf(label string, e Expr) frag {
	return one(marker(label, r.add(sideLeaf{e})), e.ExprPos())
}

// mark is a marker with parts.
func (r *rewriter) mark(label string, pos int, e any, args ...frag) frag {
	f := callText(marker(label, r.add(e)), pos, args)
	f.depth++
	if f.depth > MaxDepth {
		r.tooDeep(pos)
	}
	return f
}

func (r *rewriter) tooDeep(pos int) {
	r.fail(pos, "an expression is more than %d operators deep", MaxDepth)
}

func callText(name string, pos int, args []frag) frag {
	f := one(name+"(", pos)
	return cat(f, list(args), one(")", pos))
}

// list joins fragments by commas.
func list(frags []frag) frag {
	var out frag
	for i, f := range frags {
		if f.head == nil { // after an error
			continue
		}
		if i > 0 {
			out = cat(out, one(", ", int(f.head.pos)))
		}
		out = cat(out, f)
	}
	return out
}

// render gives the text of a fragment and the map from its offsets to the user's.
func render(f frag) (string, *posMap) {
	var b strings.Builder
	m := &posMap{}
	for p := f.head; p != nil; p = p.next {
		m.out = append(m.out, int32(b.Len()))
		m.user = append(m.user, p.pos)
		b.WriteString(p.text)
		if p == f.tail {
			break
		}
	}
	return b.String(), m
}

// posMap maps offsets of the rewritten text to the user's text.
type posMap struct{ out, user []int32 }

// at gives the user's position of an offset in the rewritten text.
func (m *posMap) at(offset int) int {
	lo, hi := 0, len(m.out)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(m.out[mid]) <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return int(m.user[lo-1])
}
