package logical

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// relation is what a scope knows of one element of FROM.
type relation struct {
	id int
	// qual are the names that may stand before a column: catalog, schema, table; or just the alias. The last is what
	// the statement calls it.
	qual []string
	// versioned is how the statement names a table at a version, as "t@7", which may stand for the table too; or empty.
	versioned string
	cols      []Col
	scan      bool // a table: special columns exist
	sampled   bool // just some of its rows are read
	// pos is where FROM names it.
	pos int

	exact, folded map[string][]int // positions in cols by name, and by name in lower case; made when first needed
	keys          map[string]int
}

// spelled are the names of the relation, with the version of a table that the statement names at one.
func (r *relation) spelled() []string {
	names := slices.Clone(r.qual)
	if r.versioned != "" {
		names[len(names)-1] = r.versioned
	}
	return names
}

// named gives the columns that a name means: an exact match, or else those that match without regard to case. Hidden
// columns that have no name are left out.
func (r *relation) named(part string) []Col {
	r.index()
	found := r.exact[part]
	if len(found) == 0 {
		found = r.folded[strings.ToLower(part)]
	}
	out := make([]Col, len(found))
	for i, at := range found {
		out[i] = r.cols[at]
	}
	return out
}

// keyed gives the column of a key.
func (r *relation) keyed(key string) (Col, bool) {
	r.index()
	at, ok := r.keys[key]
	if !ok {
		return Col{}, false
	}
	return r.cols[at], true
}

func (r *relation) index() {
	if r.keys != nil {
		return
	}
	r.exact, r.folded, r.keys = map[string][]int{}, map[string][]int{}, make(map[string]int, len(r.cols))
	for i, c := range r.cols {
		r.keys[c.Key] = i
		if c.Hidden && !c.Named {
			continue
		}
		r.exact[c.Name] = append(r.exact[c.Name], i)
		low := strings.ToLower(c.Name)
		r.folded[low] = append(r.folded[low], i)
	}
}

func (r *relation) label() string { return expr.FieldPath(r.qual).String() }

// merged is a column that USING or NATURAL made of two.
type merged struct {
	name string
	expr expr.Expr
	hide []expr.Column // the columns it stands for, left one first
}

// scope is what names mean at one place of a query.
type scope struct {
	parent  *scope
	rels    []*relation
	merged  []merged
	ctes    *cteScope
	aliases []Item // the SELECT list as far as it is bound, for names that are no column
	lambda  []lambdaVar
}

// lambdaVar is a parameter of a lambda: key is what the plan calls it.
type lambdaVar struct {
	name, key string
	typ       arrow.DataType
}

// cteScope is a chain of names that WITH gives, innermost first.
type cteScope struct {
	up   *cteScope
	name string
	def  *cteDef
}

func (c *cteScope) find(name string) *cteDef {
	for ; c != nil; c = c.up {
		if strings.EqualFold(c.name, name) {
			return c.def
		}
	}
	return nil
}

func (s *scope) child() *scope { return &scope{parent: s, ctes: s.ctes} }

// match picks names by one part of a path: an exact match, or else the matches without regard to case.
func match[T any](part string, all []T, name func(T) string) []T {
	var folded []T
	for _, x := range all {
		n := name(x)
		if n == part {
			return append([]T{x}, exactRest(part, all, name)...)
		}
		if strings.EqualFold(n, part) {
			folded = append(folded, x)
		}
	}
	return folded
}

// exactRest gives the further exact matches after the first one.
func exactRest[T any](part string, all []T, name func(T) string) []T {
	var out []T
	seen := false
	for _, x := range all {
		if name(x) == part {
			if seen {
				out = append(out, x)
			}
			seen = true
		}
	}
	return out
}

// reading is one way to read a path.
type reading struct {
	x    expr.Expr
	what string // for errors: the name with its table
	full string // with its table's whole name
}

// resolve reads a dotted name: the scope's own readings first, then those of the queries around it.
func (b *binder) resolve(s *scope, n *sqltext.Name) (expr.Expr, error) {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Text
	}
	var miss error
	for at := s; at != nil; at = at.parent {
		x, err := b.resolveIn(at, parts, n.Pos)
		if err != nil || x != nil {
			return x, err
		}
		if x, err := b.row(at, parts, n.Pos); err != nil || x != nil {
			return x, err
		}
		if x, err := b.alias(at, parts, n.Pos); err != nil || x != nil {
			return x, err
		}
		if err := b.nearMiss(at, parts, n.Pos); err != nil && miss == nil {
			miss = err
		}
	}
	if len(n.Parts) == 1 && !n.Parts[0].Quoted && bareCalls[strings.ToLower(parts[0])] {
		if x, ok := b.now(strings.ToLower(parts[0]), 0); ok { // current_date and its kin need no parentheses
			return x, nil
		}
	}
	if miss != nil {
		return nil, miss
	}
	err := b.unknownColumn(s, parts, n.Pos)
	if len(n.Parts) == 1 && n.Parts[0].Quoted {
		err = MoreHint(err, "a text stands in single quotes: '"+strings.ReplaceAll(parts[0], "'", "''")+"'")
	}
	return nil, err
}

