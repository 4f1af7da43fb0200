package errs_test

import (
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
)

func TestCaret(t *testing.T) {
	long := strings.Repeat("a", 100) + "X" + strings.Repeat("b", 100)
	for name, tc := range map[string]struct {
		source string
		column int
		want   string
	}{
		"begin":        {"SELECT x", 1, "SELECT x\n^"},
		"middle":       {"SELECT x", 8, "SELECT x\n       ^"},
		"end":          {"SELECT", 7, "SELECT\n      ^"},
		"past the end": {"SELECT", 70, "SELECT\n      ^"},
		"characters":   {"SELECT 'é', x", 13, "SELECT 'é', x\n            ^"},
		"tab":          {"\tSELECT\tx", 9, " SELECT x\n        ^"},
		"long":         {long, 101, "…" + long[60:140] + "…\n" + strings.Repeat(" ", 41) + "^"},
		"very long":    {strings.Repeat("é", 5000) + "X" + strings.Repeat("b", 5000), 5001, "…" + strings.Repeat("é", 40) + "X" + strings.Repeat("b", 39) + "…\n" + strings.Repeat(" ", 41) + "^"},
		"long, begin":  {long, 1, long[:40] + "…\n^"},
		"long, end":    {long, 202, "…" + long[161:] + "\n" + strings.Repeat(" ", 41) + "^"},
		"unknown":      {"", 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := &errs.SQLError{Line: 1, Column: tc.column, Source: tc.source}
			if got := e.Caret(); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
