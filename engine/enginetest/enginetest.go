// Package enginetest holds scans over batches in memory, for tests of the engines.
package enginetest

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// Table is a scan.Plan over batches in memory. Its fields may be set before use.
type Table struct {
	TableName string
	Batches   []arrow.RecordBatch
	FailAfter int           // batches after which Next gives Err; no failing where Err is nil
	Err       error         // what Next fails with
	Panic     bool          // Next panics instead of failing
	Block     chan struct{} // where not nil, Next waits for it, or for its context, before each batch
	Repeat    int           // how often all batches come; 0 is once

	schema *arrow.Schema
	mu     sync.Mutex
	opens  int
	open   int
}

// New makes a table of rows given as one JSON array of objects per batch; the batches are released with the test.
func New(t testing.TB, name string, schema *arrow.Schema, batches ...string) *Table {
	t.Helper()
	tab := &Table{TableName: name, schema: schema}
	for _, rows := range batches {
		b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		tab.Batches = append(tab.Batches, b)
	}
	return tab
}

// Of makes a table of batches, which it takes over.
func Of(name string, schema *arrow.Schema, batches ...arrow.RecordBatch) *Table {
	return &Table{TableName: name, schema: schema, Batches: batches}
}

// Schema is that of the batches.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// Info names the table and its rows.
func (t *Table) Info() scan.PlanInfo {
	var rows int64
	for _, b := range t.Batches {
		rows += b.NumRows()
	}
	return scan.PlanInfo{Table: t.TableName, Version: 1, Rows: rows * int64(max(1, t.Repeat))}
}

// Opens tells how often the table was opened, and how many streams are open now.
func (t *Table) Opens() (all, now int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opens, t.open
}

// Open starts a stream. Its batches hold memory of mem, so that a test's allocator sees one that is not released.
func (t *Table) Open(ctx context.Context, mem memory.Allocator) (scan.Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opens++
	t.open++
	return &stream{t: t, mem: mem}, nil
}

type stream struct {
	t      *Table
	mem    memory.Allocator
	next   int
	closed bool

	mu sync.Mutex
	m  scan.Metrics
}

func (s *stream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if s.t.Block != nil {
		select {
		case <-ctx.Done():
		case <-s.t.Block:
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.t.Err != nil && s.next >= s.t.FailAfter {
		if s.t.Panic {
			panic(s.t.Err)
		}
		return nil, s.t.Err
	}
	if s.next >= len(s.t.Batches)*max(1, s.t.Repeat) {
		return nil, io.EOF
	}
	b := s.t.Batches[s.next%len(s.t.Batches)]
	s.next++
	s.mu.Lock()
	s.m.RowsSelected += b.NumRows()
	s.m.ReadRequests++
	s.mu.Unlock()
	return s.copy(b)
}

// copy gives a batch whose arrays lie in memory of the stream's allocator.
func (s *stream) copy(b arrow.RecordBatch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		arr, err := array.Concatenate([]arrow.Array{c}, s.mem)
		if err != nil {
			return nil, err
		}
		cols[i] = arr
		defer arr.Release()
	}
	return array.NewRecordBatch(s.t.schema, cols, b.NumRows()), nil
}

func (s *stream) Metrics() scan.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m
}

func (s *stream) Close() error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.t.open--
	}
	return nil
}

// Scan gives the use of a table in a plan under a view's name; its columns are all top-level columns.
func Scan(view string, t *Table) *physical.Scan {
	s := &physical.Scan{View: view, Plan: t, Spec: scan.Spec{Limit: -1}}
	for _, f := range t.schema.Fields() {
		path := expr.FieldPath{f.Name}
		s.Spec.Columns = append(s.Spec.Columns, path)
		s.Columns = append(s.Columns, physical.Output{Name: f.Name, Expr: &expr.Column{Path: path, Typ: f.Type}})
	}
	return s
}

// SQL gives a plan for DuckDB of text over scans; columns are named, of DuckDB's types.
func SQL(text string, columns []string, scans ...*physical.Scan) *physical.Plan {
	p := &physical.Plan{Engine: physical.DuckDB, Scans: scans, Residual: text}
	for _, c := range columns {
		p.Columns = append(p.Columns, physical.ResultColumn{Name: c})
	}
	return p
}