// resolveIn tries the levels of docs/reference.md in one scope: table or alias, column, schema.table, catalog. It gives nil
// where no level has a reading.
func (b *binder) resolveIn(s *scope, parts []string, pos int) (expr.Expr, error) {
	for i := len(s.lambda) - 1; i >= 0; i-- {
		if v := s.lambda[i]; strings.EqualFold(v.name, parts[0]) {
			return b.fields(&expr.LambdaParam{Name: v.key, Label: v.name, Typ: v.typ}, v.typ, parts[1:], pos)
		}
	}
	for level := range 4 {
		found, err := b.readings(s, parts, level, pos)
		if err != nil {
			return nil, err
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0].x, nil
		}
		return nil, b.ambiguous(parts, found, pos)
	}
	return nil, nil
}

// alias reads a name that is no column as the alias of a select item. It gives nil where there is none.
func (b *binder) alias(s *scope, parts []string, pos int) (expr.Expr, error) {
	found := match(parts[0], s.aliases, func(it Item) string { return it.Name })
	if len(found) == 0 {
		return nil, nil
	}
	x, err := b.fields(found[0].Expr, found[0].Expr.Type(), parts[1:], pos)
	if isMissingField(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.aliased(x, pos)
}

// aliased counts what an alias stands for, of which each use is a copy.
func (b *binder) aliased(e expr.Expr, pos int) (expr.Expr, error) {
	if _, ok := e.(*expr.Column); ok {
		return e, nil
	}
	return e, b.again(pos, e, "work out what the alias stands for in a subquery")
}

func (b *binder) ambiguous(parts []string, found []reading, pos int) error {
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.what
		if f.full != "" && slices.ContainsFunc(found, func(o reading) bool { return o.what == f.what && o.full != f.full }) {
			names[i] = f.full
		}
	}
	return b.errorf(pos, "%s is ambiguous: it may be %s", expr.FieldPath(parts), strings.Join(names, " or "))
}

func (b *binder) readings(s *scope, parts []string, level, pos int) ([]reading, error) {
	switch level {
	case 0: // table or alias in scope
		return b.qualified(s, parts, 1, pos)
	case 1:
		return b.unqualified(s, parts, pos)
	case 2: // schema.table
		return b.qualified(s, parts, 2, pos)
	}
	return b.qualified(s, parts, 3, pos)
}

// matchQualifier gives the relations that a part of a name can mean which is their k-th from the end.
func matchQualifier(part string, k int, rels []*relation) []*relation {
	if k == 1 {
		if at := match(part, rels, func(r *relation) string { return r.versioned }); len(at) > 0 {
			return at
		}
	}
	return match(part, rels, func(r *relation) string { return r.qual[len(r.qual)-k] })
}

