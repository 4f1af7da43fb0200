package planner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
)

// TestRepeatedOperands: what stands in the plan more often than in the statement grows with each level of nesting, and is refused
// where it would double without end; what is written once, or side by side, is not.
func TestRepeatedOperands(t *testing.T) {
	plan := func(text string) error {
		_, err := planner.Plan(context.Background(), text, planner.Options{Params: []*expr.Literal{}})
		return err
	}
	nested := func(form string, levels int) string {
		text := "'a'"
		for range levels {
			text = fmt.Sprintf(form, text)
		}
		return "SELECT " + text
	}
	for _, form := range []string{
		"overlay(%s PLACING upper('b') FROM 1)", "quote_ident(upper(%s))", "locate(%s, upper('b'), 1)::VARCHAR", "(upper(%s) LIKE ANY ('a%%', 'b%%', 'c%%'))::VARCHAR",
		"(upper(%s) BETWEEN SYMMETRIC 'a' AND 'b')::VARCHAR", "charindex('b', %s, 2)::VARCHAR", "quote_ident((SELECT upper(%s)))",
	} {
		if err := plan(nested(form, 2)); err != nil {
			t.Errorf("%s, twice: %v", form, err)
		}
		if err := plan(nested(form, 60)); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "read more than once") {
			t.Errorf("%s, 60 times: %v", form, err)
		}
	}
	if err := plan(nested("format_type(length(%s), 1)", 60)); err != nil {
		t.Errorf("what is read once: %v", err)
	}
	if err := plan("SELECT " + strings.Repeat("quote_ident(upper('a')), ", 2000) + "'b'"); err != nil {
		t.Errorf("side by side: %v", err)
	}
}

// TestRepeatedAliases: each use of an alias is a copy of what it stands for, in whatever clause; aliases that double in one another are
// refused where they would come to too much, at the use.
func TestRepeatedAliases(t *testing.T) {
	plan := func(text string) error {
		_, err := planner.Plan(context.Background(), text, planner.Options{Params: []*expr.Literal{}})
		return err
	}
	doubled := func(levels int) string {
		text := "SELECT k + 1 AS a0"
		for i := range levels {
			text += fmt.Sprintf(", a%d + a%d AS a%d", i, i, i+1)
		}
		return text + " FROM (SELECT 1 AS k)"
	}
	for _, ordinary := range []string{
		doubled(8), doubled(8) + " WHERE a8 > 1 ORDER BY a8, a7", "SELECT k + 1 AS a, count(*) AS n FROM (SELECT 1 AS k) GROUP BY a HAVING n > 0 AND n < 9 ORDER BY a, n",
		"SELECT k AS a FROM (SELECT 1 AS k) ORDER BY " + strings.Repeat("a, ", 30_000) + "a",
	} {
		if err := plan(ordinary); err != nil {
			t.Errorf("%.60s...: %v", ordinary, err)
		}
	}
	big := "SELECT " + strings.Repeat("1 + ", 900) + "k AS a, count(*) AS n FROM (SELECT 1 AS k) "
	uses := strings.Repeat("a, ", 30) + "a"
	for _, text := range []string{
		doubled(60), big + "WHERE 1 IN (" + uses + ") GROUP BY ALL", big + "GROUP BY " + uses, big + "GROUP BY a HAVING 1 IN (" + uses + ")", big + "GROUP BY a ORDER BY " + uses,
	} {
		err := plan(text)
		var at *errs.SQLError
		if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "read more than once") || !errors.As(err, &at) || text[at.Column-1] != 'a' {
			t.Errorf("...%s: %v", text[max(0, len(text)-60):], err)
		}
	}
}
