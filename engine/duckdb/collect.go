package duckdb

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// collector gathers values of DuckDB's vectors into the buffers of one Arrow array.
type collector struct {
	c     *carrier
	mem   memory.Allocator
	typ   arrow.DataType // storage type of c.arrow
	wide  bool           // 64-bit offsets
	n     int
	nulls int
	valid *memory.Buffer // validity bits
	data  *memory.Buffer // values, bits, or the bytes of texts and binaries
	offs  *memory.Buffer // offsets of texts, binaries and lists: n+1 of them
	kids  []*collector
}

func newCollector(c *carrier, mem memory.Allocator) *collector {
	k := &collector{c: c, mem: mem, typ: storage(c.arrow)}
	k.valid, k.data, k.offs = memory.NewResizableBuffer(mem), memory.NewResizableBuffer(mem), memory.NewResizableBuffer(mem)
	switch k.typ.ID() {
	case arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LARGE_LIST, arrow.LARGE_LIST_VIEW:
		k.wide = true
	}
	for _, kid := range c.kids {
		k.kids = append(k.kids, newCollector(kid, mem))
	}
	return k
}

func storage(t arrow.DataType) arrow.DataType {
	if ext, ok := t.(arrow.ExtensionType); ok {
		return ext.StorageType()
	}
	return t
}

// release frees what was collected and not given away.
func (k *collector) release() {
	k.valid.Release()
	k.data.Release()
	k.offs.Release()
	for _, kid := range k.kids {
		kid.release()
	}
}

// size is the number of bytes collected.
func (k *collector) size() int {
	n := k.valid.Len() + k.data.Len() + k.offs.Len()
	for _, kid := range k.kids {
		n += kid.size()
	}
	return n
}

// grow adds n bytes to a buffer and gives them; they hold anything.
func grow(b *memory.Buffer, n int) []byte {
	at := b.Len()
	if need := at + n; need > b.Cap() {
		b.Reserve(max(need, 2*b.Cap()))
	}
	b.ResizeNoShrink(at + n)
	return b.Bytes()[at:]
}

// add takes rows [from, from+n) of a vector.
func (k *collector) add(vec db.Vector, from, n int) error {
	if n == 0 {
		return nil
	}
	mask := (*byte)(db.VectorGetValidity(vec))
	var valid []byte
	if mask != nil {
		valid = unsafe.Slice(mask, (from+n+7)/8)
	}
	if err := k.addValues(vec, valid, from, n); err != nil {
		return err
	}
	k.addValidity(valid, from, n)
	return nil
}

// addValidity takes the validity of n rows and counts them; nil is all valid.
func (k *collector) addValidity(valid []byte, from, n int) {
	at := k.n
	k.n += n
	if want := int(bitutil.BytesForBits(int64(k.n))); want > k.valid.Len() {
		clear(grow(k.valid, want-k.valid.Len()))
	}
	if valid == nil {
		bitutil.SetBitsTo(k.valid.Bytes(), int64(at), int64(n), true)
		return
	}
	bitutil.CopyBitmap(valid, from, n, k.valid.Bytes(), at)
	k.nulls += n - bitutil.CountSetBits(valid, from, n)
}

func isValid(valid []byte, i int) bool { return valid == nil || bitutil.BitIsSet(valid, i) }

