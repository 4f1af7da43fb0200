package lanceio

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"
)

// TestRecycler gets, grows and frees memory at random: what is not freed stays as it was written, what is not dirty comes
// cleared, and no more is kept than is allowed, nothing in the end.
func TestRecycler(t *testing.T) {
	const limit = 1 << 20
	rapid.Check(t, func(rt *rapid.T) {
		below := memory.NewCheckedAllocator(memory.DefaultAllocator)
		r := newRecycler(below, limit)
		type held struct {
			mem  memory.Allocator
			data []byte
			mark byte
		}
		var all []held
		write := func(h held) { copy(h.data, bytes.Repeat([]byte{h.mark}, len(h.data))) }
		size := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(recycledLeast-2, recycledLeast+2), rapid.IntRange(0, 300_000))
		drop := func(i int) {
			all[i].mem.Free(all[i].data)
			all = append(all[:i], all[i+1:]...)
		}
		for step := range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0, 1:
				h := held{mem: r, mark: byte(step + 1)}
				if rapid.Bool().Draw(rt, "dirty") {
					h.mem = r.Dirty()
				}
				h.data = h.mem.Allocate(size.Draw(rt, "size"))
				if h.mem == memory.Allocator(r) && bytes.ContainsFunc(h.data, func(c rune) bool { return c != 0 }) {
					rt.Fatal("memory is not cleared")
				}
				write(h)
				all = append(all, h)
			case 2:
				if len(all) == 0 {
					continue
				}
				h := &all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")]
				old := len(h.data)
				h.data = h.mem.Reallocate(size.Draw(rt, "size"), h.data)
				if n := min(old, len(h.data)); !bytes.Equal(h.data[:n], bytes.Repeat([]byte{h.mark}, n)) {
					rt.Fatal("memory lost what was written to it")
				}
				write(*h)
			default:
				if len(all) > 0 {
					drop(rapid.IntRange(0, len(all)-1).Draw(rt, "which"))
				}
			}
			for _, h := range all {
				if !bytes.Equal(h.data, bytes.Repeat([]byte{h.mark}, len(h.data))) {
					rt.Fatalf("memory of %d bytes was given away twice", len(h.data))
				}
			}
			if r.size > limit {
				rt.Fatalf("%d bytes are kept", r.size)
			}
		}
		r.close()
		for len(all) > 0 {
			drop(0)
		}
		if n := below.CurrentAlloc(); n != 0 {
			rt.Fatalf("%d bytes are not given back", n)
		}
	})
}

func TestClassOf(t *testing.T) {
	last, lastSize := 0, 0
	for n := recycledLeast; n < 300*recycledLeast; n += 7 {
		class, size := classOf(n)
		if size < n || n > 2*recycledLeast && size > n+n/4+1 {
			t.Fatalf("%d bytes take %d", n, size)
		}
		if again, same := classOf(size); again != class || same != size {
			t.Fatalf("%d bytes take %d of class %d, which is of class %d", n, size, class, again)
		}
		if class < last || class > last+1 || class > last && size <= lastSize || class == last && lastSize > 0 && size != lastSize {
			t.Fatalf("%d bytes are of class %d and size %d after class %d and size %d", n, class, size, last, lastSize)
		}
		last, lastSize = class, size
	}
}
