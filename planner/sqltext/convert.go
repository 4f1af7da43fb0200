package sqltext

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// converter turns the tidb parser's tree into ours. Whatever it has no node for is an error: nothing is dropped.
type converter struct {
	*rewriter
	positions *posMap
}

// entry finds what a marker stands for; nil if the name is none.
func (c *converter) entry(name string) any {
	_, number, ok := strings.Cut(name, "#")
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(c.side) {
		return nil
	}
	return c.side[n]
}

// unknown fails for a node that the rewritten text can't give.
func (c *converter) unknown(pos int) {
	c.unsupported(pos, "the statement is not supported near %q", near(c.text, pos))
}

// query converts a query with its WITH, ORDER BY and limits.
func (c *converter) query(node ast.Node) *Query {
	q := &Query{}
	switch n := node.(type) {
	case *ast.SelectStmt:
		c.with(q, n.With)
		q.Body = c.selectBody(n)
		c.tail(q, n.OrderBy)
	case *ast.SetOprStmt:
		c.with(q, n.With)
		q.Body = c.setBody(n.SelectList)
		c.tail(q, n.OrderBy)
	case *ast.SetOprSelectList:
		// The parser gives such a list the WITH of its only SELECT a second time.
		if sel, ok := n.Selects[0].(*ast.SelectStmt); ok && len(n.Selects) == 1 && n.OrderBy == nil {
			return c.query(sel)
		}
		c.with(q, n.With)
		q.Body = c.setBody(n)
		c.tail(q, n.OrderBy)
	default:
		c.unknown(0)
	}
	q.Pos = bodyPos(q.Body)
	if len(q.With) > 0 {
		q.Pos = q.With[0].Pos
	}
	return q
}

func bodyPos(b Body) int {
	switch b := b.(type) {
	case *Select:
		return b.Pos
	case *SetOp:
		return b.Pos
	case *Values:
		return b.Pos
	case *Query:
		return b.Pos
	}
	return 0
}

// body converts a query that may be a plain body: what has nothing of its own around it stands for itself.
func (c *converter) body(node ast.Node) Body {
	q := c.query(node)
	if len(q.With) == 0 && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil && q.Body != nil {
		return q.Body
	}
	return q
}

func (c *converter) with(q *Query, with *ast.WithClause) {
	if with == nil {
		return
	}
	q.Recursive = with.IsRecursive
	for _, cte := range with.CTEs {
		side, ok := c.entry(cte.Name.O).(sideCTE)
		if !ok {
			c.unknown(0)
			return
		}
		q.With = append(q.With, CTE{Name: side.name, Columns: side.columns, Query: c.subqueryOf(cte.Query), Pos: side.pos})
	}
}

func (c *converter) subqueryOf(sub *ast.SubqueryExpr) *Query { return c.query(sub.Query) }

// tail takes ORDER BY apart: its last keys may be the limit and the offset.
func (c *converter) tail(q *Query, order *ast.OrderByClause) {
	if order == nil {
		return
	}
	for _, item := range order.Items {
		call, ok := item.Expr.(*ast.FuncCallExpr)
		if !ok || len(call.Args) != 1 || item.Desc {
			c.unknown(q.Pos)
			return
		}
		x := c.expr(call.Args[0])
		switch side := c.entry(call.FnName.O).(type) {
		case sideOrder:
			q.OrderBy = append(q.OrderBy, side.item(x))
		case sideLimit:
			q.Limit, q.Percent = x, side.percent
		case sideOffset:
			q.Offset = x
		default:
			c.unknown(q.Pos)
		}
	}
}

func (s sideOrder) item(x Expr) OrderItem {
	return OrderItem{Expr: x, Desc: s.desc, NullsFirst: s.nulls, Pos: s.pos}
}

// byName is the right side of UNION BY NAME on its way into the tree.
type byName struct{ Body }

// setBody converts a chain of set operations.
func (c *converter) setBody(list *ast.SetOprSelectList) Body {
	var out Body
	for i, sel := range list.Selects {
		var op *ast.SetOprType
		switch n := sel.(type) {
		case *ast.SelectStmt:
			op = n.AfterSetOperator
		case *ast.SetOprSelectList:
			op = n.AfterSetOperator
		}
		b := c.body(sel)
		if i == 0 {
			out = b
			continue
		}
		if op == nil {
			c.unknown(bodyPos(b))
			return out
		}
		set := &SetOp{L: out, R: b, Pos: bodyPos(out)}
		if n, ok := b.(*byName); ok {
			set.R, set.ByName = n.Body, true
		}
		switch *op {
		case ast.Union, ast.UnionAll:
			set.Op = "UNION"
		case ast.Except, ast.ExceptAll:
			set.Op = "EXCEPT"
		case ast.Intersect, ast.IntersectAll:
			set.Op = "INTERSECT"
		}
		set.All = *op == ast.UnionAll || *op == ast.ExceptAll || *op == ast.IntersectAll
		out = set
	}
	return out
}

