package index

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

var minusNaN = math.Float64frombits(0xfff8000000000001)

// sample is values of a type, in the order that Lance sorts them by.
type sample struct {
	typ  arrow.DataType
	make func(mem memory.Allocator) arrow.Array
	n    int
}

func numbers[T any](typ arrow.DataType, vals ...T) sample {
	return sample{typ, func(mem memory.Allocator) arrow.Array {
		b := array.NewBuilder(mem, typ)
		defer b.Release()
		for _, v := range vals {
			add(b, v)
		}
		return b.NewArray()
	}, len(vals)}
}

// add appends a value by way of its Go type.
func add(b array.Builder, v any) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(v.(int8))
	case *array.Int32Builder:
		b.Append(v.(int32))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Uint16Builder:
		b.Append(v.(uint16))
	case *array.Uint64Builder:
		b.Append(v.(uint64))
	case *array.Float16Builder:
		b.Append(float16.New(v.(float32)))
	case *array.Float32Builder:
		b.Append(v.(float32))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.LargeStringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append([]byte(v.(string)))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(v.(string)))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int32)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(v.(int64)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v.(int32)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v.(int64)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(v.(int64)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromI64(v.(int64)))
	default:
		panic(fmt.Sprintf("no value for a %T", b))
	}
}

func samples() []sample {
	inf, inf32 := math.Inf(1), float32(math.Inf(1))
	texts := []string{"", "a", "a ", "ab", "abc", "b", "~", "é", "\U0001F600"}
	return []sample{
		numbers[int8](arrow.PrimitiveTypes.Int8, math.MinInt8, -1, 0, 1, 2, math.MaxInt8),
		numbers[int32](arrow.PrimitiveTypes.Int32, math.MinInt32, -2, -1, 0, 1, 2, 3, math.MaxInt32),
		numbers[int64](arrow.PrimitiveTypes.Int64, math.MinInt64, -3, 0, 2, 1<<53, 1<<53+1, math.MaxInt64),
		numbers[uint16](arrow.PrimitiveTypes.Uint16, 0, 1, 2, math.MaxUint16),
		numbers[uint64](arrow.PrimitiveTypes.Uint64, 0, 1, 2, 1<<63, math.MaxUint64),
		numbers[float32](arrow.FixedWidthTypes.Float16, float32(math.Inf(-1)), -2, float32(math.Copysign(0, -1)), 0, 0.5, 1, 2, inf32, float32(math.NaN())),
		numbers(arrow.PrimitiveTypes.Float32, float32(minusNaN), -inf32, -2, -0.1, float32(math.Copysign(0, -1)), 0, 0.1, 1, 2, 16777216, math.MaxFloat32, inf32, float32(math.NaN())),
		numbers(arrow.PrimitiveTypes.Float64, minusNaN, -inf, -2, -0.1, math.Copysign(0, -1), 0, 0.1, 1, 2, 1e300, inf, math.NaN()),
		numbers(arrow.BinaryTypes.String, texts...), numbers(arrow.BinaryTypes.LargeString, texts...),
		numbers(arrow.BinaryTypes.Binary, "", "\x00", "a", "a\xff", "b", "\xff", "\xff\xff"),
		numbers(&arrow.FixedSizeBinaryType{ByteWidth: 2}, "\x00\x00", "ab", "b\xff", "\xff\xff"),
		numbers(arrow.FixedWidthTypes.Boolean, false, true),
		numbers[int32](arrow.FixedWidthTypes.Date32, -719162, -1, 0, 1, 19723),
		numbers[int64](arrow.FixedWidthTypes.Date64, -86400000, 0, 86400000),
		numbers[int32](arrow.FixedWidthTypes.Time32s, 0, 1, 43200, 86399),
		numbers[int64](arrow.FixedWidthTypes.Timestamp_ms, -86400001, -1, 0, 1, 86400000),
		numbers[int64](&arrow.TimestampType{Unit: arrow.Nanosecond}, -86400000000001, -1, 0, 1, 86400000000000),
		numbers[int64](arrow.FixedWidthTypes.Duration_us, -1, 0, 1, 3600000000),
		numbers[int64](&arrow.Decimal128Type{Precision: 10, Scale: 2}, -123, -1, 0, 1, 100, 123, 124),
		numbers[int64](&arrow.Decimal256Type{Precision: 40, Scale: 1}, -12, 0, 10, 12),
	}
}

