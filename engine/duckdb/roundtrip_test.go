package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
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
		col := enginetest.Random(typ, rnd, n+5)
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
