package duckdb

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// plainResults are DuckDB's types whose values are those of an Arrow type, bytes as they are.
var plainResults = map[db.Type]arrow.DataType{
	db.TypeTinyInt: arrow.PrimitiveTypes.Int8, db.TypeSmallInt: arrow.PrimitiveTypes.Int16, db.TypeInteger: arrow.PrimitiveTypes.Int32,
	db.TypeBigInt: arrow.PrimitiveTypes.Int64, db.TypeUTinyInt: arrow.PrimitiveTypes.Uint8, db.TypeUSmallInt: arrow.PrimitiveTypes.Uint16,
	db.TypeUInteger: arrow.PrimitiveTypes.Uint32, db.TypeUBigInt: arrow.PrimitiveTypes.Uint64,
	db.TypeFloat: arrow.PrimitiveTypes.Float32, db.TypeDouble: arrow.PrimitiveTypes.Float64, db.TypeDate: arrow.FixedWidthTypes.Date32,
	db.TypeTime: arrow.FixedWidthTypes.Time64us, db.TypeTimeNS: arrow.FixedWidthTypes.Time64ns,
	db.TypeTimestampS: &arrow.TimestampType{Unit: arrow.Second}, db.TypeTimestampMS: &arrow.TimestampType{Unit: arrow.Millisecond},
	db.TypeTimestamp: &arrow.TimestampType{Unit: arrow.Microsecond}, db.TypeTimestampNS: &arrow.TimestampType{Unit: arrow.Nanosecond},
	db.TypeBoolean: arrow.FixedWidthTypes.Boolean, db.TypeVarchar: arrow.BinaryTypes.String, db.TypeBlob: arrow.BinaryTypes.Binary,
	db.TypeInterval: arrow.FixedWidthTypes.MonthDayNanoInterval,
}

// natural gives the carrier by which values of a DuckDB type come back where nothing else is wanted: the Arrow type
// that DuckDB's own Arrow export gives, save that boxed values get their own. zone is the session's time zone.
func natural(t *duckType, zone string) (*carrier, error) {
	if at, ok := plainResults[t.id]; ok {
		return carrierFor(at)
	}
	switch t.id {
	case db.TypeTimestampTZ:
		return carrierFor(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone})
	case db.TypeDecimal:
		return carrierFor(&arrow.Decimal128Type{Precision: int32(t.width), Scale: int32(t.scale)})
	case db.TypeHugeInt:
		return &carrier{form: hugeForm, duck: t, arrow: &arrow.Decimal128Type{Precision: 38}}, nil
	case db.TypeEnum:
		return &carrier{form: enumForm, duck: t, arrow: arrow.BinaryTypes.String}, nil
	case db.TypeUUID:
		return &carrier{form: uuidForm, duck: t, arrow: arrow.BinaryTypes.String}, nil
	case db.TypeSQLNull:
		return &carrier{form: nothing, duck: t, arrow: arrow.Null}, nil
	case db.TypeList, db.TypeArray:
		item, err := natural(t.kids[0], zone)
		if err != nil {
			return nil, err
		}
		c := &carrier{form: listForm, duck: t, kids: []*carrier{item}, arrow: arrow.ListOf(item.arrow)}
		if t.id == db.TypeArray {
			c.form, c.arrow = arrayForm, arrow.FixedSizeListOf(int32(t.size), item.arrow)
		}
		return c, nil
	case db.TypeMap:
		k, err := natural(t.kids[0], zone)
		if err != nil {
			return nil, err
		}
		v, err := natural(t.kids[1], zone)
		if err != nil {
			return nil, err
		}
		return &carrier{form: mapForm, duck: t, kids: []*carrier{k, v}, arrow: arrow.MapOf(k.arrow, v.arrow)}, nil
	case db.TypeStruct:
		return naturalStruct(t, zone)
	}
	return nil, errs.Unsupportedf("a result of the type %s: cast it, to VARCHAR for example", typeNames[t.id])
}

// typeNames are the names of types that can't be a result.
var typeNames = map[db.Type]string{
	db.TypeUHugeInt: "UHUGEINT", db.TypeTimeTZ: "TIME WITH TIME ZONE", db.TypeBit: "BIT", db.TypeBigNum: "BIGNUM",
	db.TypeUnion: "UNION", db.TypeGeometry: "GEOMETRY", db.TypeVariant: "VARIANT",
}

func naturalStruct(t *duckType, zone string) (*carrier, error) {
	if len(t.names) == 1 && strings.HasPrefix(t.names[0], markPrefix) {
		if c := unboxed(strings.TrimPrefix(t.names[0], markPrefix)); c != nil && c.duck.equal(t) {
			return c, nil
		}
	}
	c := &carrier{form: structForm, duck: t}
	fields := make([]arrow.Field, len(t.kids))
	for i, kt := range t.kids {
		if strings.HasPrefix(t.names[i], markPrefix) {
			return nil, errs.Unsupportedf("a computed struct that mixes types or names which DuckDB can't tell apart (%s)",
				cleanMarks(t.names[i]))
		}
		kid, err := natural(kt, zone)
		if err != nil {
			return nil, err
		}
		c.kids = append(c.kids, kid)
		fields[i] = arrow.Field{Name: t.names[i], Type: kid.arrow, Nullable: true}
	}
	c.arrow = arrow.StructOf(fields...)
	return c, nil
}

// unboxed gives the carrier of a boxed value by its mark, nil where the mark is none.
func unboxed(mark string) *carrier {
	var t arrow.DataType
	switch mark {
	case "duration[ns]":
		t = arrow.FixedWidthTypes.Duration_ns
	case "timestamp[ns, tz]":
		t = arrow.FixedWidthTypes.Timestamp_ns
	case "struct<>":
		t = arrow.StructOf()
	default:
		p, s, ok := parseDecimalMark(mark)
		if !ok {
			return nil
		}
		t = &arrow.Decimal256Type{Precision: p, Scale: s}
	}
	c, err := carrierFor(t)
	if err != nil {
		return nil
	}
	return c
}

// cleanMarks takes the marks of boxed values out of a text for people.
func cleanMarks(s string) string { return strings.ReplaceAll(s, markPrefix, "") }
