package logical

import (
	"strings"

	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// collated gives operands that are compared without their COLLATE: under NOCASE all of them in lower case, which is what DuckDB
// compares then. Where they name other collations, or several, they stay, and are refused where they are bound.
func collated(operands ...sqltext.Expr) []sqltext.Expr {
	name := ""
	for _, x := range operands {
		c, ok := x.(*sqltext.CollateExpr)
		if !ok {
			continue
		}
		if name != "" && !strings.EqualFold(name, c.Name) {
			return operands
		}
		name = strings.ToLower(c.Name)
	}
	if name != "nocase" && name != "binary" && name != "c" && name != "posix" {
		return operands
	}
	out := make([]sqltext.Expr, len(operands))
	for i, x := range operands {
		if c, ok := x.(*sqltext.CollateExpr); ok {
			x = c.X
		}
		if name == "nocase" {
			x = &sqltext.FuncCall{At: sqltext.At{Pos: x.ExprPos()}, Name: "lower", Args: []sqltext.Expr{x}}
		}
		out[i] = x
	}
	return out
}
