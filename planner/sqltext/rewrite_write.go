package sqltext

import (
	"slices"
	"strings"
)

// What a statement that changes something reads becomes queries, so that its names and types are checked as those of any
// query are: the table with the columns that are named and the expressions over it as one, a source query as another.

// writeStatement reads INSERT, UPDATE, DELETE, MERGE, and what makes, changes or drops a table. Statements on other
// objects are passed over.
func (r *rewriter) writeStatement(kind string) Statement {
	out := &WriteStmt{Kind: kind, Pos: r.here()}
	var with frag
	if r.peek().isWord("with") {
		with = r.with()
	}
	switch kind {
	case "INSERT":
		r.insert(out, with)
	case "UPDATE":
		r.update(out, with)
	case "DELETE":
		r.deleteFrom(out, with)
	case "MERGE":
		r.merge(out, with)
	case "CREATE TABLE":
		r.createTable(out)
	case "DROP TABLE":
		r.dropTable(out)
	case "ALTER TABLE":
		r.alterTable(out)
	case "TRUNCATE", "TRUNCATE TABLE":
		r.expect("truncate")
		r.accept("table")
		r.reads(out, frag{}, nil, r.table(r.target()))
	default:
		for r.peek().kind != tokEnd && !r.peek().isSign(";") {
			r.advance()
		}
	}
	return out
}

// reads adds the query that reads items, or nothing but the table, from tables.
func (r *rewriter) reads(out *WriteStmt, with frag, items []frag, tables ...frag) {
	if r.err != nil {
		return
	}
	pos := headPos(tables[0])
	if len(items) == 0 {
		items = []frag{r.readItem(r.leaf("number", &NumberLit{At{pos}, "1"}))}
	}
	columns := append([]frag{r.mark("select", pos, sideSelect{pos: pos})}, items...)
	r.readsQuery(out, cat(with, one("SELECT ", pos), list(columns), one(" FROM ", pos), list(tables)), pos)
}

func (r *rewriter) readsQuery(out *WriteStmt, q frag, pos int) {
	if r.err != nil {
		return
	}
	at := r.pos
	if query := r.convertQuery(q, pos); query != nil {
		out.Reads = append(out.Reads, query)
		r.pos = at
	}
}

func (r *rewriter) readItem(x frag) frag {
	pos := headPos(x)
	return cat(x, one(" AS "+marker("item", r.add(sideItem{text: "read", pos: pos})), pos))
}

// target reads the name of the table that is changed, and its alias.
func (r *rewriter) target() sideTable {
	side := sideTable{pos: r.here(), name: r.targetName()}
	t := r.peek()
	if r.accept("as") || t.kind == tokQuoted || t.kind == tokWord && namesColumn(t.text) && !t.isWord("set", "values", "add", "rename", "alter", "drop") {
		alias, _ := r.ident()
		side.alias = &alias
	}
	return side
}

// targetName reads a table's name, which columns in parentheses may follow.
func (r *rewriter) targetName() []Ident {
	first, _ := r.ident()
	name := []Ident{first}
	for r.acceptSign(".") {
		part, _ := r.label()
		name = append(name, part)
	}
	return name
}

// table is a table's name as an element of FROM.
func (r *rewriter) table(side sideTable) frag { return one(marker("table", r.add(side)), side.pos) }

// columnName reads the name of a column, or the path of a field, as an item to read.
func (r *rewriter) columnName() frag {
	pos := r.here()
	return r.readItem(r.leaf("name", &Name{At{pos}, r.names()}))
}

func (r *rewriter) insert(out *WriteStmt, with frag) {
	r.expect("insert")
	if r.accept("or") && !r.accept("replace") && !r.accept("ignore") {
		r.unexpected("REPLACE or IGNORE")
	}
	r.expect("into")
	table := r.target()
	var items []frag
	if r.peek().isSign("(") && !r.queryAhead(r.pos) {
		r.advance()
		for first := true; first || r.acceptSign(","); first = false {
			items = append(items, r.columnName())
		}
		r.expectSign(")")
	}
	if r.words("by", "name") || r.words("by", "position") {
		r.pos += 2
	}
	if pos := r.here(); !r.accept("default", "values") {
		source := r.query()
		r.readsQuery(out, cat(with, source.frag), pos)
		out.Columns = len(items)
	}
	if r.peek().isWord("on") {
		r.unsupported(r.here(), "ON CONFLICT is not supported")
	}
	r.reads(out, frag{}, r.returning(items), r.table(table))
}

// returning adds the columns of RETURNING to items.
func (r *rewriter) returning(items []frag) []frag {
	if !r.accept("returning") {
		return items
	}
	for first := true; first || r.acceptSign(","); first = false {
		items = append(items, r.item())
	}
	return items
}

