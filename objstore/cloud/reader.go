package cloud

import (
	"context"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// partBytes is the most that one request asks for; larger ranges are read by several side by side.
const partBytes = 8 << 20

// reader reads one object. Its etag is that of the first answer where it was not known before.
type reader struct {
	s         *store
	name, key string
	size      int64

	mu   sync.Mutex
	etag string
}

var _ objstore.IntoReader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }

func (r *reader) ETag() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.etag
}

func (r *reader) Close() error { return nil }

// RequestBytes is less than what comes in the time of a request, which waits for tens of milliseconds: many requests run
// side by side and share the bandwidth.
func (r *reader) RequestBytes() int64 { return 64 << 10 }

func (r *reader) ReadRanges(ctx context.Context, ranges []objstore.Range) ([][]byte, error) {
	if _, err := objstore.CheckRanges(r.name, r.size, ranges); err != nil {
		return nil, err
	}
	out, offsets := make([][]byte, len(ranges)), make([]int64, len(ranges))
	for i, rg := range ranges {
		out[i], offsets[i] = make([]byte, rg.Size), rg.Offset
	}
	return out, r.fill(ctx, offsets, out)
}

// ReadInto fills each slice of dst from its offset on.
func (r *reader) ReadInto(ctx context.Context, offsets []int64, dst [][]byte) error {
	ranges := make([]objstore.Range, len(dst))
	for i, b := range dst {
		ranges[i] = objstore.Range{Offset: offsets[i], Size: int64(len(b))}
	}
	if _, err := objstore.CheckRanges(r.name, r.size, ranges); err != nil {
		return err
	}
	return r.fill(ctx, offsets, dst)
}

// fill reads all of dst, side by side.
func (r *reader) fill(ctx context.Context, offsets []int64, dst [][]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	type part struct {
		offset int64
		dst    []byte
	}
	var parts []part
	for i, b := range dst {
		for off := offsets[i]; len(b) > 0; {
			n := min(len(b), partBytes)
			parts = append(parts, part{off, b[:n:n]})
			off, b = off+int64(n), b[n:]
		}
	}
	if len(parts) == 1 {
		return r.part(ctx, parts[0].offset, parts[0].dst)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(r.s.o.o.Requests)
	for _, p := range parts {
		g.Go(func() error { return r.part(gctx, p.offset, p.dst) })
	}
	if err := g.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return nil
}

// part reads one part, from the cache where that has it.
func (r *reader) part(ctx context.Context, offset int64, dst []byte) error {
	cache := r.s.o.o.Cache
	place := cacheKey{place: r.s.place, key: r.key, etag: r.ETag(), offset: offset, size: int64(len(dst))}
	if cache != nil && place.etag != "" && cache.get(place, dst) {
		return nil
	}
	if err := r.request(ctx, offset, dst); err != nil {
		return explain(ctx, r.name, err)
	}
	if place.etag = r.ETag(); cache != nil && place.etag != "" {
		cache.put(place, dst)
	}
	return nil
}

// request reads one part by as many requests as it takes; each goes on where the last one ended.
func (r *reader) request(ctx context.Context, offset int64, dst []byte) error {
	return r.s.o.retry(ctx, func(ctx context.Context) (int64, error) {
		o, err := r.s.d.get(ctx, r.key, offset, int64(len(dst)), r.ETag())
		if err != nil {
			return 0, err
		}
		defer func() { _ = o.body.Close() }()
		if err := r.check(o, offset, int64(len(dst))); err != nil {
			return 0, err
		}
		n, err := readFull(ctx, o.body, dst)
		offset, dst = offset+n, dst[n:]
		return n, err
	})
}

// check makes sure that an answer is of the same object as all others, and of the part that was asked for.
func (r *reader) check(o *object, offset, size int64) error {
	r.mu.Lock()
	if r.etag == "" {
		r.etag = o.etag
	}
	same := r.etag == o.etag
	r.mu.Unlock()
	switch {
	case !same:
		return objstore.Changed(r.name)
	case o.size != r.size:
		return errs.Corruptf(r.name, -1, "the file has %d bytes, %d were expected", o.size, r.size)
	case o.offset != offset || o.length != size:
		return errs.New(errs.ErrUnavailable, "%s: the store answered with bytes %d to %d where %d to %d were asked for", r.name, o.offset, o.offset+o.length, offset, offset+size)
	}
	return nil
}

// readFull fills dst from a body, and tells how much of it came. A body that ends early is a fault.
func readFull(ctx context.Context, body io.Reader, dst []byte) (int64, error) {
	w := watcherOf(ctx)
	var n int
	for n < len(dst) {
		k, err := body.Read(dst[n:])
		n += k
		if n == len(dst) {
			break
		}
		if err != nil {
			return int64(n), broken(err)
		}
		if k > 0 {
			w.came(int64(n))
		}
	}
	return int64(n), nil
}
