package lanceio_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// ids runs a scan for the column id and gives its values as one text.
func ids(t *testing.T, tab *lanceio.Table, opts ...lanceio.ScanOption) (string, scan.Metrics) {
	t.Helper()
	got := collect(t, tab, append([]lanceio.ScanOption{lanceio.Columns(path("id"))}, opts...)...)
	for i, r := range got.rows {
		got.rows[i] = strings.TrimPrefix(r, "id=")
	}
	return strings.Join(got.rows, " "), got.metrics
}

func num(x float64) expr.Expr { return expr.Double(x) }

// The worked example: lat from -90 to -80, from 17 to 30, lacking, all NaN.
func TestWorkedExample(t *testing.T) {
	lat := expr.Path("lat", "values")
	tests := []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"between", lat.Between(num(17.5), num(25.4)), "2 4"},
		{"above", lat.Gt(num(20)), "2 4"},
		{"below", lat.Lt(num(-85)), "1 4"},
		{"equal", lat.Eq(num(30)), "2 4"},
		{"none but the unknown", lat.Gt(num(1000)), "4"},
		{"no form", lat.Ne(num(3)), "1 2 3 4"},
		{"beside an exact part", expr.AllOf(lat.Gt(num(-100)), expr.Path("id").Lt(expr.Int(3))), "1 2"},
		{"under OR", expr.AnyOf(lat.Gt(num(20)), expr.Path("id").Eq(expr.Int(1))), "1 2 4"},
		{"null test is exact", expr.Path("lat").IsNull(), "3"},
		{"not null", expr.Path("lat").IsNotNull(), "1 2 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, m := ids(t, open(t, "worked"), lanceio.FilterExpr(tt.e))
			if got != tt.want {
				t.Errorf("kept %s, want %s", got, tt.want)
			}
			if m.RowsSelected != int64(len(strings.Fields(tt.want))) {
				t.Errorf("%d rows selected", m.RowsSelected)
			}
			if m.ColumnBytes["lat.values"] > 0 && !strings.Contains(tt.name, "null") {
				t.Errorf("the values were read: %v", m.ColumnBytes)
			}
		})
	}
}

// Fragments: 1 and 2 hold neither variable nor stats, 3 and 4 the variable alone, 5 to 7 both.
func TestFragmentsWithoutStats(t *testing.T) {
	lat := expr.Path("lat", "values")
	for _, tt := range []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"above", lat.Gt(num(40)), "3 4 7"},
		{"all with the variable", lat.Gt(num(-100)), "3 4 5 7"},
		{"no form", lat.Ne(num(1)), "1 2 3 4 5 6 7"},
		{"lacking", expr.Path("lat").IsNull(), "1 2 4 6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := ids(t, open(t, "history"), lanceio.FilterExpr(tt.e)); got != tt.want {
				t.Errorf("kept %s, want %s", got, tt.want)
			}
		})
	}
}

func TestLanceFilterRewritesNothing(t *testing.T) {
	bounds := expr.Path("__stats__:lat", "max").Gt(num(20))
	if got, _ := ids(t, open(t, "worked"), lanceio.LanceFilter(bounds)); got != "2" {
		t.Errorf("kept %s, want 2: null bounds are not kept", got)
	}
	if got, _ := ids(t, open(t, "worked"), lanceio.LanceFilter(expr.Path("id").Gt(expr.Int(1))), lanceio.FilterExpr(expr.Path("lat", "values").Gt(num(20)))); got != "2 4" {
		t.Errorf("kept %s, want 2 4", got)
	}
	if _, err := open(t, "worked").NewScan(lanceio.LanceFilter(expr.Path("lat", "values").Gt(num(20)))); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("a list compared with a number: %v, want invalid", err)
	}
}

