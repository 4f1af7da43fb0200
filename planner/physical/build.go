package physical

import (
	"context"
	"errors"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/scan"
)

// Options is what a plan is built under.
type Options struct {
	TimeZone string
	// Supports tells whether a bound expression can be computed over a batch without DuckDB.
	Supports func(expr.Expr) bool
	// Notes stand below the plan's text: why parts of WHERE keep all rows.
	Notes []string
	// Direct forbids DuckDB: what needs it is an error.
	Direct bool
	// Relational leaves every query to DuckDB.
	Relational bool
}

// Build decides who runs a query, plans its scans, and writes the residual SQL where there is one.
func Build(ctx context.Context, q *logical.Query, o Options) (*Plan, error) {
	b := &builder{ctx: ctx, o: o, scans: map[int]*builtScan{}}
	if err := b.collect(q); err != nil {
		return nil, err
	}
	p := &Plan{Engine: DuckDB, TimeZone: o.TimeZone}
	if d, ok := b.direct(q); ok && !o.Relational {
		p.Engine, p.Output, p.TopN, p.Limit, p.Offset = Direct, d.output, d.topN, d.limit, d.offset
	} else if o.Direct {
		return nil, errs.Unsupportedf("the filters of a scan can't all be computed by the scan")
	}
	p.Columns = resultColumns(q, p.Engine)
	for _, s := range b.order {
		built, err := b.scan(s, p.Engine)
		if err != nil {
			return nil, err
		}
		p.Scans = append(p.Scans, built)
	}
	if p.Engine == DuckDB {
		r := &renderer{scans: b.scans}
		p.Residual = r.query(q)
		if r.err != nil {
			return nil, r.err
		}
		if !o.Relational {
			p.Reductions = b.reductions(q)
		}
		p.MayFail = mayFail(q)
	}
	p.show((&formatter{b: b, p: p}).query(q), o.Notes)
	return p, nil
}

// builtScan is a scan of the query with its name in the residual text.
type builtScan struct {
	scan   *logical.Scan
	view   string
	reread bool
	index  int
	// columns are those of the view, and places finds them by the key of their path.
	columns []*expr.Column
	places  map[string]int
}

type builder struct {
	ctx   context.Context //nolint:containedctx // lives as long as one Build call
	o     Options
	scans map[int]*builtScan // by relation
	order []*builtScan
}

// collect numbers the scans in the order in which a reader of the statement meets them.
func (b *builder) collect(q *logical.Query) error {
	walkScans(q, func(s *logical.Scan, reread bool) {
		if b.scans[s.Rel] != nil {
			b.scans[s.Rel].reread = b.scans[s.Rel].reread || reread
			return
		}
		n := &builtScan{scan: s, view: "s" + strconv.Itoa(len(b.order)), reread: reread, index: len(b.order),
			columns: viewColumns(s), places: map[string]int{}}
		for i, c := range n.columns {
			n.places[c.Path.Key()] = i
		}
		b.scans[s.Rel] = n
		b.order = append(b.order, n)
	})
	return nil
}

// scan makes the Spec of a scan and has its table plan it.
func (b *builder) scan(s *builtScan, e Engine) (*Scan, error) {
	l := s.scan
	spec := scan.Spec{
		Columns: l.Cover, Special: l.Special, StatsFilter: local(l.StatsFilter), Filter: local(l.Filter),
		Limit: l.Limit, Offset: l.Offset,
	}
	for _, c := range l.Computed {
		spec.Computed = append(spec.Computed, scan.Computed{Name: c.Name, Expr: local(c.Expr)})
	}
	plan, err := l.Source.Plan(b.ctx, spec)
	if err != nil {
		if errors.Is(err, errs.ErrUnsupported) || errors.Is(err, errs.ErrNotFound) || errors.Is(err, errs.ErrInvalidInput) {
			return nil, err
		}
		return nil, errs.New(errs.ErrInternal, "plan scan of %s: %w", l.Source.Name(), err)
	}
	out := &Scan{View: s.view, Source: l.Source, Plan: plan, Spec: spec, Reread: s.reread}
	if e == DuckDB {
		for i, c := range s.columns {
			out.Columns = append(out.Columns, Output{Name: viewColumn(i), Expr: c})
		}
	}
	return out, nil
}

// reductions gives the scans that wait for keys by their places.
func (b *builder) reductions(q *logical.Query) []Reduction {
	var out []Reduction
	for _, r := range rules.Reductions(q) {
		target, source := b.scans[r.Target.Rel], b.scans[r.Source.Rel]
		if target == nil || source == nil {
			continue
		}
		out = append(out, Reduction{Target: target.index, Source: source.index, Column: localColumn(r.Column), Key: localColumn(r.Key)})
	}
	return out
}

func localColumn(c *expr.Column) *expr.Column { return &expr.Column{Path: c.Path, Typ: c.Typ} }

func viewColumn(i int) string { return "c" + strconv.Itoa(i) }

// viewColumns are the columns that the residual text sees of a scan: the paths it reads, special columns, and what the
// scan computes.
func viewColumns(l *logical.Scan) []*expr.Column {
	var out []*expr.Column
	for _, p := range l.Paths {
		out = append(out, &expr.Column{Path: p, Typ: expr.TypeAt(l.Source.Schema(), p)})
	}
	for _, name := range l.Special {
		out = append(out, &expr.Column{Path: expr.FieldPath{name}, Typ: arrow.PrimitiveTypes.Uint64})
	}
	for _, c := range l.Computed {
		out = append(out, &expr.Column{Path: expr.FieldPath{c.Name}, Typ: c.Expr.Type()})
	}
	return out
}

// local gives an expression over one table as the scan sees it: relation 0.
func local(e expr.Expr) expr.Expr {
	return logical.MapNodes(e, func(e expr.Expr) expr.Expr {
		switch x := e.(type) {
		case *expr.Column:
			return localColumn(x)
		case *expr.StatsTest:
			return &expr.StatsTest{Variable: x.Variable, Stats: x.Stats, Test: x.Test, Part: local(x.Part)}
		case *expr.StatsState:
			return &expr.StatsState{Variable: x.Variable, Stats: x.Stats}
		}
		return e
	})
}

// resultColumns describes the result. A computed column's type is known here only where the scan computes it.
func resultColumns(q *logical.Query, e Engine) []ResultColumn {
	out := make([]ResultColumn, len(q.Cols))
	for i, c := range q.Cols {
		out[i] = ResultColumn{Name: c.Name}
		switch {
		case c.Field != nil:
			f := *c.Field
			f.Name = c.Name
			f.Nullable = f.Nullable || e == DuckDB
			out[i].Type, out[i].Passthrough = f.Type, &f
		case e == Direct:
			out[i].Type = c.Type
		}
	}
	return out
}
