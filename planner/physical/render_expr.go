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
		Column:   r.column,
		Subquery: r.subquery,
		Special:  r.special,
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
	case *expr.Call:
		return r.call(e)
	case *expr.Extract:
		return fieldsOf(r.expr(e.X), []string{e.Name}), true
	case *expr.Lambda:
		params := strings.Join(e.Params, ", ")
		return "(lambda " + params + ": " + r.expr(e.Body) + ")", true
	}
	return "", false
}

func (r *renderer) call(e *expr.Call) (string, bool) {
	if text, ok := r.growing(e); ok {
		return text, true
	}
	return operatorText(e, r.expr)
}

// sizeArg tells which argument of a function is the size of what it makes, and the type that DuckDB takes it as.
var sizeArg = map[string]struct {
	index int
	typ   string
}{
	"repeat": {1, "BIGINT"}, "lpad": {1, "INTEGER"}, "rpad": {1, "INTEGER"}, "list_resize": {1, "BIGINT"}, "array_resize": {1, "BIGINT"},
}

// sizeLimit is a type that no size above 999,999 fits into. A function makes its value, and those of a whole vector, in
// one go that nothing can stop: without a bound one call takes all the memory there is.
const sizeLimit = "DECIMAL(6,0)"

// growing writes functions that make values of any size; a size above the limit is an error when it is met.
func (r *renderer) growing(e *expr.Call) (string, bool) {
	if n := seriesLength(e); n > maxSeries {
		r.fail(errs.Invalidf("%s makes a list of %.0f items, at most %d are made: FROM %s gives them as rows", e, n, maxSeries, e))
	}
	arg, ok := sizeArg[e.Name]
	if !ok || len(e.Args) <= arg.index {
		return "", false
	}
	args := make([]string, len(e.Args))
	for i, x := range e.Args {
		args[i] = r.expr(x)
	}
	args[arg.index] = "CAST(CAST((" + args[arg.index] + ") AS " + sizeLimit + ") AS " + arg.typ + ")"
	return e.Name + "(" + strings.Join(args, ", ") + ")", true
}

// operatorText writes the calls that stand for operators.
func operatorText(e *expr.Call, text func(expr.Expr) string) (string, bool) {
	if op, ok := strings.CutSuffix(e.Name, " any"); ok && len(e.Args) == 2 {
		return "((" + text(e.Args[0]) + ") " + op + " ANY(" + text(e.Args[1]) + "))", true
	}
	if op, ok := strings.CutSuffix(e.Name, " all"); ok && len(e.Args) == 2 {
		return "((" + text(e.Args[0]) + ") " + op + " ALL(" + text(e.Args[1]) + "))", true
	}
	if !logical.IsOperator(e.Name) {
		return "", false
	}
	if len(e.Args) == 1 {
		return "(" + e.Name + "(" + text(e.Args[0]) + "))", true
	}
	return "((" + text(e.Args[0]) + ") " + e.Name + " (" + text(e.Args[1]) + "))", true
}

// maxSeries bounds the items of a list that range or generate_series makes.
const maxSeries = 10_000_000

// seriesLength is how many items a list of numbers has that range or generate_series makes; 0 where that is not known
// from the text.
func seriesLength(e *expr.Call) float64 {
	if e.Name != "range" && e.Name != "generate_series" || len(e.Args) == 0 || len(e.Args) > 3 {
		return 0
	}
	var v [3]float64 // as doubles, which don't overflow
	for i, a := range e.Args {
		l, ok := a.(*expr.Literal)
		if !ok {
			return 0
		}
		n, ok := l.Value.(int64)
		if !ok {
			return 0
		}
		v[i] = float64(n)
	}
	start, stop, step := 0.0, v[0], 1.0
	if len(e.Args) > 1 {
		start, stop = v[0], v[1]
	}
	if len(e.Args) > 2 {
		step = v[2]
	}
	if step == 0 {
		return 0
	}
	return (stop - start) / step
}
