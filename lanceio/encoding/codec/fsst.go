package codec

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The symbol table of FSST: an 8-byte header, 8 bytes for each symbol, a byte for each symbol's length.
const (
	symbolTableSize  = 8 + 256*8 + 256
	symbolTableMagic = 0x46535354
	maxSymbols       = 255 // code 255 is the escape
	escapeCode       = 255
	// noSymbol is the length of codes without a symbol; no more than its high bit is looked at.
	noSymbol = 0x80
)

// SymbolTable decodes FSST text.
type SymbolTable struct {
	raw     bool // texts were stored as they are
	symbols [256]uint64
	lengths [256]uint8 // noSymbol where there is none, 0 of the escape
}

// ParseSymbolTable reads a table as the format stores it: header (bits 0-7 the number of symbols, bit 24 whether texts
// are compressed at all, bits 32-63 a magic number), symbols, and right behind these their lengths.
func ParseSymbolTable(b []byte) (*SymbolTable, error) {
	if len(b) < 8 || len(b) > symbolTableSize {
		return nil, corruptf("symbol table of %d bytes", len(b))
	}
	head := binary.LittleEndian.Uint64(b)
	if head>>32 != symbolTableMagic {
		return nil, corruptf("symbol table without its magic number")
	}
	t := &SymbolTable{raw: head>>24&1 == 0}
	n := int(head & 0xff)
	if n > maxSymbols || len(b) < 8+9*n {
		return nil, corruptf("symbol table of %d bytes for %d symbols", len(b), n)
	}
	for i := n; i < escapeCode; i++ {
		t.lengths[i] = noSymbol
	}
	for i := range n {
		t.symbols[i] = binary.LittleEndian.Uint64(b[8+8*i:])
		l := b[8+8*n+i]
		if l < 1 || l > 8 {
			return nil, corruptf("symbol %d has length %d", i, l)
		}
		t.lengths[i] = l
	}
	return t, nil
}

// Raw tells that the texts of this table are not compressed.
func (t *SymbolTable) Raw() bool { return t.raw }

// MaxSize is the largest size that n compressed bytes can decode to.
func (t *SymbolTable) MaxSize(n int) int {
	if t.raw {
		return n
	}
	return 8 * n
}

// DecodeSlack is how many bytes Decode may write to behind the text.
const DecodeSlack = 8

// Decode writes the text of src to dst and gives its length; dst must have room for MaxSize(len(src)) bytes and 8 more.
func (t *SymbolTable) Decode(dst, src []byte) (int, error) {
	if t.raw {
		return copy(dst, src), nil
	}
	if len(dst) < 8*len(src)+DecodeSlack {
		return 0, corruptf("no room for a text of %d compressed bytes", len(src))
	}
	return t.decode(dst, src, len(src))
}

// Texts decodes byte strings from to to of v: it writes them behind each other to dst, which must have room for MaxSize of
// their bytes and DecodeSlack more, and where each begins to starts, the first at base. It gives their size.
func Texts[O int32 | int64](t *SymbolTable, dst []byte, v Variable, from, to int, starts []O, base O) (int, error) {
	first, last := v.Offset(from), v.Offset(to)
	if len(dst) < t.MaxSize(int(last-first))+DecodeSlack {
		return 0, corruptf("no room for texts of %d compressed bytes", last-first)
	}
	starts = starts[:to-from]
	at := 0
	for i := range starts {
		end := v.Offset(from + i + 1)
		starts[i] = base + O(at)
		var n int
		var err error
		if t.raw {
			n = copy(dst[at:], v.Data[first:end])
		} else if n, err = t.decode(dst[at:], v.Data[first:], int(end-first)); err != nil {
			return 0, err
		}
		first = end
		at += n
	}
	return at, nil
}

// decode writes the text of the first n bytes of src to dst, which has room for MaxSize(n) bytes and DecodeSlack more, and
// gives its length. Eight codes are taken at a time, so that there is a branch for these and none for each: codes behind the
// last one are made escapes, which have no length.
func (t *SymbolTable) decode(dst, src []byte, n int) (int, error) {
	out := unsafe.Pointer(unsafe.SliceData(dst))
	at, all := 0, uint8(0)
	for i := 0; i < n; {
		left := uint(n-i) * 8 // bits of codes; shifts by 64 and more give 0
		w := load(src[i:])
		if e := escapes(w) & (1<<left - 1); e != 0 {
			k := bits.TrailingZeros64(e) / 8 // codes before it
			for range k {
				at, all, w = t.put(out, at, all, w)
			}
			if i += k + 1; i == n {
				return 0, corruptf("text ends within an escape")
			}
			dst[at] = src[i]
			at++
			i++
			continue
		}
		w |= ^uint64(0) << left
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, w = t.put(out, at, all, w)
		at, all, _ = t.put(out, at, all, w)
		i += 8
	}
	if all&noSymbol != 0 {
		return 0, corruptf("text uses a symbol that the table lacks")
	}
	return at, nil
}

// put writes the symbol of the low code of w at a place of out, and gives the next place and w without the code. Eight bytes
// are written whatever the symbol's length; the next symbol overwrites what is too much. That is within the room for the
// text, as no code has more than eight bytes and there are eight more.
func (t *SymbolTable) put(out unsafe.Pointer, at int, all uint8, w uint64) (int, uint8, uint64) {
	l := t.lengths[uint8(w)]
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(out, at))[:], t.symbols[uint8(w)])
	return at + int(l&15), all | l, w >> 8
}

// load gives the first eight bytes of b, with zeros where there are less.
func load(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	var w uint64
	for k, c := range b {
		w |= uint64(c) << (8 * k)
	}
	return w
}

// escapes has the high bit of the first byte of w that is an escape set, and no bit below; it is 0 where there is none.
func escapes(w uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	x := ^w
	return (x - low) &^ x & high
}
