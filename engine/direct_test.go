package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func allocator(t testing.TB) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

func path(parts ...string) expr.FieldPath { return parts }

// output reads a path.
func output(name string, t arrow.DataType, parts ...string) physical.Output {
	return physical.Output{Name: name, Expr: &expr.Column{Path: path(parts...), Typ: t}}
}

// direct gives a plan that reads outputs of a table.
func direct(tab *enginetest.Table, outs ...physical.Output) *physical.Plan {
	p := &physical.Plan{Engine: physical.Direct, Scans: []*physical.Scan{enginetest.Scan("t", tab)}, Output: outs, Limit: -1}
	for _, o := range outs {
		p.Columns = append(p.Columns, physical.ResultColumn{Name: o.Name, Type: o.Expr.Type()})
	}
	return p
}

// run gives all rows of a plan as one batch of its schema, which the caller releases.
func run(t testing.TB, e *engine.Engine, p *physical.Plan, mem memory.Allocator) (arrow.RecordBatch, error) {
	t.Helper()
	schema, err := e.Describe(context.Background(), p)
	if err != nil {
		return nil, err
	}
	st, err := e.Run(context.Background(), p, mem)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if !st.Schema().Equal(schema) {
		t.Errorf("described as %v, run as %v", schema, st.Schema())
	}
	var batches []arrow.RecordBatch
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	for {
		b, err := st.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return concat(t, schema, batches), nil
		}
		if err != nil {
			return nil, err
		}
		if b.NumRows() == 0 {
			t.Error("a batch without rows")
		}
		batches = append(batches, b)
	}
}

func concat(t testing.TB, schema *arrow.Schema, batches []arrow.RecordBatch) arrow.RecordBatch {
	t.Helper()
	cols := make([]arrow.Array, schema.NumFields())
	var rows int64
	for _, b := range batches {
		rows += b.NumRows()
	}
	for i := range cols {
		parts := []arrow.Array{array.NewBuilder(memory.DefaultAllocator, schema.Field(i).Type).NewArray()}
		for _, b := range batches {
			parts = append(parts, b.Column(i))
		}
		col, err := array.Concatenate(parts, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		cols[i] = col
	}
	return array.NewRecordBatch(schema, cols, rows)
}

func rowsOf(t testing.TB, e *engine.Engine, p *physical.Plan) string {
	t.Helper()
	b, err := run(t, e, p, allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

var nested = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "s", Type: arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32},
		arrow.Field{Name: "y", Type: arrow.StructOf(arrow.Field{Name: "z", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
	), Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})},
}, nil)

const nestedRows = `[{"id":1,"s":{"x":1,"y":{"z":"one"}}},{"id":2,"s":null},{"id":3,"s":{"x":3,"y":null}},{"id":4,"s":{"x":4,"y":{"z":null}}}]`

