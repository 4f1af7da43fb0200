package lancesql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/errs"
)

type kind int

const (
	end kind = iota
	word
	quotedName // `x`
	text       // 'x' or "x"
	number
	symbol
)

// token is one piece of the text; at is its offset in bytes.
type token struct {
	kind kind
	s    string // a word as written, the content of a quoted one, a symbol
	at   int
}

// MaxLength and MaxDepth bound what is parsed: bytes of text, and levels of nesting.
const (
	MaxLength = 1 << 20
	MaxDepth  = 200
)

var symbols = []string{"<=>", "::", "<=", ">=", "<>", "!=", "==", "||", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ".", ";"}

// position gives line and column, both from 1 and the column in characters, of a byte offset.
func position(s string, at int) (line, column int) {
	at = min(at, len(s))
	line = 1 + strings.Count(s[:at], "\n")
	start := strings.LastIndex(s[:at], "\n") + 1
	return line, 1 + utf8.RuneCountInString(s[start:at])
}

func syntaxError(s string, at int, msg string) error {
	line, column := position(s, at)
	return &errs.SQLError{Line: line, Column: column, Msg: msg}
}

// lex cuts the text into tokens, the last being end.
func lex(s string) ([]token, error) {
	if len(s) > MaxLength {
		return nil, syntaxError(s, 0, "the filter is longer than 1 MiB")
	}
	if !utf8.ValidString(s) {
		return nil, syntaxError(s, 0, "the filter is no valid UTF-8")
	}
	var out []token
	depth := 0 // of brackets: a megabyte of them is refused before it is all cut up
	for i := 0; i < len(s); {
		c := s[i]
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case strings.HasPrefix(s[i:], "--"):
			i = skipLine(s, i)
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return nil, syntaxError(s, i, "the comment has no end")
			}
			i += n + 4
		case c == '\'' || c == '"' || c == '`':
			t, next, ok := quoted(s, i)
			if !ok {
				return nil, syntaxError(s, i, "the quote has no end")
			}
			out, i = append(out, t), next
		case c >= '0' && c <= '9' || c == '.' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && !afterName(out):
			n := numberEnd(s, i)
			out, i = append(out, token{number, s[i:n], i}), n
		case r == '_' || unicode.IsLetter(r):
			n := wordEnd(s, i)
			out, i = append(out, token{word, s[i:n], i}), n
		default:
			sym := symbolAt(s[i:])
			if sym == "" {
				return nil, syntaxError(s, i, "unexpected "+string(r))
			}
			if depth = deeper(depth, sym); depth > MaxDepth {
				return nil, syntaxError(s, i, "the filter is nested too deeply")
			}
			out, i = append(out, token{symbol, sym, i}), i+len(sym)
		}
	}
	return append(out, token{end, "", len(s)}), nil
}

// deeper is the depth of brackets behind a symbol.
func deeper(depth int, sym string) int {
	switch sym {
	case "(", "[":
		return depth + 1
	case ")", "]":
		return depth - 1
	}
	return depth
}

// afterName tells whether a dot here parts a path.
func afterName(out []token) bool {
	if len(out) == 0 {
		return false
	}
	t := out[len(out)-1]
	return t.kind == word || t.kind == quotedName
}

func skipLine(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// quoted reads a quoted piece; the quote doubled stands for itself.
func quoted(s string, i int) (token, int, bool) {
	q := s[i]
	t := token{kind: text, at: i}
	if q == '`' {
		t.kind = quotedName
	}
	var b strings.Builder
	for k := i + 1; k < len(s); k++ {
		if s[k] != q {
			b.WriteByte(s[k])
			continue
		}
		if k+1 < len(s) && s[k+1] == q {
			b.WriteByte(q)
			k++
			continue
		}
		t.s = b.String()
		return t, k + 1, true
	}
	return t, 0, false
}

func numberEnd(s string, i int) int {
	digits := func() {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' {
		i++
		digits()
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		k := i + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if k < len(s) && s[k] >= '0' && s[k] <= '9' {
			i = k
			digits()
		}
	}
	return i
}

func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += size
	}
	return i
}

func symbolAt(s string) string {
	for _, sym := range symbols {
		if strings.HasPrefix(s, sym) {
			return sym
		}
	}
	return ""
}
