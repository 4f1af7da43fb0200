package lanceio_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// columnsOf asks for all of a table's columns, stats too.
func columnsOf(tab *lanceio.Table) lanceio.ScanOption {
	var paths []expr.FieldPath
	for _, f := range tab.Schema().Fields() {
		paths = append(paths, path(f.Name))
	}
	return lanceio.Columns(paths...)
}

func TestWholeTables(t *testing.T) {
	for _, name := range []string{
		"worked", "history", "regions", "nested_2_0", "nested_2_1", "nested_2_2", "evolve_2_0", "evolve_2_1", "evolve_2_2", "grown", "deletions", "filters",
		"sidecars", "managed",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab, want := open(t, name), wanted(t, name)
			got := collect(t, tab, columnsOf(tab))
			same(t, got.rows, want.rows)
			if tab.Rows() != int64(len(want.rows)) || got.metrics.RowsSelected != int64(len(want.rows)) {
				t.Errorf("%d rows said, %d selected, want %d", tab.Rows(), got.metrics.RowsSelected, len(want.rows))
			}
			if got.metrics.FragmentsRead != len(tab.Fragments()) {
				t.Errorf("%d fragments read of %d", got.metrics.FragmentsRead, len(tab.Fragments()))
			}
			for i, f := range want.schema.Fields() {
				if g := got.schema.Field(i); g.Name != f.Name || !arrow.TypeEqual(g.Type, f.Type) {
					t.Errorf("column %d is %s %s, want %s %s", i, g.Name, g.Type, f.Name, f.Type)
				}
			}
		})
	}
}

func TestVersions(t *testing.T) {
	one := uint64(1)
	for _, name := range []string{"evolve_2_1", "evolve_2_2"} {
		want := wanted(t, name+"_at1")
		for label, opt := range map[string]lanceio.Option{"number": lanceio.AtVersion(one), "tag": lanceio.AtTag("first"), "text": lanceio.AtRef("1")} {
			t.Run(name+" by "+label, func(t *testing.T) {
				tab := open(t, name, opt)
				if tab.Version() != 1 {
					t.Errorf("version %d", tab.Version())
				}
				same(t, collect(t, tab).rows, want.rows)
			})
		}
	}
	newest := open(t, "evolve_2_2")
	if got := open(t, "evolve_2_2", lanceio.AsOf(newest.Timestamp())); got.Version() != newest.Version() {
		t.Errorf("version %d as of the newest's time, want %d", got.Version(), newest.Version())
	}
	first := open(t, "evolve_2_2", lanceio.AtVersion(1))
	if got := open(t, "evolve_2_2", lanceio.AsOf(first.Timestamp())); got.Version() != 1 {
		t.Errorf("version %d as of the first's time, want 1", got.Version())
	}
}

func TestOpenErrors(t *testing.T) {
	first := open(t, "evolve_2_2", lanceio.AtVersion(1)).Timestamp()
	tests := []struct {
		name, uri string
		opts      []lanceio.Option
		kind      error
		has       string
	}{
		{"no table", "testdata/tables/none.lance", nil, errs.ErrNotFound, "no table none"},
		{"no version", tableURI("worked"), []lanceio.Option{lanceio.AtVersion(99)}, errs.ErrNotFound, "version 99"},
		{"no tag", tableURI("worked"), []lanceio.Option{lanceio.AtTag("nightly")}, errs.ErrNotFound, "nightly"},
		{"before the first", tableURI("evolve_2_2"), []lanceio.Option{lanceio.AsOf(first.Add(-1))}, errs.ErrNotFound, "no version is as old"},
		{"two versions", tableURI("worked"), []lanceio.Option{lanceio.AtVersion(1), lanceio.AtTag("x")}, errs.ErrInvalidInput, "together"},
		{"no bucket", "s3:///t.lance", nil, errs.ErrInvalidInput, "s3://bucket"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := lanceio.Open(t.Context(), tt.uri, tt.opts...)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v, want %v with %q", err, tt.kind, tt.has)
			}
			if strings.Contains(fmt.Sprint(err), "testdata") {
				t.Errorf("%v holds a path", err)
			}
		})
	}
}

