package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// TestSecondReads: statements in which DuckDB reads a view more than once see all its rows each time, whether the scan
// is opened anew or copied first.
func TestSecondReads(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, c := range []struct{ name, sql, want string }{
		{"twice by name", `SELECT count(*) AS n FROM i a, i b`, `{"n":9}`},
		{"itself joined", `SELECT a.id AS n FROM i a JOIN i b ON a.id = b.id ORDER BY 1`, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}"},
		{"recursive CTE", `WITH RECURSIVE r(n) AS (SELECT 1::BIGINT UNION ALL SELECT r.n + 1 FROM r JOIN i ON i.id = r.n) SELECT n FROM r ORDER BY 1`,
			"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}"},
		{"CTE written twice", `WITH c AS NOT MATERIALIZED (SELECT id FROM i) SELECT count(*) AS n FROM c a, c b`, `{"n":9}`},
		{"CTE kept", `WITH c AS MATERIALIZED (SELECT id FROM i) SELECT count(*) AS n FROM c a, c b`, `{"n":9}`},
		{"pivot", `SELECT "3" AS n FROM (PIVOT (SELECT id, 1 AS one FROM i) ON id IN (1, 2, 3) USING count(*) GROUP BY one)`, `{"n":1}`},
		{"union", `SELECT count(*) AS n FROM (SELECT id FROM i UNION ALL SELECT id FROM i)`, `{"n":6}`},
		{"scalar subquery", `SELECT id AS n FROM i WHERE id = (SELECT max(id) FROM i)`, `{"n":3}`},
		{"correlated", `SELECT count(*) AS n FROM i a WHERE (SELECT count(*) FROM i b WHERE b.id <= a.id) >= 2`, `{"n":2}`},
		{"exists", `SELECT count(*) AS n FROM i a WHERE NOT EXISTS (SELECT 1 FROM i b WHERE b.id = a.id + 1)`, `{"n":1}`},
		{"lateral", `SELECT sum(x.m)::BIGINT AS n FROM i a, LATERAL (SELECT max(b.id) AS m FROM i b WHERE b.id <= a.id) x`, `{"n":6}`},
		{"except", `SELECT count(*) AS n FROM (SELECT id FROM i EXCEPT SELECT id FROM i WHERE id > 1)`, `{"n":1}`},
		{"grouping sets", `SELECT count(*) AS n FROM (SELECT id FROM i GROUP BY ROLLUP (id))`, `{"n":4}`},
		{"no columns", `SELECT count(*) AS n FROM i`, `{"n":3}`},
	} {
		for _, reread := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", c.name, reread), func(t *testing.T) {
				tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1},{"id":2}]`, `[{"id":3}]`)
				s := enginetest.Scan("i", tab)
				s.Reread = reread
				got, _, err := query(t, d, enginetest.SQL(c.sql, []string{"n"}, s))
				if err != nil || got != c.want {
					t.Errorf("got %s, %v; want %s", got, err, c.want)
				}
				if all, now := tab.Opens(); now != 0 || reread && all != 1 {
					t.Errorf("opened %d times, %d left open", all, now)
				}
			})
		}
	}
}

// TestScanErrors: what a scan meets reaches the caller as it is, with its kind; a panic becomes an error.
func TestScanErrors(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, c := range []struct {
		name  string
		set   func(*enginetest.Table)
		want  error
		text  string
		after int
	}{
		{name: "corrupt at once", set: func(tab *enginetest.Table) { tab.Err = errs.Corruptf("data/x.lance", 12, "bad page") }, want: errs.ErrCorrupt, text: "data/x.lance: corrupt at byte 12: bad page"},
		{name: "corrupt later", set: func(tab *enginetest.Table) {
			tab.Err, tab.FailAfter, tab.Repeat = errs.Corruptf("data/x.lance", 12, "bad page"), 1000, 2000
		}, want: errs.ErrCorrupt},
		{name: "unavailable", set: func(tab *enginetest.Table) { tab.Err = errs.New(errs.ErrUnavailable, "storage is away") }, want: errs.ErrUnavailable, text: "storage is away"},
		{name: "panic", set: func(tab *enginetest.Table) { tab.Err, tab.Panic = errors.New("boom"), true }, want: errs.ErrInternal},
		{name: "bad text", set: func(tab *enginetest.Table) {
			b := array.NewRecordBuilder(memory.DefaultAllocator, ints)
			b.Field(0).(*array.Int64Builder).Append(1)
			b.Field(1).AppendNull()
			b.Field(2).(*array.StringBuilder).Append("\xff")
			tab.Batches = append(tab.Batches, b.NewRecordBatch())
		}, want: errs.ErrCorrupt},
	} {
		for _, reread := range []bool{false, true} {
			for _, sql := range []string{`SELECT id, s FROM i`, `SELECT id, s FROM i ORDER BY id`, `SELECT count(*) AS id, max(s) AS s FROM i`} {
				t.Run(fmt.Sprintf("%s/%s/%t", c.name, sql, reread), func(t *testing.T) {
					tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"s":"x"},{"id":2}]`)
					c.set(tab)
					s := enginetest.Scan("i", tab)
					s.Reread = reread
					_, _, err := query(t, d, enginetest.SQL(sql, []string{"id", "s"}, s))
					if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
						t.Errorf("got %v", err)
					}
					if _, now := tab.Opens(); now != 0 {
						t.Errorf("%d streams left open", now)
					}
				})
			}
		}
	}
	// The instance still works.
	if got, _, err := query(t, d, enginetest.SQL(`SELECT 1 AS a`, []string{"a"})); err != nil || got != `{"a":1}` {
		t.Errorf("after the errors: %s, %v", got, err)
	}
}

