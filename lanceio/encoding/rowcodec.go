package encoding

import (
	"encoding/binary"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// rowCodec decodes the values of a full-zip page that all have one size.
type rowCodec interface {
	// size is the bytes of a value.
	size() int
	// decode gives the n values of b. What it gives may share memory with b and the codec, and is good until its next
	// call. lender is what b may be shared with, nil where it may not.
	decode(b []byte, n int, lender *arena) (values, error)
}

// maxRowBytes bounds one value of fixed width.
const maxRowBytes = 1 << 30

type flatRows struct{ width int }

func newFlatRows(f *pb.Flat) (rowCodec, error) {
	bits, err := flatBits(f)
	if err != nil {
		return nil, err
	}
	if bits%8 != 0 || bits/8 > maxRowBytes {
		return nil, corruptf("values of %d bits", bits)
	}
	return flatRows{bits / 8}, nil
}

func (c flatRows) size() int { return c.width }

func (c flatRows) decode(b []byte, n int, lender *arena) (values, error) {
	if uint64(len(b)) != uint64(n)*uint64(c.width) {
		return values{}, corruptf("%d bytes for %d values of %d bytes", len(b), n, c.width)
	}
	return values{n: n, bits: 8 * c.width, data: b, arena: lender}, nil
}

// listRows is nested fixed-size lists: a value is the bitmap of each list whose items can be null, outer to inner, and
// then the items; no items where these are constant.
type listRows struct {
	dims     []int  // outer to inner
	validity []bool // of the items of each
	bits     int    // of a stored item of the innermost
	constant bool   // nothing is stored of the items
	value    []byte // of a constant; empty where all is null
	bitmaps  [][]byte
	data     []byte
}

func newListRows(l *pb.FixedSizeList) (rowCodec, error) {
	c := &listRows{}
	for {
		dim, err := dimension(l)
		if err != nil {
			return nil, err
		}
		c.dims, c.validity = append(c.dims, dim), append(c.validity, l.GetHasValidity())
		inner, ok := l.GetValues().GetCompression().(*pb.CompressiveEncoding_FixedSizeList)
		if !ok {
			break
		}
		l = inner.FixedSizeList
	}
	switch inner := l.GetValues().GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		var err error
		if c.bits, err = flatBits(inner.Flat); err != nil {
			return nil, err
		}
	case *pb.CompressiveEncoding_Constant:
		c.constant, c.value = true, inner.Constant.GetValue()
	default:
		return nil, errs.Unsupportedf("encoding %s in fixed-size lists of a full-zip page", encodingName(l.GetValues()))
	}
	total := uint64(1)
	for _, d := range c.dims {
		if total *= uint64(d); total > maxDimension {
			return nil, corruptf("fixed-size lists of %d items", total)
		}
	}
	if flatSize(c.bits, int(total)) > maxRowBytes/2 {
		return nil, corruptf("fixed-size lists of %d items of %d bits", total, c.bits)
	}
	return c, nil
}

// items is how many items of each list a value has.
func (c *listRows) items() []int {
	out, n := make([]int, len(c.dims)), 1
	for i, d := range c.dims {
		n *= d
		out[i] = n
	}
	return out
}

// hasBitmaps tells whether a value is more than its items.
func (c *listRows) hasBitmaps() bool {
	for _, v := range c.validity {
		if v {
			return true
		}
	}
	return false
}

func (c *listRows) size() int {
	items := c.items()
	n := int(flatSize(c.bits, items[len(items)-1]))
	for i, v := range c.validity {
		if v {
			n += (items[i] + 7) / 8
		}
	}
	return n
}

func (c *listRows) decode(b []byte, n int, lender *arena) (values, error) {
	row, items := c.size(), c.items()
	if uint64(len(b)) != uint64(n)*uint64(row) {
		return values{}, corruptf("%d bytes for %d lists of %d bytes", len(b), n, row)
	}
	last := items[len(items)-1]
	if n > 0 && last > maxDimension/n {
		return values{}, errs.New(errs.ErrResourceExhausted, "%d lists of %d items in one array", n, last)
	}
	whole := n == 0 || !c.hasBitmaps() && (c.bits%8 == 0 || last%8 == 0)
	if !whole {
		b, lender = c.separate(b, n, items), nil
	}
	v := values{n: n * last, bits: c.bits, data: b, arena: lender}
	if c.constant {
		v = c.constantItems(n * last)
	}
	for i := len(c.dims) - 1; i >= 0; i-- {
		inner := v
		v = values{n: n, items: &inner, arena: lender}
		if i > 0 {
			v.n = n * items[i-1]
		}
		if c.validity[i] && !whole {
			v.valid = c.bitmaps[i]
		}
	}
	return v, nil
}

