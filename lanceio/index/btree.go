package index

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

const (
	btreeLookupFile = "page_lookup.lance"
	btreePagesFile  = "page_data.lance"
	// maxLookupRows bounds the pages, keys or zones that are kept of one segment.
	maxLookupRows = 4 << 20
	// freePages pages of a B-tree are read whatever part of it they are; of more, at most every pagePart-th: reading a large
	// part of an index takes longer than reading the column.
	freePages, pagePart = 4, 8
	// maxPageRows bounds the rows of an index that are read for one filter.
	maxPageRows = 1 << 20
)

// btree is the lookup of a B-tree. It is not changed once it was read.
type btree struct {
	logical  string // type of the values
	pageRows uint64
	min, max [][]byte // by page, nil is null, which is below all
}

// errTooMuch tells that a condition lets so much of an index pass that it is not worth reading.
var errTooMuch = errs.New(errs.ErrResourceExhausted, "the condition selects too large a part of the index")

func readBTree(ctx context.Context, r *reader) (*btree, int64, error) {
	object := r.f.Meta.Object
	if r.rows > maxLookupRows {
		return nil, 0, errs.Unsupportedf("%s: %d pages", object, r.rows)
	}
	if p := r.metadata("range_partitioned"); p != "" && p != "false" {
		return nil, 0, errs.Unsupportedf("%s: pages in several files", object)
	}
	f, _, err := r.field("min")
	if err != nil {
		return nil, 0, err
	}
	t := &btree{logical: f.Logical, pageRows: 4096}
	if s := r.metadata("batch_size"); s != "" {
		if t.pageRows, err = strconv.ParseUint(s, 10, 32); err != nil || t.pageRows == 0 {
			return nil, 0, errs.Corruptf(object, -1, "pages of %q rows", s)
		}
	}
	var minBytes, maxBytes int64
	if t.min, minBytes, err = r.keys(ctx, "min"); err != nil {
		return nil, 0, err
	}
	if t.max, maxBytes, err = r.keys(ctx, "max"); err != nil {
		return nil, 0, err
	}
	pages, err := r.numbers(ctx, "page_idx")
	if err != nil {
		return nil, 0, err
	}
	for i, p := range pages {
		if p != uint64(i) || before(t.max[i], t.min[i]) || i > 0 && before(t.min[i], t.max[i-1]) {
			return nil, 0, errs.Corruptf(object, -1, "page %d is out of order", i)
		}
	}
	return t, minBytes + maxBytes, nil
}

// before tells whether a key is below another; null, nil, is below all.
func before(a, b []byte) bool {
	if a == nil || b == nil {
		return a == nil && b != nil
	}
	return bytes.Compare(a, b) < 0
}

