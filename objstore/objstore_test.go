package objstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// stores gives each kind of store over the same objects: a/b.txt "hello", a/c/d.txt "", top.bin "0123456789".
func stores(t *testing.T) map[string]objstore.Store {
	t.Helper()
	dir := t.TempDir()
	mem := objstore.NewMem()
	below := objstore.NewMem()
	for name, data := range map[string]string{"a/b.txt": "hello", "a/c/d.txt": "", "top.bin": "0123456789"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(mem.Put(name, []byte(data)), below.Put("x/y/"+name, []byte(data))); err != nil {
			t.Fatal(err)
		}
	}
	local, err := objstore.Open("file://" + filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := objstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := objstore.Sub(below, "x/./y")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]objstore.Store{"file uri": local, "path": plain, "memory": mem, "sub": sub,
		"wrapped": &objstore.Faulty{Store: objstore.NewCounting(mem)}}
}

func TestReadRanges(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			r, err := s.Open(t.Context(), "top.bin")
			if err != nil {
				t.Fatal(err)
			}
			if r.Size() != 10 {
				t.Errorf("size %d, want 10", r.Size())
			}
			got, err := r.ReadRanges(t.Context(), []objstore.Range{{Offset: 8, Size: 2}, {Offset: 0, Size: 3}, {Offset: 10, Size: 0}, {Offset: 1, Size: 4}})
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, b := range got {
				parts = append(parts, string(b))
			}
			if s := strings.Join(parts, "|"); s != "89|012||1234" {
				t.Errorf("got %s", s)
			}
			for _, bad := range []objstore.Range{{8, 3}, {11, 0}, {-1, 2}, {0, -1}, {1 << 62, 1 << 62}, {5, 1<<63 - 1}} {
				if _, err := r.ReadRanges(t.Context(), []objstore.Range{{0, 1}, bad}); !errors.Is(err, errs.ErrCorrupt) {
					t.Errorf("range %v: %v, want corrupt", bad, err)
				}
			}
			if err := errors.Join(r.Close(), r.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestListAndStat(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for dir, want := range map[string]string{"": "a/ top.bin", "a": "b.txt c/", "./a/c/": "d.txt"} {
				infos, err := s.List(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, i := range infos {
					if i.Dir {
						got = append(got, i.Name+"/")
					} else {
						got = append(got, i.Name)
					}
				}
				if g := strings.Join(got, " "); g != want {
					t.Errorf("%q: got %q, want %q", dir, g, want)
				}
			}
			if i, err := s.Stat(t.Context(), "a/b.txt"); err != nil || i.Size != 5 || i.Dir || i.ETag == "" {
				t.Errorf("stat: %+v, %v", i, err)
			}
			if i, err := s.Stat(t.Context(), "a"); err != nil || !i.Dir {
				t.Errorf("stat of a folder: %+v, %v", i, err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			_, openErr := s.Open(t.Context(), "a/none")
			_, statErr := s.Stat(t.Context(), "a/none")
			_, listErr := s.List(t.Context(), "none")
			for _, err := range []error{openErr, statErr, listErr} {
				if !errors.Is(err, errs.ErrNotFound) {
					t.Errorf("%v, want not found", err)
				}
				if strings.Contains(err.Error(), os.TempDir()) {
					t.Errorf("%v holds the server's path", err)
				}
			}
			for _, out := range []string{"../x", "a/../../x", "/etc/passwd", ".."} {
				_, e1 := s.Open(t.Context(), out)
				_, e2 := s.Stat(t.Context(), out)
				_, e3 := s.List(t.Context(), out)
				for _, err := range []error{e1, e2, e3} {
					if !errors.Is(err, errs.ErrInvalidInput) {
						t.Errorf("%s: %v, want invalid", out, err)
					}
				}
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			r, err := s.Open(t.Context(), "top.bin")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := r.ReadRanges(ctx, []objstore.Range{{0, 1}}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want canceled", err)
			}
		})
	}
}

// A file that is cut short after it was opened gives an error for what is gone, and no fault of the process.
func TestCutShort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := objstore.NewLocal(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadRanges(t.Context(), []objstore.Range{{0, 100}}); err != nil {
		t.Error(err)
	}
	if _, err := r.ReadRanges(t.Context(), []objstore.Range{{50, 100}}); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v, want corrupt", err)
	}
}

func TestETagChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	s, err := objstore.NewLocal(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, content := range []string{"one", "two", "three"} {
		// A second file holds the old inode, so that the new file can't be given it.
		_ = os.Rename(file, file+".old"+content)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, etag, err := objstore.ReadAll(t.Context(), s, "f", 10)
		if err != nil {
			t.Fatal(err)
		}
		if seen[etag] {
			t.Errorf("etag %s came twice", etag)
		}
		seen[etag] = true
		if info, err := s.Stat(t.Context(), "f"); err != nil || info.ETag != etag {
			t.Errorf("stat says %s, %v; open said %s", info.ETag, err, etag)
		}
	}
}

func TestReadAllLimit(t *testing.T) {
	m := objstore.NewMem()
	if err := m.Put("f", make([]byte, 11)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := objstore.ReadAll(t.Context(), m, "f", 10); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v, want corrupt", err)
	}
	if data, _, err := objstore.ReadAll(t.Context(), m, "f", 11); err != nil || len(data) != 11 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestOpenURI(t *testing.T) {
	for uri, kind := range map[string]error{
		"s3://bucket/x": errs.ErrUnsupported, "gs://b": errs.ErrUnsupported, "azblob://b/x": errs.ErrUnsupported,
		"http://x/y": errs.ErrInvalidInput, "file://host/x": errs.ErrInvalidInput, "": errs.ErrInvalidInput,
	} {
		if _, err := objstore.Open(uri); !errors.Is(err, kind) {
			t.Errorf("%q: %v, want %v", uri, err, kind)
		}
	}
}

func TestWrappers(t *testing.T) {
	m := objstore.NewMem()
	if err := m.Put("f", []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	c := objstore.NewCounting(m)
	f := &objstore.Faulty{Store: c,
		OnRead: func(_ context.Context, _ string, r objstore.Range) error {
			if r.Offset == 5 {
				return broken
			}
			return nil
		},
		Mangle: func(_ string, _ objstore.Range, data []byte) []byte { return append([]byte("x"), data[1:]...) },
	}
	r, err := f.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ReadRanges(t.Context(), []objstore.Range{{0, 3}, {6, 4}})
	if err != nil || string(got[0]) != "x12" || string(got[1]) != "x789" {
		t.Errorf("%s, %v", got, err)
	}
	if c.Requests() != 2 || c.Bytes() != 7 || c.Opens() != 1 {
		t.Errorf("%d requests, %d bytes, %d opens", c.Requests(), c.Bytes(), c.Opens())
	}
	if _, err := r.ReadRanges(t.Context(), []objstore.Range{{5, 1}}); !errors.Is(err, broken) {
		t.Errorf("%v, want broken", err)
	}
	f.OnOpen = func(string) error { return broken }
	if _, err := f.Open(t.Context(), "f"); !errors.Is(err, broken) {
		t.Errorf("%v, want broken", err)
	}
}
