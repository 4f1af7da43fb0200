package engine

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/gather"
)

// CutBytes is the size below which batches are cut. A single larger row stays whole.
const CutBytes = 1 << 20

// Cutter cuts a batch into slices of at most CutBytes, without copying. Its zero value is ready for use.
type Cutter struct {
	batch arrow.RecordBatch
	row   int64
}

// Push takes the batch over; the one before must have been used up.
func (c *Cutter) Push(b arrow.RecordBatch) {
	c.Release()
	c.batch, c.row = b, 0
}

// Next gives the next slice, which the caller releases, or nil when the batch is used up.
func (c *Cutter) Next() arrow.RecordBatch {
	if c.batch == nil {
		return nil
	}
	rest := c.batch.NumRows() - c.row
	if rest <= 0 {
		c.Release()
		return nil
	}
	n := c.fit(rest)
	out := c.batch.NewSlice(c.row, c.row+n)
	c.row += n
	return out
}

// fit gives the most rows, at least one, whose bytes are within CutBytes.
func (c *Cutter) fit(rest int64) int64 {
	size := func(n int64) int64 {
		var total int64
		for _, col := range c.batch.Columns() {
			total += gather.Bytes(col, int(c.row), int(c.row+n))
		}
		return total
	}
	if size(rest) <= CutBytes {
		return rest
	}
	lo, hi := int64(1), rest // lo fits (or is one row), hi does not
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if size(mid) <= CutBytes {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Release lets go of the batch.
func (c *Cutter) Release() {
	if c.batch != nil {
		c.batch.Release()
		c.batch = nil
	}
}
