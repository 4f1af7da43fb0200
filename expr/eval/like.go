package eval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// pattern is a compiled LIKE pattern: pieces that % separates, each of literal texts and single characters.
type pattern struct {
	pieces   [][]token
	foldCase bool
}

// token is a literal text, or any one character where any is set.
type token struct {
	lit string
	any bool
}

// compileLike reads a pattern; escape 0 means that there is no escape character. ok is false where the pattern ends
// with its escape character.
func compileLike(p string, escape rune, foldCase bool) (pattern, bool) {
	if foldCase {
		p = lower(p)
		escape = unicode.ToLower(escape)
	}
	pat := pattern{pieces: [][]token{nil}, foldCase: foldCase}
	var lit strings.Builder
	add := func(t ...token) {
		last := &pat.pieces[len(pat.pieces)-1]
		if lit.Len() > 0 {
			*last = append(*last, token{lit: lit.String()})
			lit.Reset()
		}
		*last = append(*last, t...)
	}
	escaped := false
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRuneInString(p[i:])
		c := p[i : i+size]
		i += size
		switch {
		case escaped:
			lit.WriteString(c)
			escaped = false
		case escape != 0 && r == escape:
			escaped = true
		case r == '%':
			add()
			pat.pieces = append(pat.pieces, nil)
		case r == '_':
			add(token{any: true})
		default:
			lit.WriteString(c)
		}
	}
	add()
	return pat, !escaped
}

// matchPiece matches a piece at the start of s and gives its length in bytes, -1 where it does not match.
func matchPiece(piece []token, s string) int {
	at := 0
	for _, t := range piece {
		if !t.any {
			if !strings.HasPrefix(s[at:], t.lit) {
				return -1
			}
			at += len(t.lit)
			continue
		}
		if at >= len(s) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// findPiece finds the first place at or after from where the piece matches, and its end.
func findPiece(piece []token, s string, from int) (end int, ok bool) {
	for from <= len(s) {
		if len(piece) > 0 && !piece[0].any {
			i := strings.Index(s[from:], piece[0].lit)
			if i < 0 {
				return 0, false
			}
			from += i
		}
		if n := matchPiece(piece, s[from:]); n >= 0 {
			return from + n, true
		}
		if from == len(s) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(s[from:])
		from += size
	}
	return 0, false
}

// match tells whether the whole of s has the pattern.
func (p pattern) match(s string) bool {
	if p.foldCase {
		s = lower(s)
	}
	at := matchPiece(p.pieces[0], s)
	if at < 0 {
		return false
	}
	if len(p.pieces) == 1 {
		return at == len(s)
	}
	last := len(p.pieces) - 1
	for _, piece := range p.pieces[1:last] {
		end, ok := findPiece(piece, s, at)
		if !ok {
			return false
		}
		at = end
	}
	return matchEnd(p.pieces[last], s[at:])
}

// matchEnd tells whether some end of s has the piece.
func matchEnd(piece []token, s string) bool {
	if len(piece) == 0 {
		return true
	}
	i := len(s)
	for k := len(piece) - 1; k >= 0; k-- {
		t := piece[k]
		if !t.any {
			if !strings.HasSuffix(s[:i], t.lit) {
				return false
			}
			i -= len(t.lit)
			continue
		}
		if i == 0 {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return true
}

func (ev *evaluator) like(e *expr.Like, rows words) (truth, error) {
	x, err := ev.vec(e.X, rows)
	if err != nil {
		return truth{}, err
	}
	p, err := ev.vec(e.Pattern, rows)
	if err != nil {
		return truth{}, err
	}
	both := andValid(x.validRows(), p.validRows())
	t := noWords(ev.n)
	if x.texts == nil || p.texts == nil {
		return masked(t, both, ev.n), nil // one is the NULL literal
	}
	var pat pattern
	var known string
	compiled := false
	test := func(i int) {
		if s := p.texts[p.at(i)]; !compiled || s != known {
			var ok bool
			if pat, ok = compileLike(s, e.Escape, e.FoldCase); !ok {
				err = errs.Invalidf("the pattern of %s ends with its escape character", e)
			}
			known, compiled = s, true
		}
		if pat.match(x.texts[x.at(i)]) {
			t.set(i)
		}
	}
	ask := both
	if rows != nil {
		ask = andValid(both, rows)
	}
	if ask == nil {
		ask = allWords(ev.n)
	}
	ask.each(test)
	return masked(t, both, ev.n), err
}

// lower and upper map character by character, as DuckDB does.
func lower(s string) string { return strings.Map(unicode.ToLower, s) }
func upper(s string) string { return strings.Map(unicode.ToUpper, s) }
