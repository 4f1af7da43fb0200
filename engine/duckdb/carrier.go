package duckdb

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// form tells how values of an Arrow type stand in DuckDB's vectors.
type form int

const (
	plain        form = iota // fixed-width values, bytes as they are
	bits                     // bool
	text                     // the utf8 types, as VARCHAR
	blob                     // the binary types, as BLOB
	scaled                   // integers times factor, as the 64-bit TIME or TIMESTAMPTZ of microseconds
	wholeDays                // date64, as DATE
	half                     // float16, as FLOAT
	decimalForm              // decimals of at most 38 digits, as DECIMAL
	span                     // durations times factor, as INTERVAL of microseconds
	interval                 // Arrow's interval types, as INTERVAL
	nothing                  // null, as INTEGER
	boxedInt                 // 64-bit values that DuckDB has no type for, in a STRUCT of one field
	boxedDecimal             // decimals beyond DuckDB's, order-preserving bytes in a STRUCT of one field
	boxedEmpty               // the struct without fields, a BOOLEAN in a STRUCT of one field
	listForm                 // lists of any kind, as LIST
	arrayForm                // fixed-size lists, as ARRAY
	structForm               // STRUCT
	mapForm                  // MAP
	dictForm                 // dictionaries, as their values
	hugeForm                 // HUGEINT, which comes back as decimal(38, 0); from DuckDB only
	enumForm                 // ENUM, which comes back as utf8; from DuckDB only
	uuidForm                 // UUID, which comes back as utf8; from DuckDB only
)

// carrier is the lossless way of an Arrow type through DuckDB and back. What DuckDB has no type for stands in a STRUCT
// with one marked field: equal values are equal there and sort alike, such a value finds its way back from any place
// in a result, and no function, operator or cast of DuckDB takes it for something else.
type carrier struct {
	form   form
	arrow  arrow.DataType // as the table has it, extension types included
	duck   *duckType
	width  int   // bytes of a value: of plain, and of the integers of scaled and span
	factor int64 // of scaled and span
	kids   []*carrier
}

// markPrefix starts the name of the field of a boxed value.
const markPrefix = "\x01"

// The limits of ARRAY: DuckDB's vectors hold 2048 of them at once, so wide ones go as LIST.
const (
	maxArrayItems = 4096
	maxArrayBytes = 16 << 10
)

func boxed(mark string, inner db.Type) *duckType {
	return &duckType{id: db.TypeStruct, names: []string{markPrefix + mark}, kids: []*duckType{simple(inner)}}
}

// carrierFor gives the way of an Arrow type.
func carrierFor(t arrow.DataType) (*carrier, error) {
	c, err := carrierOf(t)
	if err != nil {
		return nil, err
	}
	c.arrow = t
	return c, nil
}

func carrierOf(t arrow.DataType) (*carrier, error) {
	if id, ok := plainTypes[t.ID()]; ok {
		return &carrier{form: plain, duck: simple(id), width: t.(arrow.FixedWidthDataType).Bytes()}, nil
	}
	switch t := t.(type) {
	case arrow.ExtensionType:
		return carrierOf(t.StorageType())
	case *arrow.NullType:
		return &carrier{form: nothing, duck: simple(db.TypeInteger)}, nil
	case *arrow.BooleanType:
		return &carrier{form: bits, duck: simple(db.TypeBoolean)}, nil
	case *arrow.Float16Type:
		return &carrier{form: half, duck: simple(db.TypeFloat)}, nil
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return &carrier{form: text, duck: simple(db.TypeVarchar)}, nil
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return &carrier{form: blob, duck: simple(db.TypeBlob)}, nil
	case *arrow.Date64Type:
		return &carrier{form: wholeDays, duck: simple(db.TypeDate)}, nil
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return &carrier{form: interval, duck: simple(db.TypeInterval)}, nil
	case *arrow.Time32Type:
		return &carrier{form: scaled, duck: simple(db.TypeTime), width: 4, factor: microsIn(t.Unit)}, nil
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return &carrier{form: plain, duck: simple(db.TypeTimeNS), width: 8}, nil
		}
		return &carrier{form: plain, duck: simple(db.TypeTime), width: 8}, nil
	case *arrow.DurationType:
		if t.Unit == arrow.Nanosecond {
			return &carrier{form: boxedInt, duck: boxed("duration[ns]", db.TypeBigInt)}, nil
		}
		return &carrier{form: span, duck: simple(db.TypeInterval), width: 8, factor: microsIn(t.Unit)}, nil
	case *arrow.TimestampType:
		return timestampCarrier(t), nil
	case arrow.DecimalType:
		return decimalCarrier(t), nil
	case *arrow.DictionaryType:
		v, err := carrierFor(t.ValueType)
		if err != nil {
			return nil, err
		}
		return &carrier{form: dictForm, duck: v.duck, kids: []*carrier{v}}, nil
	}
	return nestedCarrier(t)
}

