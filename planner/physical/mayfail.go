package physical

import (
	"strings"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// maxMayFail bounds what is kept of a statement with very many expressions: an error names few of them anyway.
const maxMayFail = 200

// FailingPart is an expression with its text: columns have the names that the statement knows them by, without their tables'.
type FailingPart struct {
	Expr expr.Expr
	Text string
}

// PartFault is an error of one of some parts of a query, which met a value that it can't take.
type PartFault struct {
	Parts []FailingPart // at least one
	Err   error
}

// Error names the parts before what is wrong.
func (f *PartFault) Error() string {
	texts := make([]string, len(f.Parts))
	for i, p := range f.Parts {
		texts[i] = p.Text
	}
	one := ""
	if len(texts) > 1 {
		one = "one of "
	}
	return one + strings.Join(texts, ", ") + ": " + f.Err.Error()
}

// Unwrap gives the error without its parts.
func (f *PartFault) Unwrap() error { return f.Err }

// ColumnFault is an error of a column of the result, which can't be given to clients.
type ColumnFault struct {
	Index int // of Plan.Columns
	Name  string
	Err   error
}

// Error names the column before what is wrong.
func (f *ColumnFault) Error() string { return "column " + f.Name + ": " + f.Err.Error() }

// Unwrap gives the error without the column.
func (f *ColumnFault) Unwrap() error { return f.Err }

// failures collects the parts of a query that can fail.
type failures struct {
	parts []FailingPart
	names map[int][]logical.Col     // of the subqueries in FROM, by relation
	fresh map[int]map[string]string // the names of columns that are renamed, by relation and key
}

// mayFail collects the parts of a query that can fail on a value: casts, arithmetic, functions, aggregates. The parts of
// subqueries are among them.
func mayFail(q *logical.Query) []FailingPart {
	f := &failures{names: map[int][]logical.Col{}, fresh: map[int]map[string]string{}}
	f.query(q)
	return f.parts
}

func (f *failures) query(q *logical.Query) {
	logical.WalkQuery(q, func(s *logical.Select) {
		logical.WalkFrom(s.From, f.source)
	})
	logical.WalkQuery(q, func(s *logical.Select) {
		for _, e := range s.Exprs() {
			f.visit(e)
		}
	})
	f.names[logical.OutputRel] = q.Cols
	for _, k := range q.OrderBy {
		f.visit(k.X)
	}
}

// source notes the names of the columns of a subquery in FROM.
func (f *failures) source(from logical.From) {
	switch from := from.(type) {
	case *logical.Derived:
		f.names[from.Rel], f.fresh[from.Rel] = from.Query.Cols, from.Names
	case *logical.CTERef:
		f.names[from.Rel], f.fresh[from.Rel] = from.CTE.Query.Cols, from.Names
	case *logical.TableFunc:
		f.names[from.Rel] = from.Cols
	}
}

func (f *failures) visit(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Subquery:
			if sub, ok := e.Query.(*logical.Query); ok {
				f.query(sub)
			}
			return true
		case *expr.Cast:
			if e.Try {
				return true
			}
		case *expr.Call:
			if e.Name == "try" {
				return false
			}
		case *expr.Arith, *expr.Neg, *expr.Aggregate:
		default:
			return true
		}
		if len(f.parts) < maxMayFail {
			f.parts = append(f.parts, FailingPart{Expr: e, Text: expr.Printer{Column: f.column}.Print(e)})
		}
		return true
	})
}

// column is the name of a column as the statement has it.
func (f *failures) column(c *expr.Column) string {
	if name, ok := f.fresh[c.Rel][c.Path[0]]; ok {
		return append(expr.FieldPath{name}, c.Path[1:]...).String()
	}
	for _, col := range f.names[c.Rel] {
		if col.Key == c.Path[0] {
			return append(expr.FieldPath{col.Name}, c.Path[1:]...).String()
		}
	}
	return c.Path.String()
}
