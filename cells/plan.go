package cells

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// plan is a decided scan. It is not changed once it was made.
type plan struct {
	s    *Source
	spec scan.Spec
	// inner is the scan of the rows: the plain columns that are asked for, the variables, special columns with the row's id
	// last, and what expressions over cells read of plain columns.
	inner scan.Spec
	rows  scan.Plan

	schema   *arrow.Schema
	outputs  []feed      // of columns and special columns
	filter   *expression // tested with each cell; nil for none
	computed []expression
}

// expression is evaluated over cells.
type expression struct {
	text   string // as it was asked for
	e      expr.Expr
	inputs []input
}

// input is a column that an expression reads.
type input struct {
	field arrow.Field
	feed  feed
}

var _ scan.Plan = (*plan)(nil)

func newPlan(ctx context.Context, s *Source, spec scan.Spec) (*plan, error) {
	p := &plan{s: s, spec: spec}
	used := make([]bool, len(s.vars))
	tops, err := p.columns(used)
	if err != nil {
		return nil, err
	}
	cells, rows, stats := s.split(spec.Filter)
	p.inner.Filter, p.inner.StatsFilter = rows, stats
	if cells != nil {
		f, err := p.over(cells, used)
		if err != nil {
			return nil, err
		}
		p.filter = &f
	}
	for _, c := range spec.Computed {
		x, err := p.over(c.Expr, used)
		if err != nil {
			return nil, err
		}
		p.computed = append(p.computed, x)
	}
	p.inner.Columns = append(p.inner.Columns, dimPaths(s.vars, used)...)
	p.inner.Special = append(slices.Clone(spec.Special), scan.RowID)
	p.inner.Limit = p.rowLimit()
	if p.rows, err = s.rows.Plan(ctx, p.inner); err != nil {
		return nil, err
	}
	return p, p.settle(tops)
}

// rowLimit is how many rows can be needed at most: as many as give the cells where each row has the fewest.
func (p *plan) rowLimit() int64 {
	fewest := p.s.dims.fewest
	if p.spec.Limit < 0 || p.filter != nil || fewest <= 0 || p.spec.Limit > math.MaxInt64-p.spec.Offset {
		return -1
	}
	cells := p.spec.Limit + p.spec.Offset
	rows := cells / fewest
	if cells%fewest > 0 {
		rows++
	}
	return rows
}

// settle finds where the columns come from, and makes the schema.
func (p *plan) settle(tops []string) error {
	have := p.rows.Schema()
	special := have.NumFields() - len(p.inner.Computed) - len(p.inner.Special)
	var fields []arrow.Field
	for _, name := range tops {
		f, ok := p.s.feeds[name]
		if ok {
			field, _ := scan.Hidden(p.s.schema.Field(p.s.schema.FieldIndices(name)[0]))
			fields, p.outputs = append(fields, field), append(p.outputs, f)
			continue
		}
		at := slices.IndexFunc(have.Fields()[:special], func(f arrow.Field) bool { return f.Name == name })
		if at < 0 {
			return errs.New(errs.ErrInternal, "%s: the rows come without column %s", p.s.name, expr.QuoteIdent(name))
		}
		fields, p.outputs = append(fields, have.Field(at)), append(p.outputs, feed{fromRow, at})
	}
	for i := range p.spec.Special {
		fields, p.outputs = append(fields, have.Field(special+i)), append(p.outputs, feed{fromRow, special + i})
	}
	for _, c := range p.spec.Computed {
		if c.Expr.Type() == nil {
			return errs.New(errs.ErrInternal, "computed column %s is not bound", c.Name)
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Expr.Type(), Nullable: true})
	}
	p.schema = arrow.NewSchema(fields, nil)
	return nil
}

// rowIDAt is where the batches of rows have the row's id.
func (p *plan) rowIDAt() int { return p.computedAt() - 1 }

// computedAt is where the batches of rows have what is computed of them.
func (p *plan) computedAt() int { return p.rows.Schema().NumFields() - len(p.inner.Computed) }

// Schema is that of every batch.
func (p *plan) Schema() *arrow.Schema { return p.schema }

// Info tells of the rows' scan, and of the cells that are made of it.
func (p *plan) Info() scan.PlanInfo {
	info := p.rows.Info()
	c := &scan.CellsInfo{Table: p.s.name, Cells: p.s.Rows()}
	for _, path := range p.spec.Columns {
		c.Columns = append(c.Columns, path.Key())
	}
	if p.filter != nil {
		c.Filter = p.filter.text
	}
	if p.spec.Limit >= 0 {
		c.Limit = &p.spec.Limit
	}
	info.Cells = c
	return info
}

