//go:build unix

package objstore_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lanceflight/flightsrv/objstore"
)

// BenchmarkLocalRead compares the two ways to get at a local file's bytes: ranges by pread, and a mapping from which
// the same ranges are copied (a decoder must copy what it keeps, as the mapping goes when the file does).
func BenchmarkLocalRead(b *testing.B) {
	const size, chunk = 64 << 20, 256 << 10
	file := filepath.Join(b.TempDir(), "f")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("pread", func(b *testing.B) {
		s, err := objstore.NewLocal(filepath.Dir(file))
		if err != nil {
			b.Fatal(err)
		}
		r, err := s.Open(b.Context(), "f")
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		b.SetBytes(size)
		for b.Loop() {
			for off := int64(0); off < size; off += chunk {
				if _, err := r.ReadRanges(b.Context(), []objstore.Range{{Offset: off, Size: chunk}}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("mmap", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			readMapped(b, file, size, chunk)
		}
	})
}

func readMapped(b *testing.B, file string, size, chunk int) {
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	m, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		b.Fatal(err)
	}
	for off := 0; off < size; off += chunk {
		copy(make([]byte, chunk), m[off:])
	}
	if err := syscall.Munmap(m); err != nil {
		b.Fatal(err)
	}
}
