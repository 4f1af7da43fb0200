package table

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// RowIDSequence is the row ids of a fragment in the order of its physical rows, deleted ones included. It is not changed
// once it was read.
type RowIDSequence struct {
	segments []segment
	ends     []uint64 // cumulated lengths of the segments
}

// segment is a run of numbers.
type segment interface {
	length() uint64
	at(i uint64) uint64 // i is below length
	// find gives the place of a number, false where it is not in the segment.
	find(v uint64) (uint64, bool)
	// rows gives the places of the numbers that lie in spans, as ranges that ascend.
	rows(spans []Span) iter.Seq2[uint64, uint64]
}

// RowIDs reads the fragment's row ids where the manifest holds them; the table must have stable row ids. physicalRows is
// how many there must be.
func (f *Fragment) RowIDs(physicalRows uint64) (*RowIDSequence, error) {
	object := fmt.Sprintf("fragment %d", f.ID)
	s, err := ParseRowIDs(f.rowIDs, object)
	if err != nil {
		return nil, err
	}
	if s.Len() != physicalRows {
		return nil, errs.Corruptf(object, -1, "%d row ids for %d rows", s.Len(), physicalRows)
	}
	return s, nil
}

// ParseRowIDs reads the bytes of a row-id sequence. object names in errors what they belong to.
func ParseRowIDs(data []byte, object string) (*RowIDSequence, error) {
	msg := new(tablepb.RowIdSequence)
	if err := bounded.Unmarshal(data, msg); err != nil {
		return nil, errs.Corruptf(object, -1, "row ids: %v", err)
	}
	s := &RowIDSequence{}
	var total uint64
	for _, p := range msg.GetSegments() {
		seg, err := newSegment(p, object)
		if err != nil {
			return nil, err
		}
		n := seg.length()
		if n > 1<<32 || total+n > 1<<32 {
			return nil, errs.Corruptf(object, -1, "more than 2^32 row ids")
		}
		if n == 0 {
			continue
		}
		total += n
		s.segments, s.ends = append(s.segments, seg), append(s.ends, total)
	}
	return s, nil
}

// Len is the number of ids.
func (s *RowIDSequence) Len() uint64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// At is the id of a physical row, which must be below Len.
func (s *RowIDSequence) At(row uint64) uint64 {
	i := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > row })
	if i > 0 {
		row -= s.ends[i-1]
	}
	return s.segments[i].at(row)
}

// All gives the ids in order.
func (s *RowIDSequence) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, seg := range s.segments {
			for i := range seg.length() {
				if !yield(seg.at(i)) {
					return
				}
			}
		}
	}
}

// Find gives the first physical row that has an id.
func (s *RowIDSequence) Find(id uint64) (row uint64, ok bool) {
	var start uint64
	for i, seg := range s.segments {
		if at, ok := seg.find(id); ok {
			return start + at, true
		}
		start = s.ends[i]
	}
	return 0, false
}

// Span is the numbers from First to Last, both included.
type Span struct{ First, Last uint64 }

// Rows gives the physical rows whose ids lie in spans, as ranges that ascend; the spans ascend and do not overlap.
func (s *RowIDSequence) Rows(spans []Span) iter.Seq2[uint64, uint64] {
	return func(yield func(start, end uint64) bool) {
		var first uint64 // row of the segment
		for i, seg := range s.segments {
			for start, end := range seg.rows(spans) {
				if !yield(first+start, first+end) {
					return
				}
			}
			first = s.ends[i]
		}
	}
}

func newSegment(p *tablepb.U64Segment, object string) (segment, error) {
	switch s := p.GetSegment().(type) {
	case *tablepb.U64Segment_Range_:
		return newRange(s.Range.GetStart(), s.Range.GetEnd(), object)
	case *tablepb.U64Segment_RangeWithHoles_:
		return newHoles(s.RangeWithHoles, object)
	case *tablepb.U64Segment_RangeWithBitmap_:
		return newBits(s.RangeWithBitmap, object)
	case *tablepb.U64Segment_SortedArray:
		values, err := decodeU64s(s.SortedArray, object)
		if err == nil && !slices.IsSorted(values) {
			err = errs.Corruptf(object, -1, "row ids that should be sorted are not")
		}
		return sortedSegment(values), err
	case *tablepb.U64Segment_Array:
		values, err := decodeU64s(s.Array, object)
		return arraySegment(values), err
	}
	return nil, errs.Unsupportedf("%s: row ids of an unknown encoding", object)
}

