package lanceio

import (
	"context"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// rowSet is where the rows can lie that a filter lets pass, by its conditions on special columns. No file is read to
// tell it, but for row ids in a hidden column.
type rowSet struct{ ids, addresses, fragments spans }

// rowsOfFilter gives the rows that a filter can let pass; nil for all. The filter itself is still to be tested.
func (t *Table) rowsOfFilter(filter expr.Expr) *rowSet {
	if filter == nil {
		return nil
	}
	for _, c := range expr.Conjuncts(filter) {
		if len(expr.Columns(c)) == 0 {
			// A constant that is left in a filter fails, and fails at any row.
			return nil
		}
	}
	of := func(name string) spans {
		if t.m.Schema.Field(name) != nil { // a column of the table hides the special one
			return allNumbers()
		}
		return spansOf(filter, name)
	}
	s := &rowSet{ids: of(scan.RowID), addresses: of(scan.RowAddr), fragments: of(scan.FragID)}
	if !t.m.StableRowIDs() {
		s.ids, s.addresses = allNumbers(), s.addresses.intersect(s.ids)
	}
	if s.ids.all() && s.addresses.all() && s.fragments.all() {
		return nil
	}
	return s
}

// most is how many rows of a fragment can be in the set, as far as addresses tell.
func (s *rowSet) most(f FragmentInfo) int64 {
	if s == nil || f.PhysicalRows == 0 {
		return int64(f.Rows)
	}
	if !s.fragments.has(uint64(f.ID)) {
		return 0
	}
	first := uint64(table.NewRowAddress(f.ID, 0))
	var n uint64
	for _, p := range s.addresses.within(first, first+f.PhysicalRows-1) {
		n += p.Last - p.First + 1
	}
	return int64(min(n, f.Rows))
}

// of gives the physical rows of a fragment that are in the set.
func (s *rowSet) of(ctx context.Context, r *fragmentReader) (selection, error) {
	if s == nil {
		return rowsOf(0, r.rows), nil
	}
	if r.rows == 0 || !s.fragments.has(uint64(r.f.ID)) {
		return nil, nil
	}
	first := uint64(table.NewRowAddress(r.f.ID, 0))
	var out selection
	for _, p := range s.addresses.within(first, first+r.rows-1) {
		out = out.add(p.First-first, p.Last-first+1)
	}
	if s.ids.all() || len(out) == 0 {
		return out, nil
	}
	ids, err := r.rowIDs(ctx)
	if err != nil {
		return nil, err
	}
	var byID selection
	for start, end := range ids.stable.Rows(s.ids) {
		byID = byID.add(start, end)
	}
	return out.intersect(byID), nil
}
