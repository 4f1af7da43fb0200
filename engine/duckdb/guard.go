package duckdb

import (
	"fmt"
	"strings"

	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// deniedCalls are functions that tell of the server, change its state, or run text as SQL; table functions come on top
// (deniedFunctions). The planner lets through only what its own function table has, so this is the second fence.
var deniedCalls = []string{
	"current_setting", "set_config", "getenv", "getvariable", "current_query", "current_query_id", "current_connection_id",
	"current_transaction_id", "txid_current", "setseed", "sleep_ms", "write_log", "nextval", "currval", "vector_type", "stats",
	"json_execute_serialized_sql", "json_serialize_plan", "json_serialize_sql", "json_deserialize_sql", "parse_duckdb_log_message",
	"in_search_path", "get_block_size", "create_sort_key", "error",
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
	var res db.Result
	state := db.Query(c.conn, `SELECT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro', 'pragma')
		EXCEPT SELECT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')`, &res)
	defer db.DestroyResult(&res)
	if state == db.StateError {
		return nil, fmt.Errorf("list functions: %w", cleanError(db.ResultError(&res)))
	}
	for {
		chunk := db.FetchChunk(res)
		if chunk.Ptr == nil {
			break
		}
		n := int(db.DataChunkGetSize(chunk))
		names := values[duckString](db.DataChunkGetVector(chunk, 0), n)
		for i := range names {
			if name := strings.ToLower(string(names[i].bytes())); !allowedTableCalls[name] {
				denied[name] = true
			}
		}
		db.DestroyDataChunk(&chunk)
		if n == 0 {
			break
		}
	}
	if !denied["read_csv"] {
		return nil, fmt.Errorf("list functions: read_csv is missing: %w", errs.ErrInternal)
	}
	return denied, nil
}

// checkCalls refuses SQL text that calls a denied function, or that holds what no generated text holds: comments,
// several statements, dollar quotes, texts with escapes.
func checkCalls(sql string, denied map[string]bool) error {
	last := "" // the name that stands right before, in lower case
	for i := 0; i < len(sql); {
		ch := sql[i]
		switch {
		case ch == '\'':
			if last == "e" && sql[i-1]|0x20 == 'e' {
				return refused("a text with escapes")
			}
			end, ok := quoteEnd(sql, i)
			if !ok {
				return refused("an open text")
			}
			i, last = end, ""
		case ch == '"':
			end, ok := quoteEnd(sql, i)
			if !ok {
				return refused("an open name")
			}
			last = strings.ToLower(strings.ReplaceAll(sql[i+1:end-1], `""`, `"`))
			i = end
		case isWord(ch):
			end := i
			for end < len(sql) && (isWord(sql[end]) || sql[end] == '$') {
				end++
			}
			last = strings.ToLower(sql[i:end])
			i = end
		case ch == '(':
			if name, bad := deniedCall(last, denied); bad {
				return errs.Invalidf("the function %s can't be called", name)
			}
			i, last = i+1, ""
		case ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r':
			i++
		case ch == ';' || ch == '$' || ch == '?':
			return refused(string(ch))
		case strings.HasPrefix(sql[i:], "--") || strings.HasPrefix(sql[i:], "/*"):
			return refused("a comment")
		case ch < ' ':
			return refused("a control character")
		default:
			i, last = i+1, ""
		}
	}
	return nil
}

func refused(what string) error {
	return fmt.Errorf("%s in generated SQL text: %w", what, errs.ErrInternal)
}

func deniedCall(name string, denied map[string]bool) (string, bool) {
	if denied[name] {
		return name, true
	}
	for _, p := range deniedPrefixes {
		if strings.HasPrefix(name, p) {
			return name, true
		}
	}
	return name, false
}

// quoteEnd gives the position after the text or name that starts at i; its quote is doubled inside.
func quoteEnd(sql string, i int) (int, bool) {
	q := sql[i]
	for j := i + 1; j < len(sql); j++ {
		if sql[j] != q {
			continue
		}
		if j+1 < len(sql) && sql[j+1] == q {
			j++
			continue
		}
		return j + 1, true
	}
	return 0, false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// checkTables refuses SQL text that names a table that is no view of the plan.
func (s *session) checkTables(sql string) error {
	list := db.GetTableNames(s.conn.conn, sql, false)
	if list.Ptr == nil {
		return nil // text that DuckDB can't read: preparing it tells why
	}
	defer db.DestroyValue(&list)
	for i := range db.GetListSize(list) {
		item := db.GetListChild(list, i)
		name := db.GetVarchar(item)
		db.DestroyValue(&item)
		if !s.names[strings.ToLower(name)] {
			return fmt.Errorf("generated SQL text names the table %q: %w", name, errs.ErrInternal)
		}
	}
	return nil
}