// selectBody converts one SELECT of the rewritten text, which may stand for VALUES or for a query in parentheses.
func (c *converter) selectBody(n *ast.SelectStmt) Body {
	if n.Kind != ast.SelectStmtKindSelect || n.Fields == nil || len(n.Fields.Fields) == 0 || n.Limit != nil || n.LockInfo != nil ||
		n.SelectIntoOpt != nil || len(n.WindowSpecs) > 0 || n.Distinct {
		c.unknown(0)
		return nil
	}
	first, side := c.column(n.Fields.Fields[0])
	switch side := side.(type) {
	case sideValues:
		return c.valuesBody(first, side)
	case sideParens, sideByName:
		if n.From == nil || n.From.TableRefs == nil {
			break
		}
		src, ok := n.From.TableRefs.Left.(*ast.TableSource)
		if !ok || n.From.TableRefs.Right != nil {
			break
		}
		if _, ok := side.(sideByName); ok {
			return &byName{c.body(src.Source)}
		}
		return c.query(src.Source)
	case sideSelect:
		return c.selectBlock(n, first, side)
	}
	c.unknown(0)
	return nil
}

// column gives a column's marker call and what it stands for.
func (c *converter) column(f *ast.SelectField) (*ast.FuncCallExpr, any) {
	call, ok := f.Expr.(*ast.FuncCallExpr)
	if !ok {
		return nil, nil
	}
	return call, c.entry(call.FnName.O)
}

func (c *converter) valuesBody(call *ast.FuncCallExpr, side sideValues) Body {
	out := &Values{Pos: side.pos}
	for _, row := range call.Args {
		out.Rows = append(out.Rows, c.set(row))
	}
	return out
}

// set converts a sideSet marker to its expressions.
func (c *converter) set(node ast.ExprNode) []Expr {
	call, ok := node.(*ast.FuncCallExpr)
	if ok {
		_, ok = c.entry(call.FnName.O).(sideSet)
	}
	if !ok {
		c.unknown(0)
		return nil
	}
	return c.exprList(call.Args)
}

func (c *converter) selectBlock(n *ast.SelectStmt, first *ast.FuncCallExpr, side sideSelect) Body {
	out := &Select{Distinct: side.distinct, DistinctOn: c.exprList(first.Args), Sample: side.sample, Pos: side.pos}
	for _, f := range n.Fields.Fields[1:] {
		if f.AsName.O != "" {
			c.item(out, f)
			continue
		}
		call, marked := c.column(f)
		switch s := marked.(type) {
		case sideQualify:
			out.Qualify = c.expr(call.Args[0])
		case sideWindow:
			if s.def == nil {
				c.unknown(out.Pos)
				return nil
			}
			out.Windows = append(out.Windows, NamedWindow{Name: *s.def, Spec: c.window(s, call.Args), Pos: s.pos})
		default:
			c.unknown(out.Pos)
			return nil
		}
	}
	if n.From != nil && !c.nothing(n.From.TableRefs) {
		out.From = c.from(n.From.TableRefs)
	}
	if n.Where != nil {
		out.Where = c.expr(n.Where)
	}
	if n.GroupBy != nil {
		c.groupBy(out, n.GroupBy)
	}
	if n.Having != nil {
		out.Having = c.expr(n.Having.Expr)
	}
	return out
}

// nothing tells whether the only table is the stand-in of a SELECT without FROM.
func (c *converter) nothing(join *ast.Join) bool {
	src, ok := join.Left.(*ast.TableSource)
	if !ok || join.Right != nil {
		return false
	}
	table, ok := src.Source.(*ast.TableName)
	if ok {
		_, ok = c.entry(table.Name.O).(sideNothing)
	}
	return ok
}

func (c *converter) item(out *Select, f *ast.SelectField) {
	side, ok := c.entry(f.AsName.O).(sideItem)
	if !ok || f.WildCard != nil {
		c.unknown(out.Pos)
		return
	}
	out.Items = append(out.Items, SelectItem{Expr: c.expr(f.Expr), Alias: side.alias, Text: side.text, Pos: side.pos})
}
