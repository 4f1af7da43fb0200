package lanceio

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/scan"
)

// texts makes a column of texts of the given lengths.
func textsOf(mem memory.Allocator, lengths ...int) arrow.Array {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for _, n := range lengths {
		if n < 0 {
			b.AppendNull()
			continue
		}
		b.Append(strings.Repeat("x", n))
	}
	return b.NewArray()
}

// sendAll cuts columns into batches and gives the rows and bytes of each.
func sendAll(t *testing.T, mem memory.Allocator, cols []arrow.Array, batchRows int) (rows, bytes []int64) {
	t.Helper()
	var fields []arrow.Field
	for _, c := range cols {
		fields = append(fields, arrow.Field{Name: "c", Type: c.DataType(), Nullable: true})
	}
	r := &runner{
		p: &plan{schema: arrow.NewSchema(fields, nil), spec: scan.Spec{BatchRows: batchRows}}, a: assembler{mem}, c: newCounters(),
		emit: func(_ context.Context, b arrow.RecordBatch, n int64) error {
			rows, bytes = append(rows, b.NumRows()), append(bytes, n)
			b.Release()
			return nil
		},
	}
	f := &fragmentRun{runner: r}
	f.project.window = window{rows: 10, max: windowRows, bytes: windowBytes}
	if err := f.send(t.Context(), cols, cols[0].Len()); err != nil {
		t.Fatal(err)
	}
	return rows, bytes
}

func TestBatchesAreCutByBytes(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	// One row of 6 MiB among small ones, then rows of 300 kB.
	lengths := []int{10, 10, -1, 6 << 20, 10, 20}
	for range 20 {
		lengths = append(lengths, 300<<10)
	}
	col := textsOf(mem, lengths...)
	defer col.Release()
	rows, bytes := sendAll(t, mem, []arrow.Array{col}, 0)
	var sum int64
	for i, n := range rows {
		sum += n
		if bytes[i] > batchBytes && n > 1 {
			t.Errorf("batch %d: %d rows of %d bytes", i, n, bytes[i])
		}
	}
	if sum != int64(len(lengths)) {
		t.Errorf("%d rows came, want %d", sum, len(lengths))
	}
	if len(rows) > 10 {
		t.Errorf("%d batches for 12 MB", len(rows))
	}
}

func TestBatchesAreCutByRows(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	col := textsOf(mem, make([]int, 1000)...)
	defer col.Release()
	rows, _ := sendAll(t, mem, []arrow.Array{col}, 300)
	want := []int64{300, 300, 300, 100}
	if len(rows) != len(want) {
		t.Fatalf("batches of %v rows, want %v", rows, want)
	}
	for i := range want {
		if rows[i] != want[i] {
			t.Fatalf("batches of %v rows, want %v", rows, want)
		}
	}
}

// TestBatchesCanBeReadAtOnce: a batch may be read while the next is made, also where a list holds values of the null type,
// and what is cut when a batch is refused is released.
func TestBatchesCanBeReadAtOnce(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	list := array.NewListBuilder(mem, arrow.Null)
	defer list.Release()
	for range 1000 {
		list.Append(true)
		list.ValueBuilder().AppendNull()
	}
	col := list.NewArray()
	defer col.Release()
	refused := errors.New("refused")
	var readers sync.WaitGroup
	given := 0
	r := &runner{
		p: &plan{schema: arrow.NewSchema([]arrow.Field{{Name: "c", Type: col.DataType(), Nullable: true}}, nil), spec: scan.Spec{BatchRows: 10}},
		a: assembler{mem}, c: newCounters(),
		emit: func(_ context.Context, b arrow.RecordBatch, _ int64) error {
			if given++; given > 50 {
				b.Release()
				return refused
			}
			readers.Go(func() {
				defer b.Release()
				if items := b.Column(0).(*array.List).ListValues(); items.NullN() != items.Len() {
					t.Error("values of the null type that are not null")
				}
			})
			return nil
		},
	}
	f := &fragmentRun{runner: r}
	f.project.window = window{rows: 10, max: windowRows, bytes: windowBytes}
	if err := f.send(t.Context(), []arrow.Array{col}, col.Len()); !errors.Is(err, refused) {
		t.Errorf("sending ended with %v", err)
	}
	readers.Wait()
}

// sizeOf agrees with what a message of just these values takes: never less than half of it, and never more.
func TestSizeOfMatchesMessages(t *testing.T) {
	mem := memory.NewGoAllocator()
	numbers := array.NewFloat64Builder(mem)
	list := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int32)
	fixed := array.NewFixedSizeListBuilder(mem, 3, arrow.PrimitiveTypes.Float32)
	rec := array.NewStructBuilder(mem, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}))
	flags := array.NewBooleanBuilder(mem)
	const n = 5000
	for i := range n {
		numbers.Append(float64(i))
		list.Append(i%4 != 0)
		for range i % 5 {
			list.ValueBuilder().(*array.Int32Builder).Append(int32(i))
		}
		fixed.Append(true)
		for range 3 {
			fixed.ValueBuilder().(*array.Float32Builder).Append(1)
		}
		rec.Append(i%3 != 0)
		rec.FieldBuilder(0).(*array.StringBuilder).Append("value")
		flags.Append(i%2 == 0)
	}
	for _, arr := range []arrow.Array{numbers.NewArray(), list.NewArray(), fixed.NewArray(), rec.NewArray(), flags.NewArray()} {
		for _, r := range [][2]int{{0, n}, {1000, 4000}, {17, 2000}} {
			slice := array.NewSlice(arr, int64(r[0]), int64(r[1]))
			schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arr.DataType(), Nullable: true}}, nil)
			p, err := ipc.GetRecordBatchPayload(array.NewRecordBatch(schema, []arrow.Array{slice}, int64(slice.Len())))
			if err != nil {
				t.Fatal(err)
			}
			var sink strings.Builder
			if _, err := p.WritePayload(&sink); err != nil {
				t.Fatal(err)
			}
			got := sizeOf(arr, r[0], r[1])
			if message := int64(sink.Len()); got > message || got < message*8/10-1024 {
				t.Errorf("%s rows %v: %d bytes reckoned, the message has %d", arr.DataType(), r, got, message)
			}
			if again := sizeOf(slice, 0, slice.Len()); again > got+8 || again < got-8 {
				t.Errorf("%s rows %v: %d bytes reckoned, of its slice %d", arr.DataType(), r, got, again)
			}
		}
	}
	if got := sizeOf(numbers.NewArray(), 0, 0); got != 0 {
		t.Errorf("no rows take %d bytes", got)
	}
}