// TestStatementErrors: the kind and text of DuckDB's own errors, without its excerpts and hints.
func TestStatementErrors(t *testing.T) {
	d := open(t, duckdb.Options{Memory: 16 << 20})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"s":"x"},{"id":2}]`)
	zoned := arrow.NewSchema([]arrow.Field{{Name: "z", Type: arrow.FixedWidthTypes.Timestamp_ns}, {Name: "d", Type: arrow.FixedWidthTypes.Duration_ns}, {Name: "x", Type: &arrow.Decimal256Type{Precision: 50, Scale: 2}}}, nil)
	ztab := enginetest.New(t, "lance.main.z", zoned, `[{"z":"2024-01-01T00:00:00Z"}]`)
	for _, c := range []struct {
		name, sql string
		kind      error
		text      string
	}{
		{"conversion", `SELECT CAST(s AS INTEGER) AS a FROM i`, errs.ErrInvalidInput, "Could not convert string 'x' to INTEGER in s"},
		{"overflow", `SELECT CAST(id + 1000 AS TINYINT) AS a FROM i`, errs.ErrInvalidInput, "Type BIGINT with value 1001 can't be cast because the value is out of range for the destination type TINYINT"},
		{"several rows", `SELECT (SELECT id FROM i) AS a`, errs.ErrInvalidInput, "a subquery used as a value gives more than one row"},
		{"unknown function", `SELECT nope(id) AS a FROM i`, errs.ErrInvalidInput, "Scalar Function with name nope does not exist!"},
		{"boxed in a function", `SELECT date_trunc('hour', z) AS a FROM z`, errs.ErrInvalidInput, "there is no function date_trunc(VARCHAR, timestamp[ns, tz]) - an explicit cast may help"},
		{"boxed in a sum", `SELECT sum(d) AS a FROM z`, errs.ErrInvalidInput, "there is no function sum(duration[ns]) - an explicit cast may help"},
		{"boxed with a number", `SELECT x > 1.5 AS a FROM z`, errs.ErrInvalidInput, "decimal256(50, 2)"},
		{"boxed with a time", `SELECT z > TIMESTAMPTZ '2024-01-01 00:00:00Z' AS a FROM z`, errs.ErrInvalidInput, "timestamp[ns, tz]"},
		{"boxed with a text", `SELECT d = '5' AS a FROM z`, errs.ErrInvalidInput, "duration[ns]"},
		{"out of memory", `SELECT count(*) AS a FROM (SELECT r, r + 1 FROM range(100000000) t(r) GROUP BY ALL)`, errs.ErrResourceExhausted, "the statement needs more memory or temporary space than it may have"},
		{"HUGEINT out of range", `SELECT 170141183460469231731687303715884105727::HUGEINT AS a`, errs.ErrInvalidInput, "column a: a HUGEINT value is out of range of the result's DECIMAL(38,0)"},
		{"type without Arrow", `SELECT '101'::BIT AS a`, errs.ErrUnsupported, "column a: a result of the type BIT: cast it, to VARCHAR for example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := query(t, d, enginetest.SQL(c.sql, []string{"a"}, enginetest.Scan("i", tab), enginetest.Scan("z", ztab)))
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %v", err)
			}
			for _, no := range []string{"\n", "LINE", "\x01", "STRUCT", "Error:", "memory_limit", "Did you mean"} {
				if strings.Contains(err.Error(), no) {
					t.Errorf("%q in: %v", no, err)
				}
			}
		})
	}
}

// TestResultTypes: what is computed has DuckDB's types, boxed values their own.
func TestResultTypes(t *testing.T) {
	d := open(t, duckdb.Options{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}, {Name: "h", Type: arrow.FixedWidthTypes.Float16},
		{Name: "z", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Asia/Tokyo"}}, {Name: "d", Type: &arrow.Decimal256Type{Precision: 60, Scale: 3}},
		{Name: "b", Type: arrow.BinaryTypes.LargeBinary}, {Name: "v", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32)}, {Name: "e", Type: arrow.StructOf()}}, nil)
	tab := enginetest.New(t, "lance.main.t", schema, `[
		{"i":1,"h":0.5,"z":"2024-01-01T00:00:00.123456789Z","d":"-1.5","b":"AA==","v":[1,2],"e":{}},
		{"i":2,"h":1.5,"z":"2024-01-02T00:00:00.987654321Z","d":"12345678901234567890123456789012345678901234567890.125","b":"/w==","v":[3,4],"e":null}]`)
	for _, c := range []struct {
		sql  string
		typ  string
		want string
	}{
		{`SELECT count(*) FROM t`, "int64", `{"a":2}`},
		{`SELECT sum(i) FROM t`, "decimal(38, 0)", `{"a":"3"}`},
		{`SELECT avg(i) FROM t`, "float64", `{"a":1.5}`},
		{`SELECT sum(h) FROM t`, "float64", `{"a":2}`},
		{`SELECT max(h) FROM t`, "float32", `{"a":1.5}`},
		{`SELECT max(z) FROM t`, "timestamp[ns, tz=UTC]", `{"a":"2024-01-02T00:00:00.987654321Z"}`},
		{`SELECT min(d) FROM t`, "decimal256(60, 3)", `{"a":"-1.5"}`},
		{`SELECT list(d ORDER BY d DESC) FROM t`, "list<item: decimal256(60, 3), nullable>", `{"a":["12345678901234567890123456789012345678901234567890.125","-1.5"]}`},
		{`SELECT {'x': z, 'y': i} FROM t WHERE i = 1`, "struct<x: timestamp[ns, tz=UTC] nullable, y: int32 nullable>", `{"a":{"x":"2024-01-01T00:00:00.123456789Z","y":1}}`},
		{`SELECT count(DISTINCT d) FROM t`, "int64", `{"a":2}`},
		{`SELECT i FROM t ORDER BY z DESC LIMIT 1`, "int32", `{"a":2}`},
		{`SELECT array_distance(v, [0, 0]::FLOAT[2]) FROM t WHERE i = 2`, "float32", `{"a":5}`},
		{`SELECT list_sum(v) FROM t WHERE i = 2`, "float64", `{"a":7}`},
		{`SELECT v FROM t WHERE i = 2`, "fixed_size_list<item: float32, nullable>[2]", `{"a":[3,4]}`},
		{`SELECT e FROM t WHERE i = 1`, "struct<>", `{"a":{}}`},
		{`SELECT max(b) FROM t`, "binary", `{"a":"/w=="}`},
		{`SELECT DATE '2024-02-29'`, "date32", `{"a":"2024-02-29"}`},
		{`SELECT TIME '10:11:12.5'`, "time64[us]", `{"a":"10:11:12.5"}`},
		{`SELECT TIMESTAMP '2024-02-29 10:11:12.345678'`, "timestamp[us]", `{"a":"2024-02-29T10:11:12.345678"}`},
		{`SELECT TIMESTAMPTZ '2024-02-29 10:11:12+02'`, "timestamp[us, tz=UTC]", `{"a":"2024-02-29T08:11:12Z"}`},
		{`SELECT TIMESTAMP_NS '2024-02-29 10:11:12.123456789'`, "timestamp[ns]", `{"a":"2024-02-29T10:11:12.123456789"}`},
		{`SELECT INTERVAL 3 DAY + INTERVAL 2 HOUR`, "month_day_nano_interval", `{"a":{"months":0,"days":3,"nanoseconds":7200000000000}}`},
		{`SELECT NULL`, "", `{"a":null}`},
		{`SELECT '8f0e6d1c-0001-4002-8003-a00000000004'::UUID`, "utf8", `{"a":"8f0e6d1c-0001-4002-8003-a00000000004"}`},
		{`SELECT '00000000-0000-0000-0000-000000000001'::UUID`, "utf8", `{"a":"00000000-0000-0000-0000-000000000001"}`},
		{`SELECT 'b'::ENUM('a', 'b')`, "utf8", `{"a":"b"}`},
		{`SELECT MAP {'k': 1, 'l': NULL}`, "map<utf8, int32, items_nullable>", `{"a":[{"key":"k","value":1},{"key":"l","value":null}]}`},
		{`SELECT [[1, NULL], NULL, []]`, "list<item: list<item: int32, nullable>, nullable>", `{"a":[[1,null],null,[]]}`},
		{`SELECT 1.25`, "decimal(3, 2)", `{"a":"1.25"}`},
		{`SELECT true`, "bool", `{"a":true}`},
		{`SELECT 300::UTINYINT FROM t WHERE false`, "uint8", ``},
	} {
		t.Run(c.sql, func(t *testing.T) {
			got, schema, err := query(t, d, enginetest.SQL(c.sql, []string{"a"}, enginetest.Scan("t", tab)))
			if err != nil {
				t.Fatal(err)
			}
			if typ := schema.Field(0).Type.String(); c.typ != "" && typ != c.typ {
				t.Errorf("type %s, want %s", typ, c.typ)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestTimeZone: statements of different time zones, at once.
func TestTimeZone(t *testing.T) {
	d := open(t, duckdb.Options{})
	var wg sync.WaitGroup
	for zone, want := range map[string]string{"": "8", "UTC": "8", "Europe/Paris": "9", "Asia/Kolkata": "13"} {
		wg.Go(func() {
			for range 10 {
				p := enginetest.SQL(`SELECT extract(hour FROM TIMESTAMPTZ '2024-01-29 08:11:12Z') AS a`, []string{"a"})
				p.TimeZone = zone
				got, _, err := query(t, d, p)
				if err != nil || got != `{"a":`+want+`}` {
					t.Errorf("%q: %s, %v", zone, got, err)
				}
			}
		})
	}
	wg.Wait()
	p := enginetest.SQL(`SELECT 1 AS a`, []string{"a"})
	p.TimeZone = "Mars/Olympus' OR 1"
	if _, _, err := query(t, d, p); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("an unknown time zone: %v", err)
	}
}

// TestFloats: not-a-numbers, infinities and the sign of zero come through, alone and from expressions.
func TestFloats(t *testing.T) {
	d := open(t, duckdb.Options{})
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	in := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.MaxFloat64, math.SmallestNonzeroFloat64}
	b.AppendValues(in, nil)
	col := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Float64}}, nil)
	tab := enginetest.Of("t", schema, array.NewRecordBatch(schema, []arrow.Array{col}, int64(len(in))))
	f := schema.Field(0)
	p := &physical.Plan{Engine: physical.DuckDB, Residual: `SELECT v FROM t`, Scans: []*physical.Scan{enginetest.Scan("t", tab)},
		Columns: []physical.ResultColumn{{Name: "v", Passthrough: &f}}}
	got := column(t, d, p, allocator(t)).Values.(*array.Float64)
	for i, want := range in {
		if math.Float64bits(got.Value(i)) != math.Float64bits(want) {
			t.Errorf("value %d: %v came as %v", i, want, got.Value(i))
		}
	}
	rows, _, err := query(t, d, enginetest.SQL(`SELECT count(*) AS n FROM t WHERE v > 1e300`, []string{"n"}, enginetest.Scan("t", tab)))
	if want := `{"n":3}`; err != nil || rows != want { // NaN is greater than all numbers
		t.Errorf("got %s, %v; want %s", rows, err, want)
	}
}

// TestCancel: a context that ends stops DuckDB's own work and scans that wait, before and during Next.
func TestCancel(t *testing.T) {
	d := open(t, duckdb.Options{})
	endless := `SELECT count(*) AS n FROM range(1000000000) a(x), range(1000000000) b(y) WHERE x + y = 7`
	blocked := func() *enginetest.Table {
		tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1}]`)
		tab.Block = make(chan struct{})
		return tab
	}
	for name, p := range map[string]*physical.Plan{
		"DuckDB's work": enginetest.SQL(endless, []string{"n"}),
		"waiting scan":  enginetest.SQL(`SELECT id AS n FROM i`, []string{"n"}, enginetest.Scan("i", blocked())),
		"copied scan":   enginetest.SQL(`SELECT id AS n FROM i`, []string{"n"}, &physical.Scan{View: "i", Plan: blocked(), Reread: true, Columns: enginetest.Scan("i", blocked()).Columns}),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			st, err := d.Run(ctx, p, allocator(t))
			if err == nil {
				_, err = st.Next(ctx)
				st.Close()
			}
			if !errors.Is(err, errs.ErrCanceled) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
	for name, give := range map[string]func(timed context.Context) (run, next context.Context){
		"deadline of Run":  func(timed context.Context) (run, next context.Context) { return timed, context.Background() },
		"deadline of Next": func(timed context.Context) (run, next context.Context) { return context.Background(), timed },
	} {
		t.Run(name, func(t *testing.T) {
			timed, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			run, next := give(timed)
			tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1}]`)
			tab.Repeat = 1 << 30
			st, err := d.Run(run, enginetest.SQL(`SELECT id AS n FROM i WHERE id = 2`, []string{"n"}, enginetest.Scan("i", tab)), allocator(t))
			if err == nil {
				_, err = st.Next(next)
				st.Close()
			}
			if !errors.Is(err, errs.ErrCanceled) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("already over", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := d.Run(ctx, enginetest.SQL(`SELECT 1 AS n`, []string{"n"}), allocator(t)); !errors.Is(err, errs.ErrCanceled) {
			t.Errorf("got %v", err)
		}
		if _, err := d.Describe(ctx, enginetest.SQL(`SELECT 1 AS n`, []string{"n"})); !errors.Is(err, errs.ErrCanceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestCloseEarly: a stream that is closed in the middle gives back all, also while the scan would go on.
func TestCloseEarly(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, sql := range []string{`SELECT id, v, s FROM i`, `SELECT a.id, a.v, a.s FROM i a JOIN range(100) r(x) ON true`, `SELECT id, v, s FROM i ORDER BY id`} {
		tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"s":"a text of more than twelve bytes"},{"id":2}]`)
		tab.Repeat = 20_000
		st, err := d.Run(context.Background(), enginetest.SQL(sql, []string{"a", "b", "c"}, enginetest.Scan("i", tab)), allocator(t))
		if err != nil {
			t.Fatal(err)
		}
		b, err := st.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if _, err := st.Next(context.Background()); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("next after close: %v", err)
		}
		if _, now := tab.Opens(); now != 0 {
			t.Errorf("%d streams left open", now)
		}
		if m := st.Metrics(); len(m) != 1 || m[0].RowsSelected == 0 {
			t.Errorf("metrics after close: %v", m)
		}
	}
}

