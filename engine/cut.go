package engine

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
			total += sliceBytes(col, int(c.row), int(c.row+n))
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

// sliceBytes gives the bytes that rows from..to of an array take on the wire, validity bits left out.
func sliceBytes(arr arrow.Array, from, to int) int64 {
	if to <= from {
		return 0
	}
	n := int64(to - from)
	switch a := arr.(type) {
	case array.ExtensionArray:
		return sliceBytes(a.Storage(), from, to)
	case *array.Struct:
		total := n / 8
		for i := range a.NumField() {
			total += sliceBytes(a.Field(i), from, to)
		}
		return total
	case *array.FixedSizeList:
		size := int(a.DataType().(*arrow.FixedSizeListType).Len())
		off := a.Data().Offset()
		return n/8 + sliceBytes(a.ListValues(), (off+from)*size, (off+to)*size)
	case *array.ListView, *array.LargeListView:
		total := 12 * n
		for i := from; i < to; i++ {
			s, e := arr.(array.ListLike).ValueOffsets(i)
			total += sliceBytes(arr.(array.ListLike).ListValues(), int(s), int(e))
		}
		return total
	case array.ListLike: // List, LargeList, Map
		s, _ := a.ValueOffsets(from)
		_, e := a.ValueOffsets(to - 1)
		return 4*n + sliceBytes(a.ListValues(), int(s), int(e))
	case *array.String:
		return 4*n + spread(a.ValueOffsets(), from, to)
	case *array.LargeString:
		return 8*n + spread(a.ValueOffsets(), from, to)
	case *array.Binary:
		return 4*n + spread(a.ValueOffsets(), from, to)
	case *array.LargeBinary:
		return 8*n + spread(a.ValueOffsets(), from, to)
	case *array.StringView:
		return viewBytes(n, from, to, a.ValueLen)
	case *array.BinaryView:
		return viewBytes(n, from, to, a.ValueLen)
	}
	return n * int64(fixedBits(arr.DataType())) / 8
}

// spread is the number of bytes between two offsets.
func spread[T int32 | int64](offsets []T, from, to int) int64 {
	return int64(offsets[to] - offsets[from])
}

func viewBytes(n int64, from, to int, valueLen func(int) int) int64 {
	total := 16 * n
	for i := from; i < to; i++ {
		total += int64(valueLen(i))
	}
	return total
}

// fixedBits is the width of a type's values in bits, 64 where the type tells none.
func fixedBits(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.NullType:
		return 0
	case *arrow.DictionaryType:
		return fixedBits(t.IndexType)
	case arrow.FixedWidthDataType:
		return t.BitWidth()
	}
	return 64
}
