package encoding_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

func listsOf(dim uint64, values *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_FixedSizeList{FixedSizeList: &pb.FixedSizeList{ItemsPerValue: dim, Values: values}}}
}

// Sizes that a description claims, and that the type or the bytes do not have: an error of the page, before any room is made.
func TestClaimsOfSizes(t *testing.T) {
	constant := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{Constant: &pb.Constant{Value: make([]byte, 64)}}}
	runs := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Rle{Rle: &pb.Rle{Values: flat(16), RunLengths: flat(8)}}}
	zstd := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_General{General: &pb.General{Values: flat(16),
		Compression: &pb.BufferCompression{Scheme: pb.CompressionScheme_COMPRESSION_ALGORITHM_ZSTD}}}}
	packed := func(bits uint64) *pb.CompressiveEncoding {
		return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_VariablePackedStruct{VariablePackedStruct: &pb.VariablePackedStruct{
			Fields: []*pb.VariablePackedStruct_FieldEncoding{
				{Value: flat(bits), Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerValue{BitsPerValue: bits}},
				{Value: variable(32), Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerLength{BitsPerLength: 32}},
			},
		}}}
	}
	oneChunk := []byte{0, 0, 0, 0}
	for _, c := range []struct {
		name string
		dt   arrow.DataType
		page testPage
	}{
		{"lists without bytes", arrow.FixedSizeListOf(3, i16), testPage{rows: 1, buffers: [][]byte{{}}, layout: fullZip(&pb.FullZipLayout{
			Details: &pb.FullZipLayout_BitsPerValue{}, NumItems: 1, NumVisibleItems: 1, ValueCompression: listsOf(1<<30, constant), Layers: l(validItem),
		})}},
		{"a constant item of another size", arrow.FixedSizeListOf(3, i16), testPage{rows: 1, buffers: [][]byte{{}}, layout: fullZip(&pb.FullZipLayout{
			Details: &pb.FullZipLayout_BitsPerValue{}, NumItems: 1, NumVisibleItems: 1, ValueCompression: listsOf(3, constant), Layers: l(validItem),
		})}},
		{"lists of other items in a chunk", arrow.FixedSizeListOf(3, i16), testPage{rows: 1, buffers: [][]byte{oneChunk, make([]byte, 8)}, layout: miniBlock(&pb.MiniBlockLayout{
			ValueCompression: listsOf(1<<30, runs), Layers: l(validItem), NumBuffers: 2, NumItems: 1, HasLargeChunk: true,
		})}},
		{"a chunk of very many items", i16, testPage{rows: 1 << 39, buffers: [][]byte{oneChunk, make([]byte, 8)}, layout: miniBlock(&pb.MiniBlockLayout{
			ValueCompression: runs, Layers: l(validItem), NumBuffers: 2, NumItems: 1 << 39, HasLargeChunk: true,
		})}},
		{"members of a gigabyte", member2(i16), testPage{rows: 2, buffers: [][]byte{{1, 1}, {0, 1, 2}}, layout: fullZip(&pb.FullZipLayout{
			BitsDef: 1, Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 2, NumVisibleItems: 2, ValueCompression: packed(8 << 30), Layers: l(nullableItem),
		})}},
		{"a block that claims gigabytes", i16, testPage{rows: 2, buffers: [][]byte{{0x10, 0, 0, 0}, chunk(0, nil, nil, binary.LittleEndian.AppendUint64(nil, 1<<40))}, layout: miniBlock(&pb.MiniBlockLayout{
			ValueCompression: zstd, Layers: l(validItem), NumBuffers: 1, NumItems: 2, HasLargeChunk: true,
		})}},
		{"a bare block that claims gigabytes", i16, testPage{rows: 2, buffers: [][]byte{{0x20, 0, 0, 0}, chunk(0, nil, nil, unhex(t, "28B52FFD C0 00 00000000 01000000 010000"))}, layout: miniBlock(&pb.MiniBlockLayout{
			ValueCompression: zstd, Layers: l(validItem), NumBuffers: 1, NumItems: 2, HasLargeChunk: true,
		})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			column, in := c.page.column(t)
			field := tree("c", c.dt, column)
			if c.dt.ID() == arrow.STRUCT {
				field = packedField(c.dt, column)
			}
			alloctest.Within(t, 0, func() {
				r, err := encoding.NewStructuralReader(v22, field, in, checked(t), "f")
				if err == nil {
					_, err = r.Read(t.Context(), []encoding.RowRange{{Start: 0, End: min(c.page.rows, 1000)}})
				}
				if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "f: corrupt") || !strings.Contains(err.Error(), "column c, page 0") {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// member2 is a struct of two members, the second of variable size.
func member2(first arrow.DataType) arrow.DataType {
	return arrow.StructOf(arrow.Field{Name: "a", Type: first, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
}

// packedField is the field of a struct that is stored row by row.
func packedField(dt arrow.DataType, c *encoding.Column) *encoding.Field {
	return &encoding.Field{Name: "c", Path: []string{"c"}, Type: dt, Nullable: true, Column: c,
		Metadata: arrow.NewMetadata([]string{"lance-encoding:packed"}, []string{"true"})}
}

// What many rows would take together is an error by which the reader may ask for fewer; one row alone is read.
func TestManyRowsOfLargeValues(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	value := binary.LittleEndian.AppendUint32(nil, 2)
	value = binary.LittleEndian.AppendUint32(value, 16)
	value = binary.LittleEndian.AppendUint32(value, uint32(len(text)))
	value = binary.LittleEndian.AppendUint64(value, 0)
	value = binary.LittleEndian.AppendUint64(value, uint64(len(text)))
	value = append(value, text...)
	wide := &arrow.FixedSizeBinaryType{ByteWidth: 1 << 26}
	for _, c := range []struct {
		name string
		page testPage
		dt   arrow.DataType
	}{
		{"texts", testPage{rows: 1 << 20, buffers: [][]byte{value}, layout: constantPage(&pb.ConstantLayout{Layers: l(validItem)})}, arrow.BinaryTypes.LargeString},
		{"nulls", testPage{rows: 1 << 20, layout: constantPage(&pb.ConstantLayout{Layers: l(nullableItem)})}, wide},
	} {
		t.Run(c.name, func(t *testing.T) {
			alloctest.Within(t, 64<<20, func() {
				if _, err := readPage(t, c.page, c.dt, v22, checked(t), encoding.RowRange{Start: 0, End: 4096}); !errors.Is(err, errs.ErrResourceExhausted) {
					t.Errorf("error %v", err)
				}
			})
			got, err := readPage(t, c.page, c.dt, v22, checked(t), encoding.RowRange{Start: 7, End: 8})
			if err != nil {
				t.Fatal(err)
			}
			got.Release()
		})
	}
}

// A column that is not in the file comes as nulls, however wide: within bounds.
func TestMissingColumnOfWideValues(t *testing.T) {
	wide := arrow.FixedSizeListOf(1<<30, arrow.PrimitiveTypes.Int64)
	alloctest.Within(t, 0, func() {
		r, err := encoding.NewStructuralReader(v22, tree("c", wide, nil), newInput(nil), checked(t), "f")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = r.Read(context.Background(), []encoding.RowRange{{Start: 0, End: 4096}}); !errors.Is(err, errs.ErrResourceExhausted) {
			t.Errorf("error %v", err)
		}
	})
}

// A null in a field that has none by the schema is a fault of the file, unless it lies in something that is null.
func TestNullsThatTheSchemaDoesNotHave(t *testing.T) {
	of := func(dt arrow.DataType) arrow.DataType { return arrow.StructOf(arrow.Field{Name: "a", Type: dt}) }
	for _, c := range []struct {
		name     string
		dt       arrow.DataType
		page     testPage
		nullable map[string]bool // by the last name
		fault    string
	}{
		{"at the top", i16, levelsPage(3, 3, l(nullableItem), nil, []uint16{0, 1, 0}), nil, "null in c,"},
		{"no null at the top", i16, levelsPage(3, 3, l(nullableItem), nil, []uint16{0, 0, 0}), nil, ""},
		{"in a struct", of(i16), levelsPage(3, 3, l(nullableItem, nullableItem), nil, []uint16{0, 1, 2}), map[string]bool{"c": true}, "null in c.a,"},
		{"in a null struct", of(i16), levelsPage(3, 3, l(nullableItem, nullableItem), nil, []uint16{0, 2, 0}), map[string]bool{"c": true}, ""},
		{"a struct", of(i16), levelsPage(3, 3, l(nullableItem, nullableItem), nil, []uint16{0, 2, 0}), map[string]bool{"a": true}, "null in c,"},
		{"in a list", arrow.ListOf(i16), levelsPage(2, 2, l(nullableItem, nullableList), []uint16{1, 0, 1}, []uint16{0, 1, 2}), map[string]bool{"c": true}, "null in c.item,"},
		{"a list", arrow.ListOf(i16), levelsPage(2, 2, l(nullableItem, nullableList), []uint16{1, 0, 1}, []uint16{0, 0, 2}), map[string]bool{"item": true}, "null in c,"},
		{"in a struct of a fixed-size list that is null", arrow.FixedSizeListOf(1, of(i16)), levelsPage(3, 3, l(nullableItem, validItem, nullableItem), nil, []uint16{0, 1, 2}),
			map[string]bool{"c": true}, ""},
		{"behind a null list", arrow.ListOf(i16), levelsPage(2, 2, l(nullableItem, nullableList), []uint16{1, 0, 1}, []uint16{0, 0, 2}), map[string]bool{"c": true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			column, in := c.page.column(t)
			field := tree("c", c.dt, column)
			for f := field; f != nil; {
				f.Nullable = c.nullable[f.Name]
				if len(f.Children) == 0 {
					break
				}
				f = f.Children[0]
			}
			r, err := encoding.NewStructuralReader(v22, field, in, checked(t), "f")
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Read(t.Context(), []encoding.RowRange{allRows(c.page)})
			if err == nil {
				got.Release()
			}
			if c.fault == "" && err != nil || c.fault != "" && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
		})
	}
}
