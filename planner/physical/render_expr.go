package physical

import (
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

func (r *renderer) expr(e expr.Expr) string { return r.printer().Print(e) }

func (r *renderer) printer() expr.Printer {
	return expr.Printer{
		Column:    r.column,
		Subquery:  r.subquery,
		Special:   r.special,
		PlanNames: true,
		Param: func(p *expr.Param) string {
			r.fail(errs.New(errs.ErrInternal, "planner: parameter %d is left in a plan", p.Index+1))
			return "NULL"
		},
	}
}

func (r *renderer) subquery(s *expr.Subquery) string {
	q, ok := s.Query.(*logical.Query)
	if !ok {
		r.fail(errs.New(errs.ErrInternal, "planner: unknown subquery %T", s.Query))
		return ""
	}
	return r.query(q)
}

// column writes a column: of a scan the view's flat column that holds it, of other relations the output column, with
// the fields below taken one by one.
func (r *renderer) column(c *expr.Column) string {
	if c.Rel == logical.OutputRel {
		return fieldsOf(expr.QuoteIdent(c.Path[0]), c.Path[1:])
	}
	s := r.scans[c.Rel]
	if s == nil {
		return fieldsOf(relName(c.Rel)+"."+expr.QuoteIdent(c.Path[0]), c.Path[1:])
	}
	for n := len(c.Path); n > 0; n-- {
		if at, ok := s.places[c.Path[:n].Key()]; ok {
			return fieldsOf(relName(c.Rel)+"."+expr.QuoteIdent(viewColumn(at)), c.Path[n:])
		}
	}
	r.fail(errs.New(errs.ErrInternal, "planner: column %s is read but not scanned", c.Path))
	return "NULL"
}

func fieldsOf(x string, names []string) string {
	for _, n := range names {
		x = "struct_extract(" + x + ", " + quoteText(n) + ")"
	}
	return x
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// special writes the nodes that DuckDB spells in another way than the printer, or that must not be here at all.
func (r *renderer) special(e expr.Expr) (string, bool) {
	switch e := e.(type) {
	case *expr.StatsTest, *expr.StatsState, *expr.Match:
		r.fail(errs.New(errs.ErrInternal, "planner: %s is left in a plan", e))
		return "NULL", true
	case *expr.Cast:
		return r.castText(e)
	case *expr.Call:
		if text, ok := r.wholeCall(e); ok {
			return text, true
		}
		return operatorText(e, r.expr)
	case *expr.Extract:
		if e.X.Type() == nil { // a struct, a map or JSON: this form takes any of them
			return "((" + r.expr(e.X) + ")." + expr.QuoteIdent(e.Name) + ")", true
		}
		return fieldsOf(r.expr(e.X), []string{e.Name}), true
	case *expr.Lambda:
		params := strings.Join(e.Params, ", ")
		return "(lambda " + params + ": " + r.expr(e.Body) + ")", true
	}
	return "", false
}

// operatorText writes the calls that stand for operators.
func operatorText(e *expr.Call, text func(expr.Expr) string) (string, bool) {
	if op, ok := strings.CutSuffix(e.Name, " any"); ok && len(e.Args) == 2 {
		return "((" + text(e.Args[0]) + ") " + op + " ANY(" + text(e.Args[1]) + "))", true
	}
	if op, ok := strings.CutSuffix(e.Name, " all"); ok && len(e.Args) == 2 {
		return "((" + text(e.Args[0]) + ") " + op + " ALL(" + text(e.Args[1]) + "))", true
	}
	if !expr.IsOperator(e.Name) {
		return "", false
	}
	if len(e.Args) == 1 {
		return "(" + e.Name + "(" + text(e.Args[0]) + "))", true
	}
	return "((" + text(e.Args[0]) + ") " + e.Name + " (" + text(e.Args[1]) + "))", true
}
