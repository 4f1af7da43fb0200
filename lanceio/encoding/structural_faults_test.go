package encoding_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// nullableInts is the page [1, 2, null, 4] of the worked example, to be broken.
func nullableInts(edit func(m *pb.MiniBlockLayout, p *testPage)) testPage {
	m := &pb.MiniBlockLayout{DefCompression: flat(16), ValueCompression: flat(32), Layers: l(nullableItem), NumBuffers: 1, NumItems: 4, HasLargeChunk: true}
	p := testPage{rows: 4, buffers: [][]byte{{0x30, 0, 0, 0},
		chunk(4, nil, levelBytes(0, 0, 1, 0), []byte{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0})}}
	edit(m, &p)
	p.layout = miniBlock(m)
	return p
}

func listPage(edit func(m *pb.MiniBlockLayout, p *testPage)) testPage {
	p := levelsPage(3, 2, l(validItem, nullableList), []uint16{1, 0, 1, 1}, []uint16{0, 0, 1, 1})
	m := p.layout.(*pb.PageLayout).GetMiniBlockLayout()
	edit(m, &p)
	return p
}

func TestMiniBlockFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(m *pb.MiniBlockLayout, p *testPage)
	}{
		{"chunk word too large", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[0][0] = 0x40 }},
		{"chunk word huge", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[0] = []byte{0xf0, 255, 255, 255} }},
		{"words of three bytes", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[0] = p.buffers[0][:3] }},
		{"no words", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[0] = nil }},
		{"count of the last chunk differs", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[0][0] = 0x33 }},
		{"more items than rows", func(m *pb.MiniBlockLayout, _ *testPage) { m.NumItems = 5 }},
		{"items without end", func(m *pb.MiniBlockLayout, p *testPage) { m.NumItems, p.rows = 1<<39, 1<<39 }},
		{"narrow words in a 2.2 file", func(m *pb.MiniBlockLayout, _ *testPage) { m.HasLargeChunk = false }},
		{"two value buffers", func(m *pb.MiniBlockLayout, _ *testPage) { m.NumBuffers = 2 }},
		{"a buffer missing", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers = p.buffers[:1] }},
		{"a buffer more", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers = append(p.buffers, nil) }},
		{"no layers", func(m *pb.MiniBlockLayout, _ *testPage) { m.Layers = nil }},
		{"a layer more", func(m *pb.MiniBlockLayout, _ *testPage) { m.Layers = l(nullableItem, nullableItem) }},
		{"a list layer", func(m *pb.MiniBlockLayout, _ *testPage) { m.Layers = l(nullableList) }},
		{"level above the layers'", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][8] = 2 }},
		{"fewer levels", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][0] = 3 }},
		{"more levels", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][1] = 3 }},
		{"levels of another size", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][2] = 6 }},
		{"levels past the chunk", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][3] = 1 }},
		{"values past the chunk", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][5] = 1 }},
		{"values of 4 GiB", func(_ *pb.MiniBlockLayout, p *testPage) { copy(p.buffers[1][4:8], "\xff\xff\xff\xff") }},
		{"fewer bytes of values", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][4] = 12 }},
		{"values of another width", func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = flat(64) }},
		{"values of no width", func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = flat(0) }},
		{"values of 12 bits", func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = flat(12) }},
		{"values without end", func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = flat(1 << 62) }},
		{"strings where there are numbers", func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = variable(32) }},
		{"levels of 8 bits", func(m *pb.MiniBlockLayout, p *testPage) {
			m.DefCompression = flat(8)
			p.buffers[1][2] = 4
		}},
		{"a dictionary that is not there", func(m *pb.MiniBlockLayout, p *testPage) { m.Dictionary, m.NumDictionaryItems = flat(32), 3 }},
		{"a dictionary without end", func(m *pb.MiniBlockLayout, p *testPage) {
			m.Dictionary, m.NumDictionaryItems = flat(32), 1<<40
			p.buffers = append(p.buffers, nil)
		}},
		{"key past the dictionary", func(m *pb.MiniBlockLayout, p *testPage) {
			m.Dictionary, m.NumDictionaryItems = flat(32), 4
			p.buffers = append(p.buffers, make([]byte, 16))
		}},
		{"repetition without lists", func(m *pb.MiniBlockLayout, _ *testPage) { m.RepCompression = flat(16) }},
	} {
		t.Run(c.name, func(t *testing.T) { wantFault(t, nullableInts(c.edit), arrow.PrimitiveTypes.Int32, errs.ErrCorrupt) })
	}
}

