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
