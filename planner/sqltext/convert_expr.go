package sqltext

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// nativeOps are the binary operators that reach the tidb parser as they are.
var nativeOps = map[opcode.Op]string{
	opcode.LogicAnd: "AND", opcode.LogicOr: "OR",
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.Mod: "%",
}

var nativeUnary = map[opcode.Op]string{opcode.Minus: "-", opcode.Plus: "+", opcode.Not: "NOT"}

func (c *converter) exprList(nodes []ast.ExprNode) []Expr {
	var out []Expr
	for _, n := range nodes {
		out = append(out, c.expr(n))
	}
	return out
}

// at is the position of a node in the user's text.
func (c *converter) at(n ast.Node) At { return At{c.positions.at(n.OriginTextPosition())} }

// expr converts an expression.
func (c *converter) expr(node ast.ExprNode) Expr {
	switch n := node.(type) {
	case *ast.ParenthesesExpr:
		return c.expr(n.Expr)
	case *ast.ColumnNameExpr:
		if leaf, ok := c.entry(n.Name.Name.O).(sideLeaf); ok && n.Name.Table.O == "" {
			return leaf.expr
		}
	case *ast.FuncCallExpr:
		if n.Schema.O == "" {
			return c.marked(n, c.entry(n.FnName.O))
		}
	case *ast.BinaryOperationExpr:
		if op := nativeOps[n.Op]; op != "" {
			l := c.expr(n.L)
			return &Binary{c.at(n), op, l, c.expr(n.R)}
		}
	case *ast.UnaryOperationExpr:
		if op := nativeUnary[n.Op]; op != "" {
			x := c.expr(n.V)
			if exists, ok := x.(*ExistsExpr); ok && op == "NOT" && !exists.Not {
				return &ExistsExpr{c.at(n), exists.Query, true}
			}
			return &Unary{c.at(n), op, x}
		}
	case *ast.IsNullExpr:
		return &IsTest{c.at(n), c.expr(n.Expr), "NULL", n.Not}
	case *ast.IsTruthExpr:
		test := "FALSE"
		if n.True != 0 {
			test = "TRUE"
		}
		return &IsTest{c.at(n), c.expr(n.Expr), test, n.Not}
	case *ast.BetweenExpr:
		x := c.expr(n.Expr)
		return &BetweenExpr{At: c.at(n), X: x, Lo: c.expr(n.Left), Hi: c.expr(n.Right), Not: n.Not}
	case *ast.PatternInExpr:
		x := c.expr(n.Expr)
		if n.Sel == nil {
			return &InList{c.at(n), x, c.exprList(n.List), n.Not}
		}
		if sub, ok := n.Sel.(*ast.SubqueryExpr); ok {
			return &InSubquery{c.at(n), x, c.subqueryOf(sub), n.Not}
		}
	case *ast.PatternLikeOrIlikeExpr:
		return c.like(n)
	case *ast.CaseExpr:
		return c.caseExpr(n)
	case *ast.SubqueryExpr:
		return &SubqueryExpr{At: c.at(n), Query: c.subqueryOf(n)}
	case *ast.ExistsSubqueryExpr:
		if sub, ok := n.Sel.(*ast.SubqueryExpr); ok {
			return &ExistsExpr{c.at(n), c.subqueryOf(sub), n.Not}
		}
	}
	c.unknown(c.positions.at(node.OriginTextPosition()))
	return &NullLit{}
}

func (c *converter) like(n *ast.PatternLikeOrIlikeExpr) Expr {
	out := &LikeExpr{At: c.at(n), X: c.expr(n.Expr), FoldCase: !n.IsLike, Not: n.Not}
	pattern := n.Pattern
	if call, ok := pattern.(*ast.FuncCallExpr); ok {
		if side, ok := c.entry(call.FnName.O).(sideEscape); ok {
			out.Escape = &side.escape
			pattern = call.Args[0]
		}
	}
	out.Pattern = c.expr(pattern)
	return out
}

func (c *converter) caseExpr(n *ast.CaseExpr) Expr {
	out := &CaseExpr{At: c.at(n)}
	if n.Value != nil {
		out.Operand = c.expr(n.Value)
	}
	for _, w := range n.WhenClauses {
		cond := c.expr(w.Expr)
		out.Whens = append(out.Whens, CaseWhen{cond, c.expr(w.Result)})
	}
	if n.ElseClause != nil {
		out.Else = c.expr(n.ElseClause)
	}
	return out
}

