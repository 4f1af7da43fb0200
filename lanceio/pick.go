package lanceio

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// partSet tells of which structs something was read, from which of a fragment's files.
type partSet map[part]bool

type part struct {
	field int32
	file  int
}

// addParts adds the structs of a tree that is read from a file.
func addParts(f *encoding.Field, file int, have partSet) {
	if f.Type.ID() != arrow.STRUCT {
		return
	}
	have[part{f.ID, file}] = true
	for _, c := range f.Children {
		addParts(c, file, have)
	}
}

// picker chooses what to read of a column: per file the ids of leaves, and structs of files before 2.1, which are there
// for every row without any leaf being read.
type picker struct {
	r       *fragmentReader
	read    fieldSet // ids of the units to read
	have    partSet
	leaves  []fieldSet
	headers fieldSet
}

func (p *picker) pick(file int, leaf int32) {
	if p.leaves[file] == nil {
		p.leaves[file] = fieldSet{}
	}
	p.leaves[file][leaf] = true
}

// node picks what is to be read at or below a node, and gives the files that something of it is read from, now or before.
//
// A struct is null where all files that hold something of it say so (a file that a member was added in may have values
// where the older one has none), so that each of these files must say it: one of which no member is read has its smallest
// leaf read for that.
func (p *picker) node(ctx context.Context, n *node) (map[int]bool, error) {
	files := map[int]bool{}
	if n.filler || n.field == nil {
		return files, nil
	}
	if !n.isStruct() {
		if p.read[n.field.ID] {
			p.all(n.field, files)
		}
		return files, nil
	}
	for _, c := range n.children {
		below, err := p.node(ctx, c)
		if err != nil {
			return nil, err
		}
		for i := range below {
			files[i] = true
		}
	}
	for i := range p.r.f.Files {
		if p.have[part{n.field.ID, i}] {
			files[i] = true
		}
	}
	if !n.nulls {
		return files, nil
	}
	for i, d := range p.r.f.Files {
		if files[i] || !d.Holds(n.field) || !n.field.Nullable && len(files) > 0 {
			continue
		}
		if err := p.witness(ctx, n.field, i); err != nil {
			return nil, err
		}
		files[i] = true
	}
	return files, nil
}

// all picks all leaves at or below f, and adds their files.
func (p *picker) all(f *table.Field, files map[int]bool) {
	if i, column, ok := p.r.f.Find(f.ID); ok && (column >= 0 || f.Leaf()) {
		p.pick(i, f.ID)
		files[i] = true
	}
	if f.Leaf() {
		return
	}
	for _, c := range f.Children {
		p.all(c, files)
	}
}

// witness picks the leaf, or the map, below a struct that takes the fewest bytes of a file.
func (p *picker) witness(ctx context.Context, f *table.Field, file int) error {
	d := p.r.f.Files[file]
	column, ok := d.Column(f.ID)
	if ok && (column >= 0 && d.Format == table.Format20 || d.Format == table.FormatLegacy) {
		p.headers[f.ID] = true
		return nil
	}
	open, err := p.r.file(ctx, file)
	if err != nil {
		return err
	}
	var best []int32
	bestBytes := uint64(0)
	var visit func(f *table.Field) error
	visit = func(f *table.Field) error {
		if !f.Leaf() && f.Type.ID() != arrow.MAP {
			for _, c := range f.Children {
				if err := visit(c); err != nil {
					return err
				}
			}
			return nil
		}
		// A map without its keys or values is none.
		leaves, indices := columnsBelow(d, f, nil, nil)
		if len(leaves) == 0 {
			return nil
		}
		columns, err := open.meta.Columns(ctx, open.in, indices)
		if err != nil {
			return err
		}
		bytes := uint64(0)
		for _, c := range columns {
			bytes += columnBytes(c)
		}
		if best == nil || bytes < bestBytes {
			best, bestBytes = leaves, bytes
		}
		return nil
	}
	if err := visit(f); err != nil {
		return err
	}
	for _, leaf := range best {
		p.pick(file, leaf)
	}
	return nil
}

// columnsBelow adds the leaves at or below a field that have columns in a file, and these columns.
func columnsBelow(d *table.DataFile, f *table.Field, leaves []int32, columns []int) ([]int32, []int) {
	if f.Leaf() {
		if column, ok := d.Column(f.ID); ok && column >= 0 {
			leaves, columns = append(leaves, f.ID), append(columns, column)
		}
		return leaves, columns
	}
	for _, c := range f.Children {
		leaves, columns = columnsBelow(d, c, leaves, columns)
	}
	return leaves, columns
}
