package index

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// ids is a set of row addresses or row ids.
type ids struct {
	some map[uint32]*roaring.Bitmap // lower halves by the upper one
	all  map[uint32]bool            // upper halves of which all lower ones are in the set
}

func newIDs() ids { return ids{some: map[uint32]*roaring.Bitmap{}, all: map[uint32]bool{}} }

// upper gives the set of an upper half, to be added to.
func (s ids) upper(hi uint32) *roaring.Bitmap {
	b := s.some[hi]
	if b == nil {
		b = roaring.New()
		s.some[hi] = b
	}
	return b
}

// merge adds the ids of another set, which must not be used any more.
func (s ids) merge(o ids) {
	for hi := range o.all {
		s.all[hi] = true
	}
	for hi, b := range o.some {
		if have := s.some[hi]; have != nil {
			have.Or(b)
		} else {
			s.some[hi] = b
		}
	}
}

// addTree adds the ids of a serialized tree of bitmaps: a number of entries, each an upper half, the size of a bitmap in
// bytes, 0 for all lower halves, and the bitmap in roaring's portable form. All numbers are little-endian, of 32 bits.
func (s ids) addTree(b []byte, object string) error {
	bad := func() error { return errs.Corruptf(object, -1, "a set of row ids of %d bytes is cut short", len(b)) }
	if len(b) < 4 {
		return bad()
	}
	n := binary.LittleEndian.Uint32(b)
	rest := b[4:]
	for range n {
		if len(rest) < 8 {
			return bad()
		}
		hi, size := binary.LittleEndian.Uint32(rest), uint64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		if size > uint64(len(rest)) {
			return bad()
		}
		if size == 0 {
			s.all[hi] = true
			continue
		}
		part := roaring.New()
		if _, err := part.ReadFrom(bytes.NewReader(rest[:size])); err != nil {
			return errs.Corruptf(object, -1, "row ids: %v", err)
		}
		if err := part.Validate(); err != nil {
			return errs.Corruptf(object, -1, "row ids: %v", err)
		}
		s.upper(hi).Or(part)
		rest = rest[size:]
	}
	if len(rest) != 0 {
		return errs.Corruptf(object, -1, "%d bytes behind a set of row ids", len(rest))
	}
	return nil
}

// byFragment are the rows that may satisfy a condition, by the fragment's id; fragments that are not in it may hold such
// rows anywhere.
type byFragment map[uint32]*roaring.Bitmap

// intersect gives the rows in both.
func (a byFragment) intersect(b byFragment) byFragment {
	out := byFragment{}
	for f, rows := range a {
		out[f] = rows
	}
	for f, rows := range b {
		if have := out[f]; have != nil {
			rows = roaring.And(have, rows)
		}
		out[f] = rows
	}
	return out
}

// union gives the rows in either.
func (a byFragment) union(b byFragment) byFragment {
	out := byFragment{}
	for f, rows := range a {
		if other := b[f]; other != nil {
			out[f] = roaring.Or(rows, other)
		}
	}
	return out
}

// spans gives all ids as runs that ascend and do not touch.
func (s ids) spans() []table.Span {
	var out []table.Span
	for hi := range s.all {
		s.upper(hi)
	}
	for _, hi := range slices.Sorted(maps.Keys(s.some)) {
		ranges := s.some[hi].Ranges()
		if s.all[hi] {
			ranges = func(yield func(uint32, uint64) bool) { yield(0, 1<<32) }
		}
		for start, end := range ranges {
			first := uint64(hi)<<32 | uint64(start)
			last := uint64(hi)<<32 + end - 1
			if n := len(out) - 1; n >= 0 && out[n].Last+1 == first {
				out[n].Last = last
				continue
			}
			out = append(out, table.Span{First: first, Last: last})
		}
	}
	return out
}
