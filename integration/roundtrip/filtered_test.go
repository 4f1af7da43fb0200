//go:build integration

package roundtrip_test

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
)

// filtered tests structs for null beside row ids, and reads the rows that are kept: what the tests read of a struct and
// what is read of it afterwards are put together.
func (c *checker) filtered() error {
	structs := structPaths(nil, c.tab.Schema().Fields())
	if len(structs) == 0 || c.want.rows == 0 {
		return nil
	}
	for range 4 {
		path := structs[c.rng.IntN(len(structs))]
		some, someKept := c.someRows()
		other, otherKept := c.someRows()
		null, not := expr.Expr(expr.Path(path...).IsNull()), c.rng.IntN(2) == 0
		if not {
			null = expr.Path(path...).IsNotNull()
		}
		e := expr.AllOf(some, expr.AnyOf(other, null))
		var kept []int64
		for row, id := range c.ids {
			if someKept(id) && (otherKept(id) || c.want.null(path, int64(row)) != not) {
				kept = append(kept, int64(row))
			}
		}
		columns := c.columns()
		if c.rng.IntN(2) == 0 {
			columns = lanceio.Columns(path[:1])
		}
		if err := c.keeps(kept, lanceio.FilterExpr(e), columns); err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	return nil
}

// someRows gives a condition on row ids and what it comes to: a range, some single rows, all or none.
func (c *checker) someRows() (expr.Expr, func(id uint64) bool) {
	id := expr.Path("_rowid")
	one := func() uint64 { return c.ids[c.rng.IntN(len(c.ids))] }
	switch c.rng.IntN(4) {
	case 0:
		from := one()
		return id.Ge(expr.Int(int64(from))), func(id uint64) bool { return id >= from }
	case 1:
		from, to := one(), one()
		return id.Between(expr.Int(int64(from)), expr.Int(int64(to))), func(id uint64) bool { return from <= id && id <= to }
	case 2:
		return id.Lt(expr.Int(0)), func(uint64) bool { return false }
	}
	list, ids := make([]expr.Expr, 1+c.rng.IntN(40)), []uint64{}
	for i := range list {
		ids = append(ids, one())
		list[i] = expr.Int(int64(ids[i]))
	}
	return id.In(list...), func(id uint64) bool { return slices.Contains(ids, id) }
}

// keeps makes sure that a scan gives the rows that are wanted.
func (c *checker) keeps(rows []int64, opts ...lanceio.ScanOption) error {
	s, err := c.tab.NewScan(opts...)
	if err != nil {
		return err
	}
	r, err := s.Reader(c.ctx, c.mem)
	if err != nil {
		return err
	}
	defer r.Release()
	for n := len(rows); r.Next(); {
		b := r.RecordBatch()
		if int(b.NumRows()) > len(rows) {
			return fmt.Errorf("more than %d rows", n)
		}
		spans := make([]span, b.NumRows())
		for i := range spans {
			spans[i] = span{i, rows[i], 1}
		}
		if err := c.compare(b, spans); err != nil {
			return err
		}
		rows = rows[len(spans):]
	}
	if r.Err() == nil && len(rows) > 0 {
		return fmt.Errorf("%d rows are lacking, the first is %d", len(rows), rows[0])
	}
	return r.Err()
}

// structPaths gives the paths of structs with members.
func structPaths(above expr.FieldPath, fields []arrow.Field) []expr.FieldPath {
	var out []expr.FieldPath
	for _, f := range fields {
		if st, ok := f.Type.(*arrow.StructType); ok && st.NumFields() > 0 {
			path := above.Child(f.Name)
			out = append(append(out, path), structPaths(path, st.Fields())...)
		}
	}
	return out
}

// null tells whether a struct of a row is null, as it is where it lies in one that is.
func (w *wanted) null(path expr.FieldPath, row int64) bool {
	k, i := w.place(row)
	a := w.batches[k].Column(w.schema.FieldIndices(path[0])[0])
	for _, name := range path[1:] {
		if a.IsNull(i) {
			return true
		}
		st := a.(*array.Struct)
		at, _ := st.DataType().(*arrow.StructType).FieldIdx(name)
		a = st.Field(at)
	}
	return a.IsNull(i)
}
