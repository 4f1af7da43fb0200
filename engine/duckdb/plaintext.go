package duckdb

import (
	"regexp"
	"strings"
)

// sentences are DuckDB's sentences that speak of what a statement does not show, or are longer than what they tell, and what is said in their place.
var sentences = []struct {
	duckdb *regexp.Regexp
	plain  string
}{
	{regexp.MustCompile(`^No function matches the given name and argument types '(\W+)\((.+), (.+)\)'\..*`), "no operator matches $2 $1 $3 - an explicit cast may help"},
	{regexp.MustCompile(`^No function matches the given name and argument types '(.+)'\..*`), "there is no function $1 - an explicit cast may help"},
	{regexp.MustCompile(`^Could not choose a best candidate function for the function call "(.+)"\..*`), "$1 may be several functions: cast the arguments"},
	{regexp.MustCompile(`^More than one row returned by a subquery used as an expression.*`), "a subquery used as a value gives more than one row"},
	{regexp.MustCompile(`^Cannot compare values of type (.+) and (?:type )?(.+) in IN/ANY/ALL clause - an explicit cast is required`), "values of type $1 and $2 can't be compared in IN, ANY or ALL: cast one of them"},
	{regexp.MustCompile(`^Unimplemented type for cast \((.+) -> (.+)\)`), "a value of type $1 can't be cast to $2"},
	{regexp.MustCompile(`^Cannot combine types (.+) and (.+) - an explicit cast is required`), "types $1 and $2 have no type in common: cast one of them"},
	{regexp.MustCompile(`^LIMIT/OFFSET cannot be negative`), "LIMIT and OFFSET can't be negative"},
	{regexp.MustCompile(`^interval cannot be 0!`), "the step is 0"},
	{regexp.MustCompile(`^failed to bind function, either: (.*)`), "$1"},
	{regexp.MustCompile(`^Invalid LIST argument during lambda function binding!`), "the first argument is no list"},
	{regexp.MustCompile(`^Enum value: unrecognized value "(.*)" for enum "OrderType"`), `there is no order "$1": it is ASC or DESC`},
	{regexp.MustCompile(`^Enum value: unrecognized value "(.*)" for enum "OrderByNullType"`), `there is no place of nulls "$1": it is NULLS FIRST or NULLS LAST`},
	{regexp.MustCompile(`^Max(?:imum|) (?:expression|tree) depth (?:limit )?of (\d+) exceeded.*`), "what the statement nests is more than $1 deep"},
}

// plainText says what is wrong in words of SQL.
func plainText(msg string) string {
	for _, s := range sentences {
		if s.duckdb.MatchString(msg) {
			msg = strings.ReplaceAll(s.duckdb.ReplaceAllString(msg, s.plain), `"NULL"`, "NULL")
			break
		}
	}
	return strings.TrimSpace(sqlTypes(msg))
}

// sqlNames are the names in SQL of the types that DuckDB tells by how it stores them, or of literals.
var sqlNames = map[string]string{
	"BOOL": "BOOLEAN", "INT8": "TINYINT", "INT16": "SMALLINT", "INT32": "INTEGER", "INT64": "BIGINT", "INT128": "HUGEINT",
	"UINT8": "UTINYINT", "UINT16": "USMALLINT", "UINT32": "UINTEGER", "UINT64": "UBIGINT", "UINT128": "UHUGEINT",
	"INTEGER_LITERAL": "INTEGER", "STRING_LITERAL": "VARCHAR",
}

// quotedOrWord parts a message into texts in quotes and words.
var quotedOrWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\w+`)

// sqlTypes puts sqlNames in place of DuckDB's, but not in values.
func sqlTypes(msg string) string {
	return quotedOrWord.ReplaceAllStringFunc(msg, func(word string) string {
		if t, ok := sqlNames[word]; ok {
			return t
		}
		return word
	})
}
