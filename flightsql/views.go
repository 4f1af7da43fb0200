package flightsql

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// ViewStore keeps views that last.
type ViewStore interface {
	// CreateView makes a view. A table of its name is an errs.ErrAlreadyExists, and so is a view unless it is to be replaced,
	// or kept, when made is false.
	CreateView(ctx context.Context, v scan.View, replace, keep bool) (made bool, err error)
	// DropView removes one; there is an errs.ErrNotFound where none is.
	DropView(ctx context.Context, ref scan.TableRef) error
}

// Bounds of a session's temporary views: each of its tickets carries them.
const (
	maxTemporaryViews     = 200
	maxTemporaryViewBytes = 1 << 20
)

// isLasting tells whether a statement changes a view that outlives the session.
func isLasting(st *planner.Statement, set settings) bool {
	if st.Kind != planner.KindView || st.View.View.Temporary {
		return false
	}
	return !st.View.Drop || !st.View.Bare || scan.ViewAt(set.Views, st.View.View.Ref.Table) < 0
}

// changeView runs CREATE VIEW or DROP VIEW.
func (s *Server) changeView(ctx context.Context, st *planner.Statement, set settings) error {
	c := st.View
	if !isLasting(st, set) {
		in, err := s.requireSession(ctx)
		if err != nil {
			return err
		}
		return s.changeTemporary(ctx, in, c)
	}
	if s.cfg.Views == nil {
		return errReadOnly
	}
	if !c.Drop {
		_, err := s.cfg.Views.CreateView(ctx, c.View, c.Replace, c.Lenient)
		return err
	}
	err := s.cfg.Views.DropView(ctx, c.View.Ref)
	if c.Lenient && errors.Is(err, errs.ErrNotFound) {
		return nil
	}
	return err
}

// changeTemporary makes or drops a view of the session. Its views are never changed in place: statements under way hold them.
func (s *Server) changeTemporary(ctx context.Context, in *session, c *planner.ViewChange) error {
	ref := c.View.Ref
	if !c.Drop {
		switch src, err := s.cfg.Catalog.Snapshot().Resolve(ctx, ref); {
		case err == nil:
			return errs.New(errs.ErrAlreadyExists, "there is %s: a temporary view of this name would hide it", src.Name())
		case !errors.Is(err, errs.ErrNotFound):
			return err
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	views := slices.Clone(in.effective.Views)
	at := scan.ViewAt(views, ref.Table)
	switch {
	case c.Drop && at < 0:
		if c.Lenient {
			return nil
		}
		return errs.NotFoundf("the session has no view %s", expr.QuoteIdent(ref.Table))
	case c.Drop:
		views = slices.Delete(views, at, at+1)
	case at < 0:
		views = append(views, c.View)
	case c.Replace:
		views[at] = c.View
	case c.Lenient:
		return nil
	default:
		return errs.New(errs.ErrAlreadyExists, "the session has a view %s already", expr.QuoteIdent(ref.Table))
	}
	if size := viewBytes(views); len(views) > maxTemporaryViews || size > maxTemporaryViewBytes {
		return errs.New(errs.ErrResourceExhausted, "a session keeps at most %d temporary views of %d bytes together", maxTemporaryViews, maxTemporaryViewBytes)
	}
	in.effective.Views = views
	s.sessions.put(in.id, in, sessionBytes+int64(viewBytes(views)))
	return nil
}

func viewBytes(views []scan.View) int {
	n := 0
	for _, v := range views {
		n += len(v.Query) + len(v.Ref.Catalog) + len(v.Ref.Schema) + len(v.Ref.Table) + 100
	}
	return n
}

// viewSchema gives the columns of a view, which its query tells; temporary views are seen by such only.
func (s *Server) viewSchema(ctx context.Context, resolver planner.Resolver, v *scan.View, temporary []scan.View) (*arrow.Schema, error) {
	if !v.Temporary {
		return ViewSchema(ctx, s.cfg.Planner, s.cfg.Engine, resolver, v)
	}
	o := planner.Options{Catalog: v.Ref.Catalog, Schema: v.Ref.Schema, Resolver: resolver, Views: temporary}
	return columnsOf(ctx, s.cfg.Planner, s.cfg.Engine, expr.QuoteIdent(v.Ref.Table), o)
}

// ViewSchema gives the columns of a view that lasts.
func ViewSchema(ctx context.Context, p Planner, e Engine, resolver planner.Resolver, v *scan.View) (*arrow.Schema, error) {
	return columnsOf(ctx, p, e, v.Name(), planner.Options{Resolver: resolver})
}

func columnsOf(ctx context.Context, p Planner, e Engine, name string, o planner.Options) (*arrow.Schema, error) {
	st, err := p.Plan(ctx, "SELECT * FROM "+name, o)
	if err != nil {
		return nil, err
	}
	return e.Describe(ctx, st.Plan)
}
