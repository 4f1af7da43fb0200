package encoding_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

var v23 = encoding.Version{Major: 2, Minor: 3}

// numbers64 gives values as a flat sequence stores them.
func numbers64(v ...uint64) []byte {
	var out []byte
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, x)
	}
	return out
}

func noNumbers() *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{Constant: &pb.Constant{}}}
}

func oneNumber(v uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{Constant: &pb.Constant{Value: numbers64(v)}}}
}

func rangeOf(bits, start, step uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Range{Range: &pb.Range{UncompressedBitsPerValue: bits, Start: start, Step: step}}}
}

func runsOf(values, lengths *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Rle{Rle: &pb.Rle{Values: values, RunLengths: lengths}}}
}

func textOf(offsets *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Variable{Variable: &pb.Variable{Offsets: offsets}}}
}

func marks(m pb23.SparseValidity_Meaning, n uint64, e *pb.CompressiveEncoding) *pb23.SparseValidity {
	return &pb23.SparseValidity{Meaning: m, NumPositions: n, Positions: e}
}

const (
	nullAt  = pb23.SparseValidity_SPARSE_VALIDITY_NULL_POSITIONS
	validAt = pb23.SparseValidity_SPARSE_VALIDITY_VALID_POSITIONS
)

func items(v *pb23.SparseValidity) *pb23.SparseLayer {
	return &pb23.SparseLayer{Layer: &pb23.SparseLayer_Validity{Validity: v}}
}

func someLists(l *pb23.SparseList) *pb23.SparseLayer {
	return &pb23.SparseLayer{Layer: &pb23.SparseLayer_List{List: l}}
}

func sparsePage(rows uint64, values *pb23.ValuePlane, layers []*pb23.SparseLayer, buffers ...[]byte) testPage {
	return testPage{rows: rows, typeURL: "/lance.encodings23.PlanarLayout", buffers: buffers, layout: &pb23.PlanarLayout{Values: values,
		Structure: &pb23.StructuralPlane{Codec: &pb23.StructuralPlane_Sparse{Sparse: &pb23.SparseStructure{Layers: layers}}}}}
}

func zippedText(n uint64) *pb23.ValuePlane {
	return &pb23.ValuePlane{Codec: &pb23.ValuePlane_Zipped{Zipped: &pb23.ZippedValues{Compression: variable(32), NumItems: n, NumVisibleItems: n,
		Addressing: &pb23.ZippedValues_BitsPerOffset{BitsPerOffset: 32}}}}
}

func zippedFixed(n uint64) *pb23.ValuePlane {
	return &pb23.ValuePlane{Codec: &pb23.ValuePlane_Zipped{Zipped: &pb23.ZippedValues{Compression: flat(16), NumItems: n, NumVisibleItems: n,
		Addressing: &pb23.ZippedValues_BitsPerValue{BitsPerValue: 16}}}}
}

func sameValue(b ...byte) *pb23.ValuePlane {
	return &pb23.ValuePlane{Codec: &pb23.ValuePlane_Constant{Constant: &pb23.ConstantValue{Scalar: b}}}
}

func noValues() *pb23.ValuePlane {
	return &pb23.ValuePlane{Codec: &pb23.ValuePlane_None{None: &pb23.NoValues{}}}
}

// sparseCases are pages of version 2.3 and what they hold.
var sparseCases = []struct {
	name string
	page testPage
	dt   arrow.DataType
	want string
}{
	{"null positions", sparsePage(5, zippedFixed(3), []*pb23.SparseLayer{items(marks(nullAt, 2, flat(64)))}, levelBytes(7, 8, 9), numbers64(1, 3)),
		i16, `[7,null,8,null,9]`},
	{"valid positions in steps", sparsePage(6, sameValue(4, 0), []*pb23.SparseLayer{items(marks(validAt, 3, rangeOf(64, 1, 2)))}),
		i16, `[null,4,null,4,null,4]`},
	{"no value is valid", sparsePage(3, noValues(), []*pb23.SparseLayer{items(marks(validAt, 0, noNumbers()))}), arrow.BinaryTypes.String, `[null,null,null]`},
	{"texts", sparsePage(4, zippedText(2), []*pb23.SparseLayer{items(marks(validAt, 2, flat(64)))},
		[]byte("\x02\x00\x00\x00ab\x01\x00\x00\x00c"), []byte{0, 6, 11}, numbers64(0, 3)), arrow.BinaryTypes.String, `["ab",null,null,"c"]`},
	{"lists: full, null, empty, full", sparsePage(4, zippedFixed(2), []*pb23.SparseLayer{
		someLists(&pb23.SparseList{NumChildSlots: 3, NumNonEmptyPositions: 2, NonEmptyPositions: flat(64), Counts: flat(64), Validity: marks(nullAt, 1, oneNumber(1))}),
		items(marks(nullAt, 1, oneNumber(1)))}, levelBytes(5, 6), numbers64(0, 3), numbers64(2, 1)), arrow.ListOf(i16), `[[5,null],null,[],[6]]`},
	{"a null struct hides its items", sparsePage(3, zippedFixed(1), []*pb23.SparseLayer{
		items(marks(nullAt, 1, oneNumber(0))), items(marks(nullAt, 1, oneNumber(2)))}, levelBytes(3)), member(i16), `[null,{"a":3},{"a":null}]`},
}

func TestSparsePages(t *testing.T) {
	for _, c := range sparseCases {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPage(t, c.page, c.dt, v23, checked(t), allRows(c.page))
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			wantJSON(t, got, c.want)
		})
	}
}

