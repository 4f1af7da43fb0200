package lanceio_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// opens are the names of the objects that were opened.
type opens struct {
	objstore.Store
	mu    sync.Mutex
	names []string
}

func watched(t *testing.T, name string) *opens {
	t.Helper()
	s, err := objstore.Open(tableURI(name))
	if err != nil {
		t.Fatal(err)
	}
	w := &opens{}
	w.Store = &objstore.Faulty{Store: s, OnOpen: func(name string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.names = append(w.names, name)
		return nil
	}}
	return w
}

// farStore is a store in which fragments are read side by side.
type farStore struct{ objstore.Store }

func (farStore) Parallel() int { return 8 }

// fragments tells which fragments files were opened of since the last call, deletion files included.
func (w *opens) fragments(tab *lanceio.Table) []uint32 {
	var out []uint32
	for _, f := range tab.Fragments() {
		if slices.ContainsFunc(w.names, func(name string) bool {
			return slices.Contains(f.Files, name) || strings.HasPrefix(name, fmt.Sprintf("_deletions/%d-", f.ID))
		}) {
			out = append(out, f.ID)
		}
	}
	w.names = nil
	return out
}

// Of the table regions fragment 0 holds neither lat nor its stats, 1 has 0 to 10, 2 has 20 to 30 and a row that lacks lat,
// 3 has 40 and a row of which nothing is known, 4 has 60 and half a bound, 5 bounds the wrong way round, 6 no stats,
// 7 only rows that lack lat, 8 has 80, and 100 in a row that version 10 still has.
func TestSummariesSkipFragments(t *testing.T) {
	lat := expr.Path("lat", "values")
	id := expr.Path("id")
	untold := []uint32{3, 4, 5, 6} // always kept
	tests := []struct {
		name string
		e    expr.Expr
		want string // ids
		// opened are the fragments whose files are opened once all is known; 6 has no stats that need to be opened.
		opened []uint32
	}{
		{"above all", lat.Gt(num(500)), "31 41 50 60 61", untold},
		{"equal", lat.Eq(num(25)), "31 41 50 60 61", []uint32{2, 3, 4, 5, 6}},
		{"in a row", lat.Eq(num(30)), "21 31 41 50 60 61", []uint32{2, 3, 4, 5, 6}},
		{"at the end", lat.Ge(num(80)), "31 41 50 60 61 80", []uint32{3, 4, 5, 6, 8}},
		{"past a deleted row", lat.Gt(num(80)), "31 41 50 60 61", untold},
		{"below", lat.Lt(num(0)), "31 41 50 60 61", untold},
		{"NULL", lat.Eq(expr.Null()), "31 41 50 60 61", untold},
		{"between", lat.Between(num(15), num(25)), "20 31 41 50 60 61", []uint32{2, 3, 4, 5, 6}},
		{"in", lat.In(num(10), num(80), num(81)), "11 31 41 50 60 61 80", []uint32{1, 3, 4, 5, 6, 8}},
		{"and", expr.AllOf(lat.Ge(num(10)), lat.Le(num(20))), "11 20 31 41 50 60 61", []uint32{1, 2, 3, 4, 5, 6}},
		{"or", expr.AnyOf(lat.Le(num(0)), lat.Ge(num(80))), "10 31 41 50 60 61 80", []uint32{1, 3, 4, 5, 6, 8}},
		{"or exact", expr.AnyOf(lat.Gt(num(500)), id.Eq(expr.Int(71))), "31 41 50 60 61 71", []uint32{3, 4, 5, 6, 7}},
		// Of fragment 4 the exact filter sees one row of two.
		{"and exact", expr.AllOf(lat.Gt(num(500)), id.Lt(expr.Int(35))), "31", []uint32{3, 4}},
		{"exact", id.Between(expr.Int(21), expr.Int(30)), "21 22 30", []uint32{2, 3}},
		{"exact, not null", id.IsNull(), "", nil},
		{"no form", lat.Ne(num(3)), "0 1 10 11 20 21 22 30 31 40 41 50 60 61 70 71 80", []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"match", expr.AnyMatchOf(lat.Gt(num(500))), "", untold},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := watched(t, "regions")
			tab := open(t, "regions", lanceio.WithStore(w))
			far := open(t, "regions", lanceio.WithStore(farStore{w}))
			for range 3 {
				if got, _ := ids(t, far, lanceio.FilterExpr(tt.e)); got != tt.want {
					t.Fatalf("side by side it gives ids %s, want %s", got, tt.want)
				}
				w.names = nil
			}
			ids(t, far, lanceio.FilterExpr(tt.e))
			if opened := w.fragments(far); !slices.Equal(opened, tt.opened) {
				t.Errorf("side by side it opened fragments %v, want %v", opened, tt.opened)
			}
			for run := range 3 {
				w.names = nil
				got, m := ids(t, tab, lanceio.FilterExpr(tt.e))
				if got != tt.want {
					t.Fatalf("run %d gives ids %s, want %s", run, got, tt.want)
				}
				if n := int64(len(strings.Fields(tt.want))); m.RowsSelected != n && !strings.HasPrefix(tt.name, "match") {
					t.Errorf("run %d selected %d rows, want %d", run, m.RowsSelected, n)
				}
				opened := w.fragments(tab)
				if run > 0 && !slices.Equal(opened, tt.opened) {
					t.Errorf("run %d opened fragments %v, want %v", run, opened, tt.opened)
				}
			}
		})
	}
}

