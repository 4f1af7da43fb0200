package sqltext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokWord             // a bare name or keyword; text is its lower-case form
	tokQuoted           // "x" or `x`; text is the name
	tokString           // 'x', E'x', $$x$$; text is the value
	tokNumber           // text is the number as digits, point and exponent, without _
	tokParam            // ? or $n; index tells which, from 0
	tokSign             // an operator or punctuation
)

// token is one word, literal or sign of the user's text, at bytes start to end.
type token struct {
	kind       tokenKind
	start, end int32
	index      int32
	text       string
}

// signs are the operators and marks that are taken as one token, the longest first. Those that no rule takes are here
// so that a message can name them whole.
var signs = []string{
	"!~~*", "!~~", "~~~", "~~*", "->>", "<=>", "<->", "<#>", "!~*",
	"<=", ">=", "<>", "!=", "==", "||", "::", ":=", "=>", "->", "<<", ">>", "//", "**", "~~", "!~", "~*", "&&", "@>", "<@", "^@", "..",
	"(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "+", "-", "*", "/", "%", "^", "&", "|", "~", "<", ">", "=", "!", "@",
}

// signsOf holds the signs by their first byte.
var signsOf = func() (by [256][]string) {
	for _, s := range signs {
		by[s[0]] = append(by[s[0]], s)
	}
	return by
}()

type lexer struct {
	text    string
	pos     int
	toks    []token
	marks   int  // number of ? so far
	dollars bool // a $n was seen
	params  int
	open    int      // brackets that are open here
	joined  []string // the texts that make up the last token, if more than one
}

// tokenize splits text into tokens; the last one is tokEnd. params is the number of parameters.
//
// Comments are those of PostgreSQL: -- to the end of the line, with or without a space after it, and /* */ which nest.
// In texts and quoted names only the doubled quote stands for itself; a backslash means nothing but in E'...'.
func tokenize(text string) (toks []token, params int, err error) {
	lx := &lexer{text: text, toks: make([]token, 0, min(len(text)/4+8, MaxTokens))}
	for {
		if err := lx.skipBlank(); err != nil {
			return nil, 0, err
		}
		if lx.pos >= len(text) {
			break
		}
		if len(lx.toks) >= MaxTokens {
			return nil, 0, Error(text, lx.pos, "the statement has more than %d words and signs", MaxTokens)
		}
		if err := lx.next(); err != nil {
			return nil, 0, err
		}
	}
	lx.add(tokEnd, len(text), "")
	return lx.toks, lx.params, nil
}

func (lx *lexer) add(kind tokenKind, start int, text string) {
	if lx.joined != nil {
		lx.toks[len(lx.toks)-1].text = strings.Join(lx.joined, "")
		lx.joined = nil
	}
	lx.toks = append(lx.toks, token{kind: kind, start: int32(start), end: int32(lx.pos), text: text})
}

func (lx *lexer) rest() string { return lx.text[lx.pos:] }

func (lx *lexer) errorf(pos int, format string, args ...any) error {
	return Error(lx.text, pos, format, args...)
}

func (lx *lexer) hint(pos int, hint, format string, args ...any) error {
	return newError(lx.text, pos, hint, format, args...)
}

// skipBlank passes over white space and comments.
func (lx *lexer) skipBlank() error {
	for lx.pos < len(lx.text) {
		switch rest := lx.rest(); {
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexAny(rest, "\r\n")
			if n < 0 {
				n = len(rest)
			}
			lx.pos += n
		case strings.HasPrefix(rest, "/*"):
			if err := lx.skipComment(); err != nil {
				return err
			}
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return nil
			}
			lx.pos += n
		}
	}
	return nil
}

