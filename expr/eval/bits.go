package eval

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// Bitmap is a set of rows: row i is in it where bit i%64 of Words[i/64] is set. Bits from N on are zero.
type Bitmap struct {
	Words []uint64
	N     int
}

// Count gives the number of rows in the set.
func (b Bitmap) Count() int { return words(b.Words).count() }

// Get tells whether row i is in the set.
func (b Bitmap) Get(i int) bool { return words(b.Words).get(i) }

// All tells whether every row is in the set.
func (b Bitmap) All() bool { return b.Count() == b.N }

// Any tells whether some row is in the set.
func (b Bitmap) Any() bool { return words(b.Words).any() }

// Indices appends the rows of the set to dst in order.
func (b Bitmap) Indices(dst []int32) []int32 {
	for w, x := range b.Words {
		for ; x != 0; x &= x - 1 {
			dst = append(dst, int32(w*64+bits.TrailingZeros64(x)))
		}
	}
	return dst
}

// And keeps the rows that are in c too; both must have as many rows.
func (b Bitmap) And(c Bitmap) Bitmap {
	return Bitmap{Words: words(b.Words).and(words(c.Words)), N: b.N}
}

// AllRows gives the set of all n rows.
func AllRows(n int) Bitmap { return Bitmap{Words: allWords(n), N: n} }

// words are bits by row. nil stands for "all rows" only where a comment says so.
type words []uint64

func wordCount(n int) int { return (n + 63) / 64 }

func noWords(n int) words { return make(words, wordCount(n)) }

func allWords(n int) words {
	w := noWords(n)
	for i := range w {
		w[i] = ^uint64(0)
	}
	return w.trim(n)
}

// trim clears the bits from n on.
func (w words) trim(n int) words {
	if r := uint(n) % 64; r != 0 && len(w) > 0 {
		w[len(w)-1] &= 1<<r - 1
	}
	return w
}

func (w words) get(i int) bool { return w[i/64]>>(uint(i)%64)&1 != 0 }

func (w words) set(i int) { w[i/64] |= 1 << (uint(i) % 64) }

func (w words) clear(i int) { w[i/64] &^= 1 << (uint(i) % 64) }

func (w words) count() int {
	n := 0
	for _, x := range w {
		n += bits.OnesCount64(x)
	}
	return n
}

func (w words) any() bool {
	for _, x := range w {
		if x != 0 {
			return true
		}
	}
	return false
}

func (w words) and(o words) words {
	out := make(words, len(w))
	for i := range w {
		out[i] = w[i] & o[i]
	}
	return out
}

func (w words) or(o words) words {
	out := make(words, len(w))
	for i := range w {
		out[i] = w[i] | o[i]
	}
	return out
}

func (w words) andNot(o words) words {
	out := make(words, len(w))
	for i := range w {
		out[i] = w[i] &^ o[i]
	}
	return out
}

// each calls f for every row of the set, in order.
func (w words) each(f func(i int)) {
	for k, x := range w {
		for ; x != 0; x &= x - 1 {
			f(k*64 + bits.TrailingZeros64(x))
		}
	}
}

// andValid gives both sets of valid rows in one; nil stands for all rows.
func andValid(a, b words) words {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.and(b)
}

// validWords gives the rows of an array that are not null, nil for all.
func validWords(a arrow.Array) words {
	if a.DataType().ID() == arrow.NULL {
		return noWords(a.Len())
	}
	if a.NullN() == 0 {
		return nil
	}
	return bitmapWords(a.NullBitmapBytes(), a.Data().Offset(), a.Len())
}

// bitmapWords copies n bits from offset on; no bitmap is all ones.
func bitmapWords(b []byte, offset, n int) words {
	if len(b) == 0 {
		return allWords(n)
	}
	out := noWords(n)
	at := offset / 8
	shift := uint(offset % 8)
	for k := range out {
		var lo uint64
		base := at + k*8
		for j := 0; j < 8 && base+j < len(b); j++ {
			lo |= uint64(b[base+j]) << (8 * uint(j))
		}
		if shift > 0 {
			lo >>= shift
			if base+8 < len(b) {
				lo |= uint64(b[base+8]) << (64 - shift)
			}
		}
		out[k] = lo
	}
	return out.trim(n)
}

// bytes gives the bits as an Arrow bitmap of n bits that starts at bit offset.
func (w words) bytes(offset, n int) []byte {
	out := make([]byte, (offset+n+7)/8)
	w.each(func(i int) {
		i += offset
		out[i/8] |= 1 << (uint(i) % 8)
	})
	return out
}

// truth is a column of truth values: t holds the rows that are true, f those that are false; a row in neither is
// unknown.
type truth struct{ t, f words }

func constTruth(n int, v, known bool) truth {
	switch {
	case !known:
		return truth{noWords(n), noWords(n)}
	case v:
		return truth{allWords(n), noWords(n)}
	}
	return truth{noWords(n), allWords(n)}
}

func (a truth) not() truth        { return truth{a.f, a.t} }
func (a truth) and(b truth) truth { return truth{a.t.and(b.t), a.f.or(b.f)} }
func (a truth) or(b truth) truth  { return truth{a.t.or(b.t), a.f.and(b.f)} }

// known gives t as a truth that is nowhere unknown.
func knownTruth(t words, n int) truth { return truth{t, allWords(n).andNot(t)} }

// masked gives t where valid, unknown elsewhere; nil valid stands for all rows.
func masked(t, valid words, n int) truth {
	if valid == nil {
		return knownTruth(t, n)
	}
	return truth{t.and(valid), valid.andNot(t)}
}
