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

// TestWideUnionByName: sides that each add a column are arranged once, and refused where that would make very many.
func TestWideUnionByName(t *testing.T) {
	text := func(sides int) string {
		parts := make([]string, sides)
		for i := range parts {
			parts[i] = fmt.Sprintf("SELECT %d AS c%d", i, i)
		}
		return strings.Join(parts, " UNION ALL BY NAME ")
	}
	st, err := planner.Plan(context.Background(), text(200), planner.Options{Params: []*expr.Literal{}})
	if err != nil || len(st.Plan.Columns) != 200 {
		t.Fatalf("200 sides: %v", err)
	}
	if n := strings.Count(st.Plan.Residual, "UNION ALL"); n != 199 || strings.Contains(st.Plan.Residual, "((SELECT") {
		t.Errorf("%d set operations, or some inside others", n)
	}
	if _, err := planner.Plan(context.Background(), text(300), planner.Options{Params: []*expr.Literal{}}); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("300 sides: %v", err)
	}
}
