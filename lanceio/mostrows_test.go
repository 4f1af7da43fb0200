package lanceio_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// TestMostRows: of the table sizes (8000 rows), what conditions on row addresses leave, and what a scan has learned of the
// fragments.
func TestMostRows(t *testing.T) {
	tab := open(t, "sizes", lanceio.WithCache(lanceio.NewCache(lanceio.DefaultCacheBytes)))
	u := arrow.PrimitiveTypes.Uint64
	special := func(name string) *expr.Column { return &expr.Column{Path: path(name), Typ: u} }
	number := func(n uint64) expr.Expr { return &expr.Literal{Value: n, Typ: u} }
	id := &expr.Column{Path: path("id"), Typ: arrow.PrimitiveTypes.Int64}
	infos := tab.Fragments()
	second := uint64(infos[1].ID)
	check := func(name string, filter expr.Expr, rows int64, fragments int) {
		t.Helper()
		p, err := tab.Plan(t.Context(), scan.Spec{Columns: []expr.FieldPath{path("id")}, Filter: filter, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		if r, f := p.(scan.Bounded).MostRows(); r != rows || f != fragments {
			t.Errorf("%s: at most %d rows in %d fragments, want %d in %d", name, r, f, rows, fragments)
		}
	}
	check("no filter", nil, 8000, len(infos))
	check("of no row", expr.Bool(false), 0, 0)
	check("a fragment", special(scan.FragID).Eq(number(second)), int64(infos[1].Rows), 1)
	check("addresses", special(scan.RowAddr).Between(number(second<<32|5), number(second<<32|9)), 5, 1)
	check("addresses of no fragment", special(scan.RowAddr).Gt(number(1<<62)), 0, 0)
	above := id.Gt(expr.Int(1 << 40))
	check("not known yet", above, 8000, len(infos))
	if got, _ := ids(t, tab, lanceio.LanceFilter(above)); got != "" {
		t.Fatalf("ids %s", got)
	}
	check("learned", above, 0, 0)
	check("learned of some", id.Lt(expr.Int(1)), int64(infos[0].Rows), 1)
}
