package lanceio_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// addresses gives the row addresses of a table in its order, of the ranges alone where there are any.
func addresses(t *testing.T, tab *lanceio.Table, within []scan.Range) []string {
	t.Helper()
	spec := scan.Spec{Special: []string{scan.RowAddr}, Limit: -1}
	var any []expr.Expr
	for _, r := range within {
		u := arrow.PrimitiveTypes.Uint64
		any = append(any, &expr.Between{X: &expr.Column{Path: path(scan.RowAddr), Typ: u}, Lo: &expr.Literal{Value: r.First, Typ: u}, Hi: &expr.Literal{Value: r.Last, Typ: u}})
	}
	spec.Filter = expr.AnyOf(any...)
	p, err := tab.Plan(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	st, err := p.Open(t.Context(), checked(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t.Context(), p.Schema(), st)
	if err != nil {
		t.Fatal(err)
	}
	return got.rows
}

func TestDivide(t *testing.T) {
	tables := tableNames(t)
	cut := 0
	for _, name := range tables {
		tab := open(t, name)
		all := addresses(t, tab, nil)
		for _, n := range []int{1, 2, 3, 7, 1000} {
			parts := tab.Divide(n)
			if len(parts) > n {
				t.Errorf("%s: %d parts, at most %d are asked for", name, len(parts), n)
			}
			var got []string
			for _, part := range parts {
				if len(part) == 0 {
					t.Errorf("%s: a part without rows", name)
				}
				got = append(got, addresses(t, tab, part)...)
			}
			if !slices.Equal(got, all) {
				t.Errorf("%s in %d parts: %d rows, want %d", name, len(parts), len(got), len(all))
			}
			if len(parts) > len(tab.Fragments()) {
				cut++
			}
		}
	}
	if cut == 0 {
		t.Error("no fragment was cut")
	}
	if got := open(t, tables[0]).Divide(0); got != nil {
		t.Errorf("no parts are %v", got)
	}
}

func tableNames(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(tableURI("*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(filepath.Base(f), ".lance")
	}
	return found
}
