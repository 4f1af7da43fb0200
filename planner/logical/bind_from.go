package logical

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// from binds a FROM list: its elements are joined, and each may see those before it (table functions and lateral
// subqueries do).
func (b *binder) from(list []sqltext.TableExpr, s *scope) (From, error) {
	var out From
	for _, t := range list {
		f, err := b.tableExpr(t, s)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = f
			continue
		}
		out = &Join{Kind: "CROSS", Lateral: isLateral(f), L: out, R: f}
	}
	return out, nil
}

func isLateral(f From) bool {
	switch f := f.(type) {
	case *Sampled:
		return isLateral(f.From)
	case *Derived:
		return f.Lateral
	case *TableFunc:
		return true
	}
	return false
}

// tableExpr binds one element of FROM and adds its relations to s.
func (b *binder) tableExpr(t sqltext.TableExpr, s *scope) (From, error) {
	start, before := len(s.rels), b.rels
	var f From
	var sample *sqltext.Sample
	var err error
	switch t := t.(type) {
	case *sqltext.TableName:
		sample = t.Sample
		f, err = b.tableName(t, s)
	case *sqltext.Derived:
		sample = t.Sample
		f, err = b.derived(t, s)
	case *sqltext.TableFunc:
		sample = t.Sample
		f, err = b.tableFunc(t, s)
	case *sqltext.Join:
		f, err = b.join(t, s)
	case *sqltext.Unpivot:
		f, err = b.unpivot(t, s)
	case *sqltext.Pivot:
		f, err = b.pivot(t, s)
	default:
		err = errs.New(errs.ErrInternal, "planner: unknown element of FROM %T", t)
	}
	if err != nil || sample == nil {
		return f, err
	}
	return b.sampled(f, sample, s.rels[start:], before)
}

// sampled takes a sample of what an element of FROM with these relations gives; before counts the relations before it.
func (b *binder) sampled(f From, t *sqltext.Sample, rels []*relation, before int) (From, error) {
	if f == nil {
		return nil, b.errorf(t.Pos, "USING SAMPLE needs a FROM")
	}
	if b.readsAround(f, before) {
		return nil, b.errorf(t.Pos, "a sample can't read columns of the query around it")
	}
	for _, r := range rels {
		r.sampled = true
	}
	size, err := strconv.ParseFloat(strings.ReplaceAll(t.Size, "_", ""), 64)
	if err != nil {
		return nil, b.errorf(t.Pos, "the size of a sample is no number")
	}
	if !t.Percent {
		size = math.RoundToEven(size)
	}
	return &Sampled{From: f, Method: t.Method, Size: size, Percent: t.Percent, Seed: t.Seed}, nil
}

func (b *binder) tableName(t *sqltext.TableName, s *scope) (From, error) {
	if t.Listing != "" {
		return b.listing(t, s)
	}
	if len(t.Name) == 1 && t.AsOf == nil {
		if def := s.ctes.find(t.Name[0].Text); def != nil {
			return b.cteRef(t, def, s)
		}
		if v, ok := b.temporary(t.Name[0].Text); ok {
			return b.view(t, v, s)
		}
	}
	return b.scanOf(t, "", s)
}

// scanOf binds a table's rows, or what describes it.
func (b *binder) scanOf(t *sqltext.TableName, about scan.About, s *scope) (From, error) {
	ref, err := b.tableRef(t)
	if err != nil {
		return nil, err
	}
	ref.About = about
	src, err := b.source(ref, t.Pos)
	if err != nil {
		return nil, err
	}
	if v, ok := src.(*scan.View); ok {
		switch {
		case ref.Version != "" || ref.AsOf != nil:
			return nil, b.errorf(t.Pos, "%s is a view, which has no versions", v.Name())
		case about != "":
			return nil, b.errorf(t.Pos, "%s is a view, which has no %s", v.Name(), about.Kind())
		}
		return b.view(t, v, s)
	}
	id, err := b.newRel(t.Pos)
	if err != nil {
		return nil, err
	}
	rel := &relation{id: id, qual: b.qualifiers(t, ref, src), cols: b.tableCols(src), scan: true, pos: t.Pos}
	if ref.Version != "" && t.Alias == nil {
		rel.versioned = t.Name[len(t.Name)-1].Text
	}
	if err := b.renameCols(rel, t.Columns, t.Pos); err != nil {
		return nil, err
	}
	if err := b.addRel(s, rel); err != nil {
		return nil, err
	}
	return &Scan{Rel: id, Source: src, Alias: rel.qual[len(rel.qual)-1], Limit: -1}, nil
}

// tableCols gives the columns of a table; they are worked out once for all its uses.
func (b *binder) tableCols(src scan.Source) []Col {
	cols, ok := b.columns[src]
	if !ok {
		cols = TableCols(src.Schema())
		b.columns[src] = cols
	}
	return slices.Clone(cols)
}

func (b *binder) qualifiers(t *sqltext.TableName, ref scan.TableRef, src scan.Source) []string {
	if t.Alias != nil {
		return []string{t.Alias.Text}
	}
	if full := splitKey(src.Name()); len(full) == 3 {
		return full
	}
	var q []string
	for _, p := range []string{ref.Catalog, ref.Schema} {
		if p != "" {
			q = append(q, p)
		}
	}
	return append(q, ref.Table)
}

