package duckdb

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// TestBrokenInstance: when DuckDB gives up, running statements end on the old instance and new ones get a fresh one.
func TestBrokenInstance(t *testing.T) {
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &physical.Plan{Engine: physical.DuckDB, Residual: "SELECT 1 AS a", Columns: []physical.ResultColumn{{Name: "a"}}}
	st, err := d.Run(context.Background(), p, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	old := d.inst
	d.release(old, true)
	old.users++ // release stood for another statement, which met the error
	if err := d.Close(); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("closed under a running statement: %v", err)
	}
	for range 2 {
		if _, err := d.Describe(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	}
	if d.inst == old || d.inst.users != 0 || old.db.Ptr == nil {
		t.Errorf("the new instance has %d users", d.inst.users)
	}
	b, err := st.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	if _, err := st.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if old.db.Ptr != nil {
		t.Error("the old instance was not stopped with its last statement")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Run(context.Background(), p, memory.NewGoAllocator()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("run after close: %v", err)
	}
}
