package index

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
)

// bytesInput is a file in memory.
type bytesInput []byte

func (b bytesInput) ReadRanges(_ context.Context, _ string, ranges []encoding.BufferRange) ([][]byte, error) {
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if r.Offset > uint64(len(b)) || r.Size > uint64(len(b))-r.Offset {
			return nil, errs.Corruptf("x", -1, "bytes %d and %d more of %d", r.Offset, r.Size, len(b))
		}
		out[i] = b[r.Offset:][:r.Size:r.Size]
	}
	return out, nil
}

// readerOf opens an index file.
func readerOf(b []byte, mem memory.Allocator) (*reader, error) {
	in := bytesInput(b)
	m, err := file.Open(context.Background(), in, int64(len(b)), "x")
	if err != nil {
		return nil, err
	}
	return openReader(context.Background(), &File{In: in, Meta: m, Size: int64(len(b)), Close: func() {}}, mem)
}

// segments gives the files of a name that pylance wrote, each with the other file of its segment where there is one.
func segments(t testing.TB, name, other string) (out [][2][]byte) {
	t.Helper()
	found, err := filepath.Glob("../testdata/tables/*.lance/_indices/*/" + name)
	if err != nil || len(found) == 0 {
		t.Fatalf("no file %s: %v", name, err)
	}
	for _, p := range found {
		var pair [2][]byte
		for i, n := range []string{name, other} {
			if n == "" {
				continue
			}
			if pair[i], err = os.ReadFile(filepath.Join(filepath.Dir(p), n)); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, pair)
	}
	return out
}

// someSets are what the fuzz targets look up: nulls, a point of words, a span of texts, all.
var someSets = []set{
	{nulls: true}, {spans: []span{point(signedKey(7))}}, {spans: []span{{lo: []byte("a"), hi: []byte("m")}}}, {nulls: true, spans: []span{{lo: []byte{}}}},
}

// indexFactor bounds what reading an index may allocate for each of its bytes: a run of few bytes may stand for 1024 keys.
const indexFactor = 1 << 14

// known fails for an error that is of no kind that tells of damage.
func known(t *testing.T, err error) {
	t.Helper()
	for _, kind := range []error{nil, errs.ErrCorrupt, errs.ErrUnsupported, errs.ErrResourceExhausted} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("an error of another kind: %v", err)
}

// within runs f with an allocator that has to be empty behind it.
func within(t *testing.T, size int, f func(mem memory.Allocator)) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	alloctest.Within(t, uint64(size)*indexFactor, func() { f(mem) })
}

func searchBTree(t *testing.T, lookup, pages []byte, mem memory.Allocator) (ids, error) {
	out := newIDs()
	r, err := readerOf(lookup, mem)
	if err != nil {
		return out, err
	}
	tree, _, err := readBTree(context.Background(), r)
	if err != nil {
		return out, err
	}
	for _, s := range someSets {
		if err := tree.worth(tree.pagesOf(s)); err != nil {
			known(t, err)
			continue
		}
		pr, err := readerOf(pages, mem)
		if err != nil {
			return out, err
		}
		if err := tree.search(context.Background(), pr, s, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func searchBitmaps(_ *testing.T, b, _ []byte, mem memory.Allocator) (ids, error) {
	out := newIDs()
	r, err := readerOf(b, mem)
	if err != nil {
		return out, err
	}
	maps, _, err := readBitmaps(context.Background(), r)
	if err != nil {
		return out, err
	}
	for _, s := range someSets {
		if err := maps.search(context.Background(), r, s, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func searchZones(_ *testing.T, b, _ []byte, mem memory.Allocator) (ids, error) {
	out := newIDs()
	r, err := readerOf(b, mem)
	if err != nil {
		return out, err
	}
	z, _, err := readZones(context.Background(), r)
	if err != nil {
		return out, err
	}
	for fragment := range z.byFragment {
		for _, s := range someSets {
			// A fragment that is shorter than its zones, one that may be as long, and a longer one.
			for _, n := range []uint64{1, 100, 1 << 20} {
				if rows, ok := z.rows(uint32(fragment), n, s); ok {
					out.upper(uint32(fragment)).Or(rows)
				}
			}
		}
	}
	return out, nil
}

// search reads the files of a segment and looks some sets up.
type search func(t *testing.T, a, b []byte, mem memory.Allocator) (ids, error)

// The files that pylance wrote are read without an error, and all but an empty one have something of the sets.
func TestSegmentsAreRead(t *testing.T) {
	for _, tt := range []struct {
		name, other string
		search      search
	}{{btreeLookupFile, btreePagesFile, searchBTree}, {bitmapFile, "", searchBitmaps}, {zoneFile, "", searchZones}} {
		found := 0
		for _, pair := range segments(t, tt.name, tt.other) {
			within(t, len(pair[0])+len(pair[1]), func(mem memory.Allocator) {
				out, err := tt.search(t, pair[0], pair[1], mem)
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				found += len(out.spans())
			})
		}
		if found == 0 {
			t.Errorf("%s: no row of any set", tt.name)
		}
	}
}

// A file can't claim more rows than it may hold, whatever it holds.
func TestRowsOfIndexFiles(t *testing.T) {
	whole := segments(t, zoneFile, "")[0][0]
	for rows, want := range map[uint64]error{
		9: nil, freeRows: nil, freeRows + rowsPerByte: nil, freeRows + rowsPerByte*uint64(len(whole)+400): errs.ErrCorrupt, math.MaxInt64: errs.ErrCorrupt,
	} {
		_, err := readerOf(claimRows(whole, rows), memory.NewGoAllocator())
		if !errors.Is(err, want) {
			t.Errorf("%d rows: %v, want %v", rows, err, want)
		}
	}
}

// claimRows gives a file that says that it has so many rows: a new description stands behind all else.
func claimRows(b []byte, rows uint64) []byte {
	const footer, bufferTable = 40, 16
	tail := slices.Clone(b[len(b)-footer:])
	table := binary.LittleEndian.Uint64(tail[bufferTable:])
	at, size := binary.LittleEndian.Uint64(b[table:]), binary.LittleEndian.Uint64(b[table+8:])
	// Of a field that is there twice the last one counts; the second is the rows.
	text := protowire.AppendVarint(protowire.AppendTag(slices.Clone(b[at:at+size]), 2, protowire.VarintType), rows)
	out := append(slices.Clone(b[:len(b)-footer]), make([]byte, (64-(len(b)-footer)%64)%64)...)
	start := uint64(len(out))
	out = append(out, text...)
	binary.LittleEndian.PutUint64(tail[bufferTable:], uint64(len(out)))
	others := binary.LittleEndian.Uint32(tail[bufferTable+8:])
	out = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(out, start), uint64(len(text)))
	out = append(out, b[table+16:table+16*uint64(others)]...)
	return append(out, tail...)
}

// fuzzSegment changes bytes of the files of a segment.
func fuzzSegment(f *testing.F, name, other string, s search) {
	for _, pair := range segments(f, name, other) {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		within(t, len(a)+len(b), func(mem memory.Allocator) {
			out, err := s(t, a, b, mem)
			known(t, err)
			out.spans()
		})
	})
}

func FuzzBTree(f *testing.F)   { fuzzSegment(f, btreeLookupFile, btreePagesFile, searchBTree) }
func FuzzBitmaps(f *testing.F) { fuzzSegment(f, bitmapFile, "", searchBitmaps) }
func FuzzZones(f *testing.F)   { fuzzSegment(f, zoneFile, "", searchZones) }
