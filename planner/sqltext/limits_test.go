package sqltext_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// allocated tells how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestHugeTextIsRefusedCheaply(t *testing.T) {
	const size = 10 << 20
	cases := map[string]string{
		"parentheses":            strings.Repeat("(", size),
		"select and parentheses": "SELECT " + strings.Repeat("(", size),
		"sql":                    "SELECT " + strings.Repeat("a + ", size/4) + "1",
		"one text":               "SELECT '" + strings.Repeat("x", size) + "'",
		"blanks":                 strings.Repeat(" ", size) + "SELECT 1",
		"comment":                "/*" + strings.Repeat("*", size) + "*/ SELECT 1",
		"invalid UTF-8":          strings.Repeat("\xff", size),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			var err error
			if n := allocated(func() { _, err = sqltext.Parse(text) }); n > 1<<20 {
				t.Errorf("%d bytes allocated", n)
			}
			var sqlErr *errs.SQLError
			if !errors.As(err, &sqlErr) || !errors.Is(err, errs.ErrInvalidInput) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// repeat is n copies of open, then middle, then n copies of end.
func repeat(n int, open, middle, end string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

func TestLimits(t *testing.T) {
	cases := []struct {
		name string
		text func(n int) string
		most int
	}{
		{"length", func(n int) string { return "SELECT " + strings.Repeat(" ", n-8) + "1" }, sqltext.MaxTextBytes},
		{"words and signs", func(n int) string { return "SELECT " + strings.Repeat("1,", (n-2)/2) + "1" + strings.Repeat(" x", n%2) }, sqltext.MaxTokens},
		{"parentheses", func(n int) string { return "SELECT " + repeat(n, "(", "1", ")") }, sqltext.MaxNesting},
		{"subqueries", func(n int) string { return repeat(n, "SELECT (", "SELECT 1", ")") }, sqltext.MaxNesting},
		{"lists", func(n int) string { return "SELECT " + repeat(n, "[", "", "]") }, sqltext.MaxNesting},
		{"set operations", func(n int) string { return "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", n) }, sqltext.MaxSetOps},
		{"sums", func(n int) string { return "SELECT 1" + strings.Repeat(" + 1", n) }, sqltext.MaxDepth},
		{"joined texts", func(n int) string { return "SELECT 'a'" + strings.Repeat(" || 'a'", n) }, sqltext.MaxDepth},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := sqltext.Parse(c.text(c.most)); err != nil {
				t.Errorf("%d: %v", c.most, err)
			}
			_, err := sqltext.Parse(c.text(c.most + 1))
			var sqlErr *errs.SQLError
			if !errors.As(err, &sqlErr) {
				t.Errorf("%d: got %v", c.most+1, err)
			}
		})
	}
}

func TestNestingOfEveryKindIsBounded(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"not":           "SELECT " + strings.Repeat("NOT ", n) + "a",
		"signs":         "SELECT " + strings.Repeat("- ", n) + "1",
		"case":          "SELECT " + repeat(n/4, "CASE WHEN ", "a", " THEN 1 END"),
		"casts":         "SELECT a" + strings.Repeat("::INT", n/2),
		"subscripts":    "SELECT a" + strings.Repeat("[1]", n/4),
		"fields":        "SELECT (a)" + strings.Repeat(".b", n/2),
		"is":            "SELECT a" + strings.Repeat(" IS NULL", n/3),
		"in":            "SELECT a" + strings.Repeat(" IN (1)", n/6),
		"joins":         "SELECT 1 FROM a" + strings.Repeat(" JOIN b ON c", n/6),
		"nested joins":  "SELECT 1 FROM a" + strings.Repeat(" JOIN b", n/6) + strings.Repeat(" ON c", n/6),
		"unions":        "SELECT 1" + strings.Repeat(" UNION SELECT 1", n/6),
		"comments":      strings.Repeat("/*", n) + "SELECT 1",
		"array types":   "SELECT a::INT" + strings.Repeat("[]", n/2),
		"struct types":  "SELECT a::" + repeat(n/20, "STRUCT(a ", "INT", ")"),
		"mixed":         "SELECT " + repeat(199, "NOT CASE WHEN -(", "a", ") THEN 1 END"),
		"collations":    "SELECT a" + strings.Repeat(" COLLATE b", n/3),
		"time zones":    "SELECT a" + strings.Repeat(" AT TIME ZONE 'b'", n/5),
		"not operators": "SELECT a" + strings.Repeat(" = NOT a", n/4),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sqltext.Parse(text)
			var sqlErr *errs.SQLError
			if err != nil && !errors.As(err, &sqlErr) {
				t.Errorf("got %v", err)
			}
			if err == nil && depth(sqltext.Format(p.Statement)) > 4*sqltext.MaxDepth {
				t.Error("taken, however deep")
			}
		})
	}
}

func TestTextsOverManyLinesAreJoinedCheaply(t *testing.T) {
	const n = 200_000
	text := "SELECT 'ab'" + strings.Repeat("\n'ab'", n)
	var p *sqltext.Parsed
	var err error
	if got := allocated(func() { p, err = sqltext.Parse(text) }); got > 64<<20 {
		t.Errorf("%d bytes allocated", got)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := len(sqltext.Format(p.Statement)); got != len("SELECT ''")+2*(n+1) {
		t.Errorf("the text has %d bytes", got)
	}
}

// depth is how deep brackets nest in text.
func depth(text string) int {
	most, now := 0, 0
	for _, c := range text {
		switch c {
		case '(':
			now++
			most = max(most, now)
		case ')':
			now--
		}
	}
	return most
}

func TestLongConditionsStayFlat(t *testing.T) {
	terms := make([]string, 20_000)
	for i := range terms {
		terms[i] = fmt.Sprintf("id = %d", i)
	}
	p, err := sqltext.Parse("SELECT * FROM t WHERE " + strings.Join(terms, " OR "))
	if err != nil {
		t.Fatal(err)
	}
	text := sqltext.Format(p.Statement)
	if n := strings.Count(text, " OR "); n != len(terms)-1 {
		t.Errorf("%d ORs, want %d", n, len(terms)-1)
	}
	if d := depth(text); d > 200 {
		t.Errorf("the tree is %d deep", d)
	}
	last := -1
	for part := range strings.SplitSeq(text, "id = ") {
		var n int
		if _, err := fmt.Sscanf(part, "%d", &n); err != nil {
			continue
		}
		if n != last+1 {
			t.Fatalf("term %d follows term %d", n, last)
		}
		last = n
	}
}
