package table_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

func fragmentWith(bitmap bool, deleted uint64) *table.Fragment {
	return &table.Fragment{Deletion: &table.DeletionFile{Bitmap: bitmap, Rows: deleted}}
}

// arrowFile makes a file of batches of one column.
func arrowFile(t testing.TB, field arrow.Field, columns ...arrow.Array) []byte {
	t.Helper()
	var b bytes.Buffer
	schema := arrow.NewSchema([]arrow.Field{field}, nil)
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(schema), ipc.WithZstd())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		batch := array.NewRecordBatch(schema, []arrow.Array{c}, int64(c.Len()))
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
		batch.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func uint32s(values ...uint32) arrow.Array {
	b := array.NewUint32Builder(memory.NewGoAllocator())
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}

func bitmapFile(t testing.TB, rows ...uint32) []byte {
	t.Helper()
	bm := roaring.BitmapOf(rows...)
	b, err := bm.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var rowIDField = arrow.Field{Name: "row_id", Type: arrow.PrimitiveTypes.Uint32}

func TestParseDeletions(t *testing.T) {
	withNull := array.NewUint32Builder(memory.NewGoAllocator())
	withNull.AppendNull()
	int32s := array.NewInt32Builder(memory.NewGoAllocator())
	int32s.Append(1)
	good := arrowFile(t, rowIDField, uint32s(5, 1, 9))
	for _, c := range []struct {
		name    string
		bitmap  bool
		deleted uint64
		data    []byte
		fault   string // empty: the rows 1, 5 and 9
	}{
		{name: "arrow, in any order", deleted: 3, data: good},
		{name: "arrow, number not recorded", data: good},
		{name: "bitmap", bitmap: true, deleted: 3, data: bitmapFile(t, 1, 5, 9)},
		{name: "arrow, another number", deleted: 4, data: good, fault: "3 rows, the manifest says 4"},
		{name: "bitmap, another number", bitmap: true, deleted: 2, data: bitmapFile(t, 1, 5, 9), fault: "the manifest says 2"},
		{name: "arrow, row twice", deleted: 2, data: arrowFile(t, rowIDField, uint32s(1, 1)), fault: "1 rows"},
		{name: "arrow, row past the end", deleted: 1, data: arrowFile(t, rowIDField, uint32s(10)), fault: "row 10 of 10"},
		{name: "bitmap, row past the end", bitmap: true, deleted: 1, data: bitmapFile(t, 1<<31), fault: "row 2147483648 of 10"},
		{name: "arrow, no batch", deleted: 1, data: arrowFile(t, rowIDField), fault: "0 batches"},
		{name: "arrow, two batches", deleted: 2, data: arrowFile(t, rowIDField, uint32s(1), uint32s(2)), fault: "2 batches"},
		{name: "arrow, other type", deleted: 1, data: arrowFile(t, arrow.Field{Name: "row_id", Type: arrow.PrimitiveTypes.Int32}, int32s.NewArray()), fault: "no row_id of uint32"},
		{name: "arrow, other name", deleted: 1, data: arrowFile(t, arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Uint32}, uint32s(1)), fault: "no row_id of uint32"},
		{name: "arrow, null", deleted: 1, data: arrowFile(t, arrow.Field{Name: "row_id", Type: arrow.PrimitiveTypes.Uint32, Nullable: true}, withNull.NewArray()), fault: "nulls"},
		{name: "arrow, far too many", deleted: 1, data: arrowFile(t, rowIDField, uint32s(make([]uint32, 100_000)...)), fault: "at most 10"},
		{name: "arrow, empty", deleted: 1, fault: "deletion file"},
		{name: "arrow, cut short", deleted: 3, data: good[:len(good)-20], fault: "deletion file"},
		{name: "bitmap, empty", bitmap: true, deleted: 1, fault: "bitmap"},
		{name: "bitmap, cut short", bitmap: true, deleted: 3, data: bitmapFile(t, 1, 5, 9)[:17], fault: "bitmap"},
		{name: "bitmap, unsorted", bitmap: true, deleted: 3, data: []byte{0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 9, 0, 5, 0, 1, 0}, fault: "bitmap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dv, err := table.ParseDeletions(c.data, fragmentWith(c.bitmap, c.deleted), 10, "_deletions/0-1-2.x")
			if c.fault != "" {
				if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("error %v, want %q", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for row := range uint64(10) {
				if dv.Deleted(row) {
					got = append(got, row)
				}
			}
			if !slices.Equal(got, []uint64{1, 5, 9}) || dv.Count() != 3 {
				t.Errorf("deleted %v", got)
			}
		})
	}
}

// TestDeletionVector compares every operation with the same on a plain list of rows.
func TestDeletionVector(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		rows uint64
		// runs: rows are deleted in runs of up to so many
		deleted, runs int
	}{
		{"none", 50, 0, 1}, {"some", 300, 20, 1}, {"most", 300, 200, 10}, {"long runs", 200_000, 3, 70_000}, {"all", 70_000, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			deleted := make([]bool, c.rows)
			for range c.deleted {
				start, n := rnd.Uint64N(c.rows), c.rows
				if c.runs > 0 {
					n = rnd.Uint64N(uint64(c.runs)) + 1
				} else {
					start = 0
				}
				for row := start; row < min(c.rows, start+n); row++ {
					deleted[row] = true
				}
			}
			var rows []uint32
			var live []uint64
			for row, d := range deleted {
				if d {
					rows = append(rows, uint32(row))
				} else {
					live = append(live, uint64(row))
				}
			}
			dv := table.NewDeletionVector(rows...)
			if c.deleted == 0 {
				dv = nil
			}
			checkVector(t, dv, deleted, live)
			for range 50 {
				checkLive(t, dv, deleted, rnd.Uint64N(c.rows), rnd.Uint64N(c.rows+1))
			}
			checkLive(t, dv, deleted, 0, c.rows)
		})
	}
}

