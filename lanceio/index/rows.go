package index

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/lanceflight/flightsrv/errs"
)

// ids is a set of row addresses or row ids: the lower halves by the upper ones.
type ids map[uint32]*roaring.Bitmap

// upper gives the set of an upper half, to be added to.
func (s ids) upper(hi uint32) *roaring.Bitmap {
	b := s[hi]
	if b == nil {
		b = roaring.New()
		s[hi] = b
	}
	return b
}

// addAll adds ids in any order.
func (s ids) addAll(values []uint64) {
	for i := 0; i < len(values); {
		hi := uint32(values[i] >> 32)
		var low []uint32
		for ; i < len(values) && uint32(values[i]>>32) == hi; i++ {
			low = append(low, uint32(values[i]))
		}
		s.upper(hi).AddMany(low)
	}
}

// count is the number of ids.
func (s ids) count() uint64 {
	var n uint64
	for _, b := range s {
		n += b.GetCardinality()
	}
	return n
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
			s.upper(hi).AddRange(0, 1<<32)
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

// sorted gives all ids in order. It is not nil.
func (s ids) sorted() []uint64 {
	out := make([]uint64, 0, s.count())
	for _, hi := range slices.Sorted(maps.Keys(s)) {
		for lo := range roaring.Values(s[hi]) {
			out = append(out, uint64(hi)<<32|uint64(lo))
		}
	}
	return out
}
