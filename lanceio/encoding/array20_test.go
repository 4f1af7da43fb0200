package encoding_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// file20 is a file of version 2.0 that lies in memory.
type file20 struct{ data []byte }

func (f *file20) ReadRanges(_ context.Context, _ string, ranges []encoding.BufferRange) ([][]byte, error) {
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if size := uint64(len(f.data)); r.Offset > size || r.Size > size-r.Offset {
			return nil, errors.New("range outside the file")
		}
		out[i] = f.data[r.Offset:][:r.Size:r.Size]
	}
	return out, nil
}

// add puts a buffer into the file.
func (f *file20) add(b []byte) encoding.BufferRange {
	r := encoding.BufferRange{Offset: uint64(len(f.data)), Size: uint64(len(b))}
	f.data = append(f.data, b...)
	return r
}

// page makes a page of an encoding in protobuf's text form and its buffers.
func (f *file20) page(t testing.TB, rows uint64, enc string, buffers ...[]byte) encoding.Page {
	t.Helper()
	e := new(encodings20.ArrayEncoding)
	if err := prototext.Unmarshal([]byte(enc), e); err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	p := encoding.Page{Rows: rows, TypeURL: "/lance.encodings.ArrayEncoding", Encoding: b}
	for _, b := range buffers {
		p.Buffers = append(p.Buffers, f.add(b))
	}
	return p
}

var plainColumn = []byte{10, 0} // ColumnEncoding{values: {}}

func columnOf(pages ...encoding.Page) *encoding.Column {
	return &encoding.Column{Encoding: plainColumn, Pages: pages}
}

func fieldOf(t arrow.DataType, c *encoding.Column, children ...*encoding.Field) *encoding.Field {
	return &encoding.Field{Name: "x", Path: []string{"x"}, Type: t, Nullable: true, Column: c, Children: children}
}

