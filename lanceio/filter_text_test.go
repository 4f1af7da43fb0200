package lanceio_test

import (
	"fmt"
	"testing"

	"github.com/lanceflight/flightsrv/lanceio"
)

// Filters as pylance reads them, and what it keeps.
func TestFiltersByText(t *testing.T) {
	var cases []struct {
		Filter      string
		Rows        int
		Sum         int64
		First, Last []int64
	}
	wantedJSON(t, "filters", &cases)
	if len(cases) < 80 {
		t.Fatalf("%d cases", len(cases))
	}
	tab := open(t, "filters")
	for _, c := range cases {
		t.Run(c.Filter, func(t *testing.T) {
			got := collect(t, tab, lanceio.Columns(path("id")), lanceio.Filter(c.Filter))
			var sum int64
			var all []int64
			for _, r := range got.rows {
				var id int64
				if _, err := fmt.Sscanf(r, "id=%d", &id); err != nil {
					t.Fatal(err)
				}
				sum, all = sum+id, append(all, id)
			}
			k := min(5, len(all))
			if len(all) != c.Rows || sum != c.Sum || fmt.Sprint(all[:k]) != fmt.Sprint(c.First) || fmt.Sprint(all[len(all)-k:]) != fmt.Sprint(c.Last) {
				t.Errorf("kept %d rows of sum %d, want %d of %d", len(all), sum, c.Rows, c.Sum)
			}
		})
	}
}
