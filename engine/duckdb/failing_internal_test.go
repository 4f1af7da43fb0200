package duckdb

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
)

func TestFailing(t *testing.T) {
	word := &expr.Column{Path: expr.FieldPath{"word"}, Typ: arrow.BinaryTypes.String}
	id := &expr.Column{Path: expr.FieldPath{"id"}, Typ: arrow.PrimitiveTypes.Int64}
	part := func(e expr.Expr) physical.FailingPart { return physical.FailingPart{Expr: e, Text: e.String()} }
	cast := part(&expr.Cast{X: word, To: arrow.PrimitiveTypes.Int8})
	add, sub := part(&expr.Arith{Op: expr.Add, L: id, R: id}), part(&expr.Arith{Op: expr.Sub, L: id, R: id})
	sqrt, trunc := part(&expr.Call{Name: "sqrt", Args: []expr.Expr{id}}), part(&expr.Call{Name: "date_trunc", Args: []expr.Expr{id}})
	sum := part(&expr.Aggregate{Name: "sum", Args: []expr.Expr{id}})
	ln := part(&expr.Call{Name: "ln", Args: []expr.Expr{id}})
	big, date := part(&expr.Cast{X: word, To: arrow.PrimitiveTypes.Int64}), part(&expr.Cast{X: id, To: arrow.FixedWidthTypes.Date32})
	list, extract := part(&expr.Call{Name: "list_value", Args: []expr.Expr{id}}), part(&expr.Call{Name: "list_extract", Args: []expr.Expr{id, expr.Text("a")}})
	call := func(name string, args ...expr.Expr) physical.FailingPart {
		return part(&expr.Call{Name: name, Args: args})
	}
	matches, full := call("regexp_matches", id, expr.Text("a")), call("regexp_full_match", id, expr.Text("[z-a]"))
	reduce, bucket := call("list_reduce", id), call("time_bucket", id)
	mul, later := part(&expr.Arith{Op: expr.Mul, L: id, R: id}), part(&expr.Arith{Op: expr.Add, L: id, R: id, Typ: arrow.FixedWidthTypes.Timestamp_us})
	topK := part(&expr.Aggregate{Name: "approx_top_k", Args: []expr.Expr{id, expr.Int(0)}})
	uuid := part(&expr.Call{Name: expr.CastAs + "UUID", Args: []expr.Expr{id}})
	tests := []struct {
		name  string
		parts []physical.FailingPart
		text  string
		want  string
	}{
		{"a cast", []physical.FailingPart{add, cast, sqrt, cast}, "Conversion Error: Could not convert string 'x' to INT32", "CAST(word AS TINYINT)"},
		{"the operator", []physical.FailingPart{cast, sub, add}, "Out of Range Error: Overflow in addition of INT64 (1 + 9223372036854775807)!", "id + id"},
		{"a sum or an operator", []physical.FailingPart{sum, add, sqrt}, "Out of Range Error: Overflow in HUGEINT addition", "sum(id) or id + id"},
		{"a function", []physical.FailingPart{sum, add, sqrt}, "Out of Range Error: cannot take square root of a negative number", "sqrt(id)"},
		{"an aggregate that the error tells of", []physical.FailingPart{sum, topK}, "Invalid Input Error: Invalid input for approx_top_k: k value must be > 0", "approx_top_k(id, 0)"},
		{"the pattern that the error tells of", []physical.FailingPart{matches, full}, "Invalid Input Error: invalid character class range: z-a", "regexp_full_match(id, '[z-a]')"},
		{"an error without a kind", []physical.FailingPart{sqrt, reduce}, "Cannot perform list_reduce on an empty input list", "list_reduce(id)"},
		{"no sum overflows in a multiplication", []physical.FailingPart{sum, mul}, "Out of Range Error: Overflow in multiplication of INT64 (2 * 9)!", "id * id"},
		{"a date that is out of range", []physical.FailingPart{add, later}, "Conversion Error: Date and time not in timestamp range", "id + id"},
		{"a function that is told of by its argument", []physical.FailingPart{sqrt, bucket}, "Not implemented Error: Period must be greater than 0", "time_bucket(id)"},
		{"a function that converts", []physical.FailingPart{add, trunc}, `Conversion Error: extract specifier "foo" not recognized`, "date_trunc(id)"},
		{"the function that the error tells of", []physical.FailingPart{sqrt, ln}, "Out of Range Error: cannot take logarithm of zero", "ln(id)"},
		{"two functions", []physical.FailingPart{sqrt, trunc}, "Out of Range Error: the value is out of range", "sqrt(id) or date_trunc(id)"},
		{"too many", []physical.FailingPart{sqrt, ln, trunc, part(&expr.Call{Name: "exp", Args: []expr.Expr{id}})}, "Out of Range Error: the value is out of range", ""},
		{"the cast to the type", []physical.FailingPart{big, cast}, "Conversion Error: Could not convert string 'x to BIGINT' to INT8", "CAST(word AS TINYINT)"},
		{"the cast of a text to a date", []physical.FailingPart{big, date}, `Conversion Error: invalid date field format: "x", expected format is (YYYY-MM-DD)`, "CAST(id AS DATE)"},
		{"the operand that the error tells of", []physical.FailingPart{list, extract}, "Conversion Error: Could not convert string 'a' to INT64", "list_extract(id, 'a')"},
		{"a cast to a type that tables lack", []physical.FailingPart{add, uuid}, "Conversion Error: Could not convert string 'x' to INT128", "CAST(id AS UUID)"},
		{"none", nil, "Conversion Error: Could not convert string 'x' to INT32", ""},
		{"another fault", []physical.FailingPart{cast, add, sqrt}, "Out of Memory Error: failed to allocate", ""},
		{"a cast of a number reads no text", []physical.FailingPart{part(&expr.Cast{X: id, To: arrow.PrimitiveTypes.Float64}), call("pow", expr.Text("a"), id)}, "Conversion Error: Could not convert string 'a' to DOUBLE", "pow('a', id)"},
		{"what DuckDB shows of the text", []physical.FailingPart{sqrt, reduce}, "Invalid Input Error: no\n\nLINE 1: SELECT list_reduce(x)", "sqrt(id) or list_reduce(id)"},
		{"bound, not run", []physical.FailingPart{cast, add, sqrt}, "Binder Error: No function matches", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var texts []string
			for _, p := range failing(tt.parts, tt.text) {
				texts = append(texts, p.Text)
			}
			if got := strings.Join(texts, " or "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
