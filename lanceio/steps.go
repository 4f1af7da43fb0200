package lanceio

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// step runs one stage on one fragment: it reads the stage's new parts and puts the stage's columns together.
type step struct {
	a      assembler
	bytes  int64 // of a window
	beside int   // columns that are read at once; one for each core at least
	window window
	width  width // of the windows of the fragment before
	stage  stage
	learn  *learner // nil: nothing is to be learned
	// lanes are the readers of each lane, nil where it has none yet: they are made when the first row reaches it.
	lanes [maxLanes][]*columnReader
	// before is of which structs earlier steps read something.
	before partSet
}

// open makes the readers of a lane. have are the structs of which something was read; it is added to.
func (s *step) open(ctx context.Context, lane int, r *fragmentReader, have partSet) error {
	if s.lanes[lane] != nil {
		return nil
	}
	first := s.before == nil
	if first {
		s.before = maps.Clone(have)
	} else {
		have = maps.Clone(s.before) // as the first lane found it
	}
	columns, err := r.open(ctx, s.stage, have)
	if err != nil {
		return err
	}
	s.lanes[lane] = columns
	if !first {
		return nil
	}
	var rowBytes float64
	variable, leaves := false, 0
	for _, c := range columns {
		rowBytes, variable, leaves = rowBytes+c.rowBytes, variable || c.variable, leaves+c.leaves
	}
	s.window = newWindow(windowRows, s.wanted(leaves), rowBytes, variable)
	s.window.like(s.width, rowBytes)
	s.width.rowBytes = rowBytes
	return nil
}

// wanted is what a window over some columns of files is meant to take.
func (s *step) wanted(leaves int) int64 {
	if s.beside > 1 { // requests wait for the store: few are better
		return s.bytes
	}
	return min(s.bytes, leafBytes*int64(max(leaves, 1)))
}

// run reads what the stage needs at the block's rows, adds it to the block, and gives the stage's columns. The caller
// releases them. It uses the readers of a lane.
func (s *step) run(ctx context.Context, lane int, b *block) ([]arrow.Array, error) {
	n := int(b.sel.count())
	columns := s.lanes[lane]
	if err := s.read(ctx, columns, b, n); err != nil {
		return nil, err
	}
	out := make([]arrow.Array, len(columns))
	for i, c := range columns {
		var parts []arrow.Array
		if c.top != nil && !c.node.filler {
			parts = b.parts[c.top.ID]
		}
		arr, err := s.a.build(c.node.typ, parts, n)
		if err != nil {
			releaseAll(out)
			return nil, fmt.Errorf("column %s: %w", c.node.name, err)
		}
		out[i] = arr
	}
	return out, nil
}

// read adds the parts that the step's readers give. Columns are decoded side by side.
func (s *step) read(ctx context.Context, columns []*columnReader, b *block, n int) error {
	type job struct {
		top    *table.Field
		reader encoding.FieldReader
	}
	var jobs []job
	for _, c := range columns {
		for _, r := range c.readers {
			jobs = append(jobs, job{c.top, r})
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	if err := prefetch(ctx, columns, b.sel); err != nil {
		return err
	}
	got := make([]arrow.Array, len(jobs))
	one := func(ctx context.Context, i int) (err error) {
		defer errs.Contain(&err)
		arr, err := jobs[i].reader.Read(ctx, b.sel)
		if err != nil {
			return err
		}
		got[i] = arr
		if arr.Len() != n {
			return errs.New(errs.ErrInternal, "column %s: %d values were read for %d rows", jobs[i].top.Name, arr.Len(), n)
		}
		return nil
	}
	if err := sideBySide(ctx, len(jobs), max(s.beside, runtime.GOMAXPROCS(0)), one); err != nil {
		releaseAll(got)
		return err
	}
	for i, j := range jobs {
		b.parts[j.top.ID] = append(b.parts[j.top.ID], got[i])
	}
	return nil
}

// sideBySide runs do for each of n, at most so many at once. Each goroutine does many, as a new one's stack has to grow
// first. The first error ends them.
func sideBySide(ctx context.Context, n, most int, do func(ctx context.Context, i int) error) error {
	if n == 1 {
		return do(ctx, 0)
	}
	var next atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	for range min(n, most) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := gctx.Err(); err != nil {
					return err
				}
				if err := do(gctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// rowIDs knows the row ids of a fragment: its addresses, or a sequence where the table has stable row ids; and the
// versions of its rows.
type rowIDs struct {
	fragment uint32
	stable   *table.RowIDSequence // nil: ids are addresses

	created, updated rowVersions
}

// at is the id of a physical row.
func (r rowIDs) at(row uint64) uint64 {
	if r.stable != nil {
		return r.stable.At(row)
	}
	return r.address(row)
}

func (r rowIDs) address(row uint64) uint64 {
	return uint64(table.NewRowAddress(r.fragment, uint32(row)))
}

// special gives a special column at the rows of a selection. The caller releases it.
func (r rowIDs) special(a assembler, name string, sel selection) arrow.Array {
	b := array.NewUint64Builder(a.mem)
	defer b.Release()
	b.Reserve(int(sel.count()))
	for _, rg := range sel {
		for row := rg.Start; row < rg.End; row++ {
			switch name {
			case scan.FragID:
				b.UnsafeAppend(uint64(r.fragment))
			case scan.RowID:
				b.UnsafeAppend(r.at(row))
			case scan.RowCreated:
				b.UnsafeAppend(r.created.at(row))
			case scan.RowUpdated:
				b.UnsafeAppend(r.updated.at(row))
			default:
				b.UnsafeAppend(r.address(row))
			}
		}
	}
	return b.NewArray()
}
