package encoding

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// isVariable20 tells whether a type's values are byte strings.
func isVariable20(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return true
	}
	return false
}

// binary reads byte strings: end offsets, to which the adjustment is added for a null, then the bytes.
func (p *page20) binary(b *encodings20.Binary, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	if !isVariable20(want) {
		return task20{}, p.corruptf("byte strings for type %s", want)
	}
	if b.GetNullAdjustment() == 0 {
		return task20{}, p.corruptf("byte strings without their null adjustment")
	}
	ends, err := p.decode(b.GetIndices(), withPrevious20(rows), arrow.PrimitiveTypes.Uint64, depth+1)
	return then20(ends, err, func(ends *values20) (task20, error) {
		if ends.null || ends.validity != nil {
			return task20{}, p.corruptf("offsets of byte strings that are null")
		}
		v, where, err := p.cutBinary(ends, rows, b.GetNullAdjustment())
		if err != nil {
			return task20{}, err
		}
		if len(where) == 0 {
			return done20(v), nil
		}
		text, err := p.decode(b.GetBytes(), where, arrow.PrimitiveTypes.Uint8, depth+1)
		return then20(text, err, func(text *values20) (task20, error) {
			if text.null || text.validity != nil {
				return task20{}, p.corruptf("bytes that are null")
			}
			v.data = text.data
			return done20(v), nil
		})
	})
}

// offsets gives room for n offsets until the read ends.
func (c *column20) offsets(n int) []int32 {
	return arrow.Int32Traits.CastFromBytes(c.arena.alloc(4 * n))
}

// cutBinary turns the end offsets at withPrevious20 of rows into offsets from 0, and tells which bytes they cover.
func (p *page20) cutBinary(ends *values20, rows []RowRange, adjust uint64) (*values20, []RowRange, error) {
	n := int(countRows20(rows))
	if ends.bits != 64 {
		return nil, nil, p.corruptf("offsets of %d bits", ends.bits)
	}
	all := arrow.Uint64Traits.CastFromBytes(ends.data)
	v := &values20{n: n, offsets: p.col.offsets(n + 1)}
	v.offsets[0] = 0
	var where []RowRange
	var total uint64
	first := 0
	at := cursor20{}
	for _, r := range rows {
		k := int(r.End - r.Start)
		if k == 0 {
			continue
		}
		var base uint64
		at.seek(r.Start)
		if r.Start > 0 {
			if base = all[at.next()]; base >= adjust {
				base -= adjust
			}
		}
		c := cut20{ends: all[at.skip(k):][:k], base: base, adjust: adjust, first: first, start: total}
		last, ok := v.cut(c, v.offsets[1+first:], &p.col.arena)
		if !ok {
			return nil, nil, p.corruptf("byte strings that do not ascend within %d bytes", adjust-1)
		}
		if total += last - base; total > math.MaxInt32 {
			if stored := p.stored(); total/codec.MaxZstdRatio > stored {
				return nil, nil, p.corruptf("%d bytes of text in a page of %d bytes", total, stored)
			}
			return nil, nil, p.tooMuchf("%d bytes of text are wanted at once", total)
		}
		if last > base {
			where = appendRange20(where, RowRange{base, last})
		}
		first += k
	}
	return v, where, nil
}

// cut20 is a run of byte strings, the first of which begins at base.
type cut20 struct {
	ends         []uint64
	base, adjust uint64 // adjust is added to the ends of nulls
	first        int    // which of the page's values is the first
	start        uint64 // where it is to begin
}

// cut writes where the strings are to end, and gives the last end; ok is false where one is out of order.
func (v *values20) cut(c cut20, out []int32, a *arena) (last uint64, ok bool) {
	prev, move := c.base, c.start-c.base
	out = out[:len(c.ends)]
	for i, end := range c.ends {
		if end >= c.adjust {
			end -= c.adjust
			if v.validity == nil {
				v.validity = allOnes20(a, v.n)
			}
			v.validity[(c.first+i)/8] &^= 1 << ((c.first + i) % 8)
		}
		if end < prev || end >= c.adjust {
			return 0, false
		}
		out[i] = int32(end + move)
		prev = end
	}
	return prev, true
}

func allOnes20(a *arena, n int) []byte {
	b := a.alloc(bitmapSize20(n))
	for i := range b {
		b[i] = 0xff
	}
	return b
}

// fsst reads byte strings that are compressed one by one.
func (p *page20) fsst(f *encodings20.Fsst, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	if !isVariable20(want) {
		return task20{}, p.corruptf("byte strings for type %s", want)
	}
	table, ok := p.symbols[f]
	if !ok {
		var err error
		if table, err = codec.ParseSymbolTable(f.GetSymbolTable()); err != nil {
			return task20{}, p.wrap(err)
		}
		if p.symbols == nil {
			p.symbols = make(map[*encodings20.Fsst]*codec.SymbolTable)
		}
		p.symbols[f] = table
	}
	t, err := p.decode(f.GetBinary(), rows, want, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if v.null || table.Raw() {
			return done20(v), nil
		}
		return p.expand(table, v)
	})
}

