package lanceio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// stage is what one step of a scan needs: the fields as its consumer wants them, and of these the units that no earlier
// step has read.
type stage struct {
	nodes []*node
	read  fieldSet // ids of units
	later fieldSet // ids of top-level columns that later steps use
}

// newStages takes the fields that each step wants, in the order of the steps.
func newStages(wants ...[]*node) []stage {
	seen := fieldSet{}
	stages := make([]stage, len(wants))
	for i, nodes := range wants {
		stages[i] = stage{nodes: nodes, read: fieldSet{}, later: fieldSet{}}
		for _, n := range nodes {
			n.units(func(f *table.Field) {
				if !seen[f.ID] {
					seen[f.ID], stages[i].read[f.ID] = true, true
				}
			})
		}
	}
	for i := range stages {
		for _, nodes := range wants[i+1:] {
			for _, n := range nodes {
				if n.field != nil && !n.filler {
					stages[i].later[n.field.ID] = true
				}
			}
		}
	}
	return stages
}

// fragmentReader reads the columns of one fragment for one stream. It is used by one goroutine at a time.
type fragmentReader struct {
	t     *Table
	f     *table.Fragment
	rows  uint64
	c     *counters
	mem   memory.Allocator
	files []*dataFile // as they were needed
	// stable are the row ids, once they were needed, of a table that has stable ones.
	stable *table.RowIDSequence
}

func newFragmentReader(t *Table, i int, c *counters, mem memory.Allocator) *fragmentReader {
	f := t.m.Fragments[i]
	return &fragmentReader{t: t, f: f, rows: t.fragments[i].PhysicalRows, c: c, mem: mem, files: make([]*dataFile, len(f.Files))}
}

func (r *fragmentReader) close() {
	for _, d := range r.files {
		if d != nil {
			d.close()
		}
	}
}

func (r *fragmentReader) file(ctx context.Context, i int) (*dataFile, error) {
	if r.files[i] == nil {
		d, err := r.t.openFile(ctx, r.f.Files[i], r.c)
		if err != nil {
			return nil, fmt.Errorf("fragment %d: %w", r.f.ID, err)
		}
		r.files[i] = d
	}
	return r.files[i], nil
}

// columnReader reads what a stage needs of one top-level column; the column may lie in several files, or in none.
type columnReader struct {
	node    *node
	top     *table.Field // nil for a column that the table lacks
	readers []encoding.FieldReader
	far     []farLeaf // of files whose store answers slowly
	// rowBytes is about what a row takes on disk; variable tells that rows may differ in size.
	rowBytes float64
	variable bool
	leaves   int // columns of files that are read
}

// open makes the readers of a stage. have are the structs of which earlier stages read something; it is added to.
func (r *fragmentReader) open(ctx context.Context, s stage, have partSet) ([]*columnReader, error) {
	out := make([]*columnReader, 0, len(s.nodes))
	for _, n := range s.nodes {
		c := &columnReader{node: n, top: n.field}
		out = append(out, c)
		if n.field == nil || n.filler {
			continue
		}
		pick := picker{r: r, read: s.read, have: have, leaves: make([]fieldSet, len(r.f.Files)), headers: fieldSet{}}
		if _, err := pick.node(ctx, n); err != nil {
			return nil, r.inColumn(n.field, err)
		}
		for i, d := range r.f.Files {
			b := treeBuilder{file: d, leaves: pick.leaves[i], headers: pick.headers}
			root := b.build(n.field)
			if root == nil {
				continue
			}
			if err := r.addReader(ctx, c, i, root); err != nil {
				return nil, r.inColumn(n.field, err)
			}
			addParts(root, i, have)
		}
	}
	return out, nil
}

func (r *fragmentReader) addReader(ctx context.Context, c *columnReader, i int, root *encoding.Field) error {
	d, err := r.file(ctx, i)
	if err != nil {
		return err
	}
	if partOfMap(root) {
		return errs.Corruptf(d.meta.Object, -1, "it holds just the keys or the values of a map")
	}
	countUnits(d.in, root)
	if _, err := d.meta.Attach(ctx, d.in, root, d.file.Fields, d.file.ColumnIndices); err != nil {
		return err
	}
	if d.in.far != nil {
		c.far = append(c.far, d.in.learn(root, r.rows)...)
	}
	if n, ok := pageRows(root); ok && n != r.rows {
		return errs.Corruptf(d.meta.Object, -1, "it has %d rows, the table says %d", n, r.rows)
	}
	reader, err := file.NewFieldReader(d.meta, root, d.in, r.mem)
	if err != nil {
		return err
	}
	c.readers = append(c.readers, reader)
	bytes, variable := onDisk(root)
	c.rowBytes += float64(bytes) / float64(max(r.rows, 1))
	c.variable = c.variable || variable
	c.leaves += physical(root)
	return nil
}

