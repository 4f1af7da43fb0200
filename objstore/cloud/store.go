package cloud

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// store is the part of a bucket below a prefix.
type store struct {
	o      *Opener
	d      driver
	prefix string
	place  string // scheme and bucket, for the cache
	// ordered tells that listings come in the order of the names' bytes.
	ordered bool
}

var _ objstore.Store = (*store)(nil)

// listPage is the most names that are asked for by one request.
const listPage = 1000

// Parallel is the bound on requests: each waits long for its answer.
func (s *store) Parallel() int { return s.o.o.Requests }

// key gives the whole key of a name, and the name in its shortest form.
func (s *store) key(name string) (key, clean string, err error) {
	clean, err = objstore.Clean(name)
	return path.Join(s.prefix, clean), clean, err
}

func (s *store) head(ctx context.Context, key string) (a attrs, err error) {
	err = s.o.retry(ctx, func(ctx context.Context) (int64, error) {
		a, err = s.d.head(ctx, key)
		return 0, err
	})
	return a, err
}

// Open opens an object.
func (s *store) Open(ctx context.Context, name string) (objstore.Reader, error) {
	key, name, err := s.key(name)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, errs.New(errs.ErrUnavailable, "the root folder: is a folder")
	}
	a, err := s.head(ctx, key)
	if err != nil {
		return nil, explain(ctx, name, err)
	}
	return &reader{s: s, name: name, key: key, size: a.size, etag: a.etag}, nil
}

// OpenKnown opens an object whose size is known, without a request.
func (s *store) OpenKnown(ctx context.Context, name string, known objstore.Info) (objstore.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key, name, err := s.key(name)
	if err != nil {
		return nil, err
	}
	return &reader{s: s, name: name, key: key, size: known.Size, etag: known.ETag}, nil
}

// ReadAll reads a whole object by one request.
func (s *store) ReadAll(ctx context.Context, name string, limit int64) (data []byte, etag string, err error) {
	key, name, err := s.key(name)
	if err != nil {
		return nil, "", err
	}
	err = s.o.retry(ctx, func(ctx context.Context) (int64, error) {
		o, err := s.d.get(ctx, key, 0, -1, "")
		if err != nil {
			return 0, err
		}
		defer func() { _ = o.body.Close() }()
		if o.offset != 0 || o.length != o.size {
			return 0, broken(io.ErrUnexpectedEOF)
		}
		if o.size > limit {
			return 0, objstore.TooLarge(name, o.size, limit)
		}
		data, etag = make([]byte, o.size), o.etag
		_, err = readFull(ctx, o.body, data)
		return 0, err
	})
	if err != nil {
		return nil, "", explain(ctx, name, err)
	}
	return data, etag, nil
}

// Stat describes an object, or a folder that holds one. Both are asked for at once.
func (s *store) Stat(ctx context.Context, name string) (objstore.Info, error) {
	key, clean, err := s.key(name)
	if err != nil {
		return objstore.Info{}, err
	}
	var a attrs
	var headErr, listErr error
	some := false
	lctx, stopList := context.WithCancel(ctx)
	defer stopList()
	var g errgroup.Group
	g.Go(func() error {
		some, listErr = s.holdsAny(lctx, key)
		return nil
	})
	headErr = &fault{status: 404}
	if clean != "" {
		if a, headErr = s.head(ctx, key); headErr == nil {
			stopList()
		}
	}
	_ = g.Wait()
	var f *fault
	switch {
	case headErr == nil:
		return objstore.Info{Name: name, Size: a.size, ETag: a.etag, Mod: a.mod}, nil
	case errors.As(headErr, &f) && f.status != 404 && f.status != 403: // without the right to list, what is not there is forbidden
		return objstore.Info{}, explain(ctx, clean, headErr)
	case listErr != nil:
		return objstore.Info{}, explain(ctx, clean, listErr)
	case some || key == "":
		return objstore.Info{Name: name, Dir: true}, nil
	}
	return objstore.Info{}, explain(ctx, clean, headErr)
}

// holdsAny tells whether anything lies below a folder.
func (s *store) holdsAny(ctx context.Context, key string) (bool, error) {
	p, err := s.page(ctx, folderOf(key), "", 1)
	if err != nil {
		return false, err
	}
	return len(p.objects)+len(p.folders) > 0, nil
}

// folderOf gives the prefix of what lies in a folder.
func folderOf(key string) string {
	if key == "" {
		return ""
	}
	return key + "/"
}

func (s *store) page(ctx context.Context, prefix, token string, limit int) (p *page, err error) {
	err = s.o.retry(ctx, func(ctx context.Context) (int64, error) {
		p, err = s.d.list(ctx, prefix, token, limit)
		return 0, err
	})
	return p, err
}

// List gives what lies in a folder; what lies deeper is not listed. A folder is there as long as it holds an object.
func (s *store) List(ctx context.Context, dir string) ([]objstore.Info, error) {
	infos, _, err := s.list(ctx, dir, listPage, false)
	return infos, err
}

// ListFirst is List of about the first n names.
func (s *store) ListFirst(ctx context.Context, dir string, n int) ([]objstore.Info, bool, error) {
	if !s.ordered {
		return s.list(ctx, dir, listPage, false)
	}
	return s.list(ctx, dir, min(n, listPage), true)
}

func (s *store) list(ctx context.Context, dir string, limit int, first bool) ([]objstore.Info, bool, error) {
	key, clean, err := s.key(dir)
	if err != nil {
		return nil, false, err
	}
	prefix := folderOf(key)
	infos := []objstore.Info{}
	token, seen := "", false
	for {
		p, err := s.page(ctx, prefix, token, limit)
		if err != nil {
			return nil, false, explain(ctx, clean, err)
		}
		seen = seen || len(p.objects)+len(p.folders) > 0
		for _, o := range p.objects {
			if name, ok := nameIn(prefix, o.key); ok {
				infos = append(infos, objstore.Info{Name: name, Size: o.size, ETag: o.etag, Mod: o.mod})
			}
		}
		for _, f := range p.folders {
			if name, ok := nameIn(prefix, strings.TrimSuffix(f, "/")); ok {
				infos = append(infos, objstore.Info{Name: name, Dir: true})
			}
		}
		if p.next == token && token != "" {
			return nil, false, errs.New(errs.ErrUnavailable, "%s: the store's listing does not end", clean)
		}
		if token = p.next; token == "" || first {
			break
		}
	}
	if !seen && key != "" {
		return nil, false, objstore.NotFound(clean)
	}
	slices.SortFunc(infos, func(a, b objstore.Info) int { return strings.Compare(a.Name, b.Name) })
	return infos, token != "", nil
}

// nameIn gives the name that a key has in a folder; false for what no path leads to, and for the mark of the folder itself.
func nameIn(prefix, key string) (string, bool) {
	name, ok := strings.CutPrefix(key, prefix)
	return name, ok && name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