func (k *collector) addValues(vec db.Vector, valid []byte, from, n int) error {
	switch k.c.form {
	case plain:
		k.addFixed(vec, valid, k.c.width, from, n)
		return nil
	case nothing:
		for i := from; i < from+n; i++ {
			if k.c.duck.id != db.TypeSQLNull && isValid(valid, i) {
				return fmt.Errorf("a null column came back with a value: %w", errs.ErrInternal)
			}
		}
		return nil
	case bits:
		k.addBools(values[bool](vec, from+n)[from:])
		return nil
	case text, blob:
		return k.addStrings(vec, valid, from, n)
	case enumForm:
		return k.addEnum(vec, valid, from, n)
	case half:
		out := grow(k.data, 2*n)
		for i, v := range values[float32](vec, from+n)[from:] {
			if !isValid(valid, from+i) {
				v = 0
			}
			binary.LittleEndian.PutUint16(out[2*i:], float16.New(v).Uint16())
		}
		return nil
	case dictForm:
		return k.kids[0].add(vec, from, n)
	case scaled, span, wholeDays, interval:
		return k.addTimes(vec, valid, from, n)
	case decimalForm, hugeForm:
		return k.addDecimals(vec, valid, from, n)
	case uuidForm:
		return k.addUUIDs(values[wide](vec, from+n)[from:])
	case boxedInt, boxedDecimal, boxedEmpty:
		return k.addBoxed(vec, valid, from, n)
	}
	return k.addNested(vec, valid, from, n)
}

// addFixed takes values as they are; what a vector holds under nulls goes nowhere.
func (k *collector) addFixed(vec db.Vector, valid []byte, width, from, n int) {
	out := grow(k.data, n*width)
	copy(out, values[byte](vec, (from+n)*width)[from*width:])
	if valid == nil {
		return
	}
	for i := range n {
		if !isValid(valid, from+i) {
			clear(out[i*width : (i+1)*width])
		}
	}
}

func (k *collector) addBools(in []bool) {
	if want := int(bitutil.BytesForBits(int64(k.n + len(in)))); want > k.data.Len() {
		clear(grow(k.data, want-k.data.Len()))
	}
	for i, v := range in {
		bitutil.SetBitTo(k.data.Bytes(), k.n+i, v)
	}
}

// duckString is a text as it stands in a vector; rest holds up to 12 bytes, or 4 of prefix and a pointer.
type duckString struct {
	size uint32
	rest [12]byte
}

// bytes views the text's bytes, which live as long as the vector.
func (s *duckString) bytes() []byte {
	if s.size <= inlineText {
		return s.rest[:s.size]
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s.rest[4])), s.size)
}

func (k *collector) addStrings(vec db.Vector, valid []byte, from, n int) error {
	in := values[duckString](vec, from+n)
	for i := from; i < from+n; i++ {
		var v []byte
		if isValid(valid, i) {
			v = in[i].bytes()
		}
		if err := k.addBytes(v, isValid(valid, i)); err != nil {
			return err
		}
	}
	return nil
}

// addBytes takes one text or binary.
func (k *collector) addBytes(v []byte, valid bool) error {
	if fsb, ok := k.typ.(*arrow.FixedSizeBinaryType); ok {
		out := grow(k.data, fsb.ByteWidth)
		clear(out)
		if valid && len(v) != fsb.ByteWidth {
			return fmt.Errorf("a value of %d bytes came back for %s: %w", len(v), k.typ, errs.ErrInternal)
		}
		copy(out, v)
		return nil
	}
	copy(grow(k.data, len(v)), v)
	return k.addOffset(int64(k.data.Len()))
}

// addOffset ends a text or list at end.
func (k *collector) addOffset(end int64) error {
	if k.wide || isView(k.typ) {
		if k.offs.Len() == 0 {
			clear(grow(k.offs, 8))
		}
		binary.LittleEndian.PutUint64(grow(k.offs, 8), uint64(end))
		return nil
	}
	if end > math.MaxInt32 {
		return errs.New(errs.ErrResourceExhausted, "a batch of a column of type %s passes 2 GiB", k.typ)
	}
	if k.offs.Len() == 0 {
		clear(grow(k.offs, 4))
	}
	binary.LittleEndian.PutUint32(grow(k.offs, 4), uint32(end))
	return nil
}

func isView(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return true
	}
	return false
}

