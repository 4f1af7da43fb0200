package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// pagesFrom makes the lookup of values in order, pageRows to a page.
func pagesFrom(values [][]byte, pageRows int) *btree {
	t := &btree{pageRows: uint64(pageRows)}
	for p := range slices.Chunk(values, pageRows) {
		t.min, t.max = append(t.min, p[0]), append(t.max, p[len(p)-1])
	}
	return t
}

// randomValues gives keys in order, nulls first, with many repeated.
func randomValues(r *rand.Rand) [][]byte {
	out := make([][]byte, r.IntN(60))
	for i := range out {
		if r.IntN(8) > 0 {
			out[i] = []byte{byte(r.IntN(1 + r.IntN(255)))}
		}
	}
	slices.SortFunc(out, func(a, b []byte) int {
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
	return out
}

// The pages of a set hold all its values. That is so also where pages are not what the lookup was made of (some writers left
// out rows, so that all behind moved), unless that is told.
func TestPagesHoldTheSet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	told, found := 0, 0
	for range 20000 {
		values := randomValues(r)
		pageRows := 1 + r.IntN(9)
		tree := pagesFrom(values, pageRows)
		stored := values
		if len(values) > 0 && r.IntN(2) == 0 {
			at := r.IntN(len(values))
			stored = slices.Delete(slices.Clone(values), at, min(len(values), at+1+r.IntN(3)))
			if (len(stored)+pageRows-1)/pageRows != len(tree.min) {
				continue // told by the number of rows
			}
		}
		s := randomSet(r)
		want := 0
		for _, v := range stored {
			if v == nil && s.nulls || v != nil && s.holds(v) {
				want++
			}
		}
		got, bad := 0, false
		for _, p := range tree.pagesOf(s) {
			start, end := int(p.Start)*pageRows, min(int(p.End)*pageRows, len(stored))
			err := tree.searchRun(p, start, end, func(i int) []byte { return stored[i] }, "", func(_ int, v []byte) {
				if v == nil && s.nulls || v != nil && s.holds(v) {
					got++
				}
			})
			bad = bad || err != nil
		}
		switch {
		case bad && len(stored) == len(values):
			t.Fatalf("pages of %d rows of %v: they are said to be damaged", pageRows, values)
		case bad:
			told++
		case got != want:
			t.Fatalf("pages of %d rows made of %v, which hold %v: %d values of %v were found, want %d", pageRows, values, stored, got, s, want)
		default:
			found++
		}
	}
	if told < 500 || found < 5000 {
		t.Errorf("%d lookups were told to be damaged, %d were right", told, found)
	}
}

// A point within a page takes that page, one at its end the next page too.
func TestPagesOfPoints(t *testing.T) {
	var values [][]byte
	for i := range 100 {
		values = append(values, []byte{byte(i * 2)})
	}
	tree := pagesFrom(values, 10)
	for key, want := range map[byte]encoding.RowRange{
		4: {Start: 0, End: 1}, 50: {Start: 2, End: 3}, 58: {Start: 2, End: 4}, 59: {Start: 2, End: 4}, 60: {Start: 2, End: 4}, 198: {Start: 9, End: 10}, 250: {Start: 9, End: 10},
	} {
		if got := tree.pagesOf(set{spans: []span{point([]byte{key})}}); len(got) != 1 || got[0] != want {
			t.Errorf("pages %v of key %d, want %v", got, key, want)
		}
	}
	if got := tree.pagesOf(set{}); len(got) != 0 {
		t.Errorf("pages %v of nothing", got)
	}
	if err := tree.worth(tree.pagesOf(set{spans: []span{{lo: []byte{}}}})); err == nil {
		t.Error("all pages are worth reading")
	}
}

// Zones whose bounds were made of values by the writer's rule may hold each of these.
func TestZonesMayHoldTheirValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := []float64{math.Inf(-1), -2, math.Copysign(0, -1), 0, 1, 2, math.Inf(1), math.NaN(), minusNaN}
	skipped := 0
	for range 20000 {
		t64 := &zones{typ: arrow.PrimitiveTypes.Float64}
		z := zone{length: uint64(1 + r.IntN(4))}
		var keys [][]byte
		for range z.length {
			if r.IntN(4) == 0 {
				z.nulls++
				continue
			}
			v := values[r.IntN(len(values))]
			keys = append(keys, doubleKey(v))
			switch {
			case math.IsNaN(v):
				z.nans++
			default:
				if z.min == nil || bytes.Compare(keys[len(keys)-1], z.min) < 0 {
					z.min = keys[len(keys)-1]
				}
				if z.max == nil || bytes.Compare(keys[len(keys)-1], z.max) > 0 {
					z.max = keys[len(keys)-1]
				}
			}
		}
		if z.nans > 0 && r.IntN(2) == 0 {
			z.max = doubleKey(math.NaN()) // the mark of newer writers
		}
		ops := []expr.CompareOp{expr.Eq, expr.Lt, expr.Le, expr.Gt, expr.Ge}
		s := set{spans: floatSpans(ops[r.IntN(len(ops))], values[r.IntN(len(values))], false), nulls: r.IntN(5) == 0}
		may := t64.mayHold(z, s)
		has := s.nulls && z.nulls > 0 || slices.ContainsFunc(keys, s.holds)
		if has && !may {
			t.Fatalf("zone %+v of %x is skipped for %v", z, keys, s)
		}
		if !may {
			skipped++
		}
	}
	if skipped < 3000 {
		t.Errorf("%d zones were skipped", skipped)
	}
}

