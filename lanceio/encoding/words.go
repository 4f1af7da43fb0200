package encoding

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// uints are what keys are stored as.
type uints interface {
	uint8 | uint16 | uint32 | uint64
}

// withKeys calls the function of the keys' width with them; ok is false where they have none that keys have.
func withKeys(data []byte, bits int, f8 func([]uint8), f16 func([]uint16), f32 func([]uint32), f64 func([]uint64)) (ok bool) {
	switch bits {
	case 8:
		f8(data)
	case 16:
		f16(arrow.Uint16Traits.CastFromBytes(data))
	case 32:
		f32(arrow.Uint32Traits.CastFromBytes(data))
	case 64:
		f64(arrow.Uint64Traits.CastFromBytes(data))
	default:
		return false
	}
	return true
}

// wordTable is the byte strings of a dictionary, made ready to be copied to where keys name them. Short ones are padded to
// a common width, so that copying one takes no call and no branch.
type wordTable struct {
	text    codec.Variable
	lengths []uint32
	width   int // 8 or 16, 0 where the strings are not padded
	padded  []byte
	valid   []uint8 // 1 for each string that is not null, 0 for others; nil where none is null
}

// padding is how many bytes behind the last string copying may write to.
const padding = 16

// newWordTable gives the table of the first n strings; an offset has been checked to lie within the text.
func newWordTable(text codec.Variable, n int) *wordTable {
	t := &wordTable{text: text, lengths: make([]uint32, n)}
	longest := uint64(0)
	for i := range n {
		l := text.Offset(i+1) - text.Offset(i)
		t.lengths[i] = uint32(l)
		longest = max(longest, l)
	}
	switch {
	case longest <= 8:
		t.width = 8
	case longest <= 16:
		t.width = 16
	default:
		return t
	}
	t.padded = make([]byte, n*t.width)
	for i := range n {
		copy(t.padded[i*t.width:], text.Value(i))
	}
	return t
}

// size is how many bytes the strings of keys take. ok is false where there is no string of a key, the first of which is bad.
func size[K uints](t *wordTable, keys []K) (total uint64, bad uint64, ok bool) {
	lengths := t.lengths
	for _, k := range keys {
		if uint64(k) >= uint64(len(lengths)) {
			return 0, uint64(k), false
		}
		total += uint64(lengths[k])
	}
	return total, 0, true
}

// gather writes the strings of keys, which size has checked, behind each other, and where each begins to offsets, the first
// at base. dst has room for them and for padding behind.
func gather[K uints, O int32 | int64](t *wordTable, keys []K, offsets []O, dst []byte, base O) {
	lengths, padded, at := t.lengths, t.padded, 0
	offsets = offsets[:len(keys)]
	switch t.width {
	case 8:
		for i, k := range keys {
			offsets[i] = base + O(at)
			binary.LittleEndian.PutUint64(dst[at:], binary.LittleEndian.Uint64(padded[8*int(k):]))
			at += int(lengths[k])
		}
	case 16:
		for i, k := range keys {
			offsets[i] = base + O(at)
			src, to := padded[16*int(k):][:16], dst[at:][:16]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(src))
			binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(src[8:]))
			at += int(lengths[k])
		}
	default:
		for i, k := range keys {
			offsets[i] = base + O(at)
			at += copy(dst[at:], t.text.Value(int(k)))
		}
	}
}

// validOf writes to dst, which has room for them, the bits of the keys, which size has checked: set where its string is not
// null.
func validOf[K uints](t *wordTable, keys []K, dst []byte) {
	for len(keys) > 0 {
		part := keys[:min(8, len(keys))]
		var b uint8
		for i, k := range part {
			b |= t.valid[k] << uint(i)
		}
		dst[0] = b
		keys, dst = keys[len(part):], dst[1:]
	}
}

// largest gives the largest key, 0 where there is none.
func largest[K uints](keys []K) uint64 {
	var top K
	for _, k := range keys {
		top = max(top, k)
	}
	return uint64(top)
}

// gatherFixed writes the values of keys, which were checked, behind each other; each has width bytes.
func gatherFixed[K uints](dst, items []byte, keys []K, width int) {
	switch width {
	case 1:
		for i, k := range keys {
			dst[i] = items[k]
		}
	case 2:
		gatherValues(arrow.Uint16Traits.CastFromBytes(dst), arrow.Uint16Traits.CastFromBytes(items), keys)
	case 4:
		gatherValues(arrow.Uint32Traits.CastFromBytes(dst), arrow.Uint32Traits.CastFromBytes(items), keys)
	case 8:
		gatherValues(arrow.Uint64Traits.CastFromBytes(dst), arrow.Uint64Traits.CastFromBytes(items), keys)
	default:
		for i, k := range keys {
			copy(dst[i*width:(i+1)*width], items[int(k)*width:])
		}
	}
}

func gatherValues[K uints, V uint16 | uint32 | uint64](dst, items []V, keys []K) {
	dst = dst[:len(keys)]
	for i, k := range keys {
		dst[i] = items[k]
	}
}