// constantItems gives n items of which nothing is stored.
func (c *listRows) constantItems(n int) values {
	if len(c.value) == 0 {
		return values{n: n, null: true}
	}
	c.data = c.data[:0]
	for range n {
		c.data = append(c.data, c.value...)
	}
	return values{n: n, bits: 8 * len(c.value), data: c.data}
}

// separate takes the bitmaps out from between the items, and closes the gaps between items that are bits.
func (c *listRows) separate(b []byte, n int, items []int) []byte {
	row, last := c.size(), items[len(items)-1]
	if c.bitmaps == nil {
		c.bitmaps = make([][]byte, len(c.dims))
	}
	at := 0
	for i, v := range c.validity {
		if !v {
			continue
		}
		c.bitmaps[i] = joinBits(c.bitmaps[i], b[at:], n, row, items[i])
		at += (items[i] + 7) / 8
	}
	if c.bits == 1 {
		c.data = joinBits(c.data, b[at:], n, row, last)
		return c.data
	}
	c.data = c.data[:0]
	for r := range n {
		c.data = append(c.data, b[r*row+at:(r+1)*row]...)
	}
	return c.data
}

// joinBits puts k bits from the start of each row of b behind each other.
func joinBits(dst, b []byte, n, row, k int) []byte {
	dst = codec.Grow(dst, (n*k+7)/8)
	clear(dst)
	for r := range n {
		src := b[r*row:]
		for i := 0; i < k; i += 56 {
			m := min(56, k-i)
			w := loadBits(src[:(k+7)/8], i, m)
			bit := r*k + i
			w <<= uint(bit % 8)
			for j := bit / 8; w != 0; j++ {
				dst[j] |= byte(w)
				w >>= 8
			}
		}
	}
	return dst
}

// packedRows is a packed struct whose members all have a fixed width.
type packedRows struct {
	rowCodec
	widths []uint64
}

func newPackedRows(p *pb.PackedStruct) (rowCodec, error) {
	inner, err := newRowCodec(p.GetValues())
	return packedRows{inner, p.GetBitsPerValue()}, err
}

func (c packedRows) decode(b []byte, n int, _ *arena) (values, error) {
	v, err := c.rowCodec.decode(b, n, nil)
	v.widths = c.widths
	return v, err
}

// textCodec decodes the values of a full-zip page that have sizes of their own.
type textCodec interface {
	// append appends the values at spans of b, (from, to) for each. Those of nulls are empty.
	append(s sink, b []byte, spans []uint64) error
}

// asText gives the sink of a column of byte strings.
func asText(s sink) (*textSink, error) {
	t, ok := s.(*textSink)
	if !ok {
		return nil, corruptf("byte strings in a column of another type")
	}
	return t, nil
}

type plainText struct{}

func (plainText) append(s sink, b []byte, spans []uint64) error {
	t, err := asText(s)
	if err != nil {
		return err
	}
	return t.spans(b, spans)
}

type fsstText struct {
	table *codec.SymbolTable
	buf   []byte
}

func newFSSTText(f *pb.Fsst) (textCodec, error) {
	v, ok := f.GetValues().GetCompression().(*pb.CompressiveEncoding_Variable)
	if !ok {
		return nil, errs.Unsupportedf("FSST over encoding %s in a full-zip page", encodingName(f.GetValues()))
	}
	if err := checkOffsets(v.Variable); err != nil {
		return nil, err
	}
	table, err := codec.ParseSymbolTable(f.GetSymbolTable())
	return &fsstText{table: table}, err
}

func (c *fsstText) append(s sink, b []byte, spans []uint64) error {
	if c.table.Raw() {
		return plainText{}.append(s, b, spans)
	}
	return appendEach(s, spans, func(from, to uint64) ([]byte, error) {
		c.buf = codec.Grow(c.buf, c.table.MaxSize(int(to-from))+8)
		n, err := c.table.Decode(c.buf, b[from:to])
		return c.buf[:n], err
	})
}

// appendEach appends a byte string that is made from each span.
func appendEach(s sink, spans []uint64, value func(from, to uint64) ([]byte, error)) error {
	t, err := asText(s)
	if err != nil {
		return err
	}
	for i := 0; i < len(spans); i += 2 {
		v, err := value(spans[i], spans[i+1])
		if err != nil {
			return err
		}
		if err := t.spans(v, []uint64{0, uint64(len(v))}); err != nil {
			return err
		}
	}
	return nil
}

type generalText struct {
	scheme codec.Scheme
	dec    *codec.Decompressor
	buf    []byte
}

