package lanceio

import (
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// recycledLeast is the size from which memory is kept.
const recycledLeast = 16 << 10

// recycler is an allocator that uses what was freed again. Memory fresh from the runtime is cleared first and brings the
// next collection closer, which costs more than the decoding of simple values. It clears what it gives, save through Dirty. It is
// safe for concurrent use.
type recycler struct {
	mem   memory.Allocator
	mu    sync.Mutex
	free  [][]byte // at full capacity, the one unused for longest first
	size  int
	limit int
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

// recycledSize rounds a size up, so that the next one, which is about as large, fits.
func recycledSize(n int) int { return (n + n/8 + recycledLeast - 1) / recycledLeast * recycledLeast }

// get gives n bytes; fresh tells that they come from the allocator below, which clears them.
func (r *recycler) get(n int) (b []byte, fresh bool) {
	if n < recycledLeast {
		return r.mem.Allocate(n)[:n:n], true
	}
	if b := r.take(n); b != nil {
		return b[:n], false
	}
	size := recycledSize(n)
	return r.mem.Allocate(size)[:n:size], true
}

// take gives the smallest free memory of at least n bytes, but no more than twice that; nil where there is none.
func (r *recycler) take(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	best := -1
	for i, b := range r.free {
		if cap(b) >= n && cap(b) <= max(2*n, 4*recycledLeast) && (best < 0 || cap(b) < cap(r.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return r.remove(best)
}

// remove takes piece i out.
func (r *recycler) remove(i int) []byte {
	b := r.free[i]
	r.free = append(r.free[:i], r.free[i+1:]...)
	r.size -= cap(b)
	return b
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
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, b)
	for r.size += cap(b); r.size > r.limit; {
		r.mem.Free(r.remove(0))
	}
}

// close gives back all free memory, now and from now on.
func (r *recycler) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = 0
	for len(r.free) > 0 {
		r.mem.Free(r.remove(0))
	}
}
