package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// MaxFixedWidth bounds the widths and dimensions that a type may have.
const MaxFixedWidth = 1 << 30

// settle sets the types of a field and of all below it.
func (f *Field) settle(object string) error {
	for _, c := range f.Children {
		if err := c.settle(object); err != nil {
			return err
		}
	}
	wrap := func(err error) error {
		return fmt.Errorf("%s: column %s: %w", object, strings.Join(f.Path(), "."), err)
	}
	var err error
	if f.Storage, err = f.typeOf(object, func(c *Field) arrow.Field {
		return arrow.Field{Name: c.Name, Type: c.Storage, Nullable: c.Nullable, Metadata: c.Metadata}
	}); err != nil {
		return wrap(err)
	}
	if f.Type, err = f.typeOf(object, (*Field).Arrow); err != nil {
		return wrap(err)
	}
	f.Packed = f.Logical == "struct" && (f.metadataIs(packedKey, "true") || f.metadataIs(legacyPackedKey, "true"))
	name, _ := f.Metadata.GetValue(ExtensionName)
	switch {
	case f.Logical == logicalJSON:
		f.Type = arrow.BinaryTypes.String
	case f.Logical == "struct" && name == blobV2Name:
		f.Blob, f.Type = BlobV2, arrow.BinaryTypes.LargeBinary
	case f.Logical == "blob", f.Storage.ID() == arrow.LARGE_BINARY && f.metadataIs(blobKey, "true"):
		f.Blob = BlobV1
	}
	return nil
}

func (f *Field) metadataIs(key, value string) bool {
	v, ok := f.Metadata.GetValue(key)
	return ok && strings.EqualFold(v, value)
}

// typeOf makes the field's type, with children as child gives them.
func (f *Field) typeOf(object string, child func(*Field) arrow.Field) (arrow.DataType, error) {
	kids := make([]arrow.Field, len(f.Children))
	for i, c := range f.Children {
		kids[i] = child(c)
	}
	want := func(n int) error {
		if len(kids) != n {
			return errs.Corruptf(object, -1, "type %q with %d child fields", f.Logical, len(kids))
		}
		return nil
	}
	switch f.Logical {
	case "struct":
		return arrow.StructOf(kids...), nil
	case "list", "list.struct":
		if err := want(1); err != nil {
			return nil, err
		}
		return arrow.ListOfField(kids[0]), nil
	case "large_list", "large_list.struct":
		if err := want(1); err != nil {
			return nil, err
		}
		return arrow.LargeListOfField(kids[0]), nil
	case "map":
		if err := want(1); err != nil {
			return nil, err
		}
		return mapType(kids[0], object)
	}
	if rest, ok := strings.CutPrefix(f.Logical, "fixed_size_list:struct:"); ok {
		n, err := width(rest)
		if err != nil || n == 0 || len(kids) != 1 || kids[0].Type.ID() != arrow.STRUCT {
			return nil, errs.Corruptf(object, -1, "type %q with %d child fields", f.Logical, len(kids))
		}
		return arrow.FixedSizeListOfField(n, kids[0]), nil
	}
	if err := want(0); err != nil {
		return nil, err
	}
	return parseLogical(f.Logical, 0)
}

// mapType makes a map of its entries field: a struct of key and value.
func mapType(entries arrow.Field, object string) (arrow.DataType, error) {
	st, ok := entries.Type.(*arrow.StructType)
	if !ok || st.NumFields() != 2 {
		return nil, errs.Corruptf(object, -1, "a map's entries are %s", entries.Type)
	}
	key, value := st.Field(0), st.Field(1)
	key.Nullable = false
	if mapsIn(value.Type) >= maxMaps {
		return nil, errs.Unsupportedf("%s: maps nested more than %d deep", object, maxMaps)
	}
	return arrow.MapOfFields(key, value), nil
}

// maxMaps is how many maps there may be in one another: arrow-go makes the arrays below a map twice, so that time and memory
// double with each.
const maxMaps = 8

// mapsIn counts the maps in one another in a type.
func mapsIn(t arrow.DataType) (n int) {
	if nested, ok := t.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			n = max(n, mapsIn(f.Type))
		}
	}
	if t.ID() == arrow.MAP {
		n++
	}
	return n
}

// simple are the logical types that are one word.
var simple = map[string]arrow.DataType{
	"null":       arrow.Null,
	"bool":       arrow.FixedWidthTypes.Boolean,
	"int8":       arrow.PrimitiveTypes.Int8,
	"int16":      arrow.PrimitiveTypes.Int16,
	"int32":      arrow.PrimitiveTypes.Int32,
	"int64":      arrow.PrimitiveTypes.Int64,
	"uint8":      arrow.PrimitiveTypes.Uint8,
	"uint16":     arrow.PrimitiveTypes.Uint16,
	"uint32":     arrow.PrimitiveTypes.Uint32,
	"uint64":     arrow.PrimitiveTypes.Uint64,
	"halffloat":  arrow.FixedWidthTypes.Float16,
	"float":      arrow.PrimitiveTypes.Float32,
	"double":     arrow.PrimitiveTypes.Float64,
	"string":     arrow.BinaryTypes.String,
	"binary":     arrow.BinaryTypes.Binary,
	logicalJSON:  arrow.BinaryTypes.LargeBinary,
	"blob":       arrow.BinaryTypes.LargeBinary,
	"date32:day": arrow.FixedWidthTypes.Date32,
	"date64:ms":  arrow.FixedWidthTypes.Date64,
	"time32:s":   arrow.FixedWidthTypes.Time32s,
	"time32:ms":  arrow.FixedWidthTypes.Time32ms,
	"time64:us":  arrow.FixedWidthTypes.Time64us,
	"time64:ns":  arrow.FixedWidthTypes.Time64ns,

	"large_string": arrow.BinaryTypes.LargeString,
	"large_binary": arrow.BinaryTypes.LargeBinary,
}

