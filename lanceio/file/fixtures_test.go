package file_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
)

// input reads a file that lies in memory, and counts. A range that does not lie in the file is an error.
type input struct {
	data []byte
	mu   sync.Mutex
	// reads and bytes are counted by leaf.
	reads map[string]int
	bytes map[string]uint64
}

func (in *input) ReadRanges(_ context.Context, leaf string, ranges []encoding.BufferRange) ([][]byte, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.reads == nil {
		in.reads, in.bytes = make(map[string]int), make(map[string]uint64)
	}
	in.reads[leaf]++
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if size := uint64(len(in.data)); r.Offset > size || r.Size > size-r.Offset {
			return nil, errors.New("range outside the file")
		}
		out[i] = in.data[r.Offset:][:r.Size:r.Size]
		in.bytes[leaf] += r.Size
	}
	return out, nil
}

// fixture is a data file that pylance wrote, with the values that went in.
type fixture struct {
	name            string
	data            []byte
	schema          *arrow.Schema // of the columns that the file holds
	want            map[string]arrow.Array
	fields, columns []int32
}

func readFixture(t testing.TB, name string) fixture {
	t.Helper()
	f := fixture{name: name, want: make(map[string]arrow.Array)}
	var layout struct {
		Values          string
		Names           []string
		Fields, Columns []int32
	}
	read := func(name string) []byte {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	f.data = read(name + ".lance")
	if err := json.Unmarshal(read(name+".json"), &layout); err != nil {
		t.Fatal(err)
	}
	f.fields, f.columns = layout.Fields, layout.Columns
	values, err := os.Open("testdata/" + layout.Values)
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	r, err := ipc.NewFileReader(values)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	batch, err := r.RecordBatchAt(0) // never released: its columns are kept
	if err != nil || r.NumRecords() != 1 {
		t.Fatal(err, r.NumRecords())
	}
	var fields []arrow.Field
	for i, field := range r.Schema().Fields() {
		if slices.Contains(layout.Names, field.Name) {
			fields = append(fields, field)
			f.want[field.Name] = batch.Column(i)
		}
	}
	f.schema = arrow.NewSchema(fields, nil)
	return f
}

// trees gives the fields with ids in pre-order, as they are given when a table is made.
func (f fixture) trees() []*encoding.Field {
	var next int32
	var tree func(path []string, a arrow.Field) *encoding.Field
	tree = func(path []string, a arrow.Field) *encoding.Field {
		n := &encoding.Field{Name: a.Name, Path: append(path[:len(path):len(path)], a.Name), ID: next, Type: a.Type, Nullable: a.Nullable, Metadata: a.Metadata}
		next++
		if name, _ := a.Metadata.GetValue("ARROW:extension:name"); name == "arrow.json" {
			n.Logical = "json"
		}
		nested, ok := a.Type.(arrow.NestedType)
		if _, isFSL := a.Type.(*arrow.FixedSizeListType); !ok || isFSL {
			return n
		}
		_, packed := a.Metadata.GetValue("lance-encoding:packed")
		for _, c := range nested.Fields() {
			child := tree(n.Path, c)
			if !packed {
				n.Children = append(n.Children, child)
			}
		}
		return n
	}
	var out []*encoding.Field
	for _, a := range f.schema.Fields() {
		out = append(out, tree(nil, a))
	}
	return out
}

// open opens the file and makes readers of all its columns.
func (f fixture) open(t testing.TB, in *input, mem memory.Allocator) (*file.Metadata, map[string]encoding.FieldReader) {
	t.Helper()
	m, err := file.Open(context.Background(), in, int64(len(f.data)), f.name)
	if err != nil {
		t.Fatal(err)
	}
	readers := make(map[string]encoding.FieldReader)
	for _, tree := range f.trees() {
		found, err := m.Attach(context.Background(), in, tree, f.fields, f.columns)
		if err != nil || !found {
			t.Fatal(tree.Name, found, err)
		}
		if readers[tree.Name], err = file.NewFieldReader(m, tree, in, mem); err != nil {
			t.Fatal(err)
		}
	}
	return m, readers
}

// texts gives each value as a text that tells it apart from others, nested ones and nulls included.
func texts(t testing.TB, a arrow.Array) []string {
	t.Helper()
	out := make([]string, a.Len())
	for i := range out {
		b, err := json.Marshal(a.GetOneForMarshal(i))
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(b)
	}
	return out
}

var fixtures = []string{"types_legacy", "types_2.0", "types_2.1", "types_2.2", "pages_2.0", "pages_2.1"}

func TestReadAll(t *testing.T) {
	for _, name := range fixtures {
		f := readFixture(t, name)
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		m, readers := f.open(t, &input{data: f.data}, mem)
		for _, field := range f.schema.Fields() {
			t.Run(name+"/"+field.Name, func(t *testing.T) {
				want := f.want[field.Name]
				rows, err := m.Rows(context.Background(), &input{data: f.data})
				if err != nil || rows != uint64(want.Len()) {
					t.Fatalf("%d rows (%v), want %d", rows, err, want.Len())
				}
				got, err := readers[field.Name].Read(context.Background(), []encoding.RowRange{{End: rows}})
				if err != nil {
					t.Fatal(err)
				}
				defer got.Release()
				if !arrow.TypeEqual(got.DataType(), field.Type) {
					t.Errorf("type %s, want %s", got.DataType(), field.Type)
				}
				compare(t, texts(t, got), texts(t, want))
			})
		}
	}
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d: %s, want %s", i, got[i], want[i])
		}
	}
}