func TestNestedProjection(t *testing.T) {
	tests := []struct {
		name    string
		columns []expr.FieldPath
		schema  string
		keys    []string
		leaves  []string // those with bytes read
	}{
		{"a leaf", []expr.FieldPath{path("s", "a")}, "s: struct<a: int64>", []string{"s.a"}, []string{"s.a"}},
		{"a deep leaf", []expr.FieldPath{path("s", "t", "b")}, "s: struct<t: struct<b: utf8>>", []string{"s.t.b"}, []string{"s.t.b"}},
		{"a dot in a name", []expr.FieldPath{path("s", "t", "x.y")}, "s: struct<t: struct<x.y: float64>>", []string{`s.t."x.y"`}, []string{`s.t."x.y"`}},
		{"a prefix of another name", []expr.FieldPath{path("s_a")}, "s_a: int64", []string{"s_a"}, []string{"s_a"}},
		{"names that differ by case", []expr.FieldPath{path("S")}, "S: int32", []string{"S"}, []string{"S"}},
		{"siblings in the table's order", []expr.FieldPath{path("s", "z", "deep"), path("id"), path("s", "a")},
			"s: struct<a: int64, z: struct<deep: int8>>, id: int64", []string{"s.a", "s.z", "id"}, []string{"id", "s.a", "s.z.deep"}},
		{"all leaves make the struct", []expr.FieldPath{path("s", "t", "x.y"), path("s", "t", "c"), path("s", "t", "b")},
			"s: struct<t: struct<b: utf8, c: list<item: int32, nullable>, x.y: float64>>", []string{"s.t"}, []string{`s.t."x.y"`, "s.t.b", "s.t.c"}},
		{"a struct and a leaf of it", []expr.FieldPath{path("s", "t", "b"), path("s", "t")},
			"s: struct<t: struct<b: utf8, c: list<item: int32, nullable>, x.y: float64>>", []string{"s.t"}, []string{`s.t."x.y"`, "s.t.b", "s.t.c"}},
		{"a list is a boundary", []expr.FieldPath{path("l")}, "l: list<item: struct<sku: utf8, n: int32>, nullable>", []string{"l"}, []string{"l"}},
		{"non-null parents", []expr.FieldPath{path("must", "v")}, "must: struct<v: utf8>", []string{"must.v"}, []string{"must.v"}},
	}
	for _, version := range []string{"legacy", "2_0", "2_1", "2_2"} {
		for _, tt := range tests {
			t.Run(version+"/"+tt.name, func(t *testing.T) {
				tab := open(t, "nested_"+version)
				s, err := tab.NewScan(lanceio.Columns(tt.columns...))
				if err != nil {
					t.Fatal(err)
				}
				if got := schemaText(s.Schema()); got != tt.schema {
					t.Errorf("schema %s, want %s", got, tt.schema)
				}
				if got := s.Info().Columns; !slices.Equal(got, tt.keys) {
					t.Errorf("columns %q, want %q", got, tt.keys)
				}
				got := collect(t, tab, lanceio.Columns(tt.columns...))
				same(t, got.rows, cutRows(t, "nested_"+version, s.Schema()))
				var read []string
				for key, n := range got.metrics.ColumnBytes {
					if n > 0 {
						read = append(read, key)
					}
				}
				slices.Sort(read)
				if slices.Sort(tt.leaves); !slices.Equal(read, tt.leaves) {
					t.Errorf("leaves %q were read, want %q", read, tt.leaves)
				}
			})
		}
	}
}

// A struct whose members lie in several files, with nulls that differ, is null where all files say so, whichever members
// are asked for.
func TestProjectionOfGrownStructs(t *testing.T) {
	s := func(parts ...string) expr.FieldPath { return append(path("s"), parts...) }
	for _, columns := range [][]expr.FieldPath{
		{s("a")}, {s("b")}, {s("c")}, {s("t")}, {s("t", "x")}, {s("a"), s("c")}, {s("b"), s("t", "x")}, {s("c"), s("b"), path("id")}, {s()},
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			tab := open(t, "grown")
			got := collect(t, tab, lanceio.Columns(columns...))
			same(t, got.rows, cutRows(t, "grown", got.schema))
			// The same where a member was read by a filter before.
			got = collect(t, tab, lanceio.Columns(columns...), lanceio.FilterExpr(expr.AnyOf(expr.Path("s", "a").IsNull(), expr.Path("s", "a").Ge(expr.Int(0)))))
			same(t, got.rows, cutRows(t, "grown", got.schema))
		})
	}
	var want []string
	for i, row := range wanted(t, "grown").rows {
		if strings.HasSuffix(row, "s=null") {
			want = append(want, fmt.Sprint(i))
		}
	}
	if got, _ := ids(t, open(t, "grown"), lanceio.FilterExpr(expr.Path("s").IsNull())); got != strings.Join(want, " ") || len(want) == 0 {
		t.Errorf("s is null in rows %s, want %s", got, want)
	}
}

