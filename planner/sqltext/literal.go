package sqltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads 1, 1.5, .5, 1., 1e9, and 1_000 whose _ must stand between digits. What runs on into a letter, as 0x10 or
// 1a, is an error: PostgreSQL and DuckDB read such text as a number and an alias.
func (lx *lexer) number() error {
	start := lx.pos
	lx.digits()
	if lx.pos < len(lx.text) && lx.text[lx.pos] == '.' && !strings.HasPrefix(lx.rest(), "..") {
		lx.pos++
		lx.digits()
	}
	if lx.pos < len(lx.text) && (lx.text[lx.pos] == 'e' || lx.text[lx.pos] == 'E') {
		i := lx.pos + 1
		if i < len(lx.text) && (lx.text[i] == '+' || lx.text[i] == '-') {
			i++
		}
		if i < len(lx.text) && isDigit(lx.text[i]) {
			lx.pos = i
			lx.digits()
		}
	}
	text := lx.text[start:lx.pos]
	if lx.pos < len(lx.text) {
		if r, _ := utf8.DecodeRuneInString(lx.rest()); isNamePart(r) || r == '.' {
			return lx.hint(start, "put a space between a number and a name", "unexpected %q", near(lx.text, start))
		}
	}
	lx.add(tokNumber, start, strings.ReplaceAll(text, "_", ""))
	return nil
}

// digits passes over digits with single _ between them.
func (lx *lexer) digits() {
	for lx.pos < len(lx.text) {
		c := lx.text[lx.pos]
		between := c == '_' && lx.pos > 0 && isDigit(lx.text[lx.pos-1]) && lx.pos+1 < len(lx.text) && isDigit(lx.text[lx.pos+1])
		if !isDigit(c) && !between {
			return
		}
		lx.pos++
	}
}

// simpleEscapes are the escapes of E'...' that stand for one character.
var simpleEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '\\': '\\', '\'': '\'', '"': '"'}

// escapedText reads E'...' from its quote on, with the escapes of PostgreSQL.
func (lx *lexer) escapedText(start int) (string, error) {
	var b strings.Builder
	lx.pos++
	for lx.pos < len(lx.text) {
		i := strings.IndexAny(lx.rest(), `'\`)
		if i < 0 {
			break
		}
		b.WriteString(lx.rest()[:i])
		lx.pos += i
		if lx.text[lx.pos] == '\'' {
			lx.pos++
			if lx.pos >= len(lx.text) || lx.text[lx.pos] != '\'' {
				return b.String(), nil
			}
			b.WriteByte('\'')
			lx.pos++
			continue
		}
		if lx.pos+1 >= len(lx.text) {
			break
		}
		if err := lx.escape(&b); err != nil {
			return "", err
		}
	}
	return "", lx.errorf(start, "the text that starts here has no end")
}

// escape reads one escape, whose backslash is at pos.
func (lx *lexer) escape(b *strings.Builder) error {
	at, c := lx.pos, lx.text[lx.pos+1]
	if plain, ok := simpleEscapes[c]; ok {
		lx.pos += 2
		b.WriteByte(plain)
		return nil
	}
	var base, least, most, skip int
	switch {
	case c == 'x':
		base, least, most, skip = 16, 1, 2, 2
	case c == 'u':
		base, least, most, skip = 16, 4, 4, 2
	case c == 'U':
		base, least, most, skip = 16, 8, 8, 2
	case c >= '0' && c <= '7':
		base, least, most, skip = 8, 1, 3, 1
	default:
		return lx.errorf(at, "unknown escape %q", near(lx.text, at))
	}
	lx.pos += skip
	n := 0
	for n < most && lx.pos+n < len(lx.text) {
		if _, err := strconv.ParseUint(lx.text[lx.pos+n:lx.pos+n+1], base, 8); err != nil {
			break
		}
		n++
	}
	if n < least {
		return lx.errorf(at, "unknown escape %q", near(lx.text, at))
	}
	v, _ := strconv.ParseUint(lx.text[lx.pos:lx.pos+n], base, 32)
	lx.pos += n
	// \xHH and \ooo name bytes; only those that are a character by themselves give text.
	if v == 0 || base == 8 && v > 0x7f || most == 2 && v > 0x7f || !utf8.ValidRune(rune(v)) {
		return lx.errorf(at, "the escape %q is no character", near(lx.text, at))
	}
	b.WriteRune(rune(v))
	return nil
}
