package encoding

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// sink gathers the values of a leaf, over chunks and pages, into Arrow buffers.
type sink interface {
	// append appends values from to to of v.
	append(v *values, from, to int) error
	// repeat appends the first of v's values n times.
	repeat(v *values, n int) error
	// fill appends n values that mean nothing, for nulls.
	fill(n int) error
	// expect tells that about n values will come.
	expect(n int)
	// len is how many values there are.
	len() int
	// data gives them as Arrow data of a type that has the sink's shape. valid may be nil; it stays the caller's.
	// Nothing may be appended after it.
	data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error)
	// release gives up the buffers; data that was given out keeps its own hold on them.
	release()
}

// newSink gives an empty sink for a leaf, whose buffers get no larger than bound.
func newSink(s shape, mem memory.Allocator, bound int) sink {
	buf := byteBuf{mem: mem, max: bound}
	switch s.kind {
	case kindBool:
		return &bitSink{bits: bitBuf{bytes: buf}}
	case kindFixed:
		return &fixedSink{width: s.width, buf: buf}
	case kindVar:
		return &textSink{width: s.width, offsets: buf, bytes: buf}
	case kindFSL:
		return &fslSink{dim: s.dim, itemType: s.dtypes[0], valid: newValidity(mem), items: newSink(s.parts[0], mem, bound)}
	case kindDict:
		return newDictSink(s, mem, bound)
	case kindPacked:
		p := &packedSink{shapes: s.parts, dtypes: s.dtypes}
		for _, m := range s.parts {
			p.members = append(p.members, newSink(m, mem, bound))
		}
		return p
	default:
		return &countSink{}
	}
}

// countSink is for leaves without values: of type null, and structs without members.
type countSink struct{ n int }

func (s *countSink) append(_ *values, from, to int) error { s.n += to - from; return nil }
func (s *countSink) repeat(_ *values, n int) error        { s.n += n; return nil }
func (s *countSink) fill(n int) error                     { s.n += n; return nil }
func (s *countSink) expect(int)                           {}
func (s *countSink) len() int                             { return s.n }
func (s *countSink) release()                             {}

func (s *countSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	if storage(dt).ID() == arrow.NULL {
		valid, nulls = nil, s.n
	}
	return array.NewData(dt, s.n, []*memory.Buffer{valid}, nil, nulls, 0), nil
}

// bitSink gathers booleans.
type bitSink struct{ bits bitBuf }

func (s *bitSink) append(v *values, from, to int) error {
	if v.null {
		return s.fill(to - from)
	}
	switch v.bits {
	case 1:
		return s.bits.copyBits(v.data, from, to)
	case 8: // a byte for each, in full-zip pages
		for from < to {
			k := min(64, to-from)
			var w uint64
			for i, b := range v.data[from : from+k] {
				if b > 1 {
					return corruptf("boolean of value %d", b)
				}
				w |= uint64(b) << uint(i)
			}
			if err := s.bits.push(w, uint(k)); err != nil {
				return err
			}
			from += k
		}
		return nil
	}
	return corruptf("booleans of %d bits", v.bits)
}

func (s *bitSink) repeat(v *values, n int) error {
	if v.bits != 1 && v.bits != 8 || len(v.data) == 0 || v.data[0] > 1 {
		return corruptf("boolean of %d bits", v.bits)
	}
	return s.bits.fill(n, v.data[0] == 1)
}

func (s *bitSink) fill(n int) error { return s.bits.fill(n, false) }
func (s *bitSink) expect(n int)     { s.bits.bytes.reserve(min(n/8+16, maxReserve)) }
func (s *bitSink) len() int         { return s.bits.n }
func (s *bitSink) release()         { s.bits.release() }

func (s *bitSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	n := s.bits.n
	buf, err := s.bits.finish()
	if err != nil {
		return nil, err
	}
	return array.NewData(dt, n, []*memory.Buffer{valid, buf}, nil, nulls, 0), nil
}

