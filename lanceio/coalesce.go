package lanceio

import (
	"context"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const (
	// smallRows and smallBytes tell a batch that is worth joining with its neighbours: a filter that few rows pass gives
	// one from each fragment.
	smallRows  = 1 << 10
	smallBytes = 64 << 10
	// joinedRows and joinedBytes are enough for one batch.
	joinedRows  = 8 << 10
	joinedBytes = 256 << 10
	// joinedAge bounds how long rows are held back while the scan looks for more.
	joinedAge = 50 * time.Millisecond
)

// coalescer joins small batches on their way to the consumer.
type coalescer struct {
	a        assembler
	schema   *arrow.Schema
	maxRows  int64
	out      func(ctx context.Context, b arrow.RecordBatch, bytes int64) error
	now      func() time.Time
	separate bool // batches can't be joined
	held     []arrow.RecordBatch
	rows     int64
	bytes    int64
	since    time.Time
}

func newCoalescer(p *plan, a assembler, out func(context.Context, arrow.RecordBatch, int64) error) *coalescer {
	c := &coalescer{a: a, schema: p.schema, maxRows: joinedRows, out: out, now: time.Now}
	if p.spec.BatchRows > 0 {
		c.maxRows = min(c.maxRows, int64(p.spec.BatchRows))
	}
	for _, f := range p.schema.Fields() {
		c.separate = c.separate || hasDictionary(f.Type)
	}
	return c
}

// put gives a batch away, also when it fails.
func (c *coalescer) put(ctx context.Context, b arrow.RecordBatch, bytes int64) error {
	small := !c.separate && b.NumRows() < smallRows && bytes < smallBytes
	if !small || c.rows+b.NumRows() > c.maxRows {
		if err := c.flush(ctx); err != nil {
			b.Release()
			return err
		}
	}
	if !small {
		return c.out(ctx, b, bytes)
	}
	if len(c.held) == 0 {
		c.since = c.now()
	}
	c.held = append(c.held, b)
	c.rows += b.NumRows()
	c.bytes += bytes
	if c.bytes >= joinedBytes {
		return c.flush(ctx)
	}
	return c.tick(ctx)
}

// tick sends what was held back for too long. It is called between windows.
func (c *coalescer) tick(ctx context.Context) error {
	if len(c.held) > 0 && c.now().Sub(c.since) > joinedAge {
		return c.flush(ctx)
	}
	return nil
}

// flush sends what is held back.
func (c *coalescer) flush(ctx context.Context) error {
	if len(c.held) == 0 {
		return nil
	}
	held, rows, bytes := c.held, c.rows, c.bytes
	c.held, c.rows, c.bytes = nil, 0, 0
	if len(held) == 1 {
		return c.out(ctx, held[0], bytes)
	}
	b, err := c.join(held, rows)
	if err != nil {
		return err
	}
	return c.out(ctx, b, bytes)
}

func (c *coalescer) join(held []arrow.RecordBatch, rows int64) (arrow.RecordBatch, error) {
	defer func() {
		for _, b := range held {
			b.Release()
		}
	}()
	cols := make([]arrow.Array, c.schema.NumFields())
	defer releaseAll(cols)
	for i := range cols {
		arrs := make([]arrow.Array, len(held))
		for k, b := range held {
			arrs[k] = b.Column(i)
		}
		joined, err := c.a.concat(arrs)
		if err != nil {
			return nil, err
		}
		cols[i] = joined
	}
	return array.NewRecordBatch(c.schema, cols, rows), nil
}

// drop releases what is held back.
func (c *coalescer) drop() {
	for _, b := range c.held {
		b.Release()
	}
	c.held = nil
}
