// Package memtable makes small tables that are worked out when they are read into sources of scans: what describes a
// catalog or a table, as information_schema does.
package memtable

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/scan"
)

// Only is what a scan asks for: the columns that it reads, and the conjuncts of its filter that read no more than one, by
// the column.
type Only struct {
	reads map[string]bool
	tests map[string][]expr.Expr
}

// Reads tells whether any of some columns is read.
func (o Only) Reads(columns ...string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return o.reads[c] })
}

// note adds the columns of an expression to those that are read.
func (o Only) note(e expr.Expr) {
	for _, c := range expr.Columns(e) {
		o.reads[c.Path[0]] = true
	}
}

// Pick gives those of some values, texts or whole numbers, that a row of use can have in the column. A conjunct that fails for
// them rules none out: the filter itself will fail.
func Pick[T string | int64](o Only, column string, values []T) []T {
	for _, c := range o.tests[column] {
		if len(values) == 0 {
			return nil
		}
		values = passing(c, column, values)
	}
	return values
}

func passing[T string | int64](test expr.Expr, column string, values []T) []T {
	rows := make([][]any, len(values))
	for i, v := range values {
		rows[i] = []any{v}
	}
	var typ arrow.DataType = arrow.BinaryTypes.String
	if _, numbers := any(values).([]int64); numbers {
		typ = arrow.PrimitiveTypes.Int64
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: column, Type: typ, Nullable: true}}, nil)
	batch, err := Batch(schema, rows, memory.DefaultAllocator)
	if err != nil {
		return values
	}
	defer batch.Release()
	pass, err := eval.Mask(test, eval.Batch{Rows: batch}, len(values))
	if err != nil {
		return values
	}
	var out []T
	for _, i := range pass.Indices(nil) {
		out = append(out, values[i])
	}
	return out
}

// Rows works the rows out, in batches' memory of mem, which the caller releases. It may leave out rows whose values
// only does not pick, and give anything in columns that it does not read.
type Rows func(ctx context.Context, only Only, mem memory.Allocator) (arrow.RecordBatch, error)

// Table is a scan.Source of flat columns. It is safe for concurrent use where its Rows are.
type Table struct {
	name    string
	version uint64
	schema  *arrow.Schema
	rows    Rows
	likely  int64
}

var _ scan.Source = (*Table)(nil)

// New makes a table. version is that of what it describes, 0 where there is none.
func New(name string, version uint64, schema *arrow.Schema, rows Rows) *Table {
	return &Table{name: name, version: version, schema: schema, rows: rows, likely: -1}
}

// Likely sets a guess of how many rows there are, by which it is chosen what is read first.
func (t *Table) Likely(rows int64) *Table {
	t.likely = rows
	return t
}

// LikelyRows is the guess, negative where there is none.
func (t *Table) LikelyRows() int64 { return t.likely }

// Name is the full name.
func (t *Table) Name() string { return t.name }

// Version is the version of what is described.
func (t *Table) Version() uint64 { return t.version }

// Schema holds the columns.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// Rows are not known before they are worked out.
func (t *Table) Rows() int64 { return -1 }

// Plan decides on a scan.
func (t *Table) Plan(_ context.Context, spec scan.Spec) (scan.Plan, error) {
	if len(spec.Special) > 0 {
		return nil, errs.NotFoundf("%s has no column %s", t.name, spec.Special[0])
	}
	if spec.StatsFilter != nil {
		return nil, errs.New(errs.ErrInternal, "%s has no stats", t.name)
	}
	p := &plan{t: t, spec: spec}
	fields := make([]arrow.Field, 0, len(spec.Columns)+len(spec.Computed))
	for _, path := range spec.Columns {
		at := t.schema.FieldIndices(path[0])
		if len(at) != 1 || len(path) != 1 {
			return nil, errs.NotFoundf("%s has no column %s", t.name, path.Key())
		}
		p.columns = append(p.columns, at[0])
		fields = append(fields, t.schema.Field(at[0]))
	}
	for _, c := range spec.Computed {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Expr.Type(), Nullable: true})
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

type plan struct {
	t       *Table
	spec    scan.Spec
	columns []int
	schema  *arrow.Schema
}

func (p *plan) Schema() *arrow.Schema { return p.schema }

func (p *plan) Info() scan.PlanInfo {
	info := scan.PlanInfo{Table: p.t.name, Version: p.t.version}
	for _, c := range p.spec.Columns {
		info.Columns = append(info.Columns, c.Key())
	}
	if p.spec.Filter != nil {
		info.Filter = p.spec.Filter.String()
	}
	if p.spec.Limit >= 0 {
		info.Limit = &p.spec.Limit
	}
	return info
}

