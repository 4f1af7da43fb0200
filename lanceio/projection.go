package lanceio

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// node is a field of what a scan answers, or of what a filter reads. A node that is no struct read member by member is a
// unit: its values are read as a whole. Lists and maps are units, and so are structs that are stored row by row; of the
// latter children are the members to give.
type node struct {
	field    *table.Field // nil where the table has no such field
	name     string
	typ      arrow.DataType
	nullable bool
	metadata arrow.Metadata
	// filler tells that the values are null for every row, whatever the table holds: a sibling that was not asked for.
	filler bool
	// nulls tells that it matters which of a struct's rows are null; where just members of it are tested, it does not, as
	// these are null beneath a null struct.
	nulls    bool
	children []*node // of a struct, in the order of typ's fields
}

// arrow gives the node as a field of a schema.
func (n *node) arrow() arrow.Field {
	return arrow.Field{Name: n.name, Type: n.typ, Nullable: n.nullable, Metadata: n.metadata}
}

// isStruct tells whether the node's members are read one by one.
func (n *node) isStruct() bool { return n.field != nil && splits(n.field) && !n.filler }

// units calls f for each unit at or below the node that is read.
func (n *node) units(f func(*table.Field)) {
	if n.filler || n.field == nil {
		return
	}
	if !n.isStruct() {
		f(n.field)
		return
	}
	for _, c := range n.children {
		c.units(f)
	}
}

// splits tells whether a field's members are read one by one: a struct that is not stored as one unit.
func splits(f *table.Field) bool {
	return f.Type.ID() == arrow.STRUCT && !f.Leaf()
}

// wholeNode is the node of a field with everything below it.
func wholeNode(f *table.Field) *node {
	n := fieldNode(f)
	n.nulls = true
	if splits(f) {
		for _, c := range f.Children {
			n.children = append(n.children, wholeNode(c))
		}
	}
	return n
}

func fieldNode(f *table.Field) *node {
	a := f.Arrow()
	return &node{field: f, name: f.Name, typ: a.Type, nullable: a.Nullable, metadata: a.Metadata}
}

// fieldSet is a set of fields by id; a field in it stands for all below it.
type fieldSet map[int32]bool

// holds tells whether f or a field above it is in the set.
func (s fieldSet) holds(f *table.Field) bool {
	for ; f != nil; f = f.Parent {
		if s[f.ID] {
			return true
		}
	}
	return false
}

// wanted is a set of fields to read, in the order of the top-level columns' first mention.
type wanted struct {
	tops   []*table.Field
	fields fieldSet
	// validity holds structs of which it is wanted which rows are null.
	validity fieldSet
	// answer tells that the fields are given, and not just tested: then it matters of all structs.
	answer bool
}

func (w *wanted) add(f *table.Field) {
	if w.fields == nil {
		w.fields = fieldSet{}
	}
	w.fields[f.ID] = true
	w.addTop(f)
}

func (w *wanted) addValidity(f *table.Field) {
	if w.validity == nil {
		w.validity = fieldSet{}
	}
	w.validity[f.ID] = true
	w.addTop(f)
}

func (w *wanted) addTop(f *table.Field) {
	for f.Parent != nil {
		f = f.Parent
	}
	if !slices.Contains(w.tops, f) {
		w.tops = append(w.tops, f)
	}
}

// nodes gives the tree of just what is wanted: members in the table's order, a struct all of whose members are wanted
// as itself.
func (w *wanted) nodes() []*node {
	nodes := make([]*node, 0, len(w.tops))
	for _, f := range w.tops {
		nodes = append(nodes, w.node(f))
	}
	return nodes
}

// node gives the node of a field, or nil where nothing at or below it is wanted.
func (w *wanted) node(f *table.Field) *node {
	if w.fields[f.ID] {
		return wholeNode(f)
	}
	if !splits(f) && w.validity[f.ID] {
		return wholeNode(f)
	}
	if f.Type.ID() != arrow.STRUCT {
		return nil
	}
	n := fieldNode(f)
	n.nulls = w.answer || w.validity[f.ID]
	var fields []arrow.Field
	for _, c := range f.Children {
		if child := w.node(c); child != nil {
			n.children = append(n.children, child)
			fields = append(fields, child.arrow())
		}
	}
	if len(n.children) == 0 && !w.validity[f.ID] {
		return nil
	}
	n.typ = arrow.StructOf(fields...)
	return n
}

