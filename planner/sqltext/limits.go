package sqltext

import (
	"strings"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/errs"
)

// The bounds of a statement. They are checked before any parser sees the text, as the tidb parser takes seconds and
// gigabytes for text that is nothing but parentheses.
const (
	// MaxTextBytes is the longest statement taken.
	MaxTextBytes = 8 << 20
	// MaxTokens bounds the words, literals and signs of a statement, and so the memory of its tree.
	MaxTokens = 250_000
	// MaxNesting bounds how deep brackets may stand in each other.
	MaxNesting = 200
	// MaxDepth bounds how deep the tree of an expression is, by operators that follow each other as well; AND and OR
	// don't count, as a long chain of them makes a flat tree. DuckDB stops at the same depth.
	MaxDepth = 1000
	// MaxSetOps bounds how many UNIONs, EXCEPTs or INTERSECTs follow each other.
	MaxSetOps = 5000
	// maxRecursion bounds all nesting together, with CASE, NOT and signs: a bracket costs a few levels.
	maxRecursion = 1200
)

// checkText refuses text that is too long, is no UTF-8, or holds the character 0, at which other readers would stop.
func checkText(text string) error {
	if len(text) > MaxTextBytes {
		return &errs.SQLError{Line: 1, Column: 1, Msg: "the statement is too long", Hint: "at most 8 MiB of text is taken"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return Error(text, i, "the statement must not hold the character 0")
	}
	if !utf8.ValidString(text) {
		for i, r := range text {
			if r == utf8.RuneError {
				if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
					return Error(text, i, "the text is not valid UTF-8")
				}
			}
		}
	}
	return nil
}

// matchBrackets finds for each opening bracket its closing one, and refuses unbalanced ones. The result
// holds the index of the partner for brackets, and 0 for every other token.
func matchBrackets(text string, toks []token) ([]int32, error) {
	match := make([]int32, len(toks))
	var open []int32
	for i := range toks {
		if toks[i].kind != tokSign {
			continue
		}
		switch toks[i].text {
		case "(", "[", "{":
			open = append(open, int32(i))
		case ")", "]", "}":
			if len(open) == 0 {
				return nil, Error(text, int(toks[i].start), "unexpected %q: nothing is open here", toks[i].text)
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if want := closing(toks[last].text); want != toks[i].text {
				line, column := Position(text, int(toks[last].start))
				return nil, Error(text, int(toks[i].start), "unexpected %q: the %q of line %d, column %d is still open", toks[i].text, toks[last].text, line, column)
			}
			match[last], match[i] = int32(i), last
		}
	}
	if len(open) > 0 {
		last := toks[open[len(open)-1]]
		line, column := Position(text, int(last.start))
		return nil, Error(text, len(text), "unexpected end of the statement: the %q of line %d, column %d is still open", last.text, line, column)
	}
	return match, nil
}

func closing(open string) string {
	switch open {
	case "(":
		return ")"
	case "[":
		return "]"
	}
	return "}"
}
