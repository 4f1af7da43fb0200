package lanceio

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/index"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// plan is a decided scan. It is not changed once it was made.
type plan struct {
	t      *Table
	spec   scan.Spec
	schema *arrow.Schema
	output []*node
	// The steps, in this order; one without an expression is left out when the scan runs.
	stats, filter, computed, project stage
	// special are what each step needs of special columns.
	statsSpecial, filterSpecial, computedSpecial []string
	// never tells that a constant filter lets no row pass.
	never bool
	// rows are where the filter's conditions on special columns let rows pass; nil for anywhere.
	rows *rowSet
	// indices are what the filter is looked up in; nil for none.
	indices *index.Plan
}

var _ scan.Plan = (*plan)(nil)

// Plan checks a Spec and decides what will be read. No data is read.
func (t *Table) Plan(_ context.Context, spec scan.Spec) (scan.Plan, error) {
	return t.plan(spec, nil)
}

// plan is Plan with the schema that the caller requires, or nil.
func (t *Table) plan(spec scan.Spec, required *arrow.Schema) (*plan, error) {
	p := &plan{t: t, spec: spec}
	want := wanted{answer: true}
	for _, path := range spec.Columns {
		f, err := t.find(path)
		if err != nil {
			return nil, err
		}
		want.add(f)
	}
	p.output = want.nodes()
	if required != nil {
		nodes, err := t.fitSchema(required, &want)
		if err != nil {
			return nil, err
		}
		p.output = nodes
	}
	if err := p.fold(); err != nil {
		return nil, err
	}
	p.rows = t.rowsOfFilter(p.spec.Filter)
	p.indices = t.indicesOf(p.spec.Filter)
	var stats, filter, computed needs
	if p.spec.StatsFilter != nil {
		if err := stats.add(t, p.spec.StatsFilter); err != nil {
			return nil, err
		}
	}
	if p.spec.Filter != nil {
		if err := filter.add(t, p.spec.Filter); err != nil {
			return nil, err
		}
	}
	for _, c := range spec.Computed {
		if err := computed.add(t, c.Expr); err != nil {
			return nil, err
		}
	}
	stages := newStages(stats.nodes(), filter.nodes(), computed.nodes(), p.output)
	p.stats, p.filter, p.computed, p.project = stages[0], stages[1], stages[2], stages[3]
	p.statsSpecial, p.filterSpecial, p.computedSpecial = stats.special, filter.special, computed.special
	return p, p.makeSchema()
}

// makeSchema settles the schema of the batches.
func (p *plan) makeSchema() error {
	var fields []arrow.Field
	for _, n := range p.output {
		fields = append(fields, n.arrow())
	}
	for _, name := range p.spec.Special {
		f, ok := specialField(name)
		if !ok {
			return errs.NotFoundf("table %s has no special column %s", p.t.name, expr.QuoteIdent(name))
		}
		fields = append(fields, f)
	}
	for _, c := range p.spec.Computed {
		if c.Expr.Type() == nil {
			return errs.New(errs.ErrInternal, "computed column %s is not bound", c.Name)
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Expr.Type(), Nullable: true})
	}
	md := p.t.schema.Metadata()
	p.schema = arrow.NewSchema(fields, &md)
	return nil
}

// Schema is the schema of every batch.
func (p *plan) Schema() *arrow.Schema { return p.schema }

// Info tells what EXPLAIN shows.
func (p *plan) Info() scan.PlanInfo {
	info := scan.PlanInfo{
		Table: p.t.name, Version: p.t.Version(), Columns: keys(p.output),
		Fragments: len(p.t.fragments), Rows: p.t.rows, Indices: p.indices.Names(),
	}
	if p.spec.StatsFilter != nil {
		info.StatsFilter = p.spec.StatsFilter.String()
	}
	if p.spec.Filter != nil {
		info.Filter = p.spec.Filter.String()
	}
	if p.spec.Limit >= 0 {
		limit := p.spec.Limit
		info.Limit = &limit
	}
	return info
}

// MostRows counts the rows of the fragments that the filters' conditions on special columns, and what was learned of the
// fragments, leave.
func (p *plan) MostRows() (rows int64, fragments int) {
	if p.never {
		return 0, 0
	}
	for i, f := range p.t.fragments {
		most := p.rows.most(f)
		known := &summaries{t: p.t, i: i, used: map[*table.DataFile]string{}}
		if most == 0 || (p.spec.StatsFilter != nil || p.spec.Filter != nil) && filtersRuleOut(p.spec.StatsFilter, p.spec.Filter, known) {
			continue
		}
		rows += most
		fragments++
	}
	return rows, fragments
}

// fold looks for conjuncts that read nothing: one that is true goes away, one that is not lets no row pass. One that
// fails stays, as its error is due only when a row is tested.
func (p *plan) fold() error {
	for _, f := range []*expr.Expr{&p.spec.StatsFilter, &p.spec.Filter} {
		if *f == nil {
			continue
		}
		if t := (*f).Type(); t == nil || t.ID() != arrow.BOOL && t.ID() != arrow.NULL {
			return errs.New(errs.ErrInternal, "filter %s is no bound boolean", *f)
		}
		var left []expr.Expr
		for _, c := range expr.Conjuncts(*f) {
			pass, known := constant(c)
			switch {
			case !known:
				left = append(left, c)
			case !pass:
				p.never = true
			}
		}
		if len(left) < len(expr.Conjuncts(*f)) && !p.never {
			*f = expr.AllOf(left...)
		}
	}
	return nil
}

// constant gives whether a predicate without columns lets rows pass; known is false where it reads columns or fails.
func constant(e expr.Expr) (pass, known bool) {
	reads := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x.(type) {
		case *expr.Column, *expr.Match, *expr.StatsTest, *expr.StatsState:
			reads = true
		}
		return !reads
	})
	if reads {
		return false, false
	}
	l, known := eval.Constant(e)
	return known && l.Value == true, known
}

// Open starts the scan; it reads nothing until the first Next. ctx ends the stream when it ends.
func (p *plan) Open(ctx context.Context, mem memory.Allocator) (scan.Stream, error) {
	if p.spec.Offset < 0 || p.spec.BatchRows < 0 {
		return nil, errs.Invalidf("offset and batch size can't be negative")
	}
	return newStream(ctx, p, mem), nil
}

// readsNothing tells whether rows are only counted.
func (p *plan) readsNothing() bool {
	return len(p.output) == 0 && len(p.spec.Special) == 0 && len(p.spec.Computed) == 0 &&
		p.spec.StatsFilter == nil && p.spec.Filter == nil
}

// hasOutput tells whether columns of the table are projected.
func (p *plan) hasOutput() bool {
	return len(p.computed.nodes) > 0 || slices.ContainsFunc(p.output, func(n *node) bool { return !n.filler })
}
