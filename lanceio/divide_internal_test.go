package lanceio

import (
	"testing"

	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// TestDivideSizes asks for 1 to 1000 parts: there are as many, of about as many rows, until they come down to the least
// size; from there on there are about as many or more. The parts hold each row once, in order.
func TestDivideSizes(t *testing.T) {
	for name, fragments := range map[string][]uint64{
		"even":               {1_000_000, 1_000_000},
		"uneven":             {960_000, 1_040_000},
		"one":                {2_000_000},
		"small":              {100, 100, 100, 0, 100},
		"small beside large": {10, 300_000, 10, 0, 4097, 8000, 50},
		"many":               repeatedRows(3000, 1000),
		"few rows":           {3},
		"none":               {},
	} {
		t.Run(name, func(t *testing.T) {
			tab := &Table{m: &table.Manifest{Schema: &table.Schema{}}}
			var total uint64
			for i, rows := range fragments {
				tab.fragments = append(tab.fragments, FragmentInfo{ID: uint32(i), PhysicalRows: rows})
				total += rows
			}
			fewest := 0
			for n := 1; n <= 1000; n++ {
				parts := tab.Divide(n)
				sizes := partSizes(t, tab, parts)
				size := total / uint64(n)
				if len(parts) > n || size >= leastPart && len(parts) != n {
					t.Fatalf("%d parts, asked for %d", len(parts), n)
				}
				if len(parts) < fewest-1 { // cuts are rounded to pieces
					t.Fatalf("%d parts, fewer asked for gave %d", len(parts), fewest)
				}
				fewest = max(fewest, len(parts))
				for _, s := range sizes {
					if s == 0 || size >= leastPart && (s < size*3/4-1 || s > size*5/4+1) || size < leastPart && s > 2*leastPart {
						t.Fatalf("a part of %d rows, %d parts are asked for", s, n)
					}
				}
			}
			if want := min(1000, int(total/leastPart)); fewest < want {
				t.Errorf("at most %d parts, want %d", fewest, want)
			}
		})
	}
}

func repeatedRows(n int, rows uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = rows
	}
	return out
}

// partSizes counts the rows of parts, and that each row is in one, in order.
func partSizes(t *testing.T, tab *Table, parts [][]scan.Range) []uint64 {
	t.Helper()
	sizes := make([]uint64, len(parts))
	at, row := 0, uint64(0) // the next row is this one of this fragment
	skip := func() {
		for at < len(tab.fragments) && row == tab.fragments[at].PhysicalRows {
			at, row = at+1, 0
		}
	}
	for i, part := range parts {
		for _, r := range part {
			for skip(); at < len(tab.fragments); skip() {
				end := min(r.Last, uint64(table.NewRowAddress(uint32(at), uint32(tab.fragments[at].PhysicalRows-1))))
				if first := uint64(table.NewRowAddress(uint32(at), uint32(row))); row == 0 && first > r.Last {
					break
				} else if sizes[i] == 0 && first != part[0].First || end < first {
					t.Fatalf("part %d begins at %x, want %x", i, r.First, first)
				}
				next := end&0xffffffff + 1
				sizes[i], row = sizes[i]+next-row, next
				if end == r.Last {
					break
				}
			}
		}
	}
	if skip(); at != len(tab.fragments) {
		t.Fatalf("the parts end at row %d of fragment %d", row, at)
	}
	return sizes
}
