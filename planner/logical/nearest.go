package logical

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/ndarray"
)

// nearest gives up to three of the names that are closest to want by edit distance, without regard to case; names that
// are nothing like it are left out unless there are only a few names at all. Stats columns are hidden, so they are near only to
// a name that begins like theirs.
func nearest(want string, names []string) []string {
	if !strings.HasPrefix(want, "__") {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, ndarray.StatsPrefix) })
	}
	type cand struct {
		name string
		dist int
	}
	w := strings.ToLower(want)
	limit := max(2, utf8.RuneCountInString(w)/2)
	var cands []cand
	for _, n := range names {
		d := editDistance(w, strings.ToLower(n))
		if strings.HasPrefix(strings.ToLower(n), w) && w != "" {
			d = min(d, 1)
		}
		if d <= limit {
			cands = append(cands, cand{n, d})
		}
	}
	if len(cands) == 0 && len(names) <= 3 {
		return names
	}
	sort.SliceStable(cands, func(i, j int) bool { return cands[i].dist < cands[j].dist })
	var out []string
	for _, c := range cands {
		if len(out) < 3 {
			out = append(out, c.name)
		}
	}
	return out
}

// didYouMean is the hint with the nearest names, empty where there are none.
func didYouMean(want string, names []string) string {
	near := nearest(want, names)
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + quoteList(near) + "?"
}

func quoteList(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = `"` + n + `"`
	}
	if len(q) == 1 {
		return q[0]
	}
	return strings.Join(q[:len(q)-1], ", ") + " or " + q[len(q)-1]
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment). Long
// names are cut, so that hostile input costs little.
func editDistance(a, b string) int {
	x, y := cutRunes(a), cutRunes(b)
	prev2, prev := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur := make([]int, len(y)+1)
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev = prev, cur
	}
	return prev[len(y)]
}

const maxDistanceRunes = 100

func cutRunes(s string) []rune {
	r := []rune(s)
	if len(r) > maxDistanceRunes {
		r = r[:maxDistanceRunes]
	}
	return r
}