var plainTypes = map[arrow.Type]db.Type{
	arrow.INT8: db.TypeTinyInt, arrow.INT16: db.TypeSmallInt, arrow.INT32: db.TypeInteger, arrow.INT64: db.TypeBigInt,
	arrow.UINT8: db.TypeUTinyInt, arrow.UINT16: db.TypeUSmallInt, arrow.UINT32: db.TypeUInteger, arrow.UINT64: db.TypeUBigInt,
	arrow.FLOAT32: db.TypeFloat, arrow.FLOAT64: db.TypeDouble, arrow.DATE32: db.TypeDate,
}

func microsIn(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 1_000_000
	case arrow.Millisecond:
		return 1000
	}
	return 1
}

func timestampCarrier(t *arrow.TimestampType) *carrier {
	if t.TimeZone != "" {
		if t.Unit == arrow.Nanosecond {
			return &carrier{form: boxedInt, duck: boxed("timestamp[ns, tz]", db.TypeBigInt)}
		}
		if t.Unit == arrow.Microsecond {
			return &carrier{form: plain, duck: simple(db.TypeTimestampTZ), width: 8}
		}
		return &carrier{form: scaled, duck: simple(db.TypeTimestampTZ), width: 8, factor: microsIn(t.Unit)}
	}
	ids := map[arrow.TimeUnit]db.Type{arrow.Second: db.TypeTimestampS, arrow.Millisecond: db.TypeTimestampMS,
		arrow.Microsecond: db.TypeTimestamp, arrow.Nanosecond: db.TypeTimestampNS}
	return &carrier{form: plain, duck: simple(ids[t.Unit]), width: 8}
}

func decimalCarrier(t arrow.DecimalType) *carrier {
	p, s := t.GetPrecision(), t.GetScale()
	if t.ID() == arrow.DECIMAL256 && p > 38 || p > 38 || s < 0 || s > p || p < 1 {
		return &carrier{form: boxedDecimal, duck: boxed(fmt.Sprintf("decimal256(%d, %d)", p, s), db.TypeBlob)}
	}
	return &carrier{form: decimalForm, duck: &duckType{id: db.TypeDecimal, width: uint8(p), scale: uint8(s)}}
}

func nestedCarrier(t arrow.DataType) (*carrier, error) {
	switch t := t.(type) {
	case *arrow.StructType:
		return structCarrier(t)
	case *arrow.MapType:
		k, err := carrierFor(t.KeyType())
		if err != nil {
			return nil, err
		}
		v, err := carrierFor(t.ItemType())
		if err != nil {
			return nil, err
		}
		return &carrier{form: mapForm, duck: &duckType{id: db.TypeMap, kids: []*duckType{k.duck, v.duck}}, kids: []*carrier{k, v}}, nil
	case arrow.ListLikeType: // lists, large lists, fixed-size lists and list views
		item, err := carrierFor(t.Elem())
		if err != nil {
			return nil, err
		}
		if fsl, ok := t.(*arrow.FixedSizeListType); ok && arrayFits(fsl) {
			return &carrier{form: arrayForm, duck: &duckType{id: db.TypeArray, size: int(fsl.Len()), kids: []*duckType{item.duck}}, kids: []*carrier{item}}, nil
		}
		return &carrier{form: listForm, duck: &duckType{id: db.TypeList, kids: []*duckType{item.duck}}, kids: []*carrier{item}}, nil
	}
	return nil, errs.Unsupportedf("columns of type %s in joins, aggregates and sorts", t)
}

func arrayFits(t *arrow.FixedSizeListType) bool {
	items, elem := int64(t.Len()), t.Elem()
	for {
		inner, ok := elem.(*arrow.FixedSizeListType)
		if !ok || items > maxArrayItems {
			break
		}
		items, elem = items*int64(inner.Len()), inner.Elem()
	}
	width := int64(16)
	if f, ok := elem.(arrow.FixedWidthDataType); ok {
		width = max(1, int64(f.Bytes()))
	}
	return items > 0 && items <= maxArrayItems && items*width <= maxArrayBytes
}

func structCarrier(t *arrow.StructType) (*carrier, error) {
	if t.NumFields() == 0 {
		return &carrier{form: boxedEmpty, duck: boxed("struct<>", db.TypeBoolean)}, nil
	}
	c := &carrier{form: structForm, duck: &duckType{id: db.TypeStruct}}
	same := map[string]int{}
	for _, f := range t.Fields() {
		same[strings.ToLower(f.Name)]++
	}
	for i, f := range t.Fields() {
		kid, err := carrierFor(f.Type)
		if err != nil {
			return nil, err
		}
		name := f.Name
		if same[strings.ToLower(name)] > 1 || name == "" || strings.ContainsRune(name, 0) {
			// DuckDB would take one for the other: under a name of its own none can be reached by mistake.
			name = fmt.Sprintf("%sfield %d: %s", markPrefix, i, strings.ReplaceAll(name, "\x00", "?"))
		}
		c.duck.names = append(c.duck.names, name)
		c.duck.kids = append(c.duck.kids, kid.duck)
		c.kids = append(c.kids, kid)
	}
	return c, nil
}

// parseDecimalMark reads the mark of a boxed decimal.
func parseDecimalMark(mark string) (precision, scale int32, ok bool) {
	n, err := fmt.Sscanf(mark, "decimal256(%d, %d)", &precision, &scale)
	return precision, scale, err == nil && n == 2
}