func TestFilterErrors(t *testing.T) {
	id := expr.Path("id")
	for name, tt := range map[string]struct {
		opts []lanceio.ScanOption
		kind error
	}{
		"text with an expression": {[]lanceio.ScanOption{lanceio.Filter("id = 1"), lanceio.FilterExpr(id.Eq(expr.Int(1)))}, errs.ErrInvalidInput},
		"text with a Lance one":   {[]lanceio.ScanOption{lanceio.LanceFilter(id.Eq(expr.Int(1))), lanceio.Filter("id = 1")}, errs.ErrInvalidInput},
		"no predicate":            {[]lanceio.ScanOption{lanceio.FilterExpr(id)}, errs.ErrInvalidInput},
		"unknown column":          {[]lanceio.ScanOption{lanceio.FilterExpr(expr.Path("idd").Eq(expr.Int(1)))}, errs.ErrNotFound},
		"unknown in the text":     {[]lanceio.ScanOption{lanceio.Filter("idd = 1")}, errs.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := open(t, "worked").NewScan(tt.opts...); !errors.Is(err, tt.kind) {
				t.Errorf("%v, want %v", err, tt.kind)
			}
		})
	}
}

// Structs under a filter: the leaves of the filter are read once, also where they are projected too.
func TestFilterColumnsAreReused(t *testing.T) {
	for _, version := range []string{"2_0", "2_1", "2_2"} {
		tab := open(t, "nested_"+version)
		var want []string
		all := wanted(t, "nested_"+version).rows
		for i := 37; i < 90; i++ {
			want = append(want, all[i])
		}
		e := expr.Path("id").Between(expr.Int(37), expr.Int(89))
		got := collect(t, tab, lanceio.FilterExpr(e))
		same(t, got.rows, want)
		plain := collect(t, tab)
		if got.metrics.ColumnBytes["id"] > plain.metrics.ColumnBytes["id"] {
			t.Errorf("%s: id was read with %d bytes, without a filter with %d", version, got.metrics.ColumnBytes["id"], plain.metrics.ColumnBytes["id"])
		}
		if got.metrics.FragmentsRead != 1 {
			t.Errorf("%s: %d fragments were read", version, got.metrics.FragmentsRead)
		}
	}
}

// A filter on one leaf of a struct, and other leaves, or the whole, projected.
func TestFilterOnSiblingLeaf(t *testing.T) {
	for _, version := range []string{"2_0", "2_1", "2_2"} {
		for _, columns := range [][]expr.FieldPath{
			{path("s", "t", "b")}, {path("s")}, {path("s", "a"), path("id")}, {path("s", "z"), path("s", "t", "x.y"), path("s_a")},
		} {
			t.Run(fmt.Sprint(version, columns), func(t *testing.T) {
				tab := open(t, "nested_"+version)
				s, err := tab.NewScan(lanceio.Columns(columns...))
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				all, cut := wanted(t, "nested_"+version).rows, cutRows(t, "nested_"+version, s.Schema())
				for i, row := range all { // s.a is id where it is not null
					if a := fmt.Sprintf("s={a:%d,", i); i%3 == 0 && strings.Contains(row, a) {
						want = append(want, cut[i])
					}
				}
				a := expr.Path("s", "a")
				e := expr.AllOf(a.IsNotNull(), expr.Cmp(expr.Eq, expr.Op(expr.Mod, a, expr.Int(3)), expr.Int(0)))
				same(t, collect(t, tab, lanceio.Columns(columns...), lanceio.FilterExpr(e)).rows, want)
			})
		}
	}
}

func TestFilterWithLimitAndOffset(t *testing.T) {
	tab := open(t, "deletions")
	e := expr.Path("g").Eq(expr.Int(4))
	all := collect(t, tab, lanceio.FilterExpr(e))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		offset, limit := rnd.IntN(len(all.rows)+50), rnd.IntN(300)
		got := collect(t, tab, lanceio.FilterExpr(e), lanceio.Limit(int64(limit)), lanceio.Offset(int64(offset)))
		want := all.rows[min(offset, len(all.rows)):]
		same(t, got.rows, want[:min(limit, len(want))])
		if limit == 0 && got.metrics.BytesRead != 0 {
			t.Errorf("limit 0 read %d bytes", got.metrics.BytesRead)
		}
	}
	first := collect(t, tab, lanceio.FilterExpr(e), lanceio.Limit(3))
	if first.metrics.FragmentsRead != 1 || first.metrics.RowsSelected >= all.metrics.RowsSelected {
		t.Errorf("limit 3 went on: %+v", first.metrics)
	}
}

