package file_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// legacyParts is a legacy file before it is put together: a struct p of a number a, a text b and a list c of int16, and a
// dictionary d. Its batches hold rows 0 and 1, none, and 2. Ids are counted from first, p's.
type legacyParts struct {
	first int32
	minor uint16
	// tableFrom is the id that the page table starts with.
	tableFrom int32
	// entry changes the page table's entries: position and length of the page of a field, from p's on, in a batch.
	entry func(field, batch int, e *[2]int64)
	// page changes the bytes of a page or of the dictionary ("d").
	page     func(name string, b []byte)
	metadata func(m *filepb.Metadata)
	schema   func(m *tablepb.Manifest)
	footer   func(b []byte)
}

var legacyBatches = []struct {
	a    []int64
	b    []string
	c    [][]int16
	keys []byte
}{
	{[]int64{1, -2}, []string{"", "two"}, [][]int16{{1, 2}, {}}, []byte{1, 0}},
	{nil, nil, nil, nil},
	{[]int64{3}, []string{"drei"}, [][]int16{{3}}, []byte{1}},
}

// want is what legacyParts holds, by row.
var legacyWant = []string{
	`{"a":1,"b":null,"c":[1,2],"d":"v"}`,
	`{"a":-2,"b":"two","c":[],"d":null}`,
	`{"a":3,"b":"drei","c":[3],"d":"v"}`,
}

func (p legacyParts) bytes(t testing.TB) []byte {
	t.Helper()
	le := binary.LittleEndian
	out := []byte("not at byte 0")
	table := make([][][2]int64, p.first-p.tableFrom+6)
	for i := range table {
		table[i] = make([][2]int64, len(legacyBatches))
	}
	set := func(field, batch, length int, b []byte) {
		if p.page != nil {
			p.page(fmt.Sprint(field, ".", batch), b)
		}
		table[int(p.first-p.tableFrom)+field][batch] = [2]int64{int64(len(out)), int64(length)}
		out = append(out, b...)
	}
	texts := func(values []string) (places []byte) {
		places = le.AppendUint64(nil, uint64(len(out)))
		for _, v := range values {
			out = append(out, v...)
			places = le.AppendUint64(places, uint64(len(out)))
		}
		return places
	}
	for i, b := range legacyBatches {
		var a, items []byte
		for _, v := range b.a {
			a = le.AppendUint64(a, uint64(v))
		}
		offsets := le.AppendUint32(nil, 0)
		for _, l := range b.c {
			for _, v := range l {
				items = le.AppendUint16(items, uint16(v))
			}
			offsets = le.AppendUint32(offsets, uint32(len(items)/2))
		}
		set(1, i, len(b.a), a)
		set(2, i, len(b.b), texts(b.b))
		set(3, i, len(b.c)+1, offsets)
		set(4, i, len(items)/2, items)
		set(5, i, len(b.keys), b.keys)
	}
	places := texts([]string{"", "v"})
	if p.page != nil {
		p.page("d", places)
	}
	dictionary := &filepb.Dictionary{Offset: int64(len(out)), Length: 2}
	out = append(out, places...)

	metadata := &filepb.Metadata{BatchOffsets: []int32{0, 2, 2, 3}, PageTablePosition: uint64(len(out))}
	for f := range table {
		for b := range table[f] {
			e := table[f][b]
			if k := f - int(p.first-p.tableFrom); p.entry != nil && k >= 0 {
				p.entry(k, b, &e)
			}
			out = le.AppendUint64(le.AppendUint64(out, uint64(e[0])), uint64(e[1]))
		}
	}
	append32 := func(m proto.Message) (position uint64) {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		position = uint64(len(out))
		out = append(le.AppendUint32(out, uint32(len(b))), b...)
		return position
	}
	schema := &tablepb.Manifest{}
	for i, f := range []struct {
		name, logical string
		parent        int32
	}{{"p", "struct", -1}, {"a", "int64", 0}, {"b", "string", 0}, {"c", "list", 0}, {"item", "int16", 3}, {"d", "dict:string:int8:false", 0}} {
		field := &filepb.Field{Name: f.name, Id: p.first + int32(i), ParentId: -1, LogicalType: f.logical, Nullable: true}
		if f.parent >= 0 {
			field.ParentId = p.first + f.parent
		}
		schema.Fields = append(schema.Fields, field)
	}
	schema.Fields[5].Dictionary = dictionary
	if p.schema != nil {
		p.schema(schema)
	}
	metadata.ManifestPosition = append32(schema)
	if p.metadata != nil {
		p.metadata(metadata)
	}
	footer := le.AppendUint64(nil, append32(metadata))
	footer = append(le.AppendUint16(le.AppendUint16(footer, 0), p.minor), "LANC"...)
	if p.footer != nil {
		p.footer(footer)
	}
	return append(out, footer...)
}

