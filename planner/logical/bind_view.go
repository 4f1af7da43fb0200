package logical

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// maxViews is how many views may stand on each other.
const maxViews = 32

// openView is a view whose query is being bound.
type openView struct {
	name      string
	temporary bool
	made      bool // it is being made, under a name in whatever case
	pos       int  // where the text around names it
}

func (v openView) is(o openView) bool {
	return v.temporary == o.temporary && (v.name == o.name || v.made && strings.EqualFold(v.name, o.name))
}

// temporary gives the session's view of a bare name. Within a lasting view there are none: it means the same in every
// session.
func (b *binder) temporary(name string) (*scan.View, bool) {
	if slices.ContainsFunc(b.views, func(v openView) bool { return !v.temporary }) {
		return nil, false
	}
	found := match(name, b.o.Views, func(v scan.View) string { return v.Ref.Table })
	if len(found) != 1 {
		return nil, false
	}
	return &found[0], true
}

// view binds a view's query in the view's place, as a subquery whose names mean what they mean in the view's own schema.
func (b *binder) view(t *sqltext.TableName, v *scan.View, s *scope) (From, error) {
	q, err := b.viewQuery(v, t.Pos)
	if err != nil {
		return nil, err
	}
	rel, err := b.derivedRel(q, t.Alias, nil, t.Pos)
	if err != nil {
		return nil, err
	}
	if t.Alias == nil {
		rel.qual = []string{v.Ref.Catalog, v.Ref.Schema, v.Ref.Table}
		if v.Temporary {
			rel.qual = rel.qual[2:]
		}
	}
	if err := b.renameCols(rel, t.Columns, t.Pos); err != nil {
		return nil, err
	}
	if err := b.addRel(s, rel); err != nil {
		return nil, err
	}
	return &Derived{Rel: rel.id, Alias: rel.qual[len(rel.qual)-1], Query: q}, nil
}

// viewQuery binds the query of a view that is named at pos.
func (b *binder) viewQuery(v *scan.View, pos int) (*Query, error) {
	open := openView{name: v.Name(), temporary: v.Temporary, pos: pos}
	if at := slices.IndexFunc(b.views, func(v openView) bool { return v.is(open) }); at >= 0 {
		var names []string
		for _, o := range append(b.views[at:], open) {
			names = append(names, o.name)
		}
		return nil, b.errorf(pos, "the view %s reads itself: %s", v.Name(), strings.Join(names, " reads "))
	}
	if len(b.views) == maxViews {
		return nil, b.errorf(pos, "more than %d views stand on each other", maxViews)
	}
	outer, o := b.text, b.o
	b.text, b.o.Catalog, b.o.Schema = v.Query, v.Ref.Catalog, v.Ref.Schema
	b.o.DottedNames = b.o.DottedNames && v.Temporary // a lasting view means the same in every session
	b.views = append(b.views, open)
	q, err := b.parseView(v)
	var bound *Query
	if err == nil {
		bound, err = b.query(q, &scope{})
	}
	b.text, b.o, b.views = outer, o, b.views[:len(b.views)-1]
	return bound, b.viewFault(v, pos, err)
}

// parseView reads the text of a view, which is one query without parameters.
func (b *binder) parseView(v *scan.View) (*sqltext.Query, error) {
	parsed, err := sqltext.Parse(v.Query)
	if err != nil {
		return nil, err
	}
	stmt, ok := parsed.Statement.(*sqltext.QueryStmt)
	if !ok {
		return nil, b.errorf(0, "its text is no query")
	}
	if parsed.Params > 0 {
		return nil, b.errorf(0, "a view takes no parameters")
	}
	return stmt.Query, nil
}

// viewFault tells of a fault in a view's text by the view's name, at the place in the statement that names it.
func (b *binder) viewFault(v *scan.View, pos int, err error) error {
	var fault *errs.SQLError
	if errors.As(err, &fault) {
		line, col := sqltext.Position(b.text, pos)
		return &errs.SQLError{Kind: fault.Kind, Line: line, Column: col, Hint: fault.Hint, Source: sqltext.Line(b.text, pos),
			Msg: fmt.Sprintf("view %s, line %d, column %d: %s", v.Name(), fault.Line, fault.Column, fault.Msg)}
	}
	if err != nil {
		return fmt.Errorf("view %s: %w", v.Name(), err)
	}
	return nil
}
