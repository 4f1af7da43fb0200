package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// binary reads Binary: for each byte string where it ends (u64), to which null_adjustment is added for a null, and the bytes,
// each in an encoding of their own. A string starts where the one before it ends, the first of a page at 0.
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
