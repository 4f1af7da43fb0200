package encoding_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// placePage is a page of blobs of the second kind with one place, and some bytes in a buffer of its own.
func placePage(kind byte, position, size uint64, id uint32, uri string) testPage {
	row := []byte{kind}
	row = binary.LittleEndian.AppendUint64(row, position)
	row = binary.LittleEndian.AppendUint64(row, size)
	row = binary.LittleEndian.AppendUint32(row, id)
	row = binary.LittleEndian.AppendUint32(row, uint32(len(uri)))
	row = append(row, uri...)
	item := append(binary.LittleEndian.AppendUint32(nil, uint32(len(row))), row...)
	fixed := func(bits uint64) *pb.VariablePackedStruct_FieldEncoding {
		return &pb.VariablePackedStruct_FieldEncoding{Value: flat(bits), Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerValue{BitsPerValue: bits}}
	}
	text := &pb.VariablePackedStruct_FieldEncoding{Value: variable(32), Layout: &pb.VariablePackedStruct_FieldEncoding_BitsPerLength{BitsPerLength: 32}}
	packed := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_VariablePackedStruct{VariablePackedStruct: &pb.VariablePackedStruct{
		Fields: []*pb.VariablePackedStruct_FieldEncoding{fixed(8), fixed(64), fixed(64), fixed(32), text}}}}
	return testPage{rows: 1, buffers: [][]byte{item, {0, byte(len(item))}}, layout: fullZip(&pb.FullZipLayout{
		Details: &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: 32}, NumItems: 1, NumVisibleItems: 1, ValueCompression: packed, Layers: l(validItem)})}
}

func blobField(c *encoding.Column) *encoding.Field {
	f := tree("c", arrow.BinaryTypes.LargeBinary, c)
	f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"lance.blob.v2"})
	return f
}

func TestBlobPlaces(t *testing.T) {
	for _, c := range []struct {
		name string
		page testPage
		kind error
		has  string
		want string
	}{
		{"in the data file", placePage(0, 4, 3, 0, ""), nil, "", "\x00\x04\x00"}, // of the place itself: its kind and position
		{"empty", placePage(0, 0, 0, 0, ""), nil, "", ""},
		{"past the end", placePage(0, 1<<40, 2, 0, ""), errs.ErrCorrupt, "", ""},
		{"of a size that fits nowhere", placePage(0, 0, 1<<40, 0, ""), errs.ErrResourceExhausted, "", ""},
		{"beside a file that has none", placePage(1, 0, 2, 7, ""), errs.ErrUnsupported, "beside", ""},
		{"in the middle of its own file", placePage(2, 1, 2, 7, ""), errs.ErrCorrupt, "", ""},
		{"anywhere else", placePage(3, 0, 2, 0, "file:///etc/passwd"), errs.ErrUnsupported, "beside", ""},
		{"managed", placePage(4, 0, 2, 0, "x"), errs.ErrUnsupported, "beside", ""},
		{"of an unknown kind", placePage(6, 0, 2, 0, "x"), errs.ErrUnsupported, "kind 6", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			column, in := c.page.column(t)
			r, err := encoding.NewStructuralReader(v22, blobField(column), in, checked(t), "data/f.lance")
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Read(t.Context(), []encoding.RowRange{allRows(c.page)})
			if c.kind == nil {
				if err != nil {
					t.Fatal(err)
				}
				defer got.Release()
				if v := string(got.(*array.LargeBinary).Value(0)); got.IsNull(0) || v != c.want {
					t.Errorf("value %q, want %q", v, c.want)
				}
				return
			}
			if err == nil {
				got.Release()
			}
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.has) || strings.Contains(err.Error(), "passwd") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestBlobsOfBothKindsInOneTable reads columns of the second kind from files of a version that has just the first.
func TestBlobsOfBothKindsInOneTable(t *testing.T) {
	g := openGolden(t, "blobs", "2.1")
	for i, field := range g.fields(t) {
		if field.Type.ID() != arrow.LARGE_BINARY {
			continue
		}
		field.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"lance.blob.v2"})
		r, err := encoding.NewStructuralReader(v21, field, g.in, checked(t), "f")
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Read(t.Context(), whole(g.want.Column(i)))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, got, g.want.Column(i), whole(g.want.Column(i)))
		got.Release()
	}
}

// TestBlobVersions finds pages of the second kind in a file of a version that has just the first.
func TestBlobVersions(t *testing.T) {
	p := placePage(0, 0, 0, 0, "")
	column, in := p.column(t)
	r, err := encoding.NewStructuralReader(v21, blobField(column), in, checked(t), "f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read(t.Context(), []encoding.RowRange{{Start: 0, End: 1}}); err == nil {
		got.Release()
		t.Error("no error")
	}
}
