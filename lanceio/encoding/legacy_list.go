package encoding

import (
	"context"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// legacyLists is a field of lists.
type legacyLists struct {
	*legacyColumn
	items      node20
	width      int      // bytes of an offset
	itemStarts []uint64 // first item of each page, and the end
}

func (n *legacyLists) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	runs, err := n.runs(ranges)
	if err != nil {
		return nil, err
	}
	raw, err := n.offsets(ctx, runs, n.width)
	if err != nil {
		return nil, err
	}
	offsets := byteBuf{mem: n.mem}
	defer offsets.release()
	var total uint64
	var items []RowRange
	for i, r := range runs {
		at, err := n.add(&offsets, raw[i], r.page, total)
		if err != nil {
			return nil, n.wrap(r.page, err)
		}
		if at.Start == at.End {
			continue
		}
		total += at.End - at.Start
		if k := len(items); k > 0 && items[k-1].End > at.Start {
			return nil, n.corruptf(r.page, "lists whose items overlap")
		}
		items = appendRange20(items, at)
	}
	last, err := offsets.extend(n.width)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	n.put(last, total)
	below, err := n.items.read(ctx, items)
	if err != nil {
		return nil, err
	}
	defer below.Release()
	buffers := []*memory.Buffer{nil, offsets.finish()}
	return makeArray20(array.NewData(n.typ, int(countRows20(ranges)), buffers, []arrow.ArrayData{below.Data()}, 0, 0)), nil
}

// add appends the offsets at which the lists of a run start, of which total items come before, and gives the run's items.
func (n *legacyLists) add(out *byteBuf, raw []byte, page int, total uint64) (RowRange, error) {
	lists := len(raw)/n.width - 1
	first, last := n.offset(raw, 0), n.offset(raw, lists)
	count := n.itemStarts[page+1] - n.itemStarts[page]
	if last < first || last > count {
		return RowRange{}, corruptf("lists from item %d to %d of %d", first, last, count)
	}
	if n.width == 4 && total+last-first > math.MaxInt32 {
		return RowRange{}, errs.New(errs.ErrResourceExhausted, "%d items do not fit one batch", total+last-first)
	}
	dst, err := out.extend(lists * n.width)
	if err != nil {
		return RowRange{}, err
	}
	before := first
	for i := range lists {
		at := n.offset(raw, i)
		if at < before || at > last {
			return RowRange{}, corruptf("a list from item %d to %d of %d", before, at, count)
		}
		n.put(dst[i*n.width:], at-first+total)
		before = at
	}
	return RowRange{n.itemStarts[page] + first, n.itemStarts[page] + last}, nil
}

func (n *legacyLists) offset(raw []byte, i int) uint64 {
	if n.width == 4 {
		return uint64(le20.Uint32(raw[4*i:]))
	}
	return le20.Uint64(raw[8*i:])
}

func (n *legacyLists) put(dst []byte, at uint64) {
	if n.width == 4 {
		le20.PutUint32(dst, uint32(at))
	} else {
		le20.PutUint64(dst, at)
	}
}