// literals are constants of many types and values, at bounds and between.
func literals() []*expr.Literal {
	var out []*expr.Literal
	lit := func(t arrow.DataType, vals ...any) {
		for _, v := range vals {
			out = append(out, &expr.Literal{Value: v, Typ: t})
		}
	}
	lit(arrow.PrimitiveTypes.Int32, int64(-2), int64(0), int64(1), int64(2))
	lit(arrow.PrimitiveTypes.Int64, int64(math.MinInt64), int64(1<<53+1), int64(math.MaxInt64), int64(300))
	lit(arrow.PrimitiveTypes.Uint64, uint64(0), uint64(math.MaxUint64), uint64(1<<63))
	lit(&arrow.Decimal128Type{Precision: 4, Scale: 2}, big.NewInt(150), big.NewInt(-10), big.NewInt(123), big.NewInt(200))
	lit(&arrow.Decimal128Type{Precision: 38, Scale: 0}, new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int).Lsh(big.NewInt(-1), 70))
	lit(arrow.PrimitiveTypes.Float64, math.NaN(), math.Inf(1), math.Inf(-1), 0.0, math.Copysign(0, -1), 0.1, -0.1, 1.5, 1e300, -1e300, 1e-300, -1e-300, float64(float32(0.1)))
	lit(arrow.PrimitiveTypes.Float32, 0.5, float64(float32(0.1)), math.NaN())
	lit(arrow.BinaryTypes.String, "", "a", "ab", "é", "zz")
	lit(arrow.BinaryTypes.Binary, []byte{}, []byte("a"), []byte{0xff}, []byte("a\xff"))
	lit(arrow.FixedWidthTypes.Boolean, true, false)
	lit(arrow.FixedWidthTypes.Date32, int64(0), int64(-1), int64(1), int64(19723))
	lit(&arrow.TimestampType{Unit: arrow.Microsecond}, int64(0), int64(-1), int64(86400000000), int64(500))
	lit(arrow.FixedWidthTypes.Timestamp_s, int64(0), int64(-86400), int64(1))
	lit(arrow.FixedWidthTypes.Time64us, int64(0), int64(1), int64(43200000000), int64(43200000001))
	lit(arrow.FixedWidthTypes.Duration_ms, int64(0), int64(3600000))
	return out
}

// oneColumn is an environment of the column x.
type oneColumn struct{ arr arrow.Array }

func (c oneColumn) Column(int, string) (arrow.Array, error) { c.arr.Retain(); return c.arr, nil }
func (c oneColumn) Holds(int, string) bool                  { return true }

// setOf gives the set that a condition on x has; false where there is no condition.
func setOf(t *testing.T, e expr.Expr) (set, bool) {
	t.Helper()
	switch c := conditionOf(e).(type) {
	case nil:
		return set{}, false
	case onColumn:
		return c.set, true
	default:
		t.Fatalf("%s gives a %T", e, c)
		return set{}, false
	}
}

func TestKeysAreInOrder(t *testing.T) {
	for _, s := range samples() {
		arr := s.make(memory.DefaultAllocator)
		key := keysOf(arr)
		for i := 1; i < s.n; i++ {
			if bytes.Compare(key(i-1), key(i)) >= 0 {
				t.Errorf("%s: the keys of values %d and %d are not in order: %x, %x", s.typ, i-1, i, key(i-1), key(i))
			}
		}
		if !supported(s.typ) {
			t.Errorf("%s is not supported", s.typ)
		}
	}
	for _, typ := range []arrow.DataType{
		arrow.Null, arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.StructOf(), arrow.FixedWidthTypes.MonthInterval,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	} {
		if supported(typ) {
			t.Errorf("%s is supported", typ)
		}
	}
}

