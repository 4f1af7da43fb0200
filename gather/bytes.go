package gather

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Bytes gives the bytes that rows from..to of an array take on the wire, validity bits left out.
func Bytes(arr arrow.Array, from, to int) int64 {
	if to <= from {
		return 0
	}
	n := int64(to - from)
	switch a := arr.(type) {
	case array.ExtensionArray:
		return Bytes(a.Storage(), from, to)
	case *array.Struct:
		total := n / 8
		for i := range a.NumField() {
			total += Bytes(a.Field(i), from, to)
		}
		return total
	case *array.FixedSizeList:
		size := int(a.DataType().(*arrow.FixedSizeListType).Len())
		off := a.Data().Offset()
		return n/8 + Bytes(a.ListValues(), (off+from)*size, (off+to)*size)
	case *array.ListView, *array.LargeListView:
		total := 12 * n
		for i := from; i < to; i++ {
			s, e := arr.(array.ListLike).ValueOffsets(i)
			total += Bytes(arr.(array.ListLike).ListValues(), int(s), int(e))
		}
		return total
	case array.ListLike: // List, LargeList, Map
		s, _ := a.ValueOffsets(from)
		_, e := a.ValueOffsets(to - 1)
		return 4*n + Bytes(a.ListValues(), int(s), int(e))
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