// TestProject: a path's value is null wherever a parent is, whatever stands below; computed columns stand beside it.
func TestProject(t *testing.T) {
	e := engine.New(nil)
	tab := enginetest.New(t, "t", nested, nestedRows)
	tab.Batches[0] = tab.Batches[0].NewSlice(1, 4)
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	x := &expr.Column{Path: path("s", "x"), Typ: i32}
	p := direct(tab, output("z", str, "s", "y", "z"), output("x", i32, "s", "x"), output("id", arrow.PrimitiveTypes.Int64, "id"),
		physical.Output{Name: "big", Expr: &expr.Compare{Op: expr.Gt, L: x, R: &expr.Literal{Value: int64(3), Typ: i32}}})
	got := rowsOf(t, e, p)
	want := `[{"big":null,"id":2,"x":null,"z":null}
,{"big":false,"id":3,"x":3,"z":null}
,{"big":true,"id":4,"x":4,"z":null}
]`
	if got != want {
		t.Errorf("got %s", got)
	}
	schema, err := e.Describe(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i, nullable := range []bool{true, true, false, true} { // s.x is nullable since s is
		if schema.Field(i).Nullable != nullable {
			t.Errorf("field %v", schema.Field(i))
		}
	}
}

// TestFields: a column that is just read keeps the table's type and metadata, under the result's name.
func TestFields(t *testing.T) {
	tab := enginetest.New(t, "t", nested, nestedRows)
	p := direct(tab, output("renamed", nested.Field(1).Type, "s"))
	f := nested.Field(1)
	p.Columns[0].Passthrough = &f
	schema, err := engine.New(nil).Describe(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := f
	want.Name = "renamed"
	if !schema.Field(0).Equal(want) {
		t.Errorf("got %v, want %v", schema.Field(0), want)
	}
}

// TestErrorsNameTheExpression: the output's expression, and the part of it that failed; once where both are the same.
func TestErrorsNameTheExpression(t *testing.T) {
	tab := enginetest.New(t, "t", nested, nestedRows)
	i64 := arrow.PrimitiveTypes.Int64
	sum := &expr.Arith{Op: expr.Add, L: &expr.Column{Path: path("id"), Typ: i64}, R: &expr.Literal{Value: int64(math.MaxInt64), Typ: i64}, Typ: i64}
	for want, x := range map[string]expr.Expr{
		"id + 9223372036854775807: the result is out of range for BIGINT":                              sum,
		"-(id + 9223372036854775807): id + 9223372036854775807: the result is out of range for BIGINT": &expr.Neg{X: sum, Typ: i64},
	} {
		_, err := run(t, engine.New(nil), direct(tab, physical.Output{Name: "a", Expr: x}), allocator(t))
		if !errors.Is(err, errs.ErrInvalidInput) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestWrongPlans: plans that do not fit their scans are internal errors, without a panic.
func TestWrongPlans(t *testing.T) {
	tab := enginetest.New(t, "t", nested, nestedRows)
	i64 := arrow.PrimitiveTypes.Int64
	for name, p := range map[string]*physical.Plan{
		"no such column": direct(tab, output("a", i64, "nope")),
		"no such field":  direct(tab, output("a", i64, "s", "nope")),
		"through a leaf": direct(tab, output("a", i64, "id", "x")),
		"empty path":     direct(tab, output("a", i64)),
		"another type":   direct(tab, output("a", arrow.BinaryTypes.String, "id")),
		"untyped":        direct(tab, physical.Output{Name: "a", Expr: &expr.Param{}}),
		"no scan":        {Engine: physical.Direct},
		"two scans":      {Engine: physical.Direct, Scans: append(direct(tab).Scans, direct(tab).Scans...)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := run(t, engine.New(nil), p, allocator(t)); !errors.Is(err, errs.ErrInternal) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := run(t, engine.New(nil), &physical.Plan{Engine: physical.DuckDB}, allocator(t)); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("without a relational engine: %v", err)
	}
}

// TestEnds: errors of the scan come as they are, a context's end as a cancellation; all is released either way.
func TestEnds(t *testing.T) {
	e := engine.New(nil)
	key := expr.SortKey{X: &expr.Column{Path: path("id"), Typ: arrow.PrimitiveTypes.Int64}}
	for name, topN := range map[string][]expr.SortKey{"scan": nil, "top-N": {key}} {
		t.Run(name, func(t *testing.T) {
			tab := enginetest.New(t, "t", nested, nestedRows)
			tab.Repeat, tab.FailAfter, tab.Err = 10, 3, errs.Corruptf("data/a.lance", -1, "bad page")
			p := direct(tab, output("id", arrow.PrimitiveTypes.Int64, "id"))
			p.TopN, p.Limit = topN, 5
			if _, err := run(t, e, p, allocator(t)); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
			tab.Err, tab.Block = nil, make(chan struct{})
			ctx, cancel := context.WithCancel(context.Background())
			st, err := e.Run(ctx, p, allocator(t))
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if _, err := st.Next(context.Background()); !errors.Is(err, errs.ErrCanceled) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			if _, now := tab.Opens(); now != 0 {
				t.Errorf("%d streams left open", now)
			}
		})
	}
}

// TestCut: large batches come in slices of at most 1 MiB, a larger row alone, and the slices survive the wire.
func TestCut(t *testing.T) {
	e := engine.New(nil)
	list := arrow.ListOf(arrow.StructOf(arrow.Field{Name: "f", Type: arrow.FixedSizeListOf(100, arrow.PrimitiveTypes.Float64)}, arrow.Field{Name: "t", Type: arrow.BinaryTypes.String, Nullable: true}))
	rnd := rand.New(rand.NewPCG(3, 4))
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: list, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true}}, nil)
	blobs := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	for i := range 3000 {
		blobs.Append(bytes.Repeat([]byte{byte(i)}, map[bool]int{true: 3 << 20, false: i % 2000}[i == 1000]))
	}
	whole := array.NewRecordBatch(schema, []arrow.Array{enginetest.Random(list, rnd, 3000), blobs.NewArray()}, 3000)
	tab := enginetest.Of("t", schema, whole)
	st, err := e.Run(context.Background(), direct(tab, output("l", list, "l"), output("b", arrow.BinaryTypes.Binary, "b")), allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var row int64
	for {
		b, err := st.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		wire, back := roundTrip(t, b)
		if len(wire) > 5<<18 && b.NumRows() > 1 {
			t.Errorf("rows %d to %d take %d bytes", row, row+b.NumRows(), len(wire))
		}
		want := whole.NewSlice(row, row+b.NumRows())
		if !array.RecordEqual(want, back) {
			t.Fatalf("rows %d to %d came changed", row, row+b.NumRows())
		}
		row += b.NumRows()
		b.Release()
	}
	if row != 3000 {
		t.Errorf("%d rows", row)
	}
}

// roundTrip writes a batch as IPC and reads it back.
func roundTrip(t testing.TB, b arrow.RecordBatch) ([]byte, arrow.RecordBatch) {
	t.Helper()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(b.Schema()))
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wire := bytes.Clone(buf.Bytes())
	r, err := ipc.NewReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatalf("no batch: %v", r.Err())
	}
	back := r.RecordBatch()
	back.Retain()
	return wire, back
}

// TestSlicesOnTheWire: slices of nested arrays keep their rows when they are written as IPC.
func TestSlicesOnTheWire(t *testing.T) {
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	st := arrow.StructOf(arrow.Field{Name: "a", Type: i64, Nullable: true}, arrow.Field{Name: "b", Type: arrow.ListOf(str), Nullable: true})
	for _, typ := range []arrow.DataType{
		arrow.ListOf(i64), arrow.ListOf(str), arrow.LargeListOf(str), arrow.FixedSizeListOf(3, str), arrow.FixedSizeListOf(2, arrow.ListOf(i64)),
		arrow.ListOf(arrow.FixedSizeListOf(2, i64)), st, arrow.ListOf(st), arrow.FixedSizeListOf(2, st), arrow.MapOf(str, arrow.ListOf(i64)), arrow.ListOf(arrow.MapOf(str, str)),
		arrow.FixedWidthTypes.Boolean, arrow.ListOf(arrow.FixedWidthTypes.Boolean), arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: str}, arrow.StructOf(), arrow.ListOf(arrow.Null),
	} {
		t.Run(typ.String(), func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ, Nullable: true}}, nil)
			b := array.NewRecordBatch(schema, []arrow.Array{enginetest.Random(typ, rand.New(rand.NewPCG(5, 6)), 40)}, 40)
			for _, cut := range [][2]int64{{0, 40}, {1, 3}, {7, 23}, {39, 40}, {9, 9}} {
				want := b.NewSlice(cut[0], cut[1])
				if _, back := roundTrip(t, want); !array.RecordEqual(want, back) {
					t.Errorf("rows %v: got %v, want %v", cut, back, want)
				}
			}
		})
	}
}

