package encoding

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// Version 2.3 describes a page's structure apart from its values. A dense structure has levels, and the page is laid out
// as one of version 2.2; a sparse one has positions.

// planarType is the message that describes a page in version 2.3.
const planarType = "lance.encodings23.PlanarLayout"

// newPlanar gives the reader of a page of version 2.3.
func newPlanar(p *page, m *pb23.PlanarLayout) (layout, error) {
	switch s := m.GetStructure().GetCodec().(type) {
	case *pb23.StructuralPlane_Dense:
		l, err := denseLayout(p, s.Dense.GetLayers(), m.GetValues())
		if err != nil {
			return nil, err
		}
		return newLayout(p, l)
	case *pb23.StructuralPlane_Sparse:
		return newSparse(p, s.Sparse, m.GetValues())
	}
	return nil, errs.Unsupportedf("a page structure that this version does not know")
}

// denseLayout gives the description that the page would have in version 2.2.
func denseLayout(p *page, layers []pb.RepDefLayer, m *pb23.ValuePlane) (*pb.PageLayout, error) {
	switch v := m.GetCodec().(type) {
	case *pb23.ValuePlane_Chunked:
		c := v.Chunked
		if c.GetLevels() == nil {
			return nil, corruptf("chunked page without levels in a dense structure")
		}
		if (c.GetDictionary() != nil) != (c.GetNumDictionaryItems() > 0) {
			return nil, corruptf("dictionary of %d values", c.GetNumDictionaryItems())
		}
		return &pb.PageLayout{Layout: &pb.PageLayout_MiniBlockLayout{MiniBlockLayout: &pb.MiniBlockLayout{
			RepCompression: c.GetLevels().GetRepetition(), DefCompression: c.GetLevels().GetDefinition(),
			ValueCompression: c.GetCompression(), Dictionary: c.GetDictionary(), NumDictionaryItems: c.GetNumDictionaryItems(),
			Layers: layers, NumBuffers: c.GetNumBuffers(), NumItems: c.GetNumItems(), HasLargeChunk: true,
			RepetitionIndexDepth: uint64(c.GetLevels().GetRepetitionIndexDepth()),
		}}}, nil
	case *pb23.ValuePlane_Zipped:
		if v.Zipped.GetLevels() == nil {
			return nil, corruptf("zipped page without levels in a dense structure")
		}
		return &pb.PageLayout{Layout: &pb.PageLayout_FullZipLayout{FullZipLayout: zipLayout(v.Zipped, layers)}}, nil
	case *pb23.ValuePlane_Constant:
		for _, l := range layers {
			if l != pb.RepDefLayer_REPDEF_ALL_VALID_ITEM {
				return nil, corruptf("constant page of a dense structure with layer %s", l)
			}
		}
		return constantLayout(p, layers, v.Constant.GetScalar())
	case *pb23.ValuePlane_None:
		if len(layers) != 1 || layers[0] != pb.RepDefLayer_REPDEF_NULLABLE_ITEM {
			return nil, corruptf("page without values of a dense structure of %d layers", len(layers))
		}
		return constantLayout(p, layers, nil)
	}
	return nil, errs.Unsupportedf("a value plane that this version does not know, in a dense structure")
}

func constantLayout(p *page, layers []pb.RepDefLayer, value []byte) (*pb.PageLayout, error) {
	return &pb.PageLayout{Layout: &pb.PageLayout_ConstantLayout{ConstantLayout: &pb.ConstantLayout{Layers: layers, InlineValue: value}}}, p.buffers(0)
}

// zipLayout gives the description of zipped values in version 2.2.
func zipLayout(z *pb23.ZippedValues, layers []pb.RepDefLayer) *pb.FullZipLayout {
	out := &pb.FullZipLayout{
		BitsRep: uint64(z.GetLevels().GetBitsRepetition()), BitsDef: uint64(z.GetLevels().GetBitsDefinition()),
		NumItems: z.GetNumItems(), NumVisibleItems: z.GetNumVisibleItems(), ValueCompression: z.GetCompression(), Layers: layers,
	}
	switch a := z.GetAddressing().(type) {
	case *pb23.ZippedValues_BitsPerValue:
		out.Details = &pb.FullZipLayout_BitsPerValue{BitsPerValue: uint64(a.BitsPerValue)}
	case *pb23.ZippedValues_BitsPerOffset:
		out.Details = &pb.FullZipLayout_BitsPerOffset{BitsPerOffset: uint64(a.BitsPerOffset)}
	}
	return out
}

// checkStable refuses, in a description of a version before 2.3, what the encodings learned with that version.
func checkStable(m protoreflect.Message) error {
	var err error
	switch e := m.Interface().(type) {
	case *pb.Variable:
		_, err = offsetWidth(e)
	case *pb.Rle:
		_, err = runsWidth(e)
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case err != nil || f.Message() == nil:
		case f.IsList():
			for i := 0; i < v.List().Len() && err == nil; i++ {
				err = checkStable(v.List().Get(i).Message())
			}
		default:
			err = checkStable(v.Message())
		}
		return err == nil
	})
	return err
}