func checkVector(t *testing.T, dv *table.DeletionVector, deleted []bool, live []uint64) {
	t.Helper()
	step := max(1, len(deleted)/500)
	for rank := 0; rank < len(live); rank += step {
		row := live[rank]
		if got := dv.Physical(uint64(rank)); got != row {
			t.Fatalf("live row %d is row %d, want %d", rank, got, row)
		}
		if got := dv.LiveRank(row); got != uint64(rank) {
			t.Fatalf("row %d has rank %d, want %d", row, got, rank)
		}
		if got := dv.DeletedBelow(row); got != row-uint64(rank) {
			t.Fatalf("%d rows are deleted below %d, want %d", got, row, row-uint64(rank))
		}
	}
	for row := 0; row < len(deleted); row += step {
		if dv.Deleted(uint64(row)) != deleted[row] {
			t.Fatalf("row %d: %v", row, !deleted[row])
		}
	}
	if got := dv.DeletedBelow(uint64(len(deleted))); got != dv.Count() {
		t.Errorf("%d deleted, want %d", got, dv.Count())
	}
}

func checkLive(t *testing.T, dv *table.DeletionVector, deleted []bool, start, end uint64) {
	t.Helper()
	var want [][2]uint64
	for row := start; row < end; row++ {
		switch n := len(want); {
		case deleted[row]:
		case n > 0 && want[n-1][1] == row:
			want[n-1][1]++
		default:
			want = append(want, [2]uint64{row, row + 1})
		}
	}
	var got [][2]uint64
	for a, b := range dv.Live(start, end) {
		got = append(got, [2]uint64{a, b})
	}
	if !slices.Equal(got, want) {
		t.Fatalf("live rows from %d to %d: %v, want %v", start, end, got, want)
	}
	for range dv.Live(start, end) {
		break // must not panic
	}
}

func FuzzDeletionFile(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.lance/_deletions/*")
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds")
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, filepath.Ext(p) == ".bin")
	}
	f.Add(arrowFile(f, rowIDField, uint32s(5, 1, 9)), false)
	f.Add(bitmapFile(f, 1, 5, 9), true)
	f.Fuzz(func(t *testing.T, b []byte, bitmap bool) {
		const rows = 13_000
		alloctest.Within(t, messageFactor*uint64(len(b)), func() {
			dv, err := table.ParseDeletions(b, fragmentWith(bitmap, 0), rows, "x")
			if err != nil {
				return
			}
			var live uint64
			for start, end := range dv.Live(0, rows) {
				live += end - start
			}
			if live+dv.Count() != rows {
				t.Errorf("%d live rows and %d deleted ones of %d", live, dv.Count(), rows)
			}
		})
	})
}

func TestLocationOfDeletionFile(t *testing.T) {
	m, err := table.Open(context.Background(), openStore(t, "history.lance"), table.Ref{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Fragments {
		if f.Deletion == nil {
			continue
		}
		if _, err := os.Stat("testdata/history.lance/" + m.DeletionFile(f).Path); err != nil {
			t.Error(err)
		}
	}
}
