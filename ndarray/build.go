package ndarray

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// BuildStats gives the stats column of a variable's column, row by row; the caller releases it. Null and NaN values
// don't count. A zero bound is stored as -0.0 for min and +0.0 for max, so that readers that tell them apart keep the
// row.
func BuildStats(column arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	st, err := structArray(column)
	if err != nil {
		return nil, err
	}
	typ := st.DataType().(*arrow.StructType)
	idx, ok := typ.FieldIdx(ValuesField)
	if !ok {
		return nil, errs.Invalidf("a variable's column has no field %s", ValuesField)
	}
	list, ok := st.Field(idx).(array.ListLike)
	if !ok {
		return nil, errs.Invalidf("%s is of type %s, not a list", ValuesField, st.Field(idx).DataType())
	}
	elem := list.DataType().(arrow.ListLikeType).Elem()
	b := array.NewStructBuilder(mem, StatsType(elem))
	defer b.Release()
	if st.Len() == 0 {
		return b.NewArray(), nil
	}
	bounds, err := boundsOf(list.ListValues())
	if err != nil {
		return nil, err
	}
	for i := range st.Len() {
		if st.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(true)
		lo, hi := -1, -1
		if list.IsValid(i) {
			from, to := list.ValueOffsets(i)
			lo, hi = bounds.minMax(int(from), int(to))
		}
		for k, at := range []int{lo, hi} {
			if at < 0 {
				b.FieldBuilder(k).AppendNull()
			} else if err := bounds.append(b.FieldBuilder(k), at, k == 0); err != nil {
				return nil, err
			}
		}
	}
	return b.NewArray(), nil
}

func structArray(a arrow.Array) (*array.Struct, error) {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	st, ok := a.(*array.Struct)
	if !ok {
		return nil, errs.Invalidf("a variable's column is of type %s, not a struct", a.DataType())
	}
	return st, nil
}

// bounds finds the least and the greatest counting value of a range, by index; -1 where none counts.
type bounds struct {
	valid  func(i int) bool
	less   func(i, j int) bool
	append func(b array.Builder, i int, low bool) error
}

func (b bounds) minMax(from, to int) (lo, hi int) {
	lo, hi = -1, -1
	for i := from; i < to; i++ {
		if !b.valid(i) {
			continue
		}
		if lo < 0 || b.less(i, lo) {
			lo = i
		}
		if hi < 0 || b.less(hi, i) {
			hi = i
		}
	}
	return lo, hi
}

type ordered interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// valuesOf is an Arrow array of fixed-width values.
type valuesOf[T any] interface {
	arrow.Array
	Value(i int) T
}

func numbers[T ordered, B interface{ Append(T) }](a valuesOf[T]) bounds {
	return bounds{
		valid: func(i int) bool { v := a.Value(i); return a.IsValid(i) && v == v }, // NaN is unlike itself
		less:  func(i, j int) bool { return a.Value(i) < a.Value(j) },
		append: func(b array.Builder, i int, low bool) error {
			v := a.Value(i)
			if v == 0 {
				v = zeroBound(v, low)
			}
			b.(B).Append(v)
			return nil
		},
	}
}

// zeroBound gives -0.0 for a low bound of a float and +0.0 for a high one; other types have one zero.
func zeroBound[T ordered](v T, low bool) T {
	switch any(v).(type) {
	case float32:
		if low {
			return any(float32(math.Copysign(0, -1))).(T)
		}
		return any(float32(0)).(T)
	case float64:
		if low {
			return any(math.Copysign(0, -1)).(T)
		}
		return any(float64(0)).(T)
	}
	return v
}

func byLess(a arrow.Array, less func(i, j int) bool, add func(b array.Builder, i int)) bounds {
	return bounds{valid: a.IsValid, less: less,
		append: func(b array.Builder, i int, _ bool) error { add(b, i); return nil }}
}