func wantFault(t *testing.T, p testPage, dt arrow.DataType, kind error) {
	t.Helper()
	got, err := readPage(t, p, dt, v22, checked(t), encoding.RowRange{Start: 0, End: min(p.rows, 4)})
	if err == nil {
		got.Release()
	}
	if !errors.Is(err, kind) {
		t.Fatalf("%v, want a %v", err, kind)
	}
	if !strings.Contains(err.Error(), "data/f.lance") || !strings.Contains(err.Error(), "column c") {
		t.Fatalf("%q does not name the file and the column", err)
	}
}

func TestListFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(m *pb.MiniBlockLayout, p *testPage)
	}{
		{"index has too many rows", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[2][0] = 4 }},
		{"index has too few rows", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[2][0] = 2 }},
		{"index leaves a row open", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[2][8] = 1 }},
		{"index cut", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[2] = p.buffers[2][:8] }},
		{"no index", func(m *pb.MiniBlockLayout, p *testPage) { p.buffers = p.buffers[:2] }},
		{"first event goes on", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][16] = 0 }},
		{"repetition level 2", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][18] = 2 }},
		{"a row more in the levels", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][18] = 1 }},
		{"an item that is a null list", func(_ *pb.MiniBlockLayout, p *testPage) { p.buffers[1][26] = 1 }},
		{"no repetition", func(m *pb.MiniBlockLayout, _ *testPage) { m.RepCompression, m.RepetitionIndexDepth = nil, 0 }},
		{"rows without end", func(_ *pb.MiniBlockLayout, p *testPage) { binary.LittleEndian.PutUint64(p.buffers[2], 1<<63) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := listPage(c.edit)
			got, err := readPage(t, p, arrow.ListOf(i16), v22, checked(t), allRows(p))
			if err == nil {
				got.Release()
			}
			if !errors.Is(err, errs.ErrCorrupt) {
				t.Fatalf("%v, want a corrupt error", err)
			}
		})
	}
}

func TestFullZipFaults(t *testing.T) {
	texts := func(edit func(m *pb.FullZipLayout, p *testPage)) testPage {
		m := &pb.FullZipLayout{BitsDef: 1, Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 3, NumVisibleItems: 3,
			ValueCompression: variable(32), Layers: l(nullableItem)}
		p := testPage{rows: 3, buffers: [][]byte{[]byte("\x00\x02\x00\x00\x00ab\x01\x00\x01\x00\x00\x00c"), {0, 7, 8, 14}}}
		edit(m, &p)
		p.layout = fullZip(m)
		return p
	}
	for _, c := range []struct {
		name string
		edit func(m *pb.FullZipLayout, p *testPage)
	}{
		{"index descends", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[1][1] = 9 }},
		{"index past the end", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[1][3] = 15 }},
		{"index in the middle of an item", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[1][1] = 6 }},
		{"index of an odd size", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[1] = make([]byte, 5) }},
		{"index of 3-byte entries", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[1] = make([]byte, 12) }},
		{"no index", func(_ *pb.FullZipLayout, p *testPage) { p.buffers = p.buffers[:1] }},
		{"size past the end", func(_ *pb.FullZipLayout, p *testPage) { p.buffers[0][1] = 200 }},
		{"size of 4 GiB", func(_ *pb.FullZipLayout, p *testPage) { copy(p.buffers[0][1:5], "\xff\xff\xff\xff") }},
		{"level above the layers'", func(m *pb.FullZipLayout, p *testPage) {
			m.BitsDef = 2
			p.buffers[0][7] = 3
		}},
		{"sizes of 8 bits", func(m *pb.FullZipLayout, _ *testPage) { m.Details = &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 8} }},
		{"repetition without lists", func(m *pb.FullZipLayout, _ *testPage) { m.BitsRep = 1 }},
		{"levels of 40 bits", func(m *pb.FullZipLayout, _ *testPage) { m.BitsDef = 40 }},
		{"fixed width of another size", func(m *pb.FullZipLayout, _ *testPage) {
			m.Details = &pb.FullZipLayout_BitsPerValue{BitsPerValue: 64}
			m.ValueCompression = flat(64)
		}},
		{"width that is not the encoding's", func(m *pb.FullZipLayout, _ *testPage) {
			m.Details = &pb.FullZipLayout_BitsPerValue{BitsPerValue: 64}
			m.ValueCompression = flat(32)
		}},
		{"width without end", func(m *pb.FullZipLayout, _ *testPage) {
			m.Details = &pb.FullZipLayout_BitsPerValue{BitsPerValue: 1 << 60}
			m.ValueCompression = flat(1 << 60)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := texts(c.edit)
			for _, r := range []encoding.RowRange{allRows(p), {Start: 0, End: 1}, {Start: 1, End: 2}, {Start: 2, End: 3}} {
				got, err := readPage(t, p, arrow.BinaryTypes.String, v22, checked(t), r)
				if err == nil {
					got.Release()
					continue
				}
				if !errors.Is(err, errs.ErrCorrupt) {
					t.Fatalf("%v, want a corrupt error", err)
				}
				return
			}
			t.Fatal("the fault went unseen")
		})
	}
}

func TestConstantFaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		dt      arrow.DataType
		m       *pb.ConstantLayout
		buffers [][]byte
	}{
		{"inline value of another width", i16, &pb.ConstantLayout{Layers: l(validItem), InlineValue: []byte{1}}, nil},
		{"boolean of value 2", arrow.FixedWidthTypes.Boolean, &pb.ConstantLayout{Layers: l(validItem), InlineValue: []byte{2}}, nil},
		{"inline value and a value buffer", i16, &pb.ConstantLayout{Layers: l(validItem), InlineValue: []byte{1, 2}}, [][]byte{nil}},
		{"four buffers", i16, &pb.ConstantLayout{Layers: l(nullableItem)}, make([][]byte, 4)},
		{"neither nulls nor a value", i16, &pb.ConstantLayout{Layers: l(validItem)}, nil},
		{"levels of odd size", i16, &pb.ConstantLayout{Layers: l(nullableItem)}, [][]byte{nil, {1, 0, 1}}},
		{"fewer levels than rows", i16, &pb.ConstantLayout{Layers: l(nullableItem)}, [][]byte{nil, levelBytes(1)}},
		{"level above the layers'", i16, &pb.ConstantLayout{Layers: l(nullableItem)}, [][]byte{nil, levelBytes(1, 2)}},
		{"repetition without lists", i16, &pb.ConstantLayout{Layers: l(nullableItem)}, [][]byte{levelBytes(1, 1), levelBytes(1, 1)}},
		{"lists without repetition", arrow.ListOf(i16), &pb.ConstantLayout{Layers: l(nullableItem, nullableList)}, [][]byte{nil, levelBytes(2, 2)}},
		{"rows of lists that are not there", arrow.ListOf(i16), &pb.ConstantLayout{Layers: l(nullableItem, nullableList)},
			[][]byte{levelBytes(1, 0), levelBytes(1, 1)}},
		{"first event goes on", arrow.ListOf(i16), &pb.ConstantLayout{Layers: l(nullableItem, nullableList)},
			[][]byte{levelBytes(0, 1, 1), levelBytes(1, 1, 1)}},
		{"value buffer cut", arrow.BinaryTypes.String, &pb.ConstantLayout{Layers: l(validItem)}, [][]byte{{2, 0, 0}}},
		{"value of three buffers", arrow.BinaryTypes.String, &pb.ConstantLayout{Layers: l(validItem)}, [][]byte{append([]byte{3, 0, 0, 0}, make([]byte, 12)...)}},
		{"value of 4 GiB", arrow.BinaryTypes.String, &pb.ConstantLayout{Layers: l(validItem)},
			[][]byte{unhex(t, "02000000 08000000 ffffffff 00000000 05000000 6868686868")}},
		{"value longer than its buffer", arrow.BinaryTypes.String, &pb.ConstantLayout{Layers: l(validItem)},
			[][]byte{unhex(t, "02000000 08000000 05000000 00000000 06000000 6868686868")}},
		{"bytes behind the value", arrow.BinaryTypes.String, &pb.ConstantLayout{Layers: l(validItem)},
			[][]byte{unhex(t, "02000000 08000000 05000000 00000000 05000000 686868686868")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFault(t, testPage{rows: 2, layout: constantPage(c.m), buffers: c.buffers}, c.dt, errs.ErrCorrupt)
		})
	}
	inline := testPage{rows: 1, layout: constantPage(&pb.ConstantLayout{Layers: l(validItem), InlineValue: []byte{1, 2}})}
	if _, err := readPage(t, inline, i16, v21, checked(t), allRows(inline)); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("an inline value in a 2.1 file: %v", err)
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct {
		name string
		page testPage
		dt   arrow.DataType
		has  string
	}{
		{"layouts of later versions", testPage{rows: 1, typeURL: "/lance.encodings23.PlanarLayout"}, i16, "lance.encodings23.PlanarLayout"},
		{"an unknown layout", testPage{rows: 1, raw: []byte{0x7a, 0}}, i16, "layout"},
		{"run-end encoded columns", testPage{rows: 1, layout: constantPage(&pb.ConstantLayout{Layers: l(nullableItem)})},
			arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, i16), "run_end_encoded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFault(t, c.page, c.dt, errs.ErrUnsupported)
			_, err := readPage(t, c.page, c.dt, v22, checked(t), allRows(c.page))
			if !strings.Contains(err.Error(), c.has) {
				t.Errorf("%q does not name %q", err, c.has)
			}
		})
	}
	for _, v := range []encoding.Version{{Major: 2, Minor: 0}, {Major: 2, Minor: 4}, {Major: 3, Minor: 1}} {
		if _, err := encoding.NewStructuralReader(v, tree("c", i16, nil), newInput(nil), memory.DefaultAllocator, "f"); !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("version %s: %v", v, err)
		}
	}
}

