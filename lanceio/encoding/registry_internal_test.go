package encoding

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// registered says where each encoding may stand: in the chunks of a mini-block page, as rows of one size or of sizes of
// their own in a full-zip page, as a block, as a sequence of version 2.3 and as one within another.
var registered = map[string]string{
	"flat": "chunk row block sequence nested", "variable": "chunk text block",
	"inline_bitpacking": "chunk block sequence nested", "out_of_line_bitpacking": "block sequence nested",
	"fsst": "chunk text", "rle": "chunk block sequence", "byte_stream_split": "chunk", "general": "chunk text block sequence",
	"fixed_size_list": "chunk row block", "packed_struct": "chunk row", "variable_packed_struct": "text",
	"constant": "sequence nested", "range": "sequence nested", "delta": "sequence", "dictionary": "sequence",
}

// oneofCases gives the names of the cases of a message's oneof, each with a message that has it set and empty.
func oneofCases(m protoreflect.Message, oneof string) map[string]protoreflect.Message {
	out := map[string]protoreflect.Message{}
	fields := m.Descriptor().Oneofs().ByName(protoreflect.Name(oneof)).Fields()
	for i := range fields.Len() {
		c := m.New()
		c.Mutable(fields.Get(i))
		out[string(fields.Get(i).Name())] = c
	}
	return out
}

// TestEveryEncodingIsRegistered walks the descriptors: an encoding that a new version of the messages brings fails it until
// it is read, or is in the list above.
func TestEveryEncodingIsRegistered(t *testing.T) {
	d := codec.NewDecompressor(1 << 20)
	places := []struct {
		name string
		open func(*pb.CompressiveEncoding) error
	}{
		{"chunk", func(e *pb.CompressiveEncoding) error { _, err := newChunkCodec(e, d); return err }},
		{"row", func(e *pb.CompressiveEncoding) error { _, err := newRowCodec(e); return err }},
		{"text", func(e *pb.CompressiveEncoding) error { _, err := newTextCodec(e, d); return err }},
		{"block", func(e *pb.CompressiveEncoding) error { _, err := newBlockCodec(e, d); return err }},
		{"sequence", func(e *pb.CompressiveEncoding) error { _, err := newSequence(e, 32, d, false); return err }},
		{"nested", func(e *pb.CompressiveEncoding) error { _, err := newSequence(e, 32, d, true); return err }},
	}
	cases := oneofCases(new(pb.CompressiveEncoding).ProtoReflect(), "compression")
	if len(cases) != len(registered) {
		t.Errorf("the messages have the encodings %v", slices.Sorted(maps.Keys(cases)))
	}
	for name, m := range cases {
		refused := regexp.MustCompile("^encoding " + name + " (in a|of a sequence$|within a sequence$)")
		want, ok := registered[name]
		if !ok {
			t.Errorf("encoding %s is not registered", name)
			continue
		}
		var got []string
		for _, p := range places {
			err := p.open(m.Interface().(*pb.CompressiveEncoding))
			if err == nil || !refused.MatchString(err.Error()) {
				got = append(got, p.name)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("encoding %s is read as %q, want %q", name, text, want)
		}
	}
}

// known fails where a layout is refused as one that is not known.
func known(t *testing.T, name string, err error) {
	t.Helper()
	for _, what := range []string{"a page layout", "a page structure", "a value plane"} {
		if err != nil && strings.Contains(err.Error(), what+" that this version does not know") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryLayoutIsRegistered(t *testing.T) {
	for name, m := range oneofCases(new(pb.PageLayout).ProtoReflect(), "layout") {
		p := &page{leaf: &leaf{version: Version{2, 2}, shape: shape{kind: kindVar, width: 4}, scale: 1, nodes: []*node{{}}, dec: codec.NewDecompressor(1 << 20)}, raw: &Page{}}
		_, err := newLayout(p, m.Interface().(*pb.PageLayout))
		known(t, name, err)
	}
	structures := oneofCases(new(pb23.StructuralPlane).ProtoReflect(), "codec")
	for name, s := range structures {
		for value, v := range oneofCases(new(pb23.ValuePlane).ProtoReflect(), "codec") {
			plane := s.Interface().(*pb23.StructuralPlane)
			if sparse := plane.GetSparse(); sparse != nil {
				none := &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{Constant: &pb.Constant{}}}
				sparse.Layers = []*pb23.SparseLayer{{Layer: &pb23.SparseLayer_Validity{Validity: &pb23.SparseValidity{
					Meaning: pb23.SparseValidity_SPARSE_VALIDITY_NULL_POSITIONS, Positions: none}}}}
			} else if value == "indexed" {
				continue // of sparse structures only
			}
			p := &page{leaf: &leaf{version: Version{2, 3}, shape: shape{kind: kindVar, width: 4}, scale: 1, nodes: []*node{{}}, dec: codec.NewDecompressor(1 << 20)}, raw: &Page{}}
			_, err := newPlanar(p, &pb23.PlanarLayout{Structure: plane, Values: v.Interface().(*pb23.ValuePlane)})
			known(t, name+" "+value, err)
		}
	}
}

// unread20 are the encodings that messages of 2.0 declare and no writer of that version has made.
var unread20 = []string{"inline_bitpacking", "out_of_line_bitpacking", "variable", "packed_struct_fixed_width_mini_block", "block", "rle", "general_mini_block", "byte_stream_split"}

func TestEveryEncodingOf20IsRegistered(t *testing.T) {
	for name, m := range oneofCases(new(encodings20.ArrayEncoding).ProtoReflect(), "array_encoding") {
		c := &column20{mem: memory.NewGoAllocator(), typ: arrow.PrimitiveTypes.Int32}
		p := &page20{col: c, enc: m.Interface().(*encodings20.ArrayEncoding)}
		_, err := p.decode(p.enc, nil, c.typ, 0)
		refused := err != nil && strings.Contains(err.Error(), "encoding "+name+" of values of type")
		if name == "list" || name == "struct" { // these are columns of their own
			continue
		}
		if refused != slices.Contains(unread20, name) {
			t.Errorf("encoding %s: %v", name, err)
		}
	}
}