func boundsOf(a arrow.Array) (bounds, error) {
	switch a := a.(type) {
	case *array.Int8:
		return numbers[int8, *array.Int8Builder](a), nil
	case *array.Int16:
		return numbers[int16, *array.Int16Builder](a), nil
	case *array.Int32:
		return numbers[int32, *array.Int32Builder](a), nil
	case *array.Int64:
		return numbers[int64, *array.Int64Builder](a), nil
	case *array.Uint8:
		return numbers[uint8, *array.Uint8Builder](a), nil
	case *array.Uint16:
		return numbers[uint16, *array.Uint16Builder](a), nil
	case *array.Uint32:
		return numbers[uint32, *array.Uint32Builder](a), nil
	case *array.Uint64:
		return numbers[uint64, *array.Uint64Builder](a), nil
	case *array.Float32:
		return numbers[float32, *array.Float32Builder](a), nil
	case *array.Float64:
		return numbers[float64, *array.Float64Builder](a), nil
	case *array.Date32:
		return numbers[arrow.Date32, *array.Date32Builder](a), nil
	case *array.Date64:
		return numbers[arrow.Date64, *array.Date64Builder](a), nil
	case *array.Time32:
		return numbers[arrow.Time32, *array.Time32Builder](a), nil
	case *array.Time64:
		return numbers[arrow.Time64, *array.Time64Builder](a), nil
	case *array.Timestamp:
		return numbers[arrow.Timestamp, *array.TimestampBuilder](a), nil
	case *array.Duration:
		return numbers[arrow.Duration, *array.DurationBuilder](a), nil
	}
	return boundsOfOther(a)
}

func boundsOfOther(a arrow.Array) (bounds, error) {
	switch a := a.(type) {
	case *array.Float16:
		return float16Bounds(a), nil
	case *array.Boolean:
		return byLess(a, func(i, j int) bool { return !a.Value(i) && a.Value(j) },
			func(b array.Builder, i int) { b.(*array.BooleanBuilder).Append(a.Value(i)) }), nil
	case *array.String:
		return byLess(a, func(i, j int) bool { return a.Value(i) < a.Value(j) },
			func(b array.Builder, i int) { b.(*array.StringBuilder).Append(a.Value(i)) }), nil
	case *array.LargeString:
		return byLess(a, func(i, j int) bool { return a.Value(i) < a.Value(j) },
			func(b array.Builder, i int) { b.(*array.LargeStringBuilder).Append(a.Value(i)) }), nil
	case *array.Binary:
		return byLess(a, func(i, j int) bool { return bytes.Compare(a.Value(i), a.Value(j)) < 0 },
			func(b array.Builder, i int) { b.(*array.BinaryBuilder).Append(a.Value(i)) }), nil
	case *array.LargeBinary:
		return byLess(a, func(i, j int) bool { return bytes.Compare(a.Value(i), a.Value(j)) < 0 },
			func(b array.Builder, i int) { b.(*array.BinaryBuilder).Append(a.Value(i)) }), nil
	case *array.FixedSizeBinary:
		return byLess(a, func(i, j int) bool { return bytes.Compare(a.Value(i), a.Value(j)) < 0 },
			func(b array.Builder, i int) { b.(*array.FixedSizeBinaryBuilder).Append(a.Value(i)) }), nil
	case *array.Decimal128:
		return byLess(a, func(i, j int) bool { return a.Value(i).Less(a.Value(j)) },
			func(b array.Builder, i int) { b.(*array.Decimal128Builder).Append(a.Value(i)) }), nil
	case *array.Decimal256:
		return byLess(a, func(i, j int) bool { return a.Value(i).Less(a.Value(j)) },
			func(b array.Builder, i int) { b.(*array.Decimal256Builder).Append(a.Value(i)) }), nil
	case *array.Dictionary:
		return dictionaryBounds(a)
	case array.ExtensionArray:
		return boundsOf(a.Storage())
	case *array.Null:
		return bounds{valid: func(int) bool { return false }}, nil
	}
	return bounds{}, errs.Unsupportedf("stats of values of type %s", a.DataType())
}

func float16Bounds(a *array.Float16) bounds {
	return bounds{
		valid: func(i int) bool { return a.IsValid(i) && !a.Value(i).IsNaN() },
		less:  func(i, j int) bool { return a.Value(i).Float32() < a.Value(j).Float32() },
		append: func(b array.Builder, i int, low bool) error {
			v := a.Value(i)
			if v.Float32() == 0 && (math.Signbit(float64(v.Float32())) != low) {
				v = v.Negate()
			}
			b.(*array.Float16Builder).Append(v)
			return nil
		},
	}
}

func dictionaryBounds(a *array.Dictionary) (bounds, error) {
	inner, err := boundsOf(a.Dictionary())
	if err != nil {
		return bounds{}, fmt.Errorf("dictionary: %w", err)
	}
	return bounds{
		valid:  func(i int) bool { return a.IsValid(i) && inner.valid(a.GetValueIndex(i)) },
		less:   func(i, j int) bool { return inner.less(a.GetValueIndex(i), a.GetValueIndex(j)) },
		append: func(b array.Builder, i int, low bool) error { return inner.append(b, a.GetValueIndex(i), low) },
	}, nil
}
