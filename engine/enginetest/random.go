package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Random gives an array of n values of any type: nulls, extreme and ordinary ones. It panics for a type that it does not know.
func Random(t arrow.DataType, rnd *rand.Rand, n int) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	for range n {
		appendRandom(b, rnd)
	}
	return b.NewArray()
}

// edgeInt gives integers, the extreme ones among them.
func edgeInt(rnd *rand.Rand, size int) int64 {
	switch rnd.IntN(6) {
	case 0:
		return math.MaxInt64 >> (64 - size)
	case 1:
		return math.MinInt64 >> (64 - size)
	case 2:
		return int64(rnd.IntN(5)) - 2
	}
	return int64(rnd.Uint64()) >> (64 - size)
}

func randomText(rnd *rand.Rand) string {
	switch rnd.IntN(4) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("é\x00", rnd.IntN(4)) // up to 12 bytes, the most that stand in the vector itself
	}
	return strings.Repeat("xyz", rnd.IntN(12))
}

func appendRandom(b array.Builder, rnd *rand.Rand) {
	if rnd.IntN(5) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(rnd.IntN(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(edgeInt(rnd, 8)))
	case *array.Int16Builder:
		b.Append(int16(edgeInt(rnd, 16)))
	case *array.Int32Builder:
		b.Append(int32(edgeInt(rnd, 32)))
	case *array.Int64Builder:
		b.Append(edgeInt(rnd, 64))
	case *array.Uint8Builder:
		b.Append(uint8(edgeInt(rnd, 8)))
	case *array.Uint16Builder:
		b.Append(uint16(edgeInt(rnd, 16)))
	case *array.Uint32Builder:
		b.Append(uint32(edgeInt(rnd, 32)))
	case *array.Uint64Builder:
		b.Append(uint64(edgeInt(rnd, 64)))
	case *array.Float16Builder:
		b.Append(float16.New(float32(rnd.IntN(1000)) / 64))
	case *array.Float32Builder:
		b.Append(rnd.Float32())
	case *array.Float64Builder:
		b.Append(rnd.NormFloat64())
	case *array.Date32Builder:
		b.Append(arrow.Date32(edgeInt(rnd, 32)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(edgeInt(rnd, 20) * 24 * 3600 * 1000))
	case *array.Time32Builder:
		b.Append(arrow.Time32(rnd.IntN(86400)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(rnd.IntN(86400_000_000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(edgeInt(rnd, timeBits(b.Type()))))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(edgeInt(rnd, timeBits(b.Type()))))
	default:
		appendMore(b, rnd)
	}
}

// timeBits leaves room for the factor to microseconds.
func timeBits(t arrow.DataType) int {
	switch t.(arrow.TemporalWithUnit).TimeUnit() {
	case arrow.Second:
		return 43
	case arrow.Millisecond:
		return 53
	}
	return 64
}

func appendMore(b array.Builder, rnd *rand.Rand) {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(randomText(rnd))
	case *array.LargeStringBuilder:
		b.Append(randomText(rnd))
	case *array.StringViewBuilder:
		b.Append(randomText(rnd))
	case *array.BinaryBuilder:
		b.Append([]byte(randomText(rnd) + "\xff"))
	case *array.BinaryViewBuilder:
		b.Append([]byte(randomText(rnd) + "\xff"))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte("\x00\xff" + strings.Repeat("q", 14))[:b.Type().(*arrow.FixedSizeBinaryType).ByteWidth])
	case *array.Decimal32Builder:
		b.Append(decimal.Decimal32(edgeInt(rnd, 23)))
	case *array.Decimal64Builder:
		b.Append(decimal.Decimal64(edgeInt(rnd, 56)))
	case *array.Decimal128Builder:
		bits := map[int32]int{3: 9, 9: 29, 18: 59, 38: 64, 10: 33}[b.Type().(*arrow.Decimal128Type).Precision]
		v := decimal128.FromI64(edgeInt(rnd, bits))
		if bits == 64 {
			v = v.Mul(decimal128.FromI64(1_000_000_007))
		}
		b.Append(v)
	case *array.Decimal256Builder:
		v := decimal256.FromI64(edgeInt(rnd, 63))
		if b.Type().(*arrow.Decimal256Type).Precision > 38 {
			v = v.Mul(v).Mul(decimal256.FromI64(edgeInt(rnd, 63)))
		}
		b.Append(v)
	case *array.MonthIntervalBuilder:
		b.Append(arrow.MonthInterval(edgeInt(rnd, 32)))
	case *array.DayTimeIntervalBuilder:
		b.Append(arrow.DayTimeInterval{Days: int32(edgeInt(rnd, 32)), Milliseconds: int32(edgeInt(rnd, 32))})
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{Months: int32(edgeInt(rnd, 32)), Days: int32(edgeInt(rnd, 32)), Nanoseconds: edgeInt(rnd, 50) * 1000})
	case *array.BinaryDictionaryBuilder:
		_ = b.AppendString([]string{"", "one", "a value of more than twelve bytes"}[rnd.IntN(3)])
	case *array.Int64DictionaryBuilder:
		_ = b.Append(int64(rnd.IntN(5)))
	case *array.ExtensionBuilder:
		appendRandom(b.Builder, rnd)
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte{byte(rnd.IntN(256)), 15: byte(rnd.IntN(256))})
	case *extensions.Bool8Builder:
		b.Append(rnd.IntN(2) == 0)
	default:
		appendNested(b, rnd)
	}
}

func appendNested(b array.Builder, rnd *rand.Rand) {
	switch b := b.(type) {
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(b.FieldBuilder(i), rnd)
		}
	case *array.MapBuilder:
		b.Append(true)
		for i := range rnd.IntN(4) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprintf("key %d", i))
			appendRandom(b.ItemBuilder(), rnd)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range b.Type().(*arrow.FixedSizeListType).Len() {
			appendRandom(b.ValueBuilder(), rnd)
		}
	case *array.ListViewBuilder:
		n := rnd.IntN(4)
		b.AppendWithSize(true, n)
		for range n {
			appendRandom(b.ValueBuilder(), rnd)
		}
	case array.ListLikeBuilder:
		b.Append(true)
		for range rnd.IntN(4) {
			appendRandom(b.ValueBuilder(), rnd)
		}
	default:
		panic(fmt.Sprintf("no random values of %s", b.Type()))
	}
}
