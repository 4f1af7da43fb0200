package encoding_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// Pages in this file are written byte by byte from the description of the format.

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "", "\n", "", "\t", "").Replace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func flat(bits uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Flat{Flat: &pb.Flat{BitsPerValue: bits}}}
}

func variable(bits uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Variable{Variable: &pb.Variable{Offsets: flat(bits)}}}
}

const (
	validItem    = pb.RepDefLayer_REPDEF_ALL_VALID_ITEM
	validList    = pb.RepDefLayer_REPDEF_ALL_VALID_LIST
	nullableItem = pb.RepDefLayer_REPDEF_NULLABLE_ITEM
	nullableList = pb.RepDefLayer_REPDEF_NULLABLE_LIST
	emptyList    = pb.RepDefLayer_REPDEF_EMPTYABLE_LIST
	nullOrEmpty  = pb.RepDefLayer_REPDEF_NULL_AND_EMPTY_LIST
)

// testPage is a column of one page.
type testPage struct {
	rows    uint64
	layout  proto.Message // nil: typeURL and raw as they are
	typeURL string
	raw     []byte
	buffers [][]byte
}

func miniBlock(m *pb.MiniBlockLayout) *pb.PageLayout {
	return &pb.PageLayout{Layout: &pb.PageLayout_MiniBlockLayout{MiniBlockLayout: m}}
}

func fullZip(m *pb.FullZipLayout) *pb.PageLayout {
	return &pb.PageLayout{Layout: &pb.PageLayout_FullZipLayout{FullZipLayout: m}}
}

func constantPage(m *pb.ConstantLayout) *pb.PageLayout {
	return &pb.PageLayout{Layout: &pb.PageLayout_ConstantLayout{ConstantLayout: m}}
}

// column lays the page's buffers out in a file.
func (p testPage) column(t testing.TB) (*encoding.Column, *bytesInput) {
	t.Helper()
	var data []byte
	page := encoding.Page{Rows: p.rows, TypeURL: "/lance.encodings21.PageLayout", Encoding: p.raw}
	if p.typeURL != "" {
		page.TypeURL = p.typeURL
	}
	if p.layout != nil {
		b, err := proto.Marshal(p.layout)
		if err != nil {
			t.Fatal(err)
		}
		page.Encoding = b
	}
	for _, b := range p.buffers {
		page.Buffers = append(page.Buffers, encoding.BufferRange{Offset: uint64(len(data)), Size: uint64(len(b))})
		data = append(data, b...)
		data = append(data, make([]byte, -len(data)&63)...)
	}
	return &encoding.Column{Pages: []encoding.Page{page}}, newInput(data)
}

// tree gives the field of a type, with one column at its first leaf.
func tree(name string, dt arrow.DataType, c *encoding.Column) *encoding.Field {
	return subtree([]string{name}, dt, c)
}

func subtree(path []string, dt arrow.DataType, c *encoding.Column) *encoding.Field {
	f := &encoding.Field{Name: path[len(path)-1], Path: path, Type: dt, Nullable: true}
	var children []arrow.Field
	switch t := dt.(type) {
	case *arrow.StructType:
		children = t.Fields()
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		children = dt.(arrow.NestedType).Fields()
	case *arrow.FixedSizeListType:
		if t.Elem().ID() == arrow.STRUCT {
			children = t.Fields()
		}
	}
	if len(children) == 0 {
		f.Column = c
	}
	for i, m := range children {
		if i > 0 {
			c = nil
		}
		f.Children = append(f.Children, subtree(append(path[:len(path):len(path)], m.Name), m.Type, c))
	}
	return f
}

// readPage reads rows of a page of a column c of a type.
func readPage(t testing.TB, p testPage, dt arrow.DataType, v encoding.Version, mem memory.Allocator, ranges ...encoding.RowRange) (arrow.Array, error) {
	t.Helper()
	c, in := p.column(t)
	r, err := encoding.NewStructuralReader(v, tree("c", dt, c), in, mem, "data/f.lance")
	if err != nil {
		return nil, err
	}
	return r.Read(t.Context(), ranges)
}

