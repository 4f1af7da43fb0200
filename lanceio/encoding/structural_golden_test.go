package encoding_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// goldenCases are the files of testdata.
var goldenCases = []struct{ name, version string }{
	{"types", "2.1"}, {"types", "2.2"}, {"texts", "2.1"}, {"texts", "2.2"}, {"levels", "2.1"}, {"levels", "2.2"},
	{"lists", "2.1"}, {"lists", "2.2"}, {"fixed_lists", "2.1"}, {"fixed_lists", "2.2"}, {"compressed", "2.1"},
	{"compressed", "2.2"}, {"long_texts", "2.1"}, {"long_texts", "2.2"}, {"only_22", "2.2"}, {"pages", "2.1"}, {"pages", "2.2"},
	{"types", "2.3"}, {"texts", "2.3"}, {"levels", "2.3"}, {"lists", "2.3"}, {"fixed_lists", "2.3"}, {"compressed", "2.3"},
	{"long_texts", "2.3"}, {"only_22", "2.3"}, {"pages", "2.3"}, {"sparse", "2.3"},
	{"dictionaries", "2.1"}, {"dictionaries", "2.2"}, {"dictionaries", "2.3"},
	{"blobs", "2.1"}, {"blobs2", "2.2"}, {"blobs2", "2.3"},
}

// eachGolden runs a test for each column of each file.
func eachGolden(t *testing.T, f func(t *testing.T, g *golden, field *encoding.Field, want arrow.Array)) {
	for _, c := range goldenCases {
		t.Run(c.name+" "+c.version, func(t *testing.T) {
			g := openGolden(t, c.name, c.version)
			for i, field := range g.fields(t) {
				t.Run(field.Name, func(t *testing.T) { f(t, g, field, g.want.Column(i)) })
			}
		})
	}
}

func TestGoldenWhole(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, field *encoding.Field, want arrow.Array) {
		r, err := encoding.NewStructuralReader(g.version, field, g.in, checked(t), "f")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // what was learned of the pages serves the second read
			got, err := r.Read(t.Context(), whole(want))
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, got, want, whole(want))
			mustPoint(t, got)
			got.Release()
		}
	})
}

// mustPoint fails where a key that is not null points past its dictionary, also beneath nulls of what is above.
func mustPoint(t *testing.T, a arrow.Array) {
	t.Helper()
	switch a := a.(type) {
	case *array.Struct:
		for i := range a.NumField() {
			mustPoint(t, a.Field(i))
		}
	case array.ListLike:
		mustPoint(t, a.ListValues())
	case *array.Dictionary:
		for i := range a.Len() {
			if a.IsValid(i) && a.GetValueIndex(i) >= a.Dictionary().Len() {
				t.Fatalf("key %d into a dictionary of %d", a.GetValueIndex(i), a.Dictionary().Len())
			}
		}
	}
}

// someRanges gives ascending ranges of n rows, in a manner that differs with the seed.
func someRanges(r *rand.Rand, n uint64) []encoding.RowRange {
	var out []encoding.RowRange
	step := 1 + r.Uint64N(max(n/uint64(1+r.IntN(40)), 1))
	for at := r.Uint64N(step); at < n; {
		end := min(n, at+1+r.Uint64N(step))
		out = append(out, encoding.RowRange{Start: at, End: end})
		at = end + r.Uint64N(step)
	}
	return out
}

func TestGoldenRanges(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, field *encoding.Field, want arrow.Array) {
		r, err := encoding.NewStructuralReader(g.version, field, g.in, checked(t), "f")
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(want.Len())
		rng := rand.New(rand.NewPCG(1, n))
		sets := [][]encoding.RowRange{nil, {{Start: 0, End: 0}}, {{Start: 0, End: 1}}, {{Start: n - 1, End: n}}, {{Start: n / 2, End: n/2 + 1}}}
		for range 12 {
			sets = append(sets, someRanges(rng, n))
		}
		for _, ranges := range sets {
			got, err := r.Read(t.Context(), ranges)
			if err != nil {
				t.Fatalf("%v: %v", ranges, err)
			}
			mustEqual(t, got, want, ranges)
			got.Release()
		}
	})
}

