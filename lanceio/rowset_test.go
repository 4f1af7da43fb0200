package lanceio_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// special gives a special column of the text of a row.
func special(t *testing.T, row, name string) uint64 {
	t.Helper()
	for _, part := range strings.Fields(row) {
		if v, ok := strings.CutPrefix(part, name+"="); ok {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %s", name, row)
	return 0
}

// TestSpecialFilters: a filter on special columns gives the rows that a look at every row finds, and opens the files
// of no fragment outside of them.
func TestSpecialFilters(t *testing.T) {
	rowid, addr, frag := expr.Path("_rowid"), expr.Path("_rowaddr"), expr.Path("_fragid")
	for _, name := range []string{"stable", "deletions", "evolve_legacy", "evolve_2_0", "evolve_2_2", "nested_2_1", "sizes"} {
		tab := open(t, name)
		with := []lanceio.ScanOption{lanceio.Columns(path("id")), lanceio.WithRowID(), lanceio.WithRowAddress(), lanceio.WithFragmentID()}
		all := collect(t, tab, with...).rows
		third := all[len(all)/3]
		id, at := special(t, third, "_rowid"), special(t, third, "_rowaddr")
		last := special(t, all[len(all)-1], "_rowid")
		lit := func(n uint64) expr.Expr { return expr.Lit(n) }
		idIs := func(ns ...uint64) func(string) bool {
			return func(row string) bool { return slices.Contains(ns, special(t, row, "_rowid")) }
		}
		for _, c := range []struct {
			filter expr.Expr
			keeps  func(row string) bool
		}{
			{rowid.Eq(lit(id)), idIs(id)},
			{rowid.In(lit(last), lit(id), expr.Null(), lit(1<<62), expr.Lit(-1)), idIs(id, last)},
			{expr.AllOf(rowid.Ge(lit(id)), rowid.Lt(lit(id+5))), func(r string) bool { n := special(t, r, "_rowid"); return n >= id && n < id+5 }},
			{addr.Eq(lit(at)), func(r string) bool { return special(t, r, "_rowaddr") == at }},
			{expr.AllOf(addr.Eq(lit(at)), rowid.Ne(lit(id))), func(string) bool { return false }},
			{expr.AnyOf(addr.Eq(lit(at)), rowid.Eq(lit(last))), func(r string) bool {
				return special(t, r, "_rowaddr") == at || special(t, r, "_rowid") == last
			}},
			{frag.Eq(lit(1)), func(r string) bool { return special(t, r, "_fragid") == 1 }},
			{expr.AllOf(frag.In(lit(0), lit(1)), expr.Path("id").Ge(expr.Int(0)), rowid.Le(lit(last))), func(r string) bool {
				return special(t, r, "_fragid") <= 1 && special(t, r, "_rowid") <= last && !strings.Contains(r, "id=null")
			}},
			{frag.Gt(lit(1 << 40)), func(string) bool { return false }},
		} {
			t.Run(fmt.Sprintf("%s/%s", name, c.filter), func(t *testing.T) {
				var want []string
				frags := map[uint64]bool{}
				for _, row := range all {
					if c.keeps(row) {
						want = append(want, row)
						frags[special(t, row, "_fragid")] = true
					}
				}
				opened := map[string]bool{}
				tab := openOver(t, name, func(s objstore.Store) objstore.Store {
					return &objstore.Faulty{Store: s, OnOpen: func(name string) error { opened[name] = true; return nil }}
				})
				same(t, collect(t, tab, append(with, lanceio.FilterExpr(c.filter))...).rows, want)
				if expr.Has(c.filter, func(e expr.Expr) bool { l, ok := e.(*expr.Logical); return ok && l.Op == expr.Or }) {
					return // what it reads for is not told by one column
				}
				for _, f := range tab.Fragments() {
					for _, file := range f.Files {
						if opened[file] && !frags[uint64(f.ID)] {
							t.Errorf("%s of fragment %d was opened", file, f.ID)
						}
					}
				}
			})
		}
	}
}

// TestSpecialFilterReads: no filter column is read at rows that the ids leave out.
func TestSpecialFilterReads(t *testing.T) {
	tab := open(t, "sizes")
	text := expr.Path("s", "b").Ge(expr.Text(""))
	_, all := ids(t, tab, lanceio.FilterExpr(text))
	_, one := ids(t, tab, lanceio.FilterExpr(expr.AllOf(text, expr.Path("_rowid").Eq(expr.Int(3)))))
	if one.ColumnBytes["s.b"] == 0 || one.ColumnBytes["s.b"]*5 > all.ColumnBytes["s.b"] {
		t.Errorf("one row took %d bytes of s.b, all %d", one.ColumnBytes["s.b"], all.ColumnBytes["s.b"])
	}
	if one.ReadRequests*2 > all.ReadRequests {
		t.Errorf("one row took %d requests, all %d", one.ReadRequests, all.ReadRequests)
	}
}
