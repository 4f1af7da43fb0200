package physical

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// Local gives an expression over one table as its scan sees it: relation 0.
func Local(e expr.Expr) expr.Expr { return local(e) }

// ScanPlan is the plan of one scan of a source whose columns are the result, in the scan's order.
func ScanPlan(source scan.Source, p scan.Plan, spec scan.Spec, zone string, notes []string) *Plan {
	s := &Scan{View: "s0", Source: source, Plan: p, Spec: spec}
	out := &Plan{Engine: Direct, Scans: []*Scan{s}, TimeZone: zone, Limit: -1}
	for _, f := range p.Schema().Fields() {
		out.Output = append(out.Output, Output{Name: f.Name, Expr: &expr.Column{Path: expr.FieldPath{f.Name}, Typ: f.Type}})
		out.Columns = append(out.Columns, ResultColumn{Name: f.Name, Type: f.Type, Passthrough: &f})
	}
	out.show(scanLine(s, false), notes)
	return out
}
