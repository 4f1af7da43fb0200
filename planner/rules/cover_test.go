package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/rules"
)

func TestCover(t *testing.T) {
	i32 := arrow.PrimitiveTypes.Int32
	field := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	schema := arrow.NewSchema([]arrow.Field{
		field("s", arrow.StructOf(field("a", i32), field("b", arrow.StructOf(field("c", i32), field("d", i32))))),
		field("s_a", i32),
		field("w", arrow.StructOf(field("x.y", i32), field("x", arrow.StructOf(field("y", i32), field("z", i32))))),
		field("l", arrow.ListOf(arrow.StructOf(field("k", i32)))),
		field("empty", arrow.StructOf()),
	}, nil)
	path := func(parts ...string) expr.FieldPath { return parts }
	for _, c := range []struct {
		name string
		in   []expr.FieldPath
		want string
	}{
		{"a leaf stays a leaf", []expr.FieldPath{path("s", "b", "c")}, "s.b.c"},
		{"the order is that of first use", []expr.FieldPath{path("s_a"), path("s", "a")}, "s_a s.a"},
		{"all leaves of an inner struct", []expr.FieldPath{path("s", "b", "d"), path("s", "b", "c")}, "s.b"},
		{"all leaves of a struct", []expr.FieldPath{path("s", "b", "d"), path("s_a"), path("s", "a"), path("s", "b", "c")}, "s s_a"},
		{"the struct itself holds its leaves", []expr.FieldPath{path("s", "a"), path("s")}, "s"},
		{"twice the same", []expr.FieldPath{path("s", "a"), path("s", "a")}, "s.a"},
		{"a dotted name is no path", []expr.FieldPath{path("w", "x.y"), path("w", "x", "y")}, `w."x.y" w.x.y`},
		{"s is no prefix of s_a", []expr.FieldPath{path("s", "a"), path("s_a")}, "s.a s_a"},
		{"lists are leaves", []expr.FieldPath{path("l")}, "l"},
		{"an empty struct", []expr.FieldPath{path("empty")}, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := slices.Clone(c.in)
			var got []string
			for _, p := range rules.Cover(schema, c.in) {
				got = append(got, p.Key())
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
			for i := range in {
				if !in[i].Equal(c.in[i]) {
					t.Errorf("path %d was changed to %s", i, c.in[i])
				}
			}
		})
	}
}
