package cells_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/cells"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// BenchmarkCells lays out rows of several sizes: a variable over all dimensions and two coordinates. Bytes are those of the
// cells' columns.
func BenchmarkCells(b *testing.B) {
	for _, side := range []int{2, 100} {
		for _, filter := range []bool{false, true} {
			b.Run(fmt.Sprintf("side=%d/filter=%v", side, filter), func(b *testing.B) { benchmarkCells(b, side, filter) })
		}
	}
}

func benchmarkCells(b *testing.B, side int, filter bool) {
	list := strings.TrimSuffix(strings.Repeat("1.5,", side), ",")
	row := fmt.Sprintf(`{"id": 1, "v": {"values": [%s], "dim_names": ["y", "x"], "dim_sizes": [%d, %d]},
		"y": {"values": [%s], "dim_names": ["y"], "dim_sizes": [%d]}, "x": {"values": [%s], "dim_names": ["x"], "dim_sizes": [%d]}}`,
		strings.TrimSuffix(strings.Repeat(list+",", side), ","), side, side, list, side, list, side)
	rows := max(1, 100_000/(side*side))
	r := newRows(b, []arrow.Field{{Name: "id", Type: i64, Nullable: true}, variableField("v", f64), variableField("y", f64), variableField("x", f64)},
		"["+strings.TrimSuffix(strings.Repeat(row+",", rows), ",")+"]")
	r.whole = true
	vars, err := cells.Variables(r.schema, nil)
	if err != nil {
		b.Fatal(err)
	}
	d, err := cells.Read(b.Context(), r, vars, memory.DefaultAllocator)
	if err != nil {
		b.Fatal(err)
	}
	spec := scan.Spec{Columns: paths("id", "y", "x", "v"), Limit: -1}
	if filter {
		spec.Filter = expr.Cmp(expr.Gt, col("v", f64), expr.Double(1))
	}
	plan, err := cells.New(r, "t$cells", vars, d).Plan(b.Context(), spec)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(rows*side*side) * 4 * 8)
	b.ReportAllocs()
	for b.Loop() {
		in, err := plan.Open(b.Context(), memory.DefaultAllocator)
		if err != nil {
			b.Fatal(err)
		}
		for {
			batch, err := in.Next(b.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			batch.Release()
		}
		if err := in.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
