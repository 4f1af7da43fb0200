package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// This file is the table of what can be read: for each place where an encoding can stand, the kinds that may stand there
// and who decodes them. Whatever is in none of them is an ErrUnsupported that names the encoding and the place.

// newLayout gives the reader of a page's layout.
func newLayout(p *page, l *pb.PageLayout) (layout, error) {
	_, constant := l.GetLayout().(*pb.PageLayout_ConstantLayout)
	if p.leaf.shape.kind == kindEmpty && !constant {
		return nil, corruptf("page of a struct without members that is not constant")
	}
	switch l := l.GetLayout().(type) {
	case *pb.PageLayout_MiniBlockLayout:
		return newMiniBlock(p, l.MiniBlockLayout)
	case *pb.PageLayout_FullZipLayout:
		return newFullZip(p, l.FullZipLayout)
	case *pb.PageLayout_ConstantLayout:
		return newConstant(p, l.ConstantLayout)
	case *pb.PageLayout_BlobLayout:
		return newBlobPage(p, l.BlobLayout)
	}
	return nil, errs.Unsupportedf("a page layout that this version does not know")
}

// newChunkCodec gives the decoder of the values in the chunks of a mini-block page.
func newChunkCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (chunkCodec, error) {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return newFlatChunk(c.Flat)
	case *pb.CompressiveEncoding_InlineBitpacking:
		return newBitpackedChunk(c.InlineBitpacking)
	case *pb.CompressiveEncoding_Variable:
		return newVariableChunk(c.Variable, d)
	case *pb.CompressiveEncoding_Fsst:
		return newFSSTChunk(c.Fsst, d)
	case *pb.CompressiveEncoding_Rle:
		return newRunsChunk(c.Rle, d)
	case *pb.CompressiveEncoding_ByteStreamSplit:
		return newSplitChunk(c.ByteStreamSplit)
	case *pb.CompressiveEncoding_General:
		return newGeneralChunk(c.General, d)
	case *pb.CompressiveEncoding_FixedSizeList:
		return newListChunk(c.FixedSizeList, d)
	case *pb.CompressiveEncoding_PackedStruct:
		return newPackedChunk(c.PackedStruct, d)
	}
	return nil, errs.Unsupportedf("encoding %s in a mini-block page", encodingName(e))
}

// newRowCodec gives the decoder of the values of a full-zip page that all have one size.
func newRowCodec(e *pb.CompressiveEncoding) (rowCodec, error) {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return newFlatRows(c.Flat)
	case *pb.CompressiveEncoding_FixedSizeList:
		return newListRows(c.FixedSizeList)
	case *pb.CompressiveEncoding_PackedStruct:
		return newPackedRows(c.PackedStruct)
	}
	return nil, errs.Unsupportedf("encoding %s in a full-zip page of fixed-width values", encodingName(e))
}

// newTextCodec gives the decoder of the values of a full-zip page that have sizes of their own.
func newTextCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (textCodec, error) {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Variable:
		return plainText{}, checkOffsets(c.Variable)
	case *pb.CompressiveEncoding_Fsst:
		return newFSSTText(c.Fsst)
	case *pb.CompressiveEncoding_General:
		return newGeneralText(c.General, d)
	case *pb.CompressiveEncoding_VariablePackedStruct:
		return newPackedText(c.VariablePackedStruct, d)
	}
	return nil, errs.Unsupportedf("encoding %s in a full-zip page of variable-width values", encodingName(e))
}

// newBlockCodec gives the decoder of a block that stands alone: levels, dictionaries.
func newBlockCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (blockCodec, error) {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return newFlatBlock(c.Flat)
	case *pb.CompressiveEncoding_InlineBitpacking:
		return newInlineBlock(c.InlineBitpacking)
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		return newOutOfLineBlock(c.OutOfLineBitpacking)
	case *pb.CompressiveEncoding_Rle:
		if isLongRuns(c.Rle) {
			r, err := newLongRuns(c.Rle, d)
			return longRunsBlock{r}, err
		}
		return newRunsBlock(c.Rle)
	case *pb.CompressiveEncoding_General:
		return newGeneralBlock(c.General, d)
	case *pb.CompressiveEncoding_Variable:
		return variableBlock{}, checkOffsets(c.Variable)
	case *pb.CompressiveEncoding_FixedSizeList:
		return newListBlock(c.FixedSizeList)
	}
	return nil, errs.Unsupportedf("encoding %s in a block", encodingName(e))
}

// encodingName is the name of an encoding's kind, for errors.
func encodingName(e *pb.CompressiveEncoding) string {
	m := e.ProtoReflect()
	set := m.WhichOneof(m.Descriptor().Oneofs().ByName("compression"))
	if set == nil {
		return "(none, or one that this version does not know)"
	}
	return string(set.Name())
}
