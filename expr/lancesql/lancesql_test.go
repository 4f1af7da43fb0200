package lancesql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/expr/lancesql"
)

const rows = `[
{"f":1,"i":1,"s":"a","t":"2024-01-01 00:00:00","ok":true,"l":[1,2],"st":{"x":1,"y z":{"Q":"a"}},"Abc":0},
{"f":"NaN","i":2,"s":"B","t":"1969-12-31 23:59:59.5","ok":false,"l":[],"Abc":1},
{"f":3,"s":"a ","st":{},"Abc":2},
{"i":-1,"s":"é","t":"2024-01-01 12:00:00","ok":true,"l":[null],"st":{"x":2},"Abc":3},
{"f":-0.0,"i":7,"l":[3],"Abc":4},
{"f":"Inf","i":-7,"s":"a_b","l":[1],"Abc":5},
{"f":"-Inf","i":2147483647,"s":"axb","l":[1],"Abc":6},
{"f":0,"i":0,"s":"a\\xb","l":[1],"Abc":7}]`

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
	{Name: "ok", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
	{Name: "st", Nullable: true, Type: arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "y z", Nullable: true, Type: arrow.StructOf(
			arrow.Field{Name: "Q", Type: arrow.BinaryTypes.String, Nullable: true})})},
	{Name: "Abc", Type: arrow.PrimitiveTypes.Int32},
}, nil)

func resolve(c expr.Column) (expr.Column, error) {
	fields, out := schema.Fields(), expr.FieldPath{}
	for _, part := range c.Path {
		f, err := expr.FieldByName(fields, part)
		if err != nil {
			return c, err
		}
		out, c.Typ = out.Child(f.Name), f.Type
		fields = nil
		if st, ok := f.Type.(*arrow.StructType); ok {
			fields = st.Fields()
		}
	}
	c.Path = out
	return c, nil
}

func batch(t *testing.T) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The rows are those that pylance 14 gives for the same text over the same table.
func TestFilterAsLance(t *testing.T) {
	b := batch(t)
	defer b.Release()
	for _, c := range []struct {
		filter string
		want   []int32
	}{
		{"f = 0", []int32{4, 7}},
		{"f > 1e300", []int32{1, 5}},
		{"f <> 1.0", []int32{1, 2, 4, 5, 6, 7}},
		{"not (f < 2)", []int32{1, 2, 5}},
		{"f between 0 and 10", []int32{0, 2, 4, 7}},
		{"i / 2 = 3", []int32{4}},
		{"i / 2 = -3", []int32{5}},
		{"i / 2.0 = 3.5", []int32{4}},
		{"i % 2 = 1", []int32{0, 4, 6}},
		{"i + 2147483647 > 5", []int32{0, 1, 3, 4, 5, 6, 7}},
		{`s = "a"`, []int32{0}},
		{"s > 'a'", []int32{2, 3, 5, 6, 7}},
		{"s = `s`", []int32{0, 1, 2, 3, 5, 6, 7}},
		{"s like 'a_b'", []int32{5, 6}},
		{`s like 'a\_b'`, []int32{5}},
		{`s like 'a\\xb'`, []int32{7}},
		{"s ilike 'A%'", []int32{0, 2, 5, 6, 7}},
		{"t > timestamp '2024-01-01 00:00:00'", []int32{3}},
		{"t = date '2024-01-01'", []int32{0}},
		{"t > cast('2024-01-01' as timestamp)", []int32{3}},
		{"ok", []int32{0, 3}},
		{"not ok", []int32{1}},
		{"ok is not true", []int32{1, 2, 4, 5, 6, 7}},
		{"i in (1, null)", []int32{0}},
		{"i not in (1, null)", nil},
		{"i is distinct from 1", []int32{1, 2, 3, 4, 5, 6, 7}},
		{"st.x = 1", []int32{0}},
		{"st.`y z`.`Q` = 'a'", []int32{0}},
		{"st['x'] = 1", []int32{0}},
		{"st is null", []int32{1, 4, 5, 6, 7}},
		{"ABC = 3", []int32{3}},
		{"array_has(l, 1)", []int32{0, 5, 6, 7}},
		{"l[1] = 1", []int32{0, 5, 6, 7}},
		{"array_length(l) = 1", []int32{3, 4, 5, 6, 7}},
		{"regexp_like(s, '^a.')", []int32{2, 5, 6, 7}},
		{"lower(s) = 'b'", []int32{1}},
		{"i == 1 -- as written", []int32{0}},
		{"i = 1 /* one */;", []int32{0}},
		{"cast(i as string) = '1'", []int32{0}},
		{"i::bigint = 1", []int32{0}},
		{"coalesce(i, 5) = 5", []int32{2}},
		{"s || 'x' = 'ax'", []int32{0}},
		{"i not between 1 and 2", []int32{3, 4, 5, 6, 7}},
		{"-i = 1", []int32{3}},
		{"date_part('year', t) = 2024", []int32{0, 3}},
		{"nullif(i, 1) is null", []int32{0, 2}},
		{"i = 1 and not f > 2 or s = 'B'", []int32{0, 1}},
		{"1 = 1", []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"f < i * 0.0", []int32{4, 6}}, // two floats in total order: -0.0 below 0.0, a NaN of negative sign below all
		{"f = 0.0 * i", []int32{7}},
		{"f * 0.0 < 5", []int32{0, 2, 4, 5, 6, 7}},
		{"f * 0.0 > 5", []int32{1}},
		{"f <= f * 0.0", []int32{1, 4, 7}},
		{"f * 0.0 <> f", []int32{0, 2, 5, 6}},
		{"f between 0.0 * i and 10", []int32{0, 7}},
		{"not (f * 0.0 between -1 and 1)", []int32{1, 5, 6}},
		{"0 > f * 0.0", []int32{5, 6}},
		{"f * -1.0 * 0.0 = 0", []int32{0, 2, 4, 7}},
		{"ok is distinct from ok and i > 1", []int32{0, 3, 5, 7}}, // all that follows is the right side
	} {
		e, err := lancesql.Filter(c.filter, resolve)
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		if !eval.Supports(e) {
			t.Errorf("%s: %s can't be evaluated", c.filter, e)
			continue
		}
		m, err := eval.Mask(e, eval.Batch{Rows: b}, int(b.NumRows()))
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		got := m.Indices(nil)
		if len(got) != len(c.want) {
			t.Errorf("%s: rows %v, want %v", c.filter, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: rows %v, want %v", c.filter, got, c.want)
				break
			}
		}
	}
}

