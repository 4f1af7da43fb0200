package lanceio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

// checked gives an allocator that fails the test where something is not released.
func checked(t testing.TB) memory.Allocator {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

func tableURI(name string) string { return filepath.Join("testdata", "tables", name+".lance") }

func open(t testing.TB, name string, opts ...lanceio.Option) *lanceio.Table {
	t.Helper()
	tab, err := lanceio.Open(t.Context(), tableURI(name), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// openOver opens a table through a store that a test made over its folder.
func openOver(t testing.TB, name string, wrap func(objstore.Store) objstore.Store) *lanceio.Table {
	t.Helper()
	s, err := objstore.Open(tableURI(name))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, name, lanceio.WithStore(wrap(s)))
}

// path makes a path of its parts.
func path(parts ...string) expr.FieldPath { return parts }

// rows is what a scan gave: its schema, each row as text, and what was read.
type rows struct {
	schema  *arrow.Schema
	rows    []string
	batches []int64
	metrics scan.Metrics
}

// collect runs a scan to its end.
func collect(t testing.TB, tab *lanceio.Table, opts ...lanceio.ScanOption) rows {
	t.Helper()
	got, err := tryCollect(t, tab, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func tryCollect(t testing.TB, tab *lanceio.Table, opts ...lanceio.ScanOption) (rows, error) {
	t.Helper()
	s, err := tab.NewScan(opts...)
	if err != nil {
		return rows{}, err
	}
	st, err := s.Open(t.Context(), checked(t))
	if err != nil {
		return rows{}, err
	}
	return drain(t.Context(), s.Schema(), st)
}

func drain(ctx context.Context, schema *arrow.Schema, st scan.Stream) (rows, error) {
	out := rows{schema: schema}
	defer func() { _ = st.Close() }()
	for {
		b, err := st.Next(ctx)
		if errors.Is(err, io.EOF) {
			out.metrics = st.Metrics()
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if !b.Schema().Equal(schema) {
			b.Release()
			return out, fmt.Errorf("a batch of schema %s, the scan said %s", b.Schema(), schema)
		}
		out.batches = append(out.batches, b.NumRows())
		out.rows = append(out.rows, texts(b)...)
		b.Release()
	}
}

// wanted reads what a table holds, as its writer reads it.
func wanted(t testing.TB, name string) rows {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "want", name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	out := rows{schema: r.Schema()}
	for i := range r.NumRecords() {
		b, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		out.rows = append(out.rows, texts(b)...)
		b.Release()
	}
	return out
}

func wantedJSON(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "want", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// texts gives each row of a batch as a text that tells all values and nulls apart: name=value, one after the other.
func texts(b arrow.RecordBatch) []string {
	out := make([]string, b.NumRows())
	for i := range out {
		var parts []string
		for c, f := range b.Schema().Fields() {
			parts = append(parts, f.Name+"="+text(b.Column(c), i))
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}

// text gives one value; a struct or list that is null is "null", whatever lies beneath.
func text(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Struct:
		var parts []string
		for f, field := range a.DataType().(*arrow.StructType).Fields() {
			parts = append(parts, field.Name+":"+text(a.Field(f), i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		var parts []string
		for k := start; k < end; k++ {
			parts = append(parts, text(a.ListValues(), int(k)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return a.ValueStr(i)
}

func same(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

// cutRows gives the rows that a table's writer reads, as texts of just the columns and members that a schema names. A
// member that the table lacks is null.
func cutRows(t testing.TB, name string, schema *arrow.Schema) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "want", name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var out []string
	for i := range r.NumRecords() {
		b, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		for row := range int(b.NumRows()) {
			var parts []string
			for _, f := range schema.Fields() {
				value := "null"
				if at := b.Schema().FieldIndices(f.Name); len(at) > 0 {
					value = cutText(b.Column(at[0]), f.Type, row)
				}
				parts = append(parts, f.Name+"="+value)
			}
			out = append(out, strings.Join(parts, " "))
		}
		b.Release()
	}
	return out
}

func cutText(a arrow.Array, typ arrow.DataType, i int) string {
	st, ok := a.(*array.Struct)
	if !ok || a.IsNull(i) {
		return text(a, i)
	}
	var parts []string
	for _, f := range typ.(*arrow.StructType).Fields() {
		value := "null"
		if at, ok := st.DataType().(*arrow.StructType).FieldIdx(f.Name); ok {
			value = cutText(st.Field(at), f.Type, i)
		}
		parts = append(parts, f.Name+":"+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// blanked is cutRows where only the asked paths, and the structs above them, have values.
func blanked(t testing.TB, name string, schema *arrow.Schema, asked map[string]bool) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "want", name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var out []string
	for i := range r.NumRecords() {
		b, err := r.RecordBatchAt(i)
		if err != nil {
			t.Fatal(err)
		}
		for row := range int(b.NumRows()) {
			var parts []string
			for _, f := range schema.Fields() {
				value := "null"
				if at := b.Schema().FieldIndices(f.Name); len(at) > 0 {
					value = blankText(b.Column(at[0]), f.Type, row, expr.FieldPath{f.Name}, asked)
				}
				parts = append(parts, f.Name+"="+value)
			}
			out = append(out, strings.Join(parts, " "))
		}
		b.Release()
	}
	return out
}

func blankText(a arrow.Array, typ arrow.DataType, i int, p expr.FieldPath, asked map[string]bool) string {
	if asked[p.Key()] {
		return text(a, i)
	}
	st, ok := a.(*array.Struct)
	above := false
	for key := range asked {
		above = above || strings.HasPrefix(key, p.Key()+".")
	}
	if !ok || !above || a.IsNull(i) {
		return "null"
	}
	var parts []string
	for _, f := range typ.(*arrow.StructType).Fields() {
		value := "null"
		if at, ok := st.DataType().(*arrow.StructType).FieldIdx(f.Name); ok {
			value = blankText(st.Field(at), f.Type, i, p.Child(f.Name), asked)
		}
		parts = append(parts, f.Name+":"+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
