package sqltext

import (
	"fmt"
	"strings"
)

// printer writes trees as SQL in which every operator stands in parentheses, so that the text shows the tree.
type printer struct{ strings.Builder }

// Format gives a statement as SQL with every operator in parentheses.
func Format(s Statement) string {
	p := &printer{}
	p.statement(s)
	return p.String()
}

// FormatExpr gives an expression as SQL with every operator in parentheses.
func FormatExpr(e Expr) string {
	p := &printer{}
	p.expr(e)
	return p.String()
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *QueryStmt:
		p.query(s.Query)
	case *ExplainStmt:
		p.put("EXPLAIN ")
		if s.Analyze {
			p.put("ANALYZE ")
		}
		if s.JSON {
			p.put("FORMAT = 'json' ")
		}
		p.statement(s.Query)
	case *SetStmt:
		switch {
		case s.Discard:
			p.put("DISCARD ALL")
		case s.Reset:
			p.put("RESET ", s.Name)
		default:
			p.put("SET ", s.Name)
			for i, v := range s.Values {
				p.put([]string{", ", " = "}[b2i(i == 0)], quoteText(v))
			}
		}
	case *UseStmt:
		p.put("USE ", formatName(s.Name))
	case *ShowStmt:
		p.put("SHOW ", strings.ToUpper(s.What))
		if len(s.Name) > 0 {
			p.put(" FROM ", formatName(s.Name))
		}
		if s.Like != nil {
			p.put(" LIKE ", quoteText(*s.Like))
		}
		if s.Query != nil {
			p.put(" OF ")
			p.query(s.Query)
		}
	case *TransactionStmt:
		p.put(s.Kind)
		if s.ReadOnly {
			p.put(" READ ONLY")
		}
	case *WriteStmt:
		p.put(s.Kind, " ...")
	case *ViewStmt:
		p.view(s)
	}
}

func (p *printer) view(s *ViewStmt) {
	put := func(say bool, text string) {
		if say {
			p.put(text)
		}
	}
	if s.Drop {
		p.put("DROP VIEW ")
		put(s.Lenient, "IF EXISTS ")
		p.put(formatName(s.Name))
		return
	}
	p.put("CREATE ")
	put(s.Replace, "OR REPLACE ")
	put(s.Temporary, "TEMPORARY ")
	p.put("VIEW ")
	put(s.Lenient, "IF NOT EXISTS ")
	p.put(formatName(s.Name))
	for i, c := range s.Columns {
		put(i == 0, " (")
		put(i > 0, ", ")
		p.put(formatIdent(c))
	}
	put(len(s.Columns) > 0, ")")
	p.put(" AS ")
	p.query(s.Query)
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func formatIdent(id Ident) string {
	if id.Quoted {
		return `"` + strings.ReplaceAll(id.Text, `"`, `""`) + `"`
	}
	return id.Text
}

func formatIdents(ids []Ident, sep string) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = formatIdent(id)
	}
	return strings.Join(parts, sep)
}

func formatName(ids []Ident) string { return formatIdents(ids, ".") }

func (p *printer) query(q *Query) {
	for i, cte := range q.With {
		switch {
		case i > 0:
			p.put(", ")
		case q.Recursive:
			p.put("WITH RECURSIVE ")
		default:
			p.put("WITH ")
		}
		p.put(formatIdent(cte.Name))
		p.columns(cte.Columns)
		p.put(" AS (")
		p.query(cte.Query)
		p.put(")")
	}
	if len(q.With) > 0 {
		p.put(" ")
	}
	p.body(q.Body)
	p.orderBy(" ORDER BY ", q.OrderBy)
	if q.Limit != nil {
		p.put(" LIMIT ")
		if q.Percent {
			p.put("(")
			p.expr(q.Limit)
			p.put(")%")
		} else {
			p.expr(q.Limit)
		}
	}
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.expr(q.Offset)
	}
}

func (p *printer) columns(ids []Ident) {
	if len(ids) > 0 {
		p.put("(", formatIdents(ids, ", "), ")")
	}
}

func (p *printer) body(b Body) {
	switch b := b.(type) {
	case *Query:
		p.put("(")
		p.query(b)
		p.put(")")
	case *SetOp:
		p.put("(")
		p.body(b.L)
		p.put(") ", b.Op)
		if b.All {
			p.put(" ALL")
		}
		if b.ByName {
			p.put(" BY NAME")
		}
		p.put(" (")
		p.body(b.R)
		p.put(")")
	case *Values:
		p.put("VALUES ")
		for i, row := range b.Rows {
			if i > 0 {
				p.put(", ")
			}
			p.put("(")
			p.list(row)
			p.put(")")
		}
	case *Select:
		p.selectBlock(b)
	}
}

