package eval_test

import (
	"math/rand"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

const benchRows = 1 << 16

func benchBatch() arrow.RecordBatch {
	stats := arrow.StructOf(field("min", f64), field("max", f64))
	s := arrow.NewSchema([]arrow.Field{field("v", f64), field("i", i64), field("n", i32), field("s", text), field("__stats__:lat", stats)}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	r := rand.New(rand.NewSource(1))
	for k := range benchRows {
		x := r.Float64() * 100
		b.Field(0).(*array.Float64Builder).Append(x)
		b.Field(1).(*array.Int64Builder).Append(int64(k))
		if k%10 == 0 {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.Int32Builder).Append(int32(k % 100))
		}
		b.Field(3).(*array.StringBuilder).Append("row " + strconv.Itoa(k))
		st := b.Field(4).(*array.StructBuilder)
		st.Append(k%7 != 0)
		st.FieldBuilder(0).(*array.Float64Builder).Append(x)
		st.FieldBuilder(1).(*array.Float64Builder).Append(x + 5)
	}
	return b.NewRecordBatch()
}

func BenchmarkMask(b *testing.B) {
	batch := benchBatch()
	defer batch.Release()
	stat := func(name string) *expr.Column {
		return &expr.Column{Path: expr.FieldPath{"__stats__:lat", name}, Typ: f64}
	}
	for _, c := range []struct {
		name string
		e    expr.Expr
	}{
		{"double between", col("v").Between(num("17.5"), num("25.4"))},
		{"bigint equals", col("i").Eq(num("12345"))},
		{"int with nulls in", col("n").In(num("1"), num("2"), num("3"))},
		{"bigint in a long list", col("i").In(longList()...)},
		{"text equals", col("s").Eq(str("row 12345"))},
		{"text like", col("s").Like("%234%")},
		{"column with column", expr.Cmp(expr.Lt, col("n"), col("i"))},
		{"arithmetic", expr.Cmp(expr.Gt, expr.Op(expr.Mul, col("v"), num("2")), num("100"))},
		{"stats between", &expr.StatsTest{Variable: expr.FieldPath{"lat"}, Stats: expr.FieldPath{"__stats__:lat"},
			Test: expr.AllOf(stat("max").Ge(num("17.5")), stat("min").Le(num("25.4")))}},
	} {
		bound, err := expr.Bind(c.e, resolveIn(batch.Schema()))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(benchRows)
			for range b.N {
				if _, err := eval.Mask(bound, eval.Batch{Rows: batch}, benchRows); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func longList() []expr.Expr {
	var list []expr.Expr
	for k := range 100 {
		list = append(list, expr.Int(int64(k*1000)))
	}
	return list
}