func TestSpecialColumnsInFilters(t *testing.T) {
	tab := open(t, "evolve_2_2")
	got := collect(t, tab, lanceio.Columns(path("id")), lanceio.WithRowID(),
		lanceio.FilterExpr(expr.Path("_rowid").Ge(expr.Int(1<<32))), lanceio.LanceFilter(expr.Path("_fragid").Lt(expr.Int(2))))
	var want []string
	for _, row := range wanted(t, "evolve_2_2_rowids").rows {
		var id, rowID, addr uint64
		if _, err := fmt.Sscanf(row, "id=%d _rowid=%d _rowaddr=%d", &id, &rowID, &addr); err != nil {
			t.Fatal(err)
		}
		if rowID >= 1<<32 && addr>>32 < 2 {
			want = append(want, fmt.Sprintf("id=%d _rowid=%d", id, rowID))
		}
	}
	same(t, got.rows, want)
}

func TestConstantFilters(t *testing.T) {
	one := func(op expr.CompareOp) expr.Expr { return expr.Cmp(op, expr.Int(1), expr.Int(1)) }
	tab := open(t, "deletions")
	for name, tt := range map[string]struct {
		e    expr.Expr
		rows int64
	}{
		"true": {one(expr.Eq), tab.Rows()}, "false": {one(expr.Ne), 0}, "null": {expr.Cmp(expr.Eq, expr.Int(1), expr.Null()), 0},
		"false beside a column": {expr.AllOf(expr.Path("id").Gt(expr.Int(0)), one(expr.Ne)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := collect(t, tab, lanceio.Columns(), lanceio.FilterExpr(tt.e))
			if int64(len(got.rows)) != tt.rows || got.metrics.BytesRead != 0 {
				t.Errorf("%d rows by %d bytes, want %d by none", len(got.rows), got.metrics.BytesRead, tt.rows)
			}
		})
	}
}

// A filter that all rows pass costs the bytes of the scan without it and those of the filter's columns.
func TestFilterThatAllRowsPass(t *testing.T) {
	tab := open(t, "sizes")
	columns := lanceio.Columns(path("s"), path("g"))
	plain := collect(t, tab, columns)
	got := collect(t, tab, columns, lanceio.FilterExpr(expr.Path("id").Ge(expr.Int(0))))
	same(t, got.rows, plain.rows)
	filter := got.metrics.ColumnBytes["id"]
	if limit := (plain.metrics.BytesRead + filter) * 103 / 100; got.metrics.BytesRead > limit {
		t.Errorf("%d bytes with the filter, %d without, %d of them the filter's", got.metrics.BytesRead, plain.metrics.BytesRead, filter)
	}
	if got.metrics.ReadRequests > plain.metrics.ReadRequests*3/2+10 {
		t.Errorf("%d requests with the filter, %d without", got.metrics.ReadRequests, plain.metrics.ReadRequests)
	}
}

func TestFilterReadsLate(t *testing.T) {
	tab := open(t, "sizes")
	got := collect(t, tab, lanceio.Columns(path("s", "b")), lanceio.FilterExpr(expr.Path("id").Eq(expr.Int(4321))))
	whole := collect(t, tab, lanceio.Columns(path("s", "b")))
	same(t, got.rows, whole.rows[4321:4322])
	if b := got.metrics.ColumnBytes["s.b"]; b == 0 || b > whole.metrics.ColumnBytes["s.b"]/5 {
		t.Errorf("%d bytes of s.b for one row, it has %d", b, whole.metrics.ColumnBytes["s.b"])
	}
	none := collect(t, tab, lanceio.Columns(path("s", "b")), lanceio.FilterExpr(expr.Path("id").Lt(expr.Int(0))))
	if none.metrics.ColumnBytes["s.b"] != 0 || none.metrics.FragmentsRead != 0 || len(none.rows) != 0 {
		t.Errorf("no row passes, but %+v", none.metrics)
	}
	if m := collect(t, tab, lanceio.Columns(), lanceio.FilterExpr(expr.Path("id").Lt(expr.Int(10)))); len(m.rows) != 10 || m.metrics.FragmentsRead != 0 {
		t.Errorf("counting: %d rows, %+v", len(m.rows), m.metrics)
	}
}