// tree is the field p as a table has it, and the ids that its manifest lists for the file.
func (p legacyParts) tree() (*encoding.Field, []int32) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	list := arrow.ListOf(arrow.PrimitiveTypes.Int16)
	var ids []int32
	field := func(name string, t arrow.DataType, children ...*encoding.Field) *encoding.Field {
		return &encoding.Field{Name: name, Path: []string{"p", name}, Type: t, Nullable: true, Children: children}
	}
	members := []*encoding.Field{
		field("a", arrow.PrimitiveTypes.Int64), field("b", arrow.BinaryTypes.String),
		field("c", list, field("item", arrow.PrimitiveTypes.Int16)), field("d", dict),
	}
	var fields []arrow.Field
	for _, m := range members {
		fields = append(fields, arrow.Field{Name: m.Name, Type: m.Type, Nullable: true})
	}
	root := &encoding.Field{Name: "p", Path: []string{"p"}, Type: arrow.StructOf(fields...), Nullable: true, Children: members}
	var number func(f *encoding.Field)
	number = func(f *encoding.Field) {
		f.ID = p.first + int32(len(ids))
		ids = append(ids, f.ID)
		for _, c := range f.Children {
			number(c)
		}
	}
	number(root)
	return root, ids
}

// readLegacy reads rows of a file of legacyParts.
func readLegacy(t testing.TB, b []byte, root *encoding.Field, ids []int32, ranges []encoding.RowRange) ([]string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	m, in, err := open(b)
	if err != nil {
		return nil, err
	}
	if found, err := m.Attach(context.Background(), in, root, ids, nil); err != nil || !found {
		return nil, err
	}
	r, err := file.NewFieldReader(m, root, in, mem)
	if err != nil {
		return nil, err
	}
	a, err := r.Read(context.Background(), ranges)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	members := a.(*array.Struct)
	d := members.Field(members.NumField() - 1).(*array.Dictionary)
	for i := range d.Len() {
		if null := d.Dictionary().IsNull(d.GetValueIndex(i)); null != d.IsNull(i) {
			t.Errorf("row %d: the key is null: %v, its value: %v", i, d.IsNull(i), null)
		}
	}
	return texts(t, a), nil
}

