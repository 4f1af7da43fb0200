package sqltext

import "strings"

// statement reads one statement, and an optional semicolon behind it.
func (r *rewriter) statement() Statement {
	for r.acceptSign(";") {
	}
	if r.peek().kind == tokEnd {
		r.fail(r.here(), "the statement is empty")
		return nil
	}
	stmt := r.statementBody(true)
	if r.err != nil {
		return nil
	}
	if !r.peek().isSign(";") && r.peek().kind != tokEnd {
		r.unexpected("")
		return nil
	}
	for r.acceptSign(";") {
	}
	if r.peek().kind != tokEnd {
		r.failHint(r.here(), "send them one by one", "one statement at a time is taken, near %q", near(r.text, r.here()))
		return nil
	}
	return stmt
}

func (r *rewriter) statementBody(top bool) Statement {
	t := r.peek()
	if r.queryAhead(r.pos) {
		return r.queryStatement()
	}
	if t.kind == tokWord {
		switch t.text {
		case "with":
			if kind := r.writeAfterWith(); kind != "" {
				return r.writeStatement(kind)
			}
			return r.queryStatement()
		case "select", "values", "from", "table", "pivot", "unpivot", "summarize":
			return r.queryStatement()
		case "explain":
			if top {
				return r.explain()
			}
		case "set":
			return r.set()
		case "reset":
			return r.reset()
		case "discard":
			return r.discard()
		case "use":
			return r.use()
		case "show":
			return r.show()
		case "describe", "desc":
			return r.describe()
		case "pragma":
			return r.pragma()
		case "begin", "start", "commit", "end", "rollback", "abort":
			return r.transaction()
		case "insert", "update", "delete", "merge", "create", "drop", "alter", "truncate":
			switch kind := r.writeKind(); kind {
			case "CREATE VIEW":
				return r.createView()
			case "DROP VIEW":
				return r.dropView()
			default:
				return r.writeStatement(kind)
			}
		case "replace", "copy", "attach", "detach", "install", "load", "call", "export", "import", "vacuum", "checkpoint",
			"analyze", "prepare", "execute", "deallocate", "grant", "revoke",
			"comment", "force", "lock", "savepoint", "declare", "fetch", "close", "listen", "notify":
			r.unsupported(int(t.start), "%s is not supported", upper(t.text))
			return nil
		}
	}
	r.unexpected("a statement, as SELECT,")
	return nil
}

func (r *rewriter) queryStatement() Statement {
	pos := r.here()
	q := r.query()
	if r.err == nil && r.peek().kind != tokEnd && !r.peek().isSign(";") {
		r.unexpected("")
	}
	if r.err != nil {
		return nil
	}
	query := r.convertQuery(q.frag, pos)
	if r.err != nil {
		return nil
	}
	return &QueryStmt{Query: query}
}

// explain reads EXPLAIN [ANALYZE] [FORMAT = 'json'] in any order, and DuckDB's EXPLAIN (ANALYZE, FORMAT json).
func (r *rewriter) explain() Statement {
	r.expect("explain")
	out := &ExplainStmt{}
	if r.peek().isSign("(") && !r.queryAhead(r.pos) {
		r.advance()
		for first := true; first || r.acceptSign(","); first = false {
			r.explainOption(out)
		}
		r.expectSign(")")
	} else {
		for r.peek().isWord("analyze", "analyse", "format", "verbose") {
			r.explainOption(out)
		}
	}
	if r.err != nil {
		return nil
	}
	out.Query = r.statementBody(false)
	switch out.Query.(type) {
	case nil, *QueryStmt, *WriteStmt:
	default:
		r.fail(0, "EXPLAIN takes a query")
	}
	return out
}

func (r *rewriter) explainOption(out *ExplainStmt) {
	t := r.peek()
	switch {
	case r.accept("analyze"), r.accept("analyse"):
		out.Analyze = true
	case r.accept("format"):
		r.acceptSign("=")
		f := r.peek()
		if f.kind != tokString && f.kind != tokWord && f.kind != tokQuoted {
			r.unexpected("a format")
			return
		}
		r.advance()
		switch strings.ToLower(f.text) {
		case "json":
			out.JSON = true
		case "text":
			out.JSON = false
		default:
			r.unsupported(int(f.start), "the format %q is not supported: json and text are", f.text)
		}
	default:
		r.unsupported(int(t.start), "the option %s of EXPLAIN is not supported", near(r.text[:t.end], int(t.start)))
	}
}

