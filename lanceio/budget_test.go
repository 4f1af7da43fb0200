package lanceio_test

import (
	"testing"

	"github.com/lanceflight/flightsrv/lanceio"
)

// TestScarceMemory: with nothing left of the budget scans give the same rows, and end by giving back what they held.
func TestScarceMemory(t *testing.T) {
	for _, name := range []string{"sizes", "nested_2_2"} {
		want := collect(t, open(t, name)).rows
		scarce := open(t, name, lanceio.WithBudget(lanceio.NewBudget(0)))
		for range 3 {
			same(t, collect(t, scarce).rows, want)
		}
	}
}
