package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"golang.org/x/term"

	"github.com/lanceflight/flightsrv/render"
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
		return &csvSink{out: bufio.NewWriter(out)}, nil
	case "json":
		return &jsonSink{out: bufio.NewWriter(out)}, nil
	case "arrow", "parquet":
		if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return nil, usagef("--format %s is no text: send the output to a file or a pipe", format)
		}
		return &fileSink{out: out, parquet: format == "parquet"}, nil
	}
	return nil, usagef("--format %q: the formats are table, csv, json, arrow and parquet", format)
}

// csvSink prints comma-separated values (RFC 4180) with a header. A null is an empty field, an empty text is "": the CSV
// writer of the standard library makes both the same.
type csvSink struct{ out *bufio.Writer }

func (s *csvSink) start(schema *arrow.Schema) error {
	for c, name := range fieldNames(schema) {
		s.field(c, name, false)
	}
	_, err := s.out.WriteString("\n")
	return err
}

func (s *csvSink) write(b arrow.RecordBatch) error {
	for i := range int(b.NumRows()) {
		for c, col := range b.Columns() {
			text, null := render.Cell(col, i)
			s.field(c, text, null)
		}
		if _, err := s.out.WriteString("\n"); err != nil {
			return err
		}
	}
	return s.out.Flush()
}

// field prints one field; the buffer keeps an error for the next call that gives it.
func (s *csvSink) field(c int, text string, null bool) {
	if c > 0 {
		_ = s.out.WriteByte(',')
	}
	if !null && (text == "" || strings.ContainsAny(text, ",\"\r\n") || text[0] == ' ' || text[len(text)-1] == ' ') {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	_, _ = s.out.WriteString(text)
}

func (s *csvSink) finish() error { return s.out.Flush() }

// jsonSink prints an array with one object a row and line.
type jsonSink struct {
	out  *bufio.Writer
	rows int
}

func (s *jsonSink) start(*arrow.Schema) error { return nil }

func (s *jsonSink) write(b arrow.RecordBatch) error {
	names := fieldNames(b.Schema())
	for i := range int(b.NumRows()) {
		o := render.Object{Names: names}
		for _, col := range b.Columns() {
			o.Values = append(o.Values, render.JSON(col, i))
		}
		line, err := render.Marshal(o)
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
		if err != nil {
			return fmt.Errorf("--format parquet can't hold this result (%s): %w; cast the column, or take --format arrow", schemaText(schema), err)
		}
		return nil
	}
	s.w, err = ipc.NewFileWriter(s.out, ipc.WithSchema(schema))
	return err
}

func (s *fileSink) write(b arrow.RecordBatch) error { return s.w.Write(b) }
func (s *fileSink) finish() error                   { return s.w.Close() }

// noClose keeps the parquet writer from closing standard output.
type noClose struct{ io.Writer }

// schemaText gives names and types in one line.
func schemaText(schema *arrow.Schema) string {
	parts := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		parts[i] = fmt.Sprintf("%s: %s", f.Name, f.Type)
	}
	return strings.Join(parts, ", ")
}

func fieldNames(schema *arrow.Schema) []string {
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	return names
}
