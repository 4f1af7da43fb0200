package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// registry finds the views of running statements by number.
type registry struct {
	mu    sync.Mutex
	last  int64
	views map[int64]*view
}

func newRegistry() *registry { return &registry{views: map[int64]*view{}} }

func (r *registry) get(id int64) *view {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.views[id]
}

func (r *registry) add(v *view) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.views[r.last] = v
	return r.last
}

func (r *registry) drop(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.views, id)
}

// view is one scan of a statement as DuckDB sees it. DuckDB may read it any number of times, also at once: each read
// opens the scan anew, so each sees all rows.
type view struct {
	scan     *physical.Scan
	proj     *engine.Projector
	names    []string
	carriers []*carrier
	rows     int64           // an estimate, for DuckDB's choice of join order
	ctx      context.Context //nolint:containedctx // of the statement's run; callbacks get none
	mem      memory.Allocator
	// kept are the scan's rows, where they were read before DuckDB began; nil where it reads them itself. tooLarge tells
	// that they were too large for that.
	kept     []arrow.RecordBatch
	tooLarge bool

	mu    sync.Mutex
	err   error        // the first that a read of this view met
	done  scan.Metrics // of the reads that have ended
	reads map[*reading]struct{}
}

// rowsColumn stands in for the columns of a view that has none.
const rowsColumn = "__rows"

func newView(ctx context.Context, s *physical.Scan, mem memory.Allocator) (*view, error) {
	proj, err := engine.NewProjector(s.Plan.Schema(), s.Columns)
	if err != nil {
		return nil, fmt.Errorf("view %s: %w", s.View, err)
	}
	v := &view{scan: s, proj: proj, rows: estimate(s), ctx: ctx, mem: mem, reads: map[*reading]struct{}{}}
	seen := map[string]bool{}
	for _, f := range proj.Schema().Fields() {
		c, err := carrierFor(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		low := strings.ToLower(f.Name)
		if seen[low] || low == "" {
			return nil, fmt.Errorf("view %s has the column %q twice or without a name: %w", s.View, f.Name, errs.ErrInternal)
		}
		seen[low] = true
		v.names, v.carriers = append(v.names, f.Name), append(v.carriers, c)
	}
	if len(v.names) == 0 {
		v.names, v.carriers = []string{rowsColumn}, []*carrier{{form: nothing, duck: simple(db.TypeInteger), arrow: arrow.Null}}
	}
	return v, nil
}

// estimate guesses how many rows a scan gives.
func estimate(s *physical.Scan) int64 {
	rows := s.Plan.Info().All()
	if s.Spec.Filter != nil || s.Spec.StatsFilter != nil {
		rows = rows/5 + 1
	}
	if s.Spec.Limit >= 0 {
		rows = min(rows, s.Spec.Limit)
	}
	return max(rows, 0)
}

// fail keeps the first error, which DuckDB only knows as text.
func (v *view) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		v.err = err
	}
}

func (v *view) failure() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// metrics sums up all reads of the view.
func (v *view) metrics() scan.Metrics {
	v.mu.Lock()
	defer v.mu.Unlock()
	total := addMetrics(scan.Metrics{}, v.done)
	for r := range v.reads {
		total = addMetrics(total, r.in.Metrics())
	}
	return total
}

func addMetrics(a, b scan.Metrics) scan.Metrics {
	a.FragmentsRead += b.FragmentsRead
	a.RowsSelected += b.RowsSelected
	a.BytesRead += b.BytesRead
	a.ReadRequests += b.ReadRequests
	cols := make(map[string]int64, len(a.ColumnBytes)+len(b.ColumnBytes))
	for _, m := range []map[string]int64{a.ColumnBytes, b.ColumnBytes} {
		for k, n := range m {
			cols[k] += n
		}
	}
	a.ColumnBytes = cols
	return a
}

// reading is one read of a view, by one thread at a time.
type reading struct {
	view  *view
	in    scan.Stream
	cols  []int // the view's column for each of the chunk's, -1 for none
	cut   engine.Cutter
	batch arrow.RecordBatch // what is being filled in, from row on
	row   int
	ended bool
}

// open starts a read of some columns.
func (v *view) open(cols []int) (*reading, error) {
	var in scan.Stream = &keptStream{v.kept}
	if v.kept == nil {
		var err error
		if in, err = v.scan.Plan.Open(v.ctx, v.mem); err != nil {
			return nil, err
		}
	}
	r := &reading{view: v, in: in, cols: cols}
	v.mu.Lock()
	v.reads[r] = struct{}{}
	v.mu.Unlock()
	return r, nil
}

// fill writes the next rows into a chunk and gives their number, 0 with io.EOF after the last.
func (r *reading) fill(chunk db.DataChunk) (int, error) {
	if err := r.advance(); err != nil {
		return 0, err
	}
	n := min(int(r.batch.NumRows())-r.row, int(db.VectorSize()))
	for i, at := range r.cols {
		if at < 0 {
			continue
		}
		var col arrow.Array // none for rowsColumn
		if at < int(r.batch.NumCols()) {
			col = r.batch.Column(at)
		}
		if err := r.view.carriers[at].fill(db.DataChunkGetVector(chunk, db.IdxT(i)), col, r.row, n, 0); err != nil {
			return 0, fmt.Errorf("%s: column %s: %w", r.view.scan.Plan.Info().Table, r.view.names[at], err)
		}
	}
	r.row += n
	return n, nil
}

// advance makes batch hold rows that are not filled in yet.
func (r *reading) advance() error {
	for r.batch == nil || r.row >= int(r.batch.NumRows()) {
		r.drop()
		if r.batch, r.row = r.cut.Next(), 0; r.batch != nil {
			continue
		}
		if r.ended {
			return io.EOF
		}
		in, err := r.in.Next(r.view.ctx)
		if err != nil {
			r.ended = errors.Is(err, io.EOF)
			return err
		}
		out, err := r.view.proj.Project(r.view.mem, in)
		in.Release()
		if err != nil {
			return err
		}
		r.cut.Push(out)
	}
	return nil
}

func (r *reading) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// close ends the read; DuckDB calls it once, when it is through with it.
func (r *reading) close() {
	r.drop()
	r.cut.Release()
	if err := r.in.Close(); err != nil {
		r.view.fail(err)
	}
	r.view.mu.Lock()
	defer r.view.mu.Unlock()
	delete(r.view.reads, r)
	r.view.done = addMetrics(r.view.done, r.in.Metrics())
}
