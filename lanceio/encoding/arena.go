package encoding

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// DirtyAllocator is an allocator that can also give memory which is not cleared.
type DirtyAllocator interface {
	memory.Allocator
	Dirty() memory.Allocator
}

// dirty is mem for memory that is written to before it is read.
func dirty(mem memory.Allocator) memory.Allocator {
	if d, ok := mem.(DirtyAllocator); ok {
		return d.Dirty()
	}
	return mem
}

// arena is the memory that one read of a column works with. What becomes part of the answer is shared with it, all else
// is given back when the read ends. It is used by one goroutine at a time.
type arena struct {
	mem  memory.Allocator
	bufs []*memory.Buffer
}

// alloc gives n bytes, which hold anything, until the arena is freed.
func (a *arena) alloc(n int) []byte {
	b := memory.NewResizableBuffer(dirty(a.mem))
	b.Resize(n)
	a.bufs = append(a.bufs, b)
	return b.Bytes()
}

// zeroed is alloc of bytes that are 0.
func (a *arena) zeroed(n int) []byte {
	b := a.alloc(n)
	clear(b)
	return b
}

// share gives bytes as a buffer of their own without a copy, which the caller releases. It is nil where they are none of
// the arena's, where they are too small a part of what they would keep alive, or where they are not aligned.
func (a *arena) share(b []byte) *memory.Buffer {
	if a == nil || len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		return nil
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for _, buf := range a.bufs {
		all := buf.Bytes()
		if len(all) == 0 {
			continue
		}
		start := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
		if at >= start && at+uintptr(len(b)) <= start+uintptr(len(all)) {
			if len(b) < len(all)/2 {
				return nil
			}
			return memory.SliceBuffer(buf, int(at-start), len(b))
		}
	}
	return nil
}

// buffer gives bytes as a buffer of their own, which the caller releases: shared where that is possible, else copied.
func (a *arena) buffer(b []byte) *memory.Buffer {
	if buf := a.share(b); buf != nil {
		return buf
	}
	buf := memory.NewResizableBuffer(dirty(a.mem))
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	return buf
}

// free gives back what is not shared.
func (a *arena) free() {
	for _, b := range a.bufs {
		b.Release()
	}
	clear(a.bufs)
	a.bufs = a.bufs[:0]
}
