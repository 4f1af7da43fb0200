package lanceio

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/scan"
)

// joinAll sends batches of consecutive numbers through a coalescer and gives the rows of each batch that comes out.
func joinAll(t *testing.T, spec scan.Spec, clock func() time.Time, sizes ...int) []int64 {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var got []int64
	var next, seen int64
	c := newCoalescer(&plan{schema: schema, spec: spec}, assembler{mem}, func(_ context.Context, b arrow.RecordBatch, _ int64) error {
		defer b.Release()
		got = append(got, b.NumRows())
		for _, v := range b.Column(0).(*array.Int64).Int64Values() {
			if v != seen {
				t.Fatalf("number %d came, want %d", v, seen)
			}
			seen++
		}
		return nil
	})
	c.now = clock
	for _, n := range sizes {
		b := array.NewInt64Builder(mem)
		for range n {
			b.Append(next)
			next++
		}
		col := b.NewArray()
		b.Release()
		batch := array.NewRecordBatch(schema, []arrow.Array{col}, int64(n))
		col.Release()
		if err := c.put(t.Context(), batch, int64(8*n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seen != next {
		t.Errorf("%d rows came, want %d", seen, next)
	}
	return got
}

func TestSmallBatchesAreJoined(t *testing.T) {
	still := func() time.Time { return time.Time{} }
	var late time.Time
	slow := func() time.Time { late = late.Add(joinedAge * 2 / 3); return late }
	tests := []struct {
		name  string
		spec  scan.Spec
		clock func() time.Time
		sizes []int
		want  []int64
	}{
		{"few rows", scan.Spec{}, still, []int{3, 1, 7}, []int64{11}},
		{"large ones stay", scan.Spec{}, still, []int{3, 5000, 2, 4}, []int64{3, 5000, 6}},
		{"up to the bound", scan.Spec{}, still, slices.Repeat([]int{1000}, 9), []int64{8000, 1000}},
		{"the caller's bound", scan.Spec{BatchRows: 5}, still, []int{2, 2, 2, 5}, []int64{4, 2, 5}},
		{"not held for long", scan.Spec{}, slow, []int{1, 1, 1, 1}, []int64{2, 2}},
		{"alone", scan.Spec{}, still, []int{4}, []int64{4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := joinAll(t, tt.spec, tt.clock, tt.sizes...); !slices.Equal(got, tt.want) {
				t.Errorf("batches of %v rows, want %v", got, tt.want)
			}
		})
	}
}

func TestJoinedBatchesAreReleasedWhenTheConsumerFails(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64}}, nil)
	gone := errors.New("gone")
	c := newCoalescer(&plan{schema: schema}, assembler{mem}, func(_ context.Context, b arrow.RecordBatch, _ int64) error {
		b.Release()
		return gone
	})
	c.now = func() time.Time { return time.Time{} }
	batch := func(n int) arrow.RecordBatch {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		b.AppendValues(make([]int64, n), nil)
		col := b.NewArray()
		defer col.Release()
		return array.NewRecordBatch(schema, []arrow.Array{col}, int64(n))
	}
	if err := errors.Join(c.put(t.Context(), batch(1), 8), c.put(t.Context(), batch(2), 16)); err != nil {
		t.Fatal(err)
	}
	if err := c.put(t.Context(), batch(5000), 40000); !errors.Is(err, gone) {
		t.Errorf("%v, want gone", err)
	}
	if err := c.put(t.Context(), batch(3), 24); err != nil {
		t.Fatal(err)
	}
	c.drop()
}
