package physical

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// Divide gives at most n parts of the rows of a plan's scan, in the table's order, each of which can be run by itself: the
// results one after the other are the plan's. nil where the plan is more than a scan with a projection.
func (p *Plan) Divide(n int) [][]scan.Range {
	s, divided := p.divided()
	if s == nil {
		return nil
	}
	return divided.Divide(n)
}

func (p *Plan) divided() (*Scan, scan.Divided) {
	if p.Engine != Direct || p.TopN != nil || len(p.Scans) != 1 {
		return nil, nil
	}
	s := p.Scans[0]
	source, ok := s.Source.(scan.Divided)
	if !ok || s.Spec.Limit >= 0 || s.Spec.Offset > 0 {
		return nil, nil
	}
	return s, source
}

// Part gives the plan of some of the rows, as Divide told them.
func (p *Plan) Part(ctx context.Context, rows []scan.Range) (*Plan, error) {
	s, _ := p.divided()
	if s == nil {
		return nil, errs.New(errs.ErrInternal, "a plan that can't be divided is to be run in parts")
	}
	address := &expr.Column{Path: expr.FieldPath{scan.RowAddr}, Typ: arrow.PrimitiveTypes.Uint64}
	number := func(n uint64) expr.Expr { return &expr.Literal{Value: n, Typ: arrow.PrimitiveTypes.Uint64} }
	within := make([]expr.Expr, len(rows))
	for i, r := range rows {
		within[i] = &expr.Between{X: address, Lo: number(r.First), Hi: number(r.Last)}
	}
	part := *s
	part.Spec.Filter = expr.AllOf(s.Spec.Filter, expr.AnyOf(within...))
	var err error
	if part.Plan, err = s.Source.Plan(ctx, part.Spec); err != nil {
		return nil, err
	}
	out := *p
	out.Scans = []*Scan{&part}
	return &out, nil
}
