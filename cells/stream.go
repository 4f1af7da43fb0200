package cells

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/scan"
)

// Bounds of a batch. Its bytes are guessed from the widest value that a row may put into a cell.
const (
	batchCells = 16 << 10
	batchBytes = 1 << 20
	// bareCells bounds batches without columns.
	bareCells = 1 << 20
)

// piece is a run of a row's cells.
type piece struct {
	row      int
	shape    *shape
	start, n int64
}

func count(pieces []piece) int64 {
	var n int64
	for _, p := range pieces {
		n += p.n
	}
	return n
}

// stream makes the cells of one batch of rows after the other, in runs of bounded size.
type stream struct {
	p    *plan
	in   scan.Stream
	mem  memory.Allocator
	rows *rowBatch // nil before the next
	// row is the one of rows whose cells come next, cell the first of these.
	row, cell  int64
	skip, left int64 // cells; left is negative for all
	closed     bool
	shaper     shaper
}

func newStream(p *plan, in scan.Stream, mem memory.Allocator) *stream {
	s := &stream{p: p, in: in, mem: mem, skip: p.spec.Offset, left: p.spec.Limit}
	byName := make(map[string]int, len(p.s.dims.names))
	for i, n := range p.s.dims.names {
		byName[n] = i
	}
	s.shaper = shaper{vars: p.s.vars, names: &names{list: p.s.dims.names, byName: byName, closed: true}}
	return s
}

// Metrics tells what was read of the rows.
func (s *stream) Metrics() scan.Metrics { return s.in.Metrics() }

// Close releases all.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.drop()
	return s.in.Close()
}

func (s *stream) drop() {
	if s.rows != nil {
		s.rows.release()
		s.rows = nil
	}
}

// Next gives the next cells.
func (s *stream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	for !s.closed && s.left != 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.rows == nil {
			if err := s.load(ctx); err != nil {
				return nil, err
			}
		}
		pieces, err := s.pieces()
		if err == nil && len(pieces) > 0 {
			pieces, err = s.pass(pieces)
		}
		if err != nil {
			return nil, err
		}
		if pieces = s.window(pieces); len(pieces) == 0 {
			continue
		}
		return s.batch(pieces)
	}
	return nil, io.EOF
}

// load takes the next batch of rows over.
func (s *stream) load(ctx context.Context) error {
	batch, err := s.in.Next(ctx)
	if err != nil {
		return err
	}
	s.rows, err = newRowBatch(s.p, batch, s.mem)
	if err != nil {
		return err
	}
	s.row, s.cell = 0, 0
	if err := s.shaper.load(batch); err != nil {
		s.drop()
		return err
	}
	return nil
}

// pieces gives the next cells of the rows, as many as go into a batch; none at the end of the rows, which are let go.
func (s *stream) pieces() ([]piece, error) {
	var out []piece
	room := int64(batchCells)
	bare := len(s.p.outputs)+len(s.p.computed) == 0 && s.p.filter == nil
	if bare {
		room = bareCells
	}
	if n := int64(s.p.spec.BatchRows); n > 0 {
		room = min(room, n)
	}
	bytes := int64(batchBytes)
	for room > 0 && s.row < s.rows.batch.NumRows() {
		sh, err := s.shaper.row(int(s.row))
		if err == nil {
			err = s.rows.check(int(s.row), sh)
		}
		if err != nil {
			return nil, s.rowError(err)
		}
		n := min(sh.cells-s.cell, room)
		if !bare && n > 0 {
			width := max(s.rows.width(int(s.row), sh), 1)
			if bytes < width && len(out) > 0 {
				break
			}
			n = min(n, max(bytes/width, 1))
			bytes -= n * width
		}
		if n > 0 {
			out = append(out, piece{row: int(s.row), shape: sh, start: s.cell, n: n})
		}
		room -= n
		if s.cell += n; s.cell < sh.cells {
			break // the batch is full
		}
		s.row, s.cell = s.row+1, 0
	}
	if len(out) == 0 {
		s.drop()
	}
	return out, nil
}

// rowError names the row that comes next.
func (s *stream) rowError(err error) error {
	if ids, ok := s.rows.batch.Column(s.p.rowIDAt()).(*array.Uint64); ok {
		return fmt.Errorf("cells of %s, row %d: %w", s.p.s.rows.Name(), ids.Value(int(s.row)), err)
	}
	return err
}

// pass gives the cells that pass the filter.
func (s *stream) pass(pieces []piece) ([]piece, error) {
	if s.p.filter == nil {
		return pieces, nil
	}
	n := count(pieces)
	in, err := s.rows.inputs(s.p.filter.inputs, pieces, n)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	mask, err := eval.Mask(s.p.filter.e, eval.Batch{Rows: in}, int(n))
	if err != nil || mask.All() {
		return pieces, err
	}
	return narrow(pieces, mask), nil
}

// narrow gives the cells whose bits are set, in order.
func narrow(pieces []piece, mask eval.Bitmap) []piece {
	var out []piece
	at := 0
	for _, p := range pieces {
		for k := int64(0); k < p.n; {
			if !mask.Get(at + int(k)) {
				k++
				continue
			}
			from := k
			for k < p.n && mask.Get(at+int(k)) {
				k++
			}
			out = append(out, piece{row: p.row, shape: p.shape, start: p.start + from, n: k - from})
		}
		at += int(p.n)
	}
	return out
}

// window leaves out the cells before the offset and beyond the limit.
func (s *stream) window(pieces []piece) []piece {
	for len(pieces) > 0 && s.skip > 0 {
		n := min(s.skip, pieces[0].n)
		s.skip -= n
		pieces[0].start += n
		if pieces[0].n -= n; pieces[0].n == 0 {
			pieces = pieces[1:]
		}
	}
	if s.left < 0 {
		return pieces
	}
	for i := range pieces {
		pieces[i].n = min(pieces[i].n, s.left)
		if s.left -= pieces[i].n; s.left == 0 {
			return pieces[:i+1]
		}
	}
	return pieces
}

// batch makes the cells' columns.
func (s *stream) batch(pieces []piece) (arrow.RecordBatch, error) {
	n := count(pieces)
	cols := make([]arrow.Array, 0, s.p.schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, f := range s.p.outputs {
		c, err := s.rows.column(f, pieces, n)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	for _, x := range s.p.computed {
		in, err := s.rows.inputs(x.inputs, pieces, n)
		if err != nil {
			return nil, err
		}
		c, err := eval.Eval(x.e, eval.Batch{Rows: in}, int(n), s.mem)
		in.Release()
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return array.NewRecordBatch(s.p.schema, cols, n), nil
}
