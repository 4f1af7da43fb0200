package lanceio_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

// lookupTables have indices of each kind, which do not cover all their fragments.
var lookupTables = []string{"lookups_addresses", "lookups_stable"}

// noIndices is a table's folder from which the files of indices were removed.
type noIndices struct{ objstore.Store }

func (s noIndices) Open(ctx context.Context, name string) (objstore.Reader, error) {
	if strings.HasPrefix(name, "_indices/") {
		return nil, fmt.Errorf("%s: %w", name, errs.ErrNotFound)
	}
	return s.Store.Open(ctx, name)
}

func unindexed(t testing.TB, name string) *lanceio.Table {
	return openOver(t, name, func(s objstore.Store) objstore.Store { return noIndices{s} })
}

// sortedIDs runs a scan for the column id and gives its values in order.
func sortedIDs(t *testing.T, tab *lanceio.Table, opt lanceio.ScanOption) ([]int, scan.Metrics) {
	t.Helper()
	text, m := ids(t, tab, opt)
	out := []int{}
	for _, s := range strings.Fields(text) {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, m
}

func columnBytes(m scan.Metrics) (n int64) {
	for _, b := range m.ColumnBytes {
		n += b
	}
	return n
}

func TestLookups(t *testing.T) {
	for _, name := range lookupTables {
		var want map[string][]int
		wantedJSON(t, name, &want)
		less := 0
		for filter, kept := range want {
			t.Run(name+" "+filter, func(t *testing.T) {
				got, m := sortedIDs(t, open(t, name), lanceio.Filter(filter))
				if !slices.Equal(got, kept) {
					t.Errorf("kept %v, want %v", got, kept)
				}
				plain, pm := sortedIDs(t, unindexed(t, name), lanceio.Filter(filter))
				if !slices.Equal(plain, kept) {
					t.Errorf("kept %v without files of indices, want %v", plain, kept)
				}
				if columnBytes(m) > columnBytes(pm) {
					t.Errorf("%d bytes of columns were read, %d without indices", columnBytes(m), columnBytes(pm))
				}
				if columnBytes(m) < columnBytes(pm) {
					less++
				}
			})
		}
		if less == 0 {
			t.Errorf("%s: no filter read less", name)
		}
	}
}

// What the plan says, and what a lookup saves: a fragment without a row that passes is not opened.
func TestLookupPlans(t *testing.T) {
	for filter, want := range map[string][]string{
		"i = 50":               {"i_idx (BTREE on i)"},
		"50 < i AND z = 49":    {"i_idx (BTREE on i)", "z_idx (ZONEMAP on z)"},
		"i = 50 OR id = 3":     nil,
		"i = 50 OR text = 'a'": {"i_idx (BTREE on i)", "text_idx (BITMAP on text)"},
		"s.x = 4":              {`"s.x_idx" (BTREE on s.x)`},
		"s.x IS NULL":          nil,
		"i <> 50":              nil,
		"id = 3":               nil,
		"abs(i) = 50":          nil,
		"text LIKE '%a'":       nil,
	} {
		t.Run(filter, func(t *testing.T) {
			s, err := open(t, "lookups_addresses").NewScan(lanceio.Columns(path("id")), lanceio.Filter(filter))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Info().Indices; !slices.Equal(got, want) {
				t.Errorf("indices %q, want %q", got, want)
			}
			for _, x := range want {
				if !strings.Contains(s.Explain(), "index: "+x+"\n") {
					t.Errorf("the explanation does not name %s:\n%s", x, s.Explain())
				}
			}
		})
	}
	// Rows 0 and 101 have i = 50; 120 and above lie in the third fragment at least.
	_, m := sortedIDs(t, open(t, "lookups_addresses"), lanceio.Filter("i = 57"))
	_, pm := sortedIDs(t, unindexed(t, "lookups_addresses"), lanceio.Filter("i = 57"))
	if columnBytes(m) >= columnBytes(pm) || m.BytesRead <= columnBytes(m) {
		t.Errorf("%d bytes of columns of %d bytes, %d bytes of columns without the index", columnBytes(m), m.BytesRead, columnBytes(pm))
	}
	if _, ok := m.ColumnBytes[""]; ok || m.ColumnBytes["i"] == 0 {
		t.Errorf("bytes by column: %v", m.ColumnBytes)
	}
}

// NaN is equal to itself and above all else, whatever its sign; both zeros are one. The kept rows are told by Go's own
// comparisons over all values.
func TestLookupFloats(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	compare := func(a, b float64) int {
		switch {
		case a < b || !math.IsNaN(a) && math.IsNaN(b):
			return -1
		case a > b || math.IsNaN(a) && !math.IsNaN(b):
			return 1
		}
		return 0
	}
	ops := map[string]struct {
		make func(x, c expr.Expr) expr.Expr
		pass func(c int) bool
	}{
		"=":  {func(x, c expr.Expr) expr.Expr { return &expr.Compare{Op: expr.Eq, L: x, R: c} }, func(c int) bool { return c == 0 }},
		"<":  {func(x, c expr.Expr) expr.Expr { return &expr.Compare{Op: expr.Lt, L: x, R: c} }, func(c int) bool { return c < 0 }},
		"<=": {func(x, c expr.Expr) expr.Expr { return &expr.Compare{Op: expr.Le, L: x, R: c} }, func(c int) bool { return c <= 0 }},
		">":  {func(x, c expr.Expr) expr.Expr { return &expr.Compare{Op: expr.Gt, L: x, R: c} }, func(c int) bool { return c > 0 }},
		">=": {func(x, c expr.Expr) expr.Expr { return &expr.Compare{Op: expr.Ge, L: x, R: c} }, func(c int) bool { return c >= 0 }},
	}
	for _, name := range lookupTables {
		for _, column := range []string{"f", "zf"} {
			values := floatsOf(t, name, column)
			for op, o := range ops {
				for _, c := range []float64{nan, inf, -inf, 0, math.Copysign(0, -1), 2.5, -2.5, 2.6, 1e300, -1e300, 1e-300, 16777217} {
					t.Run(fmt.Sprintf("%s %s %s %v", name, column, op, c), func(t *testing.T) {
						var want []int
						for id, v := range values {
							limit := c
							if column == "zf" && !math.IsInf(float64(float32(c)), 0) {
								limit = float64(float32(c)) // a literal next to FLOAT is read as FLOAT, where it is in its range
							}
							if o.pass(compare(v, limit)) {
								want = append(want, id)
							}
						}
						slices.Sort(want)
						got, _ := sortedIDs(t, open(t, name), lanceio.FilterExpr(o.make(&expr.Column{Path: path(column)}, num(c))))
						if !slices.Equal(got, want) && len(got)+len(want) > 0 {
							t.Errorf("kept %v, want %v", got, want)
						}
					})
				}
			}
		}
	}
}

// floatsOf gives the values of a column that are not null, by id.
func floatsOf(t *testing.T, name, column string) map[int]float64 {
	t.Helper()
	out := map[int]float64{}
	for _, row := range collect(t, unindexed(t, name), lanceio.Columns(path("id"), path(column))).rows {
		var id int
		var text string
		if _, err := fmt.Sscanf(row, "id=%d "+column+"=%s", &id, &text); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			out[id] = v
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d values of %s", len(out), column)
	}
	return out
}

// Files that are damaged in a way that can be told never change rows.
func TestDamagedIndices(t *testing.T) {
	for _, name := range lookupTables {
		var want map[string][]int
		wantedJSON(t, name, &want)
		folder := tableURI(name)
		for _, file := range indexFiles(t, folder) {
			whole, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			for damage, data := range map[string][]byte{
				"empty": {}, "cut": whole[:len(whole)/2], "longer": append(slices.Clone(whole), whole...), "other": make([]byte, len(whole)),
			} {
				t.Run(name+" "+filepath.Base(file)+" "+damage, func(t *testing.T) {
					t.Parallel()
					for _, filter := range []string{"i = 50", "f = 0.0", "text = 'tä'", "z = 49", "zf = 2.5", "s.x = 4"} {
						tab := openOver(t, name, func(s objstore.Store) objstore.Store { return replaced{s, file, data} })
						if got, _ := sortedIDs(t, tab, lanceio.Filter(filter)); !slices.Equal(got, want[filter]) {
							t.Errorf("%s: kept %v, want %v", filter, got, want[filter])
						}
					}
				})
			}
		}
	}
}

// indexFiles gives the files of indices in a table's folder.
func indexFiles(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(folder, "_indices"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, rerr := filepath.Rel(folder, p)
			out, err = append(out, filepath.ToSlash(rel)), rerr
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("%d files of indices, %v", len(out), err)
	}
	return out
}

// replaced is a table's folder with other bytes in one file.
type replaced struct {
	objstore.Store
	name string
	data []byte
}

func (s replaced) Open(ctx context.Context, name string) (objstore.Reader, error) {
	if name != s.name {
		return s.Store.Open(ctx, name)
	}
	m := objstore.NewMem()
	if err := m.Put(name, s.data); err != nil {
		return nil, err
	}
	return m.Open(ctx, name)
}

// A changed bit may lose rows, as no file of an index has a checksum, but never adds one, fails or crashes.
func TestChangedBits(t *testing.T) {
	for _, name := range lookupTables {
		var want map[string][]int
		wantedJSON(t, name, &want)
		folder := tableURI(name)
		for _, file := range indexFiles(t, folder) {
			whole, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name+" "+file, func(t *testing.T) {
				t.Parallel()
				for at := 0; at < len(whole); at += 301 {
					data := slices.Clone(whole)
					data[at] ^= 1 << (at % 8)
					tab := openOver(t, name, func(s objstore.Store) objstore.Store { return replaced{s, file, data} })
					for _, filter := range []string{"i = 50", "f = 0.0", "text = 'tä'", "z = 49", "zf = 2.5"} {
						got, _ := sortedIDs(t, tab, lanceio.Filter(filter))
						for _, id := range got {
							if !slices.Contains(want[filter], id) {
								t.Errorf("byte %d: row %d was added", at, id)
							}
						}
					}
				}
			})
		}
	}
}

// A later scan of the same table finds the lookup in the cache.
func TestLookupCache(t *testing.T) {
	tab := open(t, "lookups_addresses")
	_, first := sortedIDs(t, tab, lanceio.Filter("i = 57"))
	_, second := sortedIDs(t, tab, lanceio.Filter("i = 57"))
	if second.BytesRead >= first.BytesRead || second.ReadRequests >= first.ReadRequests {
		t.Errorf("%d bytes in %d requests, then %d in %d", first.BytesRead, first.ReadRequests, second.BytesRead, second.ReadRequests)
	}
}

// Lookups in indices of a far store, where they are made side by side, narrow as those of local files do.
func TestFarLookups(t *testing.T) {
	for _, name := range lookupTables {
		var want map[string][]int
		wantedJSON(t, name, &want)
		for filter, kept := range want {
			t.Run(name+" "+filter, func(t *testing.T) {
				tab := openOver(t, name, func(s objstore.Store) objstore.Store { return farStore{s} })
				for range 2 { // the second finds what the first has read
					got, _ := sortedIDs(t, tab, lanceio.Filter(filter))
					if !slices.Equal(got, kept) {
						t.Errorf("kept %v, want %v", got, kept)
					}
				}
			})
		}
	}
}