func (p *printer) selectBlock(s *Select) {
	p.put("SELECT ")
	switch {
	case len(s.DistinctOn) > 0:
		p.put("DISTINCT ON (")
		p.list(s.DistinctOn)
		p.put(") ")
	case s.Distinct:
		p.put("DISTINCT ")
	}
	p.items(s.Items)
	for i, t := range s.From {
		p.put([]string{", ", " FROM "}[b2i(i == 0)])
		p.table(t)
	}
	p.clause(" WHERE ", s.Where)
	p.groupBy(s)
	p.clause(" HAVING ", s.Having)
	for i, w := range s.Windows {
		p.put([]string{", ", " WINDOW "}[b2i(i == 0)], formatIdent(w.Name), " AS ")
		p.window(&w.Spec, false)
	}
	p.clause(" QUALIFY ", s.Qualify)
	p.sample(" USING SAMPLE ", s.Sample)
}

func (p *printer) sample(word string, s *Sample) {
	if s == nil {
		return
	}
	unit := " ROWS"
	if s.Percent {
		unit = " PERCENT"
	}
	p.put(word, s.Method, "(", s.Size, unit, ")")
	if s.Seed != "" {
		p.put(" REPEATABLE (", s.Seed, ")")
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.put(word)
		p.expr(e)
	}
}

func (p *printer) items(items []SelectItem) {
	for i, it := range items {
		if i > 0 {
			p.put(", ")
		}
		p.expr(it.Expr)
		if it.Alias != nil {
			p.put(" AS ", formatIdent(*it.Alias))
		}
	}
}

func (p *printer) groupBy(s *Select) {
	if s.GroupAll {
		p.put(" GROUP BY ALL")
	}
	for i, g := range s.GroupBy {
		p.put([]string{", ", " GROUP BY "}[b2i(i == 0)])
		if g.Kind == "" {
			p.list(g.Sets[0])
			continue
		}
		p.put(g.Kind, " (")
		for j, set := range g.Sets {
			if j > 0 {
				p.put(", ")
			}
			p.put("(")
			p.list(set)
			p.put(")")
		}
		p.put(")")
	}
}

func (p *printer) orderBy(word string, items []OrderItem) {
	for i, it := range items {
		p.put([]string{", ", word}[b2i(i == 0)])
		p.expr(it.Expr)
		if it.Desc {
			p.put(" DESC")
		}
		if it.NullsFirst != nil {
			p.put([]string{" NULLS LAST", " NULLS FIRST"}[b2i(*it.NullsFirst)])
		}
	}
}

func (p *printer) window(w *WindowSpec, over bool) {
	if over && w.Name != nil && len(w.PartitionBy)+len(w.OrderBy) == 0 && w.Frame.Text == "" {
		p.put(formatIdent(*w.Name))
		return
	}
	p.put("(")
	sep := ""
	if w.Name != nil {
		p.put(formatIdent(*w.Name))
		sep = " "
	}
	if len(w.PartitionBy) > 0 {
		p.put(sep, "PARTITION BY ")
		p.list(w.PartitionBy)
		sep = " "
	}
	if len(w.OrderBy) > 0 {
		p.orderBy(sep+"ORDER BY ", w.OrderBy)
		sep = " "
	}
	if w.Frame.Text != "" {
		p.put(sep, w.Frame.Text)
	}
	p.put(")")
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableName:
		switch {
		case t.Listing == ShowAllTables:
			p.put("(", string(t.Listing), ")")
		case t.Listing != "":
			p.put("(", string(t.Listing), " ", formatName(t.Name), ")")
		default:
			p.put(formatName(t.Name))
		}
		if t.AsOf != nil {
			p.put(" AS OF TIMESTAMP ")
			p.expr(t.AsOf)
		}
		p.alias(t.Alias, t.Columns)
		p.sample(" TABLESAMPLE ", t.Sample)
	case *Derived:
		if t.Lateral {
			p.put("LATERAL ")
		}
		p.put("(")
		if t.Summary != "" {
			p.put(t.Summary, " ")
		}
		p.query(t.Query)
		p.put(")")
		p.alias(t.Alias, t.Columns)
		p.sample(" TABLESAMPLE ", t.Sample)
	case *TableFunc:
		p.expr(t.Call)
		if t.Ordinality {
			p.put(" WITH ORDINALITY")
		}
		p.alias(t.Alias, t.Columns)
		p.sample(" TABLESAMPLE ", t.Sample)
	case *Join:
		p.join(t)
	case *Unpivot:
		p.unpivot(t)
	case *Pivot:
		p.pivot(t)
	}
}

func (p *printer) alias(alias *Ident, columns []Ident) {
	if alias != nil {
		p.put(" AS ", formatIdent(*alias))
	}
	p.columns(columns)
}

func (p *printer) join(j *Join) {
	p.put("(")
	p.table(j.L)
	if j.Natural {
		p.put(" NATURAL")
	}
	if j.Asof {
		p.put(" ASOF")
	}
	p.put(fmt.Sprintf(" %s JOIN ", j.Kind))
	p.table(j.R)
	switch {
	case len(j.Using) > 0:
		p.put(" USING (", formatIdents(j.Using, ", "), ")")
	case j.On != nil:
		p.put(" ON ")
		p.expr(j.On)
	}
	p.put(")")
}
