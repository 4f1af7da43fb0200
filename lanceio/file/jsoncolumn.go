package file

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// jsonReader reads a column that is, or holds, JSON: the decoders give its binary form, which is turned into text here.
type jsonReader struct {
	binary encoding.FieldReader
	field  arrow.Field
	mem    memory.Allocator
	object string
}

// Read gives the values at rows.
func (r *jsonReader) Read(ctx context.Context, ranges []encoding.RowRange) (arrow.Array, error) {
	a, err := r.binary.Read(ctx, ranges)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	d, err := jsonText(a.Data(), r.field, nil, r.mem)
	if err != nil {
		return nil, fmt.Errorf("%s: column %s: %w", r.object, r.field.Name, err)
	}
	defer d.Release()
	return array.MakeFromData(d), nil
}

// extensionName is the metadata key that names a field's extension type.
const extensionName = "ARROW:extension:name"

// isJSON tells whether a field is given as JSON text.
func isJSON(f arrow.Field) bool {
	name, _ := f.Metadata.GetValue(extensionName)
	return f.Type.ID() == arrow.STRING && (name == "arrow.json" || name == "lance.json")
}

// storedTree is a copy of a field tree with JSON as it is stored; it is nil where the tree holds none.
func storedTree(f *encoding.Field) *encoding.Field {
	t, changed := storedType(arrow.Field{Type: f.Type, Metadata: f.Metadata})
	if f.Logical == "json" {
		t, changed = arrow.BinaryTypes.LargeBinary, true
	}
	if !changed {
		return nil
	}
	out := *f
	out.Type = t
	out.Children = slices.Clone(f.Children)
	for i, c := range f.Children {
		if stored := storedTree(c); stored != nil {
			out.Children[i] = stored
		}
	}
	return &out
}

// storedType is the type of a field with all JSON in it as it is stored, and whether there is any.
func storedType(f arrow.Field) (arrow.DataType, bool) {
	if isJSON(f) {
		return arrow.BinaryTypes.LargeBinary, true
	}
	t, ok := f.Type.(arrow.NestedType)
	if !ok {
		return f.Type, false
	}
	fields := slices.Clone(t.Fields())
	changed := false
	for i, c := range fields {
		stored, differs := storedType(c)
		fields[i].Type = stored
		changed = changed || differs
	}
	if !changed {
		return f.Type, false
	}
	switch t := t.(type) {
	case *arrow.StructType:
		return arrow.StructOf(fields...), true
	case *arrow.ListType:
		return arrow.ListOfField(fields[0]), true
	case *arrow.LargeListType:
		return arrow.LargeListOfField(fields[0]), true
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), fields[0]), true
	case *arrow.MapType:
		entries := fields[0].Type.(*arrow.StructType)
		return arrow.MapOfFields(entries.Field(0), entries.Field(1)), true
	}
	return f.Type, false
}

// above is what a value lies in: a struct, or a fixed-size list of dim items. Lists that are null have no items.
type above struct {
	next *above
	data arrow.ArrayData
	dim  int
}

// null tells whether anything that value i lies in is null; what is stored beneath means nothing.
func (a *above) null(i int) bool {
	if a == nil {
		return false
	}
	at := i / a.dim
	if valid := a.data.Buffers()[0]; valid != nil && !bitutil.BitIsSet(valid.Bytes(), at) {
		return true
	}
	return a.next.null(at - a.data.Offset())
}

// jsonText turns the binary JSON in data into text; f is the field as it is given.
func jsonText(data arrow.ArrayData, f arrow.Field, up *above, mem memory.Allocator) (arrow.ArrayData, error) {
	if isJSON(f) && data.DataType().ID() == arrow.LARGE_BINARY {
		return jsonTexts(data, up, mem)
	}
	if _, changed := storedType(f); !changed {
		data.Retain()
		return data, nil
	}
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	var in *above
	switch t := f.Type.(type) {
	case *arrow.StructType:
		in = &above{next: up, data: data, dim: 1}
	case *arrow.FixedSizeListType:
		in = &above{next: up, data: data, dim: int(t.Len())}
	}
	for i, c := range f.Type.(arrow.NestedType).Fields() {
		child, err := jsonText(data.Children()[i], c, in, mem)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(f.Type, data.Len(), data.Buffers(), children, data.NullN(), data.Offset()), nil
}

func jsonTexts(data arrow.ArrayData, up *above, mem memory.Allocator) (arrow.ArrayData, error) {
	docs := array.NewLargeBinaryData(data)
	defer docs.Release()
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Reserve(docs.Len())
	var text []byte
	total := 0
	for i := range docs.Len() {
		if docs.IsNull(i) || up.null(i) {
			b.AppendNull()
			continue
		}
		var err error
		if text, err = appendJSON(text[:0], docs.Value(i), 0); err != nil {
			return nil, err
		}
		if total += len(text); total > math.MaxInt32 {
			return nil, errs.New(errs.ErrResourceExhausted, "%d bytes of JSON do not fit one batch", total)
		}
		b.BinaryBuilder.Append(text)
	}
	a := b.NewArray()
	defer a.Release()
	d := a.Data()
	d.Retain()
	return d, nil
}

// newJSONReader reads a field by the reader that open gives for it as it is stored.
func newJSONReader(root, stored *encoding.Field, mem memory.Allocator, object string, open func(*encoding.Field) (encoding.FieldReader, error)) (encoding.FieldReader, error) {
	r, err := open(stored)
	if err != nil {
		return nil, err
	}
	field := arrow.Field{Name: strings.Join(root.Path, "."), Type: root.Type, Metadata: root.Metadata}
	if root.Logical == "json" {
		field.Metadata = arrow.NewMetadata([]string{extensionName}, []string{"arrow.json"})
	}
	return &jsonReader{binary: r, field: field, mem: mem, object: object}, nil
}