// marked converts a marker with parts.
func (c *converter) marked(n *ast.FuncCallExpr, side any) Expr {
	if call, ok := side.(sideCall); ok {
		return c.call(n, call.call)
	}
	if q, ok := side.(sideQuantified); ok && len(n.Args) == 2 {
		return c.quantified(n, q)
	}
	args := c.exprList(n.Args)
	if c.err != nil {
		return &NullLit{}
	}
	if e := c.test(side, args); e != nil {
		return e
	}
	arg := func(i int) Expr { return args[i] }
	switch s := side.(type) {
	case sideBinary:
		return &Binary{At{arg(0).ExprPos()}, s.op, arg(0), arg(1)}
	case sideUnary:
		return &Unary{At{s.pos}, s.op, arg(0)}
	case sideIsUnknown:
		return &IsTest{At{arg(0).ExprPos()}, arg(0), "UNKNOWN", s.not}
	case sideCast:
		return &CastExpr{At{s.pos}, arg(0), s.to, s.try}
	case sideInterval:
		return &IntervalLit{At{s.pos}, arg(0), s.unit}
	case sideExtract:
		return &ExtractExpr{At{s.pos}, s.part, arg(0)}
	case sideAtTimeZone:
		return &AtTimeZone{At{arg(0).ExprPos()}, arg(0), arg(1)}
	case sideCollate:
		return &CollateExpr{At{arg(0).ExprPos()}, arg(0), s.name}
	case sideSubscript:
		return &Subscript{At{arg(0).ExprPos()}, arg(0), arg(1)}
	case sideSlice:
		return slice(s, args)
	case sideField:
		return &FieldAccess{At{arg(0).ExprPos()}, arg(0), s.name}
	case sideList:
		return &ListLit{At{s.pos}, args}
	case sideRow:
		return &RowLit{At{s.pos}, args}
	case sideStruct:
		return &StructLit{At{s.pos}, s.names, s.at, args}
	case sideStar:
		return star(s, args)
	case sideColumns:
		return &ColumnsExpr{At{s.pos}, arg(0)}
	case sideUnpack:
		if of, ok := arg(0).(*ColumnsExpr); ok {
			return &UnpackExpr{At{s.pos}, of}
		}
	case sideLambda:
		return &LambdaExpr{At{s.pos}, s.params, arg(0)}
	}
	c.unknown(c.positions.at(n.OriginTextPosition()))
	return &NullLit{}
}

func star(s sideStar, replaced []Expr) Expr {
	out := s.star
	for i, item := range s.replace {
		item.Expr = replaced[i]
		out.Replace = append(out.Replace, item)
	}
	return &out
}

// test converts the tests that have markers of their own; nil for anything else.
func (c *converter) test(side any, args []Expr) Expr {
	switch s := side.(type) {
	case sideBetween:
		return &BetweenExpr{At: At{args[0].ExprPos()}, X: args[0], Lo: args[1], Hi: args[2], Not: s.not, Symmetric: true}
	case sideLikeSome:
		return &LikeSome{At{args[0].ExprPos()}, args[0], args[1:], s.foldCase, s.all}
	case sideArrow:
		return &ArrowExpr{At{args[0].ExprPos()}, s.op, s.pos, args[0], args[1]}
	case sideArray:
		if sub, ok := args[0].(*SubqueryExpr); ok {
			return &SubqueryExpr{At: At{s.pos}, Query: sub.Query, Array: true}
		}
	}
	return nil
}

func slice(s sideSlice, args []Expr) Expr {
	out := &SliceExpr{At: At{args[0].ExprPos()}, X: args[0]}
	rest := args[1:]
	if s.lo {
		out.Lo, rest = rest[0], rest[1:]
	}
	if s.hi {
		out.Hi, rest = rest[0], rest[1:]
	}
	if s.step {
		out.Step = rest[0]
	}
	return out
}

func (c *converter) quantified(n *ast.FuncCallExpr, s sideQuantified) Expr {
	x := c.expr(n.Args[0])
	out := &Quantified{At: At{x.ExprPos()}, X: x, Op: s.op, All: s.all}
	if sub, ok := n.Args[1].(*ast.SubqueryExpr); ok {
		out.Query = c.subqueryOf(sub)
	} else {
		out.List = c.expr(n.Args[1])
	}
	return out
}

// call converts a function call: its arguments, and the parts that stand behind them.
func (c *converter) call(n *ast.FuncCallExpr, call FuncCall) Expr {
	for _, a := range n.Args {
		part, ok := a.(*ast.FuncCallExpr)
		if ok {
			switch s := c.entry(part.FnName.O).(type) {
			case sideOrder:
				call.OrderBy = append(call.OrderBy, s.item(c.expr(part.Args[0])))
				continue
			case sideFilter:
				call.Filter = c.expr(part.Args[0])
				continue
			case sideWindow:
				spec := c.window(s, part.Args)
				call.Over = &spec
				continue
			}
		}
		call.Args = append(call.Args, c.expr(a))
	}
	return &call
}

func (c *converter) window(s sideWindow, args []ast.ExprNode) WindowSpec {
	out := WindowSpec{Name: s.name, NamePos: s.namePos, Frame: s.frame}
	for _, a := range args {
		if part, ok := a.(*ast.FuncCallExpr); ok {
			if order, ok := c.entry(part.FnName.O).(sideOrder); ok {
				out.OrderBy = append(out.OrderBy, order.item(c.expr(part.Args[0])))
				continue
			}
		}
		out.PartitionBy = append(out.PartitionBy, c.expr(a))
	}
	return out
}
