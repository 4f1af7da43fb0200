package physical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/scan"
)

// line is a node of the plan's text.
type line struct {
	text string
	kids []*line
	scan *Scan // whose line it is
}

func (l *line) add(text string, kids ...*line) *line {
	n := &line{text: text, kids: kids}
	l.kids = append(l.kids, n)
	return n
}

// with gives the tree with what extra tells of each scan below the scan's own lines.
func (l *line) with(extra func(*Scan) []string) *line {
	out := &line{text: l.text, scan: l.scan, kids: make([]*line, 0, len(l.kids))}
	for _, k := range l.kids {
		out.kids = append(out.kids, k.with(extra))
	}
	if l.scan != nil {
		for _, text := range extra(l.scan) {
			out.add(text)
		}
	}
	return out
}

func (l *line) write(b *strings.Builder, first, rest string) {
	b.WriteString(first + l.text + "\n")
	for i, k := range l.kids {
		if i == len(l.kids)-1 {
			k.write(b, rest+" └── ", rest+"     ")
		} else {
			k.write(b, rest+" ├── ", rest+" │   ")
		}
	}
}

// Explain is the plan's text with further lines for each scan.
func (p *Plan) Explain(extra func(*Scan) []string) string { return p.text(p.root.with(extra)) }

func (p *Plan) text(root *line) string {
	var out strings.Builder
	out.WriteString("engine: " + string(p.Engine) + "\n")
	root.write(&out, "", "")
	for _, n := range p.Notes {
		out.WriteString("note: " + n + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// show settles the plan's text.
func (p *Plan) show(root *line, notes []string) {
	p.root, p.Notes = root, notes
	p.Text = p.text(root)
}

type formatter struct {
	b *builder
	p *Plan
}

// text writes an expression with the columns of several relations told apart.
func (f *formatter) text(e expr.Expr) string {
	return expr.Printer{
		Column: func(c *expr.Column) string {
			if c.Rel == logical.OutputRel {
				return c.Path.String()
			}
			if s := f.b.scans[c.Rel]; s != nil && len(f.b.order) == 1 {
				return c.Path.String()
			} else if s != nil {
				return s.view + "." + c.Path.String()
			}
			return "t" + strconv.Itoa(c.Rel) + "." + c.Path.String()
		},
		Subquery: func(*expr.Subquery) string { return "subquery" },
	}.Print(e)
}

func (f *formatter) texts(es []expr.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = f.text(e)
	}
	return strings.Join(parts, ", ")
}

func (f *formatter) keys(keys []expr.SortKey) string {
	named := slices.Clone(keys)
	for i, k := range named {
		named[i].X = &expr.Column{Path: expr.FieldPath{f.text(k.X)}}
	}
	return expr.Printer{Column: func(c *expr.Column) string { return c.Path[0] }}.Keys(named)
}

func (f *formatter) query(q *logical.Query) *line {
	body := f.body(q)
	if len(q.OrderBy) > 0 {
		sort := &line{text: "sort: " + f.keys(q.OrderBy)}
		sort.kids = []*line{body}
		body = sort
	}
	if q.Limit != nil || q.Offset != nil {
		text := "limit"
		if q.Limit != nil {
			text += ": " + f.text(q.Limit)
		}
		if q.Percent {
			text += " %"
		}
		if q.Offset != nil {
			text += " offset: " + f.text(q.Offset)
		}
		body = &line{text: text, kids: []*line{body}}
	}
	for i := len(q.CTEs) - 1; i >= 0; i-- {
		c := q.CTEs[i]
		name := "with " + expr.QuoteIdent(c.Name)
		if c.Recursive {
			name = "with recursive " + expr.QuoteIdent(c.Name)
		}
		body = &line{text: name, kids: []*line{f.query(c.Query), body}}
	}
	return body
}

func (f *formatter) body(q *logical.Query) *line {
	switch b := q.Body.(type) {
	case *logical.Query:
		return f.query(b)
	case *logical.SetOp:
		return f.setOps(b)
	case *logical.Values:
		return &line{text: "values: " + strconv.Itoa(len(b.Rows)) + " rows"}
	case *logical.Select:
		return f.sel(b, q.Cols)
	}
	return &line{text: "unknown"}
}

// setOps shows operations that follow each other: those of one kind side by side.
func (f *formatter) setOps(s *logical.SetOp) *line {
	first, ops := s.Chain()
	out := f.query(first)
	for i, op := range ops {
		if i == 0 || op.Op != ops[i-1].Op || op.All != ops[i-1].All {
			text := strings.ToLower(op.Op)
			if op.All {
				text += " all"
			}
			out = &line{text: text, kids: []*line{out}}
		}
		out.kids = append(out.kids, f.query(op.R))
	}
	return out
}

func (f *formatter) sel(s *logical.Select, cols []logical.Col) *line {
	outs := make([]string, len(s.Items))
	for i, it := range s.Items {
		outs[i] = f.text(it.Expr)
		if name := cols[i].Name; name != "" && name != outs[i] {
			outs[i] += " AS " + expr.FieldPath{name}.String()
		}
	}
	kind := "project: "
	switch {
	case s.Distinct:
		kind = "distinct: "
	case len(s.DistinctOn) > 0:
		kind = "distinct on (" + f.texts(s.DistinctOn) + "): "
	case s.Aggregated():
		kind = "aggregate: "
	}
	l := &line{text: kind + strings.Join(outs, ", ")}
	if s.GroupAll {
		l.add("group by: all")
	} else if len(s.GroupBy) > 0 {
		l.add("group by: " + f.groups(s))
	}
	if s.Having != nil {
		l.add("having: " + f.text(s.Having))
	}
	if s.Qualify != nil {
		l.add("qualify: " + f.text(s.Qualify))
	}
	if s.Where != nil {
		f.reasons(l.add("filter: "+f.text(s.Where)), s.Where, func(c expr.Expr) string { return f.whyAbove(s, c) })
	}
	if s.Counted != nil {
		l.add("rows of " + s.Counted.Source.Name() + ", from its metadata")
	}
	if s.From != nil {
		l.kids = append(l.kids, f.from(s.From))
	}
	for _, q := range subqueries(s) {
		l.add("subquery", f.query(q))
	}
	return l
}

func subqueries(s *logical.Select) []*logical.Query {
	var out []*logical.Query
	for _, e := range s.Exprs() {
		expr.Walk(e, func(e expr.Expr) bool {
			if sub, ok := e.(*expr.Subquery); ok {
				if q, ok := sub.Query.(*logical.Query); ok {
					out = append(out, q)
				}
			}
			return true
		})
	}
	return out
}

func (f *formatter) groups(s *logical.Select) string {
	var parts []string
	for _, g := range s.GroupBy {
		var sets []string
		for _, set := range g.Sets {
			t := f.texts(set)
			if g.Kind != "" && len(set) != 1 {
				t = "(" + t + ")"
			}
			sets = append(sets, t)
		}
		t := strings.Join(sets, ", ")
		if g.Kind != "" {
			t = strings.ToLower(g.Kind) + " (" + t + ")"
		}
		parts = append(parts, t)
	}
	return strings.Join(parts, ", ")
}

func (f *formatter) from(x logical.From) *line {
	switch x := x.(type) {
	case *logical.Scan:
		return f.scan(x)
	case *logical.Derived:
		return &line{text: "subquery t" + strconv.Itoa(x.Rel), kids: []*line{f.query(x.Query)}}
	case *logical.CTERef:
		return &line{text: "t" + strconv.Itoa(x.Rel) + ": rows of " + expr.QuoteIdent(x.CTE.Name)}
	case *logical.TableFunc:
		return &line{text: "t" + strconv.Itoa(x.Rel) + ": " + x.Name + "(" + f.texts(x.Args) + ")"}
	case *logical.Summary:
		return &line{text: strings.ToLower(x.Word) + " t" + strconv.Itoa(x.Rel), kids: []*line{f.query(x.Query)}}
	case *logical.Sampled:
		return &line{text: "sample: " + x.Text(), kids: []*line{f.from(x.From)}}
	case *logical.Join:
		return f.join(x)
	}
	return &line{text: "unknown"}
}

func (f *formatter) join(j *logical.Join) *line {
	l := &line{text: strings.ToLower(j.Name()) + " join"}
	if j.On != nil {
		l.text += ": " + f.text(j.On)
		var own []expr.Expr // what reads several tables is there to join them
		for _, c := range expr.Conjuncts(j.On) {
			if logical.IsVolatile(c) || f.readsOne(c) {
				own = append(own, c)
			}
		}
		for _, c := range own {
			l.add(f.notPushed(c, rules.WhyInJoin(f.b.o.Supports, j, c)).String())
		}
	}
	l.kids = append(l.kids, f.from(j.L), f.from(j.R))
	return l
}

// readsOne tells whether a condition reads one relation alone.
func (f *formatter) readsOne(c expr.Expr) bool {
	cols := expr.Columns(c)
	return len(cols) > 0 && !slices.ContainsFunc(cols, func(o expr.Column) bool { return o.Rel != cols[0].Rel })
}

// reasons tells of each conjunct why it stands above the scans.
func (f *formatter) reasons(l *line, cond expr.Expr, why func(expr.Expr) string) {
	all := expr.Conjuncts(cond)
	for _, c := range all {
		n := f.notPushed(c, why(c))
		if len(all) == 1 {
			n.Part = ""
		}
		l.add(n.String())
	}
}

// whyAbove tells why a conjunct of WHERE stands above the scans.
func (f *formatter) whyAbove(s *logical.Select, c expr.Expr) string {
	if f.givesKeys(c) {
		return "a subquery, whose keys are read first"
	}
	return rules.WhyAbove(f.b.o.Supports, s, c)
}

// givesKeys tells of a condition with a subquery whether a scan outside of the subquery waits for the keys of one in it.
func (f *formatter) givesKeys(c expr.Expr) bool {
	sub, ok := c.(*expr.Subquery)
	if !ok {
		return false
	}
	q, ok := sub.Query.(*logical.Query)
	if !ok {
		return false
	}
	within := map[int]bool{}
	logical.WalkQuery(q, func(s *logical.Select) {
		logical.WalkFrom(s.From, func(x logical.From) {
			if x, ok := x.(*logical.Scan); ok {
				within[f.b.scans[x.Rel].index] = true
			}
		})
	})
	return slices.ContainsFunc(f.p.Reductions, func(r Reduction) bool { return within[r.Source] && !within[r.Target] })
}

func (f *formatter) notPushed(c expr.Expr, why string) NotPushed {
	n := NotPushed{Part: f.text(c), Why: why}
	f.p.NotPushed = append(f.p.NotPushed, n)
	return n
}

// String is the reason as a line of the plan.
func (n NotPushed) String() string {
	if n.Part == "" {
		return "not pushed: " + n.Why
	}
	return "not pushed: " + n.Part + ", " + n.Why
}

func (f *formatter) scan(x *logical.Scan) *line {
	s := f.p.Scans[f.b.scans[x.Rel].index]
	l := scanLine(s, len(f.p.Scans) > 1)
	for _, k := range f.p.Keys(s) {
		l.add("keys: " + k + ", which is read first")
	}
	return l
}

// Keys tells which of a scan's columns wait for the keys of other scans.
func (p *Plan) Keys(s *Scan) []string {
	var out []string
	for _, r := range p.Reductions {
		if p.Scans[r.Target] == s {
			out = append(out, r.Column.String()+" among "+p.Scans[r.Source].View+"."+r.Key.String())
		}
	}
	return out
}

func scanLine(s *Scan, named bool) *line {
	info := s.Plan.Info()
	if info.Cells != nil {
		return cellsLine(s, info, named)
	}
	name := "scan " + info.Table + " version " + strconv.FormatUint(info.Version, 10)
	if named {
		name += " as " + s.View
	}
	l := &line{text: name, scan: s}
	l.add("columns: " + strings.Join(info.Columns, ", "))
	addSpec(l, s.Spec)
	if info.StatsFilter != "" {
		l.add("stats filter: " + info.StatsFilter + testText(s.Spec.StatsFilter))
	}
	if info.Filter != "" {
		l.add("filter: " + info.Filter)
	}
	for _, x := range info.Indices {
		l.add("index: " + x)
	}
	addLimits(l, s)
	return l
}

// cellsLine shows the cells with the scan of the rows beneath.
func cellsLine(s *Scan, info scan.PlanInfo, named bool) *line {
	name := "cells " + info.Cells.Table + " version " + strconv.FormatUint(info.Version, 10)
	if named {
		name += " as " + s.View
	}
	l := &line{text: name, scan: s}
	l.add("columns: " + strings.Join(info.Cells.Columns, ", "))
	addSpec(l, s.Spec)
	if info.Cells.Filter != "" {
		l.add("filter: " + info.Cells.Filter)
	}
	addLimits(l, s)
	rows := l.add("scan " + info.Table)
	rows.add("columns: " + strings.Join(info.Columns, ", "))
	if info.StatsFilter != "" {
		rows.add("stats filter: " + info.StatsFilter)
	}
	if info.Filter != "" {
		rows.add("filter: " + info.Filter)
	}
	for _, x := range info.Indices {
		rows.add("index: " + x)
	}
	if info.Limit != nil {
		rows.add("limit: " + strconv.FormatInt(*info.Limit, 10))
	}
	return l
}

// addSpec shows what a scan adds to its table's columns.
func addSpec(l *line, spec scan.Spec) {
	if len(spec.Special) > 0 {
		l.add("special: " + strings.Join(spec.Special, ", "))
	}
	for _, c := range spec.Computed {
		l.add("computed " + c.Name + ": " + c.Expr.String())
	}
}

func addLimits(l *line, s *Scan) {
	if s.Spec.Limit >= 0 {
		l.add("limit: " + strconv.FormatInt(s.Spec.Limit, 10))
	}
	if s.Spec.Offset > 0 {
		l.add("offset: " + strconv.FormatInt(s.Spec.Offset, 10))
	}
	if s.Reread {
		l.add("materialized: it is read more than once")
	}
}

// testText spells out what a stats filter tests of the rows whose bounds are there.
func testText(e expr.Expr) string {
	plain := logical.MapNodes(e, func(e expr.Expr) expr.Expr {
		if t, ok := e.(*expr.StatsTest); ok {
			return t.Test
		}
		return e
	})
	return "  [" + plain.String() + "]"
}
