package encoding_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// BenchmarkArrayRead reads a page of version 2.0 in batches.
func BenchmarkArrayRead(b *testing.B) {
	const rows, batch = 1 << 18, 8192
	numbers := make([]byte, 8*rows)
	bits := make([]byte, rows/8)
	ends := make([]uint64, rows)
	for i := range bits {
		bits[i] = 0xfb
	}
	for i := range ends {
		ends[i] = uint64(8 * (i + 1))
	}
	for _, c := range []struct {
		name    string
		typ     arrow.DataType
		enc     string
		buffers [][]byte
		bytes   int64
	}{
		{"int64", arrow.PrimitiveTypes.Int64, `flat {bits_per_value: 64 buffer {}}`, [][]byte{numbers}, 8 * rows},
		{
			"int64 with nulls", arrow.PrimitiveTypes.Int64,
			`nullable {some_nulls {validity {flat {bits_per_value: 1 buffer {buffer_index: 1}}} values {flat {bits_per_value: 64 buffer {}}}}}`,
			[][]byte{numbers, bits}, 8 * rows,
		},
		{
			"text", arrow.BinaryTypes.String,
			fmt.Sprintf(`binary {indices {%s} bytes {flat {bits_per_value: 8 buffer {buffer_index: 1}}} null_adjustment: %d}`, flat64, 8*rows+1),
			[][]byte{u64(ends...), numbers}, 8 * rows,
		},
	} {
		b.Run("type="+c.name, func(b *testing.B) {
			f := &file20{}
			field := fieldOf(c.typ, columnOf(f.page(b, rows, c.enc, c.buffers...)))
			r, err := encoding.NewArrayReader(field, f, memory.DefaultAllocator, "x")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(c.bytes)
			b.ReportAllocs()
			for b.Loop() {
				for at := uint64(0); at < rows; at += batch {
					a, err := r.Read(context.Background(), []encoding.RowRange{{Start: at, End: at + batch}})
					if err != nil {
						b.Fatal(err)
					}
					a.Release()
				}
			}
		})
	}
}
