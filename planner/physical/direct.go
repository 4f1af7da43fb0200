package physical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// maxTopN is the most rows that a top-N sorts in memory; more is left to DuckDB, which spills.
const maxTopN = 10_000

// directPlan is what a Direct plan does above its scan.
type directPlan struct {
	output        []Output
	topN          []expr.SortKey
	limit, offset int64
}

// direct tells whether a query is one scan with a projection, all of whose filters the scan took, maybe with a small
// top-N above.
func (b *builder) direct(q *logical.Query) (directPlan, bool) {
	none := directPlan{}
	sel, ok := q.Body.(*logical.Select)
	if !ok || len(q.CTEs) > 0 || sel.Where != nil || !sel.IsPlain() {
		return none, false
	}
	if _, ok := sel.From.(*logical.Scan); !ok {
		return none, false
	}
	out := directPlan{limit: -1}
	for i, it := range sel.Items {
		e := local(it.Expr)
		if !b.computes(e, q.Cols[i].Field != nil) {
			return none, false
		}
		out.output = append(out.output, Output{Name: q.Cols[i].Name, Expr: e})
	}
	if len(q.OrderBy) == 0 {
		return out, q.Limit == nil && q.Offset == nil
	}
	for _, k := range q.OrderBy {
		k.X = local(k.X)
		if !b.computes(k.X, false) || !sortable(k.X.Type()) {
			return none, false
		}
		out.topN = append(out.topN, k)
	}
	limit, ok1 := constant(q.Limit)
	offset, ok2 := constant(q.Offset)
	if q.Limit == nil || !ok1 || !ok2 || limit > maxTopN || offset > maxTopN {
		return none, false
	}
	out.limit, out.offset = limit, offset
	return out, true
}

// computes tells whether an output can be computed over a batch, with the type that DuckDB would give it. A column that
// is just read may be of any type.
func (b *builder) computes(e expr.Expr, plain bool) bool {
	if _, ok := e.(*expr.Column); ok && plain {
		return true
	}
	if logical.IsVolatile(e) || !logical.SameInDuckDB(e.Type()) || b.zoned(e.Type()) {
		return false
	}
	return b.o.Supports(e)
}

// zoned tells whether DuckDB would give values of that type in the session's zone, where computed here they are in UTC.
func (b *builder) zoned(t arrow.DataType) bool {
	return expr.KindOf(t) == expr.KindTimestampTZ && b.o.TimeZone != "" && b.o.TimeZone != "UTC"
}

func sortable(t arrow.DataType) bool {
	switch expr.KindOf(t) {
	case expr.KindOther, expr.KindList, expr.KindInterval, expr.KindNull:
		return false
	}
	return true
}

// constant reads a constant count; 0 for none.
func constant(e expr.Expr) (int64, bool) {
	if e == nil {
		return 0, true
	}
	l, ok := e.(*expr.Literal)
	if !ok {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok && expr.KindOf(l.Typ) == expr.KindInt && n >= 0
}