// prune gives a field with just the member that pick chooses of each struct, and that part of want.
func prune(f *encoding.Field, data arrow.ArrayData, pick func(n int) int) (*encoding.Field, arrow.ArrayData) {
	out := *f
	if len(f.Children) == 0 {
		data.Retain()
		return &out, data
	}
	i := 0
	dt, isStruct := f.Type.(*arrow.StructType)
	if isStruct {
		i = pick(len(f.Children))
	}
	child, part := prune(f.Children[i], data.Children()[i], pick)
	defer part.Release()
	out.Children = []*encoding.Field{child}
	switch list := f.Type.(type) {
	case *arrow.StructType:
		member := dt.Field(i)
		member.Type = child.Type
		out.Type = arrow.StructOf(member)
	case *arrow.ListType:
		out.Type = arrow.ListOf(child.Type)
	case *arrow.LargeListType:
		out.Type = arrow.LargeListOf(child.Type)
	case *arrow.FixedSizeListType:
		out.Type = arrow.FixedSizeListOf(list.Len(), child.Type)
	default: // the entries of a map stay together
		data.Retain()
		return f, data
	}
	return &out, array.NewData(out.Type, data.Len(), data.Buffers(), []arrow.ArrayData{part}, data.NullN(), data.Offset())
}

// A struct's own validity, and that of all above, comes from the levels of whichever member is read.
func TestGoldenOneLeaf(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *golden, field *encoding.Field, want arrow.Array) {
		for _, pick := range []func(int) int{func(int) int { return 0 }, func(n int) int { return n - 1 }} {
			part, data := prune(field, want.Data(), pick)
			expected := array.MakeFromData(data)
			r, err := encoding.NewStructuralReader(g.version, part, g.in, checked(t), "f")
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Read(t.Context(), whole(want))
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, got, expected, whole(want))
			got.Release()
			expected.Release()
			data.Release()
		}
	})
}

// encodingsOf adds the names of all oneof cases in a message and below it.
func encodingsOf(m protoreflect.Message, names map[string]bool) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.ContainingOneof() != nil {
			names[string(f.Name())] = true
		}
		switch {
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				encodingsOf(v.List().Get(i).Message(), names)
			}
		case f.Message() != nil:
			encodingsOf(v.Message(), names)
		}
		return true
	})
}

// The files of testdata must stand for all that can be read.
func TestGoldenCoverage(t *testing.T) {
	names := map[string]bool{}
	pages := 0
	for _, c := range goldenCases {
		g := openGolden(t, c.name, c.version)
		var walk func(f *encoding.Field)
		walk = func(f *encoding.Field) {
			for _, child := range f.Children {
				walk(child)
			}
			if f.Column == nil {
				return
			}
			pages = max(pages, len(f.Column.Pages))
			for _, p := range f.Column.Pages {
				var l proto.Message = new(pb.PageLayout)
				if c.version == "2.3" {
					l = new(pb23.PlanarLayout)
				}
				if err := proto.Unmarshal(p.Encoding, l); err != nil {
					t.Fatal(err)
				}
				encodingsOf(l.ProtoReflect(), names)
			}
		}
		for _, f := range g.fields(t) {
			walk(f)
		}
	}
	for _, want := range []string{
		"mini_block_layout", "constant_layout", "full_zip_layout", "bits_per_value", "bits_per_offset", "bits_per_length",
		"inline_value", "flat", "variable", "out_of_line_bitpacking", "inline_bitpacking", "fsst", "rle", "byte_stream_split",
		"general", "fixed_size_list", "packed_struct", "variable_packed_struct",
		"dense", "sparse", "chunked", "zipped", "constant", "none", "indexed", "range", "delta", "dictionary", "validity", "list",
		"blob_layout",
	} {
		if !names[want] {
			t.Errorf("no file has %s", want)
		}
	}
	if pages < 4 {
		t.Errorf("no column has more than %d pages", pages)
	}
	if t.Failed() {
		var have []string
		for n := range names {
			have = append(have, n)
		}
		slices.Sort(have)
		t.Log(have)
	}
}

// One row of a large page costs its chunk and what is read of the page once, not the page.
func TestReadsOnlyTheChunks(t *testing.T) {
	g := openGolden(t, "levels", "2.2")
	field := g.fields(t)[2] // 3000 values, half of them null
	var page uint64
	for _, b := range field.Column.Pages[0].Buffers {
		page += b.Size
	}
	r, err := encoding.NewStructuralReader(g.version, field, g.in, checked(t), "f")
	if err != nil {
		t.Fatal(err)
	}
	var costs []int64
	var calls []int64
	for _, row := range []uint64{1500, 1501} {
		g.in.read.Store(0)
		g.in.calls.Store(0)
		got, err := r.Read(t.Context(), []encoding.RowRange{{Start: row, End: row + 1}})
		if err != nil {
			t.Fatal(err)
		}
		got.Release()
		costs, calls = append(costs, g.in.read.Load()), append(calls, g.in.calls.Load())
	}
	if costs[0] > int64(page)*2/3 || costs[1] >= costs[0] {
		t.Errorf("one row of a page of %d bytes cost %v bytes", page, costs)
	}
	if !slices.Equal(calls, []int64{2, 1}) {
		t.Errorf("%v calls of the input, want 2 and 1", calls)
	}
}
