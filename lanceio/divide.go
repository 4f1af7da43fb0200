package lanceio

import (
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

var _ scan.Divided = (*Table)(nil)

// leastPart is the size in rows below which fragments are not cut further; whole fragments may be smaller parts.
const leastPart = 4096

// Divide cuts the rows into at most n runs of about as many rows, in the table's order, each told by addresses. Fragments
// are cut where there are fewer than n. nil where a column of the table hides the addresses.
func (t *Table) Divide(n int) [][]scan.Range {
	if n < 1 || t.m.Schema.Field(scan.RowAddr) != nil {
		return nil
	}
	cuts := t.cuts(uint64(n))
	var out [][]scan.Range
	var part []scan.Range
	var start uint64 // of the fragment among all rows
	for _, f := range t.fragments {
		for at := uint64(0); at < f.PhysicalRows; {
			end := f.PhysicalRows
			if len(cuts) > 0 {
				end = min(end, cuts[0]-start)
			}
			part = appendRange(part, f.ID, at, end)
			at = end
			if len(cuts) > 0 && start+at == cuts[0] {
				out, part, cuts = append(out, part), nil, cuts[1:]
			}
		}
		start += f.PhysicalRows
	}
	if part != nil {
		out = append(out, part)
	}
	return out
}

// cuts gives the places, counted in rows from the table's begin, at which its rows are cut into at most n parts.
func (t *Table) cuts(n uint64) []uint64 {
	var total uint64
	for _, f := range t.fragments {
		total += f.PhysicalRows
	}
	var out []uint64
	var start, last uint64
	i := 0
	for k := uint64(1); k < n; k++ {
		want := total/n*k + total%n*k/n
		for i < len(t.fragments) && start+t.fragments[i].PhysicalRows <= want {
			start += t.fragments[i].PhysicalRows
			i++
		}
		if i == len(t.fragments) {
			break
		}
		if at := start + cutNear(want-start, t.fragments[i].PhysicalRows, total/n); at > last && at < total {
			out, last = append(out, at), at
		}
	}
	return out
}

// cutNear gives the place in a fragment of so many rows at which it is cut for a part of a size to end about at want: at an
// end of the fragment that is near, so that no part opens it for a few rows.
func cutNear(want, rows, size uint64) uint64 {
	if size < leastPart {
		pieces := (rows + leastPart - 1) / leastPart
		return (want*pieces + rows/2) / rows * rows / pieces
	}
	switch before, behind := want, rows-want; {
	case before <= size/8 && before <= behind:
		return 0
	case behind <= size/8:
		return rows
	}
	return want
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