// Which rows of a struct are null can be told by a map alone; its keys or its values alone are no map.
func TestStructToldByAMap(t *testing.T) {
	tab := open(t, "mapped")
	for _, columns := range [][]expr.FieldPath{{path("s", "b")}, {path("s", "m")}, {path("s")}, {path("s", "b"), path("id")}} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			got := collect(t, tab, lanceio.Columns(columns...))
			same(t, got.rows, cutRows(t, "mapped", got.schema))
		})
	}
	if got, _ := ids(t, tab, lanceio.FilterExpr(expr.Path("s").IsNull())); got != "0 3 6 9 12 15 18" {
		t.Errorf("s is null in rows %s", got)
	}
}

func schemaText(s *arrow.Schema) string {
	var parts []string
	for _, f := range s.Fields() {
		parts = append(parts, f.Name+": "+typeText(f.Type))
	}
	return strings.Join(parts, ", ")
}

func typeText(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.StructType:
		var parts []string
		for _, f := range t.Fields() {
			parts = append(parts, f.Name+": "+typeText(f.Type))
		}
		return "struct<" + strings.Join(parts, ", ") + ">"
	case *arrow.ListType:
		return "list<item: " + typeText(t.Elem()) + ", nullable>"
	}
	return t.String()
}

func TestMissingColumns(t *testing.T) {
	tab := open(t, "nested_2_2", lanceio.WithName("lance.main.nested"))
	tests := []struct {
		name string
		path expr.FieldPath
		has  []string
	}{
		{"a typing error", path("s", "t", "bb"), []string{"lance.main.nested", "s.t.bb", "s.t.b"}},
		{"case", path("S_A"), []string{"S_A", "s_a"}},
		{"a leaf without its parents", path("sku2"), []string{"sku2"}},
		{"a leaf's own name", path("deep"), []string{"deep", "s.z.deep"}},
		{"one part with a dot is no path", path("s.a"), []string{`"s.a"`}},
		{"below a leaf", path("id", "x"), []string{"id.x"}},
		{"below a list", path("l", "sku"), []string{"l.sku"}},
		{"empty", expr.FieldPath{""}, []string{`""`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tab.NewScan(lanceio.Columns(tt.path))
			if !errors.Is(err, errs.ErrNotFound) {
				t.Fatalf("%v, want not found", err)
			}
			for _, has := range tt.has {
				if !strings.Contains(err.Error(), has) {
					t.Errorf("%v does not name %s", err, has)
				}
			}
		})
	}
}

func TestDefaultColumnsLeaveOutStats(t *testing.T) {
	got := collect(t, open(t, "worked"))
	if s := schemaText(got.schema); !strings.HasPrefix(s, "id: int64, lat: struct<") || strings.Contains(s, "__stats__") {
		t.Errorf("schema %s", s)
	}
	if md := got.schema.Field(1).Metadata; md.FindKey("ARROW:extension:name") < 0 {
		t.Errorf("the variable lost its metadata: %v", md)
	}
	for key := range got.metrics.ColumnBytes {
		if strings.HasPrefix(key, "__stats__") {
			t.Errorf("%s was read", key)
		}
	}
}

func TestSpecialColumns(t *testing.T) {
	for _, name := range []string{"evolve_legacy", "evolve_2_0", "evolve_2_1", "evolve_2_2"} {
		t.Run(name, func(t *testing.T) {
			got := collect(t, open(t, name), lanceio.Columns(path("id")), lanceio.WithRowID(), lanceio.WithRowAddress())
			same(t, got.rows, wanted(t, name+"_rowids").rows)
		})
	}
	t.Run("stable row ids", func(t *testing.T) {
		got := collect(t, open(t, "stable"), lanceio.WithRowID(), lanceio.WithRowAddress())
		same(t, got.rows, wanted(t, "stable").rows)
	})
	t.Run("fragment ids alone", func(t *testing.T) {
		got := collect(t, open(t, "evolve_2_2"), lanceio.Columns(), lanceio.WithFragmentID())
		var want []string
		for _, f := range open(t, "evolve_2_2").Fragments() {
			for range f.Rows {
				want = append(want, fmt.Sprintf("%s=%d", scan.FragID, f.ID))
			}
		}
		same(t, got.rows, want)
		if len(got.metrics.ColumnBytes) != 0 || got.metrics.FragmentsRead != 0 {
			t.Errorf("read %v of %d fragments", got.metrics.ColumnBytes, got.metrics.FragmentsRead)
		}
	})
}

