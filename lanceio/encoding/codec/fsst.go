package codec

import "encoding/binary"

// The symbol table of FSST: an 8-byte header, 8 bytes for each symbol, a byte for each symbol's length.
const (
	symbolTableSize  = 8 + 256*8 + 256
	symbolTableMagic = 0x46535354
	maxSymbols       = 255 // code 255 is the escape
	escapeCode       = 255
)

// SymbolTable decodes FSST text.
type SymbolTable struct {
	raw     bool // texts were stored as they are
	symbols [256]uint64
	lengths [256]uint8 // 0: no such symbol
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
	at := 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c != escapeCode {
			l := t.lengths[c]
			if l == 0 {
				return 0, corruptf("text uses symbol %d, which the table lacks", c)
			}
			// Eight bytes are written whatever the symbol's length; the next symbol overwrites what is too much.
			binary.LittleEndian.PutUint64(dst[at:], t.symbols[c])
			at += int(l)
			continue
		}
		i++
		if i == len(src) {
			return 0, corruptf("text ends within an escape")
		}
		dst[at] = src[i]
		at++
	}
	return at, nil
}