func newRange(start, end uint64, object string) (rangeSegment, error) {
	if end < start {
		return rangeSegment{}, errs.Corruptf(object, -1, "row ids from %d to %d", start, end)
	}
	return rangeSegment{start, end}, nil
}

// rangeSegment is the numbers from start to below end.
type rangeSegment struct{ start, end uint64 }

func (s rangeSegment) length() uint64     { return s.end - s.start }
func (s rangeSegment) at(i uint64) uint64 { return s.start + i }
func (s rangeSegment) find(v uint64) (uint64, bool) {
	return v - s.start, v >= s.start && v < s.end
}

func (s rangeSegment) rows(spans []Span) iter.Seq2[uint64, uint64] {
	return func(yield func(start, end uint64) bool) {
		for _, p := range overlapping(spans, s.start, s.end-1) {
			if !yield(max(p.First, s.start)-s.start, min(p.Last, s.end-1)-s.start+1) {
				return
			}
		}
	}
}

// overlapping gives the spans that have numbers from first to last.
func overlapping(spans []Span, first, last uint64) []Span {
	from := sort.Search(len(spans), func(i int) bool { return spans[i].Last >= first })
	to := sort.Search(len(spans), func(i int) bool { return spans[i].First > last })
	return spans[from:max(from, to)]
}

// rowsBetween gives the places of the numbers of a segment that ascends, which lie from first to last, in spans. Each
// end of a span is looked up.
func rowsBetween(s segment, spans []Span, first, last uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(start, end uint64) bool) {
		n := int(s.length())
		for _, p := range overlapping(spans, first, last) {
			start := sort.Search(n, func(i int) bool { return s.at(uint64(i)) >= p.First })
			end := sort.Search(n, func(i int) bool { return s.at(uint64(i)) > p.Last })
			if start < end && !yield(uint64(start), uint64(end)) {
				return
			}
		}
	}
}

// holesSegment is a range less some sorted numbers.
type holesSegment struct {
	rangeSegment
	holes []uint64
}

func newHoles(p *tablepb.U64Segment_RangeWithHoles, object string) (segment, error) {
	r, err := newRange(p.GetStart(), p.GetEnd(), object)
	if err != nil {
		return nil, err
	}
	holes, err := decodeU64s(p.GetHoles(), object)
	if err != nil {
		return nil, err
	}
	for i, h := range holes {
		if h < r.start || h >= r.end || i > 0 && h <= holes[i-1] {
			return nil, errs.Corruptf(object, -1, "a hole at %d between row ids %d and %d", h, r.start, r.end)
		}
	}
	return holesSegment{r, holes}, nil
}

func (s holesSegment) length() uint64 { return s.rangeSegment.length() - uint64(len(s.holes)) }

func (s holesSegment) at(i uint64) uint64 {
	// holes[k]-start-k numbers lie before hole k; as many holes come before the i-th number as have no more than i.
	k := sort.Search(len(s.holes), func(k int) bool { return s.holes[k]-s.start-uint64(k) > i })
	return s.start + i + uint64(k)
}

func (s holesSegment) rows(spans []Span) iter.Seq2[uint64, uint64] {
	return rowsBetween(s, spans, s.start, s.end)
}

func (s holesSegment) find(v uint64) (uint64, bool) {
	at, ok := s.rangeSegment.find(v)
	if !ok {
		return 0, false
	}
	k, hole := slices.BinarySearch(s.holes, v)
	return at - uint64(k), !hole
}

// bitsSegment is the numbers of a range whose bits are set, from the least significant bit of each byte on.
type bitsSegment struct {
	rangeSegment
	bitmap []byte
	ranks  []uint64 // set bits before each byte, and in all
}