// splitKey takes a dotted name of Key-quoted parts apart.
func splitKey(name string) []string {
	var parts []string
	for i := 0; i < len(name); {
		if name[i] != '"' {
			end := strings.IndexByte(name[i:], '.')
			if end < 0 {
				return append(parts, name[i:])
			}
			parts = append(parts, name[i:i+end])
			i += end + 1
			continue
		}
		var part strings.Builder
		i++
		for i < len(name) {
			if name[i] == '"' {
				if i+1 < len(name) && name[i+1] == '"' {
					i++
				} else {
					break
				}
			}
			part.WriteByte(name[i])
			i++
		}
		parts = append(parts, part.String())
		i += 2
	}
	return parts
}

func (b *binder) tableRef(t *sqltext.TableName) (scan.TableRef, error) {
	parts := make([]string, len(t.Name))
	for i, p := range t.Name {
		parts[i] = p.Text
	}
	ref, err := TableRefOf(parts, b.o)
	if err != nil {
		return ref, b.at(t.Pos, err)
	}
	if t.AsOf == nil {
		return ref, nil
	}
	if ref.Version != "" {
		return ref, b.errorf(t.AsOf.ExprPos(), "a table has either a version or AS OF TIMESTAMP, not both")
	}
	us, err := b.asOf(t.AsOf)
	if err != nil {
		return ref, err
	}
	ref.AsOf = &us
	return ref, nil
}

// TableRefOf reads the parts of a table's name: [[catalog.]schema.]table, or catalog.table for its default schema, with the version after the last part's first
// '@' and the session's catalog and schema where they are left out.
func TableRefOf(parts []string, o Options) (scan.TableRef, error) {
	if len(parts) == 0 || len(parts) > 3 {
		return scan.TableRef{}, errs.Invalidf("a table is named [catalog.][schema.]table, not %s", expr.FieldPath(parts))
	}
	ref := scan.TableRef{Catalog: o.Catalog, Schema: o.Schema, Table: parts[len(parts)-1]}
	if len(parts) > 1 {
		ref.Schema = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		ref.Catalog = parts[0]
	}
	ref.Bare, ref.TwoParts = len(parts) == 1, len(parts) == 2
	if table, version, ok := strings.Cut(ref.Table, "@"); ok {
		if table == "" || version == "" {
			return ref, errs.Invalidf("%q has no table or no version beside the '@'", ref.Table)
		}
		ref.Table, ref.Version = table, version
	}
	return ref, nil
}

// source resolves a table, each version of a table once per statement.
func (b *binder) source(ref scan.TableRef, pos int) (scan.Source, error) {
	key := expr.FieldPath{ref.Catalog, ref.Schema, ref.Table, ref.Version, string(ref.About)}.String()
	if ref.AsOf != nil {
		key += "@" + formatInt(*ref.AsOf)
	}
	if ref.Bare {
		key += "*"
	}
	if src, ok := b.sources[key]; ok {
		return src, nil
	}
	src, err := b.o.Resolver.Resolve(b.ctx, ref)
	if err != nil {
		if errors.Is(err, errs.ErrUnsupported) || errors.Is(err, errs.ErrResourceExhausted) {
			return nil, err // of the table, whatever the text says
		}
		return nil, b.at(pos, err)
	}
	b.sources[key] = src
	return src, nil
}

// addRel adds a relation to the scope; two of one name could not be told apart.
func (b *binder) addRel(s *scope, r *relation) error {
	for _, o := range s.rels {
		if len(o.qual) == len(r.qual) && strings.EqualFold(o.label(), r.label()) && strings.EqualFold(o.versioned, r.versioned) {
			return b.errorf(r.pos, "the table name or alias %s stands twice in FROM", r.label())
		}
	}
	uniqueNames(r.cols)
	s.rels = append(s.rels, r)
	b.relations[r.id] = r
	return nil
}

// uniqueNames gives columns of one name numbers from the second on, as DuckDB does: b, b_1, b_2. Names that differ by case are apart.
func uniqueNames(cols []Col) {
	taken := make(map[string]bool, len(cols))
	for i, c := range cols {
		if c.Hidden {
			continue
		}
		name := c.Name
		for n := 1; taken[name]; n++ {
			name = c.Name + "_" + formatInt(int64(n))
		}
		taken[name], cols[i].Name = true, name
	}
}

func (b *binder) renameCols(r *relation, names []sqltext.Ident, pos int) error {
	visible := make([]int, 0, len(r.cols))
	for i, c := range r.cols {
		if !c.Hidden {
			visible = append(visible, i)
		}
	}
	if len(names) > len(visible) {
		return b.errorf(pos, "%s has fewer columns than names are given: %d, not %d", r.label(), len(visible), len(names))
	}
	for i, n := range names {
		r.cols[visible[i]].Name = n.Text
	}
	return nil
}

