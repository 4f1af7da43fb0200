package flightsql

import "slices"

// likeMatch tells whether a name matches a search pattern of the metadata commands: `%` stands for any text, `_` for
// one character, `\` takes the next character as it is. Exact in case, as names are.
// Source: Flight SQL, CommandGetTables; the escape is what SqlInfo 513 announces.
func likeMatch(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	// The usual two-pointer match: on a mismatch the last % takes one more character, so that it stays linear per %.
	pi, ni, star, mark := 0, 0, -1, 0
	for ni < len(n) {
		if pi < len(p) && p[pi] == '%' {
			star, mark = pi, ni
			pi++
			continue
		}
		if step := matchOne(p, pi, n[ni]); step > 0 {
			pi += step
			ni++
			continue
		}
		if star < 0 {
			return false
		}
		pi = star + 1
		mark++
		ni = mark
	}
	for pi < len(p) && p[pi] == '%' {
		pi++
	}
	return pi == len(p)
}

// matchOne gives how many pattern characters match c at i, 0 for none.
func matchOne(p []rune, i int, c rune) int {
	switch {
	case i >= len(p):
		return 0
	case p[i] == '\\' && i+1 < len(p):
		if p[i+1] == c {
			return 2
		}
		return 0
	case p[i] == '_' || p[i] == c:
		return 1
	}
	return 0
}

// matches applies an optional pattern: an absent one takes all, an empty one means "without a schema", which no table
// of ours is.
func matches(pattern *string, name string) bool {
	return pattern == nil || *pattern != "" && likeMatch(*pattern, name)
}

// picking gives what leaves the names that a pattern matches.
func picking(pattern *string) func(names []string) []string {
	return func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !matches(pattern, n) })
	}
}