func newGeneralText(g *pb.General, d *codec.Decompressor) (textCodec, error) {
	v, ok := g.GetValues().GetCompression().(*pb.CompressiveEncoding_Variable)
	if !ok {
		return nil, errs.Unsupportedf("general compression over encoding %s in a full-zip page", encodingName(g.GetValues()))
	}
	if err := checkOffsets(v.Variable); err != nil {
		return nil, err
	}
	scheme, err := schemeOf(g)
	return &generalText{scheme: scheme, dec: d}, err
}

func (c *generalText) append(s sink, b []byte, spans []uint64) error {
	return appendEach(s, spans, func(from, to uint64) ([]byte, error) {
		out, err := c.dec.Decompress(c.scheme, c.buf, b[from:to])
		if err == nil {
			c.buf = out
		}
		return out, err
	})
}

// packedText is a packed struct with members of no fixed width: a row is the members one after the other, those without
// fixed width after their size.
type packedText struct{ members []packedMember }

// packedMember is a member of a packed struct: rows where it has a fixed width, else text.
type packedMember struct {
	rows   rowCodec
	text   textCodec
	length int // bytes of the size of a text
	bytes  []byte
	spans  []uint64
}

func newPackedText(p *pb.VariablePackedStruct, d *codec.Decompressor) (textCodec, error) {
	c := &packedText{members: make([]packedMember, len(p.GetFields()))}
	for i, f := range p.GetFields() {
		m := &c.members[i]
		var err error
		switch l := f.GetLayout().(type) {
		case *pb.VariablePackedStruct_FieldEncoding_BitsPerValue:
			if m.rows, err = newRowCodec(f.GetValue()); err != nil {
				return nil, err
			}
			if n := m.rows.size(); n <= 0 || uint64(n)*8 != l.BitsPerValue {
				return nil, corruptf("packed member of %d bits, its encoding has %d bytes", l.BitsPerValue, n)
			}
		case *pb.VariablePackedStruct_FieldEncoding_BitsPerLength:
			if l.BitsPerLength != 32 && l.BitsPerLength != 64 {
				return nil, corruptf("packed member with sizes of %d bits", l.BitsPerLength)
			}
			m.length = int(l.BitsPerLength / 8)
			if m.text, err = newTextCodec(f.GetValue(), d); err != nil {
				return nil, err
			}
		default:
			return nil, errs.Unsupportedf("packed member without a width")
		}
	}
	return c, nil
}

func (c *packedText) append(s sink, b []byte, spans []uint64) error {
	p, ok := s.(*packedSink)
	if !ok {
		return corruptf("rows of a packed struct in a column of another type")
	}
	if len(p.members) != len(c.members) {
		return errs.Unsupportedf("%d of %d members of a packed struct", len(p.members), len(c.members))
	}
	for i := range c.members {
		c.members[i].bytes, c.members[i].spans = c.members[i].bytes[:0], c.members[i].spans[:0]
	}
	for i := 0; i < len(spans); i += 2 {
		if err := c.split(b[:spans[i+1]], spans[i]); err != nil {
			return err
		}
	}
	n := len(spans) / 2
	for i := range c.members {
		m := &c.members[i]
		if m.text != nil {
			if err := m.text.append(p.members[i], b, m.spans); err != nil {
				return err
			}
			continue
		}
		v, err := m.rows.decode(m.bytes, n, nil)
		if err != nil {
			return err
		}
		if err := p.members[i].append(&v, 0, n); err != nil {
			return err
		}
	}
	p.n += n
	return nil
}

// split takes the row apart that is the end of b from at on; an empty row is a null.
func (c *packedText) split(b []byte, at uint64) error {
	end := uint64(len(b))
	null := at == end
	for i := range c.members {
		m := &c.members[i]
		if m.text == nil {
			w := uint64(m.rows.size())
			if null {
				m.bytes = append(m.bytes, make([]byte, w)...)
				continue
			}
			if end-at < w {
				return corruptf("row of a packed struct is %d bytes short", w-(end-at))
			}
			m.bytes = append(m.bytes, b[at:at+w]...)
			at += w
			continue
		}
		if null {
			m.spans = append(m.spans, end, end)
			continue
		}
		size, err := readSize(b[at:], m.length)
		if err != nil {
			return err
		}
		at += uint64(m.length)
		m.spans = append(m.spans, at, at+size)
		at += size
	}
	if at != end {
		return corruptf("%d bytes behind a row of a packed struct", end-at)
	}
	return nil
}

// readSize reads the size of a value, of length bytes, and makes sure that b holds the value behind it.
func readSize(b []byte, length int) (uint64, error) {
	if len(b) < length {
		return 0, corruptf("item of %d bytes has no size", len(b))
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if length == 8 {
		size = binary.LittleEndian.Uint64(b)
	}
	if have := uint64(len(b) - length); size > have {
		return 0, corruptf("value of %d bytes, %d are there", size, have)
	}
	return size, nil
}
