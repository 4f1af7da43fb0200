//go:build integration

package roundtrip_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/integration/roundtrip"
	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio"
)

var (
	firstSeed = flag.Int("roundtrip.seed", 1, "the first table's seed")
	count     = flag.Int("roundtrip.tables", 200, "how many tables")
	version   = flag.String("roundtrip.version", "", "file version of all tables; random where empty")
	workers   = flag.Int("roundtrip.workers", 2, "how many writers at a time")
	update    = flag.Bool("roundtrip.update", false, "add to the table in lanceio/doc.go how pages are stored")
	keep      = flag.String("roundtrip.keep", "", "a folder where tables that are read wrong stay")
)

var mostFailures = flag.Int("roundtrip.failures", 25, "after how many tables read wrong a run ends")

// TestRoundTrip writes random tables with pylance and compares what lanceio reads of them with what pylance reads.
func TestRoundTrip(t *testing.T) {
	r := &run{t: t, refused: map[string]int{}, read: map[string]int{}, stored: stored{}}
	var wg sync.WaitGroup
	share := (*count + *workers - 1) / *workers
	for first := *firstSeed; first < *firstSeed+*count; first += share {
		wg.Go(func() { r.tables(first, min(share, *firstSeed+*count-first)) })
	}
	wg.Wait()
	read, refused := 0, 0
	for _, n := range r.read {
		read += n
	}
	for _, n := range r.refused {
		refused += n
	}
	t.Logf("%d tables read, by version %v; %d that pylance did not write or read: %v", read, r.read, refused, r.refused)
	r.compareTable()
	if read < *count*3/4 && r.failures < *mostFailures {
		t.Errorf("just %d of %d tables were read", read, *count)
	}
}

// compareTable looks whether the documentation has all that was read.
func (r *run) compareTable() {
	if *update {
		if err := r.stored.updateTable(); err != nil {
			r.t.Error(err)
		}
		return
	}
	text, err := os.ReadFile(documentation())
	if err != nil {
		r.t.Fatal(err)
	}
	table, _, _ := readTable(string(text))
	if m := r.stored.missing(table); len(m) > 0 {
		r.t.Errorf("the table in lanceio/doc.go lacks what was read; -roundtrip.update adds it:\n%s", strings.Join(m, "\n"))
	}
}

type run struct {
	t        *testing.T
	mu       sync.Mutex
	failures int
	refused  map[string]int // by reason
	read     map[string]int // by file versions
	stored   stored
}

// made is what tables.py tells of a table.
type made struct {
	Seed     int
	Versions []string
	Rows     int64
	Columns  []string
	Status   string
	Why      string
}

// tables checks tables from a seed on. A writer that dies is started again behind the table that killed it.
func (r *run) tables(first, n int) {
	dir := r.t.TempDir()
	for end := first + n; first < end; {
		next, err := r.writer(dir, first, end)
		r.mu.Lock()
		ended := r.failures >= *mostFailures || r.t.Context().Err() != nil
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && !exit.Exited() {
			r.refused["the writer died"]++
			next++
		} else if err != nil {
			r.t.Errorf("the writer at seed %d: %v", next, err)
			ended = true
		}
		r.mu.Unlock()
		if ended {
			return
		}
		first = next
	}
}

// writer starts a writer and checks its tables; it gives the seed behind the last.
func (r *run) writer(dir string, first, end int) (next int, err error) {
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	args := []string{filepath.Join(serve.Root(), "integration", "roundtrip", "tables.py"), dir, strconv.Itoa(first), strconv.Itoa(end - first)}
	if *version != "" {
		args = append(args, "--version", *version)
	}
	cmd := exec.CommandContext(ctx, serve.Python(), args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return first, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return first, err
	}
	if err := cmd.Start(); err != nil {
		return first, err
	}
	_, _ = io.WriteString(in, "\n\n") // it may be two tables ahead
	next = first
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var m made
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return next, fmt.Errorf("%w: %s", err, lines.Text())
		}
		next = m.Seed + 1
		if !r.table(dir, m) {
			return next, nil
		}
		_, _ = io.WriteString(in, "\n")
	}
	if err := cmd.Wait(); err != nil {
		tail := stderr.String()
		return next, fmt.Errorf("%w: %s", err, tail[max(0, len(tail)-500):])
	}
	return next, nil
}

