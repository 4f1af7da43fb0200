package sqltext

func (p *printer) unpivot(u *Unpivot) {
	p.table(u.Source)
	p.put(" UNPIVOT ")
	if u.Nulls {
		p.put("INCLUDE NULLS ")
	}
	p.put("((", formatIdents(u.Values, ", "), ") FOR ", formatIdent(u.Name), " IN (")
	for i, e := range u.Entries {
		p.entry(i, e.Exprs, e.Alias)
	}
	p.put("))")
	p.alias(u.Alias, u.Columns)
}

// entry writes an entry of UNPIVOT, or a value of PIVOT.
func (p *printer) entry(i int, exprs []Expr, alias *Ident) {
	if i > 0 {
		p.put(", ")
	}
	if len(exprs) == 1 {
		p.expr(exprs[0])
	} else {
		p.put("(")
		p.list(exprs)
		p.put(")")
	}
	if alias != nil {
		p.put(" AS ", formatIdent(*alias))
	}
}

func (p *printer) pivot(t *Pivot) {
	p.table(t.Source)
	p.put(" PIVOT (")
	p.items(t.Aggs)
	p.put(" FOR")
	for _, on := range t.On {
		p.put(" (")
		p.list(on.Exprs)
		p.put(") IN (")
		for i, v := range on.Values {
			p.entry(i, v.Exprs, v.Alias)
		}
		p.put(")")
	}
	if len(t.Groups) > 0 {
		p.put(" GROUP BY ", formatIdents(t.Groups, ", "))
	}
	p.put(")")
	p.alias(t.Alias, t.Columns)
}