func (r *rewriter) update(out *WriteStmt, with frag) {
	r.expect("update")
	target := r.target()
	r.expect("set")
	columns, items := r.assignments(nil, nil)
	tables, items := r.sourceAndCondition([]frag{r.table(target)}, items, "from")
	r.reads(out, frag{}, columns, r.table(target))
	r.reads(out, with, r.returning(items), tables...)
}

// assignments adds the columns and the values of column = value, ...
func (r *rewriter) assignments(columns, items []frag) ([]frag, []frag) {
	for first := true; first || r.acceptSign(","); first = false {
		columns = append(columns, r.columnName())
		r.expectSign("=")
		items = r.value(items)
	}
	return columns, items
}

// value adds the value of a column, which may be DEFAULT, to items.
func (r *rewriter) value(items []frag) []frag {
	if t, next := r.peek(), r.peekAt(1); t.isWord("default") && !next.isSign(".") && !next.isSign("(") {
		r.advance()
		return items
	}
	return append(items, r.readItem(r.expr()))
}

func (r *rewriter) deleteFrom(out *WriteStmt, with frag) {
	r.expect("delete", "from")
	tables, items := r.sourceAndCondition([]frag{r.table(r.target())}, nil, "using")
	r.reads(out, with, r.returning(items), tables...)
}

// sourceAndCondition adds the tables behind a word and the condition of WHERE, which must read no stats in place of values.
func (r *rewriter) sourceAndCondition(tables, items []frag, word string) ([]frag, []frag) {
	if r.accept(word) {
		for first := true; first || r.acceptSign(","); first = false {
			tables = append(tables, r.tableExpr())
		}
	}
	if r.accept("where") {
		items = append(items, r.readItem(r.expr()))
	}
	return tables, items
}

// mergeReads is what a MERGE reads: columns of its target, expressions over target and source, and such over the source.
type mergeReads struct{ columns, both, source []frag }

func (r *rewriter) merge(out *WriteStmt, with frag) {
	r.expect("merge", "into")
	target := r.target()
	r.expect("using")
	from := r.pos
	source := r.tableTerm()
	var reads mergeReads
	if r.accept("using") {
		r.identList()
	} else {
		r.expect("on")
		reads.both = append(reads.both, r.readItem(r.expr()))
	}
	if !r.peek().isWord("when") {
		r.unexpected("WHEN")
	}
	for r.accept("when") {
		r.accept("not")
		r.expect("matched")
		if r.accept("by") && !r.accept("source") {
			r.expect("target")
		}
		if r.accept("and") {
			reads.both = append(reads.both, r.readItem(r.expr()))
		}
		r.expect("then")
		r.mergeAction(&reads)
	}
	if r.peek().isWord("returning") {
		r.unsupported(r.here(), "RETURNING of MERGE is not supported")
	}
	if r.err != nil {
		return
	}
	r.reads(out, frag{}, reads.columns, r.table(target))
	end := r.pos
	r.pos = from
	alone := r.tableTerm()
	r.pos = end
	if with.head == nil { // else the names of WITH may be all that it reads
		r.reads(out, frag{}, reads.source, alone)
	}
	r.reads(out, with, reads.both, r.table(target), source)
}

func (r *rewriter) mergeAction(reads *mergeReads) {
	switch {
	case r.accept("do", "nothing"), r.accept("delete"):
	case r.accept("update"):
		if r.acceptSign("*") {
			break
		}
		if r.expect("set"); !r.acceptSign("*") {
			reads.columns, reads.both = r.assignments(reads.columns, reads.both)
		}
	case r.accept("insert"):
		if r.acceptSign("*") || r.accept("default", "values") {
			break
		}
		if r.acceptSign("(") {
			for first := true; first || r.acceptSign(","); first = false {
				reads.columns = append(reads.columns, r.columnName())
			}
			r.expectSign(")")
		}
		r.expect("values")
		r.expectSign("(")
		for first := true; first || r.acceptSign(","); first = false {
			reads.source = r.value(reads.source)
		}
		r.expectSign(")")
	default:
		r.unexpected("UPDATE, DELETE, INSERT or DO NOTHING")
	}
}

func (r *rewriter) dropTable(out *WriteStmt) {
	r.expect("drop", "table")
	out.Lenient = r.accept("if", "exists")
	for first := true; first || r.acceptSign(","); first = false {
		r.reads(out, frag{}, nil, r.table(sideTable{pos: r.here(), name: r.targetName()}))
	}
	if !r.accept("cascade") {
		r.accept("restrict")
	}
}

func (r *rewriter) alterTable(out *WriteStmt) {
	r.expect("alter", "table")
	out.Lenient = r.accept("if", "exists")
	table := r.target()
	var items []frag
	var fresh []*Name
	for first := true; first || r.acceptSign(","); first = false {
		var name *Name
		if items, name = r.alteration(items); name != nil {
			fresh = append(fresh, name)
		}
	}
	r.reads(out, frag{}, items, r.table(table))
	for _, name := range fresh {
		r.freshColumn(out, table, name)
	}
}

