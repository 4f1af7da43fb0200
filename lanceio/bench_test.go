package lanceio_test

import (
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
)

// BenchmarkScan reads a table of numbers, texts and lists. Bytes and requests are reported, as they do not jitter.
func BenchmarkScan(b *testing.B) {
	id := expr.Path("id")
	for _, bb := range []struct {
		name string
		opts []lanceio.ScanOption
	}{
		{"whole", nil},
		{"filter=all", []lanceio.ScanOption{lanceio.FilterExpr(id.Ge(expr.Int(0)))}},
		{"filter=half", []lanceio.ScanOption{lanceio.FilterExpr(expr.Cmp(expr.Eq, expr.Op(expr.Mod, id, expr.Int(2)), expr.Int(0)))}},
		{"filter=one", []lanceio.ScanOption{lanceio.FilterExpr(id.Eq(expr.Int(4000)))}},
		{"leaf", []lanceio.ScanOption{lanceio.Columns(path("s", "a"))}},
		{"count", []lanceio.ScanOption{lanceio.Columns()}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s, err := open(b, "sizes").NewScan(bb.opts...)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				st, err := s.Open(b.Context(), memory.DefaultAllocator)
				if err != nil {
					b.Fatal(err)
				}
				for {
					batch, err := st.Next(b.Context())
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					batch.Release()
				}
				m := st.Metrics()
				b.ReportMetric(float64(m.BytesRead), "bytes/op-read")
				b.ReportMetric(float64(m.ReadRequests), "requests/op")
				if err := st.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
