package planner_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
)

// Functions that make values of any size are bounded: one call of them can't be stopped.
func TestGrowingFunctionsAreBounded(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 1, rows: 1, owner: tables, schema: parseSchema("a int64, s utf8")}
	for _, c := range []struct{ sql, residual, fault string }{
		{sql: "SELECT repeat(s, a) FROM t", residual: "AS DECIMAL(6,0)) AS BIGINT)"},
		{sql: "SELECT lpad(s, 1000000000, 'x') FROM t", residual: "CAST(CAST((1000000000) AS DECIMAL(6,0)) AS INTEGER)"},
		{sql: "SELECT rpad(s, a::INTEGER, 'x') FROM t", residual: "AS DECIMAL(6,0)) AS INTEGER)"},
		{sql: "SELECT list_resize([1], a) FROM t", residual: "AS DECIMAL(6,0)) AS BIGINT)"},
		{sql: "SELECT range(10000000) FROM t", residual: "range("},
		{sql: "SELECT range(10000001) FROM t", fault: "FROM range"},
		{sql: "SELECT range(0, 9000000000000000000) FROM t", fault: "10000000"},
		{sql: "SELECT generate_series(1, -20000000, -1)", fault: "FROM generate_series"},
		{sql: "SELECT range(1, 100000000, 100)", residual: "range("},
		{sql: "SELECT count(*) FROM range(10000000000)", residual: "range("},
	} {
		t.Run(c.sql, func(t *testing.T) {
			st, err := planner.Plan(context.Background(), c.sql, planner.Options{Resolver: tables, Params: []*expr.Literal{}})
			if c.fault != "" {
				if !errors.Is(err, errs.ErrInvalidInput) || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(st.Plan.Residual, c.residual) {
				t.Errorf("%s lacks %s", st.Plan.Residual, c.residual)
			}
		})
	}
}
