package table

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
)

// MaxNesting is the deepest nesting of fields and types that a schema may have.
const MaxNesting = 64

// Metadata keys that change what a field is.
const (
	ExtensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
	blobKey           = "lance-encoding:blob"
	packedKey         = "lance-encoding:packed"
	legacyPackedKey   = "packed"
	blobV2Name        = "lance.blob.v2"
	arrowJSONName     = "arrow.json"
)

// logicalJSON is the type of JSON columns: binary in files, text to readers.
const logicalJSON = "json"

// Schema is the fields of a table.
type Schema struct {
	Fields   []*Field
	Metadata arrow.Metadata
	byID     map[int32]*Field
}

// Field is a field of a table's schema. Its id stays the same when it is renamed.
type Field struct {
	ID       int32
	Name     string
	Logical  string // as stored: "list.struct", "fixed_size_list:float:4", ...
	Nullable bool
	// Metadata is as stored, sorted by key.
	Metadata arrow.Metadata
	Parent   *Field // nil at the top
	Children []*Field
	// Storage is the type of the values as data files hold them: JSON as large_binary, a blob of the second kind as the
	// struct that the schema lists.
	Storage arrow.DataType
	// Type is the type that readers give: JSON is utf8, a blob is large_binary; else it is Storage, with Types of the
	// children in it.
	Type arrow.DataType
	Blob Blob
	// Packed structs are stored in one column, row by row.
	Packed bool
}

// Blob tells how the values of a large_binary column are stored.
type Blob int

// Plain columns are no blobs. A blob column of the first kind holds positions of values in the data file. One of the
// second kind holds descriptions of values in the data file, beside it, or elsewhere.
const (
	NoBlob Blob = iota
	BlobV1
	BlobV2
)

// NewSchema builds the tree from the pre-order list of a manifest or of a data file's description, which object names.
func NewSchema(list []*filepb.Field, metadata map[string][]byte, object string) (*Schema, error) {
	s := &Schema{byID: make(map[int32]*Field, len(list))}
	var err error
	if s.Metadata, err = newMetadata(metadata, object); err != nil {
		return nil, err
	}
	depth := make(map[*Field]int, len(list))
	for _, p := range list {
		f := &Field{ID: p.GetId(), Name: p.GetName(), Logical: p.GetLogicalType(), Nullable: p.GetNullable()}
		if !utf8.ValidString(f.Name) {
			return nil, errs.Corruptf(object, -1, "the name of field %d is no UTF-8", f.ID)
		}
		if f.Metadata, err = newMetadata(p.GetMetadata(), object); err != nil {
			return nil, err
		}
		if parent := p.GetParentId(); parent < 0 {
			s.Fields = append(s.Fields, f)
		} else {
			up, ok := s.byID[parent]
			if !ok {
				return nil, errs.Corruptf(object, -1, "field %q comes before its parent, or has none: id %d", f.Name, parent)
			}
			f.Parent = up
			up.Children = append(up.Children, f)
			depth[f] = depth[up] + 1
		}
		if depth[f] > MaxNesting {
			return nil, errs.Corruptf(object, -1, "field %q lies more than %d levels deep", f.Name, MaxNesting)
		}
		// Old manifests hold an id twice; the first one counts.
		if _, dup := s.byID[f.ID]; !dup {
			s.byID[f.ID] = f
		}
	}
	for _, f := range s.Fields {
		if err := f.settle(object); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newMetadata(m map[string][]byte, object string) (arrow.Metadata, error) {
	keys := slices.Sorted(maps.Keys(m))
	values := make([]string, len(keys))
	for i, k := range keys {
		if values[i] = string(m[k]); !utf8.ValidString(values[i]) {
			return arrow.Metadata{}, errs.Corruptf(object, -1, "metadata %q is no UTF-8", k)
		}
	}
	return arrow.NewMetadata(keys, values), nil
}

// ByID gives the field of an id, or nil.
func (s *Schema) ByID(id int32) *Field { return s.byID[id] }

// Field gives the top-level field of exactly this name, or nil.
func (s *Schema) Field(name string) *Field {
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Arrow is the schema as readers give it.
func (s *Schema) Arrow() *arrow.Schema {
	fields := make([]arrow.Field, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = f.Arrow()
	}
	return arrow.NewSchema(fields, &s.Metadata)
}

// Arrow is the field as readers give it: of Type, with the names of extension types as Arrow knows them.
func (f *Field) Arrow() arrow.Field {
	return arrow.Field{Name: f.Name, Type: f.Type, Nullable: f.Nullable, Metadata: f.arrowMetadata()}
}

func (f *Field) arrowMetadata() arrow.Metadata {
	switch {
	case f.Blob == BlobV2:
		// The values are given as bytes, so the type of their descriptions no longer holds.
		return withoutKeys(f.Metadata, ExtensionName, extensionMetadata)
	case f.Logical == logicalJSON:
		m := withoutKeys(f.Metadata, ExtensionName)
		return arrow.NewMetadata(append(m.Keys(), ExtensionName), append(m.Values(), arrowJSONName))
	}
	return f.Metadata
}

func withoutKeys(m arrow.Metadata, drop ...string) arrow.Metadata {
	var keys, values []string
	for i, k := range m.Keys() {
		if !slices.Contains(drop, k) {
			keys, values = append(keys, k), append(values, m.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// Leaf tells whether the field is one unit to readers: it has no children, or they are not read on their own.
func (f *Field) Leaf() bool { return len(f.Children) == 0 || f.Packed || f.Blob == BlobV2 }

// Path is the names from the top-level field down to this one.
func (f *Field) Path() []string {
	if f.Parent == nil {
		return []string{f.Name}
	}
	return append(f.Parent.Path(), f.Name)
}
