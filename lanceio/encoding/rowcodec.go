package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// rowCodec decodes the values of a full-zip page that all have one size.
type rowCodec interface {
	// size is the bytes of a value.
	size() int
	// decode gives the n values of b. What it gives may share memory with b and the codec, and is good until its next
	// call. stable tells that b is the file's own bytes, which do not change.
	decode(b []byte, n int, stable bool) (values, error)
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

func (c flatRows) decode(b []byte, n int, stable bool) (values, error) {
	if uint64(len(b)) != uint64(n)*uint64(c.width) {
		return values{}, corruptf("%d bytes for %d values of %d bytes", len(b), n, c.width)
	}
	return values{n: n, bits: 8 * c.width, data: b, fromFile: stable}, nil
}

// listRows is nested fixed-size lists: a value is the bitmap of each list whose items can be null, outer to inner, and
// then the items.
type listRows struct {
	dims     []int  // outer to inner
	validity []bool // of the items of each
	bits     int    // of an item of the innermost
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
	f, ok := l.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return nil, errs.Unsupportedf("encoding %s in fixed-size lists of a full-zip page", encodingName(l.GetValues()))
	}
	var err error
	if c.bits, err = flatBits(f.Flat); err != nil {
		return nil, err
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

func (c *listRows) decode(b []byte, n int, stable bool) (values, error) {
	row, items := c.size(), c.items()
	if uint64(len(b)) != uint64(n)*uint64(row) {
		return values{}, corruptf("%d bytes for %d lists of %d bytes", len(b), n, row)
	}
	last := items[len(items)-1]
	if n > 0 && last > maxDimension/n {
		return values{}, errs.New(errs.ErrResourceExhausted, "%d lists of %d items in one array", n, last)
	}
	whole := !c.hasBitmaps() && (c.bits%8 == 0 || last%8 == 0)
	if !whole {
		b = c.separate(b, n, items)
	}
	v := values{n: n * last, bits: c.bits, data: b, fromFile: whole && stable}
	for i := len(c.dims) - 1; i >= 0; i-- {
		inner := v
		v = values{n: n * items[i] / max(c.dims[i], 1), items: &inner, fromFile: whole && stable}
		if i == 0 {
			v.n = n
		} else {
			v.n = n * items[i-1]
		}
		if c.validity[i] {
			v.valid = c.bitmaps[i]
		}
	}
	return v, nil
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
type packedRows struct{ rowCodec }

func newPackedRows(p *pb.PackedStruct) (rowCodec, error) {
	inner, err := newRowCodec(p.GetValues())
	return packedRows{inner}, err
}

// textCodec decodes the values of a full-zip page that have sizes of their own.
type textCodec interface {
	// append appends the values at spans of b, (from, to) for each.
	append(s sink, b []byte, spans []uint64) error
	// ownSizes tells that items hold no size but values from which it follows; measure then gives the size of the value
	// that begins at b.
	ownSizes() bool
	measure(b []byte) (uint64, error)
}

// sized is for codecs whose items hold their size.
type sized struct{}

func (sized) ownSizes() bool                 { return false }
func (sized) measure([]byte) (uint64, error) { return 0, corruptf("values have sizes") }

// asText gives the sink of a column of byte strings.
func asText(s sink) (*textSink, error) {
	t, ok := s.(*textSink)
	if !ok {
		return nil, corruptf("byte strings in a column of another type")
	}
	return t, nil
}

type plainText struct{ sized }

func (plainText) append(s sink, b []byte, spans []uint64) error {
	t, err := asText(s)
	if err != nil {
		return err
	}
	return t.spans(b, spans)
}

type fsstText struct {
	sized
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
	sized
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

func newPackedText(*pb.VariablePackedStruct, *codec.Decompressor) (textCodec, error) {
	return nil, errs.Unsupportedf("packed structs with members of variable width")
}
