package cells_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/cells"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

var (
	f64  = arrow.PrimitiveTypes.Float64
	i32  = arrow.PrimitiveTypes.Int32
	i64  = arrow.PrimitiveTypes.Int64
	utf8 = arrow.BinaryTypes.String
)

// grid is a table of four rows: a full grid with coordinates, one whose lat is missing, one of other dimensions, and one
// that lacks all variables.
func grid(t *testing.T) *rowTable {
	return newRows(t, []arrow.Field{
		{Name: "id", Type: i64, Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "a", Type: i32, Nullable: true}, arrow.Field{Name: "b", Type: utf8, Nullable: true}), Nullable: true},
		variableField("sst", f64), statsField("sst", f64),
		variableField("lat", f64), statsField("lat", f64),
		variableField("run", utf8),
		{Name: "__global_attrs__", Type: arrow.StructOf(arrow.Field{Name: "title", Type: utf8, Nullable: true}), Nullable: true},
	}, `[
	{"id": 1, "s": {"a": 10, "b": "x"}, "sst": {"values": [1, 2, null, 4, 5, 6], "dim_names": ["time", "lat"], "dim_sizes": [3, 2]},
	 "lat": {"values": [-10, 10], "dim_names": ["lat"], "dim_sizes": [2]}, "run": {"values": ["r1"], "dim_names": [], "dim_sizes": []},
	 "__stats__:sst": {"min": 1, "max": 6}, "__stats__:lat": {"min": -10, "max": 10}, "__global_attrs__": {"title": "one"}},
	{"id": 2, "s": null, "sst": {"values": [7, 8], "dim_names": ["lat"], "dim_sizes": [2]}, "__stats__:sst": {"min": 7, "max": 8}}
	]`, `[
	{"id": 3, "s": {"a": 30, "b": "z"}, "sst": {"values": ["NaN", 9], "dim_names": ["depth"], "dim_sizes": [2]}, "__stats__:sst": {"min": 9, "max": 9}},
	{"id": 4}
	]`)
}

func col(name string, typ arrow.DataType) *expr.Column {
	return &expr.Column{Path: expr.FieldPath{name}, Typ: typ}
}

// rowsOf runs a scan and gives each cell's values, as texts that blanks part.
func rowsOf(t *testing.T, s *cells.Source, spec scan.Spec) ([]string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	p, err := s.Plan(t.Context(), spec)
	if err != nil {
		return nil, err
	}
	in, err := p.Open(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(in.Close(), in.Close()); err != nil {
			t.Error(err)
		}
	}()
	var out []string
	for {
		b, err := in.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if b.NumRows() == 0 || !b.Schema().Equal(p.Schema()) {
			t.Errorf("%d rows of schema %v, announced %v", b.NumRows(), b.Schema(), p.Schema())
		}
		if m := int64(spec.BatchRows); m > 0 && b.NumRows() > m {
			t.Errorf("a batch of %d rows, at most %d", b.NumRows(), m)
		}
		for _, c := range b.Columns() {
			if v, ok := c.(interface{ ValidateFull() error }); ok {
				if err := v.ValidateFull(); err != nil {
					t.Error(err)
				}
			}
		}
		for i := range int(b.NumRows()) {
			parts := make([]string, 0, b.NumCols())
			for _, c := range b.Columns() {
				if c.IsNull(i) {
					parts = append(parts, "-")
				} else {
					parts = append(parts, c.ValueStr(i))
				}
			}
			out = append(out, strings.Join(parts, " "))
		}
		b.Release()
	}
}

func paths(names ...string) []expr.FieldPath {
	var out []expr.FieldPath
	for _, n := range names {
		out = append(out, expr.FieldPath(strings.Split(n, ".")))
	}
	return out
}

func names(s *arrow.Schema) (visible, hidden []string) {
	for _, f := range s.Fields() {
		text := f.Name + " " + f.Type.String()
		if _, h := scan.Hidden(f); h {
			hidden = append(hidden, text)
		} else {
			visible = append(visible, text)
		}
	}
	return visible, hidden
}

