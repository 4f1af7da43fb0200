package encoding_test

import (
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// fuzzTypes are the types that pages of hostile bytes are read as.
var fuzzTypes = []arrow.DataType{
	i16, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary, member(i16),
	arrow.ListOf(i16), arrow.ListOf(member(arrow.ListOf(arrow.BinaryTypes.String))), arrow.LargeListOf(arrow.ListOf(i16)),
	arrow.FixedSizeListOf(3, i16), arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(2, arrow.FixedWidthTypes.Boolean)),
	arrow.FixedSizeListOf(2, member(i16)), arrow.Null, &arrow.FixedSizeBinaryType{ByteWidth: 5},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
}

// fuzzPage reads a page whose description and bytes both come from the fuzzer. What it reads must be whole, and how much
// it allocates follows from what there is and how many rows are asked for.
func fuzzPage(t *testing.T, kind, version uint8, rows uint16, description, a, b, c []byte) {
	dt := fuzzTypes[int(kind)%len(fuzzTypes)]
	v := encoding.Version{Major: 2, Minor: 1 + uint16(version)%2}
	p := testPage{rows: uint64(rows), raw: description, buffers: [][]byte{a, b, c}}
	for len(p.buffers) > 0 && len(p.buffers[len(p.buffers)-1]) == 0 {
		p.buffers = p.buffers[:len(p.buffers)-1]
	}
	column, in := p.column(t)
	readBroken(t, v, tree("c", dt, column), in.data, int(min(rows, 300)))
}

func FuzzMiniBlock(f *testing.F) {
	for i, c := range levelCases {
		p := levelsPage(c.rows, c.items, c.layers, c.rep, c.def)
		p.buffers = append(p.buffers, nil)
		for k, dt := range fuzzTypes {
			if arrow.TypeEqual(dt, c.dt) || i == 0 {
				f.Add(uint8(k), uint8(1), uint16(c.rows), descriptionOf(f, p.layout), p.buffers[0], p.buffers[1], p.buffers[2])
			}
		}
	}
	f.Fuzz(fuzzPage)
}

// FuzzChunk keeps the description as it is and leaves only the bytes to the fuzzer.
func FuzzChunk(f *testing.F) {
	encodings := []*pb.CompressiveEncoding{
		flat(16),
		{Compression: &pb.CompressiveEncoding_InlineBitpacking{InlineBitpacking: &pb.InlineBitpacking{UncompressedBitsPerValue: 16}}},
		{Compression: &pb.CompressiveEncoding_Rle{Rle: &pb.Rle{Values: flat(16), RunLengths: flat(8)}}},
		{Compression: &pb.CompressiveEncoding_General{General: &pb.General{Values: flat(16),
			Compression: &pb.BufferCompression{Scheme: pb.CompressionScheme_COMPRESSION_ALGORITHM_LZ4}}}},
		{Compression: &pb.CompressiveEncoding_OutOfLineBitpacking{OutOfLineBitpacking: &pb.OutOfLineBitpacking{UncompressedBitsPerValue: 16, Values: flat(2)}}},
	}
	f.Add(uint8(0), uint8(0), uint16(4), []byte{0x30, 0, 0, 0}, chunk(4, levelBytes(1, 0, 1, 1), levelBytes(0, 1, 2, 3), levelBytes(7, 8)), []byte{3})
	f.Add(uint8(1), uint8(2), uint16(3), []byte{0x30, 0, 0, 0}, chunk(3, []byte{0, 0}, []byte{0, 0}, levelBytes(9), []byte{3}), []byte{3})
	f.Fuzz(func(t *testing.T, values, levels uint8, items uint16, words, data, index []byte) {
		m := &pb.MiniBlockLayout{RepCompression: encodings[int(levels)%len(encodings)], DefCompression: encodings[int(levels/8)%len(encodings)],
			ValueCompression: encodings[int(values)%len(encodings)], Layers: l(nullableItem, nullOrEmpty), NumItems: uint64(items),
			RepetitionIndexDepth: 1, HasLargeChunk: true, NumBuffers: 1}
		if m.ValueCompression.GetRle() != nil {
			m.NumBuffers = 2
		}
		rows := uint64(0)
		var wide []byte // the index in as many bytes as it takes
		for _, x := range index {
			wide = binary.LittleEndian.AppendUint64(wide, uint64(x))
		}
		for i := 0; i < len(index); i += 2 {
			rows += uint64(index[i])
		}
		p := testPage{rows: rows, layout: miniBlock(m), buffers: [][]byte{words, data, wide}}
		column, in := p.column(t)
		readBroken(t, v22, tree("c", arrow.ListOf(i16), column), in.data, int(rows))
	})
}