// fixedSink gathers values of a fixed number of bytes.
type fixedSink struct {
	width int
	buf   byteBuf
	n     int
	lent  bool // buf is the file's own bytes
	// expected is how many values are to come, until the first has come.
	expected int
}

// room makes room for n values.
func (s *fixedSink) room(n int) ([]byte, error) {
	if s.lent {
		if err := s.own(); err != nil {
			return nil, err
		}
	}
	if s.expected > n {
		s.buf.reserve(min(s.expected*s.width, maxReserve))
	}
	s.expected = 0
	out, err := s.buf.extend(n * s.width)
	if err == nil {
		s.n += n
	}
	return out, err
}

// lend makes the file's bytes the values where nothing came yet, and tells whether it did.
func (s *fixedSink) lend(data []byte, from *arena) bool {
	if s.n > 0 {
		return false
	}
	buf := from.share(data)
	if buf == nil {
		return false
	}
	s.buf.adopt(buf)
	s.n, s.lent = len(data)/s.width, true
	return true
}

// own copies bytes of the file, so that more can be appended.
func (s *fixedSink) own() error {
	own := byteBuf{mem: s.buf.mem, max: s.buf.max}
	out, err := own.extend(s.buf.n)
	if err == nil {
		copy(out, s.buf.bytes())
	}
	s.buf.release()
	s.buf, s.lent = own, false
	return err
}

func (s *fixedSink) append(v *values, from, to int) error {
	if v.null {
		return s.fill(to - from)
	}
	if v.dict != nil {
		return s.gather(v, from, to)
	}
	if v.bits != 8*s.width || v.items != nil || v.widths != nil {
		return corruptf("values of %d bits where the type has %d", v.bits, 8*s.width)
	}
	data := v.data[from*s.width : to*s.width]
	if s.width > 0 && s.lend(data, v.arena) {
		return nil
	}
	out, err := s.room(to - from)
	copy(out, data)
	return err
}

// gather appends the dictionary's values at keys from to to.
func (s *fixedSink) gather(v *values, from, to int) error {
	d := v.dict
	if d.bits != 8*s.width {
		return corruptf("dictionary of %d-bit values where the type has %d", d.bits, 8*s.width)
	}
	if err := checkKeys(v.data, v.bits, from, to, d.n); err != nil {
		return err
	}
	out, err := s.room(to - from)
	if err != nil {
		return err
	}
	keys := v.data[from*v.bits/8 : to*v.bits/8]
	_ = withKeys(keys, v.bits,
		func(k []uint8) { gatherFixed(out, d.data, k, s.width) }, func(k []uint16) { gatherFixed(out, d.data, k, s.width) },
		func(k []uint32) { gatherFixed(out, d.data, k, s.width) }, func(k []uint64) { gatherFixed(out, d.data, k, s.width) })
	return nil
}

func (s *fixedSink) repeat(v *values, n int) error {
	if v.bits != 8*s.width {
		return corruptf("constant of %d bits where the type has %d", v.bits, 8*s.width)
	}
	out, err := s.room(n)
	if err != nil {
		return err
	}
	for at := copy(out, v.data[:s.width]); at > 0 && at < len(out); at *= 2 {
		copy(out[at:], out[:at])
	}
	return nil
}

func (s *fixedSink) fill(n int) error {
	out, err := s.room(n)
	clear(out)
	return err
}

func (s *fixedSink) expect(n int) { s.expected = n }
func (s *fixedSink) len() int     { return s.n }
func (s *fixedSink) release()     { s.buf.release() }

func (s *fixedSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	return array.NewData(dt, s.n, []*memory.Buffer{valid, s.buf.finish()}, nil, nulls, 0), nil
}

// textSink gathers byte strings.
type textSink struct {
	width   int // bytes of an offset of the Arrow type
	offsets byteBuf
	bytes   byteBuf
	n       int
	// expected is how many values are to come, until the first bytes have come.
	expected int
}

