package cells_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/cells"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/scan"
)

// variable is a variable's type with values of elem.
func variable(elem arrow.DataType) arrow.DataType {
	return arrow.StructOf(
		arrow.Field{Name: "values", Type: arrow.ListOf(elem), Nullable: true},
		arrow.Field{Name: "dim_names", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "dim_sizes", Type: arrow.ListOf(arrow.PrimitiveTypes.Uint32), Nullable: true},
		arrow.Field{Name: "attrs", Type: arrow.StructOf(arrow.Field{Name: "units", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
	)
}

func variableField(name string, elem arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: variable(elem), Nullable: true,
		Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"nd_arrow.array"})}
}

func statsField(name string, elem arrow.DataType) arrow.Field {
	return arrow.Field{Name: "__stats__:" + name, Nullable: true, Type: arrow.StructOf(
		arrow.Field{Name: "min", Type: elem, Nullable: true}, arrow.Field{Name: "max", Type: elem, Nullable: true})}
}

// rowTable is a table in memory that scans as a Lance table does; it notes what it is asked.
type rowTable struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	specs   []scan.Spec
	whole   bool // batches come as they are, where no filter is asked for: a benchmark is of what is made of them
}

func newRows(t testing.TB, fields []arrow.Field, batches ...string) *rowTable {
	t.Helper()
	r := &rowTable{schema: arrow.NewSchema(fields, nil)}
	for _, text := range batches {
		b, _, err := array.RecordFromJSON(memory.DefaultAllocator, r.schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.batches = append(r.batches, b)
	}
	return r
}

func (r *rowTable) Name() string          { return "lance.main.t" }
func (r *rowTable) Version() uint64       { return 3 }
func (r *rowTable) Schema() *arrow.Schema { return r.schema }
func (r *rowTable) Rows() int64           { return -1 }

func (r *rowTable) Plan(_ context.Context, spec scan.Spec) (scan.Plan, error) {
	r.specs = append(r.specs, spec)
	p := &rowPlan{r: r, spec: spec}
	var fields []arrow.Field
	paths := map[string][]string{} // fields of a column that are read; none for all
	for _, path := range spec.Columns {
		at := r.schema.FieldIndices(path[0])
		if len(at) != 1 || len(path) > 2 {
			return nil, errs.NotFoundf("no column %s", path)
		}
		if _, seen := paths[path[0]]; !seen {
			p.tops = append(p.tops, at[0])
			paths[path[0]] = nil
		}
		if len(path) == 2 {
			paths[path[0]] = append(paths[path[0]], path[1])
		}
	}
	for _, at := range p.tops {
		f := r.schema.Field(at)
		p.below = append(p.below, paths[f.Name])
		if below := paths[f.Name]; below != nil {
			var kids []arrow.Field
			for _, k := range f.Type.(*arrow.StructType).Fields() {
				if contains(below, k.Name) {
					kids = append(kids, k)
				}
			}
			f.Type = arrow.StructOf(kids...)
		}
		fields = append(fields, f)
	}
	for _, s := range spec.Special {
		fields = append(fields, arrow.Field{Name: s, Type: arrow.PrimitiveTypes.Uint64})
	}
	for _, c := range spec.Computed {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Expr.Type(), Nullable: true})
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

type rowPlan struct {
	r      *rowTable
	spec   scan.Spec
	tops   []int
	below  [][]string
	schema *arrow.Schema
}

func (p *rowPlan) Schema() *arrow.Schema { return p.schema }

func (p *rowPlan) Info() scan.PlanInfo {
	info := scan.PlanInfo{Table: "lance.main.t", Version: 3}
	for _, c := range p.spec.Columns {
		info.Columns = append(info.Columns, c.Key())
	}
	if p.spec.StatsFilter != nil {
		info.StatsFilter = p.spec.StatsFilter.String()
	}
	if p.spec.Filter != nil {
		info.Filter = p.spec.Filter.String()
	}
	return info
}

func (p *rowPlan) Open(_ context.Context, mem memory.Allocator) (scan.Stream, error) {
	return &rowStream{p: p, mem: mem, left: p.spec.Limit}, nil
}

type rowStream struct {
	p        *rowPlan
	mem      memory.Allocator
	next     int
	first    uint64
	left     int64
	selected int64
}

func (s *rowStream) Metrics() scan.Metrics { return scan.Metrics{RowsSelected: s.selected} }
func (s *rowStream) Close() error          { return nil }

func (s *rowStream) Next(context.Context) (arrow.RecordBatch, error) {
	if s.next == len(s.p.r.batches) || s.left == 0 {
		return nil, io.EOF
	}
	b := s.p.r.batches[s.next]
	s.next++
	n := int(b.NumRows())
	ids := array.NewUint64Builder(s.mem)
	defer ids.Release()
	for i := range n {
		ids.Append(s.first + uint64(i))
	}
	s.first += uint64(n)
	id := ids.NewArray()
	defer id.Release()
	withID := array.NewRecordBatch(arrow.NewSchema(append(b.Schema().Fields(), arrow.Field{Name: scan.RowID, Type: arrow.PrimitiveTypes.Uint64}), nil),
		append(append([]arrow.Array{}, b.Columns()...), id), int64(n))
	defer withID.Release()
	keep := eval.AllRows(n)
	for _, f := range []expr.Expr{s.p.spec.StatsFilter, s.p.spec.Filter} {
		if f == nil {
			continue
		}
		m, err := eval.Mask(f, eval.Batch{Rows: withID}, n)
		if err != nil {
			return nil, err
		}
		keep = keep.And(m)
	}
	at := keep.Indices(nil)
	s.selected += int64(len(at))
	if s.left >= 0 {
		at = at[:min(int64(len(at)), s.left)]
		s.left -= int64(len(at))
	}
	return s.project(withID, at)
}

func (s *rowStream) project(b arrow.RecordBatch, rows []int32) (arrow.RecordBatch, error) {
	var cols []arrow.Array
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	take := func(a arrow.Array) error {
		if s.p.r.whole && len(rows) == a.Len() {
			a.Retain()
			cols = append(cols, a)
			return nil
		}
		if len(rows) == 0 {
			cols = append(cols, array.NewSlice(a, 0, 0))
			return nil
		}
		var parts []arrow.Array
		defer func() {
			for _, p := range parts {
				p.Release()
			}
		}()
		for _, r := range rows {
			parts = append(parts, array.NewSlice(a, int64(r), int64(r)+1))
		}
		c, err := array.Concatenate(parts, s.mem)
		if err == nil {
			cols = append(cols, c)
		}
		return err
	}
	for i, at := range s.p.tops {
		a := b.Column(at)
		if below := s.p.below[i]; below != nil {
			st := a.(*array.Struct)
			var kids []arrow.ArrayData
			for k, f := range st.DataType().(*arrow.StructType).Fields() {
				if contains(below, f.Name) {
					kids = append(kids, st.Field(k).Data())
				}
			}
			data := array.NewData(s.p.schema.Field(i).Type, st.Len(), st.Data().Buffers()[:1], kids, st.NullN(), 0)
			a = array.MakeFromData(data)
			data.Release()
			defer a.Release()
		}
		if err := take(a); err != nil {
			return nil, err
		}
	}
	for range s.p.spec.Special {
		if err := take(b.Column(int(b.NumCols()) - 1)); err != nil {
			return nil, err
		}
	}
	for _, c := range s.p.spec.Computed {
		a, err := eval.Eval(c.Expr, eval.Batch{Rows: b}, int(b.NumRows()), s.mem)
		if err != nil {
			return nil, err
		}
		err = take(a)
		a.Release()
		if err != nil {
			return nil, err
		}
	}
	return array.NewRecordBatch(s.p.schema, cols, int64(len(rows))), nil
}

// cellsOf opens the cells of variables, of all where none is named.
func cellsOf(t *testing.T, r *rowTable, names ...string) *cells.Source {
	t.Helper()
	vars, err := cells.Variables(r.schema, names)
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	d, err := cells.Read(t.Context(), r, vars, mem)
	if err != nil {
		t.Fatal(err)
	}
	return cells.New(r, "lance.main.t$cells", vars, d)
}
