package physical

import (
	"math"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// renderer writes a query as DuckDB's SQL over the views of its scans. Every name is one of its own making, quoted:
// relation 3 is "t3", its columns "c0", "c1", ...; nothing of the user's names gets into the text, but as
// a value.
type renderer struct {
	scans map[int]*builtScan
	froms []map[int]logical.From // the relations in scope, innermost last
	err   error
}

func (r *renderer) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func relName(rel int) string { return expr.QuoteIdent("t" + strconv.Itoa(rel)) }

func cteName(c *logical.CTE) string { return expr.QuoteIdent("w" + strconv.Itoa(c.ID)) }

func (r *renderer) query(q *logical.Query) string {
	var b strings.Builder
	b.WriteString(r.with(q))
	sel, isSelect := q.Body.(*logical.Select)
	if isSelect {
		r.froms = append(r.froms, rels(sel.From))
		defer func() { r.froms = r.froms[:len(r.froms)-1] }()
	}
	b.WriteString(r.body(q))
	if len(q.OrderBy) > 0 {
		b.WriteString(" ORDER BY " + r.orderBy(q))
	}
	switch {
	case q.Limit != nil:
		b.WriteString(" LIMIT " + r.operand(q.Limit))
		if q.Percent {
			b.WriteString("%")
		}
	case q.Fence: // DuckDB merges nothing across a LIMIT
		b.WriteString(" LIMIT " + strconv.FormatInt(math.MaxInt64, 10))
	}
	if q.Offset != nil {
		b.WriteString(" OFFSET " + r.operand(q.Offset))
	}
	return b.String()
}

// operand writes an expression where the grammar wants a simple one.
func (r *renderer) operand(e expr.Expr) string {
	if l, ok := e.(*expr.Literal); ok {
		if n, ok := l.Value.(int64); ok {
			return strconv.FormatInt(n, 10)
		}
	}
	return "(" + r.expr(e) + ")"
}

func rels(f logical.From) map[int]logical.From {
	out := map[int]logical.From{}
	logical.WalkFrom(f, func(f logical.From) {
		if id := logical.RelOf(f); id != 0 {
			out[id] = f
		}
	})
	return out
}

func (r *renderer) with(q *logical.Query) string {
	if len(q.CTEs) == 0 {
		return ""
	}
	var parts []string
	recursive := ""
	for _, c := range q.CTEs {
		how := " AS MATERIALIZED ("
		if c.Recursive {
			recursive, how = "RECURSIVE ", " AS ("
		}
		parts = append(parts, cteName(c)+"("+outputNames(c.Query.Cols)+")"+how+r.query(c.Query)+")")
	}
	return "WITH " + recursive + strings.Join(parts, ", ") + " "
}

func outputNames(cols []logical.Col) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = expr.QuoteIdent(c.Key)
	}
	return strings.Join(names, ", ")
}

func (r *renderer) body(q *logical.Query) string {
	switch b := q.Body.(type) {
	case *logical.Query:
		return "(" + r.query(b) + ")"
	case *logical.SetOp:
		return r.setOps(b, q.Cols)
	case *logical.Values:
		return r.values(b, q.Cols)
	case *logical.Select:
		return r.sel(b, q.Cols)
	}
	r.fail(errs.New(errs.ErrInternal, "planner: unknown body %T", q.Body))
	return ""
}

func (r *renderer) setOps(s *logical.SetOp, cols []logical.Col) string {
	first, ops := s.Chain()
	var b strings.Builder
	b.WriteString("(" + r.named(first, cols) + ")") // it names the columns of the whole
	for _, op := range ops {
		b.WriteString(" " + op.Op)
		if op.All {
			b.WriteString(" ALL")
		}
		b.WriteString(" (" + r.query(op.R) + ")")
	}
	return b.String()
}

// named writes a query whose output columns have the names of cols.
func (r *renderer) named(q *logical.Query, cols []logical.Col) string {
	for i, c := range q.Cols {
		if i < len(cols) && c.Key != cols[i].Key {
			return "SELECT * FROM (" + r.query(q) + ") AS x(" + outputNames(cols) + ")"
		}
	}
	return r.query(q)
}

func (r *renderer) values(v *logical.Values, cols []logical.Col) string {
	rows := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		rows[i] = "(" + r.list(row) + ")"
	}
	return "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS v(" + outputNames(cols) + ")"
}

func (r *renderer) sel(s *logical.Select, cols []logical.Col) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if s.Distinct {
		b.WriteString("DISTINCT ")
	}
	if len(s.DistinctOn) > 0 {
		b.WriteString("DISTINCT ON (" + r.list(s.DistinctOn) + ") ")
	}
	for i, it := range s.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.expr(it.Expr) + " AS " + expr.QuoteIdent(cols[i].Key))
	}
	sampled, _ := s.From.(*logical.Sampled)
	if sampled != nil && logical.RelOf(sampled.From) == 0 { // of a join, or of what is sampled already
		b.WriteString(" FROM " + r.from(sampled.From))
	} else if sampled = nil; s.From != nil {
		b.WriteString(" FROM " + r.from(s.From))
	}
	if s.Where != nil {
		b.WriteString(" WHERE " + r.expr(s.Where))
	}
	if s.GroupAll {
		b.WriteString(" GROUP BY ALL")
	} else if len(s.GroupBy) > 0 {
		b.WriteString(" GROUP BY " + r.groupBy(s))
	}
	if s.Having != nil {
		b.WriteString(" HAVING " + r.expr(s.Having))
	}
	if s.Qualify != nil {
		b.WriteString(" QUALIFY " + r.expr(s.Qualify))
	}
	if sampled != nil {
		b.WriteString(" USING SAMPLE " + sampled.Text())
	}
	return b.String()
}

