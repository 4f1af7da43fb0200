package encoding

import (
	"context"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// listNode20 reads a list: end offsets from its own column, items from the column below. An offset of a null list has
// the page's adjustment added. Offsets start anew in each page, whose items follow those of the pages before.
type listNode20 struct {
	*column20
	items      node20
	large      bool
	itemStarts []uint64 // of each page
}

// listEncoding20 finds the list in a page's encoding.
func listEncoding20(e *encodings20.ArrayEncoding) *encodings20.List {
	return unwrapNoNulls20(e).GetList()
}

// listItems is the number of items of a page of a list's column.
func (p *page20) listItems() (uint64, error) {
	l := listEncoding20(p.enc)
	if l == nil {
		if p.enc.GetNullable().GetAllNulls() != nil {
			return 0, nil
		}
		return 0, p.unsupportedf("a list in an encoding of kind %s", kindOf20(p.enc))
	}
	if l.GetNumItems() > maxRows20 {
		return 0, p.corruptf("%d items", l.GetNumItems())
	}
	return l.GetNumItems(), nil
}

func (n *listNode20) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	parts, err := n.split(ranges)
	if err != nil {
		return nil, err
	}
	n.hold(parts)
	tasks := make([]task20, len(parts))
	for i, p := range parts {
		if tasks[i], err = p.page.listEnds(p.rows); err != nil {
			return nil, err
		}
	}
	ends, err := n.run(ctx, tasks)
	if err != nil {
		return nil, err
	}
	l := lists20{offsets: make([]int64, 1, countRows20(ranges)+1), validity: make([]byte, bitmapSize20(int(countRows20(ranges))))}
	for i, p := range parts {
		if err := l.add(p, ends[i], n.itemStarts[p.page.index]); err != nil {
			return nil, err
		}
	}
	items, err := n.items.read(ctx, l.items)
	if err != nil {
		return nil, err
	}
	defer items.Release()
	return n.assemble(&l, items)
}

// listEnds is the task of reading the end offsets of rows, each range with the offset before it unless it is the first.
func (p *page20) listEnds(rows []RowRange) (task20, error) {
	l := listEncoding20(p.enc)
	if l == nil { // all null, as listItems has seen
		return done20(&values20{null: true, n: int(countRows20(rows))}), nil
	}
	if l.GetNullOffsetAdjustment() == 0 {
		return task20{}, p.corruptf("a list without its null adjustment")
	}
	return p.decode(l.GetOffsets(), withPrevious20(rows), arrow.PrimitiveTypes.Uint64, 0)
}

// withPrevious20 makes each range start one row earlier, where there is one, and joins those that then touch.
func withPrevious20(rows []RowRange) []RowRange {
	out := make([]RowRange, 0, len(rows))
	for _, r := range rows {
		if r.Start == r.End {
			continue
		}
		if r.Start > 0 {
			r.Start--
		}
		if n := len(out); n > 0 && out[n-1].End >= r.Start {
			out[n-1].End = r.End
			continue
		}
		out = append(out, r)
	}
	return out
}

// lists20 gathers the lists of one read.
type lists20 struct {
	offsets  []int64
	validity []byte
	nulls    int
	items    []RowRange // rows of the items' column
}

// add appends the lists of one page. ends are the offsets at withPrevious20 of the part's rows.
func (l *lists20) add(p part20, ends *values20, itemStart uint64) error {
	if ends.null {
		for range ends.n {
			l.append(0, false)
		}
		return nil
	}
	if ends.validity != nil {
		return p.page.corruptf("offsets of lists that are null")
	}
	enc := listEncoding20(p.page.enc)
	adjust, total := enc.GetNullOffsetAdjustment(), enc.GetNumItems()
	at := cursor20{}
	for _, r := range p.rows {
		var base uint64
		at.seek(r.Start)
		if r.Start > 0 {
			base = ends.uint(at.next()) % adjust
		}
		first := base
		for range r.End - r.Start {
			raw := ends.uint(at.next())
			end := raw % adjust
			if end < base || end > total || raw/adjust > 1 {
				return p.page.corruptf("a list from item %d to %d of %d", base, end, total)
			}
			if raw < adjust {
				l.append(end-base, true)
			} else {
				// Items beneath a null are left out.
				l.append(0, false)
				l.addItems(itemStart, first, base)
				first = end
			}
			base = end
		}
		l.addItems(itemStart, first, base)
	}
	return nil
}

// addItems notes items of a page to read.
func (l *lists20) addItems(itemStart, from, to uint64) {
	if from < to {
		l.items = appendRange20(l.items, RowRange{itemStart + from, itemStart + to})
	}
}

func (l *lists20) append(length uint64, valid bool) {
	i := len(l.offsets) - 1
	l.offsets = append(l.offsets, l.offsets[i]+int64(length))
	if valid {
		bitutil.SetBit(l.validity, i)
	} else {
		l.nulls++
	}
}

// cursor20 walks the values that withPrevious20 made of ranges: seek goes to the row before the next range's first.
type cursor20 struct {
	place int    // of the next value
	row   uint64 // of the next value; rows before 0 do not exist
}

func (c *cursor20) next() int {
	c.place++
	c.row++
	return c.place - 1
}

// seek moves to the row before start, or to row 0. Where the ranges touch, that row was passed already.
func (c *cursor20) seek(start uint64) {
	want := start
	if start > 0 {
		want = start - 1
	}
	if c.place > 0 && c.row == want+1 {
		c.place--
	}
	c.row = want
}

// assemble makes the list array; items stay the caller's.
func (n *listNode20) assemble(l *lists20, items arrow.Array) (arrow.Array, error) {
	rows := len(l.offsets) - 1
	var offsets *memory.Buffer
	if n.large {
		offsets = copy20(n.mem, arrow.Int64Traits.CastToBytes(l.offsets))
	} else {
		if l.offsets[rows] > math.MaxInt32 {
			return nil, n.wrap(errs.New(errs.ErrResourceExhausted, "%d items do not fit one batch", l.offsets[rows]))
		}
		offsets = offsets20(n.mem, l.offsets)
	}
	var bitmap *memory.Buffer
	if l.nulls > 0 {
		bitmap = copy20(n.mem, l.validity)
	}
	defer release20(offsets, bitmap)
	return makeArray20(array.NewData(n.typ, rows, []*memory.Buffer{bitmap, offsets}, []arrow.ArrayData{items.Data()}, l.nulls, 0)), nil
}
