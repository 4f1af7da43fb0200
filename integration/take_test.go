//go:build integration

package integration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

// taken is what pylance read for the rows at some offsets of a table.
type taken struct {
	Table    string
	Offsets  []int64
	Bytes    int64
	Requests int64
}

// leaf is how many bytes the pages of a leaf column take.
type leaf struct {
	Table string
	Path  expr.FieldPath
	Bytes int64
}

// TestReads compares what is read with what pylance reads by its own count, and with what the files say.
func TestReads(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "takes.py")
	if out, err := exec.Command(serve.Python(), script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []taken
	readJSON(t, filepath.Join(dir, "takes.json"), &all)
	for _, w := range all {
		t.Run(w.Table, func(t *testing.T) { testTake(t, dir, w) })
	}
	var leaves []leaf
	readJSON(t, filepath.Join(dir, "leaf.json"), &leaves)
	for _, l := range leaves {
		t.Run(l.Table+"/"+l.Path.String(), func(t *testing.T) { testLeaf(t, dir, l) })
	}
	t.Run("learned in parts", func(t *testing.T) { testParts(t, dir) })
	t.Run("SQL", func(t *testing.T) { testTakeSQL(t, dir, all[0]) })
}

// testTake takes rows by their offsets and by their ids in a filter: both give what pylance gives, and read at most a
// fifth more.
func testTake(t *testing.T, dir string, w taken) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	open := func() *lanceio.Table { // with a cache of its own
		tab, err := lanceio.Open(t.Context(), filepath.Join(dir, w.Table+".lance"))
		if err != nil {
			t.Fatal(err)
		}
		return tab
	}
	want := arrowFile(t, filepath.Join(dir, w.Table+".arrow"))
	check := func(way string, got arrow.Array, read scan.Metrics) {
		t.Helper()
		if !array.Equal(got, want) {
			t.Errorf("%s: the values are not those that pylance took", way)
		}
		t.Logf("%s: %d bytes in %d requests, pylance %d in %d", way, read.BytesRead, read.ReadRequests, w.Bytes, w.Requests)
		if read.BytesRead*5 > w.Bytes*6 {
			t.Errorf("%s: %d bytes were read, pylance reads %d: %v", way, read.BytesRead, w.Bytes, read.ColumnBytes)
		}
	}
	b, read, err := open().Take(t.Context(), mem, w.Offsets)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	check("take", b.Column(0), read)

	tab := open()
	var ids []expr.Expr
	for _, id := range rowIDs(tab, w.Offsets) {
		ids = append(ids, expr.Lit(id))
	}
	s, err := tab.NewScan(lanceio.FilterExpr(expr.Path("_rowid").In(ids...)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var parts []arrow.Array
	for r.Next() {
		r.RecordBatch().Column(0).Retain()
		parts = append(parts, r.RecordBatch().Column(0))
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	joined, err := array.Concatenate(parts, mem)
	for _, p := range parts {
		p.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Release()
	check("filter", joined, r.Metrics())
}

// rowIDs gives the ids of the rows at some offsets of a table without deletions.
func rowIDs(tab *lanceio.Table, offsets []int64) []uint64 {
	ids := make([]uint64, len(offsets))
	for i, off := range offsets {
		for _, f := range tab.Fragments() {
			if off < int64(f.Rows) {
				ids[i] = uint64(f.ID)<<32 | uint64(off)
				break
			}
			off -= int64(f.Rows)
		}
	}
	return ids
}

// testLeaf scans a leaf: its pages are read once, and of the files' metadata no more than its own beside their ends.
func testLeaf(t *testing.T, dir string, l leaf) {
	tab, err := lanceio.Open(t.Context(), filepath.Join(dir, l.Table+".lance"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := tab.NewScan(lanceio.Columns(l.Path))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context(), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	m := r.Metrics()
	t.Logf("%d bytes for pages of %d, %v", m.BytesRead, l.Bytes, m.ColumnBytes)
	if len(m.ColumnBytes) != 1 || m.ColumnBytes[l.Path.Key()] > l.Bytes*101/100 || m.ColumnBytes[l.Path.Key()] < l.Bytes*9/10 {
		t.Errorf("read of columns %v, the pages have %d bytes", m.ColumnBytes, l.Bytes)
	}
	if most := l.Bytes*101/100 + int64(len(tab.Fragments()))*16<<10; m.BytesRead > most {
		t.Errorf("%d bytes read, want at most %d", m.BytesRead, most)
	}
}

// farStore is a store in which parts of a fragment are read side by side.
type farStore struct{ objstore.Store }

func (farStore) Parallel() int { return 8 }

// testParts scans fragments of several parts: what all parts of one have learned leaves it out of the next scan.
func testParts(t *testing.T, dir string) {
	uri := filepath.Join(dir, "long_2_2.lance")
	store, err := objstore.Open(uri)
	if err != nil {
		t.Fatal(err)
	}
	cache := lanceio.NewCache(lanceio.DefaultCacheBytes)
	scan := func(above string) (rows, bytes int64) {
		t.Helper()
		tab, err := lanceio.Open(t.Context(), uri, lanceio.WithStore(farStore{store}), lanceio.WithCache(cache))
		if err != nil {
			t.Fatal(err)
		}
		s, err := tab.NewScan(lanceio.Columns(), lanceio.FilterExpr(expr.Path("v").Gt(expr.Text(above))))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Reader(t.Context(), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return rows, r.Metrics().BytesRead
	}
	if rows, bytes := scan("A"); rows != 10_000 || bytes < 8<<20 {
		t.Errorf("%d rows and %d bytes, want 10000 rows, and parts of 4 MiB", rows, bytes)
	}
	if rows, bytes := scan("~"); rows != 0 || bytes != 0 {
		t.Errorf("%d rows and %d bytes past all texts, want none", rows, bytes)
	}
	if rows, _ := scan("b"); rows < 9000 || rows >= 10_000 {
		t.Errorf("%d rows begin with b or a later letter", rows)
	}
}

// testTakeSQL takes the rows by a statement.
func testTakeSQL(t *testing.T, dir string, w taken) {
	tab, err := lanceio.Open(t.Context(), filepath.Join(dir, w.Table+".lance"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, id := range rowIDs(tab, w.Offsets) {
		ids = append(ids, strconv.FormatUint(id, 10))
	}
	query := fmt.Sprintf("EXPLAIN (ANALYZE, FORMAT JSON) SELECT v FROM %s WHERE _rowid IN (%s)", w.Table, strings.Join(ids, ", "))
	out, err := exec.Command(serve.Binary(), "query", "--data", dir, "--format", "json", query).Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Plan string }
	var plan struct {
		Engine string
		Scans  []struct {
			RowsSelected int64 `json:"rows_selected"`
			BytesRead    int64 `json:"bytes_read"`
		}
	}
	if err := json.Unmarshal(out, &rows); err != nil || len(rows) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal([]byte(rows[0].Plan), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Scans) != 1 || plan.Engine != "direct" || plan.Scans[0].RowsSelected != int64(len(ids)) || plan.Scans[0].BytesRead*5 > w.Bytes*6 {
		t.Errorf("%+v; pylance reads %d bytes for %d rows", plan, w.Bytes, len(ids))
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// arrowFile reads the one column of an Arrow file of one batch.
func arrowFile(t *testing.T, name string) arrow.Array {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.RecordBatchAt(0)
	if err != nil {
		t.Fatal(err)
	}
	return b.Column(0)
}
