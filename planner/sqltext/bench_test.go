package sqltext_test

import (
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/planner/sqltext"
)

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"short": "SELECT id, sst.values FROM nd WHERE lat.values BETWEEN 17.5 AND 25.4 AND sst.attrs.units = 'K'",
		"list":  "SELECT id FROM t WHERE id IN (" + strings.Repeat("1, ", 10_000) + "2)",
		"terms": "SELECT id FROM t WHERE a = 0" + strings.Repeat(" OR a = 1", 5_000),
	} {
		b.Run("text="+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := sqltext.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
