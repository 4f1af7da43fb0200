package encoding

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// maxBufferBytes bounds one buffer of an answer, maxSharedBytes one that holds the values of several rows: whoever asked
// for these can ask for fewer at a time.
const (
	maxBufferBytes = 1 << 36
	maxSharedBytes = math.MaxInt32
)

// bufferBound is the bound of a buffer with the values of some rows.
func bufferBound(rows uint64) int {
	if rows > 1 {
		return maxSharedBytes
	}
	return maxBufferBytes
}

// maxReserve bounds the room that is made for bytes that are only expected.
const maxReserve = 16 << 20

// byteBuf is an Arrow buffer that grows. Its zero value with mem set is empty.
type byteBuf struct {
	mem memory.Allocator
	buf *memory.Buffer
	n   int
	max int // bytes at most, maxBufferBytes where it is 0
}

// extend makes room for k more bytes and gives them; what they hold is undefined.
func (b *byteBuf) extend(k int) ([]byte, error) {
	most := b.max
	if most == 0 {
		most = maxBufferBytes
	}
	if k < 0 || k > most-b.n {
		return nil, errs.New(errs.ErrResourceExhausted, "more than %d bytes in one array", most)
	}
	if b.buf == nil {
		b.buf = memory.NewResizableBuffer(dirty(b.mem))
	}
	if need := b.n + k; need > b.buf.Cap() {
		b.buf.Reserve(max(need, 2*b.buf.Cap(), 64))
	}
	old := b.n
	b.n += k
	return b.buf.Buf()[old:b.n], nil
}

// tail gives the last k bytes and makes room for spare more behind them, which may be written to but do not count.
func (b *byteBuf) tail(k, spare int) []byte {
	if b.buf == nil {
		b.reserve(spare)
	}
	if need := b.n + spare; need > b.buf.Cap() {
		b.buf.Reserve(max(need, 2*b.buf.Cap()))
	}
	return b.buf.Buf()[b.n-k : b.n+spare]
}

// spare gives room for k bytes behind those there are, which do not count yet.
func (b *byteBuf) spare(k int) ([]byte, error) {
	n := b.n
	out, err := b.extend(k)
	b.n = n
	return out, err
}

// reserve makes room for k more bytes that are likely to come.
func (b *byteBuf) reserve(k int) {
	if b.buf == nil {
		b.buf = memory.NewResizableBuffer(dirty(b.mem))
	}
	b.buf.Reserve(b.n + k)
}

// bytes gives what was written.
func (b *byteBuf) bytes() []byte {
	if b.buf == nil {
		return nil
	}
	return b.buf.Buf()[:b.n]
}

// adopt makes a buffer the content of an empty one, and takes it over. It must not change any more.
func (b *byteBuf) adopt(buf *memory.Buffer) {
	b.release()
	b.buf, b.n = buf, buf.Len()
}

// finish gives the buffer, which stays owned by b, cut to what was written. It is never nil.
func (b *byteBuf) finish() *memory.Buffer {
	if b.buf == nil {
		b.buf = memory.NewResizableBuffer(dirty(b.mem))
	}
	if b.buf.Len() != b.n {
		if b.buf.Cap() > 2*b.n {
			b.buf.Resize(b.n)
		} else {
			b.buf.ResizeNoShrink(b.n)
		}
	}
	return b.buf
}

func (b *byteBuf) release() {
	if b.buf != nil {
		b.buf.Release()
	}
	b.buf, b.n = nil, 0
}

// bitBuf is a bitmap that grows by up to 64 bits at a time.
type bitBuf struct {
	bytes byteBuf
	cur   uint64 // bits not yet in bytes
	used  uint   // how many these are, below 64
	n     int
}

