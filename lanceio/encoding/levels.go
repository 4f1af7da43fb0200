package encoding

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// The loops over levels below take sixteen of them at a time, four in a word: there is no branch for a level. Levels are
// far below topLevel, as they are checked against their bounds first.
const (
	levelBlock = 16
	topLevel   = 1<<15 - 1
	// fourLevels times a level are four of it in a word.
	fourLevels = 1<<48 | 1<<32 | 1<<16 | 1
	// gatherLevels brings, by a multiplication, bits k, k+16, k+32 and k+48 to bits k+48 to k+51, for k of 0, 4, 8 and 12.
	gatherLevels = 1<<48 | 1<<33 | 1<<18 | 1<<3
)

// ones gives a word with the low n bits set, n up to 64.
func ones(n int) uint64 { return ^uint64(0) >> (64 - uint(n)) }

// upTo gives a bit for each level, of at most 64: set where it is at most top.
func upTo(levels []uint16, top uint16) uint64 {
	n := len(levels)
	if top >= topLevel {
		return ones(n)
	}
	bound := uint64(top|1<<15) * fourLevels
	var w uint64
	at := 0
	for ; len(levels) >= levelBlock; levels = levels[levelBlock:] {
		w |= blockUpTo((*[levelBlock]uint16)(levels), bound) << uint(at)
		at += levelBlock
	}
	if len(levels) > 0 {
		var tail [levelBlock]uint16
		copy(tail[:], levels)
		w |= blockUpTo(&tail, bound) << uint(at)
	}
	return w & ones(n)
}

// blockUpTo is upTo for a whole block. In each lane of bound the bit above the level is set, and is left set by the
// subtraction of a level that is no larger.
func blockUpTo(levels *[levelBlock]uint16, bound uint64) uint64 {
	b := (*[2 * levelBlock]byte)(arrow.Uint16Traits.CastToBytes(levels[:]))
	const low = fourLevels
	x := (bound - binary.LittleEndian.Uint64(b[0:8])) >> 15 & low
	x |= (bound - binary.LittleEndian.Uint64(b[8:16])) >> 11 & (low << 4)
	x |= (bound - binary.LittleEndian.Uint64(b[16:24])) >> 7 & (low << 8)
	x |= (bound - binary.LittleEndian.Uint64(b[24:32])) >> 3 & (low << 12)
	return x * gatherLevels >> 48
}

// equal gives a bit for each level, of at most 64: set where it is v, which is none for no level.
func equal(levels []uint16, v uint16) uint64 {
	switch v {
	case none:
		return 0
	case 0:
		return upTo(levels, 0)
	}
	return upTo(levels, v) &^ upTo(levels, v-1)
}

// exceeds tells whether a level is above top, and which is the largest. Levels may be any here.
func exceeds(levels []uint16, top uint16) (uint16, bool) {
	var x uint64
	rest := levels
	for ; len(rest) >= levelBlock; rest = rest[levelBlock:] {
		b := (*[2 * levelBlock]byte)(arrow.Uint16Traits.CastToBytes(rest[:levelBlock]))
		x |= binary.LittleEndian.Uint64(b[0:8]) | binary.LittleEndian.Uint64(b[8:16]) |
			binary.LittleEndian.Uint64(b[16:24]) | binary.LittleEndian.Uint64(b[24:32])
	}
	some := uint16(x) | uint16(x>>16) | uint16(x>>32) | uint16(x>>48)
	for _, v := range rest {
		some |= v
	}
	if some <= top { // no level is above the bits of all
		return 0, false
	}
	m := slices.Max(levels)
	return m, m > top
}

// countUpTo counts the levels that are at most top.
func countUpTo(levels []uint16, top uint16) int {
	n := 0
	for part := range slices.Chunk(levels, 64) {
		n += bits.OnesCount64(upTo(part, top))
	}
	return n
}

// compress moves the bits of x at which m is set together, in their order, to the low end.
func compress(x, m uint64) uint64 {
	x &= m
	if x == m {
		return ones(bits.OnesCount64(m))
	}
	// Each bit moves down by the number of gaps below it, one binary digit of that number at a time.
	gaps := ^m << 1
	for i := range 6 {
		odd := gaps ^ gaps<<1 // the parity of the gaps below each bit
		odd ^= odd << 2
		odd ^= odd << 4
		odd ^= odd << 8
		odd ^= odd << 16
		odd ^= odd << 32
		move := odd & m
		m = m ^ move | move>>(1<<i)
		t := x & move
		x = x ^ t | t>>(1<<i)
		gaps &^= odd
	}
	return x
}