func TestColumns(t *testing.T) {
	for _, tc := range []struct {
		name      string
		variables []string
		visible   string
		hidden    string
		cells     int64
	}{
		{"all", nil, "id int64,s struct<a: int32 nullable, b: utf8 nullable>,time_index int64,lat float64,depth_index int64,sst float64,run utf8",
			"__global_attrs__ struct<title: utf8 nullable>,lat_index int64", 10},
		{"without the coordinate", []string{"sst"}, "id int64,s struct<a: int32 nullable, b: utf8 nullable>,time_index int64,lat_index int64,depth_index int64,sst float64",
			"__global_attrs__ struct<title: utf8 nullable>", 10},
		{"the coordinate alone, in another spelling", []string{"LAT"}, "id int64,s struct<a: int32 nullable, b: utf8 nullable>,lat float64",
			"__global_attrs__ struct<title: utf8 nullable>,lat_index int64", 2},
		{"no dimensions", []string{"run"}, "id int64,s struct<a: int32 nullable, b: utf8 nullable>,run utf8", "__global_attrs__ struct<title: utf8 nullable>", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := cellsOf(t, grid(t), tc.variables...)
			visible, hidden := names(s.Schema())
			if got := strings.Join(visible, ","); got != tc.visible {
				t.Errorf("columns\n%s, want\n%s", got, tc.visible)
			}
			if got := strings.Join(hidden, ","); got != tc.hidden {
				t.Errorf("hidden %s, want %s", got, tc.hidden)
			}
			if s.Rows() != tc.cells || s.Version() != 3 {
				t.Errorf("%d cells of version %d, want %d", s.Rows(), s.Version(), tc.cells)
			}
		})
	}
}

func TestScans(t *testing.T) {
	lat, sst, run := col("lat", f64), col("sst", f64), col("run", utf8)
	id, sb, time := col("id", i64), &expr.Column{Path: expr.FieldPath{"s", "b"}, Typ: utf8}, col("time_index", i64)
	num := func(v float64) expr.Expr { return expr.Double(v) }
	all := []string{
		"1 0 -10 - 1 r1", "1 0 10 - 2 r1", "1 1 -10 - - r1", "1 1 10 - 4 r1", "1 2 -10 - 5 r1", "1 2 10 - 6 r1",
		"2 - - - 7 -", "2 - - - 8 -", "3 - - 0 - -", "3 - - 1 9 -",
	}
	columns := paths("id", "time_index", "lat", "depth_index", "sst", "run")
	for _, tc := range []struct {
		name string
		spec scan.Spec
		want []string
		// what the rows' scan is asked for
		stats, filter string
		limit         int64
	}{
		{"all", scan.Spec{Columns: columns, Limit: -1}, all, "", "", -1},
		{"in small batches", scan.Spec{Columns: columns, Limit: -1, BatchRows: 3}, all, "", "", -1},
		{"cells 5 to 8", scan.Spec{Columns: columns, Offset: 5, Limit: 3}, all[5:8], "", "", -1},
		{"beyond the end", scan.Spec{Columns: columns, Offset: 10, Limit: 3}, nil, "", "", -1},
		{"no columns", scan.Spec{Limit: -1}, slices.Repeat([]string{""}, 10), "", "", -1},
		{"by name only", scan.Spec{Columns: paths("lat_index", "__global_attrs__.title"), Special: []string{scan.RowID}, Limit: 2},
			[]string{`0 {"title":"one"} 0`, `1 {"title":"one"} 0`}, "", "", -1},
		{"fields of a plain column", scan.Spec{Columns: paths("s.b"), Offset: 5, Limit: 2}, []string{`{"b":"x"}`, "-"}, "", "", -1},
		{"a value", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Gt, sst, num(5)), Limit: -1}, []string{all[5], all[6], all[7], all[9]},
			"sst.values > 5e0", "", -1},
		{"rows whose stats rule them out are not read", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Lt, sst, num(2)), Limit: -1}, all[:1],
			"sst.values < 2e0", "", -1},
		{"a plain column", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Eq, id, expr.Int(3)), Limit: -1}, all[8:], "", "id = 3", -1},
		{"null values", scan.Spec{Columns: columns, Filter: &expr.IsNull{X: sst}, Limit: -1}, []string{all[2], all[8]}, "", "", -1},
		{"a variable that rows lack", scan.Spec{Columns: columns, Filter: &expr.IsNull{X: lat}, Limit: -1}, all[6:], "", "", -1},
		{"a variable without stats", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Eq, run, expr.Text("r1")), Limit: 2}, all[:2], "", "", -1},
		{"not", scan.Spec{Columns: columns, Filter: &expr.Not{X: expr.Cmp(expr.Gt, sst, num(5))}, Limit: -1}, []string{all[0], all[1], all[3], all[4]}, "", "", -1},
		{"or over two variables", scan.Spec{Columns: columns, Filter: expr.AnyOf(expr.Cmp(expr.Gt, sst, num(8)), expr.Cmp(expr.Lt, lat, num(0))), Limit: -1},
			[]string{all[0], all[2], all[4], all[9]}, "sst.values > 8e0 OR lat.values < 0e0", "", -1},
		{"or with what has no stats", scan.Spec{Columns: columns, Filter: expr.AnyOf(expr.Cmp(expr.Gt, sst, num(8)), &expr.IsNull{X: lat}), Limit: -1},
			all[6:], "", "", -1},
		{"or with a plain column", scan.Spec{Columns: columns, Filter: expr.AnyOf(expr.Cmp(expr.Gt, sst, num(8)), expr.Cmp(expr.Eq, id, expr.Int(2))), Limit: -1},
			[]string{all[6], all[7], all[9]}, "sst.values > 8e0 OR id = 2", "", -1},
		{"a place", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Gt, time, expr.Int(1)), Limit: -1}, all[4:6], "", "", -1},
		{"a value against a place", scan.Spec{Columns: columns, Filter: expr.Cmp(expr.Gt, sst, &expr.Cast{X: time, To: f64}), Limit: -1},
			[]string{all[0], all[1], all[3], all[4], all[5]}, "", "", -1},
		{"a field of a plain column that is not read otherwise", scan.Spec{Columns: paths("id", "sst"),
			Filter: expr.AnyOf(expr.Cmp(expr.Eq, sb, expr.Text("z")), expr.Cmp(expr.Eq, sst, num(1))), Limit: -1},
			[]string{"1 1", "3 -", "3 9"}, "s.b = 'z' OR sst.values = 1e0", "", -1},
		{"computed", scan.Spec{Computed: []scan.Computed{{Name: "c", Expr: expr.Cmp(expr.Gt, sst, num(5))}, {Name: "d", Expr: &expr.IsNull{X: sb}}}, Limit: 3, Offset: 4},
			[]string{"false false", "true false", "true true"}, "", "", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := grid(t)
			s := cellsOf(t, r)
			r.specs = nil
			got, err := rowsOf(t, s, tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
			asked := r.specs[0]
			if text(asked.StatsFilter) != tc.stats || text(asked.Filter) != tc.filter || asked.Limit != tc.limit {
				t.Errorf("rows asked for with stats filter %q, filter %q, limit %d", text(asked.StatsFilter), text(asked.Filter), asked.Limit)
			}
		})
	}
}

