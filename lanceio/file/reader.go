package file

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// Attach sets the physical columns of a projected field and of all fields below it, and reads what metadata that needs.
// fields and columnIndices are those of the data file in the manifest. It tells whether the file holds anything of the
// field; where not, all its values are null. Legacy files have no columnIndices.
func (m *Metadata) Attach(ctx context.Context, in encoding.Input, root *encoding.Field, fields, columnIndices []int32) (bool, error) {
	if m.legacy != nil {
		return m.attachLegacy(ctx, in, root, fields)
	}
	if len(fields) != len(columnIndices) {
		return false, errs.Corruptf(m.Object, -1, "%d fields and %d columns", len(fields), len(columnIndices))
	}
	var nodes []*encoding.Field
	var indices []int
	var walk func(f *encoding.Field)
	walk = func(f *encoding.Field) {
		f.Column = nil
		// A negative id marks a column that nothing reads any more, or one that is no field of the table's.
		if i := slices.Index(fields, f.ID); f.ID >= 0 && i >= 0 && columnIndices[i] >= 0 {
			nodes, indices = append(nodes, f), append(indices, int(columnIndices[i]))
		}
		for _, child := range f.Children {
			walk(child)
		}
	}
	walk(root)
	columns, err := m.Columns(ctx, in, indices)
	if err != nil {
		return false, err
	}
	for i, f := range nodes {
		f.Column = columns[i]
	}
	return len(nodes) > 0, nil
}

// NewFieldReader gives a reader of a projected top-level field, whose columns Attach has set.
func NewFieldReader(m *Metadata, root *encoding.Field, in encoding.Input, mem memory.Allocator) (encoding.FieldReader, error) {
	open := func(f *encoding.Field) (encoding.FieldReader, error) {
		switch m.scheme {
		case batches:
			return encoding.NewLegacyReader(f, in, mem, m.Object, m.Size)
		case arrays:
			return encoding.NewArrayReader(f, in, mem, m.Object)
		default:
			return encoding.NewStructuralReader(encoding.Version{Major: m.Version.Major, Minor: m.Version.Minor}, f, in, mem, m.Object)
		}
	}
	r, err := openStored(m, root, mem, open)
	if err != nil || !holdsText(root.Type) {
		return r, err
	}
	return &textReader{FieldReader: r, path: strings.Join(root.Path, "."), object: m.Object}, nil
}

// openStored opens the reader of a field, by way of how it is stored where that is another type.
func openStored(m *Metadata, root *encoding.Field, mem memory.Allocator, open func(*encoding.Field) (encoding.FieldReader, error)) (encoding.FieldReader, error) {
	if stored := storedTree(root); stored != nil {
		return newJSONReader(root, stored, mem, m.Object, open)
	}
	return open(root)
}
