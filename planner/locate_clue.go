package planner

import (
	"regexp"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// clue is what a message tells of the expression that it is about.
type clue struct {
	message *regexp.Regexp
	is      func(e logical.BoundExpr, groups []string) bool
}

// clues, each for messages of one form.
var clues = []clue{
	{regexp.MustCompile(`^a subquery used as a value gives more than one row$`), func(e logical.BoundExpr, _ []string) bool {
		s, ok := e.Expr.(*expr.Subquery)
		return ok && s.Kind == expr.ScalarSubquery && !oneRow(s.Query)
	}},
	{regexp.MustCompile(`^values of type (.+) and (.+) can't be compared in IN, ANY or ALL`), func(e logical.BoundExpr, types []string) bool {
		s, ok := e.Expr.(*expr.Subquery)
		if !ok || s.Operand == nil {
			return false
		}
		q, ok := s.Query.(*logical.Query)
		return ok && isType(s.Operand.Type(), types[1]) && isType(q.Cols[0].Type, types[2])
	}},
	{regexp.MustCompile(`^a value of type (.+) can't be cast to (.+)$`), isCast},
	{regexp.MustCompile(`^types (.+) and (.+) have no type in common`), isCast},
	{regexp.MustCompile(`^LIMIT and OFFSET can't be negative$|to UBIGINT$`), func(e logical.BoundExpr, _ []string) bool { return e.Counts }},
	{regexp.MustCompile(`^Could not convert string '(.*)' to `), isValue},
	{unknownZone, isValue},
	{unknownZone, func(e logical.BoundExpr, _ []string) bool {
		c, ok := e.Expr.(*expr.Call)
		return ok && c.Name == "timezone"
	}},
	{rangeStep, func(e logical.BoundExpr, _ []string) bool { return isRange(e, isZero) }},
	{rangeStep, func(e logical.BoundExpr, _ []string) bool { return isRange(e, func(expr.Expr) bool { return true }) }},
}

// isCast tells whether e casts from the first type of a message to the second.
func isCast(e logical.BoundExpr, types []string) bool {
	c, ok := e.Expr.(*expr.Cast)
	return ok && isType(c.X.Type(), types[1]) && isType(c.To, types[2])
}

// isValue tells whether e is the text that a message tells of.
func isValue(e logical.BoundExpr, value []string) bool {
	l, ok := e.Expr.(*expr.Literal)
	return ok && l.Value == value[1]
}

var unknownZone = regexp.MustCompile(`^Unknown TimeZone '(.*)'!$`)

// rangeStep are faults of the step of range and generate_series in FROM.
var rangeStep = regexp.MustCompile(`^(the step is 0|RANGE with composite interval)`)

// isRange tells whether e is a call of range or generate_series in FROM with such a step.
func isRange(e logical.BoundExpr, step func(expr.Expr) bool) bool {
	c, ok := e.Expr.(*expr.Call)
	return ok && e.InFrom && (c.Name == "range" || c.Name == "generate_series") && len(c.Args) == 3 && step(c.Args[2])
}

func isZero(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && (l.Value == int64(0) || l.Value == arrow.MonthDayNanoInterval{})
}

// follow finds the first expression that is what a clue in the message tells of.
func follow(msg string, seen []logical.BoundExpr) (pos int, found bool) {
	for _, c := range clues {
		groups := c.message.FindStringSubmatch(msg)
		if groups == nil {
			continue
		}
		for _, e := range seen {
			if c.is(e, groups) {
				return e.Pos, true
			}
		}
	}
	return 0, false
}

// oneRow tells whether a query gives at most one row whatever the tables hold.
func oneRow(query any) bool {
	q, ok := query.(*logical.Query)
	if !ok {
		return false
	}
	if l, ok := q.Limit.(*expr.Literal); ok && !q.Percent && (l.Value == int64(0) || l.Value == int64(1)) {
		return true
	}
	s, ok := q.Body.(*logical.Select)
	return ok && (s.Aggregated() && len(s.GroupBy) == 0 && !s.GroupAll || s.From == nil && s.IsPlain())
}
