package index

import (
	"bytes"
	"slices"
	"sort"
)

// span is the keys from lo to hi, both included. An empty lo is below all keys; hi is nil where there is no upper bound.
type span struct{ lo, hi []byte }

// set is a set of values: keys that ascend and do not overlap, and null where nulls is set.
type set struct {
	spans []span
	nulls bool
}

// point is the span of one key.
func point(key []byte) span { return span{key, key} }

// above tells whether a key lies past a span.
func (s span) above(key []byte) bool { return s.hi != nil && bytes.Compare(key, s.hi) > 0 }

// overlaps tells whether a set has keys from lo to hi.
func (s set) overlaps(lo, hi []byte) bool {
	i := sort.Search(len(s.spans), func(i int) bool { return !s.spans[i].above(lo) })
	return i < len(s.spans) && bytes.Compare(s.spans[i].lo, hi) <= 0
}

// holds tells whether a set has a key.
func (s set) holds(key []byte) bool {
	i, found := slices.BinarySearchFunc(s.spans, key, func(p span, key []byte) int {
		switch {
		case p.above(key):
			return -1
		case bytes.Compare(p.lo, key) > 0:
			return 1
		}
		return 0
	})
	return found && i < len(s.spans)
}

// union gives the values of either set.
func (s set) union(o set) set {
	all := slices.Concat(s.spans, o.spans)
	slices.SortFunc(all, func(a, b span) int { return bytes.Compare(a.lo, b.lo) })
	out := set{nulls: s.nulls || o.nulls}
	for _, p := range all {
		n := len(out.spans) - 1
		if n < 0 || out.spans[n].above(p.lo) {
			out.spans = append(out.spans, p)
			continue
		}
		last := &out.spans[n]
		if p.hi == nil || last.hi != nil && bytes.Compare(p.hi, last.hi) > 0 {
			last.hi = p.hi
		}
	}
	return out
}

// intersect gives the values of both sets.
func (s set) intersect(o set) set {
	out := set{nulls: s.nulls && o.nulls}
	for i, j := 0, 0; i < len(s.spans) && j < len(o.spans); {
		a, b := s.spans[i], o.spans[j]
		both := span{lo: a.lo, hi: a.hi}
		if bytes.Compare(b.lo, a.lo) > 0 {
			both.lo = b.lo
		}
		aFirst := a.hi != nil && (b.hi == nil || bytes.Compare(a.hi, b.hi) < 0)
		if !aFirst {
			both.hi = b.hi
		}
		if !both.above(both.lo) {
			out.spans = append(out.spans, both)
		}
		if aFirst {
			i++
		} else {
			j++
		}
	}
	return out
}

// empty tells whether no value is in the set.
func (s set) empty() bool { return len(s.spans) == 0 && !s.nulls }
