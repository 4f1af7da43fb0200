package encoding

import "slices"

// The loops over levels below take eight of them at a time: in most data most levels are 0, and one branch tells that of
// all eight.
const levelBlock = 8

// anyOf gives the bits that any of the levelBlock levels at the start of l has.
func anyOf(l []uint16) uint16 {
	b := (*[levelBlock]uint16)(l)
	return b[0] | b[1] | b[2] | b[3] | b[4] | b[5] | b[6] | b[7]
}

// nextLevels gives the first levels of l, at most levelBlock, and tells whether they are a whole block of zeros.
func nextLevels(l []uint16) (part []uint16, zeros bool) {
	if len(l) < levelBlock {
		return l, false
	}
	return l[:levelBlock], anyOf(l) == 0
}

// exceeds tells whether a level is above top, and which is the largest.
func exceeds(levels []uint16, top uint16) (uint16, bool) {
	var any uint16
	rest := levels
	for ; len(rest) >= levelBlock; rest = rest[levelBlock:] {
		any |= anyOf(rest)
	}
	for _, v := range rest {
		any |= v
	}
	if any <= top { // no level is above the bits of all
		return 0, false
	}
	m := slices.Max(levels)
	return m, m > top
}

// countOf counts the levels that are v, which is not 0.
func countOf(levels []uint16, v uint16) int {
	n := 0
	for len(levels) > 0 {
		part, zeros := nextLevels(levels)
		levels = levels[len(part):]
		if zeros {
			continue
		}
		for _, l := range part {
			n += isZero(l ^ v)
		}
	}
	return n
}

// sumOf adds levels that are at most 1.
func sumOf(levels []uint16) int {
	n := 0
	for ; len(levels) >= levelBlock; levels = levels[levelBlock:] {
		b := (*[levelBlock]uint16)(levels)
		n += int(b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + b[7])
	}
	for _, l := range levels {
		n += int(l)
	}
	return n
}

// countUpTo counts the levels that are at most top.
func countUpTo(levels []uint16, top uint16) int {
	n := 0
	for len(levels) > 0 {
		part, zeros := nextLevels(levels)
		levels = levels[len(part):]
		if zeros {
			n += levelBlock
			continue
		}
		for _, l := range part {
			n += upTo(l, top)
		}
	}
	return n
}

// isZero is 1 for 0, else 0, without a branch.
func isZero(v uint16) int { return int((uint32(v) - 1) >> 31) }

// upTo is 1 where l is at most top, else 0, without a branch.
func upTo(l, top uint16) int { return int((int32(top)-int32(l))>>31 + 1) }

// visibleWord gives a bit for each level, of at most 64, that is at most visible: set where it is at most valid. k is
// how many bits there are.
func visibleWord(levels []uint16, visible, valid uint16) (w uint64, k int) {
	for len(levels) > 0 {
		part, zeros := nextLevels(levels)
		levels = levels[len(part):]
		if zeros {
			w |= 0xff << uint(k)
			k += levelBlock
			continue
		}
		for _, d := range part {
			seen := upTo(d, visible)
			w |= uint64(seen&upTo(d, valid)) << uint(k&63)
			k += seen
		}
	}
	return w, k
}
