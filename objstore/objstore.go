// Package objstore reads objects by byte ranges: from a local folder, from memory, and (through further packages) from
// cloud stores. A Store is rooted: every path is relative to its root, slash-separated, and never leaves it. Error texts
// hold these relative paths only, never a path of the server's disk.
//
// Local files are read by pread, not mapped: a file that is cut short under a running scan is then an error of that
// read and no SIGBUS, the kernel counts no resident pages against the process, and page-sized copies cost less than
// the decoding that follows (BenchmarkLocalRead compares both).
package objstore

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/lanceflight/flightsrv/errs"
)

// Range is Size bytes from byte Offset on.
type Range struct{ Offset, Size int64 }

// Info describes an object or a folder.
type Info struct {
	// Name is the path that was asked for, or in a listing the last part alone.
	Name string
	Dir  bool
	Size int64
	// ETag changes when the object's content does. Local files have one of size, time and inode.
	ETag string
	Mod  time.Time
}

// Reader reads one object. It is safe for concurrent use.
type Reader interface {
	// ReadRanges gives the bytes of each range in the order asked: all of them whole, or an error. A range that reaches
	// past the end is an errs.ErrCorrupt. The slices may share memory and must not be written to.
	ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error)
	// Size is the object's size in bytes when it was opened.
	Size() int64
	// ETag is the one of the object when it was opened.
	ETag() string
	// Close gives back what the reader holds; calling it again does nothing. Bytes already read stay valid.
	Close() error
}

// IntoReader is a Reader that can read into memory it is given.
type IntoReader interface {
	Reader
	// ReadInto fills each slice of dst from its offset on: all of them whole, or an error.
	ReadInto(ctx context.Context, offsets []int64, dst [][]byte) error
}

// RequestBytes is about how many bytes of a reader take as long to read as one more request does: 64 KiB, unless the
// reader has a method of that name that tells better.
func RequestBytes(r Reader) int64 {
	if p, ok := r.(interface{ RequestBytes() int64 }); ok {
		return p.RequestBytes()
	}
	return 64 << 10
}

// Store is a tree of objects. It is safe for concurrent use. A missing object is an errs.ErrNotFound.
type Store interface {
	// Open opens an object for reading.
	Open(ctx context.Context, name string) (Reader, error)
	// Stat describes an object or folder.
	Stat(ctx context.Context, name string) (Info, error)
	// List gives what lies directly in a folder, sorted by name; "" is the root. Where a listing costs a call for each
	// object to learn more, it tells just Name and Dir: a table may have thousands of versions.
	List(ctx context.Context, dir string) ([]Info, error)
}

// Open gives the store whose root a URI names: a local path or a file:// URI. The root need not exist yet.
func Open(uri string) (Store, error) {
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return NewLocal(uri)
	}
	switch strings.ToLower(scheme) {
	case "file":
		folder, ok := localFolder(uri)
		if !ok {
			return nil, errs.Invalidf("%q is no usable file URI: it takes the form file:///folder", uri)
		}
		return NewLocal(folder)
	case "s3", "gs", "azblob":
		return nil, errs.Unsupportedf("%s: package objstore/cloud opens object stores", Display(uri))
	}
	return nil, errs.Invalidf("%q: unknown scheme %q", Display(uri), scheme)
}

// Sub gives the part of a store below dir as a store of its own.
func Sub(s Store, dir string) (Store, error) {
	dir, err := Clean(dir)
	if err != nil || dir == "" {
		return s, err
	}
	if sub, ok := s.(*subStore); ok {
		return &subStore{sub.s, path.Join(sub.dir, dir)}, nil
	}
	return &subStore{s, dir}, nil
}

type subStore struct {
	s   Store
	dir string
}

func (s *subStore) name(name string) (string, error) {
	name, err := Clean(name)
	return path.Join(s.dir, name), err
}

func (s *subStore) Open(ctx context.Context, name string) (Reader, error) {
	full, err := s.name(name)
	if err != nil {
		return nil, err
	}
	return s.s.Open(ctx, full)
}

func (s *subStore) Stat(ctx context.Context, name string) (Info, error) {
	full, err := s.name(name)
	if err != nil {
		return Info{}, err
	}
	info, err := s.s.Stat(ctx, full)
	info.Name = name
	return info, err
}

func (s *subStore) List(ctx context.Context, dir string) ([]Info, error) {
	full, err := s.name(dir)
	if err != nil {
		return nil, err
	}
	return s.s.List(ctx, full)
}

// Clean gives a relative path in its shortest form, "" for the root, and refuses one that leaves the root.
func Clean(name string) (string, error) {
	c := path.Clean(name)
	if path.IsAbs(c) || c == ".." || strings.HasPrefix(c, "../") || strings.ContainsRune(c, 0) {
		return "", errs.Invalidf("object name %q leaves the store", name)
	}
	if c == "." {
		return "", nil
	}
	return c, nil
}

// CheckRanges refuses ranges that do not lie in an object of size bytes, and gives the sum of their sizes.
func CheckRanges(name string, size int64, ranges []Range) (int64, error) {
	var total int64
	for _, r := range ranges {
		if r.Offset < 0 || r.Size < 0 || r.Offset > size || r.Size > size-r.Offset {
			return 0, errs.Corruptf(name, r.Offset, "%d bytes wanted there, the file has %d in all", r.Size, size)
		}
		total += r.Size
		if total < 0 {
			return 0, errs.Invalidf("%s: ranges of more than 2^63 bytes", name)
		}
	}
	return total, nil
}

// NotFound is the error of an object that is not there.
func NotFound(name string) error { return fmt.Errorf("%s: %w", name, errs.ErrNotFound) }
