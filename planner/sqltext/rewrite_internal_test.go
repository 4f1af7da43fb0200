package sqltext

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
)

// plainText is all that the rewritten text may hold: its own words and marks, and markers.
var plainText = regexp.MustCompile("^[A-Za-z0-9_.#`(),<>=+*/% -]*$")

// TestNothingOfTheUserReachesTheParser holds that names, texts, comments and numbers stay out of the rewritten text,
// and that it has no sign that could start a comment, a hint or a variable there.
func TestNothingOfTheUserReachesTheParser(t *testing.T) {
	for _, text := range []string{
		"SELECT \"a`; DROP TABLE t; --\", `x``y`, 'it''s /*! 1 */ \\', E'\\'', $$#$$, ü, \"a\x01b\" AS \"as`\" FROM \"t`.*@\" AS `q``q`",
		"SELECT /*+ HINT */ - - 1, 5--1\n, 1e400, @x FROM t",
		"SELECT a - -b - (-(-c)), a / *, (SELECT -1) FROM t WHERE a = -1 /*! OR 1 */",
		"WITH \"#1` AS\" AS (SELECT 1) SELECT {'k`': 1}, x::STRUCT(\"a`\" INT), f(\"n`\" := 1), \"g`\"(1) FROM a JOIN b USING (\"c`\") WINDOW \"w`\" AS (ORDER BY 'x')",
		"SELECT count(*) FROM t AS OF TIMESTAMP '`' GROUP BY GROUPING SETS ((a), ()) HAVING '`' LIKE '`' ESCAPE '`' ORDER BY '`' LIMIT 1",
	} {
		r, _, err := newRewriter(text)
		if err != nil {
			t.Fatal(err)
		}
		q := r.query()
		out, positions := render(q.frag)
		if r.err != nil && !strings.Contains(text, "@x") && !strings.Contains(text, "/ *") {
			t.Errorf("%q: %v", text, r.err)
		}
		if !plainText.MatchString(out) || strings.Contains(out, "--") || strings.Contains(out, "/*") {
			t.Errorf("%q gives %q", text, out)
		}
		for i := range out {
			if p := positions.at(i); p < 0 || p > len(text) {
				t.Fatalf("%q: offset %d stands for %d", text, i, p)
			}
		}
	}
}

func TestGuardTurnsPanicsIntoErrors(t *testing.T) {
	parse := func() (e Expr, err error) {
		defer guard(&e, &err)
		e = &NullLit{}
		panic("broken")
	}
	e, err := parse()
	if e != nil || !errors.Is(err, errs.ErrInternal) || strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestParserErrorsFindTheirPlace(t *testing.T) {
	// The rewriter gives no such text; the place must be right all the same.
	r := &rewriter{text: "SELECT one two", toks: make([]token, 1)}
	f := cat(one("SELECT `a#1`", 7), one(" )", 11))
	r.tidbParse(f)
	var sqlErr *errs.SQLError
	if !errors.As(r.err, &sqlErr) || sqlErr.Column != 12 || strings.Contains(sqlErr.Msg, "MySQL") {
		t.Errorf("got %v", r.err)
	}
}

func TestKeywordsHaveOneClass(t *testing.T) {
	for w := range reservedWords {
		if functionWords[w] || plainWords[w] {
			t.Errorf("%s is in two classes", w)
		}
	}
	for w := range functionWords {
		if plainWords[w] {
			t.Errorf("%s is in two classes", w)
		}
	}
}
