package flightsql

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestTypeText(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	for want, typ := range map[string]arrow.DataType{
		"INTEGER":                             i32,
		"DECIMAL(10,2)":                       &arrow.Decimal128Type{Precision: 10, Scale: 2},
		"TIMESTAMP WITH TIME ZONE[]":          arrow.ListOf(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
		"FLOAT[3]":                            arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32),
		"MAP(VARCHAR, INTEGER[])":             arrow.MapOf(str, arrow.LargeListOf(i32)),
		"VARCHAR":                             &arrow.DictionaryType{IndexType: i32, ValueType: str},
		`STRUCT(a STRUCT("b.c" VARCHAR[]))[]`: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.StructOf(arrow.Field{Name: "b.c", Type: arrow.ListOf(str)})})),
	} {
		if got := typeText(typ); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
}
