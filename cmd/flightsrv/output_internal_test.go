package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
)

var outputSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "v", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "a", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32), Nullable: true}), Nullable: true},
}, nil)

// outputBatch has the rows (1, NaN, {x"y, [0.1, null]}), (9007199254740993, null, null).
func outputBatch(t *testing.T, mem memory.Allocator) arrow.RecordBatch {
	t.Helper()
	b := array.NewRecordBuilder(mem, outputSchema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 9007199254740993}, nil)
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{math.NaN(), 0}, []bool{true, false})
	s := b.Field(2).(*array.StructBuilder)
	s.Append(true)
	s.FieldBuilder(0).(*array.StringBuilder).Append(`x"y`)
	l := s.FieldBuilder(1).(*array.ListBuilder)
	l.Append(true)
	l.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{0.1, 0}, []bool{true, false})
	s.AppendNull()
	return b.NewRecordBatch()
}

func printed(t *testing.T, format string, batches int) []byte {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var out bytes.Buffer
	s, err := newSink(format, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.start(outputSchema); err != nil {
		t.Fatal(err)
	}
	for range batches {
		b := outputBatch(t, mem)
		if err := s.write(b); err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTextFormats(t *testing.T) {
	tests := map[string]struct {
		format  string
		batches int
		want    string
	}{
		"csv":         {"csv", 1, "id,v,s\n1,NaN,\"{\"\"b\"\":\"\"x\\\"\"y\"\",\"\"a\"\":[0.1,null]}\"\n9007199254740993,,\n"},
		"csv empty":   {"csv", 0, "id,v,s\n"},
		"json":        {"json", 1, "[\n{\"id\":1,\"v\":\"NaN\",\"s\":{\"b\":\"x\\\"y\",\"a\":[0.1,null]}},\n{\"id\":9007199254740993,\"v\":null,\"s\":null}\n]\n"},
		"json empty":  {"json", 0, "[]\n"},
		"table empty": {"table", 0, "id  v  s\n--  -  -\n(0 rows)\n"},
		"table": {"table", 1, strings.Join([]string{
			`              id     v  s`,
			`----------------  ----  ---------------------------`,
			`               1   NaN  {"b":"x\"y","a":[0.1,null]}`,
			`9007199254740993  NULL  NULL`,
			"(2 rows)", ""}, "\n")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(printed(t, tt.format, tt.batches)); got != tt.want {
				t.Errorf("printed\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	var rows []map[string]any
	if err := json.Unmarshal(printed(t, "json", 3), &rows); err != nil || len(rows) != 6 {
		t.Errorf("%d rows in JSON, %v", len(rows), err)
	}
	if n := bytes.Count(printed(t, "table", 400), []byte("\n")); n != 803 {
		t.Errorf("a table of 800 rows has %d lines", n)
	}
}

func TestFileFormats(t *testing.T) {
	r, err := ipc.NewFileReader(bytes.NewReader(printed(t, "arrow", 2)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if r.NumRecords() != 2 || !r.Schema().Equal(outputSchema) {
		t.Errorf("%d batches of %v", r.NumRecords(), r.Schema())
	}
	p, err := file.NewParquetReader(bytes.NewReader(printed(t, "parquet", 2)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if p.NumRows() != 4 {
		t.Errorf("%d rows in parquet", p.NumRows())
	}
	if _, err := newSink("xml", nil); err == nil {
		t.Error("an unknown format is taken")
	}
}

func TestCSVTellsEmptyFromNull(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a,b", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"", "", "x\ny"}, []bool{true, false, true})
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"é", `"`, " "}, nil)
	batch := b.NewRecordBatch()
	defer batch.Release()
	var out bytes.Buffer
	s, err := newSink("csv", &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.start(schema), s.write(batch), s.finish()); err != nil {
		t.Fatal(err)
	}
	if want := "\"a,b\",c\n\"\",é\n,\"\"\"\"\n\"x\ny\",\" \"\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestTableKeepsControlsFromTheTerminal(t *testing.T) {
	if got, want := oneLine("a\x1b[31m\nb\té", false), `a\x1b[31m\nb\té`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
