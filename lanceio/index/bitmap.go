package index

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

const (
	bitmapFile = "bitmap_page_lookup.lance"
	// maxBitmapBytes bounds the bitmaps that are read for one condition, as their share of the file tells it.
	maxBitmapBytes = 32 << 20
)

// bitmaps are the keys of a bitmap index, one for each row of its file. They are not changed once they were read.
type bitmaps struct {
	logical string
	keys    [][]byte // nil is null
}

func readBitmaps(ctx context.Context, r *reader) (*bitmaps, int64, error) {
	if r.rows > maxLookupRows {
		return nil, 0, errs.Unsupportedf("%s: %d keys", r.f.Meta.Object, r.rows)
	}
	f, _, err := r.field("keys")
	if err != nil {
		return nil, 0, err
	}
	keys, size, err := r.keys(ctx, "keys")
	return &bitmaps{logical: f.Logical, keys: keys}, size, err
}

// search reads the bitmaps of a set and adds their ids.
func (t *bitmaps) search(ctx context.Context, r *reader, s set, out ids) error {
	object := r.f.Meta.Object
	if uint64(len(t.keys)) != r.rows {
		return errs.Corruptf(object, -1, "%d keys of %d bitmaps", len(t.keys), r.rows)
	}
	var rows []encoding.RowRange
	n := 0
	for i, k := range t.keys {
		if k == nil && !s.nulls || k != nil && !s.holds(k) {
			continue
		}
		n++
		if last := len(rows) - 1; last >= 0 && rows[last].End == uint64(i) {
			rows[last].End++
		} else {
			rows = append(rows, encoding.RowRange{Start: uint64(i), End: uint64(i) + 1})
		}
	}
	if n == 0 {
		return nil
	}
	if float64(r.f.Size)*float64(n)/float64(len(t.keys)) > maxBitmapBytes {
		return errTooMuch
	}
	arr, err := r.column(ctx, "bitmaps", rows)
	if err != nil {
		return err
	}
	defer arr.Release()
	values, ok := arr.(array.BinaryLike)
	if !ok || arr.NullN() > 0 || arr.Len() != n {
		return errs.Corruptf(object, -1, "%d bitmaps of type %s, %d nulls among them", arr.Len(), arr.DataType(), arr.NullN())
	}
	for i := range n {
		var b []byte
		switch a := values.(type) {
		case *array.Binary:
			b = a.Value(i)
		case *array.LargeBinary:
			b = a.Value(i)
		default:
			return errs.Unsupportedf("%s: bitmaps of type %s", object, arr.DataType())
		}
		if err := out.addTree(b, object); err != nil {
			return err
		}
	}
	return nil
}
