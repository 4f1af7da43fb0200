// Package sqltext reads SQL as people and tools write it: it checks length and nesting, rewrites token by token what
// the tidb grammar lacks or would take for something else, has the tidb parser parse the rest, and converts the result
// into a tree of its own with positions in the user's text. It is the only package that knows the parser.
package sqltext

// Parse reads one statement. An error is an *errs.SQLError with line and column of text.
//
//	func Parse(text string) (*Parsed, error)

// Parsed is a statement read from text.
type Parsed struct {
	Text      string
	Statement Statement
	Params    int // number of parameters
}