// A summary that was learned where a row was deleted says nothing of the version before.
func TestSummariesKnowDeletions(t *testing.T) {
	above := lanceio.FilterExpr(expr.Path("lat", "values").Gt(num(80)))
	cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
	for range 2 {
		for version, want := range map[uint64]string{11: "31 41 50 60 61", 10: "31 41 50 60 61 81"} {
			if got, _ := ids(t, open(t, "regions", lanceio.WithCache(cache), lanceio.AtVersion(version)), above); got != want {
				t.Errorf("version %d: ids %s, want %s", version, got, want)
			}
		}
	}
	// What is known of all rows serves both.
	w := watched(t, "regions")
	cache = lanceio.NewCache(lanceio.DefaultCacheBytes)
	ids(t, open(t, "regions", lanceio.WithCache(cache), lanceio.AtVersion(10)), above)
	tab := open(t, "regions", lanceio.WithCache(cache), lanceio.WithStore(w))
	w.names = nil
	ids(t, tab, lanceio.FilterExpr(expr.Path("lat", "values").Gt(num(100))))
	if got := w.fragments(tab); slices.Contains(got, 8) {
		t.Errorf("fragments %v were opened", got)
	}
}

// A scan that ends early, or sees a part of the rows, teaches nothing.
func TestSummariesOfPartsAreNotKept(t *testing.T) {
	all := lanceio.FilterExpr(expr.Path("id").Ge(expr.Int(0)))
	for name, opts := range map[string][]lanceio.ScanOption{
		"limit":  {all, lanceio.Limit(1)},
		"row id": {lanceio.FilterExpr(expr.AllOf(expr.Path("id").Ge(expr.Int(0)), expr.Path("_rowaddr").In(expr.Int(0), expr.Int(1), expr.Int(2))))},
		"stats":  {lanceio.FilterExpr(expr.AllOf(expr.Path("id").Ge(expr.Int(0)), expr.Path("i").Ge(expr.Int(0))))},
	} {
		t.Run(name, func(t *testing.T) {
			cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
			last := lanceio.FilterExpr(expr.Path("id").Ge(expr.Int(2990)))
			want, _ := ids(t, open(t, "filters"), last)
			ids(t, open(t, "filters", lanceio.WithCache(cache)), opts...)
			if got, _ := ids(t, open(t, "filters", lanceio.WithCache(cache)), last); got != want {
				t.Errorf("ids %s, want %s", got, want)
			}
		})
	}
}

// TestSummariesChangeNothing runs random filters again and again over one cache, at once and in turns.
func TestSummariesChangeNothing(t *testing.T) {
	var cases []struct {
		Filter string
		Rows   int
	}
	wantedJSON(t, "filters", &cases)
	cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
	want := make([]string, len(cases))
	for i, c := range cases {
		want[i], _ = ids(t, open(t, "filters"), lanceio.Filter(c.Filter))
		if n := len(strings.Fields(want[i])); n != c.Rows {
			t.Fatalf("%s keeps %d rows, want %d", c.Filter, n, c.Rows)
		}
	}
	g := errgroup.Group{}
	g.SetLimit(4)
	for range 2 {
		for i, c := range cases {
			g.Go(func() error {
				got, _ := ids(t, open(t, "filters", lanceio.WithCache(cache)), lanceio.Filter(c.Filter))
				if got != want[i] {
					return fmt.Errorf("%s keeps %s, want %s", c.Filter, got, want[i])
				}
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// TestSummariesKnowFiles: a table that was made anew, whose data files have the names and sizes of others that were there
// before, is read anew.
func TestSummariesKnowFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.lance")
	cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
	scans := func(want string) {
		t.Helper()
		for range 2 {
			tab, err := lanceio.Open(t.Context(), dir, lanceio.WithCache(cache), lanceio.AtVersion(1))
			if err != nil {
				t.Fatal(err)
			}
			filter := lanceio.FilterExpr(expr.AnyOf(expr.Path("id").Lt(expr.Int(3)), expr.Path("id").Eq(expr.Int(15))))
			if got, _ := ids(t, tab, filter); got != want {
				t.Fatalf("ids %s, want %s", got, want)
			}
		}
	}
	copyTable(t, "stable", dir)
	scans("0 1 2 15")
	// The first and the last fragment have ten rows each, and files of one size.
	copyTable(t, "stable", dir)
	frags := open(t, "stable", lanceio.AtVersion(1)).Fragments()
	first, last := filepath.Join(dir, frags[0].Files[0]), filepath.Join(dir, frags[2].Files[0])
	for _, move := range [][2]string{{first, first + ".old"}, {last, first}, {first + ".old", last}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	scans("15 0 1 2")
}
