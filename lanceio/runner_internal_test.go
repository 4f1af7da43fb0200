package lanceio

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// narrowReader gives the row numbers themselves, and refuses to give more than max at a time.
type narrowReader struct {
	mem   memory.Allocator
	max   int64
	asked []int64
}

func (r *narrowReader) Read(_ context.Context, ranges []encoding.RowRange) (arrow.Array, error) {
	n := selection(ranges).count()
	r.asked = append(r.asked, n)
	if n > r.max {
		return nil, errs.New(errs.ErrResourceExhausted, "%d rows at once", n)
	}
	b := array.NewInt64Builder(r.mem)
	defer b.Release()
	for _, row := range rowsIn(ranges) {
		b.Append(int64(row))
	}
	return b.NewArray(), nil
}

// narrowRun is the scan of a fragment whose one column comes from readers, one for each lane.
func narrowRun(got *[]int64, readers ...*narrowReader) *fragmentRun {
	i := arrow.PrimitiveTypes.Int64
	field := &table.Field{ID: 1, Name: "c", Type: i}
	n := &node{field: field, name: "c", typ: i}
	run := &runner{
		tick: func(context.Context) error { return nil },
		p:    &plan{schema: arrow.NewSchema([]arrow.Field{n.arrow()}, nil), spec: scan.Spec{Limit: -1}, output: []*node{n}},
		a:    assembler{readers[0].mem}, c: newCounters(), left: -1, lanes: len(readers),
		emit: func(_ context.Context, b arrow.RecordBatch, _ int64) error {
			*got = append(*got, b.Column(0).(*array.Int64).Int64Values()...)
			b.Release()
			return nil
		},
	}
	f := &fragmentRun{
		runner:  run,
		project: step{a: run.a, window: window{rows: 64, seen: sideBytes, max: windowRows, bytes: windowBytes}},
	}
	for i, r := range readers {
		f.project.lanes[i] = []*columnReader{{node: n, top: field, readers: []encoding.FieldReader{r}}}
		f.computed.lanes[i] = []*columnReader{}
	}
	return f
}

func TestWindowsThatDoNotFitAreReadAgain(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	pass := make([]bool, 95)
	for i := range pass {
		pass[i] = i%10 != 3
	}
	sel := rowsOf(5, 100).keep(bitmap(pass))
	var want []int64
	for _, row := range rowsIn(sel) {
		want = append(want, int64(row))
	}
	for _, lanes := range []int{1, 2, 5} {
		var readers []*narrowReader
		for range lanes {
			readers = append(readers, &narrowReader{mem: mem, max: 7})
		}
		var got []int64
		f := narrowRun(&got, readers...)
		if err := f.giveWindows(t.Context(), newBlock(sel)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lanes: got %v, want %v", lanes, got, want)
		}
		if n := f.c.metrics().RowsSelected; n != int64(len(want)) {
			t.Errorf("%d lanes: %d rows were counted, want %d", lanes, n, len(want))
		}
	}
}

func TestRowThatDoesNotFit(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var got []int64
	r := &narrowReader{mem: mem, max: 0}
	err := narrowRun(&got, r).giveWindows(t.Context(), newBlock(rowsOf(0, 10)))
	if !errors.Is(err, errs.ErrResourceExhausted) || errors.Is(err, errTooWide) {
		t.Errorf("%v, want resource exhausted", err)
	}
	if len(got) != 0 || !slices.Equal(r.asked, []int64{10, 5, 2, 1}) {
		t.Errorf("rows %v came, %v were asked for", got, r.asked)
	}
}

// TestWindowsShareNothingThatIsWritten works on windows of one block at once, as lanes do, with arrays whose number of nulls
// Arrow writes when it is asked for; the race detector tells whether they share it.
func TestWindowsShareNothingThatIsWritten(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	const rows = 64
	typ := arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "n", Type: arrow.Null, Nullable: true},
		arrow.Field{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	))
	b := array.NewListBuilder(mem, typ.Elem())
	defer b.Release()
	for range rows {
		b.Append(true)
		item := b.ValueBuilder().(*array.StructBuilder)
		item.Append(true)
		item.FieldBuilder(0).AppendNull()
		item.FieldBuilder(1).AppendNull()
	}
	made := b.NewArray()
	// As after joining, nobody has counted the nulls of the numbers.
	made.Data().Children()[0].Children()[1].(*array.Data).SetNullN(array.UnknownNullCount)
	whole := newBlock(rowsOf(0, rows))
	whole.parts[1] = []arrow.Array{made}

	var nulls func(d arrow.ArrayData) int
	nulls = func(d arrow.ArrayData) int {
		arr := array.MakeFromData(d)
		defer arr.Release()
		n := arr.NullN()
		for _, c := range d.Children() {
			n += nulls(c)
		}
		return n
	}
	var got []int64
	f := narrowRun(&got, &narrowReader{mem: mem}, &narrowReader{mem: mem})
	f.project.window = window{rows: 4, seen: sideBytes, max: windowRows, bytes: windowBytes}
	seen := 0
	err := lanes[int]{
		f: f, steps: []*step{&f.project}, left: -1,
		do: func(_ context.Context, _ int, b *block) (int, error) {
			defer b.release()
			if n := nulls(b.parts[1][0].Data()); n != 2*rows {
				return 0, errs.New(errs.ErrInternal, "%d nulls in the items that windows share, want %d", n, 2*rows)
			}
			return int(b.sel.count()), nil
		},
		use:  func(_ context.Context, n int) error { seen += n; return nil },
		drop: func(int) {},
	}.run(t.Context(), whole)
	if err != nil || seen != rows {
		t.Errorf("%d rows, %v, want %d", seen, err, rows)
	}
}
