package index

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// BenchmarkConditionOf reads a list of 10,000 numbers, as the keys of a small table are.
func BenchmarkConditionOf(b *testing.B) {
	i64 := arrow.PrimitiveTypes.Int64
	list := make([]expr.Expr, 10_000)
	for i := range list {
		list[i] = &expr.Literal{Value: int64(i) * 397, Typ: i64}
	}
	in := &expr.In{X: &expr.Column{Path: expr.FieldPath{"k"}, Typ: i64}, List: list}
	b.ReportAllocs()
	for b.Loop() {
		if conditionOf(in) == nil {
			b.Fatal("no condition")
		}
	}
}
