package duckdb_test

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
)

// BenchmarkThrough moves a table of three columns through DuckDB: in and out, and in alone.
func BenchmarkThrough(b *testing.B) {
	d := open(b, duckdb.Options{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "f", Type: arrow.PrimitiveTypes.Float64},
		{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	const rows = 16 << 10
	for i := range rows {
		rb.Field(0).(*array.Int64Builder).Append(int64(i))
		rb.Field(1).(*array.Float64Builder).Append(float64(i) / 3)
		rb.Field(2).(*array.StringBuilder).Append("a text of more than twelve bytes"[:i%32])
	}
	tab := enginetest.Of("t", schema, rb.NewRecordBatch())
	tab.Repeat = 64
	for name, sql := range map[string]string{"in and out": `SELECT id, f, s FROM t`, "in": `SELECT count(id), max(f), max(s) FROM t`} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(rows * 64 * (16 + 16 + 4))
			for b.Loop() {
				st, err := d.Run(context.Background(), enginetest.SQL(sql, []string{"a", "b", "c"}, enginetest.Scan("t", tab)), memory.DefaultAllocator)
				if err != nil {
					b.Fatal(err)
				}
				for {
					batch, err := st.Next(context.Background())
					if err != nil {
						break
					}
					batch.Release()
				}
				st.Close()
			}
		})
	}
}

// BenchmarkDescribe prepares a join without running it, as every call for a flight's info does.
func BenchmarkDescribe(b *testing.B) {
	d := open(b, duckdb.Options{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	tab := enginetest.New(b, "lance.main.t", schema, `[{"id":1,"s":"x"}]`)
	p := enginetest.SQL(`SELECT x.id, y.s FROM a x JOIN b y ON x.id = y.id`, []string{"id", "s"}, enginetest.Scan("a", tab), enginetest.Scan("b", tab))
	for b.Loop() {
		if _, err := d.Describe(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
}
