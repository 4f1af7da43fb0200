package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

const (
	viewSuffix = ".view.sql"
	// maxViewBytes bounds the text of a view.
	maxViewBytes = 256 << 10
	// maxViewName bounds a view's name in bytes: the file's name is longer, and file systems take 255.
	maxViewName = 200
)

// openView reads the text of a view. Whether it is one query is for the planner to find.
func (f found) openView(ctx context.Context) (*scan.View, error) {
	text, err := readText(ctx, f.root.store, f.dir)
	if err != nil {
		return nil, fmt.Errorf("view %s: %w", f.name(), err)
	}
	return &scan.View{Ref: scan.TableRef{Catalog: f.root.name, Schema: f.schema, Table: f.table}, Query: text}, nil
}

func readText(ctx context.Context, store objstore.Store, name string) (string, error) {
	r, err := store.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	if r.Size() > maxViewBytes {
		return "", errs.Invalidf("its file has %d bytes, at most %d are read", r.Size(), maxViewBytes)
	}
	data, err := r.ReadRanges(ctx, []objstore.Range{{Size: r.Size()}})
	if err != nil {
		return "", err
	}
	text := string(data[0])
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", errs.Invalidf("its file is no text in UTF-8")
	}
	return text, nil
}

// CreateView writes a view's file. A table of its name is an error, and so is a view, unless replace says to put this one
// in its place. made is false where keep says to leave a view that is there.
func (c *Catalog) CreateView(ctx context.Context, v scan.View, replace, keep bool) (made bool, err error) {
	r, store, err := c.writable(v.Ref.Catalog)
	if err != nil {
		return false, err
	}
	v.Ref.Catalog = r.name
	if err := checkView(v); err != nil {
		return false, err
	}
	if v.Ref.Schema, err = r.schema(ctx, v.Ref.Schema); err != nil {
		return false, err
	}
	at := join(r.dirs(v.Ref.Schema)[0], v.Ref.Table+viewSuffix)
	f, err := c.find(ctx, scan.TableRef{Catalog: r.name, Schema: v.Ref.Schema, Table: v.Ref.Table})
	switch {
	case errors.Is(err, errs.ErrNotFound):
	case err != nil:
		return false, err
	case !f.view:
		return false, errs.New(errs.ErrAlreadyExists, "there is a table %s", f.name())
	case keep:
		return false, nil
	case !replace:
		return false, errs.New(errs.ErrAlreadyExists, "there is a view %s", f.name())
	default:
		at = f.dir // as it is spelled there
	}
	if err := store.Put(ctx, at, []byte(v.Query), !replace); err != nil {
		return false, fmt.Errorf("view %s: %w", v.Name(), err)
	}
	return true, nil
}

// checkView refuses views that could not be read again.
func checkView(v scan.View) error {
	switch {
	case !visible(v.Ref.Table) || !utf8.ValidString(v.Ref.Table) || len(v.Ref.Table) > maxViewName || strings.ContainsRune(v.Ref.Table, '@'):
		return errs.Invalidf("%s is no name for a view: it has at most %d bytes, does not begin with a dot, and holds no '/', '\\' or '@'",
			quote(v.Ref.Table), maxViewName)
	case len(v.Query) > maxViewBytes:
		return errs.Invalidf("the text of view %s has %d bytes, at most %d are taken", v.Name(), len(v.Query), maxViewBytes)
	}
	return nil
}

// DropView removes a view's file. A table of its name is an error.
func (c *Catalog) DropView(ctx context.Context, ref scan.TableRef) error {
	f, err := c.find(ctx, ref)
	if err != nil {
		return err
	}
	_, store, err := c.writable(f.root.name)
	if err != nil {
		return err
	}
	if !f.view {
		return errs.Invalidf("%s is a table and no view", f.name())
	}
	if err := store.Remove(ctx, f.dir); err != nil {
		return fmt.Errorf("view %s: %w", f.name(), err)
	}
	return nil
}

// writable gives a catalog whose views can be written.
func (c *Catalog) writable(catalog string) (*root, objstore.Writer, error) {
	r, err := c.root(catalog)
	if err != nil {
		return nil, nil, err
	}
	store, ok := r.store.(objstore.Writer)
	if !ok {
		return nil, nil, errs.Unsupportedf("catalog %s: views are only written to local folders so far", expr.QuoteIdent(r.name))
	}
	if r.table != "" {
		return nil, nil, errs.Unsupportedf("catalog %s is one table: there is no folder for views", expr.QuoteIdent(r.name))
	}
	return r, store, nil
}
