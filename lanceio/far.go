package lanceio

import (
	"context"
	"slices"
	"sort"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/expr"
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

// farLeaf is where the pages of a leaf lie in a far file.
type farLeaf struct {
	in     *fileInput
	key    string
	rows   []uint64         // at which pages start; one more than there are pages
	places []objstore.Range // of size 0 for pages that are not small
}

// learn adds the small pages of a tree's columns, and gives them by leaf where pages count the rows of the fragment.
func (in *fileInput) learn(root *encoding.Field, rows uint64) []farLeaf {
	p := in.far
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []farLeaf
	var walk func(f *encoding.Field)
	walk = func(f *encoding.Field) {
		if f.Column != nil {
			l := farLeaf{in: in, key: expr.FieldPath(f.Path).Key(), rows: []uint64{0}}
			at := uint64(0)
			for _, page := range f.Column.Pages {
				rg, ok := extent(page.Buffers)
				if ok {
					p.known, p.sorted = append(p.known, rg), false
				} else {
					rg.Size = 0
				}
				at += page.Rows
				l.rows, l.places = append(l.rows, at), append(l.places, rg)
			}
			if at == rows {
				out = append(out, l)
			}
		}
		for _, c := range f.Children {
			walk(c)
		}
	}
	walk(root)
	return out
}

// touched gives the small pages that some rows lie in.
func (l farLeaf) touched(sel selection) []encoding.BufferRange {
	var out []encoding.BufferRange
	for i, r := 0, 0; i < len(l.places) && r < len(sel); {
		switch {
		case sel[r].End <= l.rows[i]:
			r++
		case l.rows[i+1] <= sel[r].Start:
			i++
		default:
			if p := l.places[i]; p.Size > 0 {
				out = append(out, encoding.BufferRange{Offset: uint64(p.Offset), Size: uint64(p.Size)})
			}
			i++
		}
	}
	return out
}

// prefetch reads the small pages that columns have of some rows, those of all columns of a file together: they often lie
// side by side, and are then one request.
func prefetch(ctx context.Context, columns []*columnReader, sel selection) error {
	byFile := map[*fileInput][]farLeaf{}
	for _, c := range columns {
		for _, l := range c.far {
			byFile[l.in] = append(byFile[l.in], l)
		}
	}
	if len(byFile) == 0 {
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	for in, leaves := range byFile {
		g.Go(func() error { return in.prefetch(ctx, leaves, sel) })
	}
	return g.Wait()
}

func (in *fileInput) prefetch(ctx context.Context, leaves []farLeaf, sel selection) error {
	var want []encoding.BufferRange
	own := map[string]int64{}
	var total uint64
	for _, l := range leaves {
		for _, p := range l.touched(sel) {
			if in.far.find(p) == nil {
				want = append(want, p)
				own[l.key] += int64(p.Size)
				total += p.Size
			}
		}
	}
	if len(own) < 2 || total > heldPageBytes/2 { // it would be one request, or is too much to hold
		return nil
	}
	reads, _ := mergeRanges(want, in.RequestBytes())
	got, err := in.fetch(ctx, "", reads, 0, func(n int) []byte { return make([]byte, n) })
	if err != nil {
		return err
	}
	for key, n := range own {
		in.c.read(in.unit(key), 0, 0, n)
	}
	for i, r := range reads {
		in.far.hold(r.Offset, got[i])
	}
	return nil
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

// pageOf widens a range to the small page that it lies in; false where there is none.
func (p *farPages) pageOf(r encoding.BufferRange) (encoding.BufferRange, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sorted {
		slices.SortFunc(p.known, func(a, b objstore.Range) int { return int(min(1, max(-1, a.Offset-b.Offset))) })
		p.sorted = true
	}
	off := int64(r.Offset)
	if i := sort.Search(len(p.known), func(k int) bool { return p.known[k].Offset > off }) - 1; i >= 0 {
		if w := p.known[i]; off+int64(r.Size) <= w.Offset+w.Size {
			return encoding.BufferRange{Offset: uint64(w.Offset), Size: uint64(w.Size)}, true
		}
	}
	return r, false
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
	hold := leaf == "" // metadata, and what lies beside it
	for i, r := range ranges {
		if r.Size == 0 {
			continue
		}
		if out[i] = in.far.find(r); out[i] == nil {
			page, ok := in.far.pageOf(r)
			missing, wide, hold = append(missing, i), append(wide, page), hold || ok
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
		if hold {
			in.far.hold(r.Offset, got[i])
		}
	}
	for _, i := range missing {
		out[i] = partOf(reads, got, ranges[i])
	}
	return out, nil
}
