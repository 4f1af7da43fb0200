package duckdb

import (
	"strings"
)

// tokenKind tells tokens apart.
type tokenKind int

const (
	tokEnd   tokenKind = iota
	tokName            // a name or keyword, in lower case; quoted names with the quotes undone
	tokText            // a text in single quotes
	tokOther           // one character of anything else
)

// token is a token of generated SQL text.
type token struct {
	kind   tokenKind
	text   string
	quoted bool
}

func (t token) is(s string) bool    { return t.kind == tokOther && t.text == s }
func (t token) word(s string) bool  { return t.kind == tokName && !t.quoted && t.text == s }
func (t token) named(s string) bool { return t.kind == tokName && t.text == s }

// lexer takes generated SQL text apart, as far as the fence needs it.
type lexer struct {
	sql string
	at  int
}

// next gives the next token, tokEnd at the end.
func (l *lexer) next() (token, error) {
	l.skipBlanks()
	if l.at >= len(l.sql) {
		return token{}, nil
	}
	start, ch := l.at, l.sql[l.at]
	switch {
	case ch == '\'' || ch == '"':
		end, ok := quoteEnd(l.sql, l.at)
		if !ok {
			return token{}, refused("an open quote")
		}
		l.at = end
		body := strings.ReplaceAll(l.sql[start+1:end-1], string([]byte{ch, ch}), string(ch))
		if ch == '\'' {
			return token{kind: tokText, text: body}, nil
		}
		return token{kind: tokName, text: strings.ToLower(body), quoted: true}, nil
	case isWord(ch):
		for l.at < len(l.sql) && isWord(l.sql[l.at]) {
			l.at++
		}
		word := strings.ToLower(l.sql[start:l.at])
		if l.at < len(l.sql) && (l.sql[l.at] == '\'' && (word == "e" || word == "x" || word == "b") || l.sql[l.at] == '$') {
			return token{}, refused("a text with a prefix")
		}
		return token{kind: tokName, text: word}, nil
	case ch == ';' || ch == '$' || ch == '?' || ch < ' ':
		return token{}, refused("the character " + string(rune(ch)))
	case strings.HasPrefix(l.sql[l.at:], "--") || strings.HasPrefix(l.sql[l.at:], "/*"):
		return token{}, refused("a comment")
	}
	l.at++
	return token{kind: tokOther, text: string(rune(ch))}, nil
}

func (l *lexer) skipBlanks() {
	for l.at < len(l.sql) && strings.IndexByte(" \n\t\r", l.sql[l.at]) >= 0 {
		l.at++
	}
}

// follows tells whether the next character that is no blank is one of chars.
func (l *lexer) follows(chars string) bool {
	l.skipBlanks()
	return l.at < len(l.sql) && strings.IndexByte(chars, l.sql[l.at]) >= 0
}

// quoteEnd gives the position after the text or name that starts at i; its quote is doubled inside.
func quoteEnd(sql string, i int) (int, bool) {
	q := sql[i]
	for j := i + 1; j < len(sql); j++ {
		if sql[j] != q {
			continue
		}
		if j+1 < len(sql) && sql[j+1] == q {
			j++
			continue
		}
		return j + 1, true
	}
	return 0, false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
