package lanceio

import (
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// listOf rebuilds lists over other items. Parts must agree on which lists are null and on how long the others are. Where a
// part keeps its items is its own matter: it may be a slice of what was read, and hold items that no list has.
func listOf[O int32 | int64](a assembler, typ, elem arrow.DataType, parts []arrow.Array) (arrow.Array, error) {
	aligned, err := alignLists[O](a, parts)
	if err != nil {
		return nil, err
	}
	defer releaseAll(aligned)
	items := make([]arrow.Array, len(aligned))
	defer func() { releaseAll(items) }()
	for i, p := range aligned {
		items[i] = array.MakeFromData(p.Data().Children()[0])
	}
	// All parts share offsets, so items that lie past the shortest part's end belong to no list.
	n := items[0].Len()
	for _, it := range items {
		n = min(n, it.Len())
	}
	for i, it := range items {
		if it.Len() > n {
			items[i] = array.NewSlice(it, 0, int64(n))
			it.Release()
		}
	}
	below, err := a.build(elem, items, n)
	if err != nil {
		return nil, err
	}
	defer below.Release()
	first := aligned[0].Data()
	data := array.NewData(typ, first.Len(), first.Buffers(), []arrow.ArrayData{below.Data()}, first.NullN(), first.Offset())
	defer data.Release()
	return array.MakeFromData(data), nil
}

// alignLists gives the lists of each part with the same offsets. The caller releases them.
func alignLists[O int32 | int64](a assembler, parts []arrow.Array) ([]arrow.Array, error) {
	same := true
	for _, p := range parts[1:] {
		if !sameValidity(parts[0], p) || !sameLengths[O](parts[0], p) {
			return nil, errListsDiffer()
		}
		same = same && slices.Equal(offsetsOf[O](parts[0]), offsetsOf[O](p))
	}
	out := make([]arrow.Array, len(parts))
	for i, p := range parts {
		if same {
			p.Retain()
			out[i] = p
			continue
		}
		packed, err := packLists[O](a, p)
		if err != nil {
			releaseAll(out)
			return nil, err
		}
		out[i] = packed
	}
	return out, nil
}

// packLists gives the same lists over just the items of those that are not null, without gaps and from the first item on.
func packLists[O int32 | int64](a assembler, arr arrow.Array) (arrow.Array, error) {
	n := arr.Len()
	from := offsetsOf[O](arr)
	offsets := memory.NewResizableBuffer(a.mem)
	defer offsets.Release()
	offsets.Resize((n + 1) * int(unsafe.Sizeof(O(0))))
	to := arrow.GetData[O](offsets.Bytes())
	to[0] = 0
	var places selection
	for i := range n {
		to[i+1] = to[i]
		if arr.IsValid(i) {
			to[i+1] += from[i+1] - from[i]
			places = places.add(uint64(from[i]), uint64(from[i+1]))
		}
	}
	all := array.MakeFromData(arr.Data().Children()[0])
	defer all.Release()
	items, err := a.pick(all, places)
	if err != nil {
		return nil, err
	}
	defer items.Release()
	validity, nulls := a.anyValid([]arrow.Array{arr}, n)
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(arr.DataType(), n, []*memory.Buffer{validity, offsets}, []arrow.ArrayData{items.Data()}, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// sameLengths tells whether the lists that x has are as long as those of y, which is null where x is.
func sameLengths[O int32 | int64](x, y arrow.Array) bool {
	p, q := offsetsOf[O](x), offsetsOf[O](y)
	for i := range x.Len() {
		if x.IsValid(i) && p[i+1]-p[i] != q[i+1]-q[i] {
			return false
		}
	}
	return true
}

func sameValidity(x, y arrow.Array) bool {
	if x == y {
		return true
	}
	if x.NullN() != y.NullN() {
		return false
	}
	for i := range x.Len() {
		if x.IsNull(i) != y.IsNull(i) {
			return false
		}
	}
	return true
}

func errListsDiffer() error {
	return errs.Corruptf("data", -1, "the files of a fragment disagree on the lists of one column")
}

// fixedListOf is listOf for lists of a fixed size.
func (a assembler) fixedListOf(t *arrow.FixedSizeListType, parts []arrow.Array) (arrow.Array, error) {
	first := parts[0].Data()
	items := make([]arrow.Array, len(parts))
	n := int(t.Len()) * first.Len()
	for i, p := range parts {
		if p.DataType().(*arrow.FixedSizeListType).Len() != t.Len() || !sameValidity(parts[0], p) {
			return nil, errListsDiffer()
		}
		start := int64(p.Data().Offset()) * int64(t.Len())
		all := array.MakeFromData(p.Data().Children()[0])
		items[i] = array.NewSlice(all, start, start+int64(n))
		all.Release()
		defer items[i].Release()
	}
	below, err := a.build(t.Elem(), items, n)
	if err != nil {
		return nil, err
	}
	defer below.Release()
	validity, nulls := a.anyValid(parts[:1], first.Len())
	if validity != nil {
		defer validity.Release()
	}
	data := array.NewData(t, first.Len(), []*memory.Buffer{validity}, []arrow.ArrayData{below.Data()}, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}
