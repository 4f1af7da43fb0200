package logical

import (
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// maxItems bounds the columns of one query, which stars multiply.
const maxItems = 100_000

// starItem is a column of a star.
type starItem struct {
	Item
	rel *relation // whose it is; nil for fields of a struct
	// replaced tells that REPLACE gives its value.
	replaced bool
}

// star expands * and t.*, with EXCLUDE, REPLACE and RENAME, or with a test of the names.
func (b *binder) star(t *sqltext.Star, s *scope, ec *exprCtx) ([]Item, error) {
	cols, err := b.starItems(t, s)
	if err != nil {
		return nil, err
	}
	if b.o.DottedNames {
		cols = withLeaves(cols, t)
	}
	for _, x := range t.Exclude {
		n := len(cols)
		cols = slices.DeleteFunc(cols, func(it starItem) bool { return it.named(x.Name) })
		if len(cols) == n {
			return nil, b.noStarColumn("EXCLUDE", x, cols)
		}
	}
	for _, r := range t.Replace {
		if cols, err = b.replace(cols, r, ec); err != nil {
			return nil, err
		}
	}
	if err := b.rename(cols, t); err != nil {
		return nil, err
	}
	out := itemsOf(cols)
	for i := range out {
		out[i].from = t
	}
	if t.Filter == nil {
		return out, nil
	}
	out, err = b.filtered(out, t.Filter)
	if err == nil && len(out) == 0 {
		err = b.fault(errs.ErrNotFound, t.Filter.Pos, "", "no column's name passes the test behind the star")
	}
	return out, err
}

// withLeaves puts the fields of a struct in its place where EXCLUDE, REPLACE or RENAME names one of them with its path, as "s.a": to
// who gets results flat these are the columns.
func withLeaves(cols []starItem, t *sqltext.Star) []starItem {
	var paths []string
	for _, x := range slices.Concat(t.Exclude, t.Rename) {
		paths = append(paths, x.Name[len(x.Name)-1].Text)
	}
	for _, r := range t.Replace {
		paths = append(paths, r.Alias.Text)
	}
	var out []starItem
	for _, c := range cols {
		if slices.ContainsFunc(paths, func(p string) bool {
			return len(p) > len(c.Name) && p[len(c.Name)] == '.' && strings.EqualFold(p[:len(c.Name)], c.Name)
		}) {
			out = appendLeaves(out, c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

func appendLeaves(out []starItem, c starItem) []starItem {
	st, ok := structOf(c.Expr.Type())
	if !ok || st.NumFields() == 0 {
		return append(out, c)
	}
	for _, f := range st.Fields() {
		out = appendLeaves(out, starItem{Item: Item{Name: c.Name + "." + f.Name, Expr: down(c.Expr, f)}, rel: c.rel})
	}
	return out
}

// named tells whether EXCLUDE or RENAME mean the column by a name.
func (it starItem) named(name []sqltext.Ident) bool {
	last := len(name) - 1
	if !strings.EqualFold(it.Name, name[last].Text) {
		return false
	}
	if last == 0 {
		return true
	}
	if it.rel == nil || last > len(it.rel.qual) {
		return false
	}
	for i, q := range it.rel.qual[len(it.rel.qual)-last:] {
		if !strings.EqualFold(q, name[i].Text) {
			return false
		}
	}
	return true
}

func (b *binder) noStarColumn(word string, x sqltext.StarName, cols []starItem) error {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return b.fault(errs.ErrNotFound, x.Pos, didYouMean(x.Name[len(x.Name)-1].Text, names), "%s (%s): there is no such column", word, identPath(x.Name))
}

// replace puts a value in the place of the first column of its name; others of the name go, as in DuckDB.
func (b *binder) replace(cols []starItem, r sqltext.SelectItem, ec *exprCtx) ([]starItem, error) {
	e, err := b.expr(r.Expr, ec)
	if err != nil {
		return nil, err
	}
	found := false
	cols = slices.DeleteFunc(cols, func(it starItem) bool {
		again := found && strings.EqualFold(it.Name, r.Alias.Text)
		found = found || strings.EqualFold(it.Name, r.Alias.Text)
		return again
	})
	for i := range cols {
		if strings.EqualFold(cols[i].Name, r.Alias.Text) {
			cols[i].Expr, cols[i].replaced = e, true
			return cols, nil
		}
	}
	return nil, b.noStarColumn("REPLACE", sqltext.StarName{Name: []sqltext.Ident{*r.Alias}, Pos: r.Pos}, cols)
}

// rename gives columns the names of RENAME.
func (b *binder) rename(cols []starItem, t *sqltext.Star) error {
	fresh := make([]string, len(cols))
	for _, x := range t.Rename {
		found := false
		for i, c := range cols {
			if !c.named(x.Name) {
				continue
			}
			if fresh[i] != "" || c.replaced {
				return b.errorf(x.Pos, "RENAME (%s): the column is named twice in this list or its REPLACE", identPath(x.Name))
			}
			fresh[i], found = x.To.Text, true
		}
		if !found {
			return b.noStarColumn("RENAME", x, cols)
		}
	}
	for i, name := range fresh {
		if name != "" {
			cols[i].Name = name
		}
	}
	return nil
}

// starItems are the columns of * or t.*, or the fields of a struct.
func (b *binder) starItems(t *sqltext.Star, s *scope) ([]starItem, error) {
	if len(t.Qualifier) == 0 {
		if len(s.rels) == 0 {
			return nil, b.errorf(t.Pos, "SELECT * needs a FROM")
		}
		return allColumns(s), nil
	}
	rels := relsNamed(identPath(t.Qualifier), s.rels)
	if len(rels) > 1 {
		return nil, b.errorf(t.Pos, "%s.* is ambiguous: it may be %s or %s", identPath(t.Qualifier), rels[0].label(), rels[1].label())
	}
	if len(rels) == 1 {
		return allColumns(&scope{rels: rels}), nil
	}
	x, err := b.resolve(s, &sqltext.Name{At: t.At, Parts: t.Qualifier})
	if err != nil {
		return nil, b.fault(errs.ErrNotFound, t.Pos, "", "%s.*: there is no such table in FROM", identPath(t.Qualifier))
	}
	st, ok := structOf(x.Type())
	if !ok {
		return nil, b.errorf(t.Pos, "%s.*: it is no table and no struct", identPath(t.Qualifier))
	}
	out := make([]starItem, st.NumFields())
	for i, f := range st.Fields() {
		out[i] = starItem{Item: Item{Name: f.Name, Expr: down(x, f)}}
	}
	return out, nil
}

// allColumns are the columns of *: merged ones once, at the place of the left one.
func allColumns(s *scope) []starItem {
	var out []starItem
	for _, r := range s.rels {
		for _, c := range r.cols {
			if c.Hidden {
				continue
			}
			it := Item{Name: c.Name, Expr: &expr.Column{Rel: r.id, Path: expr.FieldPath{c.Key}, Typ: c.Type}}
			if m, first, ok := mergedFor(s, r.id, c.Key); ok {
				if !first {
					continue
				}
				it.Expr = m.expr
			}
			out = append(out, starItem{Item: it, rel: r})
		}
	}
	return out
}

// mergedFor finds the merged column that stands for a column; first tells whether it takes that column's place.
func mergedFor(s *scope, rel int, key string) (m merged, first, ok bool) {
	for _, m := range s.merged {
		for i, c := range m.hide {
			if c.Rel == rel && c.Path[0] == key {
				return m, i == 0, true
			}
		}
	}
	return merged{}, false, false
}

func identPath(ids []sqltext.Ident) expr.FieldPath {
	p := make(expr.FieldPath, len(ids))
	for i, id := range ids {
		p[i] = id.Text
	}
	return p
}
