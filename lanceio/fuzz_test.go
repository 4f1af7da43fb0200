package lanceio_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// fuzzTables are small tables that have, taken together, all file versions, both forms of deletions, stats, blobs,
// stable row ids and indices.
var fuzzTables = []string{"worked", "nested_2_0", "nested_2_1", "nested_2_2", "evolve_2_1", "deletions", "stable", "sidecars", "indexed", "old", "filters"}

// fuzzTable is a table's objects but its older manifests.
type fuzzTable struct {
	names   []string
	objects map[string][]byte
	bytes   int
}

func readFuzzTable(f *testing.F, name string) fuzzTable {
	f.Helper()
	out := fuzzTable{objects: map[string][]byte{}}
	root := tableURI(name)
	newest := true // V2 names sort from the newest to the oldest
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		dir := filepath.Dir(rel)
		if dir == "_transactions" || dir == "_versions" && !newest {
			return nil
		}
		newest = newest && dir != "_versions"
		b, err := os.ReadFile(p)
		out.objects[filepath.ToSlash(rel)] = b
		out.bytes += len(b)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	for n := range out.objects {
		out.names = append(out.names, n)
	}
	sort.Strings(out.names)
	return out
}

// FuzzTable changes bytes of one object of a table: manifest, data file, deletion file or index. All that is read then is
// as if nothing had been, or an error of a kind; what is allocated follows from the table's size.
func FuzzTable(f *testing.F) {
	tables := make([]fuzzTable, len(fuzzTables))
	for i, name := range fuzzTables {
		tables[i] = readFuzzTable(f, name)
		for k, object := range tables[i].names {
			f.Add(uint8(i), uint8(k), uint32(len(tables[i].objects[object])/2), []byte{0xff})
			f.Add(uint8(i), uint8(k), uint32(len(tables[i].objects[object])-20), []byte{0, 0, 1})
		}
	}
	f.Fuzz(func(t *testing.T, table, object uint8, at uint32, patch []byte) {
		tab := tables[int(table)%len(tables)]
		name := tab.names[int(object)%len(tab.names)]
		s := objstore.NewMem()
		for n, b := range tab.objects {
			if n == name && len(b) > 0 {
				b = slices.Clone(b)
				copy(b[int(at)%len(b):], patch)
			}
			if err := s.Put(n, b); err != nil {
				t.Fatal(err)
			}
		}
		alloctest.Within(t, uint64(tab.bytes)*1024+64<<20, func() { readFuzzed(t, s) })
	})
}

// readFuzzed opens a table, reads all of it, rows by a filter, and what is known of its storage.
func readFuzzed(t *testing.T, s objstore.Store) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		for _, kind := range []error{nil, errs.ErrCorrupt, errs.ErrUnsupported, errs.ErrResourceExhausted, errs.ErrNotFound, errs.ErrPermissionDenied} {
			if errors.Is(err, kind) {
				return
			}
		}
		t.Errorf("an error of another kind: %v", err)
	}
	tab, err := lanceio.Open(t.Context(), "mem", lanceio.WithStore(s), lanceio.WithStoreOpener(func(string) (objstore.Store, error) {
		return nil, errs.New(errs.ErrPermissionDenied, "no other places")
	}))
	if err != nil {
		check(err)
		return
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	_, err = tab.Inspect(t.Context(), mem)
	check(err)
	for _, opts := range [][]lanceio.ScanOption{
		{columnsOf(tab), lanceio.WithRowID()}, {lanceio.Filter("id = 7"), columnsOf(tab)},
	} {
		scan, err := tab.NewScan(opts...)
		if err != nil {
			continue // the schema was changed, so that the filter does not fit
		}
		r, err := scan.Reader(t.Context(), mem)
		if err != nil {
			check(err)
			continue
		}
		rows := int64(0)
		for r.Next() && rows < 10_000 {
			rows += r.RecordBatch().NumRows()
		}
		check(r.Err())
		r.Release()
	}
}
