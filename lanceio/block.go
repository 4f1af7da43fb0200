package lanceio

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// block is some rows of a fragment with what was read of them so far. It owns its arrays.
type block struct {
	sel selection
	// parts are the arrays read for each top-level column, by field id, each with one value for each row. The number and
	// order of a column's parts is the same in all blocks of a fragment that went through the same steps.
	parts map[int32][]arrow.Array
}

func newBlock(sel selection) *block { return &block{sel: sel, parts: map[int32][]arrow.Array{}} }

func (b *block) release() {
	for _, arrs := range b.parts {
		releaseAll(arrs)
	}
	b.parts = map[int32][]arrow.Array{}
}

// drop releases the columns that no later step uses.
func (b *block) drop(later fieldSet) {
	for id, arrs := range b.parts {
		if !later[id] {
			releaseAll(arrs)
			delete(b.parts, id)
		}
	}
}

// pick gives the block of some of its rows, which must all be in it. b stays as it is, and may be used on another goroutine
// than what is given.
func (b *block) pick(a assembler, sub selection) (*block, error) {
	out := newBlock(sub)
	if len(b.parts) == 0 {
		return out, nil
	}
	places := b.sel.places(sub)
	for id, arrs := range b.parts {
		for _, arr := range arrs {
			p, err := a.pick(arr, places)
			if err != nil {
				out.release()
				return nil, err
			}
			out.parts[id] = append(out.parts[id], apart(p))
		}
	}
	return out, nil
}

// apart gives an array that shares nothing with others that is ever written to, for one that it takes over: slices of a list
// share what describes the items, and Arrow writes the number of nulls there when an array is made of it (of type null) or
// asked for that number.
func apart(arr arrow.Array) arrow.Array {
	if !slices.ContainsFunc(arr.Data().Children(), written) {
		return arr
	}
	defer arr.Release()
	own := described(arr.Data())
	defer own.Release()
	return array.MakeFromData(own)
}

// written tells whether Arrow may write into what describes an array, or those below it.
func written(d arrow.ArrayData) bool {
	return d.DataType().ID() == arrow.NULL || d.NullN() < 0 || slices.ContainsFunc(d.Children(), written)
}

// described gives a description of the same values that shares just the values.
func described(d arrow.ArrayData) arrow.ArrayData {
	if d.DataType().ID() == arrow.DICTIONARY {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), d.Buffers(), d.NullN(), d.Offset(), d.Dictionary().(*array.Data))
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = described(c)
		defer children[i].Release()
	}
	return array.NewData(d.DataType(), d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// joinable tells whether parts can be put behind each other: dictionaries need not fit into one.
func joinable(blocks []*block) bool {
	for _, arrs := range blocks[0].parts {
		for _, arr := range arrs {
			if hasDictionary(arr.DataType()) {
				return false
			}
		}
	}
	return true
}

func hasDictionary(t arrow.DataType) bool {
	if t.ID() == arrow.DICTIONARY {
		return true
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if hasDictionary(f.Type) {
				return true
			}
		}
	}
	return false
}

// joinBlocks gives blocks of the rows of several, which ascend: one, unless they can't be joined. It takes the blocks over,
// also when it fails.
func joinBlocks(a assembler, blocks []*block) ([]*block, error) {
	if len(blocks) < 2 || !joinable(blocks) {
		return blocks, nil
	}
	defer func() {
		for _, b := range blocks {
			b.release()
		}
	}()
	out := newBlock(nil)
	for _, b := range blocks {
		for _, r := range b.sel {
			out.sel = out.sel.add(r.Start, r.End)
		}
	}
	for id, first := range blocks[0].parts {
		for i := range first {
			arrs := make([]arrow.Array, len(blocks))
			for k, b := range blocks {
				arrs[k] = b.parts[id][i]
			}
			joined, err := a.concat(arrs)
			if err != nil {
				out.release()
				return nil, err
			}
			out.parts[id] = append(out.parts[id], joined)
		}
	}
	return []*block{out}, nil
}

// bytes is about what the block's arrays take.
func (b *block) bytes() int64 {
	var n int64
	for _, arrs := range b.parts {
		for _, arr := range arrs {
			n += sizeOf(arr, 0, arr.Len())
		}
	}
	return n
}