func (lx *lexer) skipComment() error {
	start, depth := lx.pos, 0
	for {
		i := strings.IndexByte(lx.rest(), '/')
		if i < 0 {
			return lx.errorf(start, "the comment that starts here has no end")
		}
		at := lx.pos + i
		switch {
		case i > 0 && lx.text[at-1] == '*':
			depth--
			lx.pos = at + 1
		case strings.HasPrefix(lx.text[at:], "/*"):
			depth++
			lx.pos = at + 2
		default:
			lx.pos = at + 1
		}
		if depth == 0 {
			return nil
		}
	}
}

func (lx *lexer) next() error {
	start, c := lx.pos, lx.text[lx.pos]
	switch {
	case c == '\'':
		return lx.str(start, false)
	case c == '"' || c == '`':
		return lx.quoted(c)
	case c >= '0' && c <= '9' || c == '.' && lx.pos+1 < len(lx.text) && isDigit(lx.text[lx.pos+1]):
		return lx.number()
	case c == '?':
		return lx.mark()
	case c == '$':
		return lx.dollar()
	}
	if r, _ := utf8.DecodeRuneInString(lx.rest()); isNameStart(r) {
		return lx.word()
	}
	for _, s := range signsOf[c] {
		if strings.HasPrefix(lx.rest(), s) {
			lx.pos += len(s)
			lx.add(tokSign, start, s)
			return lx.nesting(c, start)
		}
	}
	if c == '#' {
		return lx.hint(start, "comments start with --, and a column is called by its name", "unexpected %q", "#")
	}
	return lx.errorf(start, "unexpected character near %q", near(lx.text, start))
}

