package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// flatTypes are all types without children that a table can have, and some more.
func flatTypes() []arrow.DataType {
	types := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal32Type{Precision: 7, Scale: 2}, &arrow.Decimal64Type{Precision: 17, Scale: 3},
		&arrow.Decimal128Type{Precision: 3, Scale: 1}, &arrow.Decimal128Type{Precision: 9}, &arrow.Decimal128Type{Precision: 18, Scale: 18},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal128Type{Precision: 10, Scale: -2},
		&arrow.Decimal256Type{Precision: 20, Scale: 4}, &arrow.Decimal256Type{Precision: 76, Scale: 40}, arrow.StructOf(),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Int64},
		extensions.NewUUIDType(), extensions.NewBool8Type(),
	}
	for _, u := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		types = append(types, &arrow.TimestampType{Unit: u}, &arrow.TimestampType{Unit: u, TimeZone: "UTC"},
			&arrow.TimestampType{Unit: u, TimeZone: "America/New_York"}, &arrow.DurationType{Unit: u})
		if u <= arrow.Millisecond {
			types = append(types, &arrow.Time32Type{Unit: u})
		} else {
			types = append(types, &arrow.Time64Type{Unit: u})
		}
	}
	return types
}

// nestings put a type into lists, structs and maps.
var nestings = map[string]func(arrow.DataType) arrow.DataType{
	"plain":      func(t arrow.DataType) arrow.DataType { return t },
	"list":       func(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) },
	"large list": func(t arrow.DataType) arrow.DataType { return arrow.LargeListOf(t) },
	"fixed list": func(t arrow.DataType) arrow.DataType { return arrow.FixedSizeListOf(3, t) },
	"wide list":  func(t arrow.DataType) arrow.DataType { return arrow.FixedSizeListOf(5000, t) },
	"list view":  func(t arrow.DataType) arrow.DataType { return arrow.ListViewOf(t) },
	"struct": func(t arrow.DataType) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "a", Type: t, Nullable: true}, arrow.Field{Name: "A", Type: t, Nullable: true}, arrow.Field{Name: "", Type: t, Nullable: true})
	},
	"deep": func(t arrow.DataType) arrow.DataType {
		return arrow.ListOf(arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(t), Nullable: true}, arrow.Field{Name: "f", Type: arrow.FixedSizeListOf(2, t), Nullable: true}))
	},
	"map": func(t arrow.DataType) arrow.DataType { return arrow.MapOf(arrow.BinaryTypes.String, t) },
}

// TestRoundTrip: a column that is just read comes back with its own type and values.
func TestRoundTrip(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, flat := range flatTypes() {
		for how, nest := range nestings {
			typ := nest(flat)
			t.Run(fmt.Sprintf("%s/%s", flat, how), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, uint64(len(how))))
				rows := []int{1, 40, 2100} // in batches, so that DuckDB's vectors of 2048 end inside one
				switch how {
				case "plain", "list":
				case "wide list":
					rows = []int{1, 3}
				default:
					rows = []int{1, 100}
				}
				checkRoundTrip(t, d, typ, rnd, rows...)
			})
		}
	}
}

func checkRoundTrip(t *testing.T, d *duckdb.DB, typ arrow.DataType, rnd *rand.Rand, rows ...int) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	field := arrow.Field{Name: "c", Type: typ, Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})}
	schema := arrow.NewSchema([]arrow.Field{field, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var batches []arrow.RecordBatch
	var all []arrow.Array
	next := int64(0)
	for _, n := range rows {
		col := randomArray(typ, rnd, n+5)
		ids := array.NewInt64Builder(memory.DefaultAllocator)
		for range n + 5 {
			ids.Append(next - 3)
			next++
		}
		next -= 5
		b := array.NewRecordBatch(schema, []arrow.Array{col, ids.NewArray()}, int64(n+5))
		batches = append(batches, b.NewSlice(3, int64(n+3))) // a slice, as scans give them
		all = append(all, array.NewSlice(col, 3, int64(n+3)))
	}
	want, err := array.Concatenate(all, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	tab := enginetest.Of("t", schema, batches...)
	for _, sql := range []string{`SELECT c FROM t`, `SELECT t.c FROM t JOIN t u ON t.i = u.i ORDER BY t.i`} {
		p := &physical.Plan{Engine: physical.DuckDB, Residual: sql, Scans: []*physical.Scan{enginetest.Scan("t", tab)},
			Columns: []physical.ResultColumn{{Name: "c", Type: typ, Passthrough: &field}}}
		got := column(t, d, p, mem)
		if !got.Schema.Field(0).Equal(field) {
			t.Errorf("%s: field %v, want %v", sql, got.Schema.Field(0), field)
		}
		if !equalValues(want, got.Values) {
			t.Fatalf("%s: got\n%.2000v\nwant\n%.2000v", sql, got.Values, want)
		}
		got.Values.Release()
	}
}

// equalValues compares arrays of one type, dictionaries by their values.
func equalValues(want, got arrow.Array) bool {
	if !strings.Contains(want.DataType().String(), "dictionary") {
		return array.Equal(want, got)
	}
	w, err1 := want.MarshalJSON()
	g, err2 := got.MarshalJSON()
	return err1 == nil && err2 == nil && string(w) == string(g)
}

type result struct {
	Schema *arrow.Schema
	Values arrow.Array
}

// column gives the one column of a plan's result.
func column(t *testing.T, d *duckdb.DB, p *physical.Plan, mem memory.Allocator) result {
	t.Helper()
	st, err := d.Run(context.Background(), p, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var parts []arrow.Array
	for {
		b, err := st.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		c := b.Column(0)
		c.Retain()
		parts = append(parts, c)
		b.Release()
	}
	out, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		p.Release()
	}
	return result{st.Schema(), out}
}

func randomArray(t arrow.DataType, rnd *rand.Rand, n int) arrow.Array {
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
