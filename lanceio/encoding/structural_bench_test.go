package encoding_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// BenchmarkReadGolden reads the columns of some files of testdata as a whole; bytes are those of the pages.
func BenchmarkReadGolden(b *testing.B) {
	for _, name := range []string{"levels", "texts", "lists", "compressed"} {
		g := openGolden(b, name, "2.2")
		for i, field := range g.fields(b) {
			b.Run("file="+name+"/column="+field.Name, func(b *testing.B) {
				r, err := encoding.NewStructuralReader(g.version, field, g.in, memory.DefaultAllocator, "f")
				if err != nil {
					b.Fatal(err)
				}
				rows := whole(g.want.Column(i))
				g.in.read.Store(0)
				b.ReportAllocs()
				for b.Loop() {
					got, err := r.Read(b.Context(), rows)
					if err != nil {
						b.Fatal(err)
					}
					got.Release()
				}
				b.SetBytes(g.in.read.Load() / int64(b.N))
			})
		}
	}
}