func TestComputedColumns(t *testing.T) {
	tab := open(t, "worked")
	test := &expr.StatsTest{Variable: path("lat"), Stats: path("__stats__:lat"),
		Test: bound(t, tab, expr.Path("__stats__:lat", "max").Gt(num(20)))}
	plan, err := tab.Plan(t.Context(), scan.Spec{
		Columns: []expr.FieldPath{path("id")}, Limit: -1,
		Computed: []scan.Computed{
			{Name: "may", Expr: test},
			{Name: "state", Expr: &expr.StatsState{Variable: path("lat"), Stats: path("__stats__:lat")}},
			{Name: "twice", Expr: bound(t, tab, expr.Op(expr.Mul, expr.Path("id"), expr.Int(2)))},
			{Name: "lacks", Expr: bound(t, tab, expr.Path("lat").IsNull())},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	st, err := plan.Open(t.Context(), checked(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := drain(t.Context(), plan.Schema(), st)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.rows, []string{
		"id=1 may=false state=2 twice=2 lacks=false", "id=2 may=true state=2 twice=4 lacks=false",
		"id=3 may=false state=0 twice=6 lacks=true", "id=4 may=true state=1 twice=8 lacks=false",
	})
	if got.metrics.ColumnBytes["lat.values"] != 0 {
		t.Errorf("the values were read: %v", got.metrics.ColumnBytes)
	}
}

func bound(t *testing.T, tab *lanceio.Table, e expr.Expr) expr.Expr {
	t.Helper()
	out, err := expr.Bind(e, func(c expr.Column) (expr.Column, error) {
		f, _ := tab.Schema().FieldsByName(c.Path[0])
		typ := f[0].Type
		for _, part := range c.Path[1:] {
			m, _ := typ.(*arrow.StructType).FieldByName(part)
			typ = m.Type
		}
		c.Typ = typ
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A test for null reads the smallest leaf below the struct, or in a file without null structs nothing at all.
func TestNullTestsReadLittle(t *testing.T) {
	for _, version := range []string{"2_0", "2_1", "2_2"} {
		name := "nested_" + version
		tab, all := open(t, name), wanted(t, name).rows
		for _, tt := range []struct {
			name string
			e    expr.Expr
			null func(row string) bool
		}{
			{"s", expr.Path("s").IsNull(), func(row string) bool { return strings.Contains(row, " s=null") }},
			{"s.t", expr.Path("s", "t").IsNull(), func(row string) bool {
				return strings.Contains(row, " s=null") || strings.Contains(row, "t:null,z:")
			}},
			{"must", expr.Path("must").IsNull(), func(string) bool { return false }},
			{"not s", expr.Path("s").IsNotNull(), func(row string) bool { return !strings.Contains(row, " s=null") }},
		} {
			t.Run(version+"/"+tt.name, func(t *testing.T) {
				var want []string
				for i, row := range all {
					if tt.null(row) {
						want = append(want, fmt.Sprint(i))
					}
				}
				got, m := ids(t, tab, lanceio.FilterExpr(tt.e))
				if got != strings.Join(want, " ") {
					t.Errorf("kept %s, want %s", got, strings.Join(want, " "))
				}
				delete(m.ColumnBytes, "id")
				if len(m.ColumnBytes) > 1 || version == "2_0" && len(m.ColumnBytes) > 0 {
					t.Errorf("read %v", m.ColumnBytes)
				}
			})
		}
	}
}
