package lanceio

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	// wholePageBytes is the size up to which a page of a far file is read whole: its parts are asked for one after the
	// other, as the first tells where the second lies, and each would wait for the store anew.
	wholePageBytes = 128 << 10
	// heldPageBytes bounds what is held of a file's pages for the next windows.
	heldPageBytes = 1 << 20
)

// farPages knows the small pages of a file in a store that answers slowly, and holds those that were read last, and the
// end of the file, which often holds its last pages. It is safe for concurrent use.
type farPages struct {
	mu     sync.Mutex
	known  []objstore.Range // ascending
	sorted bool
	held   []piece
	bytes  int
}

// learn adds the small pages of a tree's columns.
func (p *farPages) learn(f *encoding.Field) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var walk func(f *encoding.Field)
	walk = func(f *encoding.Field) {
		if f.Column != nil {
			for _, page := range f.Column.Pages {
				if rg, ok := extent(page.Buffers); ok {
					p.known, p.sorted = append(p.known, rg), false
				}
			}
		}
		for _, c := range f.Children {
			walk(c)
		}
	}
	walk(f)
}

// extent is what some buffers, which lie in a file, take up together; false where that is nothing or much.
func extent(buffers []encoding.BufferRange) (objstore.Range, bool) {
	if len(buffers) == 0 {
		return objstore.Range{}, false
	}
	start, end := buffers[0].Offset, uint64(0)
	for _, b := range buffers {
		start, end = min(start, b.Offset), max(end, b.Offset+b.Size)
	}
	return objstore.Range{Offset: int64(start), Size: int64(end - start)}, end > start && end-start <= wholePageBytes
}

// pageOf widens a range to the small page that it lies in.
func (p *farPages) pageOf(r encoding.BufferRange) encoding.BufferRange {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sorted {
		slices.SortFunc(p.known, func(a, b objstore.Range) int { return int(min(1, max(-1, a.Offset-b.Offset))) })
		p.sorted = true
	}
	off := int64(r.Offset)
	if i := sort.Search(len(p.known), func(k int) bool { return p.known[k].Offset > off }) - 1; i >= 0 {
		if w := p.known[i]; off+int64(r.Size) <= w.Offset+w.Size {
			return encoding.BufferRange{Offset: uint64(w.Offset), Size: uint64(w.Size)}
		}
	}
	return r
}

// find gives a range of what is held, nil where it is not.
func (p *farPages) find(r encoding.BufferRange) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.held {
		if off := int64(r.Offset) - h.offset; off >= 0 && off+int64(r.Size) <= int64(len(h.data)) {
			return h.data[off : off+int64(r.Size) : off+int64(r.Size)]
		}
	}
	return nil
}

// hold keeps what was read, and lets go of what was read before where that is too much.
func (p *farPages) hold(offset int64, data []byte) {
	if len(data) > heldPageBytes/2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = append(p.held, piece{offset, data})
	for p.bytes += len(data); p.bytes > heldPageBytes; p.held = p.held[1:] {
		p.bytes -= len(p.held[0].data)
	}
}

// readFar is ReadRanges of a file in a store that answers slowly: small pages are read whole, and ranges merged over
// wider gaps.
func (in *fileInput) readFar(ctx context.Context, leaf string, ranges []encoding.BufferRange) ([][]byte, error) {
	out := make([][]byte, len(ranges))
	var missing []int
	var wide []encoding.BufferRange
	for i, r := range ranges {
		if r.Size == 0 {
			continue
		}
		if out[i] = in.far.find(r); out[i] == nil {
			missing, wide = append(missing, i), append(wide, in.far.pageOf(r))
		}
	}
	reads, own := mergeRanges(wide, in.RequestBytes())
	if len(reads) == 0 {
		return out, ctx.Err()
	}
	got, err := in.fetch(ctx, leaf, reads, own, func(n int) []byte { return make([]byte, n) })
	if err != nil {
		return nil, err
	}
	for i, r := range reads {
		in.far.hold(r.Offset, got[i])
	}
	for _, i := range missing {
		out[i] = partOf(reads, got, ranges[i])
	}
	return out, nil
}