// inColumn adds the column to an error that names none.
func (r *fragmentReader) inColumn(f *table.Field, err error) error {
	if strings.Contains(err.Error(), "column ") || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("column %s: %w", f.Name, err)
}

// treeBuilder makes the projected tree of one file.
type treeBuilder struct {
	file    *table.DataFile
	leaves  fieldSet
	headers fieldSet
}

// build gives the tree at f of just the picked leaves that lie in the file; nil where there are none.
func (b treeBuilder) build(f *table.Field) *encoding.Field {
	out := &encoding.Field{
		Name: f.Name, Path: f.Path(), ID: f.ID, Logical: f.Logical, Type: f.Type, Nullable: f.Nullable, Metadata: f.Metadata,
	}
	if f.Leaf() {
		if !b.leaves[f.ID] {
			return nil
		}
		// The members of a leaf lie in its one column.
		out.Children = allFields(f.Children)
		return out
	}
	for _, c := range f.Children {
		if child := b.build(c); child != nil {
			out.Children = append(out.Children, child)
		}
	}
	if len(out.Children) == 0 {
		if _, ok := b.file.Column(f.ID); !ok || !b.headers[f.ID] {
			return nil
		}
	}
	out.Type = prunedType(f, out.Children)
	return out
}

func allFields(fields []*table.Field) []*encoding.Field {
	var out []*encoding.Field
	for _, f := range fields {
		out = append(out, &encoding.Field{
			Name: f.Name, Path: f.Path(), ID: f.ID, Logical: f.Logical, Type: f.Type, Nullable: f.Nullable, Metadata: f.Metadata,
			Children: allFields(f.Children),
		})
	}
	return out
}

// partOfMap tells whether there is a map in a tree whose entries lack their keys or values.
func partOfMap(f *encoding.Field) bool {
	if f.Type.ID() == arrow.MAP && (len(f.Children) != 1 || len(f.Children[0].Children) != 2) {
		return true
	}
	return slices.ContainsFunc(f.Children, partOfMap)
}

// prunedType is f's type over just some children; those of a map are never pruned.
func prunedType(f *table.Field, children []*encoding.Field) arrow.DataType {
	kids := make([]arrow.Field, len(children))
	same := len(children) == len(f.Children)
	for i, c := range children {
		same = same && arrow.TypeEqual(c.Type, f.Children[i].Type)
		kids[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Nullable, Metadata: c.Metadata}
	}
	if same {
		return f.Type
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		return arrow.StructOf(kids...)
	case *arrow.ListType:
		return arrow.ListOfField(kids[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(kids[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), kids[0])
	}
	return f.Type
}

// countUnits has what is read below lists, maps and structs stored as one count as these.
func countUnits(in *fileInput, f *encoding.Field) {
	if f.Type.ID() != arrow.STRUCT {
		in.count(f)
		return
	}
	for _, c := range f.Children {
		countUnits(in, c)
	}
}

// pageRows is the number of rows that the pages of a tree hold by the first column that counts rows; false where none
// does. Below fixed-size lists columns count items.
func pageRows(f *encoding.Field) (uint64, bool) {
	if f.Column != nil {
		var n uint64
		for _, p := range f.Column.Pages {
			n += p.Rows
		}
		return n, true
	}
	if f.Type.ID() == arrow.FIXED_SIZE_LIST {
		return 0, false
	}
	for _, c := range f.Children {
		if n, ok := pageRows(c); ok {
			return n, true
		}
	}
	return 0, false
}

// onDisk gives the bytes of the columns of a tree, and whether its values vary in size.
func onDisk(f *encoding.Field) (bytes uint64, variable bool) {
	if f.Column != nil {
		bytes = columnBytes(f.Column)
	}
	switch f.Type.ID() {
	case arrow.LIST, arrow.LARGE_LIST, arrow.MAP, arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY:
		variable = true
	}
	for _, c := range f.Children {
		b, v := onDisk(c)
		bytes, variable = bytes+b, variable || v
	}
	return bytes, variable
}

// physical is how many columns of the file a tree has.
func physical(f *encoding.Field) int {
	n := 0
	if f.Column != nil {
		n = 1
	}
	for _, c := range f.Children {
		n += physical(c)
	}
	return n
}

func columnBytes(c *encoding.Column) uint64 {
	var n uint64
	for _, p := range c.Pages {
		for _, b := range p.Buffers {
			n += b.Size
		}
	}
	return n
}
