// Package sqltext reads SQL as people and tools write it, with the meaning that DuckDB gives it. It checks length and
// nesting, rewrites token by token what the tidb grammar lacks or would take for something else, has the tidb parser
// parse the rewritten text, and converts the result into a tree of its own with positions in the user's text. It is the
// only package that knows the parser.
//
// The parser is a LALR grammar of MySQL's SQL. It supplies the structure of queries and expressions; what text means is
// decided before it (see rewriter): whatever the two dialects read differently never reaches it as written.
package sqltext

// Parsed is a statement read from text.
type Parsed struct {
	Text      string
	Statement Statement
	Params    int // number of parameters
	ParamPos  int // where the first one stands
}
