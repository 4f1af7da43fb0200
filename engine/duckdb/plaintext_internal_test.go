package duckdb

import "testing"

// TestPlainText: messages speak of types and operators as a statement has them; values in quotes stay as they are.
func TestPlainText(t *testing.T) {
	tests := map[string]string{
		"No function matches the given name and argument types 'upper(INTEGER[])'. You might need to add explicit type casts.": "there is no function upper(INTEGER[]) - an explicit cast may help",
		"No function matches the given name and argument types '+(VARCHAR, INTEGER_LITERAL)'. You might need to add casts.":    "no operator matches VARCHAR + INTEGER - an explicit cast may help",
		"No function matches the given name and argument types 'f()'. You might need to add explicit type casts.":              "there is no function f() - an explicit cast may help",
		`Could not choose a best candidate function for the function call "abs(STRING_LITERAL)". In order to select one, ...`:  "abs(VARCHAR) may be several functions: cast the arguments",
		`No function matches the given name and argument types 'range(TIMESTAMP, "NULL")'. You might need to add casts.`:       "there is no function range(TIMESTAMP, NULL) - an explicit cast may help",
		"Could not convert string 'INT32 to INT8' to INT64":                                                                    "Could not convert string 'INT32 to INT8' to BIGINT",
		`Casting value "UINT8" to BOOL`:               `Casting value "UINT8" to BOOLEAN`,
		"Overflow in addition of UINT16 (65535 + 1)!": "Overflow in addition of USMALLINT (65535 + 1)!",
		"More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row.":           "a subquery used as a value gives more than one row",
		"Unimplemented type for cast (INT64 -> TIMESTAMP)":                                                                           "a value of type BIGINT can't be cast to TIMESTAMP",
		`Enum value: unrecognized value "NOSUCH" for enum "OrderType"`:                                                               `there is no order "NOSUCH": it is ASC or DESC`,
		`Max expression depth limit of 1000 exceeded. Use "SET max_expression_depth TO x" to increase the maximum expression depth.`: "what the statement nests is more than 1000 deep",
		"Maximum tree depth of 1000 exceeded in logical planner":                                                                     "what the statement nests is more than 1000 deep",
		" cannot take square root of a negative number ":                                                                             "cannot take square root of a negative number",
	}
	for msg, want := range tests {
		if got := plainText(msg); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", msg, got, want)
		}
	}
}