// pagesOf gives the ranges of pages that have to be read for a set: each from a page that begins before the span, or the
// first, to one that ends behind it, or the last. So pages are known to hold all there is of the span when their first and
// last value are those that the lookup has, whatever other pages hold.
func (t *btree) pagesOf(s set) []encoding.RowRange {
	n := len(t.min)
	var out []encoding.RowRange
	add := func(lo, hi []byte, bounded bool) {
		first, _ := slices.BinarySearchFunc(t.min, lo, func(m, key []byte) int {
			if before(m, key) {
				return -1
			}
			return 1
		})
		last := n
		if bounded {
			last, _ = slices.BinarySearchFunc(t.max, hi, func(m, key []byte) int {
				if before(key, m) {
					return 1
				}
				return -1
			})
		}
		out = append(out, encoding.RowRange{Start: uint64(max(first-1, 0)), End: uint64(min(last+1, n))})
	}
	if n == 0 || s.empty() {
		return nil
	}
	if s.nulls {
		add(nil, nil, true)
	}
	for _, p := range s.spans {
		add(p.lo, p.hi, p.hi != nil)
	}
	slices.SortFunc(out, func(a, b encoding.RowRange) int { return int(int64(a.Start) - int64(b.Start)) })
	merged := out[:1]
	for _, r := range out[1:] {
		if last := &merged[len(merged)-1]; r.Start <= last.End {
			last.End = max(last.End, r.End)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// worth fails where too many pages are to be read.
func (t *btree) worth(pages []encoding.RowRange) error {
	var n uint64
	for _, p := range pages {
		n += p.End - p.Start
	}
	if n > freePages && n > uint64(len(t.min))/pagePart || n*t.pageRows > maxPageRows {
		return errTooMuch
	}
	return nil
}

// search reads the pages of a set and adds the ids of its values.
func (t *btree) search(ctx context.Context, r *reader, s set, out ids) error {
	object := r.f.Meta.Object
	pages := t.pagesOf(s)
	if n := uint64(len(t.min)); (r.rows+t.pageRows-1)/t.pageRows != n {
		return errs.Corruptf(object, -1, "%d rows in %d pages of %d", r.rows, n, t.pageRows)
	}
	if f, _, err := r.field("values"); err != nil || f.Logical != t.logical {
		return errs.Corruptf(object, -1, "its values are not of the type of the lookup's")
	}
	if len(pages) == 0 {
		return nil
	}
	if err := t.worth(pages); err != nil {
		return err
	}
	rows := make([]encoding.RowRange, len(pages))
	for i, p := range pages {
		rows[i] = encoding.RowRange{Start: p.Start * t.pageRows, End: min(p.End*t.pageRows, r.rows)}
	}
	values, idValues, err := readPages(ctx, r, rows)
	if err != nil {
		return err
	}
	defer values.Release()
	key := keysOf(values)
	if key == nil || values.Len() != len(idValues) {
		return errs.Corruptf(object, -1, "%d values of type %s for %d ids", values.Len(), values.DataType(), len(idValues))
	}
	at := 0
	for i, p := range pages {
		n := int(rows[i].End - rows[i].Start)
		if err := t.searchRun(p, at, at+n, func(k int) []byte {
			if values.IsNull(k) {
				return nil
			}
			return key(k)
		}, object, func(k int, v []byte) {
			if v == nil && s.nulls || v != nil && s.holds(v) {
				out.upper(uint32(idValues[k] >> 32)).Add(uint32(idValues[k]))
			}
		}); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// readPages reads values, which the caller releases, and their ids at some rows, at the same time.
func readPages(ctx context.Context, r *reader, rows []encoding.RowRange) (values arrow.Array, ids []uint64, err error) {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		arr, err := r.column(gctx, "values", rows)
		values = arr
		return err
	})
	g.Go(func() error {
		arr, err := r.column(gctx, "ids", rows)
		if err != nil {
			return err
		}
		defer arr.Release()
		ids, err = unsigned(arr, r.f.Meta.Object)
		return err
	})
	if err := g.Wait(); err != nil {
		if values != nil {
			values.Release()
		}
		return nil, nil, err
	}
	return values, ids, nil
}

// searchRun walks the values from start to end, which are those of some pages, and checks that they are in order and that
// the first and the last are what the lookup says.
func (t *btree) searchRun(pages encoding.RowRange, start, end int, value func(i int) []byte, object string, each func(i int, v []byte)) error {
	if end <= start || end > math.MaxInt32 {
		return errs.Corruptf(object, -1, "%d values in pages %d to %d", end-start, pages.Start, pages.End)
	}
	var last []byte
	for i := start; i < end; i++ {
		v := value(i)
		if i == start {
			if !same(v, t.min[pages.Start]) {
				return errs.Corruptf(object, -1, "page %d does not begin as the lookup says", pages.Start)
			}
		} else if before(v, last) {
			return errs.Corruptf(object, -1, "values of pages %d to %d are out of order", pages.Start, pages.End)
		}
		each(i, v)
		last = v
	}
	if !same(last, t.max[pages.End-1]) {
		return errs.Corruptf(object, -1, "page %d does not end as the lookup says", pages.End-1)
	}
	return nil
}

// same tells whether two keys are equal; null is equal to itself.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