// The law: where a predicate is true, the set that it gives holds the value's key.
func TestSetsHoldWhatPasses(t *testing.T) {
	x := func(typ arrow.DataType) expr.Expr { return &expr.Column{Path: expr.FieldPath{"x"}, Typ: typ} }
	ops := []expr.CompareOp{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Distinct, expr.NotDistinct}
	tested, narrow := 0, 0
	for _, s := range samples() {
		arr := s.make(memory.DefaultAllocator)
		key := keysOf(arr)
		check := func(e expr.Expr) {
			got, ok := setOf(t, e)
			if !ok || !eval.Supports(e) {
				return
			}
			mask, err := eval.Mask(e, oneColumn{arr}, arr.Len())
			if err != nil {
				t.Fatalf("%s on %s: %v", e, s.typ, err)
			}
			tested++
			for i := range arr.Len() {
				if mask.Get(i) && !got.holds(key(i)) {
					t.Errorf("%s on %s: value %s passes, the set lacks it", e, s.typ, arr.ValueStr(i))
				}
				if !mask.Get(i) && !got.holds(key(i)) {
					narrow++
				}
			}
		}
		lits := literals()
		for _, l := range lits {
			for _, op := range ops {
				check(&expr.Compare{Op: op, L: x(s.typ), R: l})
				check(&expr.Compare{Op: op, L: l, R: x(s.typ)})
			}
			for _, hi := range lits {
				if arrow.TypeEqual(hi.Typ, l.Typ) {
					check(&expr.Between{X: x(s.typ), Lo: l, Hi: hi})
					check(&expr.In{X: x(s.typ), List: []expr.Expr{l, hi, &expr.Literal{Typ: l.Typ}}})
					check(expr.AllOf(&expr.Compare{Op: expr.Ge, L: x(s.typ), R: l}, &expr.Compare{Op: expr.Lt, L: x(s.typ), R: hi}))
					check(expr.AnyOf(&expr.Compare{Op: expr.Lt, L: x(s.typ), R: l}, &expr.Compare{Op: expr.Eq, L: x(s.typ), R: hi}))
				}
			}
		}
		if s.typ.ID() == arrow.BOOL {
			check(x(s.typ))
			check(&expr.Not{X: x(s.typ)})
			check(&expr.IsTruth{X: x(s.typ), Value: false})
		}
		if expr.KindOf(s.typ) == expr.KindText {
			for _, p := range []string{"a%", "ab_", "a", "é%", "%a", "_", "", "a\\%%", "\U0001F600%", "\xff%"} {
				for _, escape := range []rune{0, '\\', 'a'} {
					check(&expr.Like{X: x(s.typ), Pattern: &expr.Literal{Value: p, Typ: arrow.BinaryTypes.String}, Escape: escape})
				}
			}
		}
	}
	if tested < 3000 || narrow < 10000 {
		t.Errorf("%d predicates were tested, %d values left out", tested, narrow)
	}
}

// Whole numbers and texts under = give a set of just that value.
func TestPoints(t *testing.T) {
	for _, l := range []*expr.Literal{
		{Value: int64(7), Typ: arrow.PrimitiveTypes.Int64}, {Value: "ab", Typ: arrow.BinaryTypes.String}, {Value: true, Typ: arrow.FixedWidthTypes.Boolean},
		{Value: 1.5, Typ: arrow.PrimitiveTypes.Float64},
	} {
		got, ok := setOf(t, &expr.Compare{Op: expr.Eq, L: &expr.Column{Path: expr.FieldPath{"x"}, Typ: l.Typ}, R: l})
		if !ok || len(got.spans) != 1 || !bytes.Equal(got.spans[0].lo, got.spans[0].hi) || got.nulls {
			t.Errorf("%s: %v", l, got)
		}
	}
}

