package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// kind tells how a leaf's values are stored, whatever they mean.
type kind int

const (
	kindNull   kind = iota // no values at all
	kindBool               // one bit
	kindFixed              // whole bytes
	kindVar                // byte strings with offsets
	kindFSL                // fixed-size list of a leaf kind
	kindDict               // keys into values that each page holds
	kindEmpty              // a struct without members: only validity
	kindPacked             // a struct stored row by row
)

// shape is the storage of one leaf column.
type shape struct {
	kind   kind
	width  int    // kindFixed: bytes of a value; kindVar: bytes of an offset of the Arrow type; kindDict: bytes of a key
	limit  uint64 // kindDict: how many values the keys can tell apart
	dim    int    // kindFSL: items of a value
	parts  []shape
	dtypes []arrow.DataType // of parts: kindFSL has one item, kindDict the values, kindPacked the members
}

// storage strips extension types.
func storage(dt arrow.DataType) arrow.DataType {
	for {
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = ext.StorageType()
	}
}

// maxDimension bounds the product of the dimensions of nested fixed-size lists.
const maxDimension = math.MaxInt32

// shapeOf gives the storage of a leaf of an Arrow type. Structs, lists and maps are no leaves.
func shapeOf(dt arrow.DataType) (shape, error) {
	switch t := storage(dt).(type) {
	case *arrow.NullType:
		return shape{kind: kindNull}, nil
	case *arrow.BooleanType:
		return shape{kind: kindBool}, nil
	case *arrow.StringType, *arrow.BinaryType:
		return shape{kind: kindVar, width: 4}, nil
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return shape{kind: kindVar, width: 8}, nil
	case *arrow.FixedSizeListType:
		return shapeOfFSL(t)
	case *arrow.DictionaryType:
		return shapeOfDictionary(t)
	case *arrow.StructType:
		return shapeOfStruct(t)
	case arrow.FixedWidthDataType:
		if bits := t.BitWidth(); bits >= 0 && bits%8 == 0 {
			return shape{kind: kindFixed, width: bits / 8}, nil
		}
	}
	return shape{}, errs.Unsupportedf("columns of type %s", dt)
}

func shapeOfFSL(t *arrow.FixedSizeListType) (shape, error) {
	items, err := shapeOf(t.Elem())
	if err != nil {
		return shape{}, err
	}
	if k := items.kind; k != kindFSL && k != kindFixed && k != kindBool {
		return shape{}, errs.Unsupportedf("columns of type %s", t)
	}
	dim := int64(t.Len())
	for p := items; p.kind == kindFSL; p = p.parts[0] {
		dim *= int64(p.dim)
		if dim > maxDimension {
			break
		}
	}
	if t.Len() < 0 || dim > maxDimension {
		return shape{}, errs.Unsupportedf("fixed-size lists of %d items", dim)
	}
	return shape{kind: kindFSL, dim: int(t.Len()), parts: []shape{items}, dtypes: []arrow.DataType{t.Elem()}}, nil
}

func shapeOfDictionary(t *arrow.DictionaryType) (shape, error) {
	values, err := shapeOf(t.ValueType)
	if err != nil {
		return shape{}, err
	}
	key, err := shapeOf(t.IndexType)
	if err != nil {
		return shape{}, err
	}
	if values.kind != kindVar && values.kind != kindFixed && values.kind != kindBool || key.kind != kindFixed {
		return shape{}, errs.Unsupportedf("columns of type %s", t)
	}
	limit := uint64(1) << min(8*key.width, 32)
	if !arrow.IsUnsignedInteger(t.IndexType.ID()) {
		limit = uint64(1) << min(8*key.width-1, 32)
	}
	return shape{kind: kindDict, width: key.width, limit: limit, parts: []shape{values}, dtypes: []arrow.DataType{t.ValueType}}, nil
}

// shapeOfStruct is for structs that are one column: without members, or packed.
func shapeOfStruct(t *arrow.StructType) (shape, error) {
	if t.NumFields() == 0 {
		return shape{kind: kindEmpty}, nil
	}
	s := shape{kind: kindPacked}
	for _, f := range t.Fields() {
		p, err := shapeOf(f.Type)
		if err != nil {
			return shape{}, err
		}
		if p.kind != kindFixed && p.kind != kindVar && p.kind != kindFSL && p.kind != kindBool {
			return shape{}, errs.Unsupportedf("packed structs with a member of type %s", f.Type)
		}
		s.parts, s.dtypes = append(s.parts, p), append(s.dtypes, f.Type)
	}
	return s, nil
}

// checkShape holds what an encoding says of the size of values against the column's shape, before room is made for them:
// the items of fixed-size lists, constants in these, members of packed structs.
func checkShape(e *pb.CompressiveEncoding, s shape) error {
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_General:
		return checkShape(c.General.GetValues(), s)
	case *pb.CompressiveEncoding_Constant:
		if n := len(c.Constant.GetValue()); uint64(n) > s.maxBytes() {
			return corruptf("constant of %d bytes where the type has %d", n, s.maxBytes())
		}
	case *pb.CompressiveEncoding_FixedSizeList:
		if s.kind != kindFSL || c.FixedSizeList.GetItemsPerValue() != uint64(s.dim) {
			return corruptf("fixed-size lists of %d items where the type has others", c.FixedSizeList.GetItemsPerValue())
		}
		return checkShape(c.FixedSizeList.GetValues(), s.parts[0])
	case *pb.CompressiveEncoding_VariablePackedStruct:
		fields := c.VariablePackedStruct.GetFields()
		if s.kind != kindPacked || len(fields) != len(s.parts) {
			return errs.Unsupportedf("%d of %d members of a packed struct", len(s.parts), len(fields))
		}
		for i, f := range fields {
			if w := f.GetBitsPerValue(); w/8 > s.parts[i].maxBytes() {
				return corruptf("packed member of %d bits where its type has %d bytes", w, s.parts[i].maxBytes())
			}
			if err := checkShape(f.GetValue(), s.parts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxBytes is what a value of fixed width takes at most, with the bitmaps of lists; 0 for values of other kinds.
func (s shape) maxBytes() uint64 {
	switch s.kind {
	case kindBool:
		return 1
	case kindFixed:
		return uint64(s.width)
	case kindFSL:
		return uint64(s.dim)*s.parts[0].maxBytes() + (uint64(s.dim)+7)/8
	}
	return 0
}