func TestLimitAndOffset(t *testing.T) {
	for _, name := range []string{"evolve_legacy", "evolve_2_2", "deletions"} {
		tab, all := open(t, name), wanted(t, name).rows
		for _, offset := range []int{0, 1, 18, 19, 33, len(all) - 1, len(all), len(all) + 5} {
			for _, limit := range []int{0, 1, 3, 20, len(all) + 1, -1} {
				t.Run(fmt.Sprintf("%s offset %d limit %d", name, offset, limit), func(t *testing.T) {
					opts := []lanceio.ScanOption{columnsOf(tab), lanceio.Offset(int64(offset))}
					want := all[min(offset, len(all)):]
					if limit >= 0 {
						opts = append(opts, lanceio.Limit(int64(limit)))
						want = want[:min(limit, len(want))]
					}
					got := collect(t, tab, opts...)
					same(t, got.rows, want)
					if limit == 0 && (got.metrics.BytesRead != 0 || got.metrics.ReadRequests != 0) {
						t.Errorf("limit 0 read %d bytes", got.metrics.BytesRead)
					}
				})
			}
		}
	}
}

func TestBatchRows(t *testing.T) {
	got := collect(t, open(t, "deletions"), lanceio.BatchRows(777))
	for i, n := range got.batches {
		if n > 777 {
			t.Errorf("batch %d has %d rows", i, n)
		}
	}
	same(t, got.rows, wanted(t, "deletions").rows)
}

func TestCountReadsNothing(t *testing.T) {
	for _, name := range []string{"deletions", "evolve_2_2", "nested_2_0", "nested_legacy"} {
		t.Run(name, func(t *testing.T) {
			tab := open(t, name)
			got := collect(t, tab, lanceio.Columns())
			if int64(len(got.rows)) != tab.Rows() || len(got.schema.Fields()) != 0 {
				t.Errorf("%d rows of %d columns, want %d of none", len(got.rows), len(got.schema.Fields()), tab.Rows())
			}
			if got.metrics.BytesRead != 0 || got.metrics.FragmentsRead != 0 || got.metrics.RowsSelected != tab.Rows() {
				t.Errorf("metrics %+v", got.metrics)
			}
		})
	}
}

// The bytes read for a leaf are those of its pages, by the file's own metadata as its writer's tools print it.
func TestLeafBytes(t *testing.T) {
	var want struct {
		Bytes map[string]int64 `json:"leaf_bytes"`
	}
	wantedJSON(t, "sizes", &want)
	tests := map[string]expr.FieldPath{"id": path("id"), "s.a": path("s", "a"), "s.b": path("s", "b"), "s.l": path("s", "l"), "g": path("g")}
	for key, p := range tests {
		t.Run(key, func(t *testing.T) {
			m := collect(t, open(t, "sizes"), lanceio.Columns(p)).metrics
			got := m.ColumnBytes[key]
			if len(m.ColumnBytes) != 1 || float64(got) > 1.1*float64(want.Bytes[key]) || float64(got) < 0.9*float64(want.Bytes[key]) {
				t.Errorf("read %v, the pages of %s hold %d", m.ColumnBytes, key, want.Bytes[key])
			}
			if m.BytesRead < got {
				t.Errorf("%d bytes in all, %d of the leaf", m.BytesRead, got)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	s, err := open(t, "nested_2_2", lanceio.WithName("lance.main.n")).NewScan(lanceio.Columns(path("s", "a"), path("id")),
		lanceio.WithRowID(), lanceio.Limit(7), lanceio.Offset(2))
	if err != nil {
		t.Fatal(err)
	}
	want := "scan lance.main.n version 1\n  columns: s.a, id\n  special columns: _rowid\n  limit: 7\n  offset: 2\n  fragments: 3, rows: 400\n"
	if got := s.Explain(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
