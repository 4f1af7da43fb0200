package duckdb

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// maxNamed is how many expressions an error names where it may be one of several.
const maxNamed = 3

// overflows gives DuckDB's word for an operator in "Overflow in ... of INT64".
var overflows = map[expr.ArithOp]string{expr.Add: "addition", expr.Sub: "subtraction", expr.Mul: "multiplication", expr.IntDiv: "division"}

// failing tells which of a plan's parts an error of DuckDB's can be of: its texts hold values, but no expression. It is
// empty where that can't be told, or where too many come into question.
func failing(parts []physical.FailingPart, text string) string {
	head, msg, _ := strings.Cut(text, ": ")
	names := fitting(parts, func(e expr.Expr) bool { return fits(e, head, msg) })
	if len(names) == 0 && head == "Conversion Error" { // some functions fail so as well
		names = fitting(parts, isCall)
	}
	switch {
	case len(names) == 1:
		return names[0] + ": "
	case len(names) > 1 && len(names) <= maxNamed:
		return "one of " + strings.Join(names, ", ") + ": "
	}
	return ""
}

func fitting(parts []physical.FailingPart, fits func(expr.Expr) bool) []string {
	var names []string
	for _, p := range parts {
		if fits(p.Expr) && !slices.Contains(names, p.Text) {
			names = append(names, p.Text)
		}
	}
	return names
}

func isCall(e expr.Expr) bool {
	_, ok := e.(*expr.Call)
	return ok
}

// fits tells whether an expression can fail with an error of this kind (head) and text.
func fits(e expr.Expr, head, msg string) bool {
	switch head {
	case "Conversion Error":
		_, ok := e.(*expr.Cast)
		return ok
	case "Out of Range Error", "Invalid Input Error":
	default:
		return false
	}
	words, isOverflow := strings.CutPrefix(msg, "Overflow in ")
	switch e := e.(type) {
	case *expr.Arith:
		word, known := overflows[e.Op]
		return isOverflow && known && strings.Contains(words, word)
	case *expr.Neg:
		return isOverflow && strings.HasPrefix(words, "negation")
	case *expr.Aggregate:
		return isOverflow && e.Name == "sum"
	case *expr.Call:
		return !isOverflow
	}
	return false
}