func TestSparseFaults(t *testing.T) {
	null := func(n uint64, e *pb.CompressiveEncoding) []*pb23.SparseLayer {
		return []*pb23.SparseLayer{items(marks(nullAt, n, e))}
	}
	list := func(l *pb23.SparseList) []*pb23.SparseLayer {
		return []*pb23.SparseLayer{someLists(l), items(marks(validAt, 0, noNumbers()))}
	}
	for _, c := range []struct {
		name string
		page testPage
		dt   arrow.DataType
	}{
		{"positions that fall", sparsePage(4, zippedFixed(2), null(2, flat(64)), levelBytes(7, 8), numbers64(3, 1)), i16},
		{"a position past the end", sparsePage(4, zippedFixed(3), null(1, flat(64)), levelBytes(7, 8, 9), numbers64(4)), i16},
		{"fewer values than slots", sparsePage(4, zippedFixed(2), null(1, flat(64)), levelBytes(7, 8), numbers64(1)), i16},
		{"slots without values", sparsePage(4, noValues(), null(1, oneNumber(2))), i16},
		{"more positions than slots", sparsePage(1, noValues(), null(2, rangeOf(64, 0, 1))), i16},
		{"a constant that is no position", sparsePage(4, noValues(), null(2, oneNumber(1))), i16},
		{"a range that runs over", sparsePage(4, noValues(), null(3, rangeOf(64, 1<<63, 1<<63))), i16},
		{"a buffer too many", sparsePage(4, sameValue(1, 0), null(1, oneNumber(2)), nil), i16},
		{"a value of another width", sparsePage(4, sameValue(1), null(1, oneNumber(2))), i16},
		{"a layer too few", sparsePage(4, noValues(), null(1, oneNumber(2))), arrow.ListOf(i16)},
		{"a layer of another kind", sparsePage(4, noValues(), append(null(1, oneNumber(2)), null(1, oneNumber(2))...)), arrow.ListOf(i16)},
		{"counts of no items", sparsePage(2, noValues(), list(&pb23.SparseList{NumNonEmptyPositions: 1, NonEmptyPositions: oneNumber(0), Counts: oneNumber(0),
			Validity: marks(nullAt, 0, noNumbers())})), arrow.ListOf(i16)},
		{"counts of other items than there are", sparsePage(2, noValues(), list(&pb23.SparseList{NumChildSlots: 3, NumNonEmptyPositions: 1, NonEmptyPositions: oneNumber(0),
			Counts: oneNumber(2), Validity: marks(nullAt, 0, noNumbers())})), arrow.ListOf(i16)},
		{"items of a null list", sparsePage(2, noValues(), list(&pb23.SparseList{NumChildSlots: 2, NumNonEmptyPositions: 1, NonEmptyPositions: oneNumber(1),
			Counts: oneNumber(2), Validity: marks(nullAt, 1, oneNumber(1))})), arrow.ListOf(i16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPage(t, c.page, c.dt, v23, checked(t), allRows(c.page))
			if err == nil {
				got.Release()
			}
			if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "column c") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// What the encodings learned with version 2.3 is no part of the versions before, and each version has its own message.
func TestVersionsKeepToTheirGrammar(t *testing.T) {
	long := miniBlock(&pb.MiniBlockLayout{ValueCompression: runsOf(flat(16), flat(16)), Layers: l(validItem), NumBuffers: 2, NumItems: 4, HasLargeChunk: true})
	text := miniBlock(&pb.MiniBlockLayout{ValueCompression: textOf(rangeOf(32, 0, 1)), Layers: l(validItem), NumBuffers: 1, NumItems: 4, HasLargeChunk: true})
	for _, c := range []struct {
		name string
		page testPage
		v    encoding.Version
		dt   arrow.DataType
		has  string
	}{
		{"long runs in 2.2", testPage{rows: 4, layout: long, buffers: [][]byte{{0x20, 0, 0, 0}, chunk(0, nil, nil, levelBytes(7), levelBytes(4))}}, v22, i16, "run lengths of 16 bits"},
		{"offsets in the description in 2.2", testPage{rows: 4, layout: text, buffers: [][]byte{{0x10, 0, 0, 0}, chunk(0, nil, nil, []byte("abcd"))}}, v22, arrow.BinaryTypes.String, "range"},
		{"a page of 2.3 in 2.2", sparseCases[0].page, v22, i16, "PlanarLayout"},
		{"a page of 2.2 in 2.3", testPage{rows: 4, layout: text}, v23, i16, "PageLayout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPage(t, c.page, c.dt, c.v, checked(t), allRows(c.page))
			if err == nil {
				got.Release()
			}
			if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), c.has) || !strings.Contains(err.Error(), "column c") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func FuzzPlanar(f *testing.F) {
	for _, c := range sparseCases {
		for k, dt := range fuzzTypes {
			if arrow.TypeEqual(dt, c.dt) {
				b := append(append([][]byte(nil), c.page.buffers...), nil, nil, nil)
				f.Add(uint8(k), uint16(c.page.rows), descriptionOf(f, c.page.layout), b[0], b[1], b[2])
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, rows uint16, description, a, b, c []byte) {
		p := testPage{rows: uint64(rows), raw: description, typeURL: "/lance.encodings23.PlanarLayout", buffers: [][]byte{a, b, c}}
		for len(p.buffers) > 0 && len(p.buffers[len(p.buffers)-1]) == 0 {
			p.buffers = p.buffers[:len(p.buffers)-1]
		}
		column, in := p.column(t)
		readBroken(t, v23, tree("c", fuzzTypes[int(kind)%len(fuzzTypes)], column), in.data, int(min(rows, 300)))
	})
}