func FuzzFullZip(f *testing.F) {
	texts := fullZip(&pb.FullZipLayout{BitsDef: 1, Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 3,
		NumVisibleItems: 3, ValueCompression: variable(32), Layers: l(nullableItem)})
	items := []byte("\x00\x02\x00\x00\x00ab\x01\x00\x01\x00\x00\x00c")
	f.Add(uint8(2), uint8(0), uint16(3), descriptionOf(f, texts), items, []byte{0, 7, 8, 14}, []byte{})
	lists := fullZip(&pb.FullZipLayout{BitsRep: 1, BitsDef: 2, Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 16}, NumItems: 3,
		NumVisibleItems: 2, ValueCompression: flat(16), Layers: l(nullableItem, nullOrEmpty)})
	f.Add(uint8(5), uint8(1), uint16(2), descriptionOf(f, lists), []byte{4, 1, 2, 1, 0, 0, 6}, []byte{0, 6, 7}, []byte{})
	fsl := fullZip(&pb.FullZipLayout{Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 56}, NumItems: 2, NumVisibleItems: 2, Layers: l(validItem),
		ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_FixedSizeList{FixedSizeList: &pb.FixedSizeList{
			ItemsPerValue: 3, HasValidity: true, Values: flat(16)}}}})
	f.Add(uint8(8), uint8(1), uint16(2), descriptionOf(f, fsl), make([]byte, 14), []byte{}, []byte{})
	f.Fuzz(fuzzPage)
}

func FuzzConstant(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint16(3), descriptionOf(f, constantPage(&pb.ConstantLayout{Layers: l(nullableItem), InlineValue: []byte{1, 2}})),
		[]byte{}, levelBytes(0, 1, 0), []byte{})
	f.Add(uint8(2), uint8(1), uint16(2), descriptionOf(f, constantPage(&pb.ConstantLayout{Layers: l(validItem)})),
		unhex(f, "02000000 08000000 05000000 | 00000000 05000000 | 68656C6C6F"), []byte{}, []byte{})
	f.Add(uint8(5), uint8(1), uint16(3), descriptionOf(f, constantPage(&pb.ConstantLayout{Layers: l(nullableItem, nullOrEmpty)})),
		levelBytes(1, 0, 1, 1), levelBytes(1, 1, 2, 3), []byte{})
	f.Fuzz(fuzzPage)
}

// FuzzLevels leaves the levels and the layers to the fuzzer, over types of all nestings.
func FuzzLevels(f *testing.F) {
	for k, c := range levelCases {
		layers := make([]byte, len(c.layers))
		for i, x := range c.layers {
			layers[i] = byte(x)
		}
		f.Add(uint8(k), uint16(c.rows), uint16(c.items), layers, levelBytes(c.rep...), levelBytes(c.def...))
	}
	f.Fuzz(func(t *testing.T, kind uint8, rows, items uint16, layers, rep, def []byte) {
		c := levelCases[int(kind)%len(levelCases)]
		var kinds []pb.RepDefLayer
		for _, x := range layers {
			kinds = append(kinds, pb.RepDefLayer(x))
		}
		levels := func(b []byte) []uint16 {
			var out []uint16
			for ; len(b) >= 2; b = b[2:] {
				out = append(out, binary.LittleEndian.Uint16(b))
			}
			return out
		}
		p := levelsPage(uint64(rows), uint64(items%4096), kinds, levels(rep), levels(def))
		column, in := p.column(t)
		readBroken(t, v22, tree("c", c.dt, column), in.data, int(min(rows, 300)))
	})
}

// The seeds of fuzzing are good pages: were they broken, fuzzing would begin from nothing.
func TestFuzzSeedsAreGood(t *testing.T) {
	lists := fullZip(&pb.FullZipLayout{BitsRep: 1, BitsDef: 2, Details: &pb.FullZipLayout_BitsPerValue{BitsPerValue: 16}, NumItems: 3,
		NumVisibleItems: 2, ValueCompression: flat(16), Layers: l(nullableItem, nullOrEmpty)})
	p := testPage{rows: 2, layout: lists, buffers: [][]byte{{4, 1, 2, 1, 0, 0, 6}, {0, 6, 7}}}
	got, err := readPage(t, p, arrow.ListOf(i16), v22, checked(t), allRows(p))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	wantJSON(t, got, `[[513,null],null]`)
}