var (
	v21 = encoding.Version{Major: 2, Minor: 1}
	v22 = encoding.Version{Major: 2, Minor: 2}
)

func allRows(p testPage) encoding.RowRange { return encoding.RowRange{Start: 0, End: p.rows} }

// wantJSON compares an array with JSON.
func wantJSON(t *testing.T, a arrow.Array, want string) {
	t.Helper()
	got, err := a.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(string(got), "\n", ""); text != want { // the library breaks lines between structs
		t.Fatalf("read %s, want %s", text, want)
	}
}

func TestWorkedPages(t *testing.T) {
	ints := &pb.MiniBlockLayout{DefCompression: flat(16), ValueCompression: flat(32), Layers: []pb.RepDefLayer{nullableItem}, NumBuffers: 1, NumItems: 4}
	wideInts := proto.CloneOf(ints)
	wideInts.HasLargeChunk = true
	long := strings.Repeat("Q", 300)
	for _, c := range []struct {
		name    string
		version encoding.Version
		dt      arrow.DataType
		page    testPage
		want    string
	}{
		{"ints 2.2", v22, arrow.PrimitiveTypes.Int32, testPage{rows: 4, layout: miniBlock(wideInts), buffers: [][]byte{unhex(t, "30000000"),
			unhex(t, "0400 0800 10000000 | 0000000001000000 | 01000000 02000000 00000000 04000000")}}, `[1,2,null,4]`},
		{"ints 2.1", v21, arrow.PrimitiveTypes.Int32, testPage{rows: 4, layout: miniBlock(ints), buffers: [][]byte{unhex(t, "3000"),
			unhex(t, "0400 0800 1000 fefe | 0000000001000000 | 01000000 02000000 00000000 04000000")}}, `[1,2,null,4]`},
		{"strings", v22, arrow.BinaryTypes.String, testPage{rows: 4, layout: miniBlock(&pb.MiniBlockLayout{DefCompression: flat(16),
			ValueCompression: variable(32), Layers: []pb.RepDefLayer{nullableItem}, NumBuffers: 1, NumItems: 4, HasLargeChunk: true}),
			buffers: [][]byte{unhex(t, "50000000"), unhex(t, `0400 0800 1c000000 | 0000 0000 0100 0000 |
				14000000 15000000 17000000 17000000 1a000000 78 7979 7a7a7a 4848 | fefefefe`)}}, `["x","yy",null,"zzz"]`},
		{"lists", v22, arrow.ListOf(arrow.PrimitiveTypes.Int32), testPage{rows: 4, layout: miniBlock(&pb.MiniBlockLayout{RepCompression: flat(16),
			DefCompression: flat(16), ValueCompression: flat(32), Layers: []pb.RepDefLayer{nullableItem, nullOrEmpty}, NumBuffers: 1,
			RepetitionIndexDepth: 1, NumItems: 3, HasLargeChunk: true}), buffers: [][]byte{unhex(t, "70000000"),
			unhex(t, `0500 0a00 0a00 0c000000 fefefefefefe | 0100 0000 0100 0100 0100 fefefefefefe |
				0000 0100 0200 0300 0000 fefefefefefe | 01000000 00000000 03000000 fefefefe`),
			unhex(t, "0400000000000000 0000000000000000")}}, `[[1,null],null,[],[3]]`},
		{"full-zip strings", v22, arrow.BinaryTypes.String, testPage{rows: 3, layout: fullZip(&pb.FullZipLayout{BitsDef: 1,
			Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 3, NumVisibleItems: 3, ValueCompression: variable(32),
			Layers: []pb.RepDefLayer{nullableItem}}), buffers: [][]byte{joinBytes(unhex(t, "00 2c010000"), []byte(long),
			unhex(t, "01 | 00 01000000 52")), unhex(t, "0000 3101 3201 3801")}}, `["` + long + `",null,"R"]`},
		{"full-zip lists of fixed-size lists", v22, arrow.ListOf(arrow.FixedSizeListOf(2, i16)), testPage{rows: 3, layout: fullZip(&pb.FullZipLayout{
			BitsRep: 1, BitsDef: 1, Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 40}, NumItems: 3, NumVisibleItems: 1,
			Layers: l(validItem, nullableList), ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_FixedSizeList{
				FixedSizeList: &pb.FixedSizeList{ItemsPerValue: 2, HasValidity: true, Values: flat(16)}}}}),
			buffers: [][]byte{unhex(t, "03 | 02 01 0700 0800 | 03"), {0, 1, 7, 8}}}, `[null,[[7,null]],null]`},
		{"full-zip fixed-size lists of nulls", v21, arrow.FixedSizeListOf(2, i16), testPage{rows: 3, layout: fullZip(&pb.FullZipLayout{
			BitsDef: 1, Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 8}, NumItems: 3, NumVisibleItems: 3, Layers: l(nullableItem),
			ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_FixedSizeList{FixedSizeList: &pb.FixedSizeList{
				ItemsPerValue: 2, HasValidity: true, Values: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{
					Constant: &pb.Constant{}}}}}}}), buffers: [][]byte{unhex(t, "00 00 | 01 00 | 00 00")}}, `[[null,null],null,[null,null]]`},
		{"full-zip fixed-size lists of which nothing is stored", v21, arrow.FixedSizeListOf(2, i16), testPage{rows: 2, layout: fullZip(&pb.FullZipLayout{
			Details: &pb.FullZipLayout_BitsPerValue{}, NumItems: 2, NumVisibleItems: 2, Layers: l(validItem),
			ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_FixedSizeList{FixedSizeList: &pb.FixedSizeList{
				ItemsPerValue: 2, Values: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{
					Constant: &pb.Constant{}}}}}}}), buffers: [][]byte{nil}}, `[[null,null],[null,null]]`},
		{"all null", v21, arrow.PrimitiveTypes.Int64, testPage{rows: 3, layout: constantPage(&pb.ConstantLayout{
			Layers: []pb.RepDefLayer{nullableItem}})}, `[null,null,null]`},
		{"constant", v22, arrow.PrimitiveTypes.Uint16, testPage{rows: 2, layout: constantPage(&pb.ConstantLayout{
			Layers: []pb.RepDefLayer{validItem}, InlineValue: []byte{1, 2}})}, `[513,513]`},
		{"constant text", v22, arrow.BinaryTypes.String, testPage{rows: 2, layout: constantPage(&pb.ConstantLayout{
			Layers: []pb.RepDefLayer{validItem}}), buffers: [][]byte{unhex(t, "02000000 08000000 05000000 | 00000000 05000000 | 68656C6C6F")}},
			`["hello","hello"]`},
		{"constant with levels", v22, arrow.FixedWidthTypes.Boolean, testPage{rows: 3, layout: constantPage(&pb.ConstantLayout{
			Layers: []pb.RepDefLayer{nullableItem}, InlineValue: []byte{1}}), buffers: [][]byte{nil, unhex(t, "0000 0100 0000")}},
			`[true,null,true]`},
		{"all null lists", v21, arrow.ListOf(arrow.Null), testPage{rows: 3, layout: constantPage(&pb.ConstantLayout{
			Layers: []pb.RepDefLayer{nullableItem, nullOrEmpty}}), buffers: [][]byte{unhex(t, "0100 0000 0100 0100"),
			unhex(t, "0100 0100 0200 0300")}}, `[[null,null],null,[]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPage(t, c.page, c.dt, c.version, checked(t), allRows(c.page))
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			wantJSON(t, got, c.want)
			for row := range c.page.rows { // each row alone
				part, err := readPage(t, c.page, c.dt, c.version, checked(t), encoding.RowRange{Start: row, End: row + 1})
				if err != nil {
					t.Fatal(err)
				}
				mustEqual(t, part, got, []encoding.RowRange{{Start: row, End: row + 1}})
				part.Release()
			}
		})
	}
}

func levelBytes(levels ...uint16) []byte {
	var out []byte
	for _, l := range levels {
		out = binary.LittleEndian.AppendUint16(out, l)
	}
	return out
}

func pad8(b []byte) []byte { return append(b[:len(b):len(b)], make([]byte, -len(b)&7)...) }

// chunk lays out a chunk of version 2.2.
func chunk(levels int, rep, def []byte, buffers ...[]byte) []byte {
	head := levelBytes(uint16(levels))
	if rep != nil {
		head = append(head, levelBytes(uint16(len(rep)))...)
	}
	if def != nil {
		head = append(head, levelBytes(uint16(len(def)))...)
	}
	for _, b := range buffers {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(b)))
	}
	out := joinBytes(pad8(head), pad8(rep), pad8(def))
	for _, b := range buffers {
		out = append(out, pad8(b)...)
	}
	return out
}

// levelsPage is a page of 16-bit values 0, 1, 2, ... with levels, in one chunk.
func levelsPage(rows, items uint64, layers []pb.RepDefLayer, rep, def []uint16) testPage {
	m := &pb.MiniBlockLayout{ValueCompression: flat(16), Layers: layers, NumBuffers: 1, NumItems: items, HasLargeChunk: true}
	var repBytes, defBytes []byte
	n := 0
	if rep != nil {
		m.RepCompression, m.RepetitionIndexDepth = flat(16), 1
		repBytes, n = levelBytes(rep...), len(rep)
	}
	if def != nil {
		m.DefCompression = flat(16)
		defBytes, n = levelBytes(def...), len(def)
	}
	var values []byte
	for i := range items {
		values = binary.LittleEndian.AppendUint16(values, uint16(i))
	}
	data := chunk(n, repBytes, defBytes, values)
	p := testPage{rows: rows, layout: miniBlock(m), buffers: [][]byte{
		binary.LittleEndian.AppendUint32(nil, uint32(len(data)/8-1)<<4), data}}
	if rep != nil {
		p.buffers = append(p.buffers, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rows), 0))
	}
	return p
}

func member(dt arrow.DataType) arrow.DataType {
	return arrow.StructOf(arrow.Field{Name: "a", Type: dt, Nullable: true})
}

// levelCases are levels of all nestings, written down from the definition of the layers. Values count up from 0, those
// of null slots included.
var levelCases = []struct {
	name     string
	dt       arrow.DataType
	layers   []pb.RepDefLayer
	rep, def []uint16
	items    uint64
	rows     uint64
	want     string
}{
	{"plain", i16, l(validItem), nil, nil, 3, 3, `[0,1,2]`},
	{"nullable", i16, l(nullableItem), nil, []uint16{0, 1, 0}, 3, 3, `[0,null,2]`},
	{"nullable, none null", i16, l(nullableItem), nil, []uint16{0, 0}, 2, 2, `[0,1]`},
	{"struct of nullable", member(i16), l(nullableItem, nullableItem), nil, []uint16{0, 1, 2}, 3, 3, `[{"a":0},{"a":null},null]`},
	{"nullable struct of valid", member(i16), l(validItem, nullableItem), nil, []uint16{0, 1, 0}, 3, 3, `[{"a":0},null,{"a":2}]`},
	{"structs three deep", member(member(member(i16))), l(nullableItem, nullableItem, validItem, nullableItem), nil,
		[]uint16{0, 1, 2, 3}, 4, 4, `[{"a":{"a":{"a":0}}},{"a":{"a":{"a":null}}},{"a":{"a":null}},null]`},
	{"lists never null nor empty", arrow.ListOf(i16), l(validItem, validList), []uint16{1, 0, 1}, nil, 3, 2, `[[0,1],[2]]`},
	{"nullable lists", arrow.ListOf(i16), l(validItem, nullableList), []uint16{1, 1, 0}, []uint16{1, 0, 0}, 2, 2, `[null,[0,1]]`},
	{"lists that may be empty", arrow.ListOf(i16), l(validItem, emptyList), []uint16{1, 1, 0}, []uint16{1, 0, 0}, 2, 2, `[[],[0,1]]`},
	{"null is the lower level", arrow.ListOf(i16), l(validItem, nullOrEmpty), []uint16{1, 1}, []uint16{1, 2}, 0, 2, `[null,[]]`},
	{"lists in a struct", member(arrow.ListOf(i16)), l(nullableItem, nullOrEmpty, nullableItem), []uint16{1, 0, 1, 1, 1},
		[]uint16{0, 1, 2, 3, 4}, 2, 4, `[{"a":[0,null]},{"a":null},{"a":[]},null]`},
	{"structs in a list", arrow.ListOf(member(i16)), l(nullableItem, nullableItem, nullOrEmpty), []uint16{1, 0, 0, 1, 1},
		[]uint16{0, 1, 2, 3, 4}, 3, 3, `[[{"a":0},{"a":null},null],null,[]]`},
	{"lists of lists", arrow.ListOf(arrow.ListOf(i16)), l(nullableItem, nullOrEmpty, nullOrEmpty),
		[]uint16{2, 0, 1, 1, 1, 2, 2, 2, 1}, []uint16{0, 1, 0, 2, 3, 4, 5, 3, 0}, 4, 4, `[[[0,null],[2],null,[]],null,[],[[],[3]]]`},
	{"large lists", arrow.LargeListOf(i16), l(nullableItem, nullOrEmpty), []uint16{1, 1, 0}, []uint16{2, 0, 1}, 2, 2, `[null,[0,null]]`},
	{"lists of structs of lists", arrow.ListOf(member(arrow.ListOf(i16))), l(nullableItem, nullOrEmpty, nullableItem, nullOrEmpty),
		[]uint16{2, 1, 1, 1, 2, 2, 2}, []uint16{0, 2, 3, 4, 5, 6, 1}, 2, 4,
		`[[{"a":[0]},{"a":null},{"a":[]},null],null,[],[{"a":[null]}]]`},
	{"lists three deep", arrow.ListOf(arrow.ListOf(arrow.ListOf(i16))), l(validItem, validList, emptyList, nullableList),
		[]uint16{3, 1, 2, 2, 3, 3}, []uint16{0, 0, 1, 0, 2, 0}, 4, 3, `[[[[0],[1]],[],[[2]]],null,[[[3]]]]`},
	{"fixed-size lists of structs", arrow.FixedSizeListOf(2, member(i16)), l(nullableItem, nullableItem, nullableItem), nil,
		[]uint16{0, 1, 2, 0, 3, 3}, 6, 6, `[[{"a":0},{"a":null}],[null,{"a":3}],null]`},
}

var i16 = arrow.PrimitiveTypes.Int16

func l(layers ...pb.RepDefLayer) []pb.RepDefLayer { return layers }

func TestLevels(t *testing.T) {
	for _, c := range levelCases {
		t.Run(c.name, func(t *testing.T) {
			p := levelsPage(c.rows, c.items, c.layers, c.rep, c.def)
			rows := allRows(p)
			if _, fsl := c.dt.(*arrow.FixedSizeListType); fsl {
				rows.End /= 2 // pages count the items of these
			}
			whole, err := readPage(t, p, c.dt, v22, checked(t), rows)
			if err != nil {
				t.Fatal(err)
			}
			defer whole.Release()
			wantJSON(t, whole, c.want)
			for row := range rows.End { // each row alone
				got, err := readPage(t, p, c.dt, v22, checked(t), encoding.RowRange{Start: row, End: row + 1})
				if err != nil {
					t.Fatal(err)
				}
				mustEqual(t, got, whole, []encoding.RowRange{{Start: row, End: row + 1}})
				got.Release()
			}
		})
	}
}

// A list row may go on over several chunks, also over chunks that hold nothing but its middle.
func TestRowsAcrossChunks(t *testing.T) {
	parts := []struct{ rep, def []uint16 }{
		{[]uint16{1, 0}, []uint16{0, 0}},             // row 0 begins
		{[]uint16{0, 0}, []uint16{0, 0}},             // and goes on
		{[]uint16{0, 1, 1, 1}, []uint16{0, 1, 0, 1}}, // and ends; rows 1 (null), 2, 3 (null)
		{[]uint16{1, 0, 1}, []uint16{0, 0, 1}},       // rows 4 and 5 (null)
	}
	index := []uint64{0, 2, 0, 2, 4, 0, 2, 0}
	m := &pb.MiniBlockLayout{RepCompression: flat(16), DefCompression: flat(16), ValueCompression: flat(16),
		Layers: l(validItem, nullableList), NumBuffers: 1, NumItems: 8, RepetitionIndexDepth: 1, HasLargeChunk: true}
	p := testPage{rows: 6, layout: miniBlock(m), buffers: make([][]byte, 3)}
	for i, part := range parts {
		data := chunk(len(part.rep), levelBytes(part.rep...), levelBytes(part.def...), levelBytes(uint16(2*i), uint16(2*i+1)))
		log := uint32(1)
		if i == len(parts)-1 {
			log = 0
		}
		p.buffers[0] = binary.LittleEndian.AppendUint32(p.buffers[0], uint32(len(data)/8-1)<<4|log)
		p.buffers[1] = append(p.buffers[1], data...)
	}
	for _, x := range index {
		p.buffers[2] = binary.LittleEndian.AppendUint64(p.buffers[2], x)
	}
	dt := arrow.ListOf(i16)
	whole, err := readPage(t, p, dt, v22, checked(t), allRows(p))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Release()
	wantJSON(t, whole, `[[0,1,2,3,4],null,[5],null,[6,7],null]`)
	for lo := range p.rows {
		for hi := lo + 1; hi <= p.rows; hi++ {
			got, err := readPage(t, p, dt, v22, checked(t), encoding.RowRange{Start: lo, End: hi})
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, got, whole, []encoding.RowRange{{Start: lo, End: hi}})
			got.Release()
		}
	}
}

// Values beneath nulls are never seen, whatever the writer left there: a null struct's members are null.
func TestNothingLeaksFromBeneathNulls(t *testing.T) {
	p := levelsPage(2, 2, l(validItem, nullableItem), nil, []uint16{1, 0})
	got, err := readPage(t, p, member(i16), v22, checked(t), allRows(p))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	a := got.Data().Children()[0]
	if a.NullN() != 1 || a.Buffers()[0] == nil {
		t.Fatalf("the member of a null struct is not null itself: %d nulls", a.NullN())
	}
}

func TestMissingColumns(t *testing.T) {
	dt := arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "a", Type: i16, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "n", Type: arrow.Null, Nullable: true},
		arrow.Field{Name: "s", Type: member(arrow.ListOf(i16)), Nullable: true}))
	p := levelsPage(3, 2, l(nullableItem, validItem, nullOrEmpty), []uint16{1, 0, 1, 1}, []uint16{0, 1, 2, 3})
	got, err := readPage(t, p, dt, v22, checked(t), allRows(p))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	wantJSON(t, got, `[[{"a":0,"b":null,"n":null,"s":null},{"a":null,"b":null,"n":null,"s":null}],null,[]]`)
	nothing, err := encoding.NewStructuralReader(v22, tree("c", dt, nil), newInput(nil), checked(t), "f")
	if err != nil {
		t.Fatal(err)
	}
	none, err := nothing.Read(t.Context(), []encoding.RowRange{{Start: 3, End: 5}})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Release()
	wantJSON(t, none, `[null,null]`)
}

// Writers describe a struct without members as nulls, and mean that none is.
func TestEmptyStruct(t *testing.T) {
	p := testPage{rows: 2, layout: constantPage(&pb.ConstantLayout{Layers: l(nullableItem)})}
	for _, c := range []struct {
		dt   arrow.DataType
		want string
	}{{arrow.StructOf(), `[{},{}]`}, {member(arrow.StructOf()), `[{"a":{}},{"a":{}}]`}} {
		got, err := readPage(t, p, c.dt, v21, checked(t), allRows(p))
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, got, c.want)
		got.Release()
	}
	p.layout = constantPage(&pb.ConstantLayout{Layers: l(nullableItem, nullOrEmpty)})
	if _, err := readPage(t, p, arrow.ListOf(arrow.StructOf()), v21, checked(t), allRows(p)); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("in a list: %v", err)
	}
}
