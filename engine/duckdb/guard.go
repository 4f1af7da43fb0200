package duckdb

import (
	"fmt"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// deniedCalls are functions that tell of the server, change its state, or run text as SQL; table functions come on top
// (deniedFunctions). The planner lets through only what its own function table has, so this is the second fence.
var deniedCalls = []string{
	"current_setting", "set_config", "getenv", "getvariable", "current_query", "current_query_id", "current_connection_id",
	"current_transaction_id", "txid_current", "setseed", "sleep_ms", "write_log", "nextval", "currval", "vector_type", "stats",
	"json_execute_serialized_sql", "json_serialize_plan", "json_serialize_sql", "json_deserialize_sql", "parse_duckdb_log_message",
	"in_search_path", "get_block_size",
}

// deniedPrefixes start the names of functions of the same kind.
var deniedPrefixes = []string{"pg_", "duckdb_", "pragma_", "read_", "parquet_", "inet_", "has_", "__internal", "flightsrv_"}

// allowedTableCalls are the table functions that read nothing but their arguments.
var allowedTableCalls = map[string]bool{
	"unnest": true, "range": true, "generate_series": true, "repeat": true, "repeat_row": true, "json_each": true, "json_tree": true,
}

// deniedFunctions gives the names of deniedCalls and of all table functions of the instance but the allowed ones.
func deniedFunctions(c *connection) (map[string]bool, error) {
	denied := map[string]bool{}
	for _, name := range deniedCalls {
		denied[name] = true
	}
	names, err := c.texts(`SELECT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro', 'pragma')
		EXCEPT SELECT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')`)
	if err != nil {
		return nil, fmt.Errorf("list functions: %w", err)
	}
	for _, n := range names {
		if n = strings.ToLower(n); !allowedTableCalls[n] {
			denied[n] = true
		}
	}
	if !denied["read_csv"] {
		return nil, fmt.Errorf("list functions: read_csv is missing: %w", errs.ErrInternal)
	}
	return denied, nil
}

// fence knows what generated SQL text must not hold.
type fence struct {
	calls  map[string]bool // functions
	tables map[string]bool // DuckDB's own views, which tell of the server
}

// newFence looks up what the instance has.
func newFence(c *connection) (f fence, err error) {
	if f.calls, err = deniedFunctions(c); err != nil {
		return f, err
	}
	f.tables = map[string]bool{}
	names, err := c.texts(`SELECT view_name FROM duckdb_views() WHERE internal`)
	if err != nil {
		return f, fmt.Errorf("list views: %w", err)
	}
	for _, n := range names {
		f.tables[strings.ToLower(n)] = true
	}
	return f, nil
}

// check refuses SQL text that is no query, that calls a denied function or reads one of DuckDB's own views, or that
// holds what no generated text holds: comments, several statements, dollar quotes, texts with escapes.
func (f fence) check(sql string) error {
	lex := lexer{sql: sql}
	var before, last token // the two tokens that stand right before
	for {
		tok, err := lex.next()
		if err != nil {
			return err
		}
		switch {
		case tok.kind == tokEnd:
			return nil
		case last.kind == tokEnd || last.is("("):
			next := lex
			if t, err := next.next(); err == nil && (tok.word("summarize") || tok.word("describe")) && last.is("(") && t.word("select") {
				break // of a query, all of which is looked at
			}
			if tok.word("show") || tok.word("describe") || tok.word("desc") || tok.word("summarize") || tok.word("pragma") || tok.word("call") {
				return refused(tok.text)
			}
		case tok.is("(") && last.kind == tokName:
			if deniedCall(last.text, f.calls) {
				return errs.Invalidf("the function %s can't be called", last.text)
			}
		case tok.is(".") && !before.is(".") && (last.named("pg_catalog") || last.named("information_schema")):
			return refused("a schema of DuckDB's own")
		}
		if tok.kind == tokName && f.tables[tok.text] && startsTable(last) && !lex.follows("(.") {
			return refused("a view of DuckDB's own")
		}
		before, last = last, tok
	}
}

// startsTable tells whether a table's name may stand after a token.
func startsTable(t token) bool {
	if t.kind == tokOther {
		return t.text == "," || t.text == "("
	}
	switch t.text {
	case "from", "join", "table", "pivot", "pivot_wider", "unpivot", "lateral", "only":
		return t.kind == tokName && !t.quoted
	}
	return false
}

func refused(what string) error {
	return fmt.Errorf("%s in generated SQL text: %w", what, errs.ErrInternal)
}

func deniedCall(name string, denied map[string]bool) bool {
	if denied[name] {
		return true
	}
	for _, p := range deniedPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
