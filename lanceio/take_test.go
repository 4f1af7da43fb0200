package lanceio_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

func TestTake(t *testing.T) {
	for _, name := range []string{"nested_legacy", "nested_2_0", "nested_2_1", "nested_2_2", "evolve_legacy", "evolve_2_2", "deletions"} {
		t.Run(name, func(t *testing.T) {
			tab, all := open(t, name), wanted(t, name).rows
			last := int64(len(all)) - 1
			for _, offsets := range [][]int64{{0}, {last}, {3, 1, 2}, {last, 0, last, 5, 5}, {}, {19, 20, 18, 33, last - 1}} {
				b, _, err := tab.Take(t.Context(), checked(t), offsets, columnsOf(tab))
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, o := range offsets {
					want = append(want, all[o])
				}
				same(t, texts(b), want)
				b.Release()
			}
		})
	}
}

func TestTakeRows(t *testing.T) {
	// The ids as their writer gives them; a row that was updated has its old id and a new address.
	for name, want := range map[string]string{"stable": "stable", "evolve_2_2": "evolve_2_2_rowids"} {
		t.Run(name, func(t *testing.T) {
			var ids []uint64
			all := wanted(t, want).rows
			for _, row := range all {
				for _, part := range strings.Fields(row) {
					if id, ok := strings.CutPrefix(part, "_rowid="); ok {
						n, err := strconv.ParseUint(id, 10, 64)
						if err != nil {
							t.Fatal(err)
						}
						ids = append(ids, n)
					}
				}
			}
			opts := []lanceio.ScanOption{lanceio.WithRowID(), lanceio.WithRowAddress()}
			if name != "stable" {
				opts = append(opts, lanceio.Columns(path("id")))
			}
			b, _, err := open(t, name).TakeRows(t.Context(), checked(t), ids, opts...)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Release()
			same(t, texts(b), all)
		})
	}
}

func TestTakeErrors(t *testing.T) {
	tab := open(t, "evolve_2_2") // 50 rows, of which 6 are deleted; fragments of 25, 15 and 10
	for name, tt := range map[string]struct {
		run  func() error
		kind error
	}{
		"past the end": {func() error { _, _, err := tab.Take(t.Context(), checked(t), []int64{44}); return err }, errs.ErrInvalidInput},
		"negative":     {func() error { _, _, err := tab.Take(t.Context(), checked(t), []int64{-1}); return err }, errs.ErrInvalidInput},
		"deleted row":  {func() error { _, _, err := tab.TakeRows(t.Context(), checked(t), []uint64{3}); return err }, errs.ErrNotFound},
		"no such row":  {func() error { _, _, err := tab.TakeRows(t.Context(), checked(t), []uint64{25}); return err }, errs.ErrNotFound},
		"no such fragment": {func() error {
			_, _, err := tab.TakeRows(t.Context(), checked(t), []uint64{77 << 32})
			return err
		}, errs.ErrNotFound},
		"with a limit": {func() error {
			_, _, err := tab.Take(t.Context(), checked(t), []int64{1}, lanceio.Limit(1))
			return err
		}, errs.ErrInvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.run(); !errors.Is(err, tt.kind) {
				t.Errorf("%v, want %v", err, tt.kind)
			}
		})
	}
}

func TestTakeReadsFewBytes(t *testing.T) {
	tab := open(t, "sizes")
	b, m, err := tab.Take(t.Context(), checked(t), []int64{5, 7000}, lanceio.Columns(path("s", "b")))
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	whole := collect(t, tab, lanceio.Columns(path("s", "b"))).metrics.ColumnBytes["s.b"]
	if m.ColumnBytes["s.b"] > whole/3 || m.FragmentsRead != 2 || m.RowsSelected != 2 {
		t.Errorf("%+v; the whole column has %d bytes", m, whole)
	}
}

// Rows of a table in a far store come as those of local files do, with one fragment after the other or many at once.
func TestFarTakes(t *testing.T) {
	for _, name := range []string{"worked", "evolve_2_2", "deletions", "stable", "nested_2_1", "lookups_stable"} {
		t.Run(name, func(t *testing.T) {
			near, away := open(t, name), openOver(t, name, func(s objstore.Store) objstore.Store { return farStore{s} })
			n := near.Rows()
			var offsets []int64
			for i := range n {
				offsets = append(offsets, (i*7+3)%n)
			}
			opts := []lanceio.ScanOption{columnsOf(near), lanceio.WithRowID(), lanceio.WithRowAddress()}
			take := func(tab *lanceio.Table) ([]string, []uint64) {
				b, _, err := tab.Take(t.Context(), checked(t), offsets, opts...)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Release()
				at := b.Schema().FieldIndices("_rowid")[0]
				return texts(b), slices.Clone(b.Column(at).(*array.Uint64).Uint64Values())
			}
			want, ids := take(near)
			got, _ := take(away)
			same(t, got, want)
			for _, tab := range []*lanceio.Table{near, away} {
				b, _, err := tab.TakeRows(t.Context(), checked(t), ids, opts...)
				if err != nil {
					t.Fatal(err)
				}
				same(t, texts(b), want)
				b.Release()
			}
		})
	}
}

// A file that fails while others are read ends the take, and nothing stays allocated.
func TestFarTakeFails(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range open(t, "deletions").Fragments() {
		tab := openOver(t, "deletions", func(s objstore.Store) objstore.Store {
			return farStore{&objstore.Faulty{Store: s, OnOpen: func(name string) error {
				if name == f.Files[0] {
					return broken
				}
				return nil
			}}}
		})
		var offsets []int64
		for i := range tab.Rows() {
			offsets = append(offsets, i)
		}
		if _, _, err := tab.Take(t.Context(), checked(t), offsets, columnsOf(tab)); !errors.Is(err, broken) {
			t.Errorf("fragment %d: %v", f.ID, err)
		}
	}
}
