package engine

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/lanceflight/flightsrv/errs"
)

// compareFunc compares row i of the array it was made for with row j of other, an array of the same type; neither is
// null. The order is DuckDB's: texts and binaries by bytes, NaN equal to itself and above all numbers, -0 equal to 0.
type compareFunc func(i int, other arrow.Array, j int) int

// valued is what arrays of one Go value per row have in common.
type valued[T any] interface {
	arrow.Array
	Value(i int) T
}

func by[A valued[T], T any](a A, order func(x, y T) int) compareFunc {
	return func(i int, other arrow.Array, j int) int { return order(a.Value(i), other.(A).Value(j)) }
}

// sortable tells whether comparer knows the type.
func sortable(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRUCT, arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.MAP,
		arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED, arrow.EXTENSION,
		arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return false
	case arrow.DICTIONARY:
		return sortable(t.(*arrow.DictionaryType).ValueType)
	}
	return true
}

// comparer gives the comparison for an array's type.
func comparer(arr arrow.Array) (compareFunc, error) {
	switch a := arr.(type) {
	case *array.Null:
		return func(int, arrow.Array, int) int { return 0 }, nil
	case *array.Boolean:
		return by(a, compareBool), nil
	case *array.Int8:
		return by(a, cmp.Compare[int8]), nil
	case *array.Int16:
		return by(a, cmp.Compare[int16]), nil
	case *array.Int32:
		return by(a, cmp.Compare[int32]), nil
	case *array.Int64:
		return by(a, cmp.Compare[int64]), nil
	case *array.Uint8:
		return by(a, cmp.Compare[uint8]), nil
	case *array.Uint16:
		return by(a, cmp.Compare[uint16]), nil
	case *array.Uint32:
		return by(a, cmp.Compare[uint32]), nil
	case *array.Uint64:
		return by(a, cmp.Compare[uint64]), nil
	case *array.Float16:
		return by(a, func(x, y float16.Num) int { return compareFloat(x.Float32(), y.Float32()) }), nil
	case *array.Float32:
		return by(a, compareFloat[float32]), nil
	case *array.Float64:
		return by(a, compareFloat[float64]), nil
	}
	return comparerMore(arr)
}

func comparerMore(arr arrow.Array) (compareFunc, error) {
	switch a := arr.(type) {
	case *array.String:
		return by(a, strings.Compare), nil
	case *array.LargeString:
		return by(a, strings.Compare), nil
	case *array.StringView:
		return by(a, strings.Compare), nil
	case *array.Binary:
		return by(a, bytes.Compare), nil
	case *array.LargeBinary:
		return by(a, bytes.Compare), nil
	case *array.BinaryView:
		return by(a, bytes.Compare), nil
	case *array.FixedSizeBinary:
		return by(a, bytes.Compare), nil
	case *array.Date32:
		return by(a, cmp.Compare[arrow.Date32]), nil
	case *array.Date64:
		return by(a, cmp.Compare[arrow.Date64]), nil
	case *array.Time32:
		return by(a, cmp.Compare[arrow.Time32]), nil
	case *array.Time64:
		return by(a, cmp.Compare[arrow.Time64]), nil
	case *array.Timestamp:
		return by(a, cmp.Compare[arrow.Timestamp]), nil
	case *array.Duration:
		return by(a, cmp.Compare[arrow.Duration]), nil
	}
	return comparerWide(arr)
}

// orderedNum is a number type that compares itself.
type orderedNum[T any] interface{ Cmp(T) int }

func byNum[A valued[T], T orderedNum[T]](a A) compareFunc {
	return by(a, func(x, y T) int { return x.Cmp(y) })
}

func comparerWide(arr arrow.Array) (compareFunc, error) {
	switch a := arr.(type) {
	case *array.Decimal32:
		return byNum(a), nil
	case *array.Decimal64:
		return byNum(a), nil
	case *array.Decimal128:
		return byNum(a), nil
	case *array.Decimal256:
		return byNum(a), nil
	case *array.Dictionary:
		values, err := comparer(a.Dictionary())
		if err != nil {
			return nil, err
		}
		return func(i int, other arrow.Array, j int) int {
			o := other.(*array.Dictionary)
			return values(a.GetValueIndex(i), o.Dictionary(), o.GetValueIndex(j))
		}, nil
	}
	return nil, errs.Unsupportedf("sorting by a column of type %s", arr.DataType())
}

// isNull tells whether a row is null, also where a dictionary holds the null.
func isNull(arr arrow.Array, i int) bool {
	if arr.IsNull(i) {
		return true
	}
	d, ok := arr.(*array.Dictionary)
	return ok && d.Dictionary().IsNull(d.GetValueIndex(i))
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func compareFloat[T float32 | float64](x, y T) int {
	xNaN, yNaN := x != x, y != y
	switch {
	case xNaN || yNaN:
		return compareBool(xNaN, yNaN)
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
