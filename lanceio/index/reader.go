package index

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// Opener opens a file of an index, of so many bytes; 0 where the table does not tell that.
type Opener func(ctx context.Context, at table.Location, size uint64) (*File, error)

// File is a file of an index that is open for reading.
type File struct {
	In    encoding.Input
	Meta  *file.Metadata
	Size  int64
	Close func()
}

// Cache keeps what was read of indices. Their files never change. It is safe for concurrent use.
type Cache interface {
	Get(key string) (v any, ok bool)
	// Put keeps a value that takes about so many bytes, or does not.
	Put(key string, v any, bytes int64)
}

// leaf is what bytes of an index are counted as: no column of the table.
const leaf = ""

// reader reads the columns of an index file, which are all flat.
type reader struct {
	f      *File
	schema *table.Schema
	rows   uint64
	mem    memory.Allocator
}

// rowsPerByte and freeRows bound the rows that a file can claim to have. Each row has a number or a bitmap of its own, which
// takes a byte at the least; few rows are believed in any case.
const rowsPerByte, freeRows = 16, 1 << 16

func openReader(ctx context.Context, f *File, mem memory.Allocator) (*reader, error) {
	schema, err := f.Meta.Schema(ctx, f.In)
	if err != nil {
		return nil, err
	}
	rows, err := f.Meta.Rows(ctx, f.In)
	if err != nil {
		return nil, err
	}
	if rows > freeRows && (rows-freeRows)/rowsPerByte > uint64(f.Size) {
		return nil, errs.Corruptf(f.Meta.Object, -1, "%d rows in %d bytes", rows, f.Size)
	}
	return &reader{f: f, schema: schema, rows: rows, mem: mem}, nil
}

// field gives a top-level field of the file and its place.
func (r *reader) field(name string) (*table.Field, int, error) {
	i := slices.IndexFunc(r.schema.Fields, func(f *table.Field) bool { return f.Name == name })
	if i < 0 || len(r.schema.Fields[i].Children) > 0 {
		return nil, 0, errs.Unsupportedf("%s: an index without a flat column %q", r.f.Meta.Object, name)
	}
	return r.schema.Fields[i], i, nil
}

// column reads a column at some rows. The caller releases it.
func (r *reader) column(ctx context.Context, name string, rows []encoding.RowRange) (arrow.Array, error) {
	f, i, err := r.field(name)
	if err != nil {
		return nil, err
	}
	for _, other := range r.schema.Fields {
		if len(other.Children) > 0 {
			return nil, errs.Unsupportedf("%s: an index with nested columns", r.f.Meta.Object)
		}
	}
	root := &encoding.Field{
		Name: f.Name, Path: []string{leaf}, ID: f.ID, Logical: f.Logical, Type: f.Type, Nullable: f.Nullable, Metadata: f.Metadata,
	}
	// Flat fields have one column each, in their order.
	if _, err := r.f.Meta.Attach(ctx, r.f.In, root, []int32{f.ID}, []int32{int32(i)}); err != nil {
		return nil, err
	}
	var have uint64
	if root.Column != nil {
		for _, p := range root.Column.Pages {
			have += p.Rows
		}
	}
	if have != r.rows {
		return nil, errs.Corruptf(r.f.Meta.Object, -1, "column %q has %d rows, the file %d", name, have, r.rows)
	}
	fr, err := file.NewFieldReader(r.f.Meta, root, r.f.In, r.mem)
	if err != nil {
		return nil, err
	}
	return fr.Read(ctx, rows)
}

// whole reads a column at all rows.
func (r *reader) whole(ctx context.Context, name string) (arrow.Array, error) {
	if r.rows == 0 {
		f, _, err := r.field(name)
		if err != nil {
			return nil, err
		}
		return array.MakeArrayOfNull(r.mem, f.Type, 0), nil
	}
	return r.column(ctx, name, []encoding.RowRange{{Start: 0, End: r.rows}})
}

// keys reads the keys of a column at all rows, nil for nulls, and about the bytes that they take.
func (r *reader) keys(ctx context.Context, name string) (keys [][]byte, size int64, err error) {
	arr, err := r.whole(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer arr.Release()
	key := keysOf(arr)
	if key == nil {
		return nil, 0, errs.Unsupportedf("%s: an index of type %s", r.f.Meta.Object, arr.DataType())
	}
	keys = make([][]byte, arr.Len())
	for i := range keys {
		if arr.IsValid(i) {
			keys[i] = append([]byte{}, key(i)...)
			size += int64(len(keys[i]))
		}
	}
	return keys, size + 32*int64(len(keys)), nil
}

// numbers reads a column of unsigned numbers without nulls, at all rows.
func (r *reader) numbers(ctx context.Context, name string) ([]uint64, error) {
	arr, err := r.whole(ctx, name)
	if err != nil {
		return nil, err
	}
	defer arr.Release()
	return unsigned(arr, r.f.Meta.Object)
}

// unsigned copies an array of unsigned numbers without nulls.
func unsigned(arr arrow.Array, object string) ([]uint64, error) {
	if arr.NullN() > 0 {
		return nil, errs.Corruptf(object, -1, "nulls among numbers")
	}
	switch a := arr.(type) {
	case *array.Uint64:
		return slices.Clone(a.Uint64Values()), nil
	case *array.Uint32:
		out := make([]uint64, a.Len())
		for i, v := range a.Uint32Values() {
			out[i] = uint64(v)
		}
		return out, nil
	}
	return nil, errs.Unsupportedf("%s: numbers of type %s", object, arr.DataType())
}

// metadata gives a value of the file's schema, empty where it is absent.
func (r *reader) metadata(key string) string {
	v, _ := r.schema.Metadata.GetValue(key)
	return v
}
