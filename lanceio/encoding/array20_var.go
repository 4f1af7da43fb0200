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

// cutBinary turns the end offsets at withPrevious20 of rows into offsets from 0, and tells which bytes they cover.
func (p *page20) cutBinary(ends *values20, rows []RowRange, adjust uint64) (*values20, []RowRange, error) {
	n := int(countRows20(rows))
	v := &values20{n: n, offsets: make([]int64, 1, n+1)}
	var where []RowRange
	at := cursor20{}
	for _, r := range rows {
		var base uint64
		at.seek(r.Start)
		if r.Start > 0 && r.End > r.Start {
			base = ends.uint(at.next())
			if base >= adjust {
				base -= adjust
			}
		}
		first := base
		for range r.End - r.Start {
			end := ends.uint(at.next())
			null := end >= adjust
			if null {
				end -= adjust
			}
			if end < base || end >= adjust {
				return nil, nil, p.corruptf("a byte string from byte %d to %d of %d", base, end, adjust-1)
			}
			i := len(v.offsets) - 1
			if null {
				if v.validity == nil {
					v.validity = allOnes20(n)
				}
				v.validity[i/8] &^= 1 << (i % 8)
			}
			v.offsets = append(v.offsets, v.offsets[i]+int64(end-base))
			base = end
		}
		if base > first {
			where = appendRange20(where, RowRange{first, base})
		}
	}
	if total := v.offsets[n]; total > math.MaxInt32 {
		return nil, nil, p.unsupportedf("%d bytes of text are wanted at once", total)
	}
	return v, where, nil
}

func allOnes20(n int) []byte {
	b := make([]byte, bitmapSize20(n))
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
		out := &values20{n: v.n, validity: v.validity, offsets: make([]int64, 1, v.n+1)}
		var scratch []byte
		for i := range v.n {
			src := v.data[v.offsets[i]:v.offsets[i+1]]
			scratch = codec.Grow(scratch, table.MaxSize(len(src))+8)
			size, err := table.Decode(scratch, src)
			if err != nil {
				return task20{}, p.wrap(err)
			}
			out.data = append(out.data, scratch[:size]...)
			if len(out.data) > math.MaxInt32 {
				return task20{}, p.unsupportedf("more than %d bytes of text are wanted at once", math.MaxInt32)
			}
			out.offsets = append(out.offsets, int64(len(out.data)))
		}
		return done20(out), nil
	})
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
		out := &values20{n: n, data: v.data, offsets: make([]int64, n+1)}
		for i := range out.offsets {
			out.offsets[i] = int64(i) * int64(width)
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
	index, err := p.decode(d.GetIndices(), rows, keyType, depth+1)
	if err != nil {
		return task20{}, err
	}
	items := done20(p.dictionaries[d])
	if items.done == nil {
		if items, err = p.decode(d.GetItems(), []RowRange{{0, uint64(d.GetNumDictionaryItems())}}, itemType, depth+1); err != nil {
			return task20{}, err
		}
	}
	return join20([]task20{index, items}, func(v []*values20) (task20, error) {
		if p.dictionaries == nil {
			p.dictionaries = make(map[*encodings20.Dictionary]*values20)
		}
		p.dictionaries[d] = v[1]
		if v[0].null {
			return done20(&values20{n: v[0].n, null: true}), nil
		}
		if isDictionary {
			return p.keys(v[0], v[1])
		}
		return p.lookUp(v[0], v[1])
	})
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
				validity = allOnes20(index.n)
			}
			validity[i/8] &^= 1 << (i % 8)
		}
	}
	if validity != nil {
		out.mask(validity)
	}
	return done20(out), nil
}

// lookUp replaces indices by the items that they stand for.
func (p *page20) lookUp(index, items *values20) (task20, error) {
	places := make([]int, index.n) // -1 for null
	for i := range places {
		k := index.uint(i)
		if k > uint64(items.n) {
			return task20{}, p.corruptf("dictionary index %d of %d", k, items.n)
		}
		places[i] = int(k) - 1
		if k > 0 && (!index.valid(i) || !items.valid(int(k)-1)) {
			places[i] = -1
		}
	}
	out := &values20{n: index.n, bits: items.bits, validity: allOnes20(index.n)}
	switch {
	case items.null:
		return done20(&values20{n: index.n, null: true}), nil
	case items.offsets != nil:
		out.offsets = make([]int64, 1, index.n+1)
	case items.bits == 0 || items.bits%8 != 0:
		return task20{}, p.unsupportedf("dictionary items that are neither texts nor whole bytes are not supported")
	}
	width := int(items.bits / 8)
	zero := make([]byte, width)
	for i, k := range places {
		if k < 0 {
			out.validity[i/8] &^= 1 << (i % 8)
		}
		switch {
		case items.offsets == nil && k < 0:
			out.data = append(out.data, zero...)
		case items.offsets == nil:
			out.data = append(out.data, items.data[k*width:][:width]...)
		case k >= 0:
			out.data = append(out.data, items.data[items.offsets[k]:items.offsets[k+1]]...)
		}
		if len(out.data) > maxPlain20 {
			return task20{}, p.unsupportedf("more than %d bytes of text are wanted at once", maxPlain20)
		}
		if items.offsets != nil {
			out.offsets = append(out.offsets, int64(len(out.data)))
		}
	}
	return done20(out), nil
}