func TestLegacy(t *testing.T) {
	for _, c := range []struct {
		name   string
		parts  legacyParts
		change func(ids []int32) []int32
	}{
		{"minor version 0", legacyParts{}, nil},
		{"minor version 1", legacyParts{minor: 1}, nil},
		{"minor version 2", legacyParts{minor: 2}, nil},
		{"a file that was added", legacyParts{first: 7, tableFrom: 7}, nil},
		{"by a writer whose page tables start with id 0", legacyParts{first: 1}, nil},
		{"by such a writer, more ids", legacyParts{first: 4}, nil},
		{"-1 where there is no page", legacyParts{first: 4, entry: func(f, b int, e *[2]int64) {
			if f == 0 || *e == [2]int64{} {
				*e = [2]int64{-1, -1}
			}
		}}, nil},
		{"a lower field is superseded", legacyParts{first: 3, tableFrom: 3}, func(ids []int32) []int32 { return append([]int32{-2}, ids[2:]...) }},
		{"ids out of order", legacyParts{first: 3, tableFrom: 3}, func(ids []int32) []int32 { slices.Reverse(ids); return ids }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, ids := c.parts.tree()
			want := legacyWant
			if c.change != nil {
				if ids = c.change(ids); ids[0] == -2 { // p and a are named no more
					root.Children = root.Children[1:]
					root.Type = arrow.StructOf(root.Type.(*arrow.StructType).Fields()[1:]...)
					want = nil
					for _, w := range legacyWant {
						_, rest, _ := strings.Cut(w, ",")
						want = append(want, "{"+rest)
					}
				}
			}
			b := c.parts.bytes(t)
			for _, ranges := range [][]encoding.RowRange{{{End: 3}}, {{Start: 0, End: 1}, {Start: 2, End: 3}}, {{Start: 1, End: 2}}, {{Start: 1, End: 3}}, {{Start: 2, End: 2}}, {}} {
				var rows []string
				for _, r := range ranges {
					rows = append(rows, want[r.Start:r.End]...)
				}
				got, err := readLegacy(t, b, root, ids, ranges)
				if err != nil {
					t.Fatal(ranges, err)
				}
				compare(t, got, rows)
			}
			m, in, err := open(b)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := m.Rows(context.Background(), in); n != 3 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
}

func TestLegacyFaults(t *testing.T) {
	le := binary.LittleEndian
	page := func(name string, change func(b []byte)) legacyParts {
		return legacyParts{page: func(n string, b []byte) {
			if n == name {
				change(b)
			}
		}}
	}
	entry := func(field, batch int, change func(e *[2]int64)) legacyParts {
		return legacyParts{entry: func(f, b int, e *[2]int64) {
			if f == field && b == batch {
				change(e)
			}
		}}
	}
	for _, c := range []struct {
		name  string
		parts legacyParts
	}{
		{"metadata past the end", legacyParts{footer: func(b []byte) { le.PutUint64(b, 1<<40) }}},
		{"metadata at the footer", legacyParts{footer: func(b []byte) { le.PutUint64(b, le.Uint64(b)+24) }}},
		{"metadata of too many bytes", legacyParts{footer: func(b []byte) { le.PutUint64(b, 0) }}},
		{"page table past the end", legacyParts{metadata: func(m *filepb.Metadata) { m.PageTablePosition = 1 << 50 }}},
		{"page table near the end", legacyParts{metadata: func(m *filepb.Metadata) { m.PageTablePosition = m.ManifestPosition }}},
		{"schema past the end", legacyParts{metadata: func(m *filepb.Metadata) { m.ManifestPosition = 1 << 50 }}},
		{"no schema", legacyParts{metadata: func(m *filepb.Metadata) { m.ManifestPosition = 0 }}},
		{"a schema that is none", legacyParts{metadata: func(m *filepb.Metadata) { m.ManifestPosition = 2 }}},
		{"batches that do not start at 0", legacyParts{metadata: func(m *filepb.Metadata) { m.BatchOffsets[0] = 1 }}},
		{"batches that do not ascend", legacyParts{metadata: func(m *filepb.Metadata) { m.BatchOffsets[3] = -3 }}},
		{"a batch of more rows", legacyParts{metadata: func(m *filepb.Metadata) { m.BatchOffsets[3] = 4 }}},
		{"more batches than the page table has", legacyParts{metadata: func(m *filepb.Metadata) { m.BatchOffsets = make([]int32, 1000) }}},
		{"a page of fewer values", entry(1, 0, func(e *[2]int64) { e[1]-- })},
		{"a page of a batch without rows", entry(1, 1, func(e *[2]int64) { e[1]++ })},
		{"no page", entry(2, 0, func(e *[2]int64) { *e = [2]int64{} })},
		{"a page past the end", entry(1, 0, func(e *[2]int64) { e[0] = 1 << 40 })},
		{"a page that ends past the end", entry(1, 2, func(e *[2]int64) { e[0] = 1 << 10 })},
		{"a negative position", entry(1, 0, func(e *[2]int64) { e[0] = -8 })},
		{"a negative length", entry(4, 0, func(e *[2]int64) { e[1] = -8 })},
		{"items beyond all bounds", entry(4, 0, func(e *[2]int64) { e[1] = 1 << 61 })},
		{"fewer items than lists name", entry(4, 0, func(e *[2]int64) { e[1]-- })},
		{"a text that ends past the end", page("2.0", func(b []byte) { le.PutUint64(b[16:], 1<<40) })},
		{"a text that ends before it starts", page("2.0", func(b []byte) { le.PutUint64(b[8:], le.Uint64(b[16:])+1) })},
		{"a text at a negative place", page("2.0", func(b []byte) { le.PutUint64(b[:], 1<<63) })},
		{"texts that overlap", legacyParts{page: func(n string, b []byte) {
			if n == "2.0" || n == "2.2" {
				le.PutUint64(b[len(b)-8:], 600)
			}
		}}},
		{"text that is no UTF-8", page("2.0", func(b []byte) { le.PutUint64(b[:], le.Uint64(b)-1) })},
		{"a list that ends before it starts", page("3.0", func(b []byte) { le.PutUint32(b[4:], 3) })},
		{"a list of too many items", page("3.2", func(b []byte) { le.PutUint32(b[4:], 3) })},
		{"a list of a negative offset", page("3.0", func(b []byte) { le.PutUint32(b, 1<<31) })},
		{"a key beyond the dictionary", page("5.2", func(b []byte) { b[0] = 2 })},
		{"a negative key", page("5.2", func(b []byte) { b[0] = 255 })},
		{"a dictionary value past the end", page("d", func(b []byte) { le.PutUint64(b[16:], 1<<40) })},
		{"a dictionary past the end", legacyParts{schema: func(m *tablepb.Manifest) { m.Fields[5].Dictionary.Offset = 1 << 40 }}},
		{"a dictionary at a negative place", legacyParts{schema: func(m *tablepb.Manifest) { m.Fields[5].Dictionary.Offset = -1 }}},
		{"a dictionary of too many values", legacyParts{schema: func(m *tablepb.Manifest) { m.Fields[5].Dictionary.Length = 1 << 60 }}},
		{"no dictionary", legacyParts{schema: func(m *tablepb.Manifest) { m.Fields[5].Dictionary = nil }}},
		{"pages that lie over each other", legacyParts{
			metadata: func(m *filepb.Metadata) { m.BatchOffsets = []int32{0, 100, 100, 200} },
			entry: func(f, _ int, e *[2]int64) {
				if f == 1 {
					*e = [2]int64{0, 100}
				}
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, ids := c.parts.tree()
			got, err := readLegacy(t, c.parts.bytes(t), root, ids, []encoding.RowRange{{End: 3}})
			if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "data/x.lance") {
				t.Errorf("%v, error %v", got, err)
			}
		})
	}
}

// FuzzLegacy reads legacy files as the fields that the seeds have. Whatever a file says, no field takes more bytes of it
// than a few times its size.
func FuzzLegacy(f *testing.F) {
	fixture := readFixture(f, "types_legacy")
	f.Add(fixture.data)
	for _, p := range []legacyParts{{}, {minor: 1}, {first: 2}, {first: 2, tableFrom: 2}} {
		f.Add(p.bytes(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, in, err := open(b)
		if err != nil || m.Version.Major != 0 || m.Version.Minor > 2 {
			return
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		read := func(tree *encoding.Field, ids []int32) {
			if found, err := m.Attach(context.Background(), in, tree, ids, nil); err != nil || !found {
				return
			}
			r, err := file.NewFieldReader(m, tree, in, mem)
			if err != nil {
				return
			}
			in.bytes, in.reads = nil, nil
			for _, ranges := range [][]encoding.RowRange{{{Start: 0, End: 2}}, {{Start: 1, End: 3}, {Start: 30, End: 90}}} {
				if a, err := r.Read(context.Background(), ranges); err == nil {
					if n := ranges[len(ranges)-1]; a.Len() != int(n.End-n.Start)+2*(len(ranges)-1) {
						t.Errorf("%d rows at %v", a.Len(), ranges)
					}
					a.Release()
				}
			}
			for leaf, n := range in.bytes {
				if n > 8*uint64(len(b)) {
					t.Errorf("%d bytes of %d are read for %s", n, len(b), leaf)
				}
			}
		}
		for _, p := range []legacyParts{{}, {first: 2}} {
			tree, ids := p.tree()
			read(tree, ids)
		}
		for _, tree := range fixture.trees() {
			read(tree, fixture.fields)
		}
	})
}

// TestLegacyReads checks that what a legacy file's metadata takes is read in few requests, however large it is.
func TestLegacyReads(t *testing.T) {
	for _, c := range []struct{ batches, reads int }{{3, 1}, {40_000, 1}, {100_000, 3}} {
		t.Run(fmt.Sprint(c.batches), func(t *testing.T) {
			p := legacyParts{metadata: func(m *filepb.Metadata) {
				m.BatchOffsets = make([]int32, c.batches+1)
				m.BatchOffsets[c.batches] = 3
			}}
			_, in, err := open(p.bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			if in.reads[""] != c.reads {
				t.Errorf("%d reads, want %d", in.reads[""], c.reads)
			}
		})
	}
}