// Open starts the scan; it reads nothing until the first Next.
func (p *plan) Open(ctx context.Context, mem memory.Allocator) (scan.Stream, error) {
	in, err := p.rows.Open(ctx, mem)
	if err != nil {
		return nil, err
	}
	return newStream(p, in, mem), nil
}

// columns goes through the columns that are asked for, and gives their names, each once. The plain ones become columns of
// the inner scan.
func (p *plan) columns(used []bool) ([]string, error) {
	var tops []string
	for _, path := range p.spec.Columns {
		if !slices.Contains(tops, path[0]) {
			tops = append(tops, path[0])
		}
		f, ok := p.s.feeds[path[0]]
		switch {
		case !ok:
			if len(p.s.schema.FieldIndices(path[0])) != 1 {
				return nil, errs.NotFoundf("%s has no column %s", p.s.name, path.Key())
			}
			p.inner.Columns = append(p.inner.Columns, path)
		case len(path) > 1:
			return nil, errs.Unsupportedf("%s: only the whole of %s can be read, not %s", p.s.name, expr.QuoteIdent(path[0]), path.Key())
		case f.kind == fromValues:
			used[f.at] = true
		}
	}
	return tops, nil
}

// computedName names what the inner scan computes for an expression here. No column has such a name: a dimension's
// or variable's would have to begin with it, and is never looked up among them.
func computedName(i int) string { return "\x00cells" + strconv.Itoa(i) }

// over gives an expression as it is evaluated over cells, with the columns that it reads: what it reads of plain columns is
// computed by the scan of the rows.
func (p *plan) over(e expr.Expr, used []bool) (expression, error) {
	w := &overCells{p: p, used: used}
	out, err := w.rewrite(e)
	return expression{text: e.String(), e: out, inputs: w.inputs}, err
}

type overCells struct {
	p      *plan
	used   []bool
	inputs []input
}

func (w *overCells) rewrite(e expr.Expr) (expr.Expr, error) {
	switch x := e.(type) {
	case *expr.Column:
		return w.column(x)
	case *expr.Match: // as a whole: its list is a plain column's
		if _, ok := w.p.s.feeds[x.Path[0]]; ok {
			return nil, errs.Unsupportedf("%s over the lists in cells", x)
		}
		return w.fromRow(x), nil
	case *expr.StatsTest, *expr.StatsState:
		return nil, errs.New(errs.ErrInternal, "%s has no stats", w.p.s.name)
	}
	operands := slices.Clone(expr.Children(e))
	for i, o := range operands {
		fresh, err := w.rewrite(o)
		if err != nil {
			return nil, err
		}
		operands[i] = fresh
	}
	if len(operands) == 0 {
		return e, nil
	}
	return expr.WithChildren(e, operands), nil
}

func (w *overCells) column(c *expr.Column) (expr.Expr, error) {
	f, ok := w.p.s.feeds[c.Path[0]]
	if !ok {
		return w.fromRow(c), nil
	}
	if f.kind == fromValues {
		w.used[f.at] = true
	}
	field := w.p.s.schema.Field(w.p.s.schema.FieldIndices(c.Path[0])[0])
	w.add(input{field: field, feed: f})
	return &expr.Column{Path: c.Path, Typ: c.Typ}, nil
}

func (w *overCells) add(in input) {
	if !slices.ContainsFunc(w.inputs, func(o input) bool { return o.field.Name == in.field.Name }) {
		w.inputs = append(w.inputs, in)
	}
}

// fromRow has the scan of the rows compute an expression.
func (w *overCells) fromRow(e expr.Expr) expr.Expr {
	at := slices.IndexFunc(w.p.inner.Computed, func(c scan.Computed) bool { return expr.Equal(c.Expr, e) })
	if at < 0 {
		at = len(w.p.inner.Computed)
		w.p.inner.Computed = append(w.p.inner.Computed, scan.Computed{Name: computedName(at), Expr: e})
	}
	name := computedName(at)
	w.add(input{field: arrow.Field{Name: name, Type: e.Type(), Nullable: true}, feed: feed{fromComputed, at}})
	return &expr.Column{Path: expr.FieldPath{name}, Typ: e.Type()}
}