func (r *renderer) groupBy(s *logical.Select) string {
	var parts []string
	for _, g := range s.GroupBy {
		if g.Kind == "" {
			parts = append(parts, r.groupKey(g.Sets[0][0]))
			continue
		}
		var sets []string
		for _, set := range g.Sets {
			keys := make([]string, len(set))
			for i, k := range set {
				keys[i] = r.groupKey(k)
			}
			if len(keys) == 1 && g.Kind != "GROUPING SETS" {
				sets = append(sets, keys[0])
			} else {
				sets = append(sets, "("+strings.Join(keys, ", ")+")")
			}
		}
		parts = append(parts, g.Kind+" ("+strings.Join(sets, ", ")+")")
	}
	return strings.Join(parts, ", ")
}

// groupKey writes a key; a bare number would be read as the place of a column.
func (r *renderer) groupKey(e expr.Expr) string {
	if _, ok := e.(*expr.Literal); ok {
		return "(" + r.expr(e) + " IS NULL)" // a constant makes no groups, whatever it is
	}
	return r.expr(e)
}

// orderBy writes the keys; what is selected is named by its place, so that it is computed once.
func (r *renderer) orderBy(q *logical.Query) string {
	sel, _ := q.Body.(*logical.Select)
	parts := make([]string, 0, len(q.OrderBy))
	for _, k := range q.OrderBy {
		s := ""
		if sel != nil {
			for i, it := range sel.Items {
				if s == "" && expr.Equal(it.Expr, k.X) {
					s = strconv.Itoa(i + 1)
				}
			}
		}
		if c, ok := k.X.(*expr.Column); ok && c.Rel == logical.OutputRel && len(c.Path) == 1 {
			for i, col := range q.Cols {
				if col.Key == c.Path[0] {
					s = strconv.Itoa(i + 1)
				}
			}
		}
		if s == "" {
			s = r.expr(k.X)
			if _, isLit := k.X.(*expr.Literal); isLit {
				s = "(" + s + " IS NULL)"
			}
		}
		if k.Desc {
			s += " DESC"
		} else {
			s += " ASC"
		}
		if k.NullsFirst {
			s += " NULLS FIRST"
		} else {
			s += " NULLS LAST"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

func (r *renderer) from(f logical.From) string {
	switch f := f.(type) {
	case *logical.Scan:
		return expr.QuoteIdent(r.scans[f.Rel].view) + " AS " + relName(f.Rel)
	case *logical.Derived:
		lateral := ""
		if f.Lateral {
			lateral = "LATERAL "
		}
		return lateral + "(" + r.query(f.Query) + ") AS " + relName(f.Rel)
	case *logical.CTERef:
		return cteName(f.CTE) + " AS " + relName(f.Rel)
	case *logical.TableFunc:
		ordinality := ""
		if f.Ordinality {
			ordinality = " WITH ORDINALITY"
		}
		return f.Name + "(" + r.list(f.Args) + ")" + ordinality + " AS " + relName(f.Rel) + "(" + outputNames(f.Cols) + ")"
	case *logical.Join:
		return r.join(f)
	case *logical.Summary:
		return r.summary(f)
	case *logical.Sampled:
		return r.from(f.From) + " TABLESAMPLE " + f.Text()
	}
	r.fail(errs.New(errs.ErrInternal, "planner: unknown element of FROM %T", f))
	return ""
}

// summary writes SUMMARIZE or DESCRIBE, whose rows name the columns c0, c1, ... of the query, with the users' names in their place.
func (r *renderer) summary(s *logical.Summary) string {
	names := make([]string, len(s.Names))
	for i, n := range s.Names {
		names[i] = quoteText(n)
	}
	cols := []string{"[" + strings.Join(names, ", ") + "][CAST(x.column_name[2:] AS BIGINT) + 1] AS c0"}
	for _, c := range s.Columns()[1:] {
		cols = append(cols, "x."+expr.QuoteIdent(c.Name)+" AS "+c.Key)
	}
	return "(SELECT " + strings.Join(cols, ", ") + " FROM (" + s.Word + " SELECT * FROM (" + r.query(s.Query) + ") AS q) AS x) AS " + relName(s.Rel)
}

func (r *renderer) join(j *logical.Join) string {
	right := r.from(j.R)
	if _, nested := j.R.(*logical.Join); nested {
		right = "(" + right + ")"
	}
	kind := j.Name()
	if kind == "CROSS" && j.On != nil {
		kind = "INNER"
	}
	if kind == "CROSS" || kind == "POSITIONAL" {
		return r.from(j.L) + " " + kind + " JOIN " + right
	}
	on := "TRUE"
	if j.On != nil {
		on = r.expr(j.On)
	}
	return r.from(j.L) + " " + kind + " JOIN " + right + " ON " + on
}

func (r *renderer) list(es []expr.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = r.expr(e)
	}
	return strings.Join(parts, ", ")
}
