package eval_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

// Answers of DuckDB 1.5.
func TestTimesAndIntervals(t *testing.T) {
	b := load(t, "t", memory.DefaultAllocator)
	defer b.Release()
	span := func(s string) expr.Expr {
		l, err := expr.ParseInterval(s, "")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		l    expr.Expr
		op   expr.ArithOp
		r    expr.Expr
		want string
	}{
		{stamp("2024-01-31 10:00:00"), expr.Add, span("1 month"), "2024-02-29 10:00:00"},
		{stamp("2024-03-31 10:00:00"), expr.Sub, span("1 month"), "2024-02-29 10:00:00"},
		{stamp("2024-03-31 10:00:00"), expr.Sub, span("13 months 1 day 11 hours"), "2023-02-26 23:00:00"},
		{span("1 month -2 days"), expr.Add, stamp("2024-01-31"), "2024-02-27 00:00:00"},
		{col("d"), expr.Add, span("1 day 2 hours"), "1970-01-01 02:00:00"},
		{col("v"), expr.Sub, span("0.5 seconds"), "1969-12-31 23:59:59"},
	} {
		bound, err := expr.Bind(expr.Op(c.op, c.l, c.r), resolveIn(b.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		if !eval.Supports(bound) {
			t.Errorf("%s is not supported", bound)
			continue
		}
		got, err := eval.Eval(expr.CastTo(bound, text), eval.Batch{Rows: b}, int(b.NumRows()), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		if got.ValueStr(0) != c.want {
			t.Errorf("%s is %s, want %s", bound, got.ValueStr(0), c.want)
		}
		got.Release()
	}
}