// push appends the low k bits of w, k from 1 to 64; the bits above are zero.
func (b *bitBuf) push(w uint64, k uint) error {
	b.cur |= w << b.used
	b.n += int(k)
	if b.used+k < 64 {
		b.used += k
		return nil
	}
	out, err := b.bytes.extend(8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(out, b.cur)
	b.cur = w >> (64 - b.used) // 0 for a shift of 64
	b.used = b.used + k - 64
	return nil
}

// fill appends k bits that are all ones or all zeros.
func (b *bitBuf) fill(k int, ones bool) error {
	w := uint64(0)
	if ones {
		w = ^uint64(0)
	}
	for ; k > 64; k -= 64 {
		if err := b.push(w, 64); err != nil {
			return err
		}
	}
	if k == 0 {
		return nil
	}
	return b.push(w>>(64-uint(k)), uint(k))
}

// copyBits appends bits from to to of src, which has them all.
func (b *bitBuf) copyBits(src []byte, from, to int) error {
	for from < to {
		k := min(64, to-from)
		if err := b.push(loadBits(src, from, k), uint(k)); err != nil {
			return err
		}
		from += k
	}
	return nil
}

// loadBits gives k bits, 1 to 64, of src from bit at on.
func loadBits(src []byte, at, k int) uint64 {
	first, shift := at/8, uint(at%8)
	var w uint64
	if first+8 <= len(src) {
		w = binary.LittleEndian.Uint64(src[first:]) >> shift
		if shift > 0 && first+8 < len(src) {
			w |= uint64(src[first+8]) << (64 - shift)
		}
	} else {
		var tail [9]byte
		copy(tail[:], src[first:])
		w = binary.LittleEndian.Uint64(tail[:])>>shift | uint64(tail[8])<<(64-shift)
	}
	return w & (^uint64(0) >> (64 - uint(k)))
}

// finish gives the bitmap, which stays owned by b. Nothing may be appended after it.
func (b *bitBuf) finish() (*memory.Buffer, error) {
	if b.used > 0 {
		out, err := b.bytes.extend(int(b.used+7) / 8)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = byte(b.cur >> (8 * i))
		}
		b.cur, b.used = 0, 0
	}
	return b.bytes.finish(), nil
}

func (b *bitBuf) release() { b.bytes.release() }

// validity is a bitmap that is made only when the first null comes.
type validity struct {
	bits  bitBuf
	made  bool
	n     int
	nulls int
}

func newValidity(mem memory.Allocator) validity {
	return validity{bits: bitBuf{bytes: byteBuf{mem: mem}}}
}

// begin makes the bitmap, with what came so far valid.
func (v *validity) begin() error {
	if v.made {
		return nil
	}
	v.made = true
	return v.bits.fill(v.n, true)
}

// appendValid appends k entries that are not null.
func (v *validity) appendValid(k int) error {
	v.n += k
	if !v.made || k == 0 {
		return nil
	}
	return v.bits.fill(k, true)
}

// appendNull appends k nulls.
func (v *validity) appendNull(k int) error {
	if k == 0 {
		return nil
	}
	if err := v.begin(); err != nil {
		return err
	}
	v.n += k
	v.nulls += k
	return v.bits.fill(k, false)
}

// appendWord appends k entries, 1 to 64, whose validity is in the low bits of w; nulls is how many are null.
func (v *validity) appendWord(w uint64, k uint, nulls int) error {
	if nulls == 0 {
		return v.appendValid(int(k))
	}
	if err := v.begin(); err != nil {
		return err
	}
	v.n += int(k)
	v.nulls += nulls
	return v.bits.push(w, k)
}

// appendWhere appends n entries, those null of which null says so.
func (v *validity) appendWhere(n int, null func(i int) bool) error {
	for at := 0; at < n; {
		k := min(64, n-at)
		var w uint64
		for i := range k {
			if !null(at + i) {
				w |= 1 << i
			}
		}
		if err := v.appendWord(w, uint(k), k-bits.OnesCount64(w)); err != nil {
			return err
		}
		at += k
	}
	return nil
}

// finish gives the bitmap, owned by v, or nil where nothing is null.
func (v *validity) finish() (*memory.Buffer, error) {
	if v.nulls == 0 {
		return nil, nil
	}
	return v.bits.finish()
}

func (v *validity) release() { v.bits.release() }

// appendBits appends entries from to to of a bitmap.
func (v *validity) appendBits(src []byte, from, to int) error {
	for from < to {
		k := min(64, to-from)
		w := loadBits(src, from, k)
		if err := v.appendWord(w, uint(k), k-bits.OnesCount64(w)); err != nil {
			return err
		}
		from += k
	}
	return nil
}
