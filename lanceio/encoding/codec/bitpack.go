package codec

import "encoding/binary"

// GroupSize is how many values a bit-packed group holds, whatever their number in use.
const GroupSize = 1024

// laneBytes is the size of one word of every lane: 1024/t lanes of t bits make 128 bytes for each t.
const laneBytes = 128

// laneOrder is the order in which groups of eight rows of a lane are stored (FastLanes).
var laneOrder = [8]int{0, 4, 2, 6, 1, 5, 3, 7}

// validWidth tells whether t is the width of a word that can be packed.
func validWidth(t int) bool { return t == 8 || t == 16 || t == 32 || t == 64 }

// PackedSize is the size in bytes of a group of 1024 values packed to w bits.
func PackedSize(w int) int { return laneBytes * w }

// Unpack unpacks a group of 1024 values from w bits to t bits each: dst takes 1024*t/8 bytes, src has PackedSize(w).
//
// Row r of each of the 1024/t lanes stands at bits r*w of the lane's stream; word k of all lanes stands side by side
// in 128 bytes. So for each t a row is sixteen 64-bit words, each with 64/t lanes in it, which are shifted and masked
// at once.
func Unpack(dst, src []byte, t, w int) error {
	if !validWidth(t) || w < 0 || w > t {
		return corruptf("%d of %d bits is no width of packed values", w, t)
	}
	if len(src) != PackedSize(w) || len(dst) != GroupSize*t/8 {
		return corruptf("packed group has %d bytes, %d bits per value take %d", len(src), w, PackedSize(w))
	}
	if w == 0 {
		clear(dst)
		return nil
	}
	for row := range t {
		bit := row * w
		word, shift := bit/t, bit%t
		at := (laneOrder[row/8]*16 + row%8*128) * t / 8 // of the values at this row of all lanes
		out := (*[laneBytes]byte)(dst[at:])
		low := (*[laneBytes]byte)(src[word*laneBytes:])
		if shift+w <= t {
			unpackRow(out, low, uint(shift), lanes(t, w))
			continue
		}
		high := (*[laneBytes]byte)(src[(word+1)*laneBytes:])
		unpackRowAcross(out, low, high, uint(shift), uint(t-shift), lanes(t, t-shift), lanes(t, w))
	}
	return nil
}

// lanes gives a mask with the low w bits of each t-bit lane set.
func lanes(t, w int) uint64 {
	m := ^uint64(0) >> (64 - w)
	for n := t; n < 64; n *= 2 {
		m |= m << n
	}
	return m
}

func unpackRow(out, in *[laneBytes]byte, shift uint, mask uint64) {
	for i := 0; i < laneBytes; i += 8 {
		v := binary.LittleEndian.Uint64(in[i:i+8]) >> (shift & 63) & mask
		binary.LittleEndian.PutUint64(out[i:i+8], v)
	}
}

// unpackRowAcross takes the low bits of each value from the top of low's lanes and the rest from the bottom of high's.
func unpackRowAcross(out, low, high *[laneBytes]byte, shift, left uint, lowMask, mask uint64) {
	highMask := mask &^ lowMask
	for i := 0; i < laneBytes; i += 8 {
		v := binary.LittleEndian.Uint64(low[i:i+8]) >> (shift & 63) & lowMask
		v |= binary.LittleEndian.Uint64(high[i:i+8]) << (left & 63) & highMask
		binary.LittleEndian.PutUint64(out[i:i+8], v)
	}
}

// word reads the first t-bit word of b.
func word(b []byte, t int) uint64 {
	switch t {
	case 8:
		return uint64(b[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(b))
	case 32:
		return uint64(binary.LittleEndian.Uint32(b))
	default:
		return binary.LittleEndian.Uint64(b)
	}
}

// InlineBitpacked unpacks one group of n values, n at most 1024, of t bits: the first word is the packed width, the
// group follows. The result is dst, or a larger slice where dst is too small, with n*t/8 bytes.
func InlineBitpacked(dst, src []byte, t, n int) ([]byte, error) {
	if !validWidth(t) {
		return nil, corruptf("bit packing of %d-bit values", t)
	}
	if n < 0 || n > GroupSize {
		return nil, corruptf("bit-packed chunk of %d values, at most %d", n, GroupSize)
	}
	if len(src) < t/8 {
		return nil, corruptf("bit-packed chunk of %d bytes has no header", len(src))
	}
	w := word(src, t)
	if w > uint64(t) {
		return nil, corruptf("bit-packed width %d of %d-bit values", w, t)
	}
	dst = Grow(dst, GroupSize*t/8)
	if err := Unpack(dst, src[t/8:], t, int(w)); err != nil {
		return nil, err
	}
	return dst[:n*t/8], nil
}

// OutOfLineBitpacked unpacks n values of t bits from groups packed to w bits each. The last n mod 1024 values are either
// one more group or raw words, which only the length tells. The result is dst or a larger slice, with n*t/8 bytes.
func OutOfLineBitpacked(dst, src []byte, t, w, n int) ([]byte, error) {
	if !validWidth(t) || w < 0 || w > t || n < 0 {
		return nil, corruptf("bit packing of %d values from %d to %d bits", n, w, t)
	}
	full, tail := n/GroupSize, n%GroupSize
	packed := PackedSize(w)
	rest := len(src)
	if packed > 0 {
		if full > len(src)/packed {
			return nil, corruptf("%d bytes of packed values, %d values of %d bits take more", len(src), n, w)
		}
		rest -= full * packed
	}
	rawTail := tail > 0 && rest == tail*t/8
	if !rawTail && (tail == 0 && rest != 0 || tail > 0 && rest != packed) {
		return nil, corruptf("%d bytes of packed values do not hold %d values of %d bits", len(src), n, w)
	}
	group := GroupSize * t / 8
	groups := full
	if tail > 0 && !rawTail {
		groups++
	}
	dst = Grow(dst, max(groups*group, n*t/8))
	for g := range groups {
		if err := Unpack(dst[g*group:(g+1)*group], src[g*packed:(g+1)*packed], t, w); err != nil {
			return nil, err
		}
	}
	if rawTail {
		copy(dst[full*group:], src[full*packed:])
	}
	return dst[:n*t/8], nil
}