func newBits(p *tablepb.U64Segment_RangeWithBitmap, object string) (segment, error) {
	r, err := newRange(p.GetStart(), p.GetEnd(), object)
	if err != nil {
		return nil, err
	}
	n := r.length()
	bitmap := p.GetBitmap()
	if size := n/8 + (n%8+7)/8; uint64(len(bitmap)) != size {
		return nil, errs.Corruptf(object, -1, "a bitmap of %d bytes for %d row ids", len(bitmap), n)
	}
	if n%8 != 0 && bitmap[n/8]>>(n%8) != 0 {
		return nil, errs.Corruptf(object, -1, "a bitmap has bits set past its %d row ids", n)
	}
	ranks := make([]uint64, len(bitmap)+1)
	for i, b := range bitmap {
		ranks[i+1] = ranks[i] + uint64(bits.OnesCount8(b))
	}
	return bitsSegment{r, bitmap, ranks}, nil
}

func (s bitsSegment) length() uint64 { return s.ranks[len(s.bitmap)] }

func (s bitsSegment) at(i uint64) uint64 {
	k := sort.Search(len(s.bitmap), func(k int) bool { return s.ranks[k+1] > i })
	b := s.bitmap[k]
	for range i - s.ranks[k] {
		b &= b - 1
	}
	return s.start + uint64(k)*8 + uint64(bits.TrailingZeros8(b))
}

func (s bitsSegment) rows(spans []Span) iter.Seq2[uint64, uint64] {
	return rowsBetween(s, spans, s.start, s.end)
}

func (s bitsSegment) find(v uint64) (uint64, bool) {
	at, ok := s.rangeSegment.find(v)
	if !ok {
		return 0, false
	}
	b, bit := s.bitmap[at/8], at%8
	return s.ranks[at/8] + uint64(bits.OnesCount8(b&(1<<bit-1))), b>>bit&1 == 1
}

// sortedSegment is a sorted list.
type sortedSegment []uint64

func (s sortedSegment) length() uint64     { return uint64(len(s)) }
func (s sortedSegment) at(i uint64) uint64 { return s[i] }
func (s sortedSegment) rows(spans []Span) iter.Seq2[uint64, uint64] {
	return rowsBetween(s, spans, s[0], s[len(s)-1]) // no segment is empty
}
func (s sortedSegment) find(v uint64) (uint64, bool) {
	i, ok := slices.BinarySearch(s, v)
	return uint64(i), ok
}

// arraySegment is a list in any order.
type arraySegment []uint64

func (s arraySegment) length() uint64     { return uint64(len(s)) }
func (s arraySegment) at(i uint64) uint64 { return s[i] }
func (s arraySegment) rows(spans []Span) iter.Seq2[uint64, uint64] {
	return func(yield func(start, end uint64) bool) {
		for i, v := range s {
			if len(overlapping(spans, v, v)) > 0 && !yield(uint64(i), uint64(i)+1) {
				return
			}
		}
	}
}
func (s arraySegment) find(v uint64) (uint64, bool) {
	i := slices.Index(s, v)
	return uint64(i), i >= 0
}

// decodeU64s expands an array: each number is base plus a little-endian offset of 2, 4 or 8 bytes.
func decodeU64s(p *tablepb.EncodedU64Array, object string) ([]uint64, error) {
	var base uint64
	var raw []byte
	var size int
	switch a := p.GetArray().(type) {
	case *tablepb.EncodedU64Array_U16Array_:
		base, raw, size = a.U16Array.GetBase(), a.U16Array.GetOffsets(), 2
	case *tablepb.EncodedU64Array_U32Array_:
		base, raw, size = a.U32Array.GetBase(), a.U32Array.GetOffsets(), 4
	case *tablepb.EncodedU64Array_U64Array_:
		raw, size = a.U64Array.GetValues(), 8
	case nil:
		return nil, nil
	}
	if len(raw)%size != 0 {
		return nil, errs.Corruptf(object, -1, "an array of %d bytes, %d for each number", len(raw), size)
	}
	out := make([]uint64, len(raw)/size)
	for i := range out {
		var v uint64
		switch size {
		case 2:
			v = uint64(le.Uint16(raw[i*2:]))
		case 4:
			v = uint64(le.Uint32(raw[i*4:]))
		default:
			v = le.Uint64(raw[i*8:])
		}
		if base+v < base {
			return nil, errs.Corruptf(object, -1, "number %d + %d overflows", base, v)
		}
		out[i] = base + v
	}
	return out, nil
}
