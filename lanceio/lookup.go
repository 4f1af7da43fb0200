package lanceio

import (
	"context"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/index"
	"github.com/lanceflight/flightsrv/lanceio/table"
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
			Open: func(ctx context.Context, at table.Location) (*index.File, error) {
				return t.openIndexFile(ctx, at, r.c)
			},
			Cache: indexCache{t}, Mem: r.a.mem,
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

// wholeIndexFile is the size up to which a file of an index is read by one request: nearly all of it is needed.
const wholeIndexFile = 64 << 10

// openIndexFile opens a file of an index for one stream.
func (t *Table) openIndexFile(ctx context.Context, at table.Location, c *counters) (*index.File, error) {
	s, err := t.storeOf(at)
	if err != nil {
		return nil, err
	}
	r, err := s.Open(ctx, at.Path)
	if err != nil {
		return nil, err
	}
	out := &index.File{Size: r.Size(), Close: func() { _ = r.Close() }}
	// What is read of an index is no column's.
	in := &fileInput{name: at.String(), r: r, c: c, units: map[string]string{expr.FieldPath{""}.Key(): ""}}
	out.In = in
	if out.Size <= wholeIndexFile {
		all, err := in.ReadRanges(ctx, "", []encoding.BufferRange{{Size: uint64(out.Size)}})
		if err != nil {
			out.Close()
			return nil, err
		}
		out.In = memoryInput{at.String(), all[0]}
	}
	key := objectKey{t.uri, at.String(), r.ETag()}
	if e, ok := t.cache.files.get(key); ok {
		out.Meta = e.meta
		return out, nil
	}
	if out.Meta, err = file.Open(ctx, out.In, out.Size, at.String()); err != nil {
		out.Close()
		return nil, err
	}
	t.cache.files.put(key, &fileEntry{out.Meta, r.ETag()}, fileWeight+metadataWeight*int64(out.Meta.MetadataBytes()))
	return out, nil
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
