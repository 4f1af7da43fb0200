package encoding

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// Version is the version of a data file, as its footer has it.
type Version struct{ Major, Minor uint16 }

// String gives the version as "2.1".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// maxRows bounds the rows of a column and of a read.
const maxRows = 1 << 40

// nodeKind tells what a node of the projected tree is.
type nodeKind int

const (
	nodeLeaf nodeKind = iota
	nodeStruct
	nodeList // list, large list, map
	nodeFSL  // fixed-size list of structs
)

func (k nodeKind) String() string {
	return [...]string{"leaf", "struct", "list", "fixed-size list"}[k]
}

// node is a field of the projected tree.
type node struct {
	field       *Field
	kind        nodeKind
	children    []*node
	offsetWidth int // nodeList: bytes of an offset
	dim         int // nodeFSL
	leaf        *leaf
	// owner is the leaf whose levels give this node's validity and offsets: the first one below it that the file has,
	// nil where it has none. layer is the node's place in the owner's layers.
	owner *leaf
	layer int
}

// structuralReader reads one field of a file of version 2.1, 2.2 or 2.3.
type structuralReader struct {
	root   *node
	leaves []*leaf
	in     Input
	mem    memory.Allocator
}

// NewStructuralReader gives a reader of one projected top-level field of a data file of version 2.1, 2.2
// or 2.3. object is the file's name relative to its table, for errors. Fields without a Column come as nulls.
//
// The bytes that the input gives may become part of the answer, and so must stay valid and unchanged.
func NewStructuralReader(v Version, field *Field, in Input, mem memory.Allocator, object string) (FieldReader, error) {
	r := &structuralReader{in: in, mem: mem}
	b := treeBuilder{version: v, object: object, mem: mem, reader: r}
	if v.Major != 2 || v.Minor < 1 || v.Minor > 3 {
		return nil, errs.Unsupportedf("%s: column %s: data files of version %s", object, keyOf(field.Path), v)
	}
	root, err := b.build(field, nil, 1)
	if err != nil {
		return nil, err
	}
	r.root = root
	return r, nil
}

// treeBuilder makes the nodes of a field.
type treeBuilder struct {
	version Version
	object  string
	mem     memory.Allocator
	reader  *structuralReader
}

func (b *treeBuilder) fault(f *Field, err error) error {
	return fmt.Errorf("%s: column %s: %w", b.object, keyOf(f.Path), err)
}