func (b *binder) derived(t *sqltext.Derived, s *scope) (From, error) {
	if t.Summary != "" {
		return b.summary(t, &scope{parent: s.parent, ctes: s.ctes}, s)
	}
	q, err := b.query(t.Query, s) // it may read what stands before it, with or without LATERAL
	if err != nil {
		return nil, err
	}
	lateral := t.Lateral || len(s.rels) > 0 && readsAny(q, relSet(s.rels))
	rel, err := b.derivedRel(q, t.Alias, t.Columns, t.Pos)
	if err != nil {
		return nil, err
	}
	if err := b.addRel(s, rel); err != nil {
		return nil, err
	}
	return &Derived{Rel: rel.id, Alias: rel.qual[0], Query: q, Lateral: lateral, Names: newNames(rel, q)}, nil
}

// newNames gives the columns of a relation that have other names than in the query that it is, by their keys.
func newNames(rel *relation, q *Query) map[string]string {
	var out map[string]string
	for i, c := range rel.cols {
		if i >= len(q.Cols) || c.Name == q.Cols[i].Name {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[c.Key] = c.Name
	}
	return out
}

func (b *binder) derivedRel(q *Query, alias *sqltext.Ident, names []sqltext.Ident, pos int) (*relation, error) {
	id, err := b.newRel(pos)
	if err != nil {
		return nil, err
	}
	name := "subquery " + formatInt(int64(id))
	if alias != nil {
		name = alias.Text
	}
	rel := &relation{id: id, qual: []string{name}, cols: derivedCols(q), pos: pos}
	return rel, b.renameCols(rel, names, pos)
}

// derivedCols are the columns of a query as another block sees them.
func derivedCols(q *Query) []Col {
	cols := make([]Col, len(q.Cols))
	for i, c := range q.Cols {
		c.Hidden, c.Named = false, false
		cols[i] = c
	}
	return cols
}

// aboutFuncs are the table functions that describe a table.
var aboutFuncs = map[string]scan.About{
	"lance_versions": scan.AboutVersions, "lance_fragments": scan.AboutFragments, "lance_columns": scan.AboutColumns,
}

// aboutFunc binds a function whose argument is a table's name as a text.
func (b *binder) aboutFunc(t *sqltext.TableFunc, about scan.About, s *scope) (From, error) {
	table, err := b.tableArg(t)
	if err != nil {
		return nil, err
	}
	return b.scanOf(table, about, s)
}

// tableArg gives the table that the one argument of a function names, under the function's alias or name.
func (b *binder) tableArg(t *sqltext.TableFunc) (*sqltext.TableName, error) {
	var text *sqltext.StringLit
	if len(t.Call.Args) == 1 {
		text, _ = t.Call.Args[0].(*sqltext.StringLit)
	}
	if text == nil {
		return nil, b.errorf(t.Pos, "%s takes the name of a table as a text, as in %s('t')", t.Call.Name, t.Call.Name)
	}
	name, err := nameOf(text.Value)
	if err != nil {
		return nil, b.errorf(text.ExprPos(), "%s: the text is no name of a table", t.Call.Name)
	}
	alias := t.Alias
	if alias == nil {
		alias = &sqltext.Ident{Text: t.Call.Name}
	}
	return &sqltext.TableName{Name: name, Alias: alias, Columns: t.Columns, Pos: t.Pos}, nil
}

// nameOf reads a table's name from a text, where the version need not be quoted.
func nameOf(text string) ([]sqltext.Ident, error) {
	name, err := sqltext.ParseName(text)
	bare, version, ok := strings.Cut(text, "@")
	if err == nil || !ok {
		return name, err
	}
	if name, err = sqltext.ParseName(bare); err != nil {
		return nil, err
	}
	name[len(name)-1].Text += "@" + version
	return name, nil
}

// tableInfo binds pragma_table_info('t').
func (b *binder) tableInfo(t *sqltext.TableFunc, s *scope) (From, error) {
	table, err := b.tableArg(t)
	if err != nil {
		return nil, err
	}
	table.Listing = sqltext.TableInfo
	return b.tableName(table, s)
}

// systemFunc binds a function without arguments that describes the catalog, as duckdb_tables() does; false where there is none of
// the name.
func (b *binder) systemFunc(t *sqltext.TableFunc, s *scope) (From, bool, error) {
	if len(t.Call.Args) > 0 {
		return nil, false, nil
	}
	ref := scan.TableRef{Catalog: b.o.Catalog, Schema: systemSchema, Table: t.Call.Name + "()"}
	if _, err := b.o.Resolver.Resolve(b.ctx, ref); err != nil {
		return nil, false, nil //nolint:nilerr // it is no such function, whatever else it is
	}
	alias := t.Alias
	if alias == nil {
		alias = &sqltext.Ident{Text: t.Call.Name}
	}
	name := []sqltext.Ident{{Text: ref.Catalog}, {Text: ref.Schema}, {Text: ref.Table}}
	f, err := b.tableName(&sqltext.TableName{Name: name, Alias: alias, Columns: t.Columns, Pos: t.Pos}, s)
	return f, true, err
}

// systemSchema holds what describes a catalog, functions by their name and "()".
const systemSchema = "pg_catalog"
