package flightsql

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// longText is the size announced for texts and binary values, which have no bound of their own.
const longText = 2147483647

// statsPrefix starts the names of stats columns, which metadata calls leave out.
const statsPrefix = "__stats__:"

// sqlType is an Arrow type as SQL metadata tells it: a name of the kind that CAST takes without decoration, the size in
// decimal digits or characters, and the digits after the point.
type sqlType struct {
	name      string
	precision int32
	scale     int32
}

var plainTypes = map[arrow.Type]sqlType{
	arrow.NULL: {"NULL", 0, 0}, arrow.BOOL: {"BOOLEAN", 1, 0},
	arrow.INT8: {"TINYINT", 3, 0}, arrow.INT16: {"SMALLINT", 5, 0}, arrow.INT32: {"INTEGER", 10, 0}, arrow.INT64: {"BIGINT", 19, 0},
	arrow.UINT8: {"UTINYINT", 3, 0}, arrow.UINT16: {"USMALLINT", 5, 0}, arrow.UINT32: {"UINTEGER", 10, 0}, arrow.UINT64: {"UBIGINT", 20, 0},
	arrow.FLOAT16: {"FLOAT", 3, 0}, arrow.FLOAT32: {"FLOAT", 7, 0}, arrow.FLOAT64: {"DOUBLE", 15, 0},
	arrow.STRING: {"VARCHAR", longText, 0}, arrow.LARGE_STRING: {"VARCHAR", longText, 0}, arrow.STRING_VIEW: {"VARCHAR", longText, 0},
	arrow.BINARY: {"BLOB", longText, 0}, arrow.LARGE_BINARY: {"BLOB", longText, 0}, arrow.BINARY_VIEW: {"BLOB", longText, 0},
	arrow.DATE32: {"DATE", 10, 0}, arrow.DATE64: {"DATE", 10, 0},
	arrow.DURATION: {"INTERVAL", 19, 0}, arrow.INTERVAL_MONTHS: {"INTERVAL", 10, 0},
	arrow.INTERVAL_DAY_TIME: {"INTERVAL", 19, 3}, arrow.INTERVAL_MONTH_DAY_NANO: {"INTERVAL", 19, 9},
	arrow.LIST: {"LIST", 0, 0}, arrow.LARGE_LIST: {"LIST", 0, 0}, arrow.LIST_VIEW: {"LIST", 0, 0}, arrow.LARGE_LIST_VIEW: {"LIST", 0, 0},
	arrow.FIXED_SIZE_LIST: {"ARRAY", 0, 0}, arrow.STRUCT: {"STRUCT", 0, 0}, arrow.MAP: {"MAP", 0, 0},
	arrow.DENSE_UNION: {"UNION", 0, 0}, arrow.SPARSE_UNION: {"UNION", 0, 0},
}

func sqlTypeOf(t arrow.DataType) sqlType {
	switch t := t.(type) {
	case arrow.DecimalType:
		return sqlType{"DECIMAL", t.GetPrecision(), t.GetScale()}
	case *arrow.FixedSizeBinaryType:
		return sqlType{"BLOB", int32(t.ByteWidth), 0}
	case *arrow.Time32Type:
		return timeType("TIME", 8, t.Unit, "")
	case *arrow.Time64Type:
		return timeType("TIME", 8, t.Unit, "")
	case *arrow.TimestampType:
		return timeType("TIMESTAMP", 19, t.Unit, t.TimeZone)
	case *arrow.DictionaryType:
		return sqlTypeOf(t.ValueType)
	case *arrow.RunEndEncodedType:
		return sqlTypeOf(t.Encoded())
	case arrow.ExtensionType:
		return sqlTypeOf(t.StorageType())
	}
	if s, ok := plainTypes[t.ID()]; ok {
		return s
	}
	return sqlType{name: strings.ToUpper(t.Name())}
}

// typeText writes a type in full, as DESCRIBE shows it: with the fields of structs, the items of lists, and the digits of
// decimals.
func typeText(t arrow.DataType) string {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return typeText(t.StorageType())
	case *arrow.StructType:
		parts := make([]string, t.NumFields())
		for i, f := range t.Fields() {
			parts[i] = expr.FieldPath{f.Name}.Key() + " " + typeText(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	case *arrow.MapType:
		return "MAP(" + typeText(t.KeyType()) + ", " + typeText(t.ItemType()) + ")"
	case *arrow.FixedSizeListType:
		return typeText(t.Elem()) + "[" + strconv.Itoa(int(t.Len())) + "]"
	case arrow.ListLikeType:
		return typeText(t.Elem()) + "[]"
	case arrow.DecimalType:
		return "DECIMAL(" + strconv.Itoa(int(t.GetPrecision())) + "," + strconv.Itoa(int(t.GetScale())) + ")"
	}
	return sqlTypeOf(t).name
}

// timeType counts the characters of the text form, as JDBC defines the size of times.
func timeType(name string, chars int32, unit arrow.TimeUnit, zone string) sqlType {
	digits := int32(expr.FractionDigits(unit))
	if digits > 0 {
		chars += 1 + digits
	}
	if zone != "" {
		name += " WITH TIME ZONE"
		chars += int32(len("+00:00"))
	}
	return sqlType{name, chars, digits}
}

// sqlSchema gives a result's schema with the SQL metadata on each column: JDBC takes precision and scale from there.
// Columns keep the metadata that they have. The table's name stands on the columns where one is given.
func sqlSchema(s *arrow.Schema, table ...string) *arrow.Schema {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		t := sqlTypeOf(f.Type)
		set := map[string]string{
			fsql.TypeNameKey:  t.name,
			fsql.PrecisionKey: strconv.Itoa(int(t.precision)),
			fsql.ScaleKey:     strconv.Itoa(int(t.scale)),
		}
		if len(table) == 3 {
			set[fsql.CatalogNameKey], set[fsql.SchemaNameKey], set[fsql.TableNameKey] = table[0], table[1], table[2]
			if remarks, ok := remarksOf(f.Metadata); ok {
				set[fsql.RemarksKey] = remarks
			}
		}
		f.Metadata = withMetadata(f.Metadata, set)
		fields[i] = f
	}
	md := s.Metadata()
	return arrow.NewSchemaWithEndian(fields, &md, s.Endianness())
}

// remarksOf gives a column's comment, by the keys that writers use for it.
func remarksOf(md arrow.Metadata) (string, bool) {
	for _, key := range []string{"comment", "description"} {
		if v, ok := md.GetValue(key); ok {
			return v, true
		}
	}
	return "", false
}

// withMetadata gives md with some keys set, in a fixed order: those that were there, then the new ones sorted.
func withMetadata(md arrow.Metadata, set map[string]string) arrow.Metadata {
	keys := make([]string, 0, md.Len()+len(set))
	values := make([]string, 0, cap(keys))
	for i, k := range md.Keys() {
		if _, replaced := set[k]; !replaced {
			keys, values = append(keys, k), append(values, md.Values()[i])
		}
	}
	more := arrow.MetadataFrom(set) // sorted by key
	return arrow.NewMetadata(append(keys, more.Keys()...), append(values, more.Values()...))
}

// visibleSchema leaves the columns that are there by name only out of a table's schema.
func visibleSchema(s *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, f := range s.Fields() {
		if _, hidden := scan.Hidden(f); !hidden && !strings.HasPrefix(f.Name, statsPrefix) {
			fields = append(fields, f)
		}
	}
	md := s.Metadata()
	return arrow.NewSchemaWithEndian(fields, &md, s.Endianness())
}