// units are the units of timestamps and durations.
var units = map[string]arrow.TimeUnit{"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond}

// parseLogical makes the type of a logical type that has no child fields.
func parseLogical(s string, depth int) (arrow.DataType, error) {
	if t, ok := simple[s]; ok {
		return t, nil
	}
	unknown := func() error { return errs.Unsupportedf("type %q is not supported", s) }
	if depth > MaxNesting {
		return nil, errs.Corruptf("schema", -1, "a type is nested more than %d levels deep", MaxNesting)
	}
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "decimal":
		return decimalType(rest, unknown)
	case "fixed_size_binary":
		n, err := width(rest)
		if err != nil {
			return nil, unknown()
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: int(n)}, nil
	case "timestamp":
		// A zone may hold colons, as in "+08:00".
		unit, zone, ok := strings.Cut(rest, ":")
		u, known := units[unit]
		if !ok || !known {
			return nil, unknown()
		}
		if zone == "-" {
			zone = ""
		}
		return &arrow.TimestampType{Unit: u, TimeZone: zone}, nil
	case "duration":
		u, known := units[rest]
		if !known {
			return nil, unknown()
		}
		return &arrow.DurationType{Unit: u}, nil
	case "dict":
		return dictType(rest, depth, unknown)
	case "fixed_size_list":
		return fixedListType(rest, depth, unknown)
	}
	return nil, unknown()
}

// decimalType reads "128:P:S" or "256:P:S".
func decimalType(rest string, unknown func() error) (arrow.DataType, error) {
	parts := strings.Split(rest, ":")
	if len(parts) != 3 {
		return nil, unknown()
	}
	precision, err1 := strconv.ParseInt(parts[1], 10, 32)
	scale, err2 := strconv.ParseInt(parts[2], 10, 8)
	if err1 != nil || err2 != nil || precision < 1 {
		return nil, unknown()
	}
	switch {
	case parts[0] == "128" && precision <= 38:
		return &arrow.Decimal128Type{Precision: int32(precision), Scale: int32(scale)}, nil
	case parts[0] == "256" && precision <= 76:
		return &arrow.Decimal256Type{Precision: int32(precision), Scale: int32(scale)}, nil
	}
	return nil, unknown()
}

// dictType reads "VALUE:KEY:ORDERED"; the value type holds no colon.
func dictType(rest string, depth int, unknown func() error) (arrow.DataType, error) {
	parts := strings.Split(rest, ":")
	if len(parts) != 3 {
		return nil, unknown()
	}
	value, err := parseLogical(parts[0], depth+1)
	if err != nil {
		return nil, err
	}
	key, err := parseLogical(parts[1], depth+1)
	if err != nil {
		return nil, err
	}
	if !arrow.IsInteger(key.ID()) {
		return nil, unknown()
	}
	return &arrow.DictionaryType{IndexType: key, ValueType: value, Ordered: parts[2] == "true"}, nil
}

// fixedListType reads "ITEM:DIMENSION"; the item type may hold colons of its own.
func fixedListType(rest string, depth int, unknown func() error) (arrow.DataType, error) {
	cut := strings.LastIndexByte(rest, ':')
	if cut < 0 {
		return nil, unknown()
	}
	n, err := width(rest[cut+1:])
	if err != nil || n == 0 {
		return nil, unknown()
	}
	item := arrow.Field{Name: "item", Nullable: true}
	if rest[:cut] == "lance.bfloat16" {
		item.Type = &arrow.FixedSizeBinaryType{ByteWidth: 2}
		item.Metadata = arrow.NewMetadata([]string{extensionMetadata, ExtensionName}, []string{"", "lance.bfloat16"})
	} else if item.Type, err = parseLogical(rest[:cut], depth+1); err != nil {
		return nil, err
	}
	if !fixedWidth(item.Type) {
		return nil, unknown()
	}
	return arrow.FixedSizeListOfField(n, item), nil
}

// fixedWidth tells whether values of a type all take the same room.
func fixedWidth(t arrow.DataType) bool {
	if l, ok := t.(*arrow.FixedSizeListType); ok {
		return fixedWidth(l.Elem())
	}
	_, ok := t.(arrow.FixedWidthDataType)
	return ok && t.ID() != arrow.DICTIONARY
}

// width reads a byte width or a dimension.
func width(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 || n > MaxFixedWidth {
		return 0, errs.Unsupportedf("width %q is not supported", s)
	}
	return int32(n), nil
}
