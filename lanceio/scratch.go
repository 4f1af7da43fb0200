package lanceio

import "sync"

const (
	// scratchBytes bounds the memory that a file's input keeps for its next reads: what one window reads.
	scratchBytes = 2 * windowBytes
	// scratchAlign is what sizes are rounded up to, so that the next read, which is about as large, fits.
	scratchAlign = 64 << 10
)

// scratchPool keeps memory that was read into and is not used any more. Memory fresh from the runtime is cleared first
// and brings the next collection closer, which costs more than the read itself where the bytes are cached. It is safe
// for concurrent use; its zero value is empty.
type scratchPool struct {
	mu   sync.Mutex
	free [][]byte
	size int
}

// get gives n bytes, which hold anything.
func (p *scratchPool) get(n int) []byte {
	p.mu.Lock()
	best := -1
	for i, b := range p.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(p.free[best])) {
			best = i
		}
	}
	var b []byte
	if best >= 0 {
		b = p.remove(best)
	}
	p.mu.Unlock()
	if best < 0 {
		b = make([]byte, n, (n+n/8+scratchAlign-1)/scratchAlign*scratchAlign)
	}
	return b[:n]
}

// put takes memory from get back; nothing may refer to it any more.
func (p *scratchPool) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cap(b) > scratchBytes {
		return
	}
	p.free = append(p.free, b)
	for p.size += cap(b); p.size > scratchBytes; {
		p.remove(0) // the one unused for longest
	}
}

// remove takes piece i out.
func (p *scratchPool) remove(i int) []byte {
	b := p.free[i]
	p.free = append(p.free[:i], p.free[i+1:]...)
	p.size -= cap(b)
	return b
}
