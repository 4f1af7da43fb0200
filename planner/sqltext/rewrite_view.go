package sqltext

import "strings"

// createView reads CREATE [OR REPLACE] [TEMP] VIEW [IF NOT EXISTS] name [(columns)] AS query.
func (r *rewriter) createView() Statement {
	out := &ViewStmt{Pos: r.here()}
	r.expect("create")
	out.Replace = r.accept("or", "replace")
	for {
		t := r.peek()
		if t.isWord("temp", "temporary") {
			r.advance()
			out.Temporary = true
			continue
		}
		if t.isWord("recursive", "global", "local", "unlogged", "persistent", "unique", "or") {
			r.unsupported(int(t.start), "CREATE %s VIEW is not supported", upper(t.text))
		}
		break
	}
	r.expect("view")
	at := r.here()
	if out.Lenient = r.accept("if", "not", "exists"); out.Lenient && out.Replace {
		r.fail(at, "OR REPLACE and IF NOT EXISTS exclude each other")
	}
	out.NamePos = r.here()
	out.Name = r.names()
	if r.peek().isSign("(") {
		out.Columns = r.identList()
	}
	if t := r.peek(); t.isWord("with") {
		r.unsupported(int(t.start), "options of a view are not supported")
	}
	r.expect("as")
	if r.err != nil {
		return nil
	}
	start := r.here()
	q := r.query()
	if t := r.peek(); t.isWord("with") {
		r.unsupported(int(t.start), "WITH CHECK OPTION and WITH NO DATA are not supported")
	}
	if r.err == nil && r.peek().kind != tokEnd && !r.peek().isSign(";") {
		r.unexpected("")
	}
	if r.err != nil {
		return nil
	}
	out.Text = strings.TrimSpace(r.text[start:r.lastEnd()])
	if out.Query = r.convertQuery(q.frag, start); r.err != nil {
		return nil
	}
	return out
}

// dropView reads DROP VIEW [IF EXISTS] name.
func (r *rewriter) dropView() Statement {
	out := &ViewStmt{Drop: true, Pos: r.here()}
	r.expect("drop")
	r.expect("view")
	out.Lenient = r.accept("if", "exists")
	out.NamePos = r.here()
	out.Name = r.names()
	if t := r.peek(); t.isSign(",") {
		r.unsupported(int(t.start), "DROP VIEW of several views is not supported: drop them one by one")
	}
	if t := r.peek(); t.isWord("cascade") {
		r.unsupported(int(t.start), "CASCADE is not supported")
	}
	r.accept("restrict")
	return out
}
