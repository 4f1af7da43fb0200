// Package nested takes structs apart, and gives results without nested columns to clients that have none.
package nested

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/render"
)

// Mode is how nested columns are given.
type Mode string

// The modes.
const (
	// Native gives them as they are.
	Native Mode = "native"
	// Flatten gives each field of a struct as a column of its own, named by its path with dots: s.a.b. Lists and maps stay.
	Flatten Mode = "flatten"
	// JSON gives structs, lists and maps as texts.
	JSON Mode = "json"
)

// Modes are all modes, the default first.
var Modes = []Mode{Native, Flatten, JSON}

// ParseMode reads a mode without regard to case.
func ParseMode(text string) (Mode, error) {
	if m := Mode(strings.ToLower(text)); slices.Contains(Modes, m) {
		return m, nil
	}
	return "", errs.Invalidf("no mode %q for nested columns; there are native, flatten and json", text)
}

// Schema gives the columns in place of those of a schema.
func (m Mode) Schema(s *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, f := range s.Fields() {
		switch {
		case m == Flatten:
			fields = appendLeaves(fields, f)
		case m == JSON && isNested(f.Type):
			fields = append(fields, arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: f.Nullable, Metadata: withoutExtension(f.Metadata)})
		default:
			fields = append(fields, f)
		}
	}
	md := s.Metadata()
	return arrow.NewSchemaWithEndian(fields, &md, s.Endianness())
}

func appendLeaves(fields []arrow.Field, f arrow.Field) []arrow.Field {
	st, ok := structOf(f.Type)
	if !ok {
		return append(fields, f)
	}
	for _, child := range st.Fields() {
		child.Name = f.Name + "." + child.Name
		child.Nullable = child.Nullable || f.Nullable
		fields = appendLeaves(fields, child)
	}
	return fields
}

// structOf gives the struct that a type is, or is stored as. One without fields counts as a plain column.
func structOf(t arrow.DataType) (*arrow.StructType, bool) {
	if ext, ok := t.(arrow.ExtensionType); ok {
		t = ext.StorageType()
	}
	st, ok := t.(*arrow.StructType)
	return st, ok && st.NumFields() > 0
}

func isNested(t arrow.DataType) bool {
	if ext, ok := t.(arrow.ExtensionType); ok {
		t = ext.StorageType()
	}
	return arrow.IsNested(t.ID())
}

// withoutExtension leaves out what named the type of a column that is a text now.
func withoutExtension(md arrow.Metadata) arrow.Metadata {
	var keys, values []string
	for i, k := range md.Keys() {
		if !strings.HasPrefix(k, "ARROW:extension:") {
			keys, values = append(keys, k), append(values, md.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// Batch gives the columns in place of those of a batch, of the schema that Schema gives for its own. The caller releases
// both batches.
func (m Mode) Batch(b arrow.RecordBatch, mem memory.Allocator) (arrow.RecordBatch, error) {
	var columns []arrow.Array
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for _, c := range b.Columns() {
		switch {
		case m == Flatten:
			c.Retain()
			columns = appendLeafArrays(columns, c, mem)
		case m == JSON && isNested(c.DataType()):
			text, err := texts(c, mem)
			if err != nil {
				return nil, err
			}
			columns = append(columns, text)
		default:
			c.Retain()
			columns = append(columns, c)
		}
	}
	return array.NewRecordBatch(m.Schema(b.Schema()), columns, b.NumRows()), nil
}

// appendLeafArrays takes over a.
func appendLeafArrays(columns []arrow.Array, a arrow.Array, mem memory.Allocator) []arrow.Array {
	st, ok := structOf(a.DataType())
	if !ok {
		return append(columns, a)
	}
	defer a.Release()
	for i := range st.NumFields() {
		columns = appendLeafArrays(columns, Child(mem, storage(a).(*array.Struct), i), mem)
	}
	return columns
}

func storage(a arrow.Array) arrow.Array {
	if ext, ok := a.(array.ExtensionArray); ok {
		return ext.Storage()
	}
	return a
}

func texts(a arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		text, err := render.Marshal(render.JSON(a, i))
		if err != nil {
			return nil, errs.New(errs.ErrInternal, "a value can't be written as JSON: %v", err)
		}
		b.BinaryBuilder.Append(text)
	}
	return b.NewArray(), nil
}

// Child gives a field of a struct array, with the struct's nulls added to its own; the caller releases it.
func Child(mem memory.Allocator, parent *array.Struct, field int) arrow.Array {
	child := parent.Field(field)
	if parent.NullN() == 0 || child.DataType().ID() == arrow.NULL {
		child.Retain()
		return child
	}
	data, n := child.Data(), child.Len()
	off := data.Offset()
	bits := memory.NewResizableBuffer(mem)
	defer bits.Release()
	bits.Resize(int(bitutil.BytesForBits(int64(off + n))))
	clear(bits.Bytes())
	if child.NullN() == 0 {
		bitutil.CopyBitmap(parent.NullBitmapBytes(), parent.Data().Offset(), n, bits.Bytes(), off)
	} else {
		bitutil.BitmapAnd(parent.NullBitmapBytes(), child.NullBitmapBytes(),
			int64(parent.Data().Offset()), int64(off), bits.Bytes(), int64(off), int64(n))
	}
	bufs := append([]*memory.Buffer{bits}, data.Buffers()[1:]...)
	var masked *array.Data
	if dict, ok := child.(*array.Dictionary); ok {
		masked = array.NewDataWithDictionary(data.DataType(), n, bufs, array.UnknownNullCount, off, dict.Dictionary().Data().(*array.Data))
	} else {
		masked = array.NewData(data.DataType(), n, bufs, data.Children(), array.UnknownNullCount, off)
	}
	defer masked.Release()
	return array.MakeFromData(masked)
}