// Every kind of encoding that the messages have is decoded, or answered by an error that names it, wherever it stands.
func TestEveryEncodingIsAnswered(t *testing.T) {
	oneof := (&pb.CompressiveEncoding{}).ProtoReflect().Descriptor().Oneofs().ByName("compression")
	for i := range oneof.Fields().Len() {
		f := oneof.Fields().Get(i)
		t.Run(string(f.Name()), func(t *testing.T) {
			e := &pb.CompressiveEncoding{}
			e.ProtoReflect().Set(f, e.ProtoReflect().NewField(f))
			for place, layout := range map[string]*pb.PageLayout{
				"chunk":      miniBlock(&pb.MiniBlockLayout{ValueCompression: e, Layers: l(validItem), HasLargeChunk: true}),
				"dictionary": miniBlock(&pb.MiniBlockLayout{ValueCompression: flat(32), Dictionary: e, Layers: l(validItem), NumBuffers: 1, HasLargeChunk: true}),
				"levels":     miniBlock(&pb.MiniBlockLayout{ValueCompression: flat(32), DefCompression: e, Layers: l(nullableItem), NumBuffers: 1, HasLargeChunk: true}),
				"row": fullZip(&pb.FullZipLayout{ValueCompression: e, Layers: l(validItem),
					Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 32}}),
				"text": fullZip(&pb.FullZipLayout{ValueCompression: e, Layers: l(validItem),
					Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}}),
			} {
				p := testPage{rows: 1, layout: layout, buffers: [][]byte{{0x10, 0, 0, 0}, make([]byte, 16)}}
				got, err := readPage(t, p, i16, v22, checked(t), allRows(p))
				if err == nil {
					got.Release()
					t.Errorf("%s: an encoding without any settings was decoded", place)
					continue
				}
				if !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
					t.Errorf("%s: %v", place, err)
				}
			}
		})
	}
}