// expand decompresses texts.
func (p *page20) expand(table *codec.SymbolTable, v *values20) (task20, error) {
	out := &values20{n: v.n, validity: v.validity, offsets: p.col.offsets(v.n + 1)}
	out.data = p.col.arena.alloc(table.MaxSize(len(v.data)) + codec.DecodeSlack)
	at := 0
	out.offsets[0] = 0
	for i := range v.n {
		size, err := table.Decode(out.data[at:], v.data[v.offsets[i]:v.offsets[i+1]])
		if err != nil {
			return task20{}, p.wrap(err)
		}
		if at += size; at > math.MaxInt32 {
			return task20{}, p.tooMuchf("more than %d bytes of text are wanted at once", math.MaxInt32)
		}
		out.offsets[i+1] = int32(at)
	}
	out.data = out.data[:at]
	return done20(out), nil
}

// fixedSizeBinary reads byte strings of one length.
func (p *page20) fixedSizeBinary(f *encodings20.FixedSizeBinary, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	width := uint64(f.GetByteWidth())
	if t, ok := want.(*arrow.FixedSizeBinaryType); !isVariable20(want) && (!ok || uint64(t.ByteWidth) != width) {
		return task20{}, p.corruptf("byte strings of %d bytes for type %s", width, want)
	}
	n := int(countRows20(rows))
	where := make([]RowRange, len(rows))
	for i, r := range rows {
		hi, end := bits.Mul64(r.End, width)
		if hi != 0 || end > maxRows20 {
			return task20{}, p.corruptf("%d byte strings of %d bytes", r.End, width)
		}
		where[i] = RowRange{r.Start * width, end}
	}
	t, err := p.decode(f.GetBytes(), where, arrow.PrimitiveTypes.Uint8, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if v.null || v.validity != nil {
			return task20{}, p.corruptf("bytes that are null")
		}
		if !isVariable20(want) {
			return done20(&values20{n: n, bits: 8 * width, data: v.data}), nil
		}
		if uint64(n)*width > math.MaxInt32 {
			return task20{}, p.tooMuchf("%d bytes of text are wanted at once", uint64(n)*width)
		}
		out := &values20{n: n, data: v.data, offsets: p.col.offsets(n + 1)}
		for i := range out.offsets {
			out.offsets[i] = int32(i) * int32(width)
		}
		return done20(out), nil
	})
}

// dictionary reads indices into items that the page holds. For an Arrow dictionary they are its keys, and a null is a key
// of a null item. Else they are numbered from 1, and 0 is null.
func (p *page20) dictionary(d *encodings20.Dictionary, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	t, isDictionary := want.(*arrow.DictionaryType)
	keyType, itemType := arrow.DataType(arrow.PrimitiveTypes.Uint8), want
	if isDictionary {
		keyType, itemType = t.IndexType, t.ValueType
	} else if f := unwrapNoNulls20(d.GetIndices()).GetFlat(); f != nil {
		var ok bool
		if keyType, ok = uints20[f.GetBitsPerValue()]; !ok {
			return task20{}, p.corruptf("dictionary indices of %d bits", f.GetBitsPerValue())
		}
	}
	if n := uint64(d.GetNumDictionaryItems()); n > p.maxItems() {
		return task20{}, p.corruptf("dictionary of %d items", n)
	}
	index, err := p.decode(d.GetIndices(), rows, keyType, depth+1)
	if err != nil {
		return task20{}, err
	}
	items := done20(p.dictionaries[d])
	known := items.done != nil
	if !known {
		if items, err = p.decode(d.GetItems(), []RowRange{{0, uint64(d.GetNumDictionaryItems())}}, itemType, depth+1); err != nil {
			return task20{}, err
		}
	}
	return join20([]task20{index, items}, func(v []*values20) (task20, error) {
		if !known {
			if p.dictionaries == nil {
				p.dictionaries = make(map[*encodings20.Dictionary]*values20)
			}
			v[1] = v[1].clone()
			p.dictionaries[d] = v[1]
		}
		if v[0].null {
			return done20(&values20{n: v[0].n, null: true}), nil
		}
		if isDictionary {
			return p.keys(v[0], v[1])
		}
		return p.lookUp(v[0], v[1])
	})
}

// maxItems bounds the items of a dictionary by the bytes of the page, so that few bytes cannot claim to hold very many: more
// for a byte than compression reaches on items that differ.
func (p *page20) maxItems() uint64 { return min(max(1<<20, p.stored()*1024), math.MaxInt32) }

