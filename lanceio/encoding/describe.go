package encoding

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// Description tells how a page is stored, by its own description; no byte of its buffers is read.
type Description struct {
	// Encoding names the layout and, in brackets, how the values are stored, as "mini-block(bitpack)".
	Encoding string
	// Values is how many values the page holds, nulls included: rows, or of items in lists all of these. Counted is false
	// where only the page's levels tell.
	Values  uint64
	Counted bool
}

// Describe reads a page's description.
func Describe(p *Page) (Description, error) {
	if len(p.Encoding) > maxDescription {
		return Description{}, corruptf("page description of %d bytes", len(p.Encoding))
	}
	var msg proto.Message
	var d Description
	var describe func()
	switch name := p.TypeURL[strings.LastIndexByte(p.TypeURL, '/')+1:]; name {
	case arrayEncodingName:
		m := new(encodings20.ArrayEncoding)
		msg, describe = m, func() { d = Description{arrayText(m), p.Rows, true} }
	case "": // of a legacy file
		return Description{"plain", p.Rows, true}, nil
	case pageLayoutType:
		m := new(pb.PageLayout)
		msg, describe = m, func() { d = describeLayout(m, p.Rows) }
	case planarType:
		m := new(pb23.PlanarLayout)
		msg, describe = m, func() { d = describePlanar(m, p.Rows) }
	default:
		return d, errs.Unsupportedf("page encoding %q", name)
	}
	if err := bounded.Unmarshal(p.Encoding, msg); err != nil {
		return d, corruptf("page description: %w", err)
	}
	if describe(); d.Values > maxRows {
		return d, corruptf("page of %d values", d.Values)
	}
	return d, nil
}

func describeLayout(l *pb.PageLayout, rows uint64) Description {
	switch l := l.GetLayout().(type) {
	case *pb.PageLayout_MiniBlockLayout:
		m := l.MiniBlockLayout
		return Description{layoutText("mini-block", m.GetDictionary(), m.GetValueCompression()), m.GetNumItems(), true}
	case *pb.PageLayout_FullZipLayout:
		return Description{layoutText("full-zip", nil, l.FullZipLayout.GetValueCompression()), l.FullZipLayout.GetNumVisibleItems(), true}
	case *pb.PageLayout_ConstantLayout:
		return Description{"constant", rows, !hasLists(l.ConstantLayout.GetLayers())}
	case *pb.PageLayout_BlobLayout:
		d := describeLayout(l.BlobLayout.GetInnerLayout(), rows)
		d.Encoding = "blob(" + d.Encoding + ")"
		return d
	}
	return Description{Encoding: unknownText}
}

func hasLists(layers []pb.RepDefLayer) bool {
	for _, l := range layers {
		if l != pb.RepDefLayer_REPDEF_ALL_VALID_ITEM && l != pb.RepDefLayer_REPDEF_NULLABLE_ITEM {
			return true
		}
	}
	return false
}

// describePlanar gives the value planes of version 2.3 the names of the layouts that they were before.
func describePlanar(m *pb23.PlanarLayout, rows uint64) Description {
	var d Description
	switch v := m.GetValues().GetCodec().(type) {
	case *pb23.ValuePlane_Chunked:
		d = Description{layoutText("mini-block", v.Chunked.GetDictionary(), v.Chunked.GetCompression()), v.Chunked.GetNumItems(), true}
	case *pb23.ValuePlane_Zipped:
		d = Description{layoutText("full-zip", nil, v.Zipped.GetCompression()), v.Zipped.GetNumVisibleItems(), true}
	case *pb23.ValuePlane_Constant, *pb23.ValuePlane_None:
		d = Description{"constant", rows, !hasLists(m.GetStructure().GetDense().GetLayers())}
	case *pb23.ValuePlane_Indexed:
		d = Description{"indexed(" + compressionText(v.Indexed.GetItems().GetCompression()) + ")", rows, false}
	default:
		d.Encoding = unknownText
	}
	if s := m.GetStructure().GetSparse(); s != nil {
		d.Encoding = "sparse " + d.Encoding
		d.Values, d.Counted = sparseSlots(s.GetLayers(), rows), true
	}
	return d
}

// sparseSlots is the number of slots of the innermost layer.
func sparseSlots(layers []*pb23.SparseLayer, rows uint64) uint64 {
	n, lists := rows, false
	for _, l := range layers {
		switch l := l.GetLayer().(type) {
		case *pb23.SparseLayer_List:
			n, lists = l.List.GetNumChildSlots(), true
		case *pb23.SparseLayer_FixedSizeList:
			if lists { // else the rows of the page are items already
				n *= l.FixedSizeList.GetDimension()
			}
		}
	}
	return n
}

const unknownText = "(unknown)"

