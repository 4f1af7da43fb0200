package sqltext

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// maxGroupingSets bounds what CUBE and ROLLUP within GROUPING SETS stand for.
const maxGroupingSets = 4096

func (c *converter) groupBy(out *Select, by *ast.GroupByClause) {
	if by.Rollup {
		c.unknown(out.Pos)
	}
	for _, item := range by.Items {
		call, ok := item.Expr.(*ast.FuncCallExpr)
		if ok {
			switch side := c.entry(call.FnName.O).(type) {
			case sideGroupAll:
				out.GroupAll = true
				continue
			case sideGroup:
				out.GroupBy = append(out.GroupBy, GroupItem{Kind: side.kind, Pos: side.pos, Sets: c.groupSets(call.Args, side.pos)})
				continue
			}
		}
		x := c.expr(item.Expr)
		if c.err == nil {
			out.GroupBy = append(out.GroupBy, GroupItem{Sets: [][]Expr{{x}}, Pos: x.ExprPos()})
		}
	}
}

// groupSets converts the sets of an element of GROUP BY; a ROLLUP or CUBE among them is the sets that it stands for.
func (c *converter) groupSets(args []ast.ExprNode, pos int) (sets [][]Expr) {
	for _, arg := range args {
		call, ok := arg.(*ast.FuncCallExpr)
		if ok {
			if side, ok := c.entry(call.FnName.O).(sideGroup); ok {
				sets = append(sets, c.expand(side, c.groupSets(call.Args, side.pos))...)
				continue
			}
		}
		sets = append(sets, c.set(arg))
	}
	if len(sets) > maxGroupingSets {
		c.fail(pos, "more than %d grouping sets", maxGroupingSets)
		return nil
	}
	return sets
}

// expand gives the sets that ROLLUP (the first n of them together, for each n) or CUBE (any of them together) stands for.
func (c *converter) expand(g sideGroup, of [][]Expr) [][]Expr {
	out := [][]Expr{nil}
	switch g.kind {
	case "GROUPING SETS":
		return of
	case "ROLLUP":
		for i := range of {
			out = append(out, slices.Concat(of[:i+1]...))
		}
	case "CUBE":
		for _, set := range of {
			for _, other := range out {
				out = append(out, slices.Concat(other, set))
			}
			if len(out) > maxGroupingSets {
				c.fail(g.pos, "more than %d grouping sets", maxGroupingSets)
				return nil
			}
		}
	}
	return out
}
