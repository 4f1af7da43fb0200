package lanceio

import (
	"github.com/apache/arrow-go/v18/arrow"
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

// pick gives the block of some of its rows, which must all be in it. b stays as it is.
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
			out.parts[id] = append(out.parts[id], p)
		}
	}
	return out, nil
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