// TestTopN: the best rows by any key, compared with DuckDB's ORDER BY over the same scan.
func TestTopN(t *testing.T) {
	rel, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(rel)
	defer e.Close()
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32,
		arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, arrow.BinaryTypes.Binary,
		&arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_ns, &arrow.TimestampType{Unit: arrow.Second}, arrow.FixedWidthTypes.Duration_ns, &arrow.Decimal32Type{Precision: 7, Scale: 2},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 76, Scale: 40},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, arrow.Null,
	}
	for _, typ := range types {
		t.Run(typ.String(), func(t *testing.T) {
			tab := topNTable(typ, 3, 700)
			for _, c := range []struct {
				desc, nullsFirst bool
				limit, offset    int64
			}{{false, false, 1, 0}, {true, false, 10, 0}, {false, true, 500, 3}, {true, true, 3, 2000}, {false, false, 5000, 50}, {false, false, 0, 0}, {true, false, 5, 5000}} {
				key := expr.SortKey{X: &expr.Column{Path: path("k"), Typ: typ}, Desc: c.desc, NullsFirst: c.nullsFirst}
				p := direct(tab, output("id", arrow.PrimitiveTypes.Int64, "id"), output("w", arrow.BinaryTypes.String, "w"))
				p.TopN, p.Limit, p.Offset = []expr.SortKey{key}, c.limit, c.offset
				order := map[bool]string{false: "ASC", true: "DESC"}[c.desc] + map[bool]string{false: " NULLS LAST", true: " NULLS FIRST"}[c.nullsFirst]
				q := enginetest.SQL(fmt.Sprintf(`SELECT id, w FROM t ORDER BY k %s, id LIMIT %d OFFSET %d`, order, c.limit, c.offset), []string{"id", "w"}, p.Scans[0])
				if got, want := rowsOf(t, e, p), rowsOf(t, e, q); got != want {
					t.Errorf("%+v: got\n%.500s\nwant\n%.500s", c, got, want)
				}
			}
		})
	}
}

