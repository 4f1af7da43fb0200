package sqltext

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/errs"
)

// Position turns a byte offset of text into line and column, both from 1; the column counts characters. An offset past
// the end is the place just behind the last character.
func Position(text string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	line = strings.Count(before, "\n") + 1
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// Error makes the *errs.SQLError for a fault at byte offset pos of text, of the kind InvalidInput.
func Error(text string, pos int, format string, args ...any) error {
	return newError(text, pos, "", format, args...)
}

func newError(text string, pos int, hint, format string, args ...any) error {
	line, column := Position(text, pos)
	return &errs.SQLError{Line: line, Column: column, Msg: fmt.Sprintf(format, args...), Hint: hint, Source: Line(text, pos)}
}

// Line is the line of text that a byte offset lies in; empty where it is no UTF-8.
func Line(text string, offset int) string {
	offset = min(max(offset, 0), len(text))
	from := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	line = strings.TrimRight(line, "\r")
	if !utf8.ValidString(line) {
		return ""
	}
	return line
}

// near is the start of what stands at pos, for messages: one line, at most 24 characters.
func near(text string, pos int) string {
	rest := text[min(pos, len(text)):]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	n := 0
	for i := range rest {
		if n == 24 {
			return rest[:i] + "..."
		}
		n++
	}
	return strings.TrimRight(rest, " \t")
}
