package flightsql

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Values of the enums of CommandGetXdbcTypeInfo.
const (
	xdbcNullable   = 1
	xdbcSearchable = 3 // also with LIKE
	xdbcNoLike     = 2
	xdbcDatetime   = 9
	xdbcInterval   = 10
)

// xdbcType is one SQL type as XDBC clients see it.
type xdbcType struct {
	name       string
	code       int32 // XdbcDataType; 0 (unknown) where ODBC has no such type
	size       int32 // 0: null
	quote      string
	search     int32
	signed     *bool // null for what is no number
	minScale   *int32
	maxScale   *int32
	sqlCode    int32
	subcode    *int32
	radix      *int32
	caseful    bool
	fixedScale bool
}

func number(name string, code, size int32, signed bool, scales ...int32) xdbcType {
	radix := int32(10)
	t := xdbcType{name: name, code: code, size: size, search: xdbcNoLike, signed: &signed, sqlCode: code, radix: &radix}
	if len(scales) == 2 {
		t.minScale, t.maxScale = &scales[0], &scales[1]
	}
	return t
}

func moment(name string, code, size, sqlCode, subcode, digits int32) xdbcType {
	zero := int32(0)
	return xdbcType{name: name, code: code, size: size, quote: "'", search: xdbcSearchable, sqlCode: sqlCode, subcode: &subcode, minScale: &zero, maxScale: &digits}
}

// xdbcTypes are all types of sqlTypeOf that a column can have, sorted by data_type, then by how near they are to the
// type of that code.
// Source: Flight SQL, CommandGetXdbcTypeInfo; sizes as sqlTypeOf gives them.
var xdbcTypes = []xdbcType{
	{name: "BOOLEAN", code: -7, size: 1, search: xdbcNoLike, sqlCode: -7},
	number("TINYINT", -6, 3, true, 0, 0),
	number("UTINYINT", -6, 3, false, 0, 0),
	number("BIGINT", -5, 19, true, 0, 0),
	number("UBIGINT", -5, 20, false, 0, 0),
	{name: "BLOB", code: -3, size: longText, quote: "'", search: xdbcNoLike, sqlCode: -3},
	{name: "LIST", code: 0, search: xdbcNoLike},
	{name: "ARRAY", code: 0, search: xdbcNoLike},
	{name: "STRUCT", code: 0, search: xdbcNoLike},
	{name: "MAP", code: 0, search: xdbcNoLike},
	number("DECIMAL", 3, 38, true, 0, 38),
	number("INTEGER", 4, 10, true, 0, 0),
	number("UINTEGER", 4, 10, false, 0, 0),
	number("SMALLINT", 5, 5, true, 0, 0),
	number("USMALLINT", 5, 5, false, 0, 0),
	number("FLOAT", 7, 7, true),
	number("DOUBLE", 8, 15, true),
	moment("INTERVAL", xdbcInterval, 19, xdbcInterval, 0, 9),
	{name: "VARCHAR", code: 12, size: longText, quote: "'", search: xdbcSearchable, sqlCode: 12, caseful: true},
	moment("DATE", 91, 10, xdbcDatetime, 1, 0),
	moment("TIME", 92, 15, xdbcDatetime, 2, 6),
	moment("TIMESTAMP", 93, 29, xdbcDatetime, 3, 9),
	moment("TIMESTAMP WITH TIME ZONE", 93, 35, xdbcDatetime, 5, 9),
}

// typeInfoBatch gives the types of one code, all where none is asked.
func typeInfoBatch(code *int32, mem memory.Allocator) arrow.RecordBatch {
	b := array.NewRecordBuilder(mem, schema_ref.XdbcTypeInfo)
	defer b.Release()
	for _, t := range xdbcTypes {
		if code == nil || *code == t.code {
			appendType(b, t)
		}
	}
	return b.NewRecordBatch()
}

func appendType(b *array.RecordBuilder, t xdbcType) {
	text := func(i int, v string) {
		if v == "" {
			b.Field(i).AppendNull()
			return
		}
		b.Field(i).(*array.StringBuilder).Append(v)
	}
	num := func(i int, v *int32) {
		if v == nil {
			b.Field(i).AppendNull()
			return
		}
		b.Field(i).(*array.Int32Builder).Append(*v)
	}
	flag := func(i int, v bool) { b.Field(i).(*array.BooleanBuilder).Append(v) }
	nullable, size := int32(xdbcNullable), &t.size
	if t.size == 0 {
		size = nil
	}
	text(0, t.name)
	num(1, &t.code)
	num(2, size)
	text(3, t.quote)
	text(4, t.quote)
	appendCreateParams(b.Field(5).(*array.ListBuilder), t)
	num(6, &nullable)
	flag(7, t.caseful)
	num(8, &t.search)
	if t.signed == nil {
		b.Field(9).AppendNull()
	} else {
		flag(9, !*t.signed)
	}
	flag(10, t.fixedScale)
	if t.signed == nil {
		b.Field(11).AppendNull()
	} else {
		flag(11, false)
	}
	text(12, t.name)
	num(13, t.minScale)
	num(14, t.maxScale)
	num(15, &t.sqlCode)
	num(16, t.subcode)
	num(17, t.radix)
	num(18, nil)
}

// appendCreateParams names what stands in parentheses after the type's name.
func appendCreateParams(l *array.ListBuilder, t xdbcType) {
	l.Append(true)
	if t.name == "DECIMAL" {
		l.ValueBuilder().(*array.StringBuilder).AppendValues([]string{"precision", "scale"}, nil)
	}
}
