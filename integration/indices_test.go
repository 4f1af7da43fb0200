//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

var (
	indexSeed   = flag.Int("index-seed", 1, "seed of the tables with indices")
	indexTables = flag.Int("index-tables", 25, "how many tables with indices")
)

// withoutIndices is a table's folder in which the files of indices are missing.
type withoutIndices struct{ objstore.Store }

func (s withoutIndices) Open(ctx context.Context, name string) (objstore.Reader, error) {
	if strings.HasPrefix(name, "_indices/") {
		return nil, fmt.Errorf("%s: %w", name, errs.ErrNotFound)
	}
	return s.Store.Open(ctx, name)
}

// TestIndices compares filters with and without indices, over tables with histories made at random, with what pylance keeps
// without its indices.
func TestIndices(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "indices.py")
	cmd := exec.Command(serve.Python(), script, "--seed", strconv.Itoa(*indexSeed), "--tables", strconv.Itoa(*indexTables), "--out", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Table   string
		Version uint64
		Log     []string
		Tests   []struct {
			Filter string
			IDs    []int64
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	used, less := 0, 0
	for _, c := range cases {
		uri := filepath.Join(dir, c.Table)
		store, err := objstore.Open(uri)
		if err != nil {
			t.Fatal(err)
		}
		with, err := lanceio.Open(t.Context(), uri, lanceio.AtVersion(c.Version))
		if err != nil {
			t.Fatal(err)
		}
		without, err := lanceio.Open(t.Context(), uri, lanceio.AtVersion(c.Version), lanceio.WithStore(withoutIndices{store}))
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range c.Tests {
			got, info, m := idsOf(t, with, tt.Filter)
			plain, _, pm := idsOf(t, without, tt.Filter)
			slices.Sort(tt.IDs)
			if !slices.Equal(got, tt.IDs) || !slices.Equal(plain, tt.IDs) {
				t.Errorf("%s version %d, %s, %s: %d rows by %v, %d without, want %d\n%s", c.Table, c.Version, with.Format(), tt.Filter,
					len(got), info.Indices, len(plain), len(tt.IDs), strings.Join(c.Log, "\n"))
			}
			if len(info.Indices) > 0 {
				used++
			}
			if read(m) < read(pm) {
				less++
			}
		}
	}
	t.Logf("%d versions of tables, %d filters used indices, %d read less of the columns", len(cases), used, less)
	if used == 0 || less == 0 {
		t.Error("no filter used an index")
	}
}

// TestIndexBytes counts what the first lookup of few rows among a million reads, with all that it takes.
func TestIndexBytes(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "indices.py")
	if out, err := exec.Command(serve.Python(), script, "--rows", "1000000", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	uri := filepath.Join(dir, "large.lance")
	store, err := objstore.Open(uri)
	if err != nil {
		t.Fatal(err)
	}
	for filter, rows := range map[string]int{"id = 123456": 1, "key = 'user-00004711'": 1, "at BETWEEN 500000 AND 500099": 100, "id IN (1, 500000, 999999)": 3} {
		t.Run(filter, func(t *testing.T) {
			with, err := lanceio.Open(t.Context(), uri)
			if err != nil {
				t.Fatal(err)
			}
			without, err := lanceio.Open(t.Context(), uri, lanceio.WithStore(withoutIndices{store}))
			if err != nil {
				t.Fatal(err)
			}
			got, info, m := idsOf(t, with, filter)
			plain, _, pm := idsOf(t, without, filter)
			if len(got) != rows || !slices.Equal(got, plain) || len(info.Indices) != 1 {
				t.Errorf("%d rows by %v, %d without, want %d", len(got), info.Indices, len(plain), rows)
			}
			t.Logf("%d bytes in %d requests, %d in %d without the index", m.BytesRead, m.ReadRequests, pm.BytesRead, pm.ReadRequests)
			if m.BytesRead*10 > pm.BytesRead {
				t.Errorf("%d bytes are read, %d without the index", m.BytesRead, pm.BytesRead)
			}
		})
	}
}

// read is the bytes of columns that were read.
func read(m scan.Metrics) int64 {
	var n int64
	for _, b := range m.ColumnBytes {
		n += b
	}
	return n
}

// idsOf gives the ids of the rows that a filter keeps, in order.
func idsOf(t *testing.T, tab *lanceio.Table, filter string) ([]int64, scan.PlanInfo, scan.Metrics) {
	t.Helper()
	s, err := tab.NewScan(lanceio.Columns(expr.FieldPath{"id"}), lanceio.Filter(filter))
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	st, err := s.Open(t.Context(), memory.DefaultAllocator)
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	defer func() { _ = st.Close() }()
	ids := []int64{}
	for {
		b, err := st.Next(t.Context())
		if errors.Is(err, io.EOF) {
			slices.Sort(ids)
			return ids, s.Info(), st.Metrics()
		}
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		for i := range int(b.NumRows()) {
			ids = append(ids, b.Column(0).(*array.Int64).Value(i))
		}
		b.Release()
	}
}
