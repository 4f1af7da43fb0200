package eval

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// column gives the array of a column path and the rows in which it is valid: in a struct, its own validity and that of
// all its parents; nil valid means that the array's own nulls are all there are.
func (ev *evaluator) column(c *expr.Column) (arrow.Array, words, error) {
	if len(c.Path) == 0 {
		return nil, nil, errs.New(errs.ErrInternal, "a column without a name")
	}
	a, err := ev.env.Column(c.Rel, c.Path[0])
	if err != nil {
		return nil, nil, err
	}
	if a.Len() != ev.n {
		return nil, nil, errs.New(errs.ErrInternal, "column %s has %d rows, not %d", c.Path, a.Len(), ev.n)
	}
	var parents words
	for _, name := range c.Path[1:] {
		if a, parents, err = fieldOf(a, parents, name); err != nil {
			return nil, nil, errs.New(errs.ErrInternal, "column %s: %w", c.Path, err)
		}
	}
	if parents == nil {
		return a, nil, nil
	}
	return a, andValid(parents, validWords(a)), nil
}

// fieldOf goes down into a struct; parents are the rows valid so far, nil for all.
func fieldOf(a arrow.Array, parents words, name string) (arrow.Array, words, error) {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if a.DataType().ID() == arrow.NULL {
		return a, noWords(a.Len()), nil
	}
	st, ok := a.(*array.Struct)
	if !ok {
		return nil, nil, errs.Invalidf("%s is read from a value of type %s", expr.FieldPath{name}, a.DataType())
	}
	idx, ok := st.DataType().(*arrow.StructType).FieldIdx(name)
	if !ok {
		return nil, nil, errs.NotFoundf("there is no field %s", expr.FieldPath{name})
	}
	return st.Field(idx), andValid(parents, validWords(st)), nil
}

// array gives the array of a column or of a field of one, with the rows in which it is valid as for column.
func (ev *evaluator) array(e expr.Expr) (arrow.Array, words, error) {
	switch e := e.(type) {
	case *expr.Column:
		return ev.column(e)
	case *expr.Extract:
		a, valid, err := ev.array(e.X)
		if err != nil {
			return nil, nil, err
		}
		f, parents, err := fieldOf(a, valid, e.Name)
		if err != nil || parents == nil {
			return f, nil, err
		}
		return f, andValid(parents, validWords(f)), nil
	}
	return nil, nil, errs.Unsupportedf("%s in a scan", e)
}

type columnKey struct {
	rel  int
	path string
}

func (ev *evaluator) isElement(c *expr.Column) bool {
	return ev.element != nil && c.Path.Equal(ev.element.path)
}

func (ev *evaluator) columnVec(c *expr.Column) (*vec, error) {
	if ev.isElement(c) {
		return ev.element.values, nil
	}
	if ev.element != nil {
		v, err := ev.element.outer.columnVec(c)
		if err != nil {
			return nil, err
		}
		return v.take(ev.element.rows), nil
	}
	key := columnKey{c.Rel, c.Path.Key()}
	if v, ok := ev.cache[key]; ok {
		return v, nil
	}
	a, valid, err := ev.column(c)
	if err != nil {
		return nil, err
	}
	v, err := load(a, valid)
	if err != nil {
		return nil, err
	}
	if ev.cache == nil {
		ev.cache = make(map[columnKey]*vec)
	}
	ev.cache[key] = v
	return v, nil
}

// columnArray gives a column as an array of its own, its parents' nulls put in; the caller releases it.
func (ev *evaluator) columnArray(c *expr.Column, mem memory.Allocator) (arrow.Array, error) {
	a, valid, err := ev.column(c)
	if err != nil {
		return nil, err
	}
	if valid == nil || a.DataType().ID() == arrow.NULL {
		a.Retain()
		return a, nil
	}
	if !allWords(a.Len()).andNot(valid).any() && a.NullN() == 0 {
		a.Retain()
		return a, nil
	}
	return withValidity(a, valid, mem), nil
}

// withValidity gives a with other nulls, sharing all its other buffers.
func withValidity(a arrow.Array, valid words, mem memory.Allocator) arrow.Array {
	d := a.Data()
	bitmap := valid.bytes(d.Offset(), d.Len())
	buf := memory.NewResizableBuffer(mem)
	defer buf.Release()
	buf.Resize(len(bitmap))
	copy(buf.Bytes(), bitmap)
	buffers := append([]*memory.Buffer(nil), d.Buffers()...)
	buffers[0] = buf
	var nd *array.Data
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		nd = array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.Len()-valid.count(), d.Offset(), dict)
	} else {
		nd = array.NewData(d.DataType(), d.Len(), buffers, d.Children(), d.Len()-valid.count(), d.Offset())
	}
	defer nd.Release()
	return array.MakeFromData(nd)
}
