package encoding_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
)

// bytesInput reads from memory and counts. A read after the first allow ones fails, where allow is not negative.
type bytesInput struct {
	data  []byte
	calls atomic.Int64
	read  atomic.Int64
	allow int64
}

var errInput = errors.New("no more reads")

func newInput(data []byte) *bytesInput { return &bytesInput{data: data, allow: -1} }

func (in *bytesInput) ReadRanges(_ context.Context, _ string, ranges []encoding.BufferRange) ([][]byte, error) {
	if n := in.calls.Add(1); in.allow >= 0 && n > in.allow {
		return nil, errInput
	}
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if r.Offset > uint64(len(in.data)) || r.Size > uint64(len(in.data))-r.Offset {
			return nil, errs.Corruptf("f", int64(len(in.data)), "read of %d bytes at %d", r.Size, r.Offset)
		}
		out[i] = in.data[r.Offset : r.Offset+r.Size : r.Offset+r.Size]
		in.read.Add(int64(r.Size))
	}
	return out, nil
}

// ReadInto copies into memory from alloc.
func (in *bytesInput) ReadInto(ctx context.Context, leaf string, ranges []encoding.BufferRange, alloc func(n int) []byte) ([][]byte, error) {
	got, err := in.ReadRanges(ctx, leaf, ranges)
	for i := range got {
		b := alloc(len(got[i]))
		copy(b, got[i])
		got[i] = b
	}
	return got, err
}

// spoiling is an allocator whose memory is overwritten when it is freed, and holds no zeros when it is given dirty: an answer
// that refers to what it does not own, or that was not written, is wrong.
type spoiling struct{ memory.Allocator }

func (s spoiling) Dirty() memory.Allocator { return spoilt{s} }

func (s spoiling) Free(b []byte) {
	spoil(b)
	s.Allocator.Free(b)
}

type spoilt struct{ spoiling }

func (s spoilt) Allocate(n int) []byte {
	b := s.Allocator.Allocate(n)
	spoil(b)
	return b
}

func (s spoilt) Reallocate(n int, b []byte) []byte {
	out := s.Allocate(n)
	copy(out, b)
	s.Free(b)
	return out
}

func spoil(b []byte) {
	for i := range b {
		b[i] = 0xa5
	}
}

// golden is a case of testdata: a data file, and what it holds.
type golden struct {
	data    []byte
	in      *bytesInput
	meta    *file.Metadata
	version encoding.Version
	want    arrow.RecordBatch
}

func openGolden(t testing.TB, name, version string) *golden {
	t.Helper()
	g := &golden{}
	packed, err := os.Open(filepath.Join("testdata", "structural", name+"__"+strings.ReplaceAll(version, ".", "_")+".lance.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	if g.data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	g.in = newInput(g.data)
	if g.meta, err = file.Open(t.Context(), g.in, int64(len(g.data)), name); err != nil {
		t.Fatal(err)
	}
	g.version = encoding.Version{Major: g.meta.Version.Major, Minor: g.meta.Version.Minor}
	f, err := os.Open(filepath.Join("testdata", "structural", name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.NumRecords() != 1 {
		t.Fatalf("%d batches", r.NumRecords())
	}
	if g.want, err = r.RecordBatch(0); err != nil {
		t.Fatal(err)
	}
	g.want.Retain()
	t.Cleanup(g.want.Release)
	return g
}

// fields gives the fields of a file whose columns are the leaves in the order of the schema.
func (g *golden) fields(t testing.TB) []*encoding.Field {
	t.Helper()
	next := 0
	var out []*encoding.Field
	for _, f := range g.want.Schema().Fields() {
		out = append(out, buildField(t, g, f, nil, &next))
	}
	return out
}

func buildField(t testing.TB, g *golden, f arrow.Field, above []string, next *int) *encoding.Field {
	t.Helper()
	path := append(above[:len(above):len(above)], f.Name)
	out := &encoding.Field{Name: f.Name, Path: path, Type: f.Type, Nullable: f.Nullable, Metadata: f.Metadata}
	_, packed := f.Metadata.GetValue("lance-encoding:packed")
	var children []arrow.Field
	switch dt := f.Type.(type) {
	case *arrow.StructType:
		if !packed {
			children = dt.Fields()
		}
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		children = dt.(arrow.NestedType).Fields()
	case *arrow.FixedSizeListType:
		if dt.Elem().ID() == arrow.STRUCT {
			children = dt.Fields()
		}
	}
	if children == nil {
		columns, err := g.meta.Columns(t.Context(), g.in, []int{*next})
		if err != nil {
			t.Fatal(err)
		}
		out.Column = columns[0]
		*next++
	}
	for _, c := range children {
		out.Children = append(out.Children, buildField(t, g, c, path, next))
	}
	return out
}

// canon gives entry i of an array as a text that two entries share if and only if they are equal; NaN equals NaN, and
// 0 does not equal -0.
func canon(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "~"
	}
	switch a := a.(type) {
	case *array.Float64:
		return fmt.Sprintf("%x", math.Float64bits(a.Value(i)))
	case *array.Float32:
		return fmt.Sprintf("%x", math.Float32bits(a.Value(i)))
	case *array.Float16:
		return fmt.Sprintf("%x", a.Value(i).Uint16())
	case *array.Dictionary:
		return canon(a.Dictionary(), a.GetValueIndex(i))
	case *array.Struct:
		parts := make([]string, a.NumField())
		for j := range parts {
			parts[j] = canon(a.Field(j), i)
		}
		return "{" + strings.Join(parts, " ") + "}"
	case array.ListLike:
		lo, hi := a.ValueOffsets(i)
		var parts []string
		for j := lo; j < hi; j++ {
			parts = append(parts, canon(a.ListValues(), int(j)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case array.BinaryLike:
		return fmt.Sprintf("%q", a.ValueStr(i))
	}
	return a.ValueStr(i)
}

// mustEqual compares the entries of got with those of want at the rows of ranges.
func mustEqual(t *testing.T, got, want arrow.Array, ranges []encoding.RowRange) {
	t.Helper()
	if !arrow.TypeEqual(got.DataType(), want.DataType()) {
		t.Fatalf("type %s, want %s", got.DataType(), want.DataType())
	}
	if full, ok := got.(interface{ ValidateFull() error }); ok {
		if err := full.ValidateFull(); err != nil {
			t.Fatal(err)
		}
	}
	at := 0
	for _, r := range ranges {
		for i := r.Start; i < r.End; i++ {
			if at >= got.Len() {
				t.Fatalf("%d entries, more are wanted", got.Len())
			}
			if g, w := canon(got, at), canon(want, int(i)); g != w {
				t.Fatalf("row %d is %.200s, want %.200s", i, g, w)
			}
			at++
		}
	}
	if at != got.Len() {
		t.Fatalf("%d entries, want %d", got.Len(), at)
	}
}

func whole(a arrow.Array) []encoding.RowRange {
	return []encoding.RowRange{{Start: 0, End: uint64(a.Len())}}
}

// checked gives an allocator that must be empty when the test ends.
func checked(t testing.TB) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return spoiling{mem}
}

// joinBytes puts parts behind each other.
func joinBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
