package nested_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/nested"
)

var (
	inner  = arrow.StructOf(arrow.Field{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "n", Type: arrow.Null, Nullable: true})
	outer  = arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: inner, Nullable: true}, arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true})
	schema = arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})},
		{Name: "s", Type: outer, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name", "k"}, []string{"nd_arrow.array", "v"})},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), Nullable: true},
		{Name: "e", Type: arrow.StructOf(), Nullable: true},
	}, nil)
)

const rows = `[
	{"id": 1, "s": {"a": 7, "b": {"c": "<x>", "n": null}, "l": [1.5, null]}, "m": [{"key": "k", "value": 1}], "e": {}},
	{"id": 2, "s": null, "m": null, "e": {}},
	{"id": 3, "s": {"a": 8, "b": null, "l": []}, "m": [], "e": {}},
	{"id": 4, "s": {"a": 9, "b": {"c": null, "n": null}, "l": null}, "m": [], "e": {}}
]`

// run gives the columns of rows from to to under a mode, as a table of texts.
func run(t *testing.T, m nested.Mode, from, to int64) (*arrow.Schema, map[string]string) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	all, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	b := all.NewSlice(from, to)
	defer b.Release()
	out, err := m.Batch(b, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	if !out.Schema().Equal(m.Schema(schema)) {
		t.Errorf("%s: the batch is of %v, announced %v", m, out.Schema(), m.Schema(schema))
	}
	texts := map[string]string{}
	for i, c := range out.Columns() {
		if !arrow.TypeEqual(c.DataType(), out.Schema().Field(i).Type) {
			t.Errorf("%s: column %s is %s under %s", m, out.ColumnName(i), c.DataType(), out.Schema().Field(i).Type)
		}
		var values []string
		for r := range c.Len() {
			values = append(values, c.ValueStr(r))
		}
		texts[out.ColumnName(i)] = strings.Join(values, " ")
	}
	return out.Schema(), texts
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, values := range want {
		if got[name] != values {
			t.Errorf("column %s is %q, want %q", name, got[name], values)
		}
	}
	if len(got) != len(want) {
		t.Errorf("columns %v, want %v", got, want)
	}
}

func TestFlatten(t *testing.T) {
	s, got := run(t, nested.Flatten, 0, 4)
	same(t, got, map[string]string{
		"id": "1 2 3 4", "s.a": "7 (null) 8 9", "s.b.c": "<x> (null) (null) (null)", "s.b.n": "(null) (null) (null) (null)",
		"s.l": "[1.5,null] (null) [] (null)", "m": `[{"key":"k","value":1}] (null) [] []`, "e": "{} {} {} {}",
	})
	if f, _ := s.FieldsByName("s.a"); !f[0].Nullable {
		t.Error("a field of a struct that may be null may be null itself")
	}
	_, got = run(t, nested.Flatten, 1, 3)
	same(t, got, map[string]string{"id": "2 3", "s.a": "(null) 8", "s.b.c": "(null) (null)", "s.b.n": "(null) (null)", "s.l": "(null) []", "m": "(null) []", "e": "{} {}"})
}

func TestJSON(t *testing.T) {
	s, got := run(t, nested.JSON, 0, 4)
	same(t, got, map[string]string{
		"id": "1 2 3 4",
		"s":  `{"a":7,"b":{"c":"<x>","n":null},"l":[1.5,null]} (null) {"a":8,"b":null,"l":[]} {"a":9,"b":{"c":null,"n":null},"l":null}`,
		"m":  `{"k":1} (null) {} {}`, "e": "{} {} {} {}",
	})
	f, _ := s.FieldsByName("s")
	if f[0].Type.ID() != arrow.STRING || f[0].Metadata.Len() != 1 || f[0].Metadata.FindKey("k") != 0 {
		t.Errorf("a text is announced as %v", f[0])
	}
	_, got = run(t, nested.JSON, 2, 2)
	same(t, got, map[string]string{"id": "", "s": "", "m": "", "e": ""})
}

func TestNative(t *testing.T) {
	s, _ := run(t, nested.Native, 0, 4)
	if !s.Equal(schema) {
		t.Errorf("%v", s)
	}
}

func TestParseMode(t *testing.T) {
	for text, want := range map[string]nested.Mode{"native": nested.Native, "FLATTEN": nested.Flatten, "Json": nested.JSON} {
		if got, err := nested.ParseMode(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "flat", "native "} {
		if _, err := nested.ParseMode(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