func (k *collector) addEnum(vec db.Vector, valid []byte, from, n int) error {
	names := k.c.duck.enum
	for i := from; i < from+n; i++ {
		var v string
		if isValid(valid, i) {
			var at int
			switch {
			case len(names) <= math.MaxUint8:
				at = int(values[uint8](vec, from+n)[i])
			case len(names) <= math.MaxUint16:
				at = int(values[uint16](vec, from+n)[i])
			default:
				at = int(values[uint32](vec, from+n)[i])
			}
			if at >= len(names) {
				return fmt.Errorf("an enum's value %d of %d: %w", at, len(names), errs.ErrInternal)
			}
			v = names[at]
		}
		if err := k.addBytes([]byte(v), isValid(valid, i)); err != nil {
			return err
		}
	}
	return nil
}

// addUUIDs takes UUIDs, which DuckDB keeps as a signed 128-bit number with the first bit turned round.
func (k *collector) addUUIDs(in []wide) error {
	for _, v := range in {
		var raw [16]byte
		binary.BigEndian.PutUint64(raw[:], uint64(v.hi)^1<<63)
		binary.BigEndian.PutUint64(raw[8:], v.lo)
		h := hex.EncodeToString(raw[:])
		if err := k.addBytes([]byte(h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:]), true); err != nil {
			return err
		}
	}
	return nil
}

func (k *collector) addDecimals(vec db.Vector, valid []byte, from, n int) error {
	size := 16
	if k.c.form == decimalForm {
		size = decimalBytes(k.c.duck.width)
	}
	in, w := values[byte](vec, (from+n)*size), k.typ.(arrow.FixedWidthDataType).Bytes()
	out := grow(k.data, n*w)
	clear(out)
	for i := range n {
		if !isValid(valid, from+i) {
			continue
		}
		p := unsafe.Pointer(&in[(from+i)*size])
		var v wide
		switch size {
		case 2:
			v = extend(int64(*(*int16)(p)))
		case 4:
			v = extend(int64(*(*int32)(p)))
		case 8:
			v = extend(*(*int64)(p))
		default:
			v = *(*wide)(p)
		}
		if k.c.form == hugeForm && !decimal128.New(v.hi, v.lo).FitsInPrecision(38) {
			return errs.Invalidf("a HUGEINT value is out of range of the result's DECIMAL(38,0)")
		}
		putWide(out[i*w:(i+1)*w], v)
	}
	return nil
}

func extend(v int64) wide { return wide{lo: uint64(v), hi: v >> 63} }

// putWide writes a number in the width of out, which is 4, 8, 16 or 32 bytes.
func putWide(out []byte, v wide) {
	switch len(out) {
	case 4:
		binary.LittleEndian.PutUint32(out, uint32(v.lo))
		return
	case 32:
		for i := 16; i < 32; i++ {
			out[i] = byte(v.hi >> 63)
		}
		fallthrough
	case 16:
		binary.LittleEndian.PutUint64(out[8:], uint64(v.hi))
	}
	binary.LittleEndian.PutUint64(out, v.lo)
}

func (k *collector) addBoxed(vec db.Vector, valid []byte, from, n int) error {
	inner := db.StructVectorGetChild(vec, 0)
	switch k.c.form {
	case boxedEmpty:
		return nil
	case boxedInt:
		k.addFixed(inner, valid, 8, from, n)
		return nil
	}
	in, w := values[duckString](inner, from+n), k.typ.(arrow.FixedWidthDataType).Bytes()
	out := grow(k.data, n*w)
	clear(out)
	for i := range n {
		if !isValid(valid, from+i) {
			continue
		}
		key := in[from+i].bytes()
		if len(key) != 32 {
			return fmt.Errorf("a decimal came back as %d bytes: %w", len(key), errs.ErrInternal)
		}
		x := new(big.Int).Sub(new(big.Int).SetBytes(key), new(big.Int).Lsh(big.NewInt(1), 255))
		limbs := decimal256.FromBigInt(x).Array()
		var raw [32]byte
		for j, l := range limbs {
			binary.LittleEndian.PutUint64(raw[8*j:], l)
		}
		copy(out[i*w:(i+1)*w], raw[:w])
	}
	return nil
}
