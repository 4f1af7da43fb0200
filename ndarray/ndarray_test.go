package ndarray_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/ndarray"
)

func variableType(elem arrow.DataType) *arrow.StructType {
	return arrow.StructOf(arrow.Field{Name: "values", Type: arrow.ListOf(elem), Nullable: true},
		arrow.Field{Name: "dim_names", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true})
}

func TestVariables(t *testing.T) {
	named := arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"nd_arrow.array"})
	f64, f32 := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "lat", Type: variableType(f64), Metadata: named},
		{Name: "sst", Type: variableType(f32)}, ndarray.StatsField("sst", f32),
		{Name: "odd", Type: variableType(f32)}, ndarray.StatsField("odd", f64),
		{Name: "plain", Type: variableType(f64)},
		ndarray.StatsField("id", arrow.PrimitiveTypes.Int64),
	}, nil)
	var got []string
	for _, v := range ndarray.Variables(s) {
		got = append(got, fmt.Sprintf("%s %s %q %v", v.Name, v.Elem, v.Stats, v.StatsUsable()))
	}
	want := `lat float64 "" false; sst float32 "__stats__:sst" true; odd float32 "__stats__:odd" false`
	if strings.Join(got, "; ") != want {
		t.Fatalf("got %s\nwant %s", strings.Join(got, "; "), want)
	}
}

func TestBuildStats(t *testing.T) {
	us := &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		name, in, want string
		elem           arrow.DataType
	}{
		{"doubles", `[{"values":[2,-1,null]},null,{"values":[]},{"values":null},{"values":[null]}]`,
			`[{"min":-1,"max":2},null,{"min":null,"max":null},{"min":null,"max":null},{"min":null,"max":null}]`, arrow.PrimitiveTypes.Float64},
		{"integers past 2^53", `[{"values":[9007199254740993,9007199254740992]}]`,
			`[{"min":9007199254740992,"max":9007199254740993}]`, arrow.PrimitiveTypes.Int64},
		{"texts by bytes", `[{"values":["b","é","Z","a"]}]`, `[{"min":"Z","max":"é"}]`, arrow.BinaryTypes.String},
		{"times", `[{"values":["2024-01-02 00:00:00","1969-12-31 23:59:59.5"]}]`,
			`[{"min":"1969-12-31 23:59:59.5","max":"2024-01-02 00:00:00"}]`, us},
		{"booleans", `[{"values":[true,true]},{"values":[true,false]}]`, `[{"min":true,"max":true},{"min":false,"max":true}]`,
			arrow.FixedWidthTypes.Boolean},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			in := fromJSON(t, mem, variableType(c.elem), c.in)
			defer in.Release()
			want := fromJSON(t, mem, ndarray.StatsType(c.elem), c.want)
			defer want.Release()
			got, err := ndarray.BuildStats(in, mem)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			if !array.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			// a slice has the stats of its rows
			if in.Len() > 1 {
				part := array.NewSlice(in, 1, int64(in.Len()))
				defer part.Release()
				wantPart := array.NewSlice(want, 1, int64(in.Len()))
				defer wantPart.Release()
				gotPart, err := ndarray.BuildStats(part, mem)
				if err != nil {
					t.Fatal(err)
				}
				defer gotPart.Release()
				if !array.Equal(gotPart, wantPart) {
					t.Fatalf("slice: got %v, want %v", gotPart, wantPart)
				}
			}
		})
	}
}

func fromJSON(t *testing.T, mem memory.Allocator, typ arrow.DataType, s string) arrow.Array {
	t.Helper()
	if !json.Valid([]byte(s)) {
		t.Fatalf("bad JSON %s", s)
	}
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFloatsThatDoNotCount(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	b := array.NewStructBuilder(mem, variableType(arrow.PrimitiveTypes.Float64))
	defer b.Release()
	nan, inf := math.NaN(), math.Inf(1)
	for _, vals := range [][]float64{{nan}, {nan, 3, -inf}, {0}, {math.Copysign(0, -1)}} {
		b.Append(true)
		l := b.FieldBuilder(0).(*array.ListBuilder)
		l.Append(true)
		l.ValueBuilder().(*array.Float64Builder).AppendValues(vals, nil)
		b.FieldBuilder(1).AppendNull()
	}
	in := b.NewArray()
	defer in.Release()
	got, err := ndarray.BuildStats(in, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	lo := got.(*array.Struct).Field(0).(*array.Float64)
	hi := got.(*array.Struct).Field(1).(*array.Float64)
	if lo.IsValid(0) || hi.IsValid(0) || got.IsNull(0) {
		t.Error("only NaN: bounds must be null in a valid struct")
	}
	if lo.Value(1) != -inf || hi.Value(1) != 3 {
		t.Errorf("NaN counted: %v %v", lo.Value(1), hi.Value(1))
	}
	for i := 2; i < 4; i++ {
		if !math.Signbit(lo.Value(i)) || math.Signbit(hi.Value(i)) {
			t.Errorf("row %d: zero bounds %v %v, want -0 and +0", i, lo.Value(i), hi.Value(i))
		}
	}
}
