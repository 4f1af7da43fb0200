package catalog

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
)

// quote gives a name for an error's text.
func quote(name string) string { return expr.FieldPath{name}.Key() }

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return strings.Join(quoted, ", ")
}

// nearestShown is how many names a hint holds, nearestMaxName the bytes up to which a name is measured.
const (
	nearestShown   = 3
	nearestMaxName = 128
)

// Near names what may have been meant: the names that differ least by letters, up to a third of the name.
func Near(name string, names []string) string {
	type near struct {
		name string
		d    int
	}
	var found []near
	for _, n := range names {
		if len(n) > nearestMaxName || len(name) > nearestMaxName {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= max(1, len(name)/3) {
			found = append(found, near{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.d - b.d })
	if len(found) == 0 {
		return ""
	}
	var best []string
	for _, f := range found[:min(len(found), nearestShown)] {
		best = append(best, f.name)
	}
	return "; near it: " + list(best)
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			keep := diag
			if a[i-1] != b[j-1] {
				keep++
			}
			diag = row[j]
			row[j] = min(keep, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
