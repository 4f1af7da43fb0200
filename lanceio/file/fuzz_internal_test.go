package file

import (
	"errors"
	"os"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
)

// seedFiles are the fixtures of the versions that have a footer with tables.
func seedFiles(f *testing.F) [][]byte {
	f.Helper()
	var out [][]byte
	for _, name := range []string{"types_2.0", "types_2.1", "types_2.2", "pages_2.0", "pages_2.1"} {
		b, err := os.ReadFile("testdata/" + name + ".lance")
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func checkFault(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("an error of another kind: %v", err)
	}
}

func FuzzFooter(f *testing.F) {
	for _, b := range seedFiles(f) {
		f.Add(b[max(0, len(b)-2*footerSize):], uint64(len(b)))
	}
	f.Fuzz(func(t *testing.T, end []byte, size uint64) {
		if uint64(len(end)) > size {
			return // it is the end of the file
		}
		got, err := parseFooter(end, size, "x")
		if err != nil {
			checkFault(t, err)
			return
		}
		last := size - footerSize
		if got.columnTable+uint64(got.columns)*entrySize > last || got.bufferTable+uint64(got.buffers)*entrySize > last || got.columnsStart > last {
			t.Errorf("%+v in a file of %d bytes", got, size)
		}
	})
}

func FuzzColumnMetadata(f *testing.F) {
	for _, b := range seedFiles(f) {
		ft, err := parseFooter(b, uint64(len(b)), "x")
		if err != nil {
			f.Fatal(err)
		}
		for i := range min(int(ft.columns), 6) {
			at := tableEntry(ft.columnTable, i)
			e, err := parseEntry(b[at.Offset:][:at.Size], uint64(len(b)), "metadata", "x")
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b[e.Offset:][:e.Size], uint64(len(b)), b[len(b)-6] != 3)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint64, aligned bool) {
		s := arrays
		if aligned {
			s = structural
		}
		alloctest.Within(t, 1024*uint64(len(b)), func() {
			c, err := parseColumn(b, 0, size, s, "x")
			if err != nil {
				checkFault(t, err)
				return
			}
			var rows uint64
			for _, p := range c.Pages {
				if rows += p.Rows; rows > maxRows {
					t.Errorf("%d rows", rows)
				}
				for _, r := range p.Buffers {
					if r.Offset > size || r.Size > size-r.Offset || r.Offset%s.alignment() != 0 {
						t.Errorf("a buffer of %d bytes at %d in a file of %d", r.Size, r.Offset, size)
					}
				}
			}
		})
	})
}