// stored is the bytes of the page.
func (p *page20) stored() uint64 {
	n := uint64(0)
	for _, b := range p.buffers {
		n += min(b.Size, math.MaxInt32)
	}
	return n
}

// uints20 are the types that indices may have, by their width.
var uints20 = map[uint64]arrow.DataType{
	8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16, 32: arrow.PrimitiveTypes.Uint32, 64: arrow.PrimitiveTypes.Uint64,
}

// keys makes an Arrow dictionary; keys of null items become null keys.
func (p *page20) keys(index, items *values20) (task20, error) {
	out := &values20{n: index.n, validity: index.validity, index: index, items: items}
	var validity []byte
	for i := range index.n {
		if !index.valid(i) {
			continue
		}
		k := index.uint(i)
		if k >= uint64(items.n) {
			return task20{}, p.corruptf("dictionary key %d of %d", k, items.n)
		}
		if !items.valid(int(k)) {
			if validity == nil {
				validity = allOnes20(&p.col.arena, index.n)
			}
			validity[i/8] &^= 1 << (i % 8)
		}
	}
	if validity != nil {
		out.mask(&p.col.arena, validity)
	}
	return done20(out), nil
}

// lookUp replaces indices by the items that they stand for.
func (p *page20) lookUp(index, items *values20) (task20, error) {
	if items.null {
		return done20(&values20{n: index.n, null: true}), nil
	}
	words, err := p.words(items)
	if err != nil {
		return task20{}, err
	}
	out := &values20{n: index.n, bits: items.bits}
	a := &p.col.arena
	ok := withKeys(index.data, int(index.bits),
		func(k []uint8) { err = lookUp20(p, out, words, k[:index.n]) }, func(k []uint16) { err = lookUp20(p, out, words, k[:index.n]) },
		func(k []uint32) { err = lookUp20(p, out, words, k[:index.n]) }, func(k []uint64) { err = lookUp20(p, out, words, k[:index.n]) })
	switch {
	case !ok:
		return task20{}, p.corruptf("dictionary indices of %d bits", index.bits)
	case err != nil:
		return task20{}, err
	}
	if index.validity != nil {
		out.mask(a, index.validity)
	}
	return done20(out), nil
}

// words gives the items as byte strings, behind an empty one that stands for null.
func (p *page20) words(items *values20) (*wordTable, error) {
	if items.words != nil {
		return items.words, nil
	}
	offsets := make([]byte, 4*(items.n+2))
	switch width := int(items.bits / 8); {
	case items.offsets != nil:
		for i, o := range items.offsets {
			le20.PutUint32(offsets[4*(i+1):], uint32(o))
		}
		// The string of null ends where the first item begins, which is not at 0 in an item list that was cut.
		le20.PutUint32(offsets, uint32(items.offsets[0]))
	case items.bits == 0 || items.bits%8 != 0:
		return nil, p.unsupportedf("dictionary items that are neither texts nor whole bytes are not supported")
	case items.n > math.MaxInt32/width:
		return nil, p.unsupportedf("a dictionary of %d items of %d bytes is not supported", items.n, width)
	default:
		for i := range items.n + 1 {
			le20.PutUint32(offsets[4*(i+1):], uint32(i*width))
		}
	}
	items.words = newWordTable(codec.Variable{Width: 4, Offsets: offsets, Data: items.data}, items.n+1)
	items.words.valid = make([]uint8, items.n+1)
	for i := range items.n {
		if items.valid(i) {
			items.words.valid[i+1] = 1
		}
	}
	return items.words, nil
}

// lookUp20 puts the words of keys into out: behind each other, those of fixed width each in its place.
func lookUp20[K uints](p *page20, out *values20, words *wordTable, keys []K) error {
	total, bad, ok := size(words, keys)
	if !ok {
		return p.corruptf("dictionary index %d of %d", bad, len(words.lengths)-1)
	}
	out.validity = p.col.arena.alloc(bitmapSize20(len(keys)))
	validOf(words, keys, out.validity)
	if out.bits > 0 { // null takes the place of a value
		out.data = place20(words, keys, int(out.bits/8), &p.col.arena)
		return nil
	}
	if total > maxPlain20 {
		return p.tooMuchf("more than %d bytes of text are wanted at once", maxPlain20)
	}
	out.offsets = p.col.offsets(len(keys) + 1)
	buf := p.col.arena.alloc(int(total) + padding)
	gather(words, keys, out.offsets, buf, 0)
	out.offsets[len(keys)] = int32(total)
	out.data = buf[:total]
	return nil
}

// place20 gives the words of keys, of width bytes each; null is of zeros.
func place20[K uints](words *wordTable, keys []K, width int, a *arena) []byte {
	out := a.zeroed(len(keys) * width)
	for i, k := range keys {
		copy(out[i*width:(i+1)*width], words.text.Value(int(k)))
	}
	return out
}