func text(e expr.Expr) string {
	if e == nil {
		return ""
	}
	return e.String()
}

// TestReadsOnlyWhatIsUsed: the values of variables that a query does not name are not read, their dimensions are.
func TestReadsOnlyWhatIsUsed(t *testing.T) {
	r := grid(t)
	s := cellsOf(t, r)
	r.specs = nil
	got, err := rowsOf(t, s, scan.Spec{Columns: paths("id"), Filter: expr.Cmp(expr.Gt, col("lat", f64), expr.Double(0)), Limit: -1})
	if err != nil || !slices.Equal(got, []string{"1", "1", "1"}) {
		t.Errorf("got %v, %v", got, err)
	}
	var keys []string
	for _, c := range r.specs[0].Columns {
		keys = append(keys, c.Key())
	}
	want := "id sst.dim_names sst.dim_sizes lat.values lat.dim_names lat.dim_sizes run.dim_names run.dim_sizes"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

// TestLimitReachesTheRows: where each row has cells, no more rows are asked for than a limit can need.
func TestLimitReachesTheRows(t *testing.T) {
	row := `{"v": {"values": [1, 2], "dim_names": ["x"], "dim_sizes": [2]}}`
	r := newRows(t, []arrow.Field{variableField("v", f64)}, "["+row+","+row+","+row+"]")
	s := cellsOf(t, r)
	for _, tc := range []struct {
		spec scan.Spec
		want int64
	}{
		{scan.Spec{Limit: 3}, 2}, {scan.Spec{Limit: 2, Offset: 2}, 2}, {scan.Spec{Limit: 0}, 0}, {scan.Spec{Limit: -1}, -1},
		{scan.Spec{Limit: 1, Filter: expr.Cmp(expr.Gt, col("v", f64), expr.Double(0))}, -1},
	} {
		if _, err := s.Plan(t.Context(), tc.spec); err != nil {
			t.Fatal(err)
		}
		if got := r.specs[len(r.specs)-1].Limit; got != tc.want {
			t.Errorf("%+v: rows limited to %d, want %d", tc.spec, got, tc.want)
		}
	}
}

// TestRowsThatAreNotRight: a fault is told when a query needs the row, by the row and the variable.
func TestRowsThatAreNotRight(t *testing.T) {
	for _, tc := range []struct{ name, row, want string }{
		{"fewer values", `{"v": {"values": [1], "dim_names": ["x"], "dim_sizes": [2]}}`, `row 1: variable "v" has 1 values, where its dimensions make it 2`},
		{"no dimension", `{"v": {"values": [1, 2], "dim_names": [], "dim_sizes": []}}`, `row 1: variable "v" has 2 values, where its dimensions make it 1`},
		{"more names than sizes", `{"v": {"values": [1], "dim_names": ["x", "y"], "dim_sizes": [1]}}`, "names 2 dimensions and has 1 sizes"},
		{"names alone", `{"v": {"values": [1], "dim_names": ["x"]}}`, "either the names or the sizes"},
		{"a null name", `{"v": {"values": [1], "dim_names": [null], "dim_sizes": [1]}}`, "without a name or a size"},
		{"a null size", `{"v": {"values": [1], "dim_names": ["x"], "dim_sizes": [null]}}`, "without a name or a size"},
		{"one name twice", `{"v": {"values": [1], "dim_names": ["x", "x"], "dim_sizes": [1, 1]}}`, `variable "v" has the dimension "x" twice`},
		{"a long name", `{"v": {"values": [1], "dim_names": ["` + strings.Repeat("x", 1025) + `"], "dim_sizes": [1]}}`, "whose name is of 1025 bytes"},
		{"two sizes", `{"v": {"values": [1], "dim_names": ["x"], "dim_sizes": [1]}, "w": {"values": [1, 2], "dim_names": ["x"], "dim_sizes": [2]}}`,
			`dimension "x" is of size 1 in variable "v" and of size 2 in variable "w"`},
		{"too many cells", `{"v": {"values": [], "dim_names": ["a", "b", "c"], "dim_sizes": [4000000000, 4000000000, 4000000000]}}`, "more cells than can be counted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRows(t, []arrow.Field{{Name: "id", Type: i64, Nullable: true}, variableField("v", f64), variableField("w", f64)},
				`[{"id": 7, "v": {"values": [5], "dim_names": ["x"], "dim_sizes": [1]}}, `+tc.row+`]`)
			s := cellsOf(t, r)
			_, err := rowsOf(t, s, scan.Spec{Columns: paths("v", "w"), Limit: -1})
			if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			got, err := rowsOf(t, s, scan.Spec{Columns: paths("v"), Filter: expr.Cmp(expr.Eq, col("id", i64), expr.Int(7)), Limit: -1})
			if err != nil || !slices.Equal(got, []string{"5"}) {
				t.Errorf("of the other row: %v, %v", got, err)
			}
		})
	}
}