// build makes the node of a field below others, outermost first.
func (b *treeBuilder) build(f *Field, above []*node, scale uint64) (*node, error) {
	if len(above) >= maxLayers {
		return nil, b.fault(f, errs.Unsupportedf("columns nested deeper than %d", maxLayers))
	}
	n := &node{field: f}
	switch t := storage(f.Type).(type) {
	case *arrow.ListType, *arrow.MapType:
		n.kind, n.offsetWidth = nodeList, 4
	case *arrow.LargeListType:
		n.kind, n.offsetWidth = nodeList, 8
	case *arrow.FixedSizeListType:
		if storage(t.Elem()).ID() == arrow.STRUCT {
			n.kind, n.dim = nodeFSL, int(t.Len())
			if n.dim <= 0 || scale > math.MaxInt32/uint64(n.dim) {
				return nil, b.fault(f, errs.Unsupportedf("fixed-size lists of %d structs", n.dim))
			}
			scale *= uint64(n.dim)
		}
	case *arrow.StructType:
		if t.NumFields() > 0 && !isPacked(f) {
			n.kind = nodeStruct
		}
	}
	if isBlob(f) && n.kind != nodeLeaf {
		return nil, b.fault(f, errs.Unsupportedf("blobs of the second kind as %s", f.Type))
	}
	if n.kind == nodeLeaf {
		return n, b.addLeaf(n, above, scale)
	}
	if err := checkChildren(f, n.kind); err != nil {
		return nil, b.fault(f, err)
	}
	above = append(above[:len(above):len(above)], n)
	for _, c := range f.Children {
		child, err := b.build(c, above, scale)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

// isPacked tells whether a struct is one column, stored row by row.
func isPacked(f *Field) bool {
	for _, key := range []string{"packed", "lance-encoding:packed"} {
		if v, ok := f.Metadata.GetValue(key); ok && v == "true" {
			return true
		}
	}
	return false
}

// isBlob tells whether a column holds blobs of the second kind, which are given as their bytes. Files of versions before
// 2.2 hold such a column's values as blobs of the first kind.
func isBlob(f *Field) bool {
	v, _ := f.Metadata.GetValue("ARROW:extension:name")
	return v == "lance.blob.v2"
}

// checkChildren compares the children with the type: the caller gives both.
func checkChildren(f *Field, k nodeKind) error {
	t, ok := storage(f.Type).(arrow.NestedType)
	if !ok {
		return errs.New(errs.ErrInternal, "%s has no children", f.Type)
	}
	if n := t.NumFields(); n != len(f.Children) {
		return errs.New(errs.ErrInternal, "%d children given for %s", len(f.Children), f.Type)
	}
	if k == nodeStruct {
		for i, c := range f.Children {
			if !arrow.TypeEqual(t.Fields()[i].Type, c.Type) {
				return errs.New(errs.ErrInternal, "child %d of %s is given as %s", i, f.Type, c.Type)
			}
		}
	}
	return nil
}

// addLeaf makes the leaf of a node.
func (b *treeBuilder) addLeaf(n *node, above []*node, scale uint64) error {
	s, err := shapeOf(n.field.Type)
	if err != nil {
		return b.fault(n.field, err)
	}
	if n.field.Column == nil {
		return nil
	}
	l := &leaf{object: b.object, version: b.version, key: keyOf(n.field.Path), shape: s, scale: scale, blobs: isBlob(n.field) && b.version.Minor >= 2, mem: b.mem, dec: codec.NewDecompressor(maxDecompressed)}
	n.leaf = l
	l.nodes = append(l.nodes, n)
	for i := len(above) - 1; i >= 0; i-- {
		l.nodes = append(l.nodes, above[i])
	}
	for i, m := range l.nodes {
		// Pages of structs without members tell nothing, so that any other leaf is better.
		if m.owner == nil || m.owner.shape.kind == kindEmpty {
			m.owner, m.layer = l, i
		}
	}
	b.reader.leaves = append(b.reader.leaves, l)
	return l.addPages(n.field.Column)
}

// Read gives the values at the rows of ranges as one array.
func (r *structuralReader) Read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	rows, err := checkRanges(ranges)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", keyOf(r.root.field.Path), err)
	}
	accs := make(map[*leaf]*accumulator, len(r.leaves))
	defer func() {
		for _, a := range accs {
			a.release()
		}
	}()
	reads := make([]*columnRead, len(r.leaves))
	defer func() {
		for _, c := range reads {
			if c != nil {
				c.arena.free()
			}
		}
	}()
	for i, l := range r.leaves {
		accs[l] = newAccumulator(l, r.mem, rows)
		if reads[i], err = l.begin(ranges, accs[l]); err != nil {
			return nil, err
		}
	}
	if err := fetchAll(ctx, r.in, reads); err != nil {
		return nil, err
	}
	for _, c := range reads {
		if err := c.decode(ctx); err != nil {
			return nil, err
		}
		c.arena.free() // its bytes are not needed any more
	}
	a := assembler{accs: accs, mem: r.mem}
	data, err := a.data(r.root, rows, above{})
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// checkRanges makes sure that ranges ascend and do not overlap, and counts their rows.
func checkRanges(ranges []RowRange) (int, error) {
	end, rows := uint64(0), uint64(0)
	for _, r := range ranges {
		if r.Start < end || r.End < r.Start || r.End > maxRows {
			return 0, errs.New(errs.ErrInternal, "row ranges that do not ascend: %d to %d after %d", r.Start, r.End, end)
		}
		end = r.End
		rows += r.End - r.Start
	}
	if rows > math.MaxInt32 {
		return 0, errs.New(errs.ErrResourceExhausted, "%d rows in one read", rows)
	}
	return int(rows), nil
}

// assembler puts the arrays of a tree together from what the leaves yielded.
type assembler struct {
	accs map[*leaf]*accumulator
	mem  memory.Allocator
}

// above is what is known of the entries that those of a node lie in: the bitmap of a struct, nil where none of it is
// null, or nothing, as below a fixed-size list: where that is null, what lies in it may be as well, whatever the schema says.
type above struct {
	valid   *memory.Buffer
	unknown bool
}

// checkNulls makes sure that a field that has no nulls has none, but where what it lies in is null.
func checkNulls(nd *node, valid *memory.Buffer, nulls, n int, up above) error {
	if nd.field.Nullable || nulls == 0 || valid == nil || up.unknown {
		return nil
	}
	own := valid.Bytes()
	for i := 0; i < n; i += 64 {
		k := min(64, n-i)
		w := ^loadBits(own, i, k) & (^uint64(0) >> (64 - uint(k)))
		if up.valid != nil {
			w &= loadBits(up.valid.Bytes(), i, k)
		}
		if w != 0 {
			return nd.owner.fault(corruptf("null in %s, which has none by the schema", keyOf(nd.field.Path)), -1, -1)
		}
	}
	return nil
}

// data gives the array of a node with n entries, which lie in those of the node above.
func (a *assembler) data(nd *node, n int, up above) (arrow.ArrayData, error) {
	if nd.owner == nil {
		return nullData20(nd.field.Type, uint64(n), a.mem)
	}
	layer := &a.accs[nd.owner].layers[nd.layer]
	if layer.valid.n != n {
		return nil, nd.owner.fault(corruptf("%d entries of %s where %d are expected", layer.valid.n, keyOf(nd.field.Path), n), -1, -1)
	}
	valid, err := layer.valid.finish()
	if err == nil {
		err = checkNulls(nd, valid, layer.valid.nulls, n, up)
	}
	if err != nil {
		return nil, err
	}
	if nd.kind == nodeLeaf {
		acc := a.accs[nd.leaf]
		if acc.sink.len() != n {
			return nil, nd.leaf.fault(corruptf("%d values for %d entries", acc.sink.len(), n), -1, -1)
		}
		return acc.sink.data(nd.field.Type, valid, layer.valid.nulls)
	}
	buffers := []*memory.Buffer{valid}
	items, below := n, above{valid: valid, unknown: up.unknown}
	switch nd.kind {
	case nodeList:
		below = above{}
		offsets, err := layer.finishOffsets()
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, offsets)
		items = int(layer.items)
	case nodeFSL:
		items, below = n*nd.dim, above{unknown: true}
	}
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range nd.children {
		child, err := a.data(c, items, below)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(nd.field.Type, n, buffers, children, layer.valid.nulls, 0), nil
}
