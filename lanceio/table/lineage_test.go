package table_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// hiddenFile is a data file of just hidden columns.
func hiddenFile(path string, ids ...int32) *tablepb.DataFile {
	f := &tablepb.DataFile{Path: path, Fields: ids, FileMajorVersion: 2, FileMinorVersion: 2}
	for i := range ids {
		f.ColumnIndices = append(f.ColumnIndices, int32(i))
	}
	return f
}

func TestHiddenColumns(t *testing.T) {
	stable := func() *tablepb.Manifest {
		m := smallest()
		m.ReaderFeatureFlags, m.WriterFeatureFlags = uint64(table.FlagStableRowIDs|table.FlagRowLineage), uint64(table.FlagStableRowIDs|table.FlagRowLineage)
		f := m.Fragments[0]
		f.RowIdSequence = &tablepb.DataFragment_ColumnRowIds{ColumnRowIds: &tablepb.RowLineageColumn{}}
		f.Files = append(f.Files, hiddenFile("b.lance", -4, -3))
		return m
	}
	t.Run("found by the marker", func(t *testing.T) {
		m, err := parse(frame(t, stable(), nil))
		if err != nil {
			t.Fatal(err)
		}
		if file, column, ok := m.Fragments[0].Hidden(table.HiddenRowIDs); file != 1 || column != 1 || !ok {
			t.Errorf("row ids in column %d of file %d, %v", column, file, ok)
		}
		// A file may hold a column that the fragment does not speak of.
		if _, _, ok := m.Fragments[0].Hidden(table.HiddenCreatedAt); ok {
			t.Error("versions are found without a marker")
		}
	})
	for name, change := range map[string]func(*tablepb.DataFragment){
		"in no file":    func(f *tablepb.DataFragment) { f.Files = f.Files[:1] },
		"in two files":  func(f *tablepb.DataFragment) { f.Files = append(f.Files, hiddenFile("c.lance", -3)) },
		"twice in one":  func(f *tablepb.DataFragment) { f.Files[1] = hiddenFile("b.lance", -3, -3) },
		"without place": func(f *tablepb.DataFragment) { f.Files[1].ColumnIndices[1] = -1 },
		"in an old file": func(f *tablepb.DataFragment) {
			f.Files[1].FileMajorVersion, f.Files[1].FileMinorVersion, f.Files[1].ColumnIndices = 0, 2, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := stable()
			change(m.Fragments[0])
			if _, err := parse(frame(t, m, nil)); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "hidden column -3") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRowIDBuilder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, share := range []int{1, 3, 40, 1000} { // ids in a row, about
		var ids []uint64
		next := uint64(0)
		for len(ids) < 3000 {
			for range 1 + rnd.IntN(share) {
				ids = append(ids, next)
				next++
			}
			next = rnd.Uint64N(1 << 40)
			if len(ids) > 0 && next == ids[len(ids)-1] {
				next++
			}
		}
		var b table.RowIDBuilder
		for _, id := range ids {
			if err := b.Add(id); err != nil {
				t.Fatal(err)
			}
		}
		s := b.Sequence()
		if got := slices.Collect(s.All()); !slices.Equal(got, ids) {
			t.Errorf("share %d: other ids", share)
		}
		for _, row := range []int{0, 1, 17, 1500, len(ids) - 1} {
			if s.At(uint64(row)) != ids[row] {
				t.Errorf("share %d: row %d has id %d, want %d", share, row, s.At(uint64(row)), ids[row])
			}
			if at, ok := s.Find(ids[row]); !ok || at != uint64(slices.Index(ids, ids[row])) {
				t.Errorf("share %d: id %d is found at row %d, want %d", share, ids[row], at, row)
			}
		}
	}
	t.Run("one id again and again", func(t *testing.T) {
		var b table.RowIDBuilder
		if err := errors.Join(b.Add(7), b.Add(7)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("none", func(t *testing.T) {
		var b table.RowIDBuilder
		if s := b.Sequence(); s.Len() != 0 {
			t.Errorf("%d ids", s.Len())
		}
	})
}