// room appends n offsets' room and size bytes' room; base is where the bytes begin.
func (s *textSink) room(n int, size uint64) (offsets, bytes []byte, base uint64, err error) {
	base = uint64(s.bytes.n)
	if s.width == 4 && base+size > math.MaxInt32 || size > maxBufferBytes {
		return nil, nil, 0, errs.New(errs.ErrResourceExhausted, "more than %d bytes of text in one array", math.MaxInt32)
	}
	if s.expected > n && size > 0 {
		// What is to come is taken to be like what comes first.
		s.offsets.reserve(min((s.expected+1)*s.width, maxReserve))
		s.bytes.reserve(int(min(uint64(s.expected)*(size/uint64(n)+1), maxReserve)))
		s.expected = 0
	}
	if offsets, err = s.offsets.extend(n * s.width); err != nil {
		return nil, nil, 0, err
	}
	bytes, err = s.bytes.extend(int(size))
	return offsets, bytes, base, err
}

// put writes an offset that bytes of a value begin at.
func (s *textSink) put(offsets []byte, i int, at uint64) {
	if s.width == 4 {
		binary.LittleEndian.PutUint32(offsets[4*i:], uint32(at))
	} else {
		binary.LittleEndian.PutUint64(offsets[8*i:], at)
	}
}

func (s *textSink) append(v *values, from, to int) error {
	if v.dict != nil {
		return s.gather(v, from, to)
	}
	if v.text.Width == 0 {
		return corruptf("values of %d bits in a column of byte strings", v.bits)
	}
	if v.symbols != nil {
		return s.expand(v, from, to)
	}
	first, last := v.text.Offset(from), v.text.Offset(to)
	offsets, bytes, base, err := s.room(to-from, last-first)
	if err != nil {
		return err
	}
	copy(bytes, v.text.Data[first:last])
	// Offsets are moved by base-first, which wraps around where it is negative.
	move := base - first
	src := v.text.Offsets[from*v.text.Width : to*v.text.Width]
	if s.width == 4 && v.text.Width == 4 {
		for i := 0; i+4 <= len(src) && i+4 <= len(offsets); i += 4 {
			binary.LittleEndian.PutUint32(offsets[i:], binary.LittleEndian.Uint32(src[i:])+uint32(move))
		}
	} else {
		for i := range to - from {
			s.put(offsets, i, v.text.Offset(from+i)+move)
		}
	}
	s.n += to - from
	return nil
}

// expandedAtOnce is how many texts are decompressed before the room for more is looked at.
const expandedAtOnce = 64

// expand appends texts that are compressed.
func (s *textSink) expand(v *values, from, to int) error {
	for at := from; at < to; {
		end := min(at+expandedAtOnce, to)
		k := end - at
		offsets, err := s.offsets.extend(k * s.width)
		if err != nil {
			return err
		}
		most := v.symbols.MaxSize(int(v.text.Offset(end) - v.text.Offset(at)))
		dst, err := s.bytes.spare(most + codec.DecodeSlack)
		if err != nil {
			return err
		}
		var size int
		if s.width == 4 {
			size, err = codec.Texts(v.symbols, dst, v.text, at, end, arrow.Int32Traits.CastFromBytes(offsets), int32(s.bytes.n))
		} else {
			size, err = codec.Texts(v.symbols, dst, v.text, at, end, arrow.Int64Traits.CastFromBytes(offsets), int64(s.bytes.n))
		}
		if err != nil {
			return err
		}
		s.bytes.n += size
		if s.width == 4 && s.bytes.n > math.MaxInt32 {
			return errs.New(errs.ErrResourceExhausted, "more than %d bytes of text in one array", math.MaxInt32)
		}
		s.n += k
		if s.expected > k && size > 0 { // what is to come is taken to be like what comes first
			s.offsets.reserve(min((s.expected+1-k)*s.width, maxReserve))
			s.bytes.reserve(min((s.expected-k)*(size/k+1), maxReserve))
			s.expected = 0
		}
		at = end
	}
	return nil
}