func TestVariablesThatAreNotThere(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{variableField("v", f64), variableField("V", f64), {Name: "p", Type: i64},
		{Name: "bare", Type: arrow.StructOf(arrow.Field{Name: "values", Type: arrow.ListOf(f64)}),
			Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"nd_arrow.array"})}}, nil)
	for _, tc := range []struct {
		schema *arrow.Schema
		names  []string
		kind   error
		want   string
	}{
		{schema, []string{"p"}, errs.ErrNotFound, `no variable "p"; there are "v", `},
		{schema, []string{"bare"}, errs.ErrUnsupported, `variable "bare" has no dim_names`},
		{schema, nil, errs.ErrUnsupported, `variable "bare" has no dim_names`},
		{arrow.NewSchema([]arrow.Field{{Name: "p", Type: i64}}, nil), nil, errs.ErrNotFound, "no n-d array columns"},
		{arrow.NewSchema([]arrow.Field{variableField("vv", f64), variableField("VV", f64)}, nil), []string{"Vv"}, errs.ErrInvalidInput, "ambiguous"},
	} {
		if _, err := cells.Variables(tc.schema, tc.names); !errors.Is(err, tc.kind) || !strings.Contains(fmt.Sprint(err), tc.want) {
			t.Errorf("%v: %v, want %s", tc.names, err, tc.want)
		}
	}
	if vars, err := cells.Variables(schema, []string{"V", "v"}); err != nil || len(vars) != 2 || vars[0].Name != "v" {
		t.Errorf("got %v, %v", vars, err)
	}
}

// TestValuesThatAreStructs: cells of a variable whose values have fields are read whole.
func TestValuesThatAreStructs(t *testing.T) {
	r := newRows(t, []arrow.Field{variableField("v", arrow.StructOf(arrow.Field{Name: "a", Type: i32, Nullable: true}))},
		`[{"v": {"values": [{"a": 1}, null], "dim_names": ["x"], "dim_sizes": [2]}}]`)
	s := cellsOf(t, r)
	got, err := rowsOf(t, s, scan.Spec{Columns: paths("x_index", "v"), Limit: -1})
	if err != nil || !slices.Equal(got, []string{`0 {"a":1}`, "1 -"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := s.Plan(t.Context(), scan.Spec{Columns: paths("v.a"), Limit: -1}); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("a field alone: %v", err)
	}
	filter := expr.Cmp(expr.Eq, &expr.Column{Path: expr.FieldPath{"v", "a"}, Typ: i32}, expr.Int(1))
	got, err = rowsOf(t, s, scan.Spec{Columns: paths("x_index"), Filter: filter, Limit: -1})
	if err != nil || !slices.Equal(got, []string{"0"}) {
		t.Errorf("filtered by a field: %v, %v", got, err)
	}
}
