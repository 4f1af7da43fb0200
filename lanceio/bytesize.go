package lanceio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// sizeOf is the number of bytes that values i to j of an array take in Arrow's own layout, with bitmaps and offsets; it
// is what a message that holds just these values takes, alignment apart. It takes time by the depth of the type, not
// by the number of values.
func sizeOf(arr arrow.Array, i, j int) int64 {
	n := int64(j - i)
	var bits int64
	if arr.NullN() > 0 {
		bits = (n + 7) / 8
	}
	switch a := arr.(type) {
	case *array.Null:
		return 0
	case *array.Struct:
		total := bits
		for f := range a.NumField() {
			total += sizeOf(a.Field(f), i, j)
		}
		return total
	case *array.FixedSizeList:
		dim := int(a.DataType().(*arrow.FixedSizeListType).Len())
		start := (a.Data().Offset() + i) * dim
		return bits + sizeOf(a.ListValues(), start, start+int(n)*dim)
	case array.ListLike: // lists, large lists and maps; after the fixed ones, which are list-like too
		if n == 0 {
			return 0
		}
		start, _ := a.ValueOffsets(i)
		_, end := a.ValueOffsets(j - 1)
		return bits + n*offsetBytes(arr) + sizeOf(a.ListValues(), int(start), int(end))
	case *array.Dictionary:
		// The dictionary travels in a message of its own, however many rows a batch has.
		return bits + fixedBytes(a.Indices().DataType(), n)
	case array.BinaryLike:
		if n == 0 {
			return 0
		}
		return bits + n*offsetBytes(arr) + a.ValueOffset64(j-1) + int64(a.ValueLen(j-1)) - a.ValueOffset64(i)
	}
	return bits + fixedBytes(arr.DataType(), n)
}

func offsetBytes(arr arrow.Array) int64 {
	switch arr.DataType().ID() {
	case arrow.LARGE_LIST, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return 8
	}
	return 4
}

func fixedBytes(t arrow.DataType, n int64) int64 {
	if f, ok := t.(arrow.FixedWidthDataType); ok {
		return (n*int64(f.BitWidth()) + 7) / 8
	}
	return 16 * n
}

// fitRows gives the largest end such that rows i to end of the columns take at most limit bytes, but at least one row.
func fitRows(cols []arrow.Array, i, n int, limit int64) int {
	fits := func(end int) bool {
		var total int64
		for _, c := range cols {
			if total += sizeOf(c, i, end); total > limit {
				return false
			}
		}
		return true
	}
	if fits(n) {
		return n
	}
	lo, hi := i+1, n // fits(hi) is false; lo is taken, fitting or not
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
