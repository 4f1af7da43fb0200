package planner_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// TestRulesLeaveTheirArgument runs each rule over the statements of the golden files: what it was given is what it was
// before, it says that it changed nothing only where it gives its argument back, and a second run finds nothing left.
func TestRulesLeaveTheirArgument(t *testing.T) {
	env := rules.Env{Supports: eval.Supports}
	forEachStatement(t, func(t *testing.T, q *logical.Query) {
		for _, r := range rules.Default {
			before := logical.Clone(q)
			next, changed, err := r.Apply(env, q)
			if err != nil {
				return // a refusal, which the golden files hold
			}
			if !reflect.DeepEqual(q, before) {
				t.Errorf("%s changed its argument", r.Name)
			}
			if changed == (next == q) {
				t.Errorf("%s: changed=%t, same query=%t", r.Name, changed, next == q)
			}
			again, _, err := r.Apply(env, next)
			if err != nil || !reflect.DeepEqual(again, logical.Clone(next)) {
				t.Errorf("%s finds something to do a second time (%v)", r.Name, err)
			}
			q = next
		}
	})
}

// forEachStatement binds the statements of the golden files that can be bound.
func forEachStatement(t *testing.T, check func(*testing.T, *logical.Query)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	n := 0
	for _, file := range files {
		g := &golden{tables: &fakeTables{tables: map[string]*fakeTable{}}}
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			t.Helper()
			switch d.Cmd {
			case "table":
				g.define(d)
			case "plan", "spec":
				parsed, err := sqltext.Parse(d.Input)
				if err != nil {
					break
				}
				st, ok := parsed.Statement.(*sqltext.QueryStmt)
				if !ok || parsed.Params > 0 {
					break
				}
				bound, err := logical.Bind(context.Background(), parsed, st.Query,
					logical.Options{Catalog: "lance", Schema: "main", Resolver: g.tables})
				if err != nil {
					break
				}
				n++
				t.Run(d.Pos, func(t *testing.T) { check(t, bound.Query) })
			}
			return d.Expected
		})
	}
	if n < 50 {
		t.Fatalf("only %d statements", n)
	}
}
