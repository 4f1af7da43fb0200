//go:build integration

package objstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore/cloud"
)

// lake is an S3 server that holds the tables of write.py, started once for all tests.
var lake struct {
	once     sync.Once
	endpoint string
	folder   string // of the server's objects
	want     string // folder of what the tables hold
	stop     func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if lake.stop != nil {
		lake.stop()
	}
	os.Exit(code)
}

// startLake gives a proxy to the S3 server with the tables, and sets the credentials.
func startLake(t *testing.T) *proxy {
	t.Helper()
	lake.once.Do(func() {
		lake.endpoint, lake.folder, lake.stop = startGateway(t)
		var err error
		if lake.want, err = os.MkdirTemp("", "lake-"); err != nil {
			t.Fatal(err)
		}
		stop := lake.stop
		lake.stop = func() {
			stop()
			_ = os.RemoveAll(lake.want)
		}
		python(t, lake.endpoint, "write.py", lake.want)
	})
	p := newProxy(t, lake.endpoint)
	useCredentials(t, p.url)
	return p
}

// rowsOf gathers a reader's batches into one.
func rowsOf(t testing.TB, mem memory.Allocator, r array.RecordReader) arrow.RecordBatch {
	t.Helper()
	defer r.Release()
	var parts [][]arrow.Array
	for range r.Schema().Fields() {
		parts = append(parts, nil)
	}
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
		for i, c := range r.RecordBatch().Columns() {
			c.Retain()
			parts[i] = append(parts[i], c)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	cols := make([]arrow.Array, len(parts))
	for i, p := range parts {
		if len(p) == 0 {
			cols[i] = array.MakeArrayOfNull(mem, r.Schema().Field(i).Type, 0)
			continue
		}
		all, err := array.Concatenate(p, mem)
		if err != nil {
			t.Fatal(err)
		}
		cols[i] = all
		for _, c := range p {
			c.Release()
		}
	}
	b := array.NewRecordBatch(r.Schema(), cols, rows)
	for _, c := range cols {
		c.Release()
	}
	return b
}

// wanted reads what a table holds, as pylance said it.
func wanted(t testing.TB, mem memory.Allocator, name string) arrow.RecordBatch {
	t.Helper()
	f, err := os.Open(filepath.Join(lake.want, name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(mem))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var batches []arrow.RecordBatch
	for i := range r.NumRecords() {
		b, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
	all, err := array.NewRecordReader(r.Schema(), batches)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		b.Release()
	}
	return rowsOf(t, mem, all)
}

func same(t testing.TB, got, want arrow.RecordBatch) {
	t.Helper()
	if got.NumRows() != want.NumRows() || got.NumCols() != want.NumCols() {
		t.Fatalf("%d rows of %d columns, want %d of %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for i, f := range want.Schema().Fields() {
		if got.ColumnName(i) != f.Name || !arrow.TypeEqual(got.Column(i).DataType(), f.Type) {
			t.Fatalf("column %s %s, want %s %s", got.ColumnName(i), got.Column(i).DataType(), f.Name, f.Type)
		}
		if !array.Equal(got.Column(i), want.Column(i)) {
			t.Errorf("column %s has other values", f.Name)
		}
	}
}

func uri(name string) string { return "s3://" + bucket + "/tables/" + name + ".lance" }

// opener opens stores with pauses that tests can wait for.
func opener(t testing.TB, o cloud.Options) *cloud.Opener {
	t.Helper()
	if o.Pause == 0 {
		o.Pause = time.Millisecond
	}
	if o.Stall == 0 {
		o.Stall = 20 * time.Second
	}
	op := cloud.NewOpener(o)
	t.Cleanup(func() { _ = op.Close() })
	return op
}

func scanned(t testing.TB, mem memory.Allocator, tb *lanceio.Table, opts ...lanceio.ScanOption) arrow.RecordBatch {
	t.Helper()
	s, err := tb.NewScan(opts...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	return rowsOf(t, mem, r)
}

// tables are the tables of write.py with how to open what each file of wanted rows holds.
var tables = map[string][]lanceio.Option{
	"plain_2_0": nil, "plain_2_1": nil, "plain_2_2": nil, "changed": nil, "changed@1": {lanceio.AtVersion(1)}, "many": nil, "far": nil, "big": nil, "indexed": nil,
}

func checkTables(t *testing.T, o *cloud.Opener) {
	t.Helper()
	for name, opts := range tables {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			base, _, _ := strings.Cut(name, "@")
			tb, err := lanceio.Open(t.Context(), uri(base), append(opts, lanceio.WithStoreOpener(o.Open))...)
			if err != nil {
				t.Fatal(err)
			}
			got := scanned(t, mem, tb)
			defer got.Release()
			want := wanted(t, mem, name)
			defer want.Release()
			same(t, got, want)
		})
	}
}

func TestTables(t *testing.T) {
	startLake(t)
	checkTables(t, opener(t, cloud.Options{}))
}

// TestOpenByURI opens a table by its URI alone, and by a tag.
func TestOpenByURI(t *testing.T) {
	p := startLake(t)
	t.Setenv("AWS_ENDPOINT_URL", "")
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	tb, err := lanceio.Open(t.Context(), uri("changed")+"?region=us-east-1&use_path_style=true&endpoint="+p.url, lanceio.AtTag("first"))
	if err != nil {
		t.Fatal(err)
	}
	if tb.Name() != "changed" || tb.Version() != 1 {
		t.Errorf("table %s version %d", tb.Name(), tb.Version())
	}
	got, want := scanned(t, mem, tb), wanted(t, mem, "changed@1")
	defer got.Release()
	defer want.Release()
	same(t, got, want)
}

// TestFaults reads all tables through a proxy at which every fifth request fails, each in one of several ways.
func TestFaults(t *testing.T) {
	for _, f := range []struct {
		name   string
		faults []fault
	}{{"500", []fault{status}}, {"503", []fault{slow}}, {"reset", []fault{reset}}, {"cut", []fault{cut}}, {"all", []fault{status, slow, reset, cut}}} {
		t.Run(f.name, func(t *testing.T) {
			p := startLake(t)
			p.latency = 2 * time.Millisecond
			rnd, mu := rand.New(rand.NewPCG(1, 2)), sync.Mutex{}
			faults := 0
			p.decide = func(int, *http.Request) fault {
				mu.Lock()
				defer mu.Unlock()
				if rnd.IntN(5) > 0 {
					return none
				}
				faults++
				return f.faults[rnd.IntN(len(f.faults))]
			}
			checkTables(t, opener(t, cloud.Options{}))
			if faults == 0 {
				t.Error("no request failed")
			}
		})
	}
}

// TestStalls reads a table of which some answers stop in the middle.
func TestStalls(t *testing.T) {
	p := startLake(t)
	p.decide = func(n int, _ *http.Request) fault {
		if n%6 == 4 {
			return stall
		}
		return none
	}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	tb, err := lanceio.Open(t.Context(), uri("big"), lanceio.WithStoreOpener(opener(t, cloud.Options{Stall: 200 * time.Millisecond}).Open))
	if err != nil {
		t.Fatal(err)
	}
	got, want := scanned(t, mem, tb), wanted(t, mem, "big")
	defer got.Release()
	defer want.Release()
	same(t, got, want)
}

// TestDead gives an error where nothing answers ever, and ends at once when it is told to.
func TestDead(t *testing.T) {
	for _, f := range []fault{status, slow, reset, cut, stall} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			p := startLake(t)
			o := opener(t, cloud.Options{Stall: 2 * time.Second, Attempts: 3})
			tb, err := lanceio.Open(t.Context(), uri("far"), lanceio.WithStoreOpener(o.Open))
			if err != nil {
				t.Fatal(err)
			}
			p.decide = func(int, *http.Request) fault { return f }
			s, err := tb.NewScan()
			if err != nil {
				t.Fatal(err)
			}
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			r, err := s.Reader(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			for r.Next() {
			}
			if !errors.Is(r.Err(), errs.ErrUnavailable) {
				t.Errorf("%v, want unavailable", r.Err())
			}
			noSecrets(t, r.Err())
		})
	}
	t.Run("canceled", func(t *testing.T) {
		p := startLake(t)
		tb, err := lanceio.Open(t.Context(), uri("far"), lanceio.WithStoreOpener(opener(t, cloud.Options{Stall: time.Hour}).Open))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		p.decide = func(n int, _ *http.Request) fault {
			if n == 20 {
				cancel()
			}
			return stall
		}
		s, err := tb.NewScan()
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Reader(ctx, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
		}
		if !errors.Is(r.Err(), context.Canceled) {
			t.Errorf("%v, want canceled", r.Err())
		}
	})
}

