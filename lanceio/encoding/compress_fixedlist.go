package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// fixedListForms decodes FixedSizeList: items_per_value items of the encoding within for each value. Where has_validity is set
// the items can be null, and a bitmap tells which are not. Lists may nest.
//
//	chunk  a buffer with the bitmap of all items, where there is one, then the buffers of the items
//	row    for each list, outer to inner, its bitmap filled up to a byte, then the items; see listRows
//	block  the rows, one behind the other
func fixedListForms(l *pb.FixedSizeList) forms {
	return forms{
		chunk: func(d *codec.Decompressor) (chunkCodec, error) { return newListChunk(l, d) },
		row:   func() (rowCodec, error) { return newListRows(l) },
		block: func(*codec.Decompressor) (blockCodec, error) { return newListBlock(l) },
	}
}

// dimension checks the number of items of a fixed-size list.
func dimension(l *pb.FixedSizeList) (int, error) {
	if d := l.GetItemsPerValue(); d <= maxDimension {
		return int(d), nil
	}
	return 0, corruptf("fixed-size lists of %d items", l.GetItemsPerValue())
}

// listChunk is a fixed-size list: the bitmap of its items where there is one, then the buffers of the items.
type listChunk struct {
	dim      int
	validity bool
	inner    chunkCodec
	items    values
}

func newListChunk(l *pb.FixedSizeList, d *codec.Decompressor) (chunkCodec, error) {
	inner, err := newChunkCodec(l.GetValues(), d)
	if err != nil {
		return nil, err
	}
	dim, err := dimension(l)
	return &listChunk{dim: dim, validity: l.GetHasValidity(), inner: inner}, err
}

func (c *listChunk) buffers() int {
	if c.validity {
		return c.inner.buffers() + 1
	}
	return c.inner.buffers()
}

func (c *listChunk) decode(bufs [][]byte, n int) (values, error) {
	if n > 0 && c.dim > maxDimension/n {
		return values{}, corruptf("chunk of %d lists of %d items", n, c.dim)
	}
	items := n * c.dim
	v := values{n: n, items: &c.items}
	if c.validity {
		if len(bufs) == 0 || len(bufs[0]) != (items+7)/8 {
			return values{}, corruptf("no bitmap of %d list items", items)
		}
		v.valid, bufs = bufs[0], bufs[1:]
	}
	var err error
	c.items, err = c.inner.decode(bufs, items)
	return v, err
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

// listBlock is fixed-size lists, as the rows of a full-zip page.
type listBlock struct{ rows rowCodec }

func newListBlock(l *pb.FixedSizeList) (blockCodec, error) {
	rows, err := newListRows(l)
	if err == nil && rows.size() == 0 {
		err = errs.Unsupportedf("fixed-size lists without bytes in a block")
	}
	return listBlock{rows}, err
}

func (c listBlock) decode(src []byte, n int) (values, error) { return c.rows.decode(src, n, nil) }
