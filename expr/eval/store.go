package eval

import (
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// store gives the n rows of a vec as an array of type t, whose kind is the vec's.
func store(v *vec, t arrow.DataType, n int, mem memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(mem, expr.Storage(t))
	defer b.Release()
	b.Reserve(n)
	for i := range n {
		if !v.isValid(i) {
			b.AppendNull()
			continue
		}
		if err := appendValue(b, v, v.at(i)); err != nil {
			return nil, err
		}
	}
	return b.NewArray(), nil
}

func appendValue(b array.Builder, v *vec, i int) error {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(v.ints[i]))
	case *array.Int16Builder:
		b.Append(int16(v.ints[i]))
	case *array.Int32Builder:
		b.Append(int32(v.ints[i]))
	case *array.Int64Builder:
		b.Append(v.ints[i])
	case *array.Uint8Builder:
		b.Append(uint8(v.uints[i]))
	case *array.Uint16Builder:
		b.Append(uint16(v.uints[i]))
	case *array.Uint32Builder:
		b.Append(uint32(v.uints[i]))
	case *array.Uint64Builder:
		b.Append(v.uints[i])
	case *array.Float16Builder:
		b.Append(float16.New(float32(v.floats[i])))
	case *array.Float32Builder:
		b.Append(float32(v.floats[i]))
	case *array.Float64Builder:
		b.Append(v.floats[i])
	case *array.BooleanBuilder:
		b.Append(v.bools.t.get(i))
	case *array.StringBuilder:
		b.Append(v.texts[i])
	case *array.LargeStringBuilder:
		b.Append(v.texts[i])
	case *array.StringViewBuilder:
		b.Append(v.texts[i])
	default:
		return appendRest(b, v, i)
	}
	return nil
}

func appendRest(b array.Builder, v *vec, i int) error {
	switch b := b.(type) {
	case *array.BinaryBuilder:
		b.Append([]byte(v.texts[i]))
	case *array.BinaryViewBuilder:
		b.Append([]byte(v.texts[i]))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(v.texts[i]))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.ints[i]))
	case *array.Date64Builder:
		b.Append(arrow.Date64(v.ints[i]))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v.ints[i]))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v.ints[i]))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.ints[i]))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.ints[i]))
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(v.spans[i])
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(v.bigs[i]))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(v.bigs[i]))
	case *array.Decimal32Builder:
		b.Append(decimal.Decimal32(smallInt(v.bigs[i])))
	case *array.Decimal64Builder:
		b.Append(decimal.Decimal64(smallInt(v.bigs[i])))
	default:
		return errs.Unsupportedf("a result of type %s", b.Type())
	}
	return nil
}

func smallInt(n *big.Int) int64 { return n.Int64() }