func TestDivisionByZeroFails(t *testing.T) {
	b := batch(t)
	defer b.Release()
	for _, filter := range []string{"i / 0 = 1", "1 / i = 1", "i % 0 = 1"} {
		e, err := lancesql.Filter(filter, resolve)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eval.Mask(e, eval.Batch{Rows: b}, int(b.NumRows())); !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%s: error %v", filter, err)
		}
	}
}

func TestFaultsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		filter       string
		line, column int
	}{
		{"i >", 1, 4},
		{"i > > 1", 1, 5},
		{"i = 1 and", 1, 10},
		{"(i = 1", 1, 7},
		{"i = 1\nor é 5", 2, 6},
		{"s = 'a", 1, 5},
		{"i in ()", 1, 3},
		{"i & 1", 1, 3},
		{"s like 'a!_b' escape '!'", 1, 22},
		{"nosuch(i)", 1, 1},
		{"cast(i as nothing)", 1, 11},
		{"case when ok then 1 end", 1, 1},
		{"", 1, 1},
		{strings.Repeat("(", 5000) + "i" + strings.Repeat(")", 5000), 1, lancesql.MaxDepth + 1},
	} {
		_, err := lancesql.Parse(c.filter)
		var at *errs.SQLError
		if !errors.As(err, &at) || !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%.40q: error %v", c.filter, err)
			continue
		}
		if at.Line != c.line || at.Column != c.column {
			t.Errorf("%.40q: fault at %d:%d, want %d:%d (%v)", c.filter, at.Line, at.Column, c.line, c.column, err)
		}
	}
}

func TestRefusedByMeaning(t *testing.T) {
	for filter, kind := range map[string]error{
		"i = 'abc'":                             errs.ErrInvalidInput,
		"t > '2024-01-01'":                      errs.ErrInvalidInput,
		"i":                                     errs.ErrInvalidInput,
		"null":                                  errs.ErrInvalidInput,
		"cast(i as string) = cast(1 as bigint)": errs.ErrInvalidInput,
		"l > 1":                                 errs.ErrInvalidInput,
		"xyz = 1":                               errs.ErrNotFound,
	} {
		if _, err := lancesql.Filter(filter, resolve); !errors.Is(err, kind) {
			t.Errorf("%s: error %v, want %v", filter, err, kind)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"i = 1", "a.`b c`['d'][1] like 'x\\_%' and not (f between 1e5 and .5 or s in ('a', \"b\"))", "cast(x as decimal(10,2))::int is not distinct from -1", "((", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := lancesql.Parse(s)
		if err != nil {
			var at *errs.SQLError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q: error without a place: %v", s, err)
			}
			return
		}
		_ = e.String()
	})
}
