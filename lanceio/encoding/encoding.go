// Package encoding turns the pages of a Lance data file into Arrow arrays: the structural encodings of file versions
// 2.1 and later (mini-block, full-zip, constant, blob), the array encodings of 2.0, and the batches of legacy files.
//
// It knows nothing of files, tables or stores: it is handed a projected field tree, the physical columns with their
// pages, and an Input that reads byte ranges. Every byte is hostile: lengths, offsets, counts and nesting are checked
// before use, and a fault is an errs.CorruptError that names the column and the page.
package encoding

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
)

// BufferRange is a byte range of the data file.
type BufferRange struct{ Offset, Size uint64 }

// Input reads byte ranges of one data file. It is safe for concurrent use.
type Input interface {
	// ReadRanges gives the bytes of each range, whole or an error, in the order asked. leaf is the key of the leaf path
	// that the bytes are read for; it is only counted by. The slices may share memory and must not be written to. They
	// stay valid and unchanged for as long as anything refers to them: an answer may hold on to them.
	ReadRanges(ctx context.Context, leaf string, ranges []BufferRange) ([][]byte, error)
}

// IntoInput is an Input that can read into memory of its caller's.
type IntoInput interface {
	Input
	// ReadInto is ReadRanges into memory from alloc, which need not be used: bytes that are known stay where they are, and
	// must not change.
	ReadInto(ctx context.Context, leaf string, ranges []BufferRange, alloc func(n int) []byte) ([][]byte, error)
}

// PromptInput is an Input that can tell that its answers are not waited for: they come from memory or a disk.
type PromptInput interface {
	Input
	Prompt() bool
}

// Page is one page of a physical column, as the column metadata describes it.
type Page struct {
	Buffers  []BufferRange
	Rows     uint64 // Page.length: rows, or items for item columns of 2.0 and fixed-size lists of structs
	Priority uint64
	TypeURL  string // of the encoding's Any, as "/lance.encodings21.PageLayout"
	Encoding []byte // of the encoding's Any
}

// Column is one physical column.
type Column struct {
	Index    int
	Buffers  []BufferRange
	Encoding []byte // value of the ColumnEncoding's Any
	Pages    []Page
}

// Field is a node of the projected field tree: just the fields to read, with the struct, list and map nodes above them.
type Field struct {
	Name     string
	Path     []string // from the top-level column, used for errors and for counting bytes
	ID       int32
	Logical  string         // logical_type of the schema, as "fixed_size_list:float:4"
	Type     arrow.DataType // of this node as projected
	Nullable bool
	Metadata arrow.Metadata
	Children []*Field
	// Column is the physical column of this field in the file; nil where it has none of its own, or is not in the file.
	Column *Column
}

// RowRange is a half-open range of physical rows of a data file.
type RowRange struct{ Start, End uint64 }

// FieldReader reads one projected top-level field of one data file. It keeps what it learned of pages (chunk words,
// repetition indices, dictionaries) between calls. It is used by one goroutine at a time.
type FieldReader interface {
	// Read gives the values at the rows of ranges, which are ascending and do not overlap, as one array of Field.Type.
	// The caller releases it. No byte is read that the rows do not need, save small gaps.
	Read(ctx context.Context, ranges []RowRange) (arrow.Array, error)
}