// TestReadRanges reads the same rows in many ways: one reader, ranges at random, in any order of calls.
func TestReadRanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, name := range fixtures {
		f := readFixture(t, name)
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		_, readers := f.open(t, &input{data: f.data}, mem)
		for _, field := range f.schema.Fields() {
			t.Run(name+"/"+field.Name, func(t *testing.T) {
				all := texts(t, f.want[field.Name])
				for range 25 {
					ranges, want := randomRanges(rnd, all)
					got, err := readers[field.Name].Read(context.Background(), ranges)
					if err != nil {
						t.Fatalf("%v: %v", ranges, err)
					}
					compare(t, texts(t, got), want)
					got.Release()
				}
			})
		}
	}
}

func randomRanges(rnd *rand.Rand, all []string) (ranges []encoding.RowRange, want []string) {
	span := rnd.IntN(len(all)) + 1
	for at := rnd.IntN(span); at < len(all); {
		end := min(len(all), at+1+rnd.IntN(span))
		ranges = append(ranges, encoding.RowRange{Start: uint64(at), End: uint64(end)})
		want = append(want, all[at:end]...)
		at = end + rnd.IntN(span)
	}
	return ranges, want
}

// TestReadsLittle checks that a read of few rows of a legacy file, or one of version 2.0, asks for few bytes.
func TestReadsLittle(t *testing.T) {
	for _, c := range []struct {
		file, column, leaf string
		row, most          uint64
	}{
		{"pages_2.0", "id", "id", 400, 8},
		{"pages_2.0", "l", "l", 400, 16},          // two offsets
		{"pages_2.0", "l", "l.item", 400, 2 + 20}, // validity and values of at most 10 items
		{"types_2.0", "s", "s", 99, 16 + 20},      // two offsets, one text
		{"types_2.0", "f16", "f16", 99, 1 + 2},    // validity and value
		{"types_2.0", "st", "st.a", 99, 1 + 4},
		{"types_legacy", "i64", "i64", 99, 8},
		{"types_legacy", "b", "b", 99, 1},
		{"types_legacy", "fsl", "fsl", 99, 12},
		{"types_legacy", "fsl_bool", "fsl_bool", 99, 5}, // what eight values may take
		{"types_legacy", "s", "s", 99, 16 + 20},         // two places, one text
		{"types_legacy", "l", "l", 99, 8},               // two offsets
		{"types_legacy", "l", "l.item", 99, 6 * 4},      // at most 6 items
		{"types_legacy", "st", "st.a", 99, 4},
	} {
		t.Run(c.column+"/"+c.leaf, func(t *testing.T) {
			f := readFixture(t, c.file)
			in := &input{data: f.data}
			_, readers := f.open(t, in, memory.DefaultAllocator)
			in.bytes, in.reads = nil, nil
			a, err := readers[c.column].Read(context.Background(), []encoding.RowRange{{Start: c.row, End: c.row + 1}})
			if err != nil {
				t.Fatal(err)
			}
			a.Release()
			if got := in.bytes[c.leaf]; got == 0 || got > c.most {
				t.Errorf("%d bytes, at most %d are needed", got, c.most)
			}
			for leaf := range in.bytes {
				if !strings.HasPrefix(leaf, c.column) {
					t.Errorf("%s was read", leaf)
				}
			}
		})
	}
}

// TestMissingFields reads structs and fields of which the file holds just a part.
func TestMissingFields(t *testing.T) {
	for _, name := range []string{"types_legacy", "types_2.0", "types_2.2"} {
		t.Run(name, func(t *testing.T) {
			f := readFixture(t, name)
			in := &input{data: f.data}
			var st *encoding.Field
			for _, tree := range f.trees() {
				if tree.Name == "st" {
					st = tree
				}
			}
			// A member that was added after the file was written.
			late := arrow.Field{Name: "late", Type: arrow.BinaryTypes.String, Nullable: true}
			st.Type = arrow.StructOf(append(st.Type.(*arrow.StructType).Fields(), late)...)
			st.Children = append(st.Children, &encoding.Field{Name: "late", Path: []string{"st", "late"}, ID: 1000, Type: late.Type, Nullable: true})
			m, err := file.Open(context.Background(), in, int64(len(f.data)), name)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := m.Attach(context.Background(), in, st, f.fields, f.columns); !found || err != nil {
				t.Fatal(found, err)
			}
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			r, err := file.NewFieldReader(m, st, in, mem)
			if err != nil {
				t.Fatal(err)
			}
			a, err := r.Read(context.Background(), []encoding.RowRange{{Start: 10, End: 14}})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Release()
			s := a.(*array.Struct)
			if s.NullN() != 0 || s.Field(2).NullN() != 4 {
				t.Errorf("%v", s)
			}
			compare(t, texts(t, s.Field(0)), texts(t, f.want["st"].(*array.Struct).Field(0))[10:14])
			if found, err := m.Attach(context.Background(), in, st.Children[2], f.fields, f.columns); found || err != nil {
				t.Errorf("a field that no column holds was found, %v", err)
			}
		})
	}
}

func TestRowsPastTheEnd(t *testing.T) {
	for _, name := range []string{"types_legacy", "types_2.0", "types_2.2"} {
		f := readFixture(t, name)
		_, readers := f.open(t, &input{data: f.data}, memory.DefaultAllocator)
		for _, column := range []string{"i64", "s", "l", "st"} {
			for _, ranges := range [][]encoding.RowRange{{{Start: 149, End: 151}}, {{Start: 1 << 50, End: 1<<50 + 1}}, {{Start: 5, End: 4}}, {{Start: 5, End: 9}, {Start: 8, End: 10}}} {
				t.Run(fmt.Sprint(name, column, ranges), func(t *testing.T) {
					if a, err := readers[column].Read(context.Background(), ranges); err == nil {
						a.Release()
						t.Error("no error")
					}
				})
			}
		}
	}
}
