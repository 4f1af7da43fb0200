package expr

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// Kind is the SQL family that an Arrow type belongs to. Types of one kind compare with each other as they are.
type Kind int

// The kinds. Decimals are of any width; HUGEINT is a decimal of scale 0 and 38 digits.
const (
	KindOther Kind = iota // structs, maps, unions and whatever has no order of its own here
	KindNull
	KindBool
	KindInt // signed and unsigned
	KindDecimal
	KindFloat // 16 and 32 bits: DuckDB's FLOAT
	KindDouble
	KindText
	KindBlob
	KindDate
	KindTime
	KindTimestamp   // without a zone
	KindTimestampTZ // with a zone: an instant
	KindDuration    // an exact span of time
	KindInterval    // months, days and a span
	KindList        // list, large list, list view, fixed-size list
)

// Storage gives the type that values of t are stored as and computed with: an extension's storage, a dictionary's
// values, a run-end encoding's values.
func Storage(t arrow.DataType) arrow.DataType {
	for {
		switch x := t.(type) {
		case arrow.ExtensionType:
			t = x.StorageType()
		case *arrow.DictionaryType:
			t = x.ValueType
		case *arrow.RunEndEncodedType:
			t = x.Encoded()
		default:
			return t
		}
	}
}

var kinds = map[arrow.Type]Kind{
	arrow.NULL: KindNull, arrow.BOOL: KindBool,
	arrow.INT8: KindInt, arrow.INT16: KindInt, arrow.INT32: KindInt, arrow.INT64: KindInt,
	arrow.UINT8: KindInt, arrow.UINT16: KindInt, arrow.UINT32: KindInt, arrow.UINT64: KindInt,
	arrow.DECIMAL32: KindDecimal, arrow.DECIMAL64: KindDecimal, arrow.DECIMAL128: KindDecimal, arrow.DECIMAL256: KindDecimal,
	arrow.FLOAT16: KindFloat, arrow.FLOAT32: KindFloat, arrow.FLOAT64: KindDouble,
	arrow.STRING: KindText, arrow.LARGE_STRING: KindText, arrow.STRING_VIEW: KindText,
	arrow.BINARY: KindBlob, arrow.LARGE_BINARY: KindBlob, arrow.BINARY_VIEW: KindBlob, arrow.FIXED_SIZE_BINARY: KindBlob,
	arrow.DATE32: KindDate, arrow.DATE64: KindDate, arrow.TIME32: KindTime, arrow.TIME64: KindTime,
	arrow.DURATION: KindDuration, arrow.INTERVAL_MONTHS: KindInterval, arrow.INTERVAL_DAY_TIME: KindInterval,
	arrow.INTERVAL_MONTH_DAY_NANO: KindInterval,
	arrow.LIST:                    KindList, arrow.LARGE_LIST: KindList, arrow.LIST_VIEW: KindList, arrow.LARGE_LIST_VIEW: KindList,
	arrow.FIXED_SIZE_LIST: KindList,
}

// KindOf gives the kind of t; nil and types without order give KindOther.
func KindOf(t arrow.DataType) Kind {
	if t == nil {
		return KindOther
	}
	t = Storage(t)
	if ts, ok := t.(*arrow.TimestampType); ok {
		if ts.TimeZone != "" {
			return KindTimestampTZ
		}
		return KindTimestamp
	}
	return kinds[t.ID()]
}

// Numeric tells whether values of the kind are numbers.
func (k Kind) Numeric() bool {
	return k == KindInt || k == KindDecimal || k == KindFloat || k == KindDouble
}

// Exact tells whether values of the kind are exact numbers: integers and decimals.
func (k Kind) Exact() bool { return k == KindInt || k == KindDecimal }

// Temporal tells whether values of the kind are a date, time or timestamp.
func (k Kind) Temporal() bool {
	return k == KindDate || k == KindTime || k == KindTimestamp || k == KindTimestampTZ
}

// Elem gives the type of a list's elements, nil where t is no list.
func Elem(t arrow.DataType) arrow.DataType {
	if t == nil {
		return nil
	}
	if l, ok := Storage(t).(arrow.ListLikeType); ok && KindOf(t) == KindList {
		return l.Elem()
	}
	return nil
}

var sqlNames = map[arrow.Type]string{
	arrow.NULL: `"NULL"`, arrow.BOOL: "BOOLEAN",
	arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
	arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
	arrow.FLOAT16: "FLOAT", arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
	arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.STRING_VIEW: "VARCHAR",
	arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.BINARY_VIEW: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
	arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.DURATION: "INTERVAL", arrow.INTERVAL_MONTHS: "INTERVAL",
	arrow.INTERVAL_DAY_TIME: "INTERVAL", arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL",
}

var timestampNames = map[arrow.TimeUnit]string{
	arrow.Second: "TIMESTAMP_S", arrow.Millisecond: "TIMESTAMP_MS", arrow.Microsecond: "TIMESTAMP",
	arrow.Nanosecond: "TIMESTAMP_NS",
}

// FractionDigits is how many digits after the point the seconds of a time unit have.
func FractionDigits(unit arrow.TimeUnit) int {
	return map[arrow.TimeUnit]int{arrow.Second: 0, arrow.Millisecond: 3, arrow.Microsecond: 6, arrow.Nanosecond: 9}[unit]
}

// SQLType gives DuckDB's name of a type, as CAST takes it. An Arrow type that DuckDB lacks has the name of the one
// that holds its values.
func SQLType(t arrow.DataType) string {
	if t == nil {
		return "UNKNOWN"
	}
	t = Storage(t)
	switch x := t.(type) {
	case arrow.DecimalType:
		return fmt.Sprintf("DECIMAL(%d,%d)", x.GetPrecision(), x.GetScale())
	case *arrow.TimestampType:
		if x.TimeZone != "" {
			return "TIMESTAMP WITH TIME ZONE"
		}
		return timestampNames[x.Unit]
	case *arrow.Time64Type:
		if x.Unit == arrow.Nanosecond {
			return "TIME_NS"
		}
		return "TIME"
	case *arrow.Time32Type:
		return "TIME"
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("%s[%d]", SQLType(x.Elem()), x.Len())
	case *arrow.MapType:
		return "MAP(" + SQLType(x.KeyType()) + ", " + SQLType(x.ItemType()) + ")"
	case *arrow.StructType:
		parts := make([]string, x.NumFields())
		for i, f := range x.Fields() {
			parts[i] = QuoteIdent(f.Name) + " " + SQLType(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	if e := Elem(t); e != nil {
		return SQLType(e) + "[]"
	}
	if n, ok := sqlNames[t.ID()]; ok {
		return n
	}
	return strings.ToUpper(t.Name())
}