// set reads SET [SESSION] name = value, SET name TO value, value, SET TIME ZONE value, SET NAMES value and SET TRANSACTION modes.
func (r *rewriter) set() Statement {
	start := r.here()
	r.expect("set")
	if r.accept("session", "characteristics", "as", "transaction") || r.accept("session", "transaction") || r.accept("transaction") {
		out := &TransactionStmt{Kind: "SET TRANSACTION", Pos: start}
		if r.peek().isWord("snapshot") || r.peek().kind == tokEnd {
			r.unexpected("ISOLATION LEVEL, READ ONLY or READ WRITE")
		}
		r.transactionModes(out)
		return out
	}
	if t, next := r.peek(), r.peekAt(1); t.isWord("session", "global", "local", "variable") && next.kind == tokWord && !next.isWord("to") {
		if !t.isWord("session") {
			r.unsupported(int(t.start), "SET %s is not supported", upper(t.text))
		}
		r.advance()
	}
	out := &SetStmt{Pos: r.here()}
	switch {
	case r.accept("time", "zone"):
		out.Name = "timezone"
	case r.words("names") && !r.peekAt(1).isSign("=") && !r.peekAt(1).isWord("to"):
		r.advance()
		out.Name = "client_encoding"
	default:
		out.Name = strings.ToLower(r.dotted())
		if !r.acceptSign("=") && !r.accept("to") {
			r.unexpected("= or TO")
		}
	}
	if r.accept("default") {
		out.Reset = true
		return out
	}
	for first := true; first || r.acceptSign(","); first = false {
		out.Values = append(out.Values, r.setValue())
	}
	return out
}

func (r *rewriter) setValue() string {
	sign := ""
	if r.acceptSign("-") {
		sign = "-"
	} else {
		r.acceptSign("+")
	}
	t := r.peek()
	switch {
	case t.kind == tokNumber:
		r.advance()
		return sign + t.text
	case sign != "":
	case t.kind == tokString, t.kind == tokQuoted:
		r.advance()
		return t.text
	case t.kind == tokWord:
		r.advance()
		value := r.text[t.start:t.end]
		for r.peek().isSign(".") {
			r.advance()
			part, _ := r.label()
			value += "." + part.Text
		}
		return value
	}
	r.unexpected("a value")
	return ""
}

// reset reads RESET [SESSION] name and RESET ALL.
func (r *rewriter) reset() Statement {
	r.expect("reset")
	if t := r.peek(); t.isWord("session", "global", "local") && r.peekAt(1).kind == tokWord {
		if !t.isWord("session") {
			r.unsupported(int(t.start), "RESET %s is not supported", upper(t.text))
		}
		r.advance()
	}
	out := &SetStmt{Reset: true, Pos: r.here()}
	switch {
	case r.accept("time", "zone"):
		out.Name = "timezone"
	case r.accept("all"):
		out.Name = "all"
	default:
		out.Name = strings.ToLower(r.dotted())
	}
	return out
}

// discard reads DISCARD ALL.
func (r *rewriter) discard() Statement {
	r.expect("discard")
	out := &SetStmt{Name: "all", Reset: true, Discard: true, Pos: r.here()}
	r.expect("all")
	return out
}

func (r *rewriter) use() Statement {
	r.expect("use")
	out := &UseStmt{Pos: r.here()}
	out.Name = r.names()
	return out
}

func (r *rewriter) names() []Ident {
	var out []Ident
	for first := true; first || r.acceptSign("."); first = false {
		part, _ := r.label()
		out = append(out, part)
	}
	return out
}

// writeKind is the kind of the writing statement here, as "CREATE TABLE".
func (r *rewriter) writeKind() string {
	kind := upper(r.peek().text)
	if !r.peek().isWord("create", "drop", "alter", "truncate") {
		return kind
	}
	for i := 1; ; i++ {
		t := r.peekAt(i)
		switch {
		case t.isWord("or", "replace", "temp", "temporary", "unlogged", "persistent", "recursive", "unique", "global", "local"):
		case t.isWord("table", "view", "schema", "index", "sequence", "macro", "function", "type", "secret", "database", "trigger"):
			return kind + " " + upper(t.text)
		case kind == "TRUNCATE":
			return kind
		default:
			r.pos = min(r.pos+i, len(r.toks)-1)
			r.unexpected("TABLE or another kind of object")
			return kind
		}
	}
}

// writeAfterWith tells what kind of writing statement stands behind WITH, if any does.
func (r *rewriter) writeAfterWith() string {
	for i := r.pos; i < len(r.toks)-1; i++ {
		t := &r.toks[i]
		switch {
		case r.match[i] > int32(i):
			i = int(r.match[i])
		case t.isWord("select", "values", "from", "table"):
			return ""
		case t.isWord("insert", "update", "delete", "merge") && r.toks[i-1].isSign(")"):
			return upper(t.text)
		}
	}
	return ""
}