// nesting refuses brackets that are too deep before anything else is done with the text.
func (lx *lexer) nesting(c byte, start int) error {
	switch c {
	case '(', '[', '{':
		lx.open++
	case ')', ']', '}':
		lx.open--
	}
	if lx.open > MaxNesting {
		return lx.errorf(start, "brackets nest more than %d deep", MaxNesting)
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || r >= 0x80 && !unicode.IsSpace(r)
}

func isNamePart(r rune) bool { return isNameStart(r) || r >= '0' && r <= '9' || r == '$' }

// word reads a bare name or keyword, and the texts that a letter introduces.
func (lx *lexer) word() error {
	start := lx.pos
	for lx.pos < len(lx.text) {
		r, n := utf8.DecodeRuneInString(lx.rest())
		if !isNamePart(r) {
			break
		}
		lx.pos += n
	}
	w := strings.ToLower(lx.text[start:lx.pos])
	if lx.pos < len(lx.text) && lx.text[lx.pos] == '\'' {
		switch w {
		case "e":
			return lx.str(start, true)
		case "x", "b":
			return lx.hint(start, `write bytes as '\xAB'::BLOB`, "texts that start with %s' are not taken", lx.text[start:lx.pos])
		case "n", "u":
			return lx.errorf(start, "texts that start with %s' are not taken", lx.text[start:lx.pos])
		}
	}
	if w == "u" && strings.HasPrefix(lx.rest(), "&'") || w == "u" && strings.HasPrefix(lx.rest(), `&"`) {
		return lx.errorf(start, "texts and names that start with U& are not taken")
	}
	lx.add(tokWord, start, w)
	return nil
}

// quoted reads "x" or `x`, in which a doubled quote stands for one.
func (lx *lexer) quoted(quote byte) error {
	start := lx.pos
	name, ok := lx.untilQuote(quote)
	if !ok {
		return lx.errorf(start, "the quoted name that starts here has no end")
	}
	if name == "" {
		return lx.errorf(start, "a quoted name must not be empty")
	}
	lx.add(tokQuoted, start, name)
	return nil
}

// untilQuote reads from the opening quote at pos to the closing one, undoing doubled quotes.
func (lx *lexer) untilQuote(quote byte) (string, bool) {
	lx.pos++
	from, doubled := lx.pos, false
	for {
		i := strings.IndexByte(lx.rest(), quote)
		if i < 0 {
			return "", false
		}
		lx.pos += i + 1
		if lx.pos < len(lx.text) && lx.text[lx.pos] == quote {
			doubled = true
			lx.pos++
			continue
		}
		body := lx.text[from : lx.pos-1]
		if doubled {
			q := string(quote)
			body = strings.ReplaceAll(body, q+q, q)
		}
		return body, true
	}
}

// str reads '...' at pos, or E'...' when escaped. Two texts with only white space that holds a line break between them
// are one, as SQL has it; without the line break they are an error.
func (lx *lexer) str(start int, escaped bool) error {
	var value string
	var err error
	if escaped {
		value, err = lx.escapedText(start)
	} else {
		var ok bool
		if value, ok = lx.untilQuote('\''); !ok {
			err = lx.errorf(start, "the text that starts here has no end")
		}
	}
	if err != nil {
		return err
	}
	prev := len(lx.toks) - 1
	if prev < 0 || lx.toks[prev].kind != tokString || escaped {
		lx.add(tokString, start, value)
		return nil
	}
	between := lx.text[lx.toks[prev].end:start]
	if !strings.ContainsAny(between, "\r\n") || strings.TrimSpace(between) != "" {
		return lx.hint(start, "join texts by ||, double a quote inside a text", "unexpected text %s", near(lx.text, start))
	}
	if lx.joined == nil {
		lx.joined = []string{lx.toks[prev].text}
	}
	lx.joined = append(lx.joined, value)
	lx.toks[prev].end = int32(lx.pos)
	return nil
}

// mark reads ?.
func (lx *lexer) mark() error {
	start := lx.pos
	lx.pos++
	if lx.pos < len(lx.text) && isDigit(lx.text[lx.pos]) {
		return lx.hint(start, "write $1, $2, ...", "numbered parameters start with $")
	}
	if lx.dollars {
		return lx.errorf(start, "? and $n must not stand in one statement")
	}
	lx.add(tokParam, start, "?")
	lx.toks[len(lx.toks)-1].index = int32(lx.marks)
	lx.marks++
	lx.params = lx.marks
	return nil
}

// MaxParams bounds n of $n.
const MaxParams = 65535

// dollar reads $1, $$text$$ and $tag$text$tag$.
func (lx *lexer) dollar() error {
	start := lx.pos
	i := start + 1
	for i < len(lx.text) && isDigit(lx.text[i]) {
		i++
	}
	if i > start+1 {
		n := 0
		for _, c := range lx.text[start+1 : i] {
			n = min(n*10+int(c-'0'), MaxParams+1)
		}
		lx.pos = i
		return lx.numbered(start, n)
	}
	for i < len(lx.text) {
		r, n := utf8.DecodeRuneInString(lx.text[i:])
		if r == '$' || !isNamePart(r) {
			break
		}
		i += n
	}
	if i >= len(lx.text) || lx.text[i] != '$' {
		return lx.hint(start, "write ? or $1, $2, ...", "named parameters are not taken, near %q", near(lx.text, start))
	}
	tag := lx.text[start : i+1]
	n := strings.Index(lx.text[i+1:], tag)
	if n < 0 {
		return lx.errorf(start, "the text that starts here has no end")
	}
	lx.pos = i + 1 + n + len(tag)
	lx.add(tokString, start, lx.text[i+1:i+1+n])
	return nil
}

func (lx *lexer) numbered(start, n int) error {
	if n < 1 || n > MaxParams {
		return lx.errorf(start, "parameters are $1 to $%d", MaxParams)
	}
	if lx.marks > 0 {
		return lx.errorf(start, "? and $n must not stand in one statement")
	}
	if lx.pos < len(lx.text) {
		if r, _ := utf8.DecodeRuneInString(lx.rest()); isNamePart(r) {
			return lx.errorf(start, "unexpected %q", near(lx.text, start))
		}
	}
	lx.dollars = true
	lx.params = max(lx.params, n)
	lx.add(tokParam, start, lx.text[start:lx.pos])
	lx.toks[len(lx.toks)-1].index = int32(n - 1)
	return nil
}