func TestZoneRows(t *testing.T) {
	one, nine := wordKey(1), wordKey(9)
	s := set{spans: []span{point(wordKey(5))}}
	in, out := zone{min: one, max: nine}, zone{min: nine, max: nine}
	at := func(z zone, start, length uint64) zone { z.start, z.length = start, length; return z }
	for _, tt := range []struct {
		name   string
		zones  []zone
		spread bool
		want   []uint32 // start and end of what is kept; nil: the zones can't tell
	}{
		{"first kept", []zone{at(in, 0, 10), at(out, 10, 10)}, false, []uint32{0, 10}},
		{"none kept", []zone{at(out, 0, 20)}, false, []uint32{}},
		{"no zones", nil, true, nil},
		{"a gap", []zone{at(out, 0, 5), at(out, 6, 14)}, true, nil},
		{"not from the start", []zone{at(out, 1, 19)}, true, nil},
		{"past the fragment", []zone{at(out, 0, 21)}, true, nil},
		{"short, by an old writer", []zone{at(out, 0, 15)}, false, nil},
		{"short, as rows at the end were deleted", []zone{at(out, 0, 15)}, true, []uint32{15, 20}},
		{"no bounds, though there are values", []zone{at(zone{nulls: 3}, 0, 20)}, false, []uint32{0, 20}},
		{"no bounds, as all are null", []zone{at(zone{nulls: 20}, 0, 20)}, false, []uint32{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			z := &zones{typ: arrow.PrimitiveTypes.Uint64, spread: tt.spread, byFragment: map[uint64][]zone{3: tt.zones}}
			rows, ok := z.rows(3, 20, s)
			if ok != (tt.want != nil) {
				t.Fatalf("the zones tell: %v", ok)
			}
			if !ok {
				return
			}
			want := roaring.New()
			if len(tt.want) > 0 {
				want.AddRange(uint64(tt.want[0]), uint64(tt.want[1]))
			}
			if !rows.Equals(want) {
				t.Errorf("rows %s, want %s", rows, want)
			}
		})
	}
}

// tree serializes a tree of bitmaps.
func tree(t testing.TB, parts map[uint32]*roaring.Bitmap) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(parts)))
	for hi, b := range parts {
		out = binary.LittleEndian.AppendUint32(out, hi)
		if b == nil {
			out = binary.LittleEndian.AppendUint32(out, 0)
			continue
		}
		data, err := b.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(data))), data...)
	}
	return out
}