func noSecrets(t testing.TB, err error) {
	t.Helper()
	for _, secret := range []string{secretKey, accessKey, "Signature=", "X-Amz", "http://", "https://"} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q holds %q", err, secret)
		}
	}
}

// TestTakeRounds counts how many requests of a take wait for each other: the manifest's two, deletion files, footers, pages.
// Files of "many" are read whole with their footers.
func TestTakeRounds(t *testing.T) {
	for name, stages := range map[string]int{"many": 3, "far": 4, "changed": 5} {
		t.Run(name, func(t *testing.T) {
			p := startLake(t)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			want := wanted(t, mem, name)
			defer want.Release()
			var offsets []int64
			for i := range int64(100) { // of all fragments
				offsets = append(offsets, (i*7919+want.NumRows()/2)%want.NumRows())
			}
			p.quiet = time.Second
			tb, err := lanceio.Open(t.Context(), uri(name), lanceio.WithStoreOpener(opener(t, cloud.Options{}).Open))
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := tb.Take(t.Context(), mem, offsets, lanceio.Columns(expr.FieldPath{"id"}, expr.FieldPath{"name"}))
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			t.Logf("%d requests in %d rounds", len(p.take()), p.rounds)
			if p.rounds > stages {
				t.Errorf("%d requests in sequence, a take has %d stages", p.rounds, stages)
			}
			for k, name := range []string{"id", "name"} {
				all := want.Column(want.Schema().FieldIndices(name)[0])
				for i, at := range offsets {
					if !array.SliceEqual(got.Column(k), int64(i), int64(i)+1, all, at, at+1) {
						t.Fatalf("row %d, column %s: %s, want %s", at, name, got.Column(k).ValueStr(i), all.ValueStr(int(at)))
					}
				}
			}
		})
	}
}

