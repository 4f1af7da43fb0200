package sqltext

import "github.com/pingcap/tidb/pkg/parser/ast"

// from converts FROM: joins without a condition are those of its commas.
func (c *converter) from(join *ast.Join) []TableExpr {
	if join.On == nil && join.Right == nil {
		return c.commaSide(join.Left)
	}
	if join.On == nil {
		return append(c.commaSide(join.Left), c.commaSide(join.Right)...)
	}
	return []TableExpr{c.join(join)}
}

func (c *converter) commaSide(node ast.ResultSetNode) []TableExpr {
	if join, ok := node.(*ast.Join); ok {
		return c.from(join)
	}
	return []TableExpr{c.tableExpr(node)}
}

func (c *converter) tableExpr(node ast.ResultSetNode) TableExpr {
	switch n := node.(type) {
	case *ast.Join:
		if n.On == nil && n.Right == nil {
			return c.tableExpr(n.Left)
		}
		return c.join(n)
	case *ast.TableSource:
		return c.tableSource(n)
	}
	c.unknown(0)
	return nil
}

func (c *converter) join(n *ast.Join) TableExpr {
	if n.On == nil || len(n.Using) > 0 || n.NaturalJoin || n.StraightJoin || n.Tp != ast.CrossJoin {
		c.unknown(0)
		return nil
	}
	call, ok := n.On.Expr.(*ast.FuncCallExpr)
	if !ok {
		c.unknown(0)
		return nil
	}
	switch side := c.entry(call.FnName.O).(type) {
	case sideJoin:
		return c.plainJoin(n, side, call.Args)
	case sideUnpivot:
		return c.unpivot(side, c.tableExpr(n.Left), call.Args)
	case sidePivot:
		return c.pivot(side, c.tableExpr(n.Left), call.Args)
	}
	c.unknown(0)
	return nil
}

func (c *converter) plainJoin(n *ast.Join, side sideJoin, condition []ast.ExprNode) TableExpr {
	out := &Join{Kind: side.kind, Natural: side.natural, Asof: side.asof, Using: side.using, UsingAt: side.usingAt, Pos: side.pos}
	out.L, out.R = c.tableExpr(n.Left), c.tableExpr(n.Right)
	if len(condition) == 1 {
		out.On = c.expr(condition[0])
	}
	switch right := out.R.(type) {
	case *Derived:
		out.Lateral = right.Lateral
	case *TableFunc:
		out.Lateral = true
	}
	return out
}

func (c *converter) tableSource(n *ast.TableSource) TableExpr {
	if table, ok := n.Source.(*ast.TableName); ok {
		side, ok := c.entry(table.Name.O).(sideTable)
		if !ok || n.AsName.O != "" || len(table.IndexHints) > 0 || len(table.PartitionNames) > 0 || table.TableSample != nil {
			c.unknown(0)
			return nil
		}
		out := &TableName{Name: side.name, Listing: side.listing, Alias: side.alias, Columns: side.columns, Sample: side.sample, Pos: side.pos}
		if table.AsOf != nil {
			out.AsOf = c.expr(table.AsOf.TsExpr)
		}
		return out
	}
	side, ok := c.entry(n.AsName.O).(sideTable)
	if !ok {
		c.unknown(0)
		return nil
	}
	if !side.call {
		q := c.query(n.Source)
		return &Derived{Query: q, Lateral: side.lateral, Summary: side.summary, Alias: side.alias, Columns: side.columns, Sample: side.sample, Pos: side.pos}
	}
	sel, ok := n.Source.(*ast.SelectStmt)
	if !ok || len(sel.Fields.Fields) != 1 {
		c.unknown(side.pos)
		return nil
	}
	call, ok := c.expr(sel.Fields.Fields[0].Expr).(*FuncCall)
	if !ok {
		c.unknown(side.pos)
		return nil
	}
	if call.Over != nil || call.Filter != nil || call.OrderBy != nil || call.Distinct || call.Star {
		c.fail(side.pos, "a table function takes just arguments")
	}
	return &TableFunc{Call: call, Ordinality: side.ordinality, Alias: side.alias, Columns: side.columns, Sample: side.sample, Pos: side.pos}
}
