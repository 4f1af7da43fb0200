package duckdb

import (
	"regexp"
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
func failing(parts []physical.FailingPart, text string) []physical.FailingPart {
	text, _, _ = strings.Cut(text, "\n") // what follows shows SQL text
	head, msg := splitError(text)
	found := fitting(parts, func(e expr.Expr) bool { return fits(e, head, msg) })
	if len(found) == 0 && head == "Conversion Error" { // some functions and operators fail so as well
		found = fitting(parts, func(e expr.Expr) bool { return converts(e, msg) })
	}
	for _, likely := range []func(expr.Expr, string) bool{isSaid, isTarget, holdsValue, holdsTail} {
		if some := fitting(found, func(e expr.Expr) bool { return likely(e, msg) }); len(some) > 0 {
			found = some
		}
	}
	if len(found) > maxNamed {
		return nil
	}
	return found
}

// fitting gives the parts whose expressions fit, each text once.
func fitting(parts []physical.FailingPart, fits func(expr.Expr) bool) []physical.FailingPart {
	var out []physical.FailingPart
	for _, p := range parts {
		if fits(p.Expr) && !slices.ContainsFunc(out, func(o physical.FailingPart) bool { return o.Text == p.Text }) {
			out = append(out, p)
		}
	}
	return out
}

// neverFails are functions that take all values of the types that they are bound to.
var neverFails = map[string]bool{"list_value": true, "struct_pack": true, "row": true, "coalesce": true, "concat": true, "upper": true, "lower": true,
	"length": true, "unnest": true}

func isCall(e expr.Expr) bool {
	call, ok := e.(*expr.Call)
	return ok && !neverFails[call.Name]
}

// converts tells whether an expression that is no cast can fail as one does.
func converts(e expr.Expr, msg string) bool {
	switch e := e.(type) {
	case *expr.Call:
		return isCall(e) || holdsValue(e, msg)
	case *expr.Arith: // of dates and times
		return e.Typ != nil && !expr.KindOf(e.Typ).Numeric()
	}
	return false
}

// fits tells whether an expression can fail with an error of this kind (head) and text.
func fits(e expr.Expr, head, msg string) bool {
	switch head {
	case "Conversion Error":
		if call, ok := e.(*expr.Call); ok {
			return strings.HasPrefix(call.Name, expr.CastAs)
		}
		cast, ok := e.(*expr.Cast)
		if ok && strings.HasPrefix(msg, "Could not convert string") && cast.X.Type() != nil {
			k := expr.KindOf(cast.X.Type())
			return k == expr.KindText || k == expr.KindOther || k == expr.KindList
		}
		return ok && !strings.HasPrefix(msg, "Failure in decode")
	case "Out of Range Error", "Invalid Input Error":
	case "Binder Error", "Catalog Error", "Parser Error": // of no value
		return false
	default:
		return kinds[head] == nil && isSaid(e, msg) // other mistakes: of what they name alone
	}
	words, isOverflow := strings.CutPrefix(msg, "Overflow in ")
	switch e := e.(type) {
	case *expr.Arith:
		word, known := overflows[e.Op]
		return isOverflow && known && strings.Contains(words, word)
	case *expr.Neg:
		return isOverflow && strings.HasPrefix(words, "negation")
	case *expr.Aggregate:
		return isOverflow && e.Name == "sum" && strings.Contains(words, "addition") || len(e.Args) > 1 && strings.Contains(strings.ToLower(msg), e.Name)
	case *expr.Call:
		return !isOverflow && isCall(e)
	}
	return false
}

// said are words of errors that only some functions give.
var said = map[string][]string{
	"square root": {"sqrt"}, "logarithm": {"ln", "log", "log2", "log10"}, "eft-shift": {"<<"}, "gamma": {"gamma", "lgamma"},
	"UTF8": {"decode"}, "date format": {"strptime"}, "ormat specifier": {"strptime", "strftime"}, "Period must be": {"time_bucket"},
}

// isSaid tells whether an error's text names the function that is called, or what only this one does.
func isSaid(e expr.Expr, msg string) bool {
	call, ok := e.(*expr.Call)
	if !ok {
		return false
	}
	if strings.Contains(call.Name, "_") && strings.Contains(strings.ToLower(msg), call.Name) {
		return true
	}
	for words, names := range said {
		if strings.Contains(msg, words) && slices.Contains(names, call.Name) {
			return true
		}
	}
	return false
}

// target finds the type that a value could not be made, and timeField the kind of time that a text is none of.
var (
	target    = regexp.MustCompile(`(?: to(?: type)?|destination type|->) ([A-Z][A-Z0-9]*(?: WITH TIME ZONE)?(?:\(\d+,\d+\))?)`)
	timeField = regexp.MustCompile(`^(?:invalid )?(date|time|timestamp) field`)
)

// isTarget tells whether an expression makes values of the type that an error's text tells of.
func isTarget(e expr.Expr, msg string) bool {
	cast, ok := e.(*expr.Cast)
	if !ok {
		return false
	}
	is := expr.SQLType(cast.To)
	if m := timeField.FindStringSubmatch(msg); m != nil {
		return strings.HasPrefix(is, strings.ToUpper(m[1]))
	}
	all := target.FindAllStringSubmatch(sqlTypes(msg), -1)
	return len(all) > 0 && is == all[len(all)-1][1]
}

// quotedValue is a value in an error's text.
var quotedValue = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)

// holdsValue tells whether an operand is just the text that an error tells of.
func holdsValue(e expr.Expr, msg string) bool {
	m := quotedValue.FindStringSubmatch(msg)
	if m == nil {
		return false
	}
	return slices.ContainsFunc(expr.Children(e), func(c expr.Expr) bool {
		l, ok := c.(*expr.Literal)
		return ok && (l.Value == m[1] || l.Value == m[2])
	})
}

// holdsTail tells whether an operand is a text that holds what an error's text ends with, as those of regular expressions do.
func holdsTail(e expr.Expr, msg string) bool {
	tail := msg[strings.LastIndex(msg, ": ")+1:]
	if tail = strings.TrimSpace(tail); tail == msg || tail == "" {
		return false
	}
	return slices.ContainsFunc(expr.Children(e), func(c expr.Expr) bool {
		l, ok := c.(*expr.Literal)
		if !ok {
			return false
		}
		text, ok := l.Value.(string)
		return ok && strings.Contains(text, tail)
	})
}
