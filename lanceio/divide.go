package lanceio

import (
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

var _ scan.Divided = (*Table)(nil)

// minPartRows is the fewest rows for which a fragment is cut.
const minPartRows = 4096

// Divide cuts the rows into at most n runs of about as many rows, in the table's order, each told by addresses. Fragments
// are cut where there are fewer than n. nil where a column of the table hides the addresses.
func (t *Table) Divide(n int) [][]scan.Range {
	if n < 1 || t.m.Schema.Field(scan.RowAddr) != nil {
		return nil
	}
	var total uint64
	for _, f := range t.fragments {
		total += f.PhysicalRows
	}
	size := max((total+uint64(n)-1)/uint64(n), 1)
	var out [][]scan.Range
	var part []scan.Range
	room := size
	for _, f := range t.fragments {
		for at := uint64(0); at < f.PhysicalRows; {
			take := min(room, f.PhysicalRows-at)
			if rest := f.PhysicalRows - at - take; rest > 0 && (take < minPartRows || rest < minPartRows) {
				take = f.PhysicalRows - at // a part is not worth a cut so near an end
			}
			part = appendRange(part, f.ID, at, at+take)
			at += take
			if room -= min(room, take); room == 0 {
				out, part, room = append(out, part), nil, size
			}
		}
	}
	if part != nil {
		out = append(out, part)
	}
	return out
}

// appendRange adds the rows of a fragment from first to before end; the addresses of whole fragments that follow one another
// become one range.
func appendRange(part []scan.Range, fragment uint32, first, end uint64) []scan.Range {
	r := scan.Range{First: uint64(table.NewRowAddress(fragment, uint32(first))), Last: uint64(table.NewRowAddress(fragment, uint32(end-1)))}
	if n := len(part) - 1; n >= 0 && first == 0 && part[n].Last < r.First && part[n].Last>>32+1 == r.First>>32 {
		part[n].Last = r.Last
		return part
	}
	return append(part, r)
}
