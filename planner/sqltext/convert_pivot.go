package sqltext

import "github.com/pingcap/tidb/pkg/parser/ast"

// unpivot converts what stands for a join with nothing; source is what it is joined to.
func (c *converter) unpivot(side sideUnpivot, source TableExpr, args []ast.ExprNode) TableExpr {
	out := side.unpivot
	out.Source = source
	for _, a := range args {
		entry, call := c.pivotEntry(a)
		if call == nil {
			return nil
		}
		out.Entries = append(out.Entries, UnpivotEntry{Exprs: c.exprList(call.Args), Alias: entry.alias, Pos: entry.pos})
	}
	return &out
}

func (c *converter) pivotEntry(node ast.ExprNode) (sideEntry, *ast.FuncCallExpr) {
	call, ok := node.(*ast.FuncCallExpr)
	if !ok {
		c.unknown(0)
		return sideEntry{}, nil
	}
	entry, ok := c.entry(call.FnName.O).(sideEntry)
	if !ok {
		c.unknown(0)
		return sideEntry{}, nil
	}
	return entry, call
}

func (c *converter) pivot(side sidePivot, source TableExpr, args []ast.ExprNode) TableExpr {
	out := side.pivot
	out.Source, out.Aggs = source, nil
	for i, item := range side.pivot.Aggs {
		item.Expr = c.expr(args[i])
		out.Aggs = append(out.Aggs, item)
	}
	for _, a := range args[len(out.Aggs):] {
		call, ok := a.(*ast.FuncCallExpr)
		var on sidePivotOn
		if ok {
			on, ok = c.entry(call.FnName.O).(sidePivotOn)
		}
		if !ok {
			c.unknown(out.Pos)
			return nil
		}
		p := PivotOn{Exprs: c.exprList(call.Args[:on.exprs])}
		for _, v := range call.Args[on.exprs:] {
			entry, call := c.pivotEntry(v)
			if call == nil {
				return nil
			}
			p.Values = append(p.Values, PivotValue{Exprs: c.exprList(call.Args), Alias: entry.alias, Pos: entry.pos})
		}
		out.On = append(out.On, p)
	}
	return &out
}