// MostRows are not known before the rows are worked out.
func (p *plan) MostRows() (rows int64, fragments int) { return -1, 0 }

func (p *plan) Open(_ context.Context, mem memory.Allocator) (scan.Stream, error) {
	return &stream{p: p, mem: mem}, nil
}

// stream gives all rows as one batch.
type stream struct {
	p        *plan
	mem      memory.Allocator
	done     bool
	selected int64
}

func (s *stream) Metrics() scan.Metrics { return scan.Metrics{RowsSelected: s.selected} }

func (s *stream) Close() error {
	s.done = true
	return nil
}

func (s *stream) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	all, err := s.p.t.rows(ctx, s.p.limits(), s.mem)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.p.t.name, err)
	}
	defer all.Release()
	keep, err := s.keep(all)
	if err != nil {
		return nil, err
	}
	rows, err := pick(all, keep, s.mem)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return s.project(rows)
}

// keep gives the rows that pass, as runs of first row and end.
func (s *stream) keep(all arrow.RecordBatch) ([][2]int64, error) {
	rows := make([]int32, 0, all.NumRows())
	if s.p.spec.Filter == nil {
		for i := range all.NumRows() {
			rows = append(rows, int32(i))
		}
	} else {
		pass, err := eval.Mask(s.p.spec.Filter, eval.Batch{Rows: all}, int(all.NumRows()))
		if err != nil {
			return nil, err
		}
		rows = pass.Indices(rows)
	}
	s.selected = int64(len(rows))
	rows = rows[min(s.p.spec.Offset, int64(len(rows))):]
	if s.p.spec.Limit >= 0 {
		rows = rows[:min(s.p.spec.Limit, int64(len(rows)))]
	}
	var runs [][2]int64
	for _, r := range rows {
		if n := len(runs); n > 0 && runs[n-1][1] == int64(r) {
			runs[n-1][1]++
			continue
		}
		runs = append(runs, [2]int64{int64(r), int64(r) + 1})
	}
	return runs, nil
}

// pick gives the rows of runs.
func pick(b arrow.RecordBatch, runs [][2]int64, mem memory.Allocator) (arrow.RecordBatch, error) {
	if len(runs) == 0 {
		return b.NewSlice(0, 0), nil
	}
	if len(runs) == 1 {
		return b.NewSlice(runs[0][0], runs[0][1]), nil
	}
	var n int64
	for _, r := range runs {
		n += r[1] - r[0]
	}
	cols := make([]arrow.Array, 0, b.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, c := range b.Columns() {
		parts := make([]arrow.Array, len(runs))
		for i, r := range runs {
			parts[i] = array.NewSlice(c, r[0], r[1])
		}
		joined, err := array.Concatenate(parts, mem)
		for _, p := range parts {
			p.Release()
		}
		if err != nil {
			return nil, err
		}
		cols = append(cols, joined)
	}
	return array.NewRecordBatch(b.Schema(), cols, n), nil
}

// project gives the columns that were asked for.
func (s *stream) project(rows arrow.RecordBatch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, 0, s.p.schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, i := range s.p.columns {
		rows.Column(i).Retain()
		cols = append(cols, rows.Column(i))
	}
	for _, c := range s.p.spec.Computed {
		arr, err := eval.Eval(c.Expr, eval.Batch{Rows: rows}, int(rows.NumRows()), s.mem)
		if err != nil {
			return nil, err
		}
		cols = append(cols, arr)
	}
	return array.NewRecordBatch(s.p.schema, cols, rows.NumRows()), nil
}

// limits gives the columns that are read, and the conjuncts that read one of texts or whole numbers.
func (p *plan) limits() Only {
	only := Only{reads: map[string]bool{}, tests: map[string][]expr.Expr{}}
	for _, path := range p.spec.Columns {
		only.reads[path[0]] = true
	}
	for _, c := range p.spec.Computed {
		only.note(c.Expr)
	}
	if p.spec.Filter == nil {
		return only
	}
	only.note(p.spec.Filter)
	for _, c := range expr.Conjuncts(p.spec.Filter) {
		reads := expr.Columns(c)
		if len(reads) != 1 || len(reads[0].Path) != 1 {
			continue
		}
		name := reads[0].Path[0]
		at := p.t.schema.FieldIndices(name)
		if len(at) != 1 {
			continue
		}
		if id := p.t.schema.Field(at[0]).Type.ID(); id == arrow.STRING || id == arrow.INT64 {
			only.tests[name] = append(only.tests[name], c)
		}
	}
	return only
}
