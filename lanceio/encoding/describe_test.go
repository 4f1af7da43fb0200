package encoding_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

func TestDescribe(t *testing.T) {
	flat := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Flat{Flat: &pb.Flat{BitsPerValue: 32}}}
	variable := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Variable{Variable: &pb.Variable{Offsets: flat}}}
	fsst := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Fsst{Fsst: &pb.Fsst{Values: variable}}}
	zstd := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_General{General: &pb.General{
		Compression: &pb.BufferCompression{Scheme: pb.CompressionScheme_COMPRESSION_ALGORITHM_ZSTD}, Values: fsst,
	}}}
	flat20 := &encodings20.ArrayEncoding{ArrayEncoding: &encodings20.ArrayEncoding_Flat{Flat: &encodings20.Flat{BitsPerValue: 32}}}
	some := &encodings20.ArrayEncoding{ArrayEncoding: &encodings20.ArrayEncoding_Nullable{Nullable: &encodings20.Nullable{
		Nullability: &encodings20.Nullable_SomeNulls{SomeNulls: &encodings20.Nullable_SomeNull{Values: flat20}},
	}}}
	nullList := []pb.RepDefLayer{pb.RepDefLayer_REPDEF_NULLABLE_ITEM, pb.RepDefLayer_REPDEF_NULL_AND_EMPTY_LIST}
	items := &pb23.SparseLayer{Layer: &pb23.SparseLayer_List{List: &pb23.SparseList{NumChildSlots: 30}}}
	threes := &pb23.SparseLayer{Layer: &pb23.SparseLayer_FixedSizeList{FixedSizeList: &pb23.SparseFixedSizeList{Dimension: 3}}}
	leaf := &pb23.SparseLayer{Layer: &pb23.SparseLayer_Validity{Validity: &pb23.SparseValidity{}}}
	sparse := func(layers ...*pb23.SparseLayer) *pb23.StructuralPlane {
		return &pb23.StructuralPlane{Codec: &pb23.StructuralPlane_Sparse{Sparse: &pb23.SparseStructure{Layers: layers}}}
	}
	none := &pb23.ValuePlane{Codec: &pb23.ValuePlane_None{None: &pb23.NoValues{}}}
	for name, c := range map[string]struct {
		msg  proto.Message
		want encoding.Description
	}{
		"mini-block": {
			&pb.PageLayout{Layout: &pb.PageLayout_MiniBlockLayout{MiniBlockLayout: &pb.MiniBlockLayout{ValueCompression: zstd, NumItems: 12}}},
			encoding.Description{Encoding: "mini-block(zstd(fsst))", Values: 12, Counted: true},
		},
		"dictionary": {
			&pb.PageLayout{Layout: &pb.PageLayout_MiniBlockLayout{MiniBlockLayout: &pb.MiniBlockLayout{ValueCompression: flat, Dictionary: variable, NumItems: 12}}},
			encoding.Description{Encoding: "mini-block(dictionary, flat)", Values: 12, Counted: true},
		},
		"full-zip": {
			&pb.PageLayout{Layout: &pb.PageLayout_FullZipLayout{FullZipLayout: &pb.FullZipLayout{ValueCompression: variable, NumItems: 9, NumVisibleItems: 8}}},
			encoding.Description{Encoding: "full-zip(variable)", Values: 8, Counted: true},
		},
		"constant of lists": {
			&pb.PageLayout{Layout: &pb.PageLayout_ConstantLayout{ConstantLayout: &pb.ConstantLayout{Layers: nullList}}},
			encoding.Description{Encoding: "constant", Values: 10},
		},
		"constant": {
			&pb.PageLayout{Layout: &pb.PageLayout_ConstantLayout{ConstantLayout: &pb.ConstantLayout{Layers: nullList[:1]}}},
			encoding.Description{Encoding: "constant", Values: 10, Counted: true},
		},
		"2.0": {
			&encodings20.ArrayEncoding{ArrayEncoding: &encodings20.ArrayEncoding_FixedSizeList{FixedSizeList: &encodings20.FixedSizeList{Dimension: 4, Items: some}}},
			encoding.Description{Encoding: "fixed-size-list[4](nullable(flat))", Values: 10, Counted: true},
		},
		"sparse lists": {
			&pb23.PlanarLayout{Structure: sparse(items, threes, leaf), Values: none},
			encoding.Description{Encoding: "sparse constant", Values: 90, Counted: true},
		},
		"sparse": {
			&pb23.PlanarLayout{Structure: sparse(threes, leaf), Values: none},
			encoding.Description{Encoding: "sparse constant", Values: 10, Counted: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := proto.Marshal(c.msg)
			if err != nil {
				t.Fatal(err)
			}
			got, err := encoding.Describe(&encoding.Page{Rows: 10, TypeURL: "/" + string(c.msg.ProtoReflect().Descriptor().FullName()), Encoding: raw})
			if err != nil || got != c.want {
				t.Errorf("%+v (%v), want %+v", got, err, c.want)
			}
		})
	}
}

func TestDescribeLegacy(t *testing.T) {
	got, err := encoding.Describe(&encoding.Page{Rows: 10})
	if want := (encoding.Description{Encoding: "plain", Values: 10, Counted: true}); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
}

func TestDescribeFaults(t *testing.T) {
	many, err := proto.Marshal(&pb.PageLayout{Layout: &pb.PageLayout_MiniBlockLayout{MiniBlockLayout: &pb.MiniBlockLayout{NumItems: 1 << 60}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		page encoding.Page
		want error
	}{
		"no message":    {encoding.Page{TypeURL: "/lance.encodings21.PageLayout", Encoding: []byte{0xFF}}, errs.ErrCorrupt},
		"unknown":       {encoding.Page{TypeURL: "/lance.encodings99.PageLayout"}, errs.ErrUnsupported},
		"too many rows": {encoding.Page{TypeURL: "/lance.encodings21.PageLayout", Encoding: many}, errs.ErrCorrupt},
	} {
		if _, err := encoding.Describe(&c.page); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