// topNTable has ids in order, keys, and some width.
func topNTable(key arrow.DataType, batches, rows int) *enginetest.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "k", Type: key, Nullable: true}, {Name: "w", Type: arrow.BinaryTypes.String}}, nil)
	rnd := rand.New(rand.NewPCG(7, 8))
	var all []arrow.RecordBatch
	id := int64(0)
	for range batches {
		ids, wide := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
		for range rows {
			ids.Append(id)
			wide.Append(fmt.Sprint("row ", id))
			id++
		}
		all = append(all, array.NewRecordBatch(schema, []arrow.Array{ids.NewArray(), enginetest.Random(key, rnd, rows), wide.NewArray()}, int64(rows)))
	}
	return enginetest.Of("t", schema, all...)
}

// TestTopNFloats: not-a-number is the greatest, -0 equals 0, by two keys of which one is computed.
func TestTopNFloats(t *testing.T) {
	f64 := arrow.PrimitiveTypes.Float64
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: f64, Nullable: true}}, nil)
	tab := enginetest.New(t, "t", schema, `[{"id":1,"v":1.0},{"id":2,"v":"NaN"},{"id":3,"v":3.0},{"id":4,"v":null},{"id":5,"v":-0.0},{"id":6,"v":"+Inf"},{"id":7,"v":"-Inf"},{"id":8,"v":0.0}]`)
	v := &expr.Column{Path: path("v"), Typ: f64}
	id := &expr.Column{Path: path("id"), Typ: arrow.PrimitiveTypes.Int64}
	p := direct(tab, output("id", arrow.PrimitiveTypes.Int64, "id"))
	p.TopN, p.Limit = []expr.SortKey{{X: v, Desc: true}, {X: &expr.Neg{X: id, Typ: arrow.PrimitiveTypes.Int64}}}, 100
	if got, want := rowsOf(t, engine.New(nil), p), "[{\"id\":2}\n,{\"id\":6}\n,{\"id\":3}\n,{\"id\":1}\n,{\"id\":8}\n,{\"id\":5}\n,{\"id\":7}\n,{\"id\":4}\n]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTopNMemory: a few rows out of many wide ones need memory for a few, whatever comes by.
func TestTopNMemory(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "w", Type: arrow.BinaryTypes.String}}, nil)
	var batches []arrow.RecordBatch
	for i := range 200 { // the best row of each batch is better than all before
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for j := range 100 {
			b.Field(0).(*array.Int64Builder).Append(int64(1000000 - i*100 - j))
			b.Field(1).(*array.StringBuilder).Append(strings.Repeat("w", 10_000))
		}
		batches = append(batches, b.NewRecordBatch())
	}
	tab := enginetest.Of("t", schema, batches...)
	p := direct(tab, output("k", arrow.PrimitiveTypes.Int64, "k"), output("w", arrow.BinaryTypes.String, "w"))
	p.TopN, p.Limit = []expr.SortKey{{X: &expr.Column{Path: path("k"), Typ: arrow.PrimitiveTypes.Int64}}}, 150
	mem := &peak{Allocator: memory.NewGoAllocator()}
	b, err := run(t, engine.New(nil), p, mem)
	if err != nil {
		t.Fatal(err)
	}
	if b.NumRows() != 150 || b.Column(0).(*array.Int64).Value(0) != 1000000-19999 {
		t.Errorf("%d rows, the first with %d", b.NumRows(), b.Column(0).(*array.Int64).Value(0))
	}
	if mem.most > 40<<20 { // 200 MB came by
		t.Errorf("%d bytes at most", mem.most)
	}
}

// peak tells the most bytes that were allocated at once.
type peak struct {
	memory.Allocator
	now, most int
}

func (p *peak) Allocate(n int) []byte {
	p.now += n
	p.most = max(p.most, p.now)
	return p.Allocator.Allocate(n)
}

func (p *peak) Reallocate(n int, b []byte) []byte {
	p.now += n - len(b)
	p.most = max(p.most, p.now)
	return p.Allocator.Reallocate(n, b)
}

func (p *peak) Free(b []byte) {
	p.now -= len(b)
	p.Allocator.Free(b)
}
