package sqltext

import "strings"

// describe reads DESCRIBE [TABLE] t, DESCRIBE query, and DESCRIBE alone, which is SHOW TABLES.
func (r *rewriter) describe() Statement {
	out := &ShowStmt{What: "columns", Pos: r.here()}
	r.advance()
	if t := r.peek(); t.isWord("select", "with", "from", "values", "pivot", "unpivot") || r.queryAhead(r.pos) {
		q, ok := r.queryStatement().(*QueryStmt)
		if !ok {
			return nil
		}
		out.Query = q.Query
		return out
	}
	r.accept("table")
	out.Pos = r.here()
	if r.peek().kind == tokEnd || r.peek().isSign(";") {
		out.What = "tables"
		return out
	}
	out.Name = r.names()
	return out
}

// pragma reads the PRAGMAs that list tables.
func (r *rewriter) pragma() Statement {
	at := int(r.advance().start)
	switch {
	case r.accept("show_tables"):
		return &ShowStmt{What: "tables", Pos: at}
	case r.accept("show_tables_expanded"):
		return allOf(&TableName{Listing: ShowAllTables, Pos: at})
	case r.accept("database_list"):
		return allOf(&TableFunc{Call: &FuncCall{At: At{Pos: at}, Name: "pragma_database_list"}, Pos: at})
	case r.accept("table_info"):
		r.expectSign("(")
		table := &TableName{Listing: TableInfo, Pos: r.here()}
		if t := r.peek(); t.kind == tokString {
			r.advance()
			name, err := ParseName(t.text)
			if err != nil {
				r.fail(table.Pos, "the text is no name of a table")
			}
			table.Name = name
		} else {
			table.Name = r.names()
		}
		r.expectSign(")")
		return allOf(table)
	}
	r.failHint(at, "table_info('t'), show_tables, show_tables_expanded and database_list are there", "PRAGMA %s is not supported", r.peek().text)
	return nil
}

// allOf is SELECT * FROM what tells of tables.
func allOf(from TableExpr) Statement {
	all := SelectItem{Expr: &Star{}, Text: "*"}
	return &QueryStmt{Query: &Query{Body: &Select{Items: []SelectItem{all}, From: []TableExpr{from}}}}
}

// show reads SHOW [FULL] TABLES [FROM schema] [LIKE pattern], SHOW VIEWS, SHOW SCHEMAS, SHOW DATABASES, SHOW COLUMNS FROM t,
// SHOW CREATE VIEW v, SHOW ALL, and SHOW option.
func (r *rewriter) show() Statement {
	first := int(r.advance().start)
	out := &ShowStmt{Pos: r.here()}
	switch at := r.here(); {
	case r.accept("all", "tables"):
		return allOf(&TableName{Listing: ShowAllTables, Pos: first})
	case r.accept("all"):
		out.What = "all"
	case r.accept("create", "view"):
		out.What, out.Pos = "create view", r.here()
		out.Name = r.names()
	case r.accept("create"):
		r.failHint(at, "SHOW CREATE VIEW tells the text of a view, DESCRIBE the columns of a table", "SHOW CREATE %s is not supported", upper(r.peek().text))
	case r.accept("time", "zone"):
		out.What = "timezone"
	case r.accept("transaction", "isolation", "level"):
		out.What = "transaction_isolation"
	case r.accept("full", "tables"):
		r.showNames(out, "full tables")
	case r.accept("tables"):
		r.showNames(out, "tables")
	case r.accept("views"):
		r.showNames(out, "views")
	case r.accept("schemas"):
		r.showNames(out, "schemas")
	case r.accept("databases"), r.accept("catalogs"):
		r.showNames(out, "databases")
	case r.accept("columns"), r.accept("full", "columns"):
		r.showNames(out, "columns")
		if r.err == nil && len(out.Name) == 0 {
			r.unexpected("FROM and a table")
		}
	default:
		if t := r.peek(); t.kind == tokWord && reservedWords[t.text] {
			r.unexpected("a name")
		}
		out.What = strings.ToLower(r.dotted())
	}
	return out
}

// showNames reads [FROM name] [LIKE pattern] of a listing.
func (r *rewriter) showNames(out *ShowStmt, what string) {
	out.What = what
	if r.accept("from") || r.accept("in") {
		out.Pos = r.here()
		out.Name = r.names()
	}
	if r.accept("like") {
		t := r.peek()
		if t.kind != tokString {
			r.unexpected("a pattern as a text")
			return
		}
		r.advance()
		out.Like = &t.text
	}
	if t := r.peek(); t.isWord("where") {
		r.failHint(int(t.start), "read information_schema", "WHERE of SHOW is not supported")
	}
}

// transaction reads BEGIN [TRANSACTION|WORK], START TRANSACTION, COMMIT, END, ROLLBACK and ABORT. What a transaction promises
// beyond single statements is refused.
func (r *rewriter) transaction() Statement {
	t := r.advance()
	out := &TransactionStmt{Kind: upper(t.text), Pos: int(t.start)}
	if t.isWord("start") {
		r.expect("transaction")
	} else if !r.accept("transaction") {
		r.accept("work")
	}
	r.transactionModes(out)
	switch at := r.here(); {
	case r.accept("to"), r.accept("and", "chain"), r.accept("prepared"):
		r.unsupported(at, "%s of a transaction is not supported", upper(r.text[at:r.lastEnd()]))
	}
	return out
}

// transactionModes reads what a transaction is to be.
func (r *rewriter) transactionModes(out *TransactionStmt) {
	for first := true; r.err == nil && (first || r.acceptSign(",")); first = false {
		switch at := r.here(); {
		case r.accept("read", "only"):
			out.ReadOnly = true
		case r.accept("read", "write"), r.accept("isolation", "level", "read", "committed"), r.accept("isolation", "level", "read", "uncommitted"):
		case r.accept("isolation"):
			r.unsupported(at, "each statement reads the newest versions: READ COMMITTED is the isolation level there is")
		}
	}
}
