package eval_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

func single(t *testing.T, mem memory.Allocator, typ arrow.DataType, rows string) arrow.RecordBatch {
	t.Helper()
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(rows))
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	defer a.Release()
	return oneColumn(a)
}

func oneColumn(a arrow.Array) arrow.RecordBatch {
	s := arrow.NewSchema([]arrow.Field{field("v", a.DataType())}, nil)
	return array.NewRecordBatch(s, []arrow.Array{a}, int64(a.Len()))
}

// The same values in another layout pass the same filters.
func TestLayouts(t *testing.T) {
	v := col("v")
	texts := `["a",null,"b","","é","a_b","a"]`
	numbers := `["1.23","-0.01",null,"7.00","0.00","1.24"]`
	lists := `[[1,2],null,[null,3],[5,5],[1,null]]`
	textFilters := []expr.Expr{v.Eq(str("a")), v.Gt(str("a")), v.Like("a%"), v.IsNull(), v.In(str("b"), str("")), distinct(v, str("a")),
		expr.Cmp(expr.Eq, v, v), expr.Cmp(expr.Eq, expr.Fn("upper", v), str("É"))}
	numberFilters := []expr.Expr{v.Eq(num("1.23")), v.Gt(num("1.235")), v.Le(num("0")), v.Ne(num("7")), v.IsNull(), v.Lt(num("1e0")),
		v.Between(num("0"), num("1.23")), expr.Cmp(expr.Gt, expr.Op(expr.Add, v, num("1")), num("2")), v.Lt(num("99999999999999999999"))}
	listFilters := []expr.Expr{expr.AnyMatchOf(v.Gt(num("2"))), expr.AllMatchOf(v.Lt(num("4"))), expr.Cmp(expr.Eq, &expr.Index{X: v, Key: num("1")}, num("1")),
		expr.Fn("list_contains", v, num("5")), expr.Cmp(expr.Eq, expr.Fn("len", v), num("2")), v.IsNull()}
	for _, c := range []struct {
		name    string
		rows    string
		filters []expr.Expr
		base    arrow.DataType
		others  []arrow.DataType
	}{
		{"texts", texts, textFilters, text, []arrow.DataType{arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text},
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: text}}},
		{"decimals", numbers, numberFilters, &arrow.Decimal128Type{Precision: 9, Scale: 2}, []arrow.DataType{
			&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 9, Scale: 2}, &arrow.Decimal256Type{Precision: 9, Scale: 2},
			&arrow.Decimal128Type{Precision: 20, Scale: 4}}},
		{"lists", lists, listFilters, arrow.ListOf(i64), []arrow.DataType{arrow.LargeListOf(i64), arrow.ListOf(i32),
			arrow.FixedSizeListOf(2, i64), arrow.ListOf(arrow.PrimitiveTypes.Uint8)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			base := single(t, mem, c.base, c.rows)
			defer base.Release()
			for _, typ := range c.others {
				b := single(t, mem, typ, c.rows)
				for _, e := range c.filters {
					want, err := ids(t, base, e)
					if err != nil {
						t.Fatal(err)
					}
					got, err := ids(t, b, e)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s as %s: %v, %v; want %v", e, typ, got, err, want)
					}
				}
				b.Release()
			}
		})
	}
}

// A half float compares as the FLOAT it is.
func TestHalfFloats(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	b := array.NewFloat16Builder(mem)
	defer b.Release()
	b.AppendValues([]float16.Num{float16.New(0.1), float16.New(1.5), float16.NaN(), float16.New(float32(math.Copysign(0, -1))), float16.Inf()}, []bool{true, true, true, true, true})
	b.AppendNull()
	a := b.NewArray()
	defer a.Release()
	batch := oneColumn(a)
	defer batch.Release()
	v := col("v")
	for _, c := range []struct {
		e    expr.Expr
		want []int32
	}{
		{v.Gt(num("1.5")), []int32{3, 5}}, {v.Eq(num("0")), []int32{4}}, {v.Eq(num("0.1")), nil}, {v.IsNull(), []int32{6}}, {v.Lt(num("70000")), []int32{1, 2, 4}},
	} {
		if got, err := ids(t, batch, c.e); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.e, got, err, c.want)
		}
	}
}

// A field read out of a struct has its parents' nulls, whatever lies beneath them.
func TestEvalOfFields(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	x, _, err := array.FromJSON(mem, i32, strings.NewReader("[1,2,null,4]"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Release()
	l, _, err := array.FromJSON(mem, arrow.ListOf(i32), strings.NewReader("[[1],[2],[3],null]"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	parents := memory.NewBufferBytes([]byte{0b1101})
	typ := arrow.StructOf(field("x", i32), field("l", arrow.ListOf(i32)))
	d := array.NewData(typ, 4, []*memory.Buffer{parents}, []arrow.ArrayData{x.Data(), l.Data()}, 1, 0)
	st := array.MakeFromData(d)
	d.Release()
	defer st.Release()
	b := oneColumn(st)
	defer b.Release()
	tail := b.NewSlice(1, 4)
	defer tail.Release()
	for _, c := range []struct {
		path  string
		batch arrow.RecordBatch
		want  string
	}{
		{"x", b, "[1 (null) (null) 4]"}, {"x", tail, "[(null) (null) 4]"},
		{"l", b, "[[1] (null) [3] (null)]"}, {"l", tail, "[(null) [3] (null)]"},
	} {
		bound, err := expr.Bind(col("v", c.path), resolveIn(b.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Eval(bound, eval.Batch{Rows: c.batch}, int(c.batch.NumRows()), mem)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
		got.Release()
	}
}

// Errors are raised for rows that are asked, and only for those.
func TestErrorsOfRowsAsked(t *testing.T) {
	b := load(t, "s", memory.DefaultAllocator)
	defer b.Release()
	v := col("v")
	asNumber := expr.CastTo(v, i32)
	guarded := and(v.In(str("10"), str("9")), expr.Cmp(expr.Gt, asNumber, num("9")))
	if got, err := ids(t, b, guarded); err != nil || !slices.Equal(got, []int32{7}) {
		t.Errorf("%s: %v, %v", guarded, got, err)
	}
	arm := &expr.Case{Whens: []expr.When{{Cond: v.In(str("10"), str("9")), Then: asNumber}}, Else: num("0")}
	if got, err := ids(t, b, expr.Cmp(expr.Gt, arm, num("9"))); err != nil || !slices.Equal(got, []int32{7}) {
		t.Errorf("%s: %v, %v", arm, got, err)
	}
	_, err := ids(t, b, expr.Cmp(expr.Gt, asNumber, num("9")))
	if err == nil || !strings.Contains(err.Error(), "CAST(v AS INTEGER)") || !strings.Contains(err.Error(), "'a'") {
		t.Errorf("the error %v does not name the expression and the value", err)
	}
}
