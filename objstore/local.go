package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
)

// Local is a store over a folder of the local disk.
type Local struct{ root string }

// NewLocal gives the store rooted at a local folder, which need not exist yet.
func NewLocal(root string) (*Local, error) {
	if root == "" {
		return nil, errs.Invalidf("the store's folder has no name")
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, errs.Invalidf("the store's folder can't be found")
	}
	return &Local{abs}, nil
}

func (l *Local) file(name string) (string, string, error) {
	clean, err := Clean(name)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(l.root, filepath.FromSlash(clean)), clean, nil
}

// Open opens a file.
func (l *Local) Open(ctx context.Context, name string) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, name, err := l.file(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, pathless(name, err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = errors.New("is a folder")
	}
	if err != nil {
		_ = f.Close()
		return nil, pathless(name, err)
	}
	return &localReader{name: name, f: f, size: st.Size(), etag: etagOf(st)}, nil
}

// Stat describes a file or folder.
func (l *Local) Stat(ctx context.Context, name string) (Info, error) {
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	file, clean, err := l.file(name)
	if err != nil {
		return Info{}, err
	}
	st, err := os.Stat(file)
	if err != nil {
		return Info{}, pathless(clean, err)
	}
	return infoOf(name, st), nil
}

// List gives what lies in a folder, sorted by name.
func (l *Local) List(ctx context.Context, dir string) ([]Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, clean, err := l.file(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(file)
	if err != nil {
		return nil, pathless(clean, err)
	}
	infos := make([]Info, 0, len(entries))
	for _, e := range entries {
		info := Info{Name: e.Name(), Dir: e.IsDir()}
		if e.Type()&fs.ModeSymlink != 0 { // a link to a folder is a folder
			st, err := os.Stat(filepath.Join(file, e.Name()))
			if err != nil {
				continue // it leads nowhere
			}
			info = infoOf(e.Name(), st)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func infoOf(name string, st fs.FileInfo) Info {
	return Info{Name: name, Dir: st.IsDir(), Size: st.Size(), ETag: etagOf(st), Mod: st.ModTime()}
}

var _ IntoReader = (*localReader)(nil)

type localReader struct {
	name  string
	f     *os.File
	size  int64
	etag  string
	close sync.Once
}

func (r *localReader) Size() int64  { return r.size }
func (r *localReader) ETag() string { return r.etag }

// RequestBytes is a page: copying it out of the page cache takes about as long as a system call.
func (r *localReader) RequestBytes() int64 { return 4 << 10 }

func (r *localReader) Close() (err error) {
	r.close.Do(func() { err = pathless(r.name, r.f.Close()) })
	return err
}

func (r *localReader) ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error) {
	if _, err := CheckRanges(r.name, r.size, ranges); err != nil {
		return nil, err
	}
	out := make([][]byte, len(ranges))
	for i, rg := range ranges {
		// A buffer for each range: one for all would stay alive as long as any part of it is in use.
		out[i] = make([]byte, rg.Size)
		if err := r.fill(ctx, rg.Offset, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ReadInto fills each slice of dst from its offset on.
func (r *localReader) ReadInto(ctx context.Context, offsets []int64, dst [][]byte) error {
	ranges := make([]Range, len(dst))
	for i, b := range dst {
		ranges[i] = Range{Offset: offsets[i], Size: int64(len(b))}
	}
	if _, err := CheckRanges(r.name, r.size, ranges); err != nil {
		return err
	}
	for i, b := range dst {
		if err := r.fill(ctx, offsets[i], b); err != nil {
			return err
		}
	}
	return nil
}

// fill reads all of dst.
func (r *localReader) fill(ctx context.Context, offset int64, dst []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := r.f.ReadAt(dst, offset); err != nil {
		if errors.Is(err, io.EOF) {
			return errs.Corruptf(r.name, offset, "the file was cut short while it was read")
		}
		return pathless(r.name, err)
	}
	return nil
}

// pathless is err without the path that os puts into it, with its kind.
func pathless(name string, err error) error {
	if err == nil {
		return nil
	}
	if name == "" {
		name = "the root folder"
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound(name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: the server may not read it: %w", name, errs.ErrUnavailable)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w: %w", name, errs.ErrUnavailable, err)
}
