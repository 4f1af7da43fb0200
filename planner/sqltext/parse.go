package sqltext

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	// The driver supplies the parser's literal values.
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"github.com/lanceflight/flightsrv/errs"
)

// sqlMode makes "x" a name, || no logical operator, and a backslash an ordinary character, where the rewritten text
// should ever hold one of them.
const sqlMode = mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes

// Parse reads one statement. An error is an *errs.SQLError with line and column of text.
func Parse(text string) (parsed *Parsed, err error) {
	defer guard(&parsed, &err)
	r, params, err := newRewriter(text)
	if err != nil {
		return nil, err
	}
	stmt := r.statement()
	if r.err != nil {
		return nil, r.err
	}
	return &Parsed{Text: text, Statement: stmt, Params: params, ParamPos: r.paramPos()}, nil
}

// paramPos is where the first parameter stands, 0 where there is none.
func (r *rewriter) paramPos() int {
	for _, t := range r.toks {
		if t.kind == tokParam {
			return int(t.start)
		}
	}
	return 0
}

// ParseExpr reads a scalar expression, as a filter is; params is the number of its parameters.
func ParseExpr(text string) (expr Expr, params int, err error) {
	defer guard(&expr, &err)
	r, params, err := newRewriter(text)
	if err != nil {
		return nil, 0, err
	}
	f := r.expr()
	if r.peek().kind != tokEnd {
		r.unexpected("")
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	expr = r.convertExpr(f)
	if r.err != nil {
		return nil, 0, r.err
	}
	return expr, params, nil
}

// ParseName reads a dotted name as SQL has it: parts bare, "quoted" or `quoted`.
func ParseName(text string) (name []Ident, err error) {
	defer guard(&name, &err)
	r, _, err := newRewriter(text)
	if err != nil {
		return nil, err
	}
	for first := true; first || r.acceptSign("."); first = false {
		part, _ := r.label()
		name = append(name, part)
	}
	if r.peek().kind != tokEnd {
		r.unexpected("")
	}
	if r.err != nil {
		return nil, r.err
	}
	return name, nil
}

// guard turns a panic of the parser below into an error: no text of a user may end the process.
func guard[T any](result *T, err *error) {
	if p := recover(); p != nil {
		var none T
		*result, *err = none, &errs.SQLError{Kind: errs.ErrInternal, Line: 1, Column: 1, Msg: "the statement can't be parsed"}
	}
}

// tidbParse runs the tidb parser over rewritten text.
func (r *rewriter) tidbParse(f frag) (ast.StmtNode, *posMap) {
	text, positions := render(f)
	p := parser.New()
	p.SetSQLMode(sqlMode)
	stmts, _, err := p.ParseSQL(text)
	if err == nil && len(stmts) == 1 {
		return stmts[0], positions
	}
	pos := 0
	if err != nil {
		pos = positions.at(errorOffset(text, err.Error()))
	}
	r.fail(pos, "syntax error near %q", near(r.text, pos))
	return nil, nil
}

// errorOffset finds the place that a message of the tidb parser names: it quotes the rest of the text from there on, as
// `line 1 column 12 near "..."`, and the text is one line.
func errorOffset(text, message string) int {
	_, after, ok := strings.Cut(message, `near "`)
	if !ok {
		return 0
	}
	quoted := after
	if i := strings.LastIndex(after, `"`); i >= 0 {
		quoted = after[:i]
	}
	if quoted == "" {
		return len(text)
	}
	return max(strings.LastIndex(text, quoted), 0)
}

func (r *rewriter) convertQuery(f frag, pos int) *Query {
	stmt, positions := r.tidbParse(f)
	if r.err != nil {
		return nil
	}
	c := &converter{rewriter: r, positions: positions}
	q := c.query(stmt)
	if c.err != nil {
		return nil
	}
	q.Pos = pos
	return q
}

func (r *rewriter) convertExpr(f frag) Expr {
	stmt, positions := r.tidbParse(cat(one("SELECT ", 0), f))
	if r.err != nil {
		return nil
	}
	sel, ok := stmt.(*ast.SelectStmt)
	if !ok || len(sel.Fields.Fields) != 1 {
		r.fail(0, "one expression expected")
		return nil
	}
	c := &converter{rewriter: r, positions: positions}
	return c.expr(sel.Fields.Fields[0].Expr)
}
