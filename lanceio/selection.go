package lanceio

import (
	"math/bits"

	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// selection is a set of physical rows of a fragment: ranges that ascend, do not overlap, do not touch and are not empty.
type selection []encoding.RowRange

// rowsOf gives the selection of all rows from start to end.
func rowsOf(start, end uint64) selection {
	if start >= end {
		return nil
	}
	return selection{{Start: start, End: end}}
}

// count is the number of rows.
func (s selection) count() int64 {
	var n int64
	for _, r := range s {
		n += int64(r.End - r.Start)
	}
	return n
}

// add appends rows that lie past all others.
func (s selection) add(start, end uint64) selection {
	if start >= end {
		return s
	}
	if n := len(s) - 1; n >= 0 && s[n].End == start {
		s[n].End = end
		return s
	}
	return append(s, encoding.RowRange{Start: start, End: end})
}

// intersect gives the rows that are in both.
func (s selection) intersect(o selection) selection {
	var out selection
	for i, k := 0, 0; i < len(s) && k < len(o); {
		out = out.add(max(s[i].Start, o[k].Start), min(s[i].End, o[k].End))
		if s[i].End < o[k].End {
			i++
		} else {
			k++
		}
	}
	return out
}

// split gives the first n rows and the rest.
func (s selection) split(n int64) (first, rest selection) {
	for i, r := range s {
		size := int64(r.End - r.Start)
		if n >= size {
			n -= size
			continue
		}
		first = append(first, s[:i]...)
		if n > 0 {
			first = append(first, encoding.RowRange{Start: r.Start, End: r.Start + uint64(n)})
		}
		rest = append(rest, encoding.RowRange{Start: r.Start + uint64(n), End: r.End})
		return first, append(rest, s[i+1:]...)
	}
	return s, nil
}

// keep gives the rows at whose place in the selection (0 is its first row) pass has a bit set; it has one for each row.
func (s selection) keep(pass eval.Bitmap) selection {
	var out selection
	first := 0 // place of the range's first row
	for _, r := range s {
		end := first + int(r.End-r.Start)
		for at := first; at < end; {
			start := nextBit(pass.Words, at, end, 0)
			at = nextBit(pass.Words, start, end, ^uint64(0))
			out = out.add(r.Start+uint64(start-first), r.Start+uint64(at-first))
		}
		first = end
	}
	return out
}

// nextBit gives the first place from at on, below end, at which a bit of words differs from that of flip, and end where
// there is none. It looks at words as a whole, as rows that pass a filter mostly come in runs.
func nextBit(words []uint64, at, end int, flip uint64) int {
	for at < end {
		if w := (words[at/64] ^ flip) >> (uint(at) % 64); w != 0 {
			return min(end, at+bits.TrailingZeros64(w))
		}
		at += 64 - at%64
	}
	return end
}

// places gives, for each row of sub, which must all lie in s, its place in s, as ranges of places.
func (s selection) places(sub selection) []encoding.RowRange {
	var out selection
	var before uint64
	i := 0
	for _, r := range sub {
		for s[i].End <= r.Start {
			before += s[i].End - s[i].Start
			i++
		}
		// A range of sub lies inside one range of s, as ranges of s do not touch.
		start := before + r.Start - s[i].Start
		out = out.add(start, start+r.End-r.Start)
	}
	return out
}

// cursor walks a selection without copying what is left of it.
type cursor struct {
	s   selection
	i   int    // range
	row uint64 // next row in it, when it is past the range's start
}

// done tells whether no row is left.
func (c cursor) done() bool { return c.i == len(c.s) }

// split tells whether the next row continues a range of which rows were taken.
func (c cursor) split() bool { return !c.done() && c.row > c.s[c.i].Start }

// take gives up to n rows and the cursor behind them.
func (c cursor) take(n int64) (selection, cursor) {
	var out selection
	for n > 0 && !c.done() {
		start := max(c.row, c.s[c.i].Start)
		end := c.s[c.i].End
		if left := int64(end - start); left > n {
			end = start + uint64(n)
			c.row = end
		} else {
			c.i, c.row = c.i+1, 0
		}
		n -= int64(end - start)
		out = append(out, encoding.RowRange{Start: start, End: end})
	}
	return out, c
}
