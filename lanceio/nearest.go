package lanceio

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// noColumn is the error for a path whose parts up to found exist, and the next is not among level.
func (t *Table) noColumn(path, found expr.FieldPath, level []*table.Field) error {
	names := make([]string, 0, len(level))
	for _, f := range level {
		names = append(names, f.Name)
	}
	near := nearest(path[len(found)], names)
	for i, n := range near {
		near[i] = found.Child(n).Key()
	}
	if len(near) == 0 && len(found) == 0 {
		// A leaf's own name without the structs above it is a common slip.
		near = t.leavesNamed(path[len(path)-1])
	}
	hint := ""
	if len(near) > 0 {
		hint = "; the nearest are " + strings.Join(near, ", ")
		if len(near) == 1 {
			hint = "; the nearest is " + near[0]
		}
	}
	return errs.NotFoundf("table %s has no column %s%s", t.name, path.Key(), hint)
}

func (t *Table) leavesNamed(name string) []string {
	var found []string
	var walk func(fields []*table.Field)
	walk = func(fields []*table.Field) {
		for _, f := range fields {
			if strings.EqualFold(f.Name, name) && len(found) < nearestShown {
				found = append(found, expr.FieldPath(f.Path()).Key())
			}
			if splits(f) {
				walk(f.Children)
			}
		}
	}
	walk(t.m.Schema.Fields)
	return found
}

const (
	nearestShown   = 3
	nearestMaxName = 256 // longer names are not measured
)

// nearest gives up to three of names that a reader may have meant by name, the closest first: names that differ by case
// alone, then by edit distance, up to a third of the name's length.
func nearest(name string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	if len(name) > nearestMaxName {
		return nil
	}
	limit := max(2, len(name)/3)
	var found []scored
	for _, n := range names {
		switch {
		case strings.EqualFold(n, name):
			found = append(found, scored{n, 0})
		case len(n) <= nearestMaxName:
			if d := editDistance(strings.ToLower(name), strings.ToLower(n)); d <= limit && d < len(name) {
				found = append(found, scored{n, d})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.d - b.d })
	var out []string
	for _, f := range found[:min(len(found), nearestShown)] {
		out = append(out, f.name)
	}
	return out
}

// editDistance counts the insertions, deletions and replacements of bytes that make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
