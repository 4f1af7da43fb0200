package engine

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/nested"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// Projector computes a plan's output columns from the batches of a scan: fields by path, with the validity of every
// parent, and expressions by package eval. It is immutable and safe for concurrent use.
type Projector struct {
	schema *arrow.Schema
	cols   []projection
}

// projection is one output: a path as field positions, or an expression.
type projection struct {
	path []int
	x    expr.Expr
}

// NewProjector checks outputs against the schema of the batches that they will be computed from.
func NewProjector(in *arrow.Schema, outputs []physical.Output) (*Projector, error) {
	p := &Projector{cols: make([]projection, len(outputs))}
	fields := make([]arrow.Field, len(outputs))
	for i, out := range outputs {
		col, ok := out.Expr.(*expr.Column)
		if !ok {
			fields[i] = arrow.Field{Name: out.Name, Type: out.Expr.Type(), Nullable: true}
			p.cols[i] = projection{x: out.Expr}
			if fields[i].Type == nil {
				return nil, fmt.Errorf("output %s: expression %s has no type: %w", out.Name, out.Expr, errs.ErrInternal)
			}
			continue
		}
		path, f, err := resolvePath(in, col.Path)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", out.Name, err)
		}
		f.Name = out.Name
		p.cols[i], fields[i] = projection{path: path}, f
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

// Schema is that of the batches that Project gives.
func (p *Projector) Schema() *arrow.Schema { return p.schema }

// resolvePath finds a path in a schema; the field it gives is nullable where any part of the path is.
func resolvePath(in *arrow.Schema, path expr.FieldPath) ([]int, arrow.Field, error) {
	fields, idx := in.Fields(), make([]int, len(path))
	var f arrow.Field
	nullable := false
	for d, name := range path {
		at := -1
		for i := range fields {
			if fields[i].Name == name {
				at = i
				break
			}
		}
		if at < 0 {
			return nil, f, fmt.Errorf("the scan gives no column %s: %w", path, errs.ErrInternal)
		}
		idx[d], f = at, fields[at]
		nullable = nullable || f.Nullable
		fields = nil
		if st, ok := storageType(f.Type).(*arrow.StructType); ok {
			fields = st.Fields()
		}
	}
	if len(path) == 0 {
		return nil, f, fmt.Errorf("empty column path: %w", errs.ErrInternal)
	}
	f.Nullable = nullable
	return idx, f, nil
}

func storageType(t arrow.DataType) arrow.DataType {
	if ext, ok := t.(arrow.ExtensionType); ok {
		return ext.StorageType()
	}
	return t
}

// Project gives the output batch for a batch, which stays the caller's.
func (p *Projector) Project(mem memory.Allocator, in arrow.RecordBatch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, 0, len(p.cols))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range p.cols {
		var arr arrow.Array
		var err error
		if c.x != nil {
			arr, err = evalExpr(mem, c.x, in)
		} else {
			arr, err = extract(mem, in, c.path)
		}
		if err != nil {
			return nil, err
		}
		cols = append(cols, arr)
		if want := p.schema.Field(i).Type; !arrow.TypeEqual(arr.DataType(), want) {
			return nil, fmt.Errorf("column %s came as %s instead of %s: %w", p.schema.Field(i).Name, arr.DataType(), want, errs.ErrInternal)
		}
	}
	return array.NewRecordBatch(p.schema, cols, in.NumRows()), nil
}

// extract gives the array at a path, null wherever a parent is; the caller releases it.
func extract(mem memory.Allocator, in arrow.RecordBatch, path []int) (arrow.Array, error) {
	arr := in.Column(path[0])
	arr.Retain()
	for _, i := range path[1:] {
		storage := arr
		if ext, ok := arr.(array.ExtensionArray); ok {
			storage = ext.Storage()
		}
		st, ok := storage.(*array.Struct)
		if !ok {
			arr.Release()
			return nil, fmt.Errorf("a path goes through a column of type %s: %w", arr.DataType(), errs.ErrInternal)
		}
		child := nested.Child(mem, st, i)
		arr.Release()
		arr = child
	}
	return arr, nil
}