// keys gives the paths of what is wanted, for EXPLAIN: a struct all of whose members are wanted stands as itself.
func keys(nodes []*node) []string {
	out := []string{}
	for _, n := range nodes {
		out = appendKeys(out, n)
	}
	return out
}

func appendKeys(out []string, n *node) []string {
	if n.filler || n.field == nil {
		return out
	}
	if len(n.children) == 0 || whole(n) {
		return append(out, expr.FieldPath(n.field.Path()).Key())
	}
	for _, c := range n.children {
		out = appendKeys(out, c)
	}
	return out
}

// whole tells whether all below a node's field is read.
func whole(n *node) bool {
	if n.filler || n.field == nil {
		return false
	}
	if len(n.children) == 0 {
		return !n.isStruct() || len(n.field.Children) == 0
	}
	read := 0
	for _, c := range n.children {
		if c.field != nil && whole(c) {
			read++
		}
	}
	return read == len(n.field.Children)
}

// find gives the field of a path, whose parts match exactly. The error names the table and the nearest paths.
func (t *Table) find(path expr.FieldPath) (*table.Field, error) {
	if len(path) == 0 {
		return nil, errs.Invalidf("table %s: empty column path", t.name)
	}
	level := t.m.Schema.Fields
	var f *table.Field
	for i, part := range path {
		at := slices.IndexFunc(level, func(c *table.Field) bool { return c.Name == part })
		if at < 0 {
			return nil, t.noColumn(path, path[:i], level)
		}
		f = level[at]
		level = nil
		if f.Type.ID() == arrow.STRUCT {
			level = f.Children
		}
	}
	return f, nil
}

// fitSchema gives the nodes of the fields of a schema that the caller requires: what is in want is read, all else is null.
func (t *Table) fitSchema(schema *arrow.Schema, want *wanted) ([]*node, error) {
	nodes := make([]*node, 0, schema.NumFields())
	for _, top := range want.tops {
		if !schema.HasField(top.Name) {
			return nil, errs.Invalidf("table %s: column %s is asked for, but is not in the required schema", t.name, expr.QuoteIdent(top.Name))
		}
	}
	for _, af := range schema.Fields() {
		n, err := t.fitField(af, t.m.Schema.Field(af.Name), want, nil)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (t *Table) fitField(af arrow.Field, f *table.Field, want *wanted, above expr.FieldPath) (*node, error) {
	path := above.Child(af.Name)
	n := &node{field: f, name: af.Name, typ: af.Type, nullable: af.Nullable, metadata: af.Metadata, nulls: true}
	if f == nil || want.node(f) == nil && !want.fields.holds(f) {
		n.filler, n.nullable = true, true
		return n, nil
	}
	st, isStruct := af.Type.(*arrow.StructType)
	if !splits(f) || !isStruct {
		if !arrow.TypeEqual(af.Type, f.Type) {
			return nil, errs.Invalidf("table %s: %s is of type %s, the required schema says %s", t.name, path.Key(), f.Type, af.Type)
		}
		return n, nil
	}
	n.nullable = n.nullable || f.Nullable
	fields := make([]arrow.Field, st.NumFields())
	for i, member := range st.Fields() {
		at := slices.IndexFunc(f.Children, func(c *table.Field) bool { return c.Name == member.Name })
		var mf *table.Field
		if at >= 0 {
			mf = f.Children[at]
		}
		c, err := t.fitField(member, mf, want, path)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, c)
		fields[i] = c.arrow()
	}
	for _, c := range f.Children {
		if _, ok := st.FieldByName(c.Name); !ok && want.node(c) != nil {
			return nil, errs.Invalidf("table %s: %s is asked for, but is not in the required schema", t.name, path.Child(c.Name).Key())
		}
	}
	n.typ = arrow.StructOf(fields...)
	return n, nil
}
