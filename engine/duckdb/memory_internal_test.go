package duckdb

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// TestMemoryGuardOrder: the newest statement is stopped first, the next only when that one took too long to end.
func TestMemoryGuardOrder(t *testing.T) {
	g := &memoryGuard{watching: true} // nobody looks but the test
	var sessions []*session
	for range 3 {
		s := &session{}
		s.ctx, s.cancel = context.WithCancelCause(context.Background())
		sessions = append(sessions, s)
		g.add(s)
	}
	stopped := func() (out []int) {
		for i, s := range sessions {
			if errors.Is(context.Cause(s.ctx), errs.ErrResourceExhausted) {
				out = append(out, i)
			}
		}
		return out
	}
	start := time.Unix(1000, 0)
	for _, step := range []struct {
		after time.Duration
		short bool
		want  []int
	}{
		{0, false, nil},
		{time.Millisecond, true, []int{2}},
		{2 * time.Millisecond, true, []int{2}},
		{guardPatience, false, []int{2}},
		{2 * guardPatience, true, []int{1, 2}},
	} {
		if !g.look(start.Add(step.after), step.short) {
			t.Fatal("the guard left")
		}
		if got := stopped(); !slices.Equal(got, step.want) {
			t.Errorf("after %v: stopped %v, want %v", step.after, got, step.want)
		}
	}
	g.drop(sessions[1])
	if g.look(start.Add(2*guardPatience+time.Millisecond), true); len(stopped()) != 3 {
		t.Errorf("when the stopped one has ended: stopped %v", stopped())
	}
	g.drop(sessions[0])
	g.drop(sessions[2])
	if g.look(start.Add(time.Hour), true) || g.watching {
		t.Error("the guard stays without statements")
	}
}

// TestMemoryShort: a statement that is stopped says why, and the next one runs.
func TestMemoryShort(t *testing.T) {
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	d.guard.mu.Lock()
	d.guard.ceiling = 0
	d.guard.mu.Unlock()
	p := &physical.Plan{Engine: physical.DuckDB, Columns: []physical.ResultColumn{{Name: "a"}},
		Residual: "SELECT count(*) AS a FROM range(1000000000) a(x), range(1000000000) b(y) WHERE x + y = 7"}
	st, err := d.Run(context.Background(), p, memory.DefaultAllocator)
	if err == nil {
		_, err = st.Next(context.Background())
		if cerr := st.Close(); cerr != nil {
			t.Error(cerr)
		}
	}
	if !errors.Is(err, errs.ErrResourceExhausted) || errors.Is(err, errs.ErrCanceled) {
		t.Errorf("got %v", err)
	}
	d.guard.mu.Lock()
	d.guard.ceiling = 1 << 62
	d.guard.mu.Unlock()
	p.Residual = "SELECT 1 AS a"
	st, err = d.Run(context.Background(), p, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	b, err := st.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	if _, err := st.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
}

func TestHeldMemory(t *testing.T) {
	held, known := heldMemory()
	if known && (held < 1<<20 || held > 1<<40) {
		t.Errorf("the process holds %d bytes", held)
	}
}