// Claims of far more than the bytes hold are refused before memory is made for them.
func TestClaimsCostNothing(t *testing.T) {
	packed := func(bits, w uint64) *pb.CompressiveEncoding {
		return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_OutOfLineBitpacking{
			OutOfLineBitpacking: &pb.OutOfLineBitpacking{UncompressedBitsPerValue: bits, Values: flat(w)}}}
	}
	general := func(e *pb.CompressiveEncoding) *pb.CompressiveEncoding {
		return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_General{General: &pb.General{Values: e,
			Compression: &pb.BufferCompression{Scheme: pb.CompressionScheme_COMPRESSION_ALGORITHM_ZSTD}}}}
	}
	for _, c := range []struct {
		name string
		dt   arrow.DataType
		page testPage
	}{
		{"dictionary of no bits", arrow.PrimitiveTypes.Int32, nullableInts(func(m *pb.MiniBlockLayout, p *testPage) {
			m.Dictionary, m.NumDictionaryItems = packed(32, 0), 1<<31-1
			p.buffers = append(p.buffers, nil)
		})},
		{"levels of no bits", arrow.ListOf(i16), testPage{rows: 1, layout: constantPage(&pb.ConstantLayout{Layers: l(nullableItem, nullableList),
			RepCompression: packed(16, 0), NumRepValues: 1 << 50}), buffers: [][]byte{nil, nil}}},
		{"text of many GiB in a constant", arrow.BinaryTypes.String, testPage{rows: 1, layout: constantPage(&pb.ConstantLayout{
			Layers: l(validItem)}), buffers: [][]byte{unhex(t, "02000000 08000000 ffffffff 00000000 ffffffff")}}},
		{"compressed chunk", arrow.PrimitiveTypes.Int32, nullableInts(func(m *pb.MiniBlockLayout, p *testPage) {
			m.ValueCompression = general(flat(32))
			p.buffers[1] = chunk(4, nil, levelBytes(0, 0, 0, 0), unhex(t, "ffffff3f00000000 28b52ffd00000000"))
		})},
		{"fixed-size lists in fixed-size lists", arrow.FixedSizeListOf(1<<20, arrow.FixedSizeListOf(1<<20, i16)), nullableInts(func(*pb.MiniBlockLayout, *testPage) {})},
		{"rows without end", arrow.BinaryTypes.String, testPage{rows: 1 << 39, layout: fullZip(&pb.FullZipLayout{
			Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, ValueCompression: variable(32), Layers: l(validItem)}),
			buffers: [][]byte{make([]byte, 8), make([]byte, 8)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := readPage(t, c.page, c.dt, v22, checked(t), encoding.RowRange{Start: 0, End: 1})
			runtime.ReadMemStats(&after)
			if err == nil {
				got.Release()
				t.Fatal("it was read")
			}
			wantKind(t, err)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// Messages that nest without end are refused before they cost anything.
func TestNestedDescriptions(t *testing.T) {
	e := flat(32)
	for range 200 {
		e = &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_General{General: &pb.General{
			Compression: &pb.BufferCompression{Scheme: pb.CompressionScheme_COMPRESSION_ALGORITHM_LZ4}, Values: e}}}
	}
	p := nullableInts(func(m *pb.MiniBlockLayout, _ *testPage) { m.ValueCompression = e })
	wantFault(t, p, arrow.PrimitiveTypes.Int32, errs.ErrCorrupt)
}

// Whatever read of the input fails, its error comes out and nothing stays allocated.
func TestInputFaults(t *testing.T) {
	for _, c := range goldenCases {
		g := openGolden(t, c.name, c.version)
		for i, field := range g.fields(t) {
			for allow := int64(0); ; allow++ {
				in := &bytesInput{data: g.data, allow: allow}
				r, err := encoding.NewStructuralReader(g.version, field, in, checked(t), "f")
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.Read(t.Context(), whole(g.want.Column(i)))
				if err == nil {
					got.Release()
					break
				}
				if !errors.Is(err, errInput) {
					t.Fatalf("%s %s, column %s: %v", c.name, c.version, field.Name, err)
				}
				// The reader is as good as new.
				in.allow = -1
				if got, err = r.Read(t.Context(), whole(g.want.Column(i))); err != nil {
					t.Fatalf("%s %s, column %s, again: %v", c.name, c.version, field.Name, err)
				}
				mustEqual(t, got, g.want.Column(i), whole(g.want.Column(i)))
				got.Release()
			}
		}
	}
}

// Broken bytes anywhere give an error of a kind, or an array that is whole; never a panic, never a leak.
func TestBrokenBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range goldenCases {
		g := openGolden(t, c.name, c.version)
		broken := append([]byte(nil), g.data...)
		for range 8 {
			copy(broken, g.data)
			for range 1 + rng.IntN(200) {
				broken[rng.IntN(len(broken))] = byte(rng.Uint32())
			}
			for i, field := range g.fields(t) {
				readBroken(t, g.version, field, broken, g.want.Column(i).Len())
			}
		}
	}
}

// readBroken reads rows of a field whose bytes or description may be broken.
// allocFactor bounds what reading a page may allocate for each of its bytes, garbage included: the best that compression
// of repeats, runs of one value, and texts of symbols do together.
const allocFactor = 4096

// sequenceBytes is what the sequences of a page of version 2.3 may take: runs tell of very many positions in few bytes.
const sequenceBytes = 1 << 30

func readBroken(t *testing.T, v encoding.Version, field *encoding.Field, data []byte, rows int) {
	t.Helper()
	bytes := uint64(len(data))
	if c := firstColumn(field); c != nil {
		for _, p := range c.Pages {
			bytes += uint64(len(p.Encoding)) + p.Rows
		}
	}
	limit := allocFactor * bytes
	if v.Minor >= 3 {
		limit += sequenceBytes
	}
	alloctest.Within(t, limit, func() { readHostile(t, v, field, data, rows) })
}

func firstColumn(f *encoding.Field) *encoding.Column {
	for f.Column == nil && len(f.Children) > 0 {
		f = f.Children[0]
	}
	return f.Column
}

func readHostile(t *testing.T, v encoding.Version, field *encoding.Field, data []byte, rows int) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r, err := encoding.NewStructuralReader(v, field, newInput(data), mem, "f")
	if err != nil {
		wantKind(t, err)
		return
	}
	for _, ranges := range [][]encoding.RowRange{{{Start: 0, End: uint64(rows)}}, {{Start: uint64(rows) / 2, End: uint64(rows)/2 + 1}}} {
		got, err := r.Read(t.Context(), ranges)
		if err != nil {
			wantKind(t, err)
			continue
		}
		if full, ok := got.(interface{ ValidateFull() error }); ok && !strings.Contains(got.DataType().String(), "utf8") {
			if err := full.ValidateFull(); err != nil {
				t.Errorf("an array that is not whole: %v", err)
			}
		}
		for i := range got.Len() {
			_ = canon(got, i)
		}
		got.Release()
	}
}

func wantKind(t *testing.T, err error) {
	t.Helper()
	for _, kind := range []error{errs.ErrCorrupt, errs.ErrUnsupported, errs.ErrResourceExhausted} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("an error of no kind: %v", err)
}

func TestRangesMustAscend(t *testing.T) {
	p := levelsPage(3, 3, l(validItem), nil, nil)
	for _, ranges := range [][]encoding.RowRange{{{Start: 2, End: 1}}, {{Start: 1, End: 3}, {Start: 2, End: 3}}, {{Start: 0, End: 1 << 62}}} {
		if _, err := readPage(t, p, i16, v22, checked(t), ranges...); !errors.Is(err, errs.ErrInternal) {
			t.Errorf("%v: %v", ranges, err)
		}
	}
	if _, err := readPage(t, p, i16, v22, checked(t), encoding.RowRange{Start: 0, End: 4}); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("more rows than the column has: %v", err)
	}
}

// descriptionOf marshals a layout for the seeds of fuzzing.
func descriptionOf(f *testing.F, m protoreflect.ProtoMessage) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	return b
}