// FuzzPacked reads pages of structs that are stored row by row.
func FuzzPacked(f *testing.F) {
	types := []arrow.DataType{
		arrow.StructOf(arrow.Field{Name: "a", Type: i16, Nullable: true}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true}),
		member2(i16), member2(arrow.FixedSizeListOf(2, i16)),
	}
	rows := miniBlock(&pb.MiniBlockLayout{DefCompression: flat(16), Layers: l(nullableItem), NumBuffers: 1, NumItems: 2, HasLargeChunk: true,
		ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_PackedStruct{PackedStruct: &pb.PackedStruct{BitsPerValue: []uint64{16, 64}, Values: flat(80)}}}})
	f.Add(uint8(0), uint16(2), descriptionOf(f, rows), []byte{0x40, 0, 0, 0}, chunk(2, nil, levelBytes(0, 1), make([]byte, 20)))
	fields := func(first *pb.CompressiveEncoding, bits uint64) []byte {
		return descriptionOf(f, fullZip(&pb.FullZipLayout{BitsDef: 1, Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 2, NumVisibleItems: 2, Layers: l(nullableItem),
			ValueCompression: &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_VariablePackedStruct{VariablePackedStruct: &pb.VariablePackedStruct{
				Fields: []*pb.VariablePackedStruct_FieldEncoding{
					{Value: first, Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerValue{BitsPerValue: bits}},
					{Value: variable(32), Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerLength{BitsPerLength: 32}},
				},
			}}}}))
	}
	f.Add(uint8(1), uint16(2), fields(flat(16), 16), []byte("\x00\x08\x00\x00\x00\x01\x02\x02\x00\x00\x00ab\x01"), []byte{0, 13, 14})
	f.Add(uint8(2), uint16(2), fields(listsOf(2, flat(16)), 32), []byte("\x00\x0a\x00\x00\x00\x01\x02\x03\x04\x02\x00\x00\x00ab\x01"), []byte{0, 15, 16})
	f.Fuzz(func(t *testing.T, kind uint8, rows uint16, description, a, b []byte) {
		column, in := testPage{rows: uint64(rows), raw: description, buffers: [][]byte{a, b}}.column(t)
		readBroken(t, v22, packedField(types[int(kind)%len(types)], column), in.data, int(min(rows, 300)))
	})
}

// FuzzDescribe tells of pages whatever they say.
func FuzzDescribe(f *testing.F) {
	urls := []string{"/lance.encodings21.PageLayout", "/lance.encodings23.PlanarLayout", "/lance.encodings.ArrayEncoding"}
	for _, c := range levelCases {
		f.Add(uint8(0), uint64(c.rows), descriptionOf(f, levelsPage(c.rows, c.items, c.layers, c.rep, c.def).layout))
	}
	for _, c := range sparseCases {
		f.Add(uint8(1), c.page.rows, descriptionOf(f, c.page.layout))
	}
	f.Add(uint8(2), uint64(4), (&file20{}).page(f, 4, `nullable {no_nulls {values {flat {bits_per_value: 32 buffer {}}}}}`).Encoding)
	f.Fuzz(func(t *testing.T, kind uint8, rows uint64, description []byte) {
		p := encoding.Page{Rows: rows, TypeURL: urls[int(kind)%len(urls)], Encoding: description}
		alloctest.Within(t, allocFactor*uint64(len(description)), func() {
			if d, err := encoding.Describe(&p); err != nil {
				wantKind(t, err)
			} else if d.Encoding == "" || d.Values > 1<<40 {
				t.Errorf("%+v", d)
			}
		})
	})
}

// FuzzBlobs reads pages of places of both kinds.
func FuzzBlobs(f *testing.F) {
	p := placePage(0, 4, 3, 0, "")
	f.Add(true, uint16(p.rows), descriptionOf(f, p.layout), p.buffers[0], p.buffers[1])
	packed := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_PackedStruct{PackedStruct: &pb.PackedStruct{BitsPerValue: []uint64{64, 64}, Values: flat(128)}}}
	inner := miniBlock(&pb.MiniBlockLayout{ValueCompression: packed, Layers: l(validItem), NumBuffers: 1, NumItems: 2, HasLargeChunk: true})
	layout := &pb.PageLayout{Layout: &pb.PageLayout_BlobLayout{BlobLayout: &pb.BlobLayout{InnerLayout: inner, Layers: l(nullableItem)}}}
	f.Add(false, uint16(2), descriptionOf(f, layout), []byte{0x40, 0, 0, 0}, chunk(0, nil, nil, numbers64(0, 4, 1<<16, 0)))
	f.Fuzz(func(t *testing.T, second bool, rows uint16, description, a, b []byte) {
		column, in := testPage{rows: uint64(rows), raw: description, buffers: [][]byte{a, b}}.column(t)
		field := tree("c", arrow.BinaryTypes.LargeBinary, column)
		if second {
			field = blobField(column)
		}
		readBroken(t, v22, field, in.data, int(min(rows, 300)))
	})
}
