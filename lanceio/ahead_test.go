package lanceio_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// TestFarScans reads all tables as from an object store, in whole and in parts, and gets what a scan of local files gives.
func TestFarScans(t *testing.T) {
	entries, err := os.ReadDir("testdata/tables")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".lance")
		if !ok {
			continue // files that tables name
		}
		t.Run(name, func(t *testing.T) {
			near, away := open(t, name), openOver(t, name, func(s objstore.Store) objstore.Store { return farStore{s} })
			for _, filter := range []string{"", "_rowaddr % 3 <> 1"} {
				var opts []lanceio.ScanOption
				if filter != "" {
					opts = append(opts, lanceio.Filter(filter))
				}
				all, err := tryCollect(t, near, opts...)
				if err != nil {
					if _, ferr := tryCollect(t, away, opts...); ferr == nil {
						t.Errorf("no error, want %v", err)
					}
					continue
				}
				n := int64(len(all.rows))
				for _, part := range [][2]int64{{0, -1}, {0, 1}, {0, n / 2}, {1, 2}, {n / 3, n / 3}, {n - 1, 5}, {n, 1}, {2, -1}} {
					skip, limit := max(part[0], 0), part[1]
					more := append(opts[:len(opts):len(opts)], lanceio.Offset(skip))
					end := n
					if limit >= 0 {
						more = append(more, lanceio.Limit(limit))
						end = min(n, skip+limit)
					}
					got := collect(t, away, more...)
					same(t, got.rows, all.rows[min(skip, n):max(end, min(skip, n))])
				}
			}
		})
	}
}

// TestFarFaults ends a scan by an error in the middle of the rows: those before it have come, in order.
func TestFarFaults(t *testing.T) {
	broken := errors.New("broken")
	near := open(t, "worked")
	all := collect(t, near)
	files := near.Fragments()
	for i, f := range files {
		tab := openOver(t, "worked", func(s objstore.Store) objstore.Store {
			return farStore{&objstore.Faulty{Store: s, OnOpen: func(name string) error {
				if name == f.Files[0] {
					return broken
				}
				return nil
			}}}
		})
		s, err := tab.NewScan()
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			b, err := st.Next(t.Context())
			if err != nil {
				if !errors.Is(err, broken) || errors.Is(err, io.EOF) || errors.Is(err, errs.ErrCanceled) {
					t.Errorf("fragment %d: %v", i, err)
				}
				break
			}
			got = append(got, texts(b)...)
			b.Release()
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		same(t, got, all.rows[:len(got)])
	}
}