// TestStreams: results come in batches of about 1 MiB while the scan goes on; nothing is held as a whole.
func TestStreams(t *testing.T) {
	d := open(t, duckdb.Options{})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"s":"`+strings.Repeat("x", 1000)+`"},{"id":2,"s":"`+strings.Repeat("y", 3000)+`"}]`)
	tab.Repeat = 5000 // 20 MB in all
	st, err := d.Run(context.Background(), enginetest.SQL(`SELECT id, v, s FROM i`, []string{"id", "v", "s"}, enginetest.Scan("i", tab)), allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var rows int64
	for {
		b, err := st.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 && st.Metrics()[0].RowsSelected > 3000 {
			t.Errorf("the first batch came after %d rows were read", st.Metrics()[0].RowsSelected)
		}
		if size := len(b.Column(2).(*array.String).ValueBytes()); size > 1<<20 {
			t.Errorf("a batch of %d bytes", size)
		}
		rows += b.NumRows()
		b.Release()
	}
	if rows != 10_000 || st.Metrics()[0].RowsSelected != 10_000 {
		t.Errorf("%d rows, %d read", rows, st.Metrics()[0].RowsSelected)
	}
}

// TestCaseTwins: fields that differ by case alone stay apart, and none is taken for the other.
func TestCaseTwins(t *testing.T) {
	d := open(t, duckdb.Options{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "X", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int64})}}, nil)
	tab := enginetest.New(t, "lance.main.t", schema, `[{"s":{"x":1,"X":2,"y":3}}]`)
	if got, _, err := query(t, d, enginetest.SQL(`SELECT struct_extract(s, 'y') AS a FROM t`, []string{"a"}, enginetest.Scan("t", tab))); err != nil || got != `{"a":3}` {
		t.Errorf("got %s, %v", got, err)
	}
	for _, name := range []string{"x", "X"} {
		if got, _, err := query(t, d, enginetest.SQL(`SELECT struct_extract(s, '`+name+`') AS a FROM t`, []string{"a"}, enginetest.Scan("t", tab))); err == nil {
			t.Errorf("s.%s gave %s", name, got)
		}
	}
	twice := enginetest.Scan("t", tab)
	twice.Columns = append(twice.Columns, physical.Output{Name: "S", Expr: &expr.Column{Path: expr.FieldPath{"s", "y"}, Typ: arrow.PrimitiveTypes.Int64}})
	if _, _, err := query(t, d, enginetest.SQL(`SELECT 1 AS a FROM t`, []string{"a"}, twice)); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("two columns that differ by case: %v", err)
	}
}

// TestManyAtOnce: statements that run, fail, end early and are canceled at once leave nothing behind.
func TestManyAtOnce(t *testing.T) {
	d := open(t, duckdb.Options{})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"v":1,"s":"a"},{"id":2,"v":2,"s":"a text of more than twelve bytes"}]`)
	tab.Repeat = 300
	bad := enginetest.New(t, "lance.main.bad", ints, `[{"id":1}]`)
	bad.Err = errs.Corruptf("data/x.lance", -1, "bad page")
	mem := allocator(t)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for k := range 8 {
				ctx, cancel := context.WithCancel(context.Background())
				s := enginetest.Scan("i", tab)
				s.Reread = k%2 == 0
				sql := `SELECT a.id, count(*) AS v, max(b.s) AS s FROM i a JOIN i b ON a.id = b.id GROUP BY ALL ORDER BY 1`
				if (n+k)%4 == 1 {
					s = enginetest.Scan("i", bad)
				}
				st, err := d.Run(ctx, enginetest.SQL(sql, []string{"id", "v", "s"}, s), mem)
				if err != nil {
					t.Errorf("run: %v", err)
					cancel()
					continue
				}
				if (n+k)%4 == 2 {
					cancel()
				}
				rows, err := "", error(nil)
				if (n+k)%4 != 3 {
					rows, err = drain(st)
				}
				switch (n + k) % 4 {
				case 0:
					if want := "{\"id\":1,\"s\":\"a\",\"v\":90000}\n{\"id\":2,\"s\":\"a text of more than twelve bytes\",\"v\":90000}"; err != nil || rows != want {
						t.Errorf("got %s, %v", rows, err)
					}
				case 1:
					if !errors.Is(err, errs.ErrCorrupt) {
						t.Errorf("a bad scan: %v", err)
					}
				case 2:
					if !errors.Is(err, errs.ErrCanceled) {
						t.Errorf("canceled: %v", err)
					}
				}
				if err := st.Close(); err != nil {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if _, now := tab.Opens(); now != 0 {
		t.Errorf("%d streams left open", now)
	}
}
