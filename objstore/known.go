package objstore

import (
	"context"
	"path"

	"github.com/lanceflight/flightsrv/errs"
)

// paralleler is a Store that is worth reading by many requests at once.
type paralleler interface{ Parallel() int }

// Parallel is how many objects of a store are worth reading at once: many where a request waits long for its answer, one
// for local files and memory.
func Parallel(s Store) int {
	if p, ok := s.(paralleler); ok {
		return p.Parallel()
	}
	return 1
}

// knownOpener is a Store that can open an object without asking for it.
type knownOpener interface {
	OpenKnown(ctx context.Context, name string, known Info) (Reader, error)
}

// OpenKnown opens an object whose size is known, and its etag where known.ETag is not empty. Where a store would have to
// ask for these, it is not asked: whether the object is there, and is the one that is meant, shows at the first read,
// which fails with errs.ErrNotFound, errs.ErrCorrupt for another size, and errs.ErrConflict for another etag.
func OpenKnown(ctx context.Context, s Store, name string, known Info) (Reader, error) {
	if o, ok := s.(knownOpener); ok {
		return o.OpenKnown(ctx, name, known)
	}
	r, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Size() != known.Size:
		err = errs.Corruptf(name, -1, "the file has %d bytes, %d were expected", r.Size(), known.Size)
	case known.ETag != "" && r.ETag() != known.ETag:
		err = Changed(name)
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// Changed is the error of an object that is not any more what it was when it was first met.
func Changed(name string) error {
	return errs.New(errs.ErrConflict, "%s was replaced by another object while it was read; run the statement again", name)
}

// firstLister is a Store that can list the first objects of a folder by themselves.
type firstLister interface {
	ListFirst(ctx context.Context, dir string, n int) (infos []Info, more bool, err error)
}

// ListFirst is List of about the first n names where a store tells these for less than all, and all names where not; more
// tells that there are others.
func ListFirst(ctx context.Context, s Store, dir string, n int) (infos []Info, more bool, err error) {
	if l, ok := s.(firstLister); ok {
		return l.ListFirst(ctx, dir, n)
	}
	infos, err = s.List(ctx, dir)
	return infos, false, err
}

// allReader is a Store that reads a whole object by one request.
type allReader interface {
	ReadAll(ctx context.Context, name string, limit int64) (data []byte, etag string, err error)
}

// ReadAll gives the whole of an object of at most limit bytes, and its etag.
func ReadAll(ctx context.Context, s Store, name string, limit int64) (data []byte, etag string, err error) {
	if a, ok := s.(allReader); ok {
		return a.ReadAll(ctx, name, limit)
	}
	r, err := s.Open(ctx, name)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = r.Close() }()
	if r.Size() > limit {
		return nil, "", TooLarge(name, r.Size(), limit)
	}
	got, err := r.ReadRanges(ctx, []Range{{0, r.Size()}})
	if err != nil {
		return nil, "", err
	}
	return got[0], r.ETag(), nil
}

// TooLarge is the error of an object that is larger than what is read of its kind.
func TooLarge(name string, size, limit int64) error {
	return errs.Corruptf(name, -1, "%d bytes, at most %d are read", size, limit)
}

// Parallel is that of the store below.
func (s *subStore) Parallel() int { return Parallel(s.s) }

// OpenKnown opens an object of the store below.
func (s *subStore) OpenKnown(ctx context.Context, name string, known Info) (Reader, error) {
	full, err := s.name(name)
	if err != nil {
		return nil, err
	}
	return OpenKnown(ctx, s.s, full, known)
}

// ListFirst lists the first names of a folder of the store below.
func (s *subStore) ListFirst(ctx context.Context, dir string, n int) ([]Info, bool, error) {
	full, err := s.name(dir)
	if err != nil {
		return nil, false, err
	}
	return ListFirst(ctx, s.s, full, n)
}

// ReadAll reads an object of the store below.
func (s *subStore) ReadAll(ctx context.Context, name string, limit int64) ([]byte, string, error) {
	full, err := s.name(name)
	if err != nil {
		return nil, "", err
	}
	return ReadAll(ctx, s.s, full, limit)
}

// Base is the last part of the place that a URI names.
func Base(uri string) string {
	place, _ := splitQuery(uri)
	return path.Base(place)
}
