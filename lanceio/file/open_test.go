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
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filev2pb"
)

// parts is a data file before it is put together.
type parts struct {
	data         []byte // at the start of the file
	description  *filepb.FileDescriptor
	columns      []*filev2pb.ColumnMetadata
	major, minor uint16
	// footer changes the footer's bytes at last.
	footer func([]byte)
}

func (p parts) bytes(t testing.TB) []byte {
	t.Helper()
	marshal := func(m proto.Message) []byte {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	le := binary.LittleEndian
	out := slices.Clone(p.data)
	out = append(out, make([]byte, (64-len(out)%64)%64)...)
	var buffers []byte
	if p.description != nil {
		b := marshal(p.description)
		buffers = le.AppendUint64(le.AppendUint64(nil, uint64(len(out))), uint64(len(b)))
		out = append(out, b...)
	}
	start := len(out)
	var table []byte
	for _, c := range p.columns {
		b := marshal(c)
		table = le.AppendUint64(le.AppendUint64(table, uint64(len(out))), uint64(len(b)))
		out = append(out, b...)
	}
	at := len(out)
	out = append(append(out, table...), buffers...)
	footer := le.AppendUint64(nil, uint64(start))
	footer = le.AppendUint64(footer, uint64(at))
	footer = le.AppendUint64(footer, uint64(at+len(table)))
	footer = le.AppendUint32(footer, uint32(len(buffers)/16))
	footer = le.AppendUint32(footer, uint32(len(p.columns)))
	footer = le.AppendUint16(footer, p.major)
	footer = append(le.AppendUint16(footer, p.minor), "LANC"...)
	if p.footer != nil {
		p.footer(footer)
	}
	return append(out, footer...)
}

func direct(t testing.TB, a *anypb.Any) *filev2pb.Encoding {
	t.Helper()
	b, err := proto.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return &filev2pb.Encoding{Location: &filev2pb.Encoding_Direct_{Direct: &filev2pb.Encoding_Direct{Encoding: b}}}
}

// column is a column with one page over the first bytes of the file.
func column(t testing.TB, rows uint64) *filev2pb.ColumnMetadata {
	return &filev2pb.ColumnMetadata{
		Encoding: direct(t, &anypb.Any{TypeUrl: "/lance.encodings.ColumnEncoding", Value: []byte{10, 0}}),
		Pages: []*filev2pb.ColumnMetadata_Page{{
			BufferOffsets: []uint64{0}, BufferSizes: []uint64{8}, Length: rows, Priority: 3,
			Encoding: direct(t, &anypb.Any{TypeUrl: "/lance.encodings21.PageLayout", Value: []byte{1, 2, 3}}),
		}},
	}
}

func small(t testing.TB) parts {
	return parts{
		data: make([]byte, 64), description: &filepb.FileDescriptor{Length: 5},
		columns: []*filev2pb.ColumnMetadata{column(t, 5), column(t, 6)}, major: 2, minor: 1,
	}
}

func open(b []byte) (*file.Metadata, *input, error) {
	in := &input{data: b}
	m, err := file.Open(context.Background(), in, int64(len(b)), "data/x.lance")
	return m, in, err
}

// TestSmallFile checks that a small file is known by one read, and what is known.
func TestSmallFile(t *testing.T) {
	m, in, err := open(small(t).bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	columns, err := m.Columns(context.Background(), in, []int{1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if in.reads[""] != 1 {
		t.Errorf("%d reads", in.reads[""])
	}
	rows, err := m.Rows(context.Background(), in)
	if err != nil || rows != 5 || m.NumColumns() != 2 || m.Version != (file.Version{Major: 2, Minor: 1}) {
		t.Errorf("%d rows (%v), %d columns, version %s", rows, err, m.NumColumns(), m.Version)
	}
	if columns[0] != columns[2] || columns[0].Index != 1 || columns[1].Index != 0 {
		t.Errorf("columns %d, %d, %d", columns[0].Index, columns[1].Index, columns[2].Index)
	}
	p := columns[0].Pages[0]
	if p.Rows != 6 || p.Priority != 3 || p.TypeURL != "/lance.encodings21.PageLayout" || string(p.Encoding) != "\x01\x02\x03" ||
		!slices.Equal(p.Buffers, []encoding.BufferRange{{Offset: 0, Size: 8}}) || string(columns[0].Encoding) != "\x0a\x00" {
		t.Errorf("column %+v", columns[0])
	}
}

// TestWideFile checks that of a file with very many columns only the metadata of the wanted ones is read.
func TestWideFile(t *testing.T) {
	p := small(t)
	p.description.Schema = &filepb.Schema{Metadata: map[string][]byte{"long": make([]byte, 200_000)}}
	p.columns = nil
	for i := range 20_000 {
		p.columns = append(p.columns, column(t, uint64(i)))
	}
	b := p.bytes(t)
	m, in, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := m.Columns(context.Background(), in, []int{7, 19_000})
	if err != nil {
		t.Fatal(err)
	}
	if columns[0].Pages[0].Rows != 7 || columns[1].Pages[0].Rows != 19_000 {
		t.Errorf("columns of %d and %d rows", columns[0].Pages[0].Rows, columns[1].Pages[0].Rows)
	}
	if in.reads[""] != 3 || in.bytes[""] > 65<<10 {
		t.Errorf("%d bytes in %d reads of a file of %d", in.bytes[""], in.reads[""], len(b))
	}
	if _, err := m.Columns(context.Background(), in, []int{19_000}); err != nil || in.reads[""] != 3 {
		t.Errorf("a column is read again, %v", err)
	}
	if rows, err := m.Rows(context.Background(), in); err != nil || rows != 5 {
		t.Errorf("%d rows (%v)", rows, err)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		major, minor uint16
		fault        string // empty: can be read
	}{
		{0, 3, ""}, {2, 0, ""}, {2, 1, ""}, {2, 2, ""}, {2, 3, ""},
		{2, 4, "2.4"}, {3, 0, "3.0"}, {0, 4, "0.4"},
	} {
		t.Run(fmt.Sprint(c.major, ".", c.minor), func(t *testing.T) {
			p := small(t)
			p.major, p.minor = c.major, c.minor
			_, _, err := open(p.bytes(t))
			if c.fault == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), "data/x.lance") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestBrokenFiles(t *testing.T) {
	le := binary.LittleEndian
	huge := uint64(1)<<63 + 5
	for _, c := range []struct {
		name   string
		change func(*parts)
		raw    func([]byte) []byte
	}{
		{name: "empty", raw: func([]byte) []byte { return nil }},
		{name: "half a footer", raw: func(b []byte) []byte { return b[len(b)-20:] }},
		{name: "no magic number", raw: func(b []byte) []byte { b[len(b)-1] = 'D'; return b }},
		{name: "cut short", raw: func(b []byte) []byte { return b[:len(b)-1] }},
		{name: "front is missing", raw: func(b []byte) []byte { return b[200:] }},
		{name: "column table past the end", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint64(f[8:], 1<<40) } }},
		{name: "column table overflows", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint64(f[8:], 1<<64-8) } }},
		{name: "very many columns", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint32(f[28:], 1<<32-1) } }},
		{name: "very many buffers", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint32(f[24:], 1<<32-1) } }},
		{name: "buffer table past the end", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint64(f[16:], huge) } }},
		{name: "columns past the end", change: func(p *parts) { p.footer = func(f []byte) { le.PutUint64(f, huge) } }},
		{name: "table in the data", change: func(p *parts) {
			for i := range p.data {
				p.data[i] = 0xff
			}
			p.footer = func(f []byte) { le.PutUint64(f[8:], 0); le.PutUint64(f[16:], 0) }
		}},
		{name: "no description", change: func(p *parts) { p.description = nil }},
		{name: "too many rows", change: func(p *parts) { p.description.Length = huge }},
		{name: "buffer past the end", change: func(p *parts) { p.columns[0].Pages[0].BufferSizes[0] = 1 << 40 }},
		{name: "buffer overflows", change: func(p *parts) { p.columns[0].Pages[0].BufferOffsets[0] = 1<<64 - 64 }},
		{name: "buffer without size", change: func(p *parts) { p.columns[0].Pages[0].BufferSizes = nil }},
		{name: "buffer not aligned", change: func(p *parts) { p.columns[0].Pages[0].BufferOffsets[0] = 8 }},
		{name: "column buffer past the end", change: func(p *parts) { p.columns[0].BufferOffsets, p.columns[0].BufferSizes = []uint64{1}, []uint64{1 << 40} }},
		{name: "rows overflow", change: func(p *parts) {
			p.columns[0].Pages[0].Length = 1 << 62
			p.columns[0].Pages = append(p.columns[0].Pages, p.columns[0].Pages[0])
		}},
		{name: "encoding elsewhere", change: func(p *parts) {
			p.columns[0].Encoding = &filev2pb.Encoding{Location: &filev2pb.Encoding_Indirect_{Indirect: &filev2pb.Encoding_Indirect{}}}
		}},
		{name: "encoding is no Any", change: func(p *parts) {
			p.columns[0].Pages[0].Encoding = &filev2pb.Encoding{Location: &filev2pb.Encoding_Direct_{Direct: &filev2pb.Encoding_Direct{Encoding: []byte{0xff}}}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := small(t)
			if c.change != nil {
				c.change(&p)
			}
			b := p.bytes(t)
			if c.raw != nil {
				b = c.raw(b)
			}
			m, in, err := open(b)
			if err == nil {
				_, err = m.Columns(context.Background(), in, []int{0, 1})
			}
			if err == nil {
				_, err = m.Rows(context.Background(), in)
			}
			if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "data/x.lance") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAttach(t *testing.T) {
	m, in, err := open(small(t).bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	leaf := func(id int32) *encoding.Field {
		return &encoding.Field{Path: []string{"x"}, ID: id, Type: arrow.PrimitiveTypes.Int64}
	}
	for _, c := range []struct {
		name            string
		id              int32
		fields, columns []int32
		column          int // -1: none
		fault           error
	}{
		{"second column", 4, []int32{3, 4}, []int32{0, 1}, 1, nil},
		{"columns in another order", 4, []int32{3, 4}, []int32{1, 0}, 0, nil},
		{"not in the file", 5, []int32{3, 4}, []int32{0, 1}, -1, nil},
		{"without a column", 4, []int32{3, 4}, []int32{0, -1}, -1, nil},
		{"superseded", -2, []int32{3, -2}, []int32{0, 1}, -1, nil},
		{"column that does not exist", 4, []int32{3, 4}, []int32{0, 2}, -1, errs.ErrCorrupt},
		{"lists of different lengths", 4, []int32{3, 4}, []int32{0}, -1, errs.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := leaf(c.id)
			found, err := m.Attach(context.Background(), in, f, c.fields, c.columns)
			if !errors.Is(err, c.fault) {
				t.Fatalf("error %v, want %v", err, c.fault)
			}
			if found != (c.column >= 0) || found != (f.Column != nil) || found && f.Column.Index != c.column {
				t.Errorf("found %v, column %+v", found, f.Column)
			}
		})
	}
}

// FuzzOpen opens files and reads all their columns as one of the fixtures' types.
func FuzzOpen(f *testing.F) {
	f.Add(small(f).bytes(f))
	for _, name := range []string{"pages_2.0", "pages_2.1"} {
		f.Add(readFixture(f, name).data)
	}
	layout := readFixture(f, "pages_2.0")
	leaves := readFixture(f, "pages_2.1")
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Within(t, allocFactor*uint64(len(b)), func() { readHostile(t, b, layout, leaves) })
	})
}

// allocFactor bounds what reading a file may allocate for each of its bytes: several columns may each make the most of it.
const allocFactor = 16384

func readHostile(t *testing.T, b []byte, layout, leaves fixture) {
	t.Helper()
	m, in, err := open(b)
	if err != nil {
		return
	}
	fields, columns := layout.fields, layout.columns
	if m.Version.Minor == 1 {
		fields, columns = leaves.fields, leaves.columns
	}
	_, _ = m.Rows(context.Background(), in)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, tree := range layout.trees() {
		if found, err := m.Attach(context.Background(), in, tree, fields, columns); err != nil || !found {
			continue
		}
		r, err := file.NewFieldReader(m, tree, in, mem)
		if err != nil {
			continue
		}
		if a, err := r.Read(context.Background(), []encoding.RowRange{{Start: 1, End: 3}, {Start: 100, End: 200}}); err == nil {
			if a.Len() != 102 {
				t.Errorf("%d rows instead of 102", a.Len())
			}
			a.Release()
		}
	}
}