// TestRoundTrips counts how many requests of a scan wait for each other.
func TestRoundTrips(t *testing.T) {
	id, v := expr.Path("id"), expr.Path("v", "values")
	for _, tt := range []struct {
		name, table string
		opts        []lanceio.ScanOption
		stages      int
		rows        int64
	}{
		// The manifest takes two: its folder is listed, and it is read.
		{"small files", "many", []lanceio.ScanOption{lanceio.Filter("id % 400 < 2"), lanceio.Columns(expr.FieldPath{"name"})}, 3, 200},
		{"all", "far", []lanceio.ScanOption{lanceio.Columns(expr.FieldPath{"id"}, expr.FieldPath{"x"})}, 4, 100 * 4000},
		{"filter", "far", []lanceio.ScanOption{lanceio.Filter("id % 4000 in (7, 3000)"), lanceio.Columns(expr.FieldPath{"name"}, expr.FieldPath{"x"})}, 5, 200},
		{"stats and filter", "far", []lanceio.ScanOption{
			lanceio.FilterExpr(expr.AllOf(v.Gt(expr.Lit(0.5)), id.Ge(expr.Lit(int64(0))))), lanceio.Columns(expr.FieldPath{"name"}, expr.FieldPath{"x"}),
		}, 6, 100 * 4000 / 2},
		// All indices at once, the B-tree's pages behind its lookup; then the fragments that are left.
		{"indices", "indexed", []lanceio.ScanOption{
			lanceio.Filter("kind = 'k3' and id between 8000 and 8100 and x >= 0"), lanceio.Columns(expr.FieldPath{"name"}),
		}, 6, 17},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := startLake(t)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			run := func() arrow.RecordBatch {
				tb, err := lanceio.Open(t.Context(), uri(tt.table), lanceio.WithStoreOpener(opener(t, cloud.Options{}).Open))
				if err != nil {
					t.Fatal(err)
				}
				return scanned(t, mem, tb, tt.opts...)
			}
			p.quiet = time.Second
			got := run()
			defer got.Release()
			n := p.rounds
			seen := p.take()
			p.quiet, p.latency = 0, 50*time.Millisecond
			start := time.Now()
			run().Release()
			t.Logf("%d requests in %d rounds; with 50 ms for each, it took %.1f times that", len(seen), n, float64(time.Since(start))/float64(p.latency))
			if n > tt.stages {
				t.Errorf("%d requests in sequence, the scan has %d stages", n, tt.stages)
			}
			if got.NumRows() != tt.rows {
				t.Errorf("%d rows, want %d", got.NumRows(), tt.rows)
			}
		})
	}
}