func u64(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func i32(values ...int32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// read20 reads ranges of a field as JSON.
func read20(t testing.TB, f *file20, field *encoding.Field, ranges ...encoding.RowRange) (string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	r, err := encoding.NewArrayReader(field, f, spoiling{mem}, "data/x.lance")
	if err != nil {
		return "", err
	}
	a, err := r.Read(context.Background(), ranges)
	if err != nil {
		return "", err
	}
	defer a.Release()
	if !arrow.TypeEqual(a.DataType(), field.Type) {
		t.Errorf("type %s, want %s", a.DataType(), field.Type)
	}
	out := make([]any, a.Len())
	for i := range out {
		out[i] = a.GetOneForMarshal(i)
	}
	b, err := json.Marshal(out)
	return string(b), err
}

// flat64 is offsets in a page's first buffer.
const flat64 = `nullable {no_nulls {values {flat {bits_per_value: 64 buffer {}}}}}`

// TestArrayEncodings decodes pages that were put together by hand from the rules of the format.
func TestArrayEncodings(t *testing.T) {
	fsl := func(n int32, item arrow.DataType) arrow.DataType {
		return arrow.FixedSizeListOfField(n, arrow.Field{Name: "item", Type: item, Nullable: true})
	}
	text := `binary {indices {` + flat64 + `} bytes {flat {bits_per_value: 8 buffer {buffer_index: 1}}} null_adjustment: 7}`
	for _, c := range []struct {
		name    string
		typ     arrow.DataType
		enc     string
		buffers [][]byte
		want    string // of 4 rows
	}{
		{"flat", arrow.PrimitiveTypes.Int32, `flat {bits_per_value: 32 buffer {}}`, [][]byte{i32(1, -2, 3, 4)}, `[1,-2,3,4]`},
		{"bits", arrow.FixedWidthTypes.Boolean, `flat {bits_per_value: 1 buffer {}}`, [][]byte{{0b0101}}, `[true,false,true,false]`},
		{
			"some nulls", arrow.PrimitiveTypes.Int32,
			`nullable {some_nulls {validity {flat {bits_per_value: 1 buffer {}}} values {flat {bits_per_value: 32 buffer {buffer_index: 1}}}}}`,
			[][]byte{{0b1010}, i32(1, 2, 3, 4)}, `[null,2,null,4]`,
		},
		{"all nulls", arrow.BinaryTypes.String, `nullable {all_nulls {}}`, nil, `[null,null,null,null]`},
		{"text", arrow.BinaryTypes.String, text, [][]byte{u64(1, 3, 10, 6), []byte("xyyzzz")}, `["x","yy",null,"zzz"]`},
		{"large text", arrow.BinaryTypes.LargeString, text, [][]byte{u64(1, 3, 10, 6), []byte("xyyzzz")}, `["x","yy",null,"zzz"]`},
		{"text, null first", arrow.BinaryTypes.String, text, [][]byte{u64(7, 0, 7, 6), []byte("xyyzzz")}, `[null,"",null,"xyyzzz"]`},
		{
			"dictionary of a text", arrow.BinaryTypes.String,
			`dictionary {indices {flat {bits_per_value: 8 buffer {}}} items {binary {indices {flat {bits_per_value: 64 buffer {buffer_index: 1}}}
				bytes {flat {bits_per_value: 8 buffer {buffer_index: 2}}} null_adjustment: 4}} num_dictionary_items: 2}`,
			[][]byte{{2, 0, 1, 2}, u64(1, 3), []byte("abb")}, `["bb",null,"a","bb"]`,
		},
		{
			"Arrow dictionary with a null item", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
			`dictionary {indices {flat {bits_per_value: 8 buffer {}}} items {binary {indices {flat {bits_per_value: 64 buffer {buffer_index: 1}}}
				bytes {flat {bits_per_value: 8 buffer {buffer_index: 2}}} null_adjustment: 3}} num_dictionary_items: 3}`,
			[][]byte{{0, 1, 2, 0}, u64(1, 2, 5), []byte("uv")}, `["u","v",null,"u"]`,
		},
		{
			"fixed-size lists", fsl(2, arrow.PrimitiveTypes.Int32),
			`nullable {some_nulls {validity {flat {bits_per_value: 1 buffer {}}} values {fixed_size_list {dimension: 2 items {
				nullable {some_nulls {validity {flat {bits_per_value: 1 buffer {buffer_index: 1}}} values {flat {bits_per_value: 32 buffer {buffer_index: 2}}}}}}}}}}`,
			[][]byte{{0b1011}, {0b11111101}, i32(1, 2, 3, 4, 5, 6, 7, 8)}, `[[1,null],[3,4],null,[7,8]]`,
		},
		{
			"lists of lists", fsl(2, fsl(1, arrow.PrimitiveTypes.Int32)),
			`fixed_size_list {dimension: 2 items {fixed_size_list {dimension: 1 items {flat {bits_per_value: 32 buffer {}}}}}}`,
			[][]byte{i32(1, 2, 3, 4, 5, 6, 7, 8)}, `[[[1],[2]],[[3],[4]],[[5],[6]],[[7],[8]]]`,
		},
		{
			"packed structs", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int16}),
			`packed_struct {inner {flat {bits_per_value: 8 buffer {}}} inner {flat {bits_per_value: 16 buffer {}}} buffer {}}`,
			[][]byte{{1, 2, 0, 3, 4, 0, 5, 6, 0, 7, 8, 1}}, `[{"a":1,"b":2},{"a":3,"b":4},{"a":5,"b":6},{"a":7,"b":264}]`,
		},
		// 3 bits each, the first in the lowest bits: 5, 1, 7, 2 = 010 111 001 101.
		{"bit-packed", arrow.PrimitiveTypes.Uint8, `bitpacked {compressed_bits_per_value: 3 uncompressed_bits_per_value: 8 buffer {}}`, [][]byte{{0b11001101, 0b0101}}, `[5,1,7,2]`},
		{"bit-packed with signs", arrow.PrimitiveTypes.Int16, `bitpacked {compressed_bits_per_value: 3 uncompressed_bits_per_value: 16 buffer {} signed: true}`, [][]byte{{0b11001101, 0b0101}}, `[-3,1,-1,2]`},
		{"texts of one length", arrow.BinaryTypes.String, `fixed_size_binary {bytes {flat {bits_per_value: 8 buffer {}}} byte_width: 2}`, [][]byte{[]byte("aabbccdd")}, `["aa","bb","cc","dd"]`},
		{"bytes of one length", &arrow.FixedSizeBinaryType{ByteWidth: 1}, `fixed_size_binary {bytes {flat {bits_per_value: 8 buffer {}}} byte_width: 1}`, [][]byte{{1, 2, 3, 4}}, `["AQ==","Ag==","Aw==","BA=="]`},
		{"constant number", arrow.PrimitiveTypes.Int32, `constant {value: "\x05\x00\x00\x00"}`, nil, `[5,5,5,5]`},
		{"constant bool", arrow.FixedWidthTypes.Boolean, `constant {value: "\x01"}`, nil, `[true,true,true,true]`},
		{"constant text", arrow.BinaryTypes.String, `constant {value: "ab"}`, nil, `["ab","ab","ab","ab"]`},
		{"not compressed", arrow.PrimitiveTypes.Int32, `flat {bits_per_value: 32 buffer {} compression {scheme: "none"}}`, [][]byte{i32(1, 2, 3, 4)}, `[1,2,3,4]`},
		// An lz4 block of literals only: a u32 size, a token, the bytes.
		{"lz4", arrow.PrimitiveTypes.Int8, `flat {bits_per_value: 8 buffer {} compression {scheme: "lz4"}}`, [][]byte{{4, 0, 0, 0, 0x40, 1, 2, 3, 4}}, `[1,2,3,4]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &file20{data: []byte("something before")}
			field := fieldOf(c.typ, columnOf(f.page(t, 4, c.enc, c.buffers...)))
			got, err := read20(t, f, field, encoding.RowRange{End: 4})
			if err != nil || got != c.want {
				t.Fatalf("%s (%v), want %s", got, err, c.want)
			}
			var all []json.RawMessage
			if err := json.Unmarshal([]byte(got), &all); err != nil {
				t.Fatal(err)
			}
			// Each row alone, and all but one.
			for i := range uint64(4) {
				one, err := read20(t, f, field, encoding.RowRange{Start: i, End: i + 1})
				if want := "[" + string(all[i]) + "]"; err != nil || one != want {
					t.Errorf("row %d: %s (%v), want %s", i, one, err, want)
				}
				rest, err := read20(t, f, field, encoding.RowRange{End: i}, encoding.RowRange{Start: i + 1, End: 4})
				var want []json.RawMessage
				for k, v := range all {
					if uint64(k) != i {
						want = append(want, v)
					}
				}
				b, _ := json.Marshal(want)
				if err != nil || rest != string(b) {
					t.Errorf("all but row %d: %s (%v), want %s", i, rest, err, b)
				}
			}
		})
	}
}

// TestLists20 reads lists whose items are cut into pages elsewhere than the lists, and lists of such lists.
func TestLists20(t *testing.T) {
	f := &file20{}
	list := func(enc string, rows uint64, ends ...uint64) encoding.Page {
		return f.page(t, rows, `list {offsets {`+flat64+`} `+enc+`}`, u64(ends...))
	}
	items := columnOf(
		f.page(t, 3, `flat {bits_per_value: 32 buffer {}}`, i32(1, 2, 3)),
		f.page(t, 1, `nullable {all_nulls {}}`),
		f.page(t, 5, `flat {bits_per_value: 32 buffer {}}`, i32(5, 6, 7, 8, 9)),
	)
	// [1,2] null [] [3,null,5] | [6] null (with item 7 beneath) [8,9]
	inner := columnOf(list(`null_offset_adjustment: 6 num_items: 5`, 4, 2, 8, 2, 5), list(`null_offset_adjustment: 5 num_items: 4`, 3, 1, 7, 4))
	item := fieldOf(arrow.PrimitiveTypes.Int32, items)
	innerField := fieldOf(arrow.ListOf(arrow.PrimitiveTypes.Int32), inner, item)
	for _, c := range []struct {
		name   string
		ranges []encoding.RowRange
		want   string
	}{
		{"all", []encoding.RowRange{{End: 7}}, `[[1,2],null,[],[3,null,5],[6],null,[8,9]]`},
		{"across pages", []encoding.RowRange{{Start: 3, End: 5}}, `[[3,null,5],[6]]`},
		{"some", []encoding.RowRange{{Start: 1, End: 2}, {Start: 3, End: 4}, {Start: 6, End: 7}}, `[null,[3,null,5],[8,9]]`},
		{"none", nil, `[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := read20(t, f, innerField, c.ranges...); err != nil || got != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
	// [[1,2],null] [[],[3,null,5],[6]] null [null,[8,9]]
	outer := columnOf(list(`null_offset_adjustment: 8 num_items: 7`, 4, 2, 5, 13, 7))
	outerField := fieldOf(arrow.LargeListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), outer, innerField)
	for _, c := range []struct {
		name   string
		ranges []encoding.RowRange
		want   string
	}{
		{"nested, all", []encoding.RowRange{{End: 4}}, `[[[1,2],null],[[],[3,null,5],[6]],null,[null,[8,9]]]`},
		{"nested, some", []encoding.RowRange{{Start: 1, End: 2}, {Start: 3, End: 4}}, `[[[],[3,null,5],[6]],[null,[8,9]]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := read20(t, f, outerField, c.ranges...); err != nil || got != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
	t.Run("items that the file lacks", func(t *testing.T) {
		st := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
		field := fieldOf(arrow.ListOf(st), inner, fieldOf(st, columnOf(f.page(t, 9, `struct {}`)), item, fieldOf(arrow.BinaryTypes.String, nil)))
		want := `[[{"a":1,"b":null},{"a":2,"b":null}],null]`
		if got, err := read20(t, f, field, encoding.RowRange{End: 2}); err != nil || got != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	})
}

// TestBlobs20 reads a column of places in the file.
func TestBlobs20(t *testing.T) {
	f := &file20{}
	a, b := f.add([]byte("hello")), f.add([]byte("world!"))
	c := columnOf(f.page(t, 4, `packed_struct {inner {flat {bits_per_value: 64 buffer {}}} inner {flat {bits_per_value: 64 buffer {}}} buffer {}}`,
		u64(a.Offset, a.Size, 1, 0, 0, 0, b.Offset, b.Size)))
	c.Encoding = []byte{26, 4, 10, 2, 10, 0} // ColumnEncoding{blob: {inner: {values: {}}}}
	field := fieldOf(arrow.BinaryTypes.LargeBinary, c)
	if got, err := read20(t, f, field, encoding.RowRange{End: 4}); err != nil || got != `["aGVsbG8=",null,"","d29ybGQh"]` {
		t.Errorf("%s (%v)", got, err)
	}
	if got, err := read20(t, f, field, encoding.RowRange{Start: 3, End: 4}); err != nil || got != `["d29ybGQh"]` {
		t.Errorf("%s (%v)", got, err)
	}
}

// TestPackedBlocks20 packs numbers of all widths by the rule of the format and reads them again.
func TestPackedBlocks20(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		typ   arrow.DataType
		width int
	}{{arrow.PrimitiveTypes.Uint8, 8}, {arrow.PrimitiveTypes.Uint16, 16}, {arrow.PrimitiveTypes.Uint32, 32}, {arrow.PrimitiveTypes.Uint64, 64}} {
		for _, w := range []int{1, 3, c.width/2 + 1, c.width} {
			values := make([]uint64, 2500)
			var packed []byte
			for i := range values {
				values[i] = rnd.Uint64() >> (64 - w)
			}
			for at := 0; at < len(values); at += 1024 {
				block := make([]uint64, 1024)
				copy(block, values[at:])
				packed = append(packed, packBlock(block, c.width, w)...)
			}
			f := &file20{}
			enc, _ := prototext.Marshal(&encodings20.ArrayEncoding{ArrayEncoding: &encodings20.ArrayEncoding_BitpackedForNonNeg{BitpackedForNonNeg: &encodings20.BitpackedForNonNeg{
				CompressedBitsPerValue: uint64(w), UncompressedBitsPerValue: uint64(c.width), Buffer: &encodings20.Buffer{},
			}}})
			field := fieldOf(c.typ, columnOf(f.page(t, 2500, string(enc), packed)))
			got, err := read20(t, f, field, encoding.RowRange{Start: 5, End: 7}, encoding.RowRange{Start: 1000, End: 2100}, encoding.RowRange{Start: 2499, End: 2500})
			want := append(append(append([]uint64{}, values[5:7]...), values[1000:2100]...), values[2499])
			b, _ := json.Marshal(want)
			if err != nil || got != string(b) {
				t.Errorf("%d bits in %d: %v", c.width, w, err)
			}
		}
	}
}

// packBlock packs 1024 numbers of t bits into w bits each. Row r of lane l holds the number at order[r/8]*16 + r%8*128 + l;
// a lane is a stream of its rows' bits, whose words lie between those of the other lanes.
func packBlock(values []uint64, t, w int) []byte {
	order := [8]int{0, 4, 2, 6, 1, 5, 3, 7}
	lanes := 1024 / t
	words := make([]uint64, 1024*w/t)
	for lane := range lanes {
		for row := range t {
			v := values[order[row/8]*16+row%8*128+lane]
			for bit := range w {
				at := row*w + bit
				words[at/t*lanes+lane] |= v >> bit & 1 << (at % t)
			}
		}
	}
	var out bytes.Buffer
	for _, word := range words {
		for i := range t / 8 {
			out.WriteByte(byte(word >> (8 * i)))
		}
	}
	return out.Bytes()
}

func TestBrokenPages20(t *testing.T) {
	text := func(adjust string) string {
		return `binary {indices {` + flat64 + `} bytes {flat {bits_per_value: 8 buffer {buffer_index: 1}}} null_adjustment: ` + adjust + `}`
	}
	dictionary := func(items string) string {
		return `dictionary {indices {flat {bits_per_value: 8 buffer {}}} items {flat {bits_per_value: 32 buffer {buffer_index: 1}}} num_dictionary_items: ` + items + `}`
	}
	deep := strings.Repeat(`nullable {no_nulls {values {`, 100) + `flat {bits_per_value: 32 buffer {}}` + strings.Repeat(`}}}`, 100)
	fsl := arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32)
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.PrimitiveTypes.Int32}
	i32s := arrow.PrimitiveTypes.Int32
	str := arrow.BinaryTypes.String
	for _, c := range []struct {
		name    string
		typ     arrow.DataType
		enc     string
		buffers [][]byte
		fault   error
	}{
		{"no encoding", i32s, ``, nil, errs.ErrUnsupported},
		{"encoding of later files", i32s, `inline_bitpacking {}`, nil, errs.ErrUnsupported},
		{"run lengths", i32s, `rle {}`, nil, errs.ErrUnsupported},
		{"a struct's header for numbers", i32s, `struct {}`, nil, errs.ErrUnsupported},
		{"a list for numbers", i32s, `list {}`, nil, errs.ErrUnsupported},
		{"no kind of nulls", i32s, `nullable {}`, nil, errs.ErrUnsupported},
		{"nulls without values", i32s, `nullable {some_nulls {}}`, nil, errs.ErrUnsupported},
		{"other width", i32s, `flat {bits_per_value: 64 buffer {}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"width 0", i32s, `flat {buffer {}}`, [][]byte{{}}, errs.ErrCorrupt},
		{"too few values", i32s, `flat {bits_per_value: 32 buffer {}}`, [][]byte{i32(1, 2, 3)}, errs.ErrCorrupt},
		{"too few bits", arrow.FixedWidthTypes.Boolean, `flat {bits_per_value: 1 buffer {}}`, [][]byte{{}}, errs.ErrCorrupt},
		{"no such buffer", i32s, `flat {bits_per_value: 32 buffer {buffer_index: 1}}`, [][]byte{i32(1, 2, 3, 4)}, errs.ErrCorrupt},
		{"no column buffer", i32s, `flat {bits_per_value: 32 buffer {buffer_type: column}}`, [][]byte{i32(1, 2, 3, 4)}, errs.ErrCorrupt},
		{"a buffer of the file", i32s, `flat {bits_per_value: 32 buffer {buffer_type: file}}`, [][]byte{i32(1, 2, 3, 4)}, errs.ErrUnsupported},
		{"unknown compression", i32s, `flat {bits_per_value: 32 buffer {} compression {scheme: "snappy"}}`, [][]byte{i32(1, 2, 3, 4)}, errs.ErrUnsupported},
		{"compressed values that are too few", i32s, `flat {bits_per_value: 32 buffer {} compression {scheme: "lz4"}}`, [][]byte{{4, 0, 0, 0, 0x40, 1, 2, 3, 4}}, errs.ErrCorrupt},
		{"zstd of something else", i32s, `flat {bits_per_value: 32 buffer {} compression {scheme: "zstd"}}`, [][]byte{make([]byte, 20)}, errs.ErrCorrupt},
		{"too deep", i32s, deep, [][]byte{i32(1, 2, 3, 4)}, errs.ErrCorrupt},
		{"text for numbers", i32s, text("7"), [][]byte{u64(1, 2, 3, 4), []byte("abcdef")}, errs.ErrCorrupt},
		{"text without adjustment", str, text("0"), [][]byte{u64(1, 2, 3, 4), []byte("abcdef")}, errs.ErrCorrupt},
		{"text backwards", str, text("7"), [][]byte{u64(1, 3, 2, 4), []byte("abcdef")}, errs.ErrCorrupt},
		{"text past its end", str, text("7"), [][]byte{u64(1, 2, 3, 14), []byte("abcdef")}, errs.ErrCorrupt},
		{"text past its buffer", str, text("70"), [][]byte{u64(1, 2, 3, 14), []byte("abcdef")}, errs.ErrCorrupt},
		{"text of very many bytes", str, text("9223372036854775807"), [][]byte{u64(1, 2, 3, 1<<62), []byte("abcdef")}, errs.ErrCorrupt},
		{"numbers for a text", str, `flat {bits_per_value: 32 buffer {}}`, [][]byte{i32(1, 2, 3, 4)}, errs.ErrCorrupt},
		{"index past the items", i32s, dictionary("2"), [][]byte{{1, 2, 3, 0}, i32(1, 2)}, errs.ErrCorrupt},
		{"key past the items", dict, dictionary("2"), [][]byte{{1, 2, 0, 0}, i32(1, 2)}, errs.ErrCorrupt},
		{"too few items", dict, dictionary("3"), [][]byte{{1, 1, 0, 0}, i32(1, 2)}, errs.ErrCorrupt},
		{"very many items", dict, dictionary("4000000000"), [][]byte{{1, 1, 0, 0}, i32(1, 2)}, errs.ErrCorrupt},
		{"lists of another length", fsl, `fixed_size_list {dimension: 3 items {flat {bits_per_value: 32 buffer {}}}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"too few items of lists", fsl, `fixed_size_list {dimension: 2 items {flat {bits_per_value: 32 buffer {}}}}`, [][]byte{make([]byte, 28)}, errs.ErrCorrupt},
		{"lists for numbers", i32s, `fixed_size_list {dimension: 2 items {flat {bits_per_value: 32 buffer {}}}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"packed into more bits", i32s, `bitpacked {compressed_bits_per_value: 33 uncompressed_bits_per_value: 32 buffer {}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"packed into no bits", i32s, `bitpacked {uncompressed_bits_per_value: 32 buffer {}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"packed, too few", i32s, `bitpacked {compressed_bits_per_value: 9 uncompressed_bits_per_value: 32 buffer {}}`, [][]byte{make([]byte, 4)}, errs.ErrCorrupt},
		{"half a block", i32s, `bitpacked_for_non_neg {compressed_bits_per_value: 9 uncompressed_bits_per_value: 32 buffer {}}`, [][]byte{make([]byte, 1000)}, errs.ErrCorrupt},
		{"constant of another width", i32s, `constant {value: "abc"}`, nil, errs.ErrCorrupt},
		{"fsst without its table", str, `fsst {binary {` + text("7") + `}}`, [][]byte{u64(1, 2, 3, 4), []byte("abcdef")}, errs.ErrCorrupt},
		{"packed structs for numbers", i32s, `packed_struct {buffer {}}`, [][]byte{make([]byte, 64)}, errs.ErrCorrupt},
		{"a list without a list", arrow.ListOf(i32s), `flat {bits_per_value: 64 buffer {}}`, [][]byte{u64(1, 2, 3, 4)}, errs.ErrUnsupported},
		{"list without adjustment", arrow.ListOf(i32s), `list {offsets {` + flat64 + `} num_items: 4}`, [][]byte{u64(1, 2, 3, 4)}, errs.ErrCorrupt},
		{"list of null offsets", arrow.ListOf(i32s), `list {offsets {nullable {all_nulls {}}} null_offset_adjustment: 5 num_items: 4}`, [][]byte{u64(1)}, errs.ErrCorrupt},
		{"list backwards", arrow.ListOf(i32s), `list {offsets {` + flat64 + `} null_offset_adjustment: 5 num_items: 4}`, [][]byte{u64(1, 3, 2, 4)}, errs.ErrCorrupt},
		{"list past its items", arrow.ListOf(i32s), `list {offsets {` + flat64 + `} null_offset_adjustment: 9 num_items: 4}`, [][]byte{u64(1, 2, 3, 5)}, errs.ErrCorrupt},
		{"list past the items' column", arrow.ListOf(i32s), `list {offsets {` + flat64 + `} null_offset_adjustment: 9 num_items: 8}`, [][]byte{u64(1, 2, 3, 8)}, errs.ErrCorrupt},
		{"list of very many items", arrow.ListOf(i32s), `list {offsets {` + flat64 + `} null_offset_adjustment: 9 num_items: 9223372036854775807}`, [][]byte{u64(1, 2, 3, 8)}, errs.ErrCorrupt},
		{"a map", arrow.MapOf(str, i32s), `list {offsets {` + flat64 + `} null_offset_adjustment: 5 num_items: 4}`, [][]byte{u64(1, 2, 3, 4)}, errs.ErrUnsupported},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &file20{}
			field := fieldOf(c.typ, columnOf(f.page(t, 4, c.enc, c.buffers...)))
			if _, isList := c.typ.(*arrow.ListType); isList {
				field.Children = []*encoding.Field{fieldOf(i32s, columnOf(f.page(t, 4, `flat {bits_per_value: 32 buffer {}}`, i32(1, 2, 3, 4))))}
			}
			got, err := read20(t, f, field, encoding.RowRange{End: 4})
			if !errors.Is(err, c.fault) || strings.Count(err.Error(), "data/x.lance") != 1 || strings.Count(err.Error(), "column x") != 1 {
				t.Errorf("%s, error %v, want %v", got, err, c.fault)
			}
		})
	}
}

func TestUnsupportedNamesEncoding(t *testing.T) {
	f := &file20{}
	field := fieldOf(arrow.PrimitiveTypes.Int32, columnOf(f.page(t, 4, `byte_stream_split {}`)))
	field.Path = []string{"s", "a.b"}
	_, err := read20(t, f, field, encoding.RowRange{End: 4})
	if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), `column s."a.b", page 0`) || !strings.Contains(err.Error(), "byte_stream_split") {
		t.Errorf("error %v", err)
	}
}

// TestManyNulls20 checks that rows without any bytes in the file do not make room without bound.
func TestManyNulls20(t *testing.T) {
	f := &file20{}
	wide := arrow.FixedSizeListOf(1<<30, arrow.PrimitiveTypes.Int64)
	field := fieldOf(wide, columnOf(f.page(t, 1<<40, `nullable {all_nulls {}}`)))
	if _, err := read20(t, f, field, encoding.RowRange{End: 1000}); !errors.Is(err, errs.ErrResourceExhausted) {
		t.Errorf("error %v", err)
	}
}

// TestClaimsOfSizes20 checks that a dictionary does not make room for items that a few bytes claim to be.
func TestClaimsOfSizes20(t *testing.T) {
	index := `dictionary {indices {flat {bits_per_value: 8 buffer {}}} items {`
	for _, c := range []struct {
		name string
		typ  arrow.DataType
		enc  string
	}{
		{"empty texts", arrow.BinaryTypes.String, index + `constant {}} num_dictionary_items: 2000000000}`},
		{"texts of no width", arrow.BinaryTypes.String, index + `fixed_size_binary {bytes {flat {bits_per_value: 8 buffer {}}}}} num_dictionary_items: 2000000000}`},
		{"numbers", arrow.PrimitiveTypes.Int32, index + `constant {value: "abcd"}} num_dictionary_items: 500000000}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &file20{}
			field := fieldOf(c.typ, columnOf(f.page(t, 4, c.enc, []byte{1, 1, 1, 1})))
			alloctest.Within(t, 0, func() {
				if _, err := read20(t, f, field, encoding.RowRange{End: 4}); !errors.Is(err, errs.ErrCorrupt) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// TestTooMuchAtOnce20 checks that what some rows are too large for may be asked for by fewer.
func TestTooMuchAtOnce20(t *testing.T) {
	f := &file20{}
	value := strings.Repeat("x", 1<<20)
	field := fieldOf(arrow.BinaryTypes.String, columnOf(f.page(t, 1<<20, `constant {value: "`+value+`"}`)))
	if _, err := read20(t, f, field, encoding.RowRange{End: 4096}); !errors.Is(err, errs.ErrResourceExhausted) {
		t.Errorf("error %v", err)
	}
	if got, err := read20(t, f, field, encoding.RowRange{Start: 5, End: 6}); err != nil || len(got) != len(value)+4 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// FuzzArray20 reads pages of any encoding and content as columns of several types.
func FuzzArray20(f *testing.F) {
	seed := &file20{}
	for _, enc := range []string{
		`flat {bits_per_value: 32 buffer {}}`,
		`nullable {some_nulls {validity {flat {bits_per_value: 1 buffer {}}} values {flat {bits_per_value: 32 buffer {buffer_index: 1}}}}}`,
		`binary {indices {` + flat64 + `} bytes {flat {bits_per_value: 8 buffer {buffer_index: 1}}} null_adjustment: 7}`,
		`list {offsets {` + flat64 + `} null_offset_adjustment: 9 num_items: 4}`,
		`dictionary {indices {flat {bits_per_value: 8 buffer {}}} items {flat {bits_per_value: 32 buffer {buffer_index: 1}}} num_dictionary_items: 2}`,
		`fixed_size_list {dimension: 2 items {flat {bits_per_value: 32 buffer {}}}}`,
		`bitpacked_for_non_neg {compressed_bits_per_value: 9 uncompressed_bits_per_value: 32 buffer {}}`,
		`bitpacked {compressed_bits_per_value: 9 uncompressed_bits_per_value: 32 buffer {} signed: true}`,
		`fsst {binary {binary {indices {` + flat64 + `} bytes {flat {bits_per_value: 8 buffer {buffer_index: 1}}} null_adjustment: 7}}}`,
		`packed_struct {inner {} inner {} buffer {}}`,
		`flat {bits_per_value: 32 buffer {} compression {scheme: "zstd"}}`,
	} {
		f.Add(seed.page(f, 4, enc).Encoding, u64(1, 3, 10, 6), []byte("abcdef"))
	}
	i32s := arrow.PrimitiveTypes.Int32
	types := []arrow.DataType{
		i32s, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.ListOf(i32s), arrow.FixedSizeListOf(2, i32s),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: i32s},
		arrow.StructOf(arrow.Field{Name: "a", Type: i32s}, arrow.Field{Name: "b", Type: i32s}),
	}
	f.Fuzz(func(t *testing.T, enc, a, b []byte) {
		file := &file20{}
		page := encoding.Page{Rows: 4, TypeURL: "/lance.encodings.ArrayEncoding", Encoding: enc, Buffers: []encoding.BufferRange{file.add(a), file.add(b)}}
		for _, typ := range types {
			field := fieldOf(typ, columnOf(page, page))
			if l, ok := typ.(*arrow.ListType); ok {
				field.Children = []*encoding.Field{fieldOf(l.Elem(), columnOf(page))}
			}
			alloctest.Within(t, allocFactor*uint64(len(enc)+len(a)+len(b)), func() {
				_, _ = read20(t, file, field, encoding.RowRange{Start: 1, End: 2}, encoding.RowRange{Start: 3, End: 6})
			})
		}
	})
}
