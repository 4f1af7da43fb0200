package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// This file is the table of what can be read: the layouts of pages, the compressive encodings of versions 2.1 and later,
// and the array encodings of 2.0, each with who decodes it. Whatever is not in it is an ErrUnsupported that names the
// encoding and the place.

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

// formsOf gives the decoders of a compressive encoding, none for one that is not known.
func formsOf(e *pb.CompressiveEncoding) forms {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		return flatForms(e, c.Flat)
	case *pb.CompressiveEncoding_InlineBitpacking:
		return inlineForms(e, c.InlineBitpacking)
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		return outOfLineForms(e, c.OutOfLineBitpacking)
	case *pb.CompressiveEncoding_Variable:
		return variableForms(c.Variable)
	case *pb.CompressiveEncoding_Fsst:
		return fsstForms(c.Fsst)
	case *pb.CompressiveEncoding_Rle:
		return runForms(c.Rle)
	case *pb.CompressiveEncoding_ByteStreamSplit:
		return splitForms(c.ByteStreamSplit)
	case *pb.CompressiveEncoding_General:
		return generalForms(e, c.General)
	case *pb.CompressiveEncoding_FixedSizeList:
		return fixedListForms(c.FixedSizeList)
	case *pb.CompressiveEncoding_PackedStruct:
		return packedForms(c.PackedStruct)
	case *pb.CompressiveEncoding_VariablePackedStruct:
		return packedTextForms(c.VariablePackedStruct)
	case *pb.CompressiveEncoding_Constant:
		return constantForms(c.Constant)
	case *pb.CompressiveEncoding_Range:
		return rangeForms(c.Range)
	case *pb.CompressiveEncoding_Delta:
		return deltaForms(c.Delta)
	case *pb.CompressiveEncoding_Dictionary:
		return dictionaryForms(c.Dictionary)
	}
	return forms{}
}

// decode is the task of reading rows of an encoding as values of type want.
func (p *page20) decode(e *encodings20.ArrayEncoding, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	if depth > maxNesting20 {
		return task20{}, p.corruptf("encodings are nested more than %d levels deep", maxNesting20)
	}
	if n := countRows20(rows); n > math.MaxInt32 {
		return task20{}, p.tooMuchf("%d values are wanted at once", n)
	}
	switch a := e.GetArrayEncoding().(type) {
	case *encodings20.ArrayEncoding_Flat:
		return p.flat(a.Flat, rows, want)
	case *encodings20.ArrayEncoding_Nullable:
		return p.nullable(a.Nullable, rows, want, depth)
	case *encodings20.ArrayEncoding_FixedSizeList:
		return p.fixedSizeList(a.FixedSizeList, rows, want, depth)
	case *encodings20.ArrayEncoding_Binary:
		return p.binary(a.Binary, rows, want, depth)
	case *encodings20.ArrayEncoding_Dictionary:
		return p.dictionary(a.Dictionary, rows, want, depth)
	case *encodings20.ArrayEncoding_Fsst:
		return p.fsst(a.Fsst, rows, want, depth)
	case *encodings20.ArrayEncoding_PackedStruct:
		return p.packedStruct(a.PackedStruct, rows, want)
	case *encodings20.ArrayEncoding_Bitpacked:
		return p.bitpacked(a.Bitpacked, rows, want)
	case *encodings20.ArrayEncoding_BitpackedForNonNeg:
		return p.bitpackedForNonNeg(a.BitpackedForNonNeg, rows, want)
	case *encodings20.ArrayEncoding_FixedSizeBinary:
		return p.fixedSizeBinary(a.FixedSizeBinary, rows, want, depth)
	case *encodings20.ArrayEncoding_Constant:
		return p.constant(a.Constant, rows, want)
	}
	return task20{}, p.unsupportedf("encoding %s of values of type %s is not supported", kindOf20(e), want)
}
