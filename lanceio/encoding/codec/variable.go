package codec

import "encoding/binary"

// Variable is a sequence of byte strings: value i is Data[Offset(i):Offset(i+1)]. Offsets never fall and never pass the
// end of Data: whoever makes a Variable has checked it.
type Variable struct {
	Width   int    // bytes per offset: 4 or 8
	Offsets []byte // one more than there are values
	Data    []byte
}

// Len is the number of values.
func (v *Variable) Len() int { return max(len(v.Offsets)/max(v.Width, 1)-1, 0) }

// Offset gives offset i.
func (v *Variable) Offset(i int) uint64 {
	if v.Width == 4 {
		return uint64(binary.LittleEndian.Uint32(v.Offsets[4*i:]))
	}
	return binary.LittleEndian.Uint64(v.Offsets[8*i:])
}

// Value gives value i.
func (v *Variable) Value(i int) []byte { return v.Data[v.Offset(i):v.Offset(i+1)] }

// check tells whether the offsets ascend from at least first to at most the end of the data.
func (v *Variable) check(first uint64) error {
	ok := true
	prev := first
	if v.Width == 4 {
		var fell uint64 // the high bit of any difference that is below 0
		for o := v.Offsets; len(o) >= 4; o = o[4:] {
			x := uint64(binary.LittleEndian.Uint32(o))
			fell |= x - prev
			prev = x
		}
		ok = fell>>63 == 0
	} else {
		for o := v.Offsets; len(o) >= 8; o = o[8:] {
			x := binary.LittleEndian.Uint64(o)
			ok = ok && x >= prev
			prev = x
		}
	}
	if !ok || prev > uint64(len(v.Data)) {
		return corruptf("offsets do not ascend within their %d bytes", len(v.Data))
	}
	return nil
}

// ChunkVariable reads n byte strings of a mini-block chunk: n+1 offsets of width bytes from the start of the buffer, then
// the bytes.
func ChunkVariable(src []byte, width, n int) (Variable, error) {
	if width != 4 && width != 8 {
		return Variable{}, corruptf("offsets of %d bytes", width)
	}
	if len(src)%width != 0 {
		return Variable{}, corruptf("buffer of %d bytes with offsets of %d bytes", len(src), width)
	}
	if n < 0 || n >= len(src)/width {
		return Variable{}, corruptf("%d bytes hold no %d offsets", len(src), n)
	}
	table := (n + 1) * width
	v := Variable{Width: width, Offsets: src[:table], Data: src}
	return v, v.check(uint64(table))
}

// BlockVariable reads n byte strings of a block that stands alone: offset width in bits and position of the bytes, both
// of that width, then n+1 offsets from 0, then the bytes.
func BlockVariable(src []byte, n int) (Variable, error) {
	if len(src) < 8 {
		return Variable{}, corruptf("block of %d bytes has no header", len(src))
	}
	var start uint64
	width := 4
	switch bits := binary.LittleEndian.Uint32(src); {
	case bits == 32:
		start = uint64(binary.LittleEndian.Uint32(src[4:]))
	case bits == 64 && len(src) >= 16 && binary.LittleEndian.Uint32(src[4:]) == 0:
		width, start = 8, binary.LittleEndian.Uint64(src[8:])
	default:
		return Variable{}, corruptf("block with offsets of %d bits", bits)
	}
	rest := src[2*width:]
	if n < 0 || n >= len(rest)/width {
		return Variable{}, corruptf("block of %d bytes holds no %d offsets", len(src), n)
	}
	table := (n + 1) * width
	if start != uint64(2*width+table) {
		return Variable{}, corruptf("block's bytes start at %d instead of %d", start, 2*width+table)
	}
	v := Variable{Width: width, Offsets: rest[:table], Data: rest[table:]}
	return v, v.check(0)
}

// OffsetVariable gives byte strings whose offsets, of width bytes, are from 0 to the end of data.
func OffsetVariable(offsets, data []byte, width int) (Variable, error) {
	v := Variable{Width: width, Offsets: offsets, Data: data}
	if width != 4 && width != 8 || len(offsets) < width || len(offsets)%width != 0 {
		return Variable{}, corruptf("%d bytes of offsets of %d bytes", len(offsets), width)
	}
	if first, last := v.Offset(0), v.Offset(v.Len()); first != 0 || last != uint64(len(data)) {
		return Variable{}, corruptf("offsets from %d to %d of %d bytes", first, last, len(data))
	}
	return v, v.check(0)
}
