package cells

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
)

// Dims is what the rows of a table version say of the dimensions of some variables. It is not changed once it was read.
type Dims struct {
	names       []string        // in the order in which the rows name them
	coordinates map[string]bool // those whose variable has just this dimension wherever it is
	cells       int64           // of all rows; negative where some row's dimensions are not right
	fewest      int64           // the fewest cells of a row; 0 where some row's dimensions are not right
}

// Bytes is about what the dimensions take in memory.
func (d *Dims) Bytes() int64 {
	total := int64(64)
	for _, n := range d.names {
		total += int64(len(n)) + 64
	}
	return total
}

// Read reads the names and sizes of the dimensions of all rows.
func Read(ctx context.Context, rows scan.Source, vars []ndarray.Variable, mem memory.Allocator) (*Dims, error) {
	plan, err := rows.Plan(ctx, scan.Spec{Columns: dimPaths(vars, nil), Limit: -1})
	if err != nil {
		return nil, err
	}
	in, err := plan.Open(ctx, mem)
	if err != nil {
		return nil, err
	}
	r := dimReader{shaper: shaper{vars: vars, names: &names{}}, other: make([]bool, len(vars)), own: make([]bool, len(vars)), fewest: math.MaxInt64}
	for {
		batch, err := in.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.shaper.load(batch)
			if err == nil {
				err = r.add(int(batch.NumRows()))
			}
			batch.Release()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("dimensions of %s: %w", rows.Name(), err), in.Close())
		}
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	return r.dims(), nil
}

// dimPaths are what must be read of variables to know the dimensions, with the values of some.
func dimPaths(vars []ndarray.Variable, values []bool) []expr.FieldPath {
	var out []expr.FieldPath
	for i, v := range vars {
		if values != nil && values[i] {
			out = append(out, expr.FieldPath{v.Name, ndarray.ValuesField})
		}
		out = append(out, expr.FieldPath{v.Name, ndarray.DimNamesField}, expr.FieldPath{v.Name, ndarray.DimSizesField})
	}
	return out
}

type dimReader struct {
	shaper shaper
	// own and other tell of a variable whether it has its own name as its only dimension, and whether it is otherwise.
	own, other []bool
	cells      int64
	fewest     int64
}

func (r *dimReader) add(rows int) error {
	for i := range rows {
		was := r.shaper.last
		sh, err := r.shaper.row(i)
		if errors.Is(err, errs.ErrCorrupt) { // told when the row is used
			r.cells, r.fewest = -1, 0
			r.see()
			continue
		}
		if err != nil {
			return err
		}
		r.fewest = min(r.fewest, sh.cells)
		if r.cells >= 0 && r.cells <= math.MaxInt64-sh.cells {
			r.cells += sh.cells
		} else {
			r.cells = -1
		}
		if sh != was {
			r.see()
		}
	}
	return nil
}

// see looks at the variables of the row whose key the shaper has.
func (r *dimReader) see() {
	key := r.shaper.next
	for v := 0; v < len(r.own) && len(key) > 0; v++ {
		n := key[0]
		key = key[1:]
		if n == absent {
			continue
		}
		if int64(len(key)) < 2*n {
			return // the row went wrong here
		}
		if n == 1 && r.shaper.names.list[key[0]] == r.shaper.vars[v].Name {
			r.own[v] = true
		} else {
			r.other[v] = true
		}
		key = key[2*n:]
	}
}

func (r *dimReader) dims() *Dims {
	out := &Dims{names: r.shaper.names.list, coordinates: map[string]bool{}, cells: r.cells, fewest: r.fewest}
	for i, v := range r.shaper.vars {
		out.coordinates[v.Name] = r.own[i] && !r.other[i]
	}
	return out
}
