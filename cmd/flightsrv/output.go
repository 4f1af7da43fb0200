package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/term"
)

// sink prints a result in one format. write is lent its batch.
type sink interface {
	start(*arrow.Schema) error
	write(arrow.RecordBatch) error
	finish() error
}

func newSink(format string, out io.Writer) (sink, error) {
	switch format {
	case "table":
		return &tableSink{out: bufio.NewWriter(out)}, nil
	case "csv":
		return &csvSink{out: csv.NewWriter(out)}, nil
	case "json":
		return &jsonSink{out: bufio.NewWriter(out)}, nil
	case "arrow", "parquet":
		if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return nil, fmt.Errorf("--format %s is no text: send the output to a file or a pipe", format)
		}
		return &fileSink{out: out, parquet: format == "parquet"}, nil
	}
	return nil, fmt.Errorf("--format %q: the formats are table, csv, json, arrow and parquet", format)
}

// csvSink prints comma-separated values with a header. A null is an empty field.
type csvSink struct{ out *csv.Writer }

func (s *csvSink) start(schema *arrow.Schema) error { return s.out.Write(fieldNames(schema)) }

func (s *csvSink) write(b arrow.RecordBatch) error {
	row := make([]string, b.NumCols())
	for i := range int(b.NumRows()) {
		for c, col := range b.Columns() {
			row[c], _ = cell(col, i)
		}
		if err := s.out.Write(row); err != nil {
			return err
		}
	}
	s.out.Flush()
	return s.out.Error()
}

func (s *csvSink) finish() error {
	s.out.Flush()
	return s.out.Error()
}

// jsonSink prints an array with one object a row and line.
type jsonSink struct {
	out  *bufio.Writer
	rows int
}

func (s *jsonSink) start(*arrow.Schema) error { return nil }

func (s *jsonSink) write(b arrow.RecordBatch) error {
	names := fieldNames(b.Schema())
	for i := range int(b.NumRows()) {
		o := object{names: names}
		for _, col := range b.Columns() {
			o.values = append(o.values, jsonValue(col, i))
		}
		line, err := json.Marshal(o)
		if err != nil {
			return err
		}
		before := ",\n"
		if s.rows == 0 {
			before = "[\n"
		}
		s.rows++
		if _, err := fmt.Fprintf(s.out, "%s%s", before, line); err != nil {
			return err
		}
	}
	return s.out.Flush()
}

func (s *jsonSink) finish() error {
	end := "\n]\n"
	if s.rows == 0 {
		end = "[]\n"
	}
	if _, err := s.out.WriteString(end); err != nil {
		return err
	}
	return s.out.Flush()
}

// fileSink writes an Arrow IPC file or a Parquet file.
type fileSink struct {
	out     io.Writer
	parquet bool
	w       interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
}

func (s *fileSink) start(schema *arrow.Schema) (err error) {
	if s.parquet {
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd))
		s.w, err = pqarrow.NewFileWriter(schema, noClose{s.out}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		return err
	}
	s.w, err = ipc.NewFileWriter(s.out, ipc.WithSchema(schema))
	return err
}

func (s *fileSink) write(b arrow.RecordBatch) error { return s.w.Write(b) }
func (s *fileSink) finish() error                   { return s.w.Close() }

// noClose keeps the parquet writer from closing standard output.
type noClose struct{ io.Writer }

func fieldNames(schema *arrow.Schema) []string {
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	return names
}