func layoutText(name string, dictionary, values *pb.CompressiveEncoding) string {
	text := compressionText(values)
	if dictionary != nil {
		text = "dictionary, " + text
	}
	return name + "(" + text + ")"
}

// compressionText names an encoding of values.
func compressionText(e *pb.CompressiveEncoding) string {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return "flat"
	case *pb.CompressiveEncoding_Variable:
		return "variable"
	case *pb.CompressiveEncoding_Constant:
		return "constant"
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		return "out-of-line bitpack"
	case *pb.CompressiveEncoding_InlineBitpacking:
		return "bitpack"
	case *pb.CompressiveEncoding_Fsst:
		return within("fsst", compressionText(c.Fsst.GetValues()), "variable")
	case *pb.CompressiveEncoding_Dictionary:
		return "dictionary"
	case *pb.CompressiveEncoding_Rle:
		return within("rle", compressionText(c.Rle.GetValues()), "flat")
	case *pb.CompressiveEncoding_ByteStreamSplit:
		return within("byte-stream-split", compressionText(c.ByteStreamSplit.GetValues()), "flat")
	case *pb.CompressiveEncoding_General:
		name := map[pb.CompressionScheme]string{
			pb.CompressionScheme_COMPRESSION_ALGORITHM_LZ4: "lz4", pb.CompressionScheme_COMPRESSION_ALGORITHM_ZSTD: "zstd",
		}[c.General.GetCompression().GetScheme()]
		if name == "" {
			name = unknownText
		}
		return name + "(" + compressionText(c.General.GetValues()) + ")"
	case *pb.CompressiveEncoding_FixedSizeList:
		return fmt.Sprintf("fixed-size-list[%d](%s)", c.FixedSizeList.GetItemsPerValue(), compressionText(c.FixedSizeList.GetValues()))
	case *pb.CompressiveEncoding_PackedStruct:
		return within("packed-struct", compressionText(c.PackedStruct.GetValues()), "flat")
	case *pb.CompressiveEncoding_VariablePackedStruct:
		parts := make([]string, len(c.VariablePackedStruct.GetFields()))
		for i, f := range c.VariablePackedStruct.GetFields() {
			parts[i] = compressionText(f.GetValue())
		}
		return "packed-struct(" + strings.Join(parts, ", ") + ")"
	case *pb.CompressiveEncoding_Range:
		return "range"
	case *pb.CompressiveEncoding_Delta:
		return "delta"
	}
	return unknownText
}

// within adds what lies in an encoding, unless it is what one expects.
func within(name, inner, expected string) string {
	if inner == expected {
		return name
	}
	return name + "(" + inner + ")"
}

// arrayText names an array encoding of version 2.0. Only that a page has nulls is told of its validity.
func arrayText(e *encodings20.ArrayEncoding) string {
	switch a := e.GetArrayEncoding().(type) {
	case *encodings20.ArrayEncoding_Flat:
		if s := a.Flat.GetCompression().GetScheme(); s != "" {
			return s + "(flat)"
		}
		return "flat"
	case *encodings20.ArrayEncoding_Nullable:
		switch n := a.Nullable.GetNullability().(type) {
		case *encodings20.Nullable_NoNulls:
			return arrayText(n.NoNulls.GetValues())
		case *encodings20.Nullable_SomeNulls:
			return "nullable(" + arrayText(n.SomeNulls.GetValues()) + ")"
		case *encodings20.Nullable_AllNulls:
			return "all-null"
		}
	case *encodings20.ArrayEncoding_FixedSizeList:
		return fmt.Sprintf("fixed-size-list[%d](%s)", a.FixedSizeList.GetDimension(), arrayText(a.FixedSizeList.GetItems()))
	case *encodings20.ArrayEncoding_List:
		return "list(" + arrayText(a.List.GetOffsets()) + ")"
	case *encodings20.ArrayEncoding_Struct:
		return "struct"
	case *encodings20.ArrayEncoding_Binary:
		return within("binary", arrayText(a.Binary.GetBytes()), "flat")
	case *encodings20.ArrayEncoding_Dictionary:
		return "dictionary(" + arrayText(a.Dictionary.GetItems()) + ")"
	case *encodings20.ArrayEncoding_Fsst:
		return within("fsst", arrayText(a.Fsst.GetBinary()), "binary")
	case *encodings20.ArrayEncoding_PackedStruct:
		return "packed-struct"
	case *encodings20.ArrayEncoding_Bitpacked, *encodings20.ArrayEncoding_BitpackedForNonNeg:
		return "bitpack"
	case *encodings20.ArrayEncoding_FixedSizeBinary:
		return within("fixed-size-binary", arrayText(a.FixedSizeBinary.GetBytes()), "flat")
	case *encodings20.ArrayEncoding_Constant:
		return "constant"
	}
	return unknownText
}
