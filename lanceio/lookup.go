package lanceio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/index"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// indicesOf decides which indices of the table a filter is looked up in; nil for none.
func (t *Table) indicesOf(filter expr.Expr) *index.Plan {
	for _, c := range expr.Conjuncts(filter) {
		if len(expr.Columns(c)) == 0 {
			// A constant that is left in a filter fails, and fails at any row.
			return nil
		}
	}
	return index.New(t.m, filter)
}

// indexLookup looks a scan's filter up in indices, once and when it is first asked. It is safe for concurrent use.
type indexLookup struct {
	once sync.Once
	rows *index.Rows
	err  error
}

// of narrows rows of a fragment to those that the indices tell may pass the filter.
func (l *indexLookup) of(ctx context.Context, r *runner, i int, rows selection) (selection, error) {
	if r.p.indices == nil || len(rows) == 0 {
		return rows, nil
	}
	t := r.p.t
	l.once.Do(func() {
		l.rows, l.err = r.p.indices.Find(ctx, index.Source{
			Open: func(ctx context.Context, at table.Location, size uint64) (*index.File, error) {
				return t.openIndexFile(ctx, at, size, r.c)
			},
			Cache: indexCache{t}, Mem: r.a.mem, Parallel: t.parallel(),
			PhysicalRows: func(i int) uint64 { return t.fragments[i].PhysicalRows },
			RowIDs: func(ctx context.Context, i int) (*table.RowIDSequence, error) {
				f := newFragmentReader(t, i, r.c, r.a.mem)
				defer f.close()
				return f.stableIDs(ctx)
			},
		})
	})
	if l.err != nil {
		return nil, l.err
	}
	found, ok := l.rows.Of(t.m.Fragments[i].ID)
	if !ok {
		return rows, nil
	}
	var sel selection
	for start, end := range found.Ranges() {
		sel = sel.add(uint64(start), end)
	}
	return rows.intersect(sel), nil
}

// wholeIndexFile is the size up to which a file of an index is read by one request: nearly all of it is needed. From a far
// store larger ones are: to wait for parts, one after the other, takes longer.
const wholeIndexFile, wholeFarIndexFile = 64 << 10, 512 << 10

// openIndexFile opens a file of an index for one stream. Of a far store it is not asked what the file is, where the table
// tells its size.
func (t *Table) openIndexFile(ctx context.Context, at table.Location, size uint64, c *counters) (*index.File, error) {
	s, err := t.storeOf(at)
	if err != nil {
		return nil, err
	}
	var r objstore.Reader
	var e *fileEntry
	key := objectKey{uri: t.uri, name: at.String()}
	if far := objstore.Parallel(s) > 1 && size != 0 && size <= math.MaxInt64; far {
		key.etag = fmt.Sprint("size ", size)
		known := objstore.Info{Size: int64(size)}
		if e, _ = t.cache.files.get(key); e != nil {
			known.ETag = e.etag
		}
		r, err = objstore.OpenKnown(ctx, s, at.Path, known)
	} else if r, err = s.Open(ctx, at.Path); err == nil {
		key.etag = r.ETag()
		e, _ = t.cache.files.get(key)
	}
	if err != nil {
		return nil, err
	}
	out := &index.File{Size: r.Size(), Close: func() { _ = r.Close() }}
	if err := t.readIndexFile(ctx, out, r, e, key, c); err != nil {
		if errors.Is(err, errs.ErrConflict) { // what is known is of a file that was there before
			t.cache.files.forget(key)
		}
		out.Close()
		return nil, err
	}
	return out, nil
}

// readIndexFile fills in the rest of an open file. known is what the cache has of it, nil for nothing.
func (t *Table) readIndexFile(ctx context.Context, out *index.File, r objstore.Reader, known *fileEntry, key objectKey, c *counters) error {
	// What is read of an index is no column's.
	in := &fileInput{name: key.name, r: r, c: c, units: map[string]string{expr.FieldPath{""}.Key(): ""}}
	out.In = in
	whole := int64(wholeIndexFile)
	if t.parallel() > 1 {
		whole, in.far = wholeFarIndexFile, &farPages{}
	}
	if out.Size <= whole {
		all, err := in.ReadRanges(ctx, "", []encoding.BufferRange{{Size: uint64(out.Size)}})
		if err != nil {
			return err
		}
		out.In = memoryInput{key.name, all[0]}
	}
	if known != nil {
		out.Meta = known.meta
		return nil
	}
	var err error
	if out.Meta, err = file.Open(ctx, out.In, out.Size, key.name); err == nil {
		t.cache.files.put(key, &fileEntry{out.Meta, r.ETag()}, fileWeight+metadataWeight*int64(out.Meta.MetadataBytes()))
	}
	return err
}

// memoryInput is a file that was read as a whole.
type memoryInput struct {
	name string
	data []byte
}

var _ encoding.Input = memoryInput{}

func (in memoryInput) ReadRanges(ctx context.Context, _ string, ranges []encoding.BufferRange) ([][]byte, error) {
	size := uint64(len(in.data))
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if r.Offset > size || r.Size > size-r.Offset {
			return nil, errs.Corruptf(in.name, -1, "bytes %d to %d are named, the file has %d", r.Offset, r.Offset+r.Size, size)
		}
		out[i] = in.data[r.Offset:][:r.Size:r.Size]
	}
	return out, ctx.Err()
}

// indexCache is the part of the cache that is for the indices of a table, whose names no other table has.
type indexCache struct{ t *Table }

var _ index.Cache = indexCache{}

func (c indexCache) Get(key string) (any, bool) {
	return c.t.cache.indices.get(objectKey{uri: c.t.uri, name: key})
}

func (c indexCache) Put(key string, v any, bytes int64) {
	c.t.cache.indices.put(objectKey{uri: c.t.uri, name: key}, v, bytes)
}