// freshColumn notes a column that must not be in the table yet.
func (r *rewriter) freshColumn(out *WriteStmt, table sideTable, name *Name) {
	var read WriteStmt
	r.reads(&read, frag{}, []frag{r.readItem(r.leaf("name", name))}, r.table(table))
	if len(read.Reads) == 1 {
		out.Fresh = append(out.Fresh, FreshColumn{Name: name.Parts[len(name.Parts)-1].Text, Read: read.Reads[0], Pos: name.Pos})
	}
}

// alteration reads one change of a table and adds the columns that it changes to items; fresh is the one that it makes.
func (r *rewriter) alteration(items []frag) (changed []frag, fresh *Name) {
	switch {
	case r.accept("add"):
		r.accept("column")
		lenient := r.accept("if", "not", "exists")
		if name := (&Name{At{r.here()}, r.names()}); !lenient {
			fresh = name
		}
		r.columnType()
	case r.accept("drop"):
		r.accept("column")
		lenient := r.accept("if", "exists")
		if c := r.columnName(); !lenient {
			items = append(items, c)
		}
		if !r.accept("cascade") {
			r.accept("restrict")
		}
	case r.accept("rename", "to"):
		r.names()
	case r.accept("rename"):
		r.accept("column")
		old := &Name{At{r.here()}, r.names()}
		items = append(items, r.readItem(r.leaf("name", old)))
		r.expect("to")
		pos, last := r.here(), len(old.Parts)-1
		if name, ok := r.label(); ok && !strings.EqualFold(name.Text, old.Parts[last].Text) {
			fresh = &Name{At{pos}, append(slices.Clone(old.Parts[:last]), name)}
		}
	case r.accept("alter"):
		r.accept("column")
		items = append(items, r.columnName())
		r.columnChange()
	default:
		r.unexpected("ADD, DROP, RENAME or ALTER")
	}
	return items, fresh
}

// columnChange reads what stands behind ALTER COLUMN name.
func (r *rewriter) columnChange() {
	switch {
	case r.accept("set", "data", "type"), r.accept("type"):
		r.typeName()
		if r.accept("using") {
			r.unsupported(r.here(), "USING is not supported")
		}
	case r.accept("set", "default"):
		r.expr()
	case r.accept("drop", "default"), r.accept("set", "not", "null"), r.accept("drop", "not", "null"):
	default:
		r.unexpected("TYPE, SET or DROP")
	}
}

// createTable reads CREATE [OR REPLACE] [TEMP] TABLE [IF NOT EXISTS] t [(columns)] [WITH (options)] [AS query].
func (r *rewriter) createTable(out *WriteStmt) {
	r.expect("create")
	out.Creates = true
	out.Lenient = r.accept("or", "replace")
	for r.accept("temp") || r.accept("temporary") {
	}
	r.expect("table")
	if r.accept("if", "not", "exists") {
		out.Lenient = true
	}
	r.reads(out, frag{}, nil, r.table(sideTable{pos: r.here(), name: r.targetName()}))
	defined := r.peek().isSign("(")
	if defined {
		r.columnDefinitions()
	}
	if r.accept("with") {
		r.balanced()
	}
	if !r.accept("as") {
		if !defined {
			r.unexpected("columns or AS")
		}
		return
	}
	at := r.here()
	source := r.query()
	r.readsQuery(out, source.frag, at)
}

func (r *rewriter) columnDefinitions() {
	r.expectSign("(")
	seen := map[string]bool{}
	for first := true; first || r.acceptSign(","); first = false {
		if t, next := r.peek(), r.peekAt(1); t.isWord("constraint") || next.isSign("(") || next.isWord("key") {
			r.unsupported(int(t.start), "constraints of a table are not supported")
		}
		pos := r.here()
		name, _ := r.ident()
		if folded := strings.ToLower(name.Text); seen[folded] {
			r.fail(pos, "the column %s stands twice in the table", name.Text)
		} else {
			seen[folded] = true
		}
		if r.peek().isSign(",") || r.peek().isSign(")") { // CREATE TABLE t (a, b) AS SELECT ...
			continue
		}
		r.columnType()
	}
	r.expectSign(")")
}

// columnType reads a type and what may be said of a column.
func (r *rewriter) columnType() {
	r.typeName()
	for {
		t := r.peek()
		switch {
		case r.accept("not", "null"), r.accept("null"):
		case r.accept("default"):
			r.expr()
		case t.isWord("primary", "unique", "check", "references", "generated", "collate", "constraint"):
			r.unsupported(int(t.start), "%s of a column is not supported", upper(t.text))
			return
		default:
			return
		}
	}
}

// balanced passes over something in parentheses.
func (r *rewriter) balanced() {
	open := r.pos
	if r.expectSign("("); r.err == nil {
		r.pos = int(r.match[open]) + 1
	}
}
