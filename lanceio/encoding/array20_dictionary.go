package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// dictionary reads Dictionary: indices into num_dictionary_items items that the page holds, each in an encoding of their own. For an Arrow dictionary they are its keys, and a null is a key
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
