package lanceio_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

func copyTable(t *testing.T, name, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(tableURI(name))); err != nil {
		t.Fatal(err)
	}
}

// A table that is removed and made anew under the same name is read anew, though the cache knows the old one.
func TestCacheKnowsTablesMadeAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.lance")
	cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
	for _, name := range []string{"worked", "filters", "worked", "nested_2_2"} {
		copyTable(t, name, dir)
		for range 2 {
			tab, err := lanceio.Open(t.Context(), dir, lanceio.WithCache(cache))
			if err != nil {
				t.Fatal(err)
			}
			same(t, collect(t, tab, columnsOf(tab)).rows, wanted(t, name).rows)
		}
	}
}

func TestCacheSparesReads(t *testing.T) {
	s, err := objstore.Open(tableURI("nested_2_2"))
	if err != nil {
		t.Fatal(err)
	}
	count := objstore.NewCounting(s)
	for _, tt := range []struct {
		name  string
		cache *lanceio.Cache
		less  bool
	}{
		{"large", lanceio.NewCache(1 << 20), true},
		{"none", lanceio.NewCache(0), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var reads [2]int64
			for i := range reads {
				before := count.Requests()
				tab := open(t, "nested_2_2", lanceio.WithStore(count), lanceio.WithCache(tt.cache))
				collect(t, tab, lanceio.Columns(path("id")))
				reads[i] = count.Requests() - before
			}
			if (reads[1] < reads[0]) != tt.less {
				t.Errorf("%d reads at first, then %d", reads[0], reads[1])
			}
		})
	}
}
