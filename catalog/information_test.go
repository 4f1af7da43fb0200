package catalog_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// texts reads columns of a source, each row as its values joined by spaces, null as "-".
func texts(t *testing.T, src scan.Source, filter expr.Expr, columns ...string) []string {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	spec := scan.Spec{Limit: -1, Filter: filter}
	for _, c := range columns {
		spec.Columns = append(spec.Columns, expr.FieldPath{c})
	}
	p, err := src.Plan(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Open(context.Background(), mem)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for {
		b, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(b.NumRows()) {
			var row []string
			for _, c := range b.Columns() {
				if c.IsNull(i) {
					row = append(row, "-")
					continue
				}
				row = append(row, c.ValueStr(i))
			}
			out = append(out, strings.Join(row, " "))
		}
		b.Release()
	}
}

// is compares a text column with texts.
func is(column string, values ...string) expr.Expr {
	x := &expr.Column{Path: expr.FieldPath{column}, Typ: arrow.BinaryTypes.String}
	if len(values) == 1 {
		return &expr.Compare{Op: expr.Eq, L: expr.Text(values[0]), R: x}
	}
	in := &expr.In{X: x}
	for _, v := range values {
		in.List = append(in.List, expr.Text(v))
	}
	return in
}

func TestInformationSchema(t *testing.T) {
	root := t.TempDir()
	put(t, root, "history.lance", "history.lance")
	put(t, root, "worked.lance", "worked.lance")
	put(t, root, "geo/sizes.lance", "sizes.lance")
	if err := os.MkdirAll(filepath.Join(root, "broken.lance", "_versions"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := open(t, catalog.Root{Name: "lance", URI: root}, catalog.Root{Name: "other", URI: t.TempDir()})
	source := func(parts ...string) scan.Source { return resolve(t, c.Snapshot(), ref(parts...)) }
	for _, tc := range []struct {
		name   string
		src    scan.Source
		filter expr.Expr
		cols   []string
		want   []string
	}{
		{"schemata", source("information_schema", "schemata"), nil, []string{"catalog_name", "schema_name", "schema_owner"},
			[]string{"lance geo -", "lance main -", "lance information_schema -", "lance pg_catalog -"}},
		{"tables", source("lance", "Information_Schema", "TABLES"), nil, []string{"table_catalog", "table_schema", "table_name", "table_type"},
			[]string{"lance geo sizes BASE TABLE", "lance main broken BASE TABLE", "lance main history BASE TABLE", "lance main worked BASE TABLE"}},
		{"one schema", source("information_schema", "tables"), is("table_schema", "geo"), []string{"table_name"}, []string{"sizes"}},
		{"some tables", source("information_schema", "tables"), is("table_name", "worked", "sizes", "nope"), []string{"table_name"},
			[]string{"sizes", "worked"}},
		{"two conditions", source("information_schema", "tables"),
			expr.AllOf(is("table_name", "worked", "sizes"), is("table_schema", "main"), is("table_name", "worked", "history")), []string{"table_name"}, []string{"worked"}},
		{"another catalog", source("other", "information_schema", "tables"), nil, []string{"table_name"}, nil},
		{"views", source("information_schema", "views"), nil, []string{"table_name"}, nil},
		{"columns without those of stats", source("information_schema", "columns"), is("table_name", "worked"),
			[]string{"table_schema", "column_name", "ordinal_position", "is_nullable", "numeric_precision"},
			[]string{"main id 1 YES 64", "main lat 2 YES -"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := texts(t, tc.src, tc.filter, tc.cols...); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, name := range []scan.TableRef{ref("information_schema", "nope"), ref("information_schema", "tables@3"), ref("nope", "information_schema", "tables")} {
		if _, err := c.Snapshot().Resolve(context.Background(), name); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("%v: %v", name, err)
		}
	}
}

func TestAboutATable(t *testing.T) {
	root := t.TempDir()
	put(t, root, "history.lance", "history.lance")
	c := open(t, catalog.Root{URI: root})
	about := func(name string, what scan.About) scan.Source {
		r := ref(name)
		r.About = what
		return resolve(t, c.Snapshot(), r)
	}
	// The versions 1 to 5 have 2, 2, 4, 4, and 7 rows.
	if got, want := texts(t, about("history", scan.AboutVersions), nil, "version", "rows"), []string{"5 7", "4 4", "3 4", "2 2", "1 2"}; !slices.Equal(got, want) {
		t.Errorf("versions %q, want %q", got, want)
	}
	for name, want := range map[string]int64{"history": 7, "history@1": 2} {
		src := about(name, scan.AboutFragments)
		var rows int64
		for _, n := range texts(t, src, nil, "rows") {
			rows += map[string]int64{"1": 1, "2": 2, "3": 3, "4": 4, "7": 7}[n]
		}
		if rows != want {
			t.Errorf("%s: fragments of %d rows in all, want %d", name, rows, want)
		}
	}
	want := []string{"id true", "lat false", "lat.values true", "lat.dim_names true", "lat.dim_sizes true", "lat.attrs false",
		"lat.attrs.units true", "__stats__:lat false", "__stats__:lat.min true", "__stats__:lat.max true"}
	if got := texts(t, about("history", scan.AboutColumns), nil, "column_path", "leaf"); !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
}
