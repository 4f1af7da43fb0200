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
	defer n.arena.free()
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
	l := newLists20(int(countRows20(ranges)), &n.arena)
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
	return n.assemble(l, items)
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
	arena    *arena
	rows     int     // so far
	offsets  []int64 // one more than there will be rows
	validity []byte  // nil: none is null
	nulls    int
	items    []RowRange // rows of the items' column
}

func newLists20(n int, a *arena) *lists20 {
	l := &lists20{arena: a, offsets: arrow.Int64Traits.CastFromBytes(a.alloc(8 * (n + 1)))}
	l.offsets[0] = 0
	return l
}

// add appends the lists of one page. ends are the offsets at withPrevious20 of the part's rows.
func (l *lists20) add(p part20, ends *values20, itemStart uint64) error {
	done := l.rows
	enc := listEncoding20(p.page.enc)
	if ends.validity != nil || ends.null && enc != nil {
		return p.page.corruptf("offsets of lists that are null")
	}
	if ends.null {
		for i := range ends.n {
			l.null(done + i)
			l.offsets[done+i+1] = l.offsets[done]
		}
		l.rows += ends.n
		return nil
	}
	adjust, total := enc.GetNullOffsetAdjustment(), enc.GetNumItems()
	if ends.bits != 64 {
		return p.page.corruptf("offsets of %d bits", ends.bits)
	}
	all := arrow.Uint64Traits.CastFromBytes(ends.data)
	at := cursor20{}
	for _, r := range p.rows {
		k := int(r.End - r.Start)
		if k == 0 {
			continue
		}
		var base uint64
		at.seek(r.Start)
		if r.Start > 0 {
			base = all[at.next()] % adjust
		}
		first := base
		items := l.offsets[done]
		place := at.skip(k)
		for i, raw := range all[place : place+k] {
			null := raw >= adjust
			end := raw
			if null {
				end -= adjust
			}
			if end < base || end > total || end >= adjust {
				return p.page.corruptf("a list from item %d to %d of %d", base, end, total)
			}
			if null {
				// Items beneath a null are left out.
				l.null(done + i)
				l.addItems(itemStart, first, base)
				first = end
			} else {
				items += int64(end - base)
			}
			l.offsets[done+i+1] = items
			base = end
		}
		done += k
		l.addItems(itemStart, first, base)
	}
	l.rows = done
	return nil
}

// addItems notes items of a page to read.
func (l *lists20) addItems(itemStart, from, to uint64) {
	if from < to {
		l.items = appendRange20(l.items, RowRange{itemStart + from, itemStart + to})
	}
}

// null makes list i null.
func (l *lists20) null(i int) {
	if l.validity == nil {
		l.validity = allOnes20(l.arena, len(l.offsets)-1)
	}
	bitutil.ClearBit(l.validity, i)
	l.nulls++
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

// skip passes k values and gives the place of the first.
func (c *cursor20) skip(k int) int {
	c.place += k
	c.row += uint64(k)
	return c.place - k
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
	rows := l.rows
	var offsets *memory.Buffer
	if n.large {
		offsets = n.arena.buffer(arrow.Int64Traits.CastToBytes(l.offsets))
	} else {
		if l.offsets[rows] > math.MaxInt32 {
			return nil, n.wrap(errs.New(errs.ErrResourceExhausted, "%d items do not fit one batch", l.offsets[rows]))
		}
		narrow := n.offsetsOf(l.offsets)
		offsets = n.arena.buffer(arrow.Int32Traits.CastToBytes(narrow))
	}
	var bitmap *memory.Buffer
	if l.nulls > 0 {
		bitmap = n.arena.buffer(l.validity)
	}
	defer release20(offsets, bitmap)
	return makeArray20(array.NewData(n.typ, rows, []*memory.Buffer{bitmap, offsets}, []arrow.ArrayData{items.Data()}, l.nulls, 0)), nil
}

// offsetsOf gives offsets as 32-bit ones; they fit.
func (n *listNode20) offsetsOf(offsets []int64) []int32 {
	out := n.offsets(len(offsets))
	for i, o := range offsets {
		out[i] = int32(o)
	}
	return out
}