// gather appends the dictionary's values at keys from to to.
func (s *textSink) gather(v *values, from, to int) error {
	d := &v.dict.text
	if d.Width == 0 {
		return corruptf("dictionary of %d-bit values in a column of byte strings", v.dict.bits)
	}
	words := v.dict.words()
	var err error
	keys := v.data[from*v.bits/8 : to*v.bits/8]
	ok := withKeys(keys, v.bits,
		func(k []uint8) { err = gatherText(s, words, k) }, func(k []uint16) { err = gatherText(s, words, k) },
		func(k []uint32) { err = gatherText(s, words, k) }, func(k []uint64) { err = gatherText(s, words, k) })
	if !ok {
		return corruptf("dictionary keys of %d bits", v.bits)
	}
	return err
}

// gatherText appends the words of keys.
func gatherText[K uints](s *textSink, words *wordTable, keys []K) error {
	total, bad, ok := size(words, keys)
	if !ok {
		return corruptf("key %d into a dictionary of %d", bad, len(words.lengths))
	}
	offsets, _, base, err := s.room(len(keys), total)
	if err != nil {
		return err
	}
	dst := s.bytes.tail(int(total), padding)
	if s.width == 4 {
		gather(words, keys, arrow.Int32Traits.CastFromBytes(offsets), dst, int32(base))
	} else {
		gather(words, keys, arrow.Int64Traits.CastFromBytes(offsets), dst, int64(base))
	}
	s.n += len(keys)
	return nil
}

// spans appends pieces of data: piece i is from spans[2*i] to spans[2*i+1].
func (s *textSink) spans(data []byte, spans []uint64) error {
	size := uint64(0)
	for i := 0; i < len(spans); i += 2 {
		size += spans[i+1] - spans[i]
	}
	offsets, bytes, at, err := s.room(len(spans)/2, size)
	if err != nil {
		return err
	}
	for i := 0; i < len(spans); i += 2 {
		s.put(offsets, i/2, at)
		n := copy(bytes, data[spans[i]:spans[i+1]])
		bytes = bytes[n:]
		at += uint64(n)
	}
	s.n += len(spans) / 2
	return nil
}

func (s *textSink) repeat(v *values, n int) error {
	if v.text.Width == 0 {
		return corruptf("constant of %d bits in a column of byte strings", v.bits)
	}
	text := v.text.Value(0)
	if len(text) > 0 && n > maxBufferBytes/len(text) {
		return errs.New(errs.ErrResourceExhausted, "more than %d bytes of text in one array", math.MaxInt32)
	}
	offsets, bytes, at, err := s.room(n, uint64(n)*uint64(len(text)))
	if err != nil {
		return err
	}
	for i := range n {
		s.put(offsets, i, at)
		bytes = bytes[copy(bytes, text):]
		at += uint64(len(text))
	}
	s.n += n
	return nil
}

func (s *textSink) fill(n int) error {
	offsets, _, at, err := s.room(n, 0)
	if err != nil {
		return err
	}
	for i := range n {
		s.put(offsets, i, at)
	}
	s.n += n
	return nil
}

func (s *textSink) expect(n int) { s.expected = n }
func (s *textSink) len() int     { return s.n }

func (s *textSink) release() {
	s.offsets.release()
	s.bytes.release()
}

func (s *textSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	last, err := s.offsets.extend(s.width)
	if err != nil {
		return nil, err
	}
	s.put(last, 0, uint64(s.bytes.n))
	buffers := []*memory.Buffer{valid, s.offsets.finish(), s.bytes.finish()}
	return array.NewData(dt, s.n, buffers, nil, nulls, 0), nil
}
