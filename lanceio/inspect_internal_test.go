package lanceio

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A column of which only some rows are read: an estimate from these. Every text of the column has 8 bytes but the nulls,
// which are each eleventh of 8000; pylance gives 58176 bytes.
func TestPlainSizeOfAPart(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	tab, err := Open(t.Context(), filepath.Join("testdata", "tables", "sizes.lance"))
	if err != nil {
		t.Fatal(err)
	}
	x := newFilesInspection(tab, mem)
	at := slices.IndexFunc(x.columns, func(c ColumnInfo) bool { return slices.Equal(c.Path, []string{"s", "b"}) })
	for _, budget := range []uint64{1 << 10, 10 << 10, 60 << 10} {
		x.columns[at].PlainKind = PlainExact
		if err := x.readPlain(t.Context(), at, budget); err != nil {
			t.Fatal(err)
		}
		if c := x.columns[at]; c.PlainKind != PlainEstimate || c.PlainBytes < 57000 || c.PlainBytes > 59500 {
			t.Errorf("budget %d: %d bytes (%s)", budget, c.PlainBytes, c.PlainKind)
		}
	}
}
