package flightsql

import (
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestPrimaryKeyOf(t *testing.T) {
	field := func(name, key string, position int, typ arrow.DataType) arrow.Field {
		md := map[string]string{}
		if key != "" {
			md["lance-schema:unenforced-primary-key"] = key
		}
		if position > 0 {
			md["lance-schema:unenforced-primary-key:position"] = strconv.Itoa(position)
		}
		return arrow.Field{Name: name, Type: typ, Metadata: arrow.MetadataFrom(md)}
	}
	i64 := arrow.PrimitiveTypes.Int64
	for name, tt := range map[string]struct {
		fields []arrow.Field
		want   []string
	}{
		"none":       {[]arrow.Field{field("a", "", 0, i64), field("b", "false", 1, i64)}, nil},
		"one":        {[]arrow.Field{field("a", "", 0, i64), field("b", "true", 0, i64)}, []string{"b"}},
		"by field":   {[]arrow.Field{field("b", "true", 0, i64), field("a", "1", 0, i64)}, []string{"b", "a"}},
		"positions":  {[]arrow.Field{field("b", "true", 2, i64), field("a", "true", 1, i64), field("c", "true", 0, i64)}, []string{"a", "b", "c"}},
		"in structs": {[]arrow.Field{field("s", "", 0, arrow.StructOf(field("x", "true", 0, i64), field("y.z", "true", 1, i64)))}, []string{"s.y.z", "s.x"}},
	} {
		var got []string
		for _, c := range primaryKeyOf(arrow.NewSchema(tt.fields, nil)) {
			got = append(got, c.name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