func TestConditions(t *testing.T) {
	col := func(name string) *expr.Column {
		return &expr.Column{Path: expr.FieldPath{name}, Typ: arrow.PrimitiveTypes.Int64}
	}
	eq := func(name string, v int64) expr.Expr {
		return &expr.Compare{Op: expr.Eq, L: col(name), R: &expr.Literal{Value: v, Typ: arrow.PrimitiveTypes.Int64}}
	}
	unknown := &expr.Compare{Op: expr.Ne, L: col("x"), R: col("y")}
	nested := &expr.Column{Path: expr.FieldPath{"s", "x"}, Typ: arrow.PrimitiveTypes.Int64}
	for _, tt := range []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"two columns", expr.AllOf(eq("x", 1), eq("y", 2)), "and(x 1, y 1)"},
		{"one column twice", expr.AllOf(eq("x", 1), eq("x", 2)), "x 0"},
		{"or of one column", expr.AnyOf(eq("x", 1), eq("x", 3)), "x 2"},
		{"or of two", expr.AnyOf(eq("x", 1), eq("y", 3)), "or(x 1, y 1)"},
		{"and with what is not known", expr.AllOf(eq("x", 1), unknown), "x 1"},
		{"or with what is not known", expr.AnyOf(eq("x", 1), unknown), "none"},
		{"not", &expr.Not{X: eq("x", 1)}, "none"},
		{"is true", &expr.IsTruth{X: eq("x", 1), Value: true}, "x 1"},
		{"is false", &expr.IsTruth{X: eq("x", 1)}, "none"},
		{"null", &expr.IsNull{X: col("x")}, "x 0 null"},
		{"null of a member", &expr.IsNull{X: nested}, "none"},
		{"not null", &expr.Not{X: &expr.IsNull{X: col("x")}}, "none"},
		{"null or a value", expr.AnyOf(&expr.IsNull{X: col("x")}, eq("x", 1)), "x 1 null"},
		{"equal to null", &expr.Compare{Op: expr.Eq, L: col("x"), R: &expr.Literal{Typ: arrow.Null}}, "none"},
		{"null like null", &expr.Compare{Op: expr.NotDistinct, L: col("x"), R: &expr.Literal{Typ: arrow.Null}}, "x 0 null"},
		{"two columns compared", &expr.Compare{Op: expr.Eq, L: col("x"), R: col("y")}, "none"},
		{"a cast of the column", &expr.Compare{Op: expr.Eq, L: &expr.Cast{X: col("x"), To: arrow.PrimitiveTypes.Int8}, R: &expr.Literal{Value: int64(1), Typ: arrow.PrimitiveTypes.Int64}}, "none"},
		{"in with a column", &expr.In{X: col("x"), List: []expr.Expr{col("y")}}, "none"},
		{"between with a column", &expr.Between{X: col("x"), Lo: &expr.Literal{Value: int64(1), Typ: arrow.PrimitiveTypes.Int64}, Hi: col("y")}, "x 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text(conditionOf(tt.e)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// text tells a condition by its columns, their numbers of spans, and nulls.
func text(c condition) string {
	list := func(name string, cs []condition) string {
		out := name + "("
		for i, x := range cs {
			if i > 0 {
				out += ", "
			}
			out += text(x)
		}
		return out + ")"
	}
	switch c := c.(type) {
	case onColumn:
		out := fmt.Sprintf("%s %d", c.path, len(c.set.spans))
		if c.set.nulls {
			out += " null"
		}
		return out
	case allOf:
		return list("and", c)
	case anyOf:
		return list("or", c)
	}
	return "none"
}

// Sets over one-byte keys, held against sets of numbers.
func TestSetAlgebra(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := randomSet(r), randomSet(r)
		union, both := a.union(b), a.intersect(b)
		for k := range 256 {
			key := []byte{byte(k)}
			if union.holds(key) != (a.holds(key) || b.holds(key)) || both.holds(key) != (a.holds(key) && b.holds(key)) {
				t.Fatalf("%v and %v at %d: union %v, intersection %v", a, b, k, union, both)
			}
		}
		if union.nulls != (a.nulls || b.nulls) || both.nulls != (a.nulls && b.nulls) {
			t.Fatalf("nulls of %v and %v", a, b)
		}
		lo, hi := byte(r.IntN(256)), byte(r.IntN(256))
		if lo > hi {
			lo, hi = hi, lo
		}
		any := false
		for k := int(lo); k <= int(hi); k++ {
			any = any || a.holds([]byte{byte(k)})
		}
		if a.overlaps([]byte{lo}, []byte{hi}) != any {
			t.Fatalf("%v overlaps %d to %d: %v", a, lo, hi, !any)
		}
	}
}

func randomSet(r *rand.Rand) set {
	s := set{nulls: r.IntN(2) == 0}
	at := 0
	for range r.IntN(5) {
		lo := at + r.IntN(60)
		hi := lo + r.IntN(40)
		if hi > 255 {
			break
		}
		s.spans = append(s.spans, span{[]byte{byte(lo)}, []byte{byte(hi)}})
		at = hi + 1 + r.IntN(3)
	}
	if r.IntN(4) == 0 && at < 256 {
		s.spans = append(s.spans, span{lo: []byte{byte(at)}})
	}
	if n := len(s.spans); n > 0 && r.IntN(4) == 0 {
		s.spans[0].lo = []byte{}
	}
	return s
}