func TestTrees(t *testing.T) {
	s := newIDs()
	for _, parts := range []map[uint32]*roaring.Bitmap{
		{0: roaring.BitmapOf(1, 2, 5), 7: roaring.BitmapOf(math.MaxUint32)}, {8: nil}, {0: roaring.BitmapOf(3)}, {},
	} {
		if err := s.addTree(tree(t, parts), "x"); err != nil {
			t.Fatal(err)
		}
	}
	want := []table.Span{{First: 1, Last: 3}, {First: 5, Last: 5}, {First: 8<<32 - 1, Last: 9<<32 - 1}}
	if got := s.spans(); !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
	good := tree(t, map[uint32]*roaring.Bitmap{3: roaring.BitmapOf(1, 70000)})
	for n := range good {
		if err := newIDs().addTree(good[:n], "x"); err == nil {
			t.Errorf("a tree of %d of %d bytes is read", n, len(good))
		}
	}
	if err := newIDs().addTree(append(good, 0), "x"); err == nil {
		t.Error("a tree with a byte behind it is read")
	}
}

func FuzzTree(f *testing.F) {
	f.Add(tree(f, map[uint32]*roaring.Bitmap{0: roaring.BitmapOf(1, 2, 5), 7: nil}))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, ':', '0', 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 4, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		alloctest.Within(t, 4096*uint64(len(data)), func() {
			s := newIDs()
			if err := s.addTree(data, "x"); err == nil {
				s.spans()
			}
		})
	})
}

// Which indices can be used: each case changes the list of a table's indices.
func TestUsable(t *testing.T) {
	store, err := objstore.Open("../testdata/tables/lookups_addresses.lance")
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Latest(context.Background(), store, "")
	if err != nil {
		t.Fatal(err)
	}
	eq := &expr.Compare{
		Op: expr.Eq, L: &expr.Column{Path: expr.FieldPath{"i"}, Typ: arrow.PrimitiveTypes.Int32},
		R: &expr.Literal{Value: int64(5), Typ: arrow.PrimitiveTypes.Int32},
	}
	other := uint32(9)
	for name, tt := range map[string]struct {
		change func(x *table.Index)
		want   int
	}{
		"as it is":            {func(*table.Index) {}, 1},
		"a format to come":    {func(x *table.Index) { x.Format = 2 }, 0},
		"a negative format":   {func(x *table.Index) { x.Format = -1 }, 0},
		"unknown fragments":   {func(x *table.Index) { x.Fragments = nil }, 0},
		"another kind":        {func(x *table.Index) { x.Kind = "LabelList" }, 0},
		"no kind":             {func(x *table.Index) { x.Kind = "" }, 0},
		"kind in other case":  {func(x *table.Index) { x.Kind = "btree" }, 1},
		"two columns":         {func(x *table.Index) { x.Fields = append(slices.Clone(x.Fields), 2) }, 0},
		"another column":      {func(x *table.Index) { x.Fields = []int32{2} }, 0},
		"no columns":          {func(x *table.Index) { x.Fields = nil }, 0},
		"a base not listed":   {func(x *table.Index) { x.Base = &other }, 0},
		"no UUID":             {func(x *table.Index) { x.UUID = "" }, 0},
		"addresses may moved": {func(x *table.Index) { x.Name = reuseIndex }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			changed := *m
			changed.Indices = nil
			done := false
			for _, x := range m.Indices {
				copied := *x
				if copied.Name == "i_idx" && !done {
					// One part that can't be used makes the others useless: a row may have come from it.
					tt.change(&copied)
					done = true
				}
				changed.Indices = append(changed.Indices, &copied)
			}
			if got := len(New(&changed, eq).Names()); got != tt.want {
				t.Errorf("%d indices are used, want %d", got, tt.want)
			}
		})
	}
}
