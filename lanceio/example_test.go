package lanceio_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
)

// The rows that may hold a latitude between 17.5 and 25.4, by their stats; no array is read.
func Example() {
	ctx := context.Background()
	t, err := lanceio.Open(ctx, "testdata/tables/worked.lance")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := t.NewScan(
		lanceio.Columns(expr.FieldPath{"id"}),
		lanceio.FilterExpr(expr.Path("lat", "values").Between(expr.Lit(17.5), expr.Lit(25.4))),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Reader(ctx, memory.DefaultAllocator)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.RecordBatch().Column(0).(*array.Int64).Int64Values())
	}
	fmt.Println(r.Err(), r.Metrics().RowsSelected, "rows")
	// Output:
	// [2 4]
	// <nil> 2 rows
}
