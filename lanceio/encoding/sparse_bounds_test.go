package encoding_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// packedTo are values of some bits that are packed to fewer.
func packedTo(bits, to uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_OutOfLineBitpacking{OutOfLineBitpacking: &pb.OutOfLineBitpacking{
		UncompressedBitsPerValue: bits, Values: flat(to)}}}
}

func deltasOf(base uint64, steps *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Delta{Delta: &pb.Delta{UncompressedBitsPerValue: 64, Base: base, Deltas: steps}}}
}

// runBytes are the bytes of runs of flat values with flat lengths.
func runBytes(values []uint64, lengths ...uint32) []byte {
	v := numbers64(values...)
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(v))), v...)
	for _, l := range lengths {
		out = binary.LittleEndian.AppendUint32(out, l)
	}
	return out
}

// fullLists is a page of lists that all have items, all of them 7, with the counts that e and src tell.
func fullLists(lists, n uint64, e *pb.CompressiveEncoding, src ...[]byte) testPage {
	none := marks(nullAt, 0, noNumbers())
	return sparsePage(lists, sameValue(7, 0), []*pb23.SparseLayer{
		someLists(&pb23.SparseList{NumChildSlots: n, NumNonEmptyPositions: lists, NonEmptyPositions: rangeOf(64, 0, 1), Counts: e, Validity: none}),
		items(none)}, src...)
}

// Very many lists, whose sizes a few bytes tell, are read without room for each size.
func TestCountsOfManyLists(t *testing.T) {
	const many = 30_000_000
	flatRuns := runsOf(flat(64), flat(32))
	for _, c := range []struct {
		name string
		page testPage
		size func(i uint64) uint64
	}{
		{"runs", fullLists(many, 2*(many-5)+3*4+9, flatRuns, runBytes([]uint64{2, 3, 9}, many-5, 4, 1)), func(i uint64) uint64 {
			switch {
			case i < many-5:
				return 2
			case i < many-1:
				return 3
			}
			return 9
		}},
		{"one run", fullLists(many, 2*many, flatRuns, runBytes([]uint64{2}, many)), func(uint64) uint64 { return 2 }},
		{"a series", fullLists(100_000, 3*100_000+2*(100_000*99_999/2), rangeOf(64, 3, 2)), func(i uint64) uint64 { return 3 + 2*i }},
		{"even steps", fullLists(100_000, 100_000*99_999/2+100_000, deltasOf(1, oneNumber(1))), func(i uint64) uint64 { return 1 + i }},
		{"even steps of none", fullLists(many, 4*many, deltasOf(4, oneNumber(0))), func(uint64) uint64 { return 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, at := range []uint64{0, 1, c.page.rows - 7, c.page.rows - 3} {
				alloctest.Within(t, 0, func() {
					got, err := readPage(t, c.page, arrow.ListOf(i16), v23, checked(t), encoding.RowRange{Start: at, End: at + 3})
					if err != nil {
						t.Fatal(err)
					}
					defer got.Release()
					lists := got.(*array.List)
					for i := range lists.Len() {
						from, to := lists.ValueOffsets(i)
						if n := c.size(at + uint64(i)); uint64(to-from) != n {
							t.Errorf("list %d has %d items, want %d", at+uint64(i), to-from, n)
						}
					}
					items := lists.ListValues().(*array.Int16)
					for i, v := range items.Int16Values() {
						if v != 7 || items.IsNull(i) {
							t.Fatalf("item %d is %s", i, items.ValueStr(i))
						}
					}
				})
			}
		})
	}
}

// Numbers that few bytes claim, and that no writer would store so: an error of the page, before any room is made.
func TestClaimsOfNumbers(t *testing.T) {
	const many = 60_000_000
	nulls := func(e *pb.CompressiveEncoding, src ...[]byte) testPage {
		return sparsePage(2*many, sameValue(7, 0), []*pb23.SparseLayer{items(marks(nullAt, many, e))}, src...)
	}
	for _, c := range []struct {
		name string
		page testPage
		dt   arrow.DataType
	}{
		{"positions that repeat", nulls(runsOf(flat(64), flat(32)), runBytes([]uint64{2}, many)), i16},
		{"positions of no bits", nulls(packedTo(64, 0), nil), i16},
		{"steps of no bits", nulls(deltasOf(0, packedTo(64, 0)), nil), i16},
		{"steps that grow", nulls(deltasOf(0, rangeOf(64, 1, 1))), i16},
		{"positions out of a dictionary", nulls(&pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Dictionary{Dictionary: &pb.Dictionary{
			Indices: rangeOf(32, 0, 1), Items: rangeOf(64, 0, 1), NumDictionaryItems: 5}}}), i16},
		{"counts of no bits", fullLists(many, many, packedTo(64, 0), nil), arrow.ListOf(i16)},
		{"runs of one each", fullLists(many, many, runsOf(rangeOf(64, 1, 1), &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{
			Constant: &pb.Constant{Value: []byte{1, 0, 0, 0}}}})), arrow.ListOf(i16)},
		{"a series with too many items", fullLists(many, many, rangeOf(64, 1, 1)), arrow.ListOf(i16)},
		{"a series that runs over", fullLists(1<<33, 1<<33, rangeOf(64, 1, 1<<30)), arrow.ListOf(i16)},
		{"a series from no item on", fullLists(3, 3, rangeOf(64, 0, 1)), arrow.ListOf(i16)},
		{"runs with too many items", fullLists(many, many, runsOf(flat(64), flat(32)), runBytes([]uint64{1 << 63}, many)), arrow.ListOf(i16)},
		{"a run of no items", fullLists(many, many, runsOf(flat(64), flat(32)), runBytes([]uint64{0}, many)), arrow.ListOf(i16)},
		{"runs that are too long", fullLists(many, many, runsOf(flat(64), flat(32)), runBytes([]uint64{1, 1}, many, 1)), arrow.ListOf(i16)},
		{"runs that are too short", fullLists(many, many, runsOf(flat(64), flat(32)), runBytes([]uint64{1}, many-1)), arrow.ListOf(i16)},
		{"a run of none", fullLists(2, 2, runsOf(flat(64), flat(32)), runBytes([]uint64{1, 1}, 2, 0)), arrow.ListOf(i16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			alloctest.Within(t, 0, func() {
				_, err := readPage(t, c.page, c.dt, v23, checked(t), encoding.RowRange{Start: 0, End: 2})
				if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "page 0: ") || !strings.Contains(err.Error(), "column c") {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