// table checks one table, and tells whether to go on.
func (r *run) table(dir string, m made) bool {
	var err error
	pages := stored{}
	uri, want := filepath.Join(dir, fmt.Sprintf("%d.lance", m.Seed)), filepath.Join(dir, fmt.Sprintf("%d.arrow", m.Seed))
	if m.Status == "ok" {
		err = check(r.t.Context(), m, uri, want, pages)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored.merge(pages)
	switch {
	case m.Status == "refused":
		r.refused[reason(m.Why)]++
	case m.Status != "ok":
		err = errors.New(m.Why)
	default:
		slices.Sort(m.Versions)
		r.read[strings.Join(slices.Compact(m.Versions), "+")]++
	}
	if err != nil {
		r.failures++
		r.t.Errorf("seed %d, versions %v, %d rows: %v\n  %s", m.Seed, m.Versions, m.Rows, err, strings.Join(m.Columns, "\n  "))
		if *keep != "" {
			_ = os.Rename(uri, filepath.Join(*keep, filepath.Base(uri)))
			_ = os.Rename(want, filepath.Join(*keep, filepath.Base(want)))
		}
	}
	_ = os.RemoveAll(uri)
	_ = os.Remove(want)
	return r.failures < *mostFailures && r.t.Context().Err() == nil
}

// reason shortens why pylance did not write or read a table, so that these can be counted.
func reason(why string) string {
	why, _, _ = strings.Cut(why, "\n")
	return why[:min(len(why), 70)]
}

// check compares what lanceio reads of a table in several ways with what pylance reads, and adds to pages how it is stored.
func check(ctx context.Context, m made, uri, wantFile string, pages stored) (err error) {
	want, err := readWant(wantFile)
	if err != nil {
		return err
	}
	defer want.release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer func() {
		if n := mem.CurrentAlloc(); err == nil && n != 0 {
			err = fmt.Errorf("%d bytes were not released", n)
		}
	}()
	tab, err := lanceio.Open(ctx, uri)
	if err != nil {
		return err
	}
	c := &checker{ctx: ctx, mem: mem, tab: tab, want: want, rng: rand.New(rand.NewPCG(uint64(m.Seed), 1))}
	for _, step := range []struct {
		name string
		run  func() error
	}{{"schema", c.schema}, {"scan", c.whole}, {"ranges", c.ranges}, {"leaves", c.leaves}, {"take", c.take}, {"filter", c.filtered}} {
		if err := step.run(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return pages.addTable(ctx, uri, tab.Manifest())
}

type checker struct {
	ctx  context.Context
	mem  memory.Allocator
	tab  *lanceio.Table
	want *wanted
	rng  *rand.Rand
	ids  []uint64
}

func (c *checker) schema() error {
	got, want := c.tab.Schema(), c.want.schema
	if got.NumFields() != want.NumFields() || c.tab.Rows() != c.want.rows {
		return fmt.Errorf("%d columns and %d rows, want %d and %d", got.NumFields(), c.tab.Rows(), want.NumFields(), c.want.rows)
	}
	for i, f := range got.Fields() {
		if d := roundtrip.DiffTypes(f, want.Field(i)); d != "" {
			return errors.New(d)
		}
	}
	return nil
}

// scan compares the rows of a scan with those from a row on.
func (c *checker) scan(from, n int64, opts ...lanceio.ScanOption) error {
	s, err := c.tab.NewScan(append(opts, lanceio.BatchRows([]int{0, 0, 1024, 1000, 77}[c.rng.IntN(5)]))...)
	if err != nil {
		return err
	}
	r, err := s.Reader(c.ctx, c.mem)
	if err != nil {
		return err
	}
	defer r.Release()
	got := int64(0)
	for r.Next() {
		b := r.RecordBatch()
		if got+b.NumRows() > n {
			return fmt.Errorf("more than %d rows", n)
		}
		if err := c.compare(b, []span{{0, from + got, int(b.NumRows())}}); err != nil {
			return fmt.Errorf("rows from %d on: %w", from+got, err)
		}
		got += b.NumRows()
	}
	if r.Err() == nil && got != n {
		return fmt.Errorf("%d rows, want %d", got, n)
	}
	return r.Err()
}

// span tells which rows lie where in a batch.
type span struct {
	at  int
	row int64
	n   int
}

// compare compares a batch with the rows that are wanted.
func (c *checker) compare(b arrow.RecordBatch, spans []span) error {
	for i, f := range b.Schema().Fields() {
		if f.Name == "_rowid" {
			c.ids = append(c.ids, b.Column(i).(*array.Uint64).Uint64Values()...)
			continue
		}
		for _, s := range spans {
			if d := c.want.diff(f.Name, b.Column(i), s); d != "" {
				return fmt.Errorf("%s%s", f.Name, d)
			}
		}
	}
	return nil
}

func (c *checker) whole() error { return c.scan(0, c.want.rows, lanceio.WithRowID()) }

// ranges reads some runs of rows, of all or some columns.
func (c *checker) ranges() error {
	for range 3 {
		from := c.rng.Int64N(c.want.rows + 1)
		n := c.rng.Int64N(c.want.rows - from + 1)
		if c.rng.IntN(2) == 0 {
			n = min(n, 3)
		}
		if err := c.scan(from, n, lanceio.Offset(from), lanceio.Limit(n), c.columns()); err != nil {
			return err
		}
	}
	return nil
}

// leaves reads single leaves.
func (c *checker) leaves() error {
	paths := leafPaths(nil, c.tab.Schema().Fields())
	for range 2 {
		if err := c.scan(0, c.want.rows, lanceio.Columns(paths[c.rng.IntN(len(paths))])); err != nil {
			return err
		}
	}
	return nil
}

// columns picks some leaves.
func (c *checker) columns() lanceio.ScanOption {
	paths := leafPaths(nil, c.tab.Schema().Fields())
	c.rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	return lanceio.Columns(paths[:1+c.rng.IntN(len(paths))]...)
}

// leafPaths gives the paths of what is no struct, or one without members.
func leafPaths(above expr.FieldPath, fields []arrow.Field) []expr.FieldPath {
	var out []expr.FieldPath
	for _, f := range fields {
		path := above.Child(f.Name)
		if st, ok := f.Type.(*arrow.StructType); ok && st.NumFields() > 0 {
			out = append(out, leafPaths(path, st.Fields())...)
			continue
		}
		out = append(out, path)
	}
	return out
}

// take reads single rows by place and by id.
func (c *checker) take() error {
	if c.want.rows == 0 {
		return nil
	}
	for _, byID := range []bool{false, true} {
		rows := make([]int64, 1+c.rng.IntN(40))
		ids, spans := make([]uint64, len(rows)), make([]span, len(rows))
		for i := range rows {
			rows[i] = c.rng.Int64N(c.want.rows)
			ids[i], spans[i] = c.ids[rows[i]], span{i, rows[i], 1}
		}
		var b arrow.RecordBatch
		var err error
		if byID {
			b, _, err = c.tab.TakeRows(c.ctx, c.mem, ids, c.columns())
		} else {
			b, _, err = c.tab.Take(c.ctx, c.mem, rows)
		}
		if err != nil {
			return err
		}
		err = c.compare(b, spans)
		b.Release()
		if err != nil {
			return fmt.Errorf("rows %v: %w", rows, err)
		}
	}
	return nil
}

// wanted is what pylance reads of a table.
type wanted struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	starts  []int64
	rows    int64
}

func readWant(file string) (*wanted, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	w := &wanted{schema: r.Schema()}
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		w.batches, w.starts = append(w.batches, b), append(w.starts, w.rows)
		w.rows += b.NumRows()
	}
	if err := r.Err(); err != nil {
		w.release()
		return nil, fmt.Errorf("reading what pylance reads: %w", err)
	}
	return w, nil
}

func (w *wanted) release() {
	for _, b := range w.batches {
		b.Release()
	}
}

// diff compares values of a column with those wanted.
func (w *wanted) diff(name string, got arrow.Array, s span) string {
	column := w.schema.FieldIndices(name)[0]
	for s.n > 0 {
		k, from := w.place(s.row)
		step := min(s.n, int(w.batches[k].NumRows())-from)
		if d := roundtrip.Diff(got, s.at, w.batches[k].Column(column), from, step); d != "" {
			return d
		}
		s = span{s.at + step, s.row + int64(step), s.n - step}
	}
	return ""
}

// place gives the batch of a row, and its place there.
func (w *wanted) place(row int64) (batch, at int) {
	k, ok := slices.BinarySearch(w.starts, row)
	if !ok {
		k--
	}
	// Batches without rows begin where the next one does.
	for w.starts[k]+w.batches[k].NumRows() <= row {
		k++
	}
	return k, int(row - w.starts[k])
}
