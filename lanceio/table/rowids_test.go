package table_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

func rangeOf(start, end uint64) *tablepb.U64Segment {
	return &tablepb.U64Segment{Segment: &tablepb.U64Segment_Range_{Range: &tablepb.U64Segment_Range{Start: start, End: end}}}
}

func u16s(base uint64, offsets ...uint16) *tablepb.EncodedU64Array {
	var b []byte
	for _, o := range offsets {
		b = binary.LittleEndian.AppendUint16(b, o)
	}
	return &tablepb.EncodedU64Array{Array: &tablepb.EncodedU64Array_U16Array_{U16Array: &tablepb.EncodedU64Array_U16Array{Base: base, Offsets: b}}}
}

func u32s(base uint64, offsets ...uint32) *tablepb.EncodedU64Array {
	var b []byte
	for _, o := range offsets {
		b = binary.LittleEndian.AppendUint32(b, o)
	}
	return &tablepb.EncodedU64Array{Array: &tablepb.EncodedU64Array_U32Array_{U32Array: &tablepb.EncodedU64Array_U32Array{Base: base, Offsets: b}}}
}

func u64s(values ...uint64) *tablepb.EncodedU64Array {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return &tablepb.EncodedU64Array{Array: &tablepb.EncodedU64Array_U64Array_{U64Array: &tablepb.EncodedU64Array_U64Array{Values: b}}}
}

func holes(start, end uint64, a *tablepb.EncodedU64Array) *tablepb.U64Segment {
	return &tablepb.U64Segment{Segment: &tablepb.U64Segment_RangeWithHoles_{RangeWithHoles: &tablepb.U64Segment_RangeWithHoles{Start: start, End: end, Holes: a}}}
}

func bitmap(start, end uint64, b ...byte) *tablepb.U64Segment {
	return &tablepb.U64Segment{Segment: &tablepb.U64Segment_RangeWithBitmap_{RangeWithBitmap: &tablepb.U64Segment_RangeWithBitmap{Start: start, End: end, Bitmap: b}}}
}

func sorted(a *tablepb.EncodedU64Array) *tablepb.U64Segment {
	return &tablepb.U64Segment{Segment: &tablepb.U64Segment_SortedArray{SortedArray: a}}
}

func unsorted(a *tablepb.EncodedU64Array) *tablepb.U64Segment {
	return &tablepb.U64Segment{Segment: &tablepb.U64Segment_Array{Array: a}}
}

func sequence(t testing.TB, segments ...*tablepb.U64Segment) []byte {
	t.Helper()
	b, err := proto.Marshal(&tablepb.RowIdSequence{Segments: segments})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRowIDs(t *testing.T) {
	const big = uint64(1) << 60
	for _, c := range []struct {
		name     string
		segments []*tablepb.U64Segment
		want     []uint64
	}{
		{"none", nil, nil},
		{"range", []*tablepb.U64Segment{rangeOf(7, 10)}, []uint64{7, 8, 9}},
		{"empty range", []*tablepb.U64Segment{rangeOf(7, 7)}, nil},
		{"holes", []*tablepb.U64Segment{holes(10, 20, u16s(10, 0, 3, 4, 9))}, []uint64{11, 12, 15, 16, 17, 18}},
		{"no holes", []*tablepb.U64Segment{holes(10, 13, nil)}, []uint64{10, 11, 12}},
		{"nothing but holes", []*tablepb.U64Segment{holes(10, 12, u32s(0, 10, 11))}, nil},
		// As stored by pylance for these ids, though the format's comment counts bits from the top.
		{"bitmap", []*tablepb.U64Segment{bitmap(0, 10, 0xdb, 0x03)}, []uint64{0, 1, 3, 4, 6, 7, 8, 9}},
		{"bitmap of whole bytes", []*tablepb.U64Segment{bitmap(100, 116, 0x00, 0x81)}, []uint64{108, 115}},
		{"sorted", []*tablepb.U64Segment{sorted(u32s(big, 1, 5, 1<<31))}, []uint64{big + 1, big + 5, big + 1<<31}},
		{"array", []*tablepb.U64Segment{unsorted(u64s(5, 3, big))}, []uint64{5, 3, big}},
		{"several", []*tablepb.U64Segment{rangeOf(4, 6), bitmap(20, 23, 0x05), rangeOf(9, 9), unsorted(u16s(0, 2, 1)), holes(30, 33, u16s(31, 0))}, []uint64{4, 5, 20, 22, 2, 1, 30, 32}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := table.ParseRowIDs(sequence(t, c.segments...), "x")
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Collect(s.All()); !slices.Equal(got, c.want) || s.Len() != uint64(len(c.want)) {
				t.Fatalf("ids %v, want %v", got, c.want)
			}
			for row, id := range c.want {
				if got := s.At(uint64(row)); got != id {
					t.Errorf("row %d has id %d, want %d", row, got, id)
				}
			}
			for id := range uint64(130) {
				row, ok := s.Find(id)
				if at := slices.Index(c.want, id); ok != (at >= 0) || ok && row != uint64(at) {
					t.Errorf("id %d at row %d, %v; want %d", id, row, ok, at)
				}
			}
		})
	}
}