// qualified reads parts as n parts of a relation's name and a column path.
func (b *binder) qualified(s *scope, parts []string, n, pos int) ([]reading, error) {
	if len(parts) <= n {
		return nil, nil
	}
	var out []reading
	for _, r := range relsNamed(parts[:n], s.rels) {
		found, err := b.columnPaths(r, parts[n:], pos)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// unqualified reads parts as a column path of any relation.
func (b *binder) unqualified(s *scope, parts []string, pos int) ([]reading, error) {
	var exact, folded []reading
	for _, m := range match(parts[0], s.merged, func(m merged) string { return m.name }) {
		x, err := b.fields(m.expr, m.expr.Type(), parts[1:], pos)
		if isMissingField(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m.name == parts[0] {
			exact = append(exact, reading{x: x, what: "the joined " + m.name})
		} else {
			folded = append(folded, reading{x: x, what: "the joined " + m.name})
		}
	}
	for _, r := range s.rels {
		r := s.unmerged(r)
		found, err := b.columnPaths(r, parts, pos)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if isExact(r, parts[0]) {
				exact = append(exact, f)
			} else {
				folded = append(folded, f)
			}
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return folded, nil
}

// unmerged is a relation without the columns that USING merged: their bare names mean the merged column.
func (s *scope) unmerged(r *relation) *relation {
	if len(s.merged) == 0 {
		return r
	}
	hidden := false
	out := relation{id: r.id, qual: r.qual, versioned: r.versioned, scan: r.scan, sampled: r.sampled, pos: r.pos}
	out.cols = make([]Col, 0, len(r.cols))
	for _, c := range r.cols {
		if _, _, merged := mergedFor(s, r.id, c.Key); merged {
			hidden = true
			continue
		}
		out.cols = append(out.cols, c)
	}
	if !hidden {
		return r
	}
	return &out
}

func isExact(r *relation, part string) bool {
	r.index()
	return len(r.exact[part]) > 0 || isSpecial(part)
}

// columnPaths reads parts as a path that starts with a column of r. A path whose first part is a column but that goes
// wrong below it is no reading, unless it is ambiguous.
func (b *binder) columnPaths(r *relation, parts []string, pos int) ([]reading, error) {
	var out []reading
	for _, c := range r.named(parts[0]) {
		x, err := b.fields(&expr.Column{Rel: r.id, Path: expr.FieldPath{c.Key}, Typ: c.Type}, c.Type, parts[1:], pos)
		if isMissingField(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		full := expr.FieldPath(append(append(r.spelled(), c.Name), parts[1:]...))
		out = append(out, reading{x: x, what: full[len(r.qual)-1:].String(), full: full.String()})
	}
	if len(out) == 0 && b.o.DottedNames {
		for _, path := range r.dotted(parts[0]) {
			found, err := b.columnPaths(r, append(path, parts[1:]...), pos)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	if len(out) == 0 && r.scan && len(parts) == 1 {
		if name, ok := specialName(parts[0]); ok {
			out = append(out, reading{what: r.label() + "." + name,
				x: &expr.Column{Rel: r.id, Path: expr.FieldPath{name}, Typ: arrow.PrimitiveTypes.Uint64}})
		}
	}
	return out, nil
}

// dotted gives the paths below columns of r that text writes with dots between their parts: of more than one part, exact
// matches or else those without regard to case.
func (r *relation) dotted(text string) [][]string {
	fields := make([]arrow.Field, 0, len(r.cols))
	for _, c := range r.cols {
		if !c.Hidden || c.Named {
			fields = append(fields, arrow.Field{Name: c.Name, Type: c.Type})
		}
	}
	out := dottedPaths(fields, text, func(a, b string) bool { return a == b })
	if out == nil {
		out = dottedPaths(fields, text, strings.EqualFold)
	}
	return out
}

func dottedPaths(fields []arrow.Field, text string, same func(a, b string) bool) [][]string {
	var out [][]string
	for _, f := range fields {
		n := len(f.Name)
		st, ok := structOf(f.Type)
		if !ok || len(text) <= n+1 || text[n] != '.' || !same(text[:n], f.Name) {
			continue
		}
		for _, child := range st.Fields() {
			if same(text[n+1:], child.Name) {
				out = append(out, []string{f.Name, child.Name})
			}
		}
		for _, path := range dottedPaths(st.Fields(), text[n+1:], same) {
			out = append(out, append([]string{f.Name}, path...))
		}
	}
	return out
}

// missingField is a path that goes wrong below a column: of is what has no such field, typ its type, and names are the
// fields that it has.
type missingField struct {
	of    expr.Expr
	typ   arrow.DataType
	name  string
	names []string
	err   error
}

func (m *missingField) Error() string { return m.err.Error() }
func (m *missingField) Unwrap() error { return m.err }

func isMissingField(err error) bool {
	_, ok := err.(*missingField) //nolint:errorlint // never wrapped
	return ok
}

// fields goes down from x, of type t, by the names of fields. Through structs a column's path grows; anywhere else the
// result is an Extract.
func (b *binder) fields(x expr.Expr, t arrow.DataType, names []string, pos int) (expr.Expr, error) {
	for _, name := range names {
		if c, ok := columnOf(x, name); ok {
			x, t = c, c.Type()
			continue
		}
		st, ok := structOf(t)
		if m, isMap := expr.Storage(t).(*arrow.MapType); isMap && expr.KindOf(m.KeyType()) == expr.KindText {
			e, err := b.typed(&expr.Index{X: x, Key: expr.Text(name)}, pos)
			if err != nil {
				return nil, err
			}
			x, t = e, e.Type()
			continue
		}
		if !ok {
			if t != nil {
				return nil, &missingField{of: x, typ: t, name: name, err: b.fault(errs.ErrNotFound, pos, "",
					"%s has no field %q: it is of type %s", b.shown(x), name, expr.SQLType(t))}
			}
			x, t = &expr.Extract{X: x, Name: name}, nil
			continue
		}
		found := match(name, st.Fields(), func(f arrow.Field) string { return f.Name })
		switch {
		case len(found) == 0:
			return nil, b.noField(x, name, st, pos)
		case len(found) > 1:
			return nil, b.errorf(pos, "%s.%s is ambiguous: it may be %q or %q", b.shown(x), name, found[0].Name, found[1].Name)
		}
		x, t = down(x, found[0]), found[0].Type
	}
	return x, nil
}

func down(x expr.Expr, f arrow.Field) expr.Expr {
	if c, ok := x.(*expr.Column); ok {
		return &expr.Column{Rel: c.Rel, Path: c.Path.Child(f.Name), Typ: f.Type}
	}
	return &expr.Extract{X: x, Name: f.Name, Typ: f.Type}
}

func (b *binder) noField(x expr.Expr, name string, st *arrow.StructType, pos int) error {
	names := make([]string, st.NumFields())
	for i, f := range st.Fields() {
		names[i] = f.Name
	}
	if isRow(x) {
		return &missingField{of: x, name: name, names: names, err: b.fault(errs.ErrNotFound, pos, didYouMean(name, names), "the struct has no field %q", name)}
	}
	return &missingField{of: x, name: name, names: names,
		err: b.fault(errs.ErrNotFound, pos, didYouMean(name, names), "%s has no field %q", b.shown(x), name)}
}

func structOf(t arrow.DataType) (*arrow.StructType, bool) {
	if t == nil {
		return nil, false
	}
	st, ok := expr.Storage(t).(*arrow.StructType)
	return st, ok
}
