package lanceio

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

const (
	// recycledLeast is the size from which memory is kept.
	recycledLeast = 4 << 10
	// sizesPerDouble is how many sizes of kept memory there are from one to its double.
	sizesPerDouble = 4
)

// recycler is an allocator that uses what was freed again. Memory fresh from the runtime is cleared first and brings the
// next collection closer, which costs more than the decoding of simple values. It clears what it gives, save through Dirty. It is
// safe for concurrent use.
type recycler struct {
	mem   memory.Allocator
	mu    sync.Mutex
	free  [][]kept // by size class, at full capacity, of each class the one unused for longest first
	size  int
	limit int
	clock uint64 // counts what was freed
}

// kept is memory that is free since clock.
type kept struct {
	data  []byte
	clock uint64
}

var _ encoding.DirtyAllocator = (*recycler)(nil)

// newRecycler gives a recycler of memory from mem that keeps up to limit bytes.
func newRecycler(mem memory.Allocator, limit int) *recycler { return &recycler{mem: mem, limit: limit} }

// Dirty gives the same memory as it was left.
func (r *recycler) Dirty() memory.Allocator { return dirtyRecycler{r} }

// Allocate gives n bytes, which are 0.
func (r *recycler) Allocate(n int) []byte {
	b, fresh := r.get(n)
	if !fresh {
		clear(b)
	}
	return b
}

// Reallocate gives n bytes that begin with those of b, which it takes over; the others are 0.
func (r *recycler) Reallocate(n int, b []byte) []byte {
	old := min(len(b), n)
	out := r.resize(n, b)
	clear(out[old:])
	return out
}

// dirtyRecycler gives memory that holds anything.
type dirtyRecycler struct{ *recycler }

// Allocate gives n bytes.
func (r dirtyRecycler) Allocate(n int) []byte {
	b, _ := r.get(n)
	return b
}

// Reallocate gives n bytes that begin with those of b, which it takes over.
func (r dirtyRecycler) Reallocate(n int, b []byte) []byte { return r.resize(n, b) }

// classOf gives the size class of n bytes, at least recycledLeast, and the size of its members. It rounds up, so that what
// is wanted next, which is about as large, fits.
func classOf(n int) (class, size int) {
	double := bits.Len(uint((n - 1) / recycledLeast)) // n is at most recycledLeast << double
	if double == 0 {
		return 0, recycledLeast
	}
	step := recycledLeast << (double - 1) / sizesPerDouble
	at := (n + step - 1) / step // from sizesPerDouble+1 to 2*sizesPerDouble
	return (double-1)*sizesPerDouble + at - sizesPerDouble, at * step
}

// get gives n bytes; fresh tells that they come from the allocator below, which clears them.
func (r *recycler) get(n int) (b []byte, fresh bool) {
	if n < recycledLeast {
		return r.mem.Allocate(n)[:n:n], true
	}
	if b := r.take(n); b != nil {
		return b[:n], false
	}
	_, size := classOf(n)
	return r.mem.Allocate(size)[:n:size], true
}

// take gives the free memory of n bytes, or of the next size, up to about twice that, that was used last; nil where there
// is none.
func (r *recycler) take(n int) []byte {
	class, _ := classOf(n)
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := class; c < len(r.free) && c < class+sizesPerDouble; c++ {
		if i := len(r.free[c]) - 1; i >= 0 {
			k := r.free[c][i]
			r.free[c][i] = kept{}
			r.free[c] = r.free[c][:i]
			r.size -= cap(k.data)
			return k.data
		}
	}
	return nil
}

// oldest takes the memory out that is unused for longest; there is some.
func (r *recycler) oldest() []byte {
	best := -1
	for c, of := range r.free {
		if len(of) > 0 && (best < 0 || of[0].clock < r.free[best][0].clock) {
			best = c
		}
	}
	k := r.free[best][0]
	r.free[best] = slices.Delete(r.free[best], 0, 1)
	r.size -= cap(k.data)
	return k.data
}

// resize gives n bytes that begin with those of b, which it takes over.
func (r *recycler) resize(n int, b []byte) []byte {
	switch {
	case n < recycledLeast && cap(b) < recycledLeast:
		return r.mem.Reallocate(n, b)[:n:n]
	case n <= cap(b) && n >= cap(b)/2:
		return b[:n]
	}
	out, _ := r.get(n)
	copy(out, b)
	r.Free(b)
	return out
}

// Free takes memory back; nothing may refer to it any more.
func (r *recycler) Free(b []byte) {
	if cap(b) < recycledLeast {
		r.mem.Free(b)
		return
	}
	b = b[:cap(b)]
	poison(b)
	class, size := classOf(cap(b))
	if size > cap(b) { // it comes from elsewhere
		r.mem.Free(b)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.free) <= class {
		r.free = append(r.free, nil)
	}
	r.clock++
	r.free[class] = append(r.free[class], kept{b, r.clock})
	for r.size += cap(b); r.size > r.limit; {
		r.mem.Free(r.oldest())
	}
}

// close gives back all free memory, now and from now on.
func (r *recycler) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = 0
	for _, of := range r.free {
		for _, k := range of {
			r.mem.Free(k.data)
		}
	}
	r.free, r.size = nil, 0
}