func TestBrokenRowIDs(t *testing.T) {
	for name, b := range map[string][]byte{
		"no message":           {0xff},
		"range backwards":      sequence(t, rangeOf(5, 4)),
		"too many":             sequence(t, rangeOf(0, 1<<33)),
		"too many together":    sequence(t, rangeOf(0, 1<<32), rangeOf(0, 1<<32)),
		"more than can be":     sequence(t, rangeOf(0, 1<<64-1), rangeOf(0, 5)),
		"hole outside":         sequence(t, holes(5, 9, u64s(9))),
		"hole before":          sequence(t, holes(5, 9, u64s(4))),
		"hole twice":           sequence(t, holes(5, 9, u64s(6, 6))),
		"holes unsorted":       sequence(t, holes(5, 9, u64s(7, 6))),
		"bitmap too short":     sequence(t, bitmap(0, 9, 1)),
		"bitmap too long":      sequence(t, bitmap(0, 8, 1, 0)),
		"bitmap for too many":  sequence(t, bitmap(0, 1<<63, 1)),
		"bits past the end":    sequence(t, bitmap(0, 9, 1, 2)),
		"sorted, but is not":   sequence(t, sorted(u64s(2, 1))),
		"overflow":             sequence(t, unsorted(u16s(1<<64-1, 1))),
		"half a number":        sequence(t, unsorted(&tablepb.EncodedU64Array{Array: &tablepb.EncodedU64Array_U64Array_{U64Array: &tablepb.EncodedU64Array_U64Array{Values: make([]byte, 12)}}})),
		"an unknown encoding":  sequence(t, &tablepb.U64Segment{}),
		"an empty range first": append(sequence(t, rangeOf(1, 1)), 0xff),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := table.ParseRowIDs(b, "x"); !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestRowVersions checks that spans count by their lengths, whatever their positions.
func TestRowVersions(t *testing.T) {
	b, err := proto.Marshal(&tablepb.RowDatasetVersionSequence{Runs: []*tablepb.RowDatasetVersionRun{
		{Span: rangeOf(0, 3), Version: 1}, {Span: rangeOf(0, 2), Version: 4}, {Span: bitmap(0, 10, 0xdb, 0x03), Version: 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.ParseRowVersions(b, "x")
	if want := []table.VersionRun{{Rows: 3, Version: 1}, {Rows: 2, Version: 4}, {Rows: 8, Version: 2}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

func TestRowAddress(t *testing.T) {
	a := table.NewRowAddress(3, 1<<32-1)
	if uint64(a) != 0x3ffffffff || a.Fragment() != 3 || a.Row() != 1<<32-1 {
		t.Errorf("%#x: fragment %d, row %d", uint64(a), a.Fragment(), a.Row())
	}
}

func FuzzRowIDs(f *testing.F) {
	f.Add(sequence(f, rangeOf(4, 6), bitmap(20, 23, 0x05), unsorted(u16s(0, 2, 1)), holes(30, 33, u16s(31, 0)), sorted(u32s(5, 1, 2))))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s *table.RowIDSequence
		var err error
		alloctest.Within(t, messageFactor*uint64(len(b)), func() {
			_, _ = table.ParseRowVersions(b, "x")
			s, err = table.ParseRowIDs(b, "x")
		})
		if err != nil {
			return
		}
		var row uint64
		for id := range s.All() {
			if row == 1000 {
				break
			}
			if s.At(row) != id {
				t.Fatalf("row %d: %d and %d", row, s.At(row), id)
			}
			if first, ok := s.Find(id); !ok || first > row {
				t.Fatalf("id %d of row %d found at %d, %v", id, row, first, ok)
			}
			row++
		}
	})
}

// TestRowsOfSpans compares what Rows finds with a look at each id, for sequences of every segment.
func TestRowsOfSpans(t *testing.T) {
	all := []*tablepb.U64Segment{
		rangeOf(7, 10), holes(10, 20, u16s(10, 0, 3, 4, 9)), bitmap(40, 52, 0b10100110, 0b1001), sorted(u32s(100, 0, 5, 6, 90)),
		unsorted(u64s(33, 2, 30, 31, 3, 1<<63)), rangeOf(60, 61), rangeOf(0, 1),
	}
	for n := 1; n <= len(all); n++ {
		s, err := table.ParseRowIDs(sequence(t, all[n-1:]...), "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, spans := range [][]table.Span{
			nil, {{0, 1<<64 - 1}}, {{7, 7}}, {{8, 11}}, {{0, 2}, {9, 9}, {12, 15}, {31, 44}}, {{43, 47}, {51, 105}, {106, 106}, {190, 1 << 63}},
			{{13, 13}, {19, 19}, {40, 40}}, {{1<<63 + 1, 1<<64 - 1}},
		} {
			var got, want []uint64
			for start, end := range s.Rows(spans) {
				for row := start; row < end; row++ {
					got = append(got, row)
				}
			}
			for row := range s.Len() {
				if slices.ContainsFunc(spans, func(p table.Span) bool { return s.At(row) >= p.First && s.At(row) <= p.Last }) {
					want = append(want, row)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("segments from %d, spans %v: rows %v, want %v", n, spans, got, want)
			}
		}
	}
}
