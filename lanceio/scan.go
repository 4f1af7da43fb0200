package lanceio

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// ScanOption changes what a scan reads and gives.
type ScanOption func(*scanOptions)

type scanOptions struct {
	columns     []expr.FieldPath
	columnsSet  bool
	special     []string
	filterText  *string
	filterExpr  expr.Expr
	lanceFilter expr.Expr
	limit       int64
	offset      int64
	batchRows   int
	required    *arrow.Schema
}

// Columns are the columns to give, as paths: a leaf, or a struct, list or map as a whole. Paths below one column come
// back as one struct that holds just these. Without this option all columns are given but the stats columns
// (`__stats__:*`); with it and no path, rows come without columns.
func Columns(paths ...expr.FieldPath) ScanOption {
	return func(o *scanOptions) { o.columns, o.columnsSet = append(o.columns, paths...), true }
}

// Filter keeps the rows at which Lance's own SQL text is true, as pylance reads it. Nothing is rewritten. It stands alone:
// with FilterExpr or LanceFilter, NewScan fails.
func Filter(text string) ScanOption { return func(o *scanOptions) { o.filterText = &text } }

// FilterExpr keeps the rows at which e is true, where a part of e that reads the values of an n-d array stands for a test
// on the row's stats: the row is kept when it may hold a matching value. It may stand with LanceFilter: both must hold.
func FilterExpr(e expr.Expr) ScanOption { return func(o *scanOptions) { o.filterExpr = e } }

// LanceFilter keeps the rows at which e is true. Nothing is rewritten.
func LanceFilter(e expr.Expr) ScanOption { return func(o *scanOptions) { o.lanceFilter = e } }

// Limit is the most rows to give, counted after the filters.
func Limit(n int64) ScanOption { return func(o *scanOptions) { o.limit = n } }

// Offset skips rows, counted after the filters.
func Offset(n int64) ScanOption { return func(o *scanOptions) { o.offset = n } }

// WithRowID adds the column _rowid (uint64) behind the others.
func WithRowID() ScanOption { return withSpecial(scan.RowID) }

// WithRowAddress adds the column _rowaddr (uint64) behind the others: fragment id << 32 | row in the fragment.
func WithRowAddress() ScanOption { return withSpecial(scan.RowAddr) }

// WithFragmentID adds the column _fragid (uint64) behind the others.
func WithFragmentID() ScanOption { return withSpecial(scan.FragID) }

// WithRowVersions adds the columns _row_created_at_version and _row_last_updated_at_version (uint64) behind the others.
func WithRowVersions() ScanOption {
	return func(o *scanOptions) { o.special = append(o.special, scan.RowCreated, scan.RowUpdated) }
}

func withSpecial(name string) ScanOption {
	return func(o *scanOptions) { o.special = append(o.special, name) }
}

// BatchRows bounds the rows of a batch; batches are also cut by bytes, to about 1 MiB.
func BatchRows(n int) ScanOption { return func(o *scanOptions) { o.batchRows = n } }

// RequiredSchema makes the answer have just the columns of a schema, with its types. What Columns does not name is null,
// and nullable in the answer; so is what the table lacks. Without Columns, all of the schema that the table has is read.
func RequiredSchema(s *arrow.Schema) ScanOption { return func(o *scanOptions) { o.required = s } }

// Scan is a scan of one table version that was checked, and can be run any number of times.
type Scan struct{ p *plan }

// NewScan checks names, types and options; it reads no data.
func (t *Table) NewScan(opts ...ScanOption) (*Scan, error) {
	o := scanOptions{limit: -1}
	for _, opt := range opts {
		opt(&o)
	}
	if o.limit < -1 || o.offset < 0 || o.batchRows < 0 {
		return nil, errs.Invalidf("table %s: limit, offset and batch size can't be negative", t.name)
	}
	spec := scan.Spec{Special: o.special, Limit: o.limit, Offset: o.offset, BatchRows: o.batchRows}
	switch {
	case o.columnsSet:
		spec.Columns = o.columns
	case o.required != nil:
		spec.Columns = t.shared(o.required)
	default:
		spec.Columns = t.visible()
	}
	if err := t.setFilters(&spec, o); err != nil {
		return nil, err
	}
	p, err := t.plan(spec, o.required)
	if err != nil {
		return nil, err
	}
	return &Scan{p}, nil
}

// statsPrefix starts the name of a stats column.
const statsPrefix = "__stats__:"

// visible are the columns that a scan gives unless it names others.
func (t *Table) visible() []expr.FieldPath {
	var paths []expr.FieldPath
	for _, f := range t.m.Schema.Fields {
		if !strings.HasPrefix(f.Name, statsPrefix) {
			paths = append(paths, expr.FieldPath{f.Name})
		}
	}
	return paths
}

// shared gives the leaf paths of a schema that the table has.
func (t *Table) shared(s *arrow.Schema) []expr.FieldPath {
	var paths []expr.FieldPath
	var walk func(path expr.FieldPath, f arrow.Field)
	walk = func(path expr.FieldPath, f arrow.Field) {
		path = path.Child(f.Name)
		have, err := t.find(path)
		if err != nil {
			return
		}
		st, ok := f.Type.(*arrow.StructType)
		if !ok || !splits(have) || st.NumFields() == 0 {
			paths = append(paths, path)
			return
		}
		for _, c := range st.Fields() {
			walk(path, c)
		}
	}
	for _, f := range s.Fields() {
		walk(nil, f)
	}
	return paths
}

// Schema is that of every batch.
func (s *Scan) Schema() *arrow.Schema { return s.p.schema }

// Info tells what the scan will do.
func (s *Scan) Info() scan.PlanInfo { return s.p.Info() }

// Open starts the scan. The stream must be closed.
func (s *Scan) Open(ctx context.Context, mem memory.Allocator) (scan.Stream, error) {
	return s.p.Open(ctx, mem)
}

// Explain tells as text what the scan will read, line by line.
func (s *Scan) Explain() string {
	info := s.p.Info()
	var b strings.Builder
	fmt.Fprintf(&b, "scan %s version %d\n", info.Table, info.Version)
	fmt.Fprintf(&b, "  columns: %s\n", strings.Join(info.Columns, ", "))
	if len(s.p.spec.Special) > 0 {
		fmt.Fprintf(&b, "  special columns: %s\n", strings.Join(s.p.spec.Special, ", "))
	}
	if info.StatsFilter != "" {
		fmt.Fprintf(&b, "  stats filter: %s\n", info.StatsFilter)
	}
	if info.Filter != "" {
		fmt.Fprintf(&b, "  filter: %s\n", info.Filter)
	}
	for _, x := range info.Indices {
		fmt.Fprintf(&b, "  index: %s\n", x)
	}
	if info.Limit != nil {
		fmt.Fprintf(&b, "  limit: %d\n", *info.Limit)
	}
	if s.p.spec.Offset > 0 {
		fmt.Fprintf(&b, "  offset: %d\n", s.p.spec.Offset)
	}
	fmt.Fprintf(&b, "  fragments: %d, rows: %d\n", info.Fragments, info.Rows)
	return b.String()
}
