package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/scan"
)

// find leads the name of a reference to a table's folder, without opening it.
func (c *Catalog) find(ctx context.Context, ref scan.TableRef) (found, error) {
	r, err := c.root(ref.Catalog)
	if err != nil {
		return found{}, err
	}
	schema, err := r.schema(ctx, ref.Schema)
	if errors.Is(err, errs.ErrNotFound) && ref.TwoParts {
		if other, oerr := c.root(ref.Schema); oerr == nil {
			r, schema, err = other, DefaultSchema, nil
		}
	}
	if err != nil {
		return found{}, err
	}
	if f, ok, err := r.exact(ctx, schema, ref.Table); ok || err != nil {
		return f, err
	}
	names, err := r.names(ctx, schema)
	if err != nil {
		return found{}, err
	}
	name, ok, err := pick("table", ref.Table, names.all())
	if err != nil {
		return found{}, err
	}
	if _, system := systemViews[strings.ToLower(ref.Table)]; !ok && ref.Bare && system {
		return found{root: r, schema: PgCatalog, table: ref.Table, system: true}, nil
	}
	if !ok {
		return found{}, c.noTable(ctx, r, schema, ref.Table, names.all())
	}
	f, ok, err := r.exact(ctx, schema, name)
	if err == nil && !ok {
		err = errs.NotFoundf("there is no table %s any more", expr.FieldPath{r.name, schema, name}.Key())
	}
	return f, err
}

func (c *Catalog) root(name string) (*root, error) {
	if len(c.roots) == 0 {
		return nil, errs.NotFoundf("there is no catalog: nothing is served")
	}
	if name == "" {
		return c.roots[0], nil
	}
	picked, ok, err := pick("catalog", name, c.Catalogs())
	if err != nil {
		return nil, err
	}
	for _, r := range c.roots {
		if ok && r.name == picked {
			return r, nil
		}
	}
	return nil, errs.NotFoundf("there is no catalog %s; there are %s", quote(name), list(c.Catalogs()))
}

// schema gives a schema's name as it is spelled on disk; it must exist.
func (r *root) schema(ctx context.Context, name string) (string, error) {
	if name == "" || name == DefaultSchema {
		return DefaultSchema, nil
	}
	schemas, err := r.schemas(ctx)
	if err != nil {
		return "", err
	}
	picked, ok, err := pick("schema", name, schemas)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errs.NotFoundf("catalog %s has no schema %s%s", r.name, quote(name), Near(name, schemas))
	}
	return picked, nil
}

// pick chooses the name that is meant: the same one, or else the only one that differs just by case.
func pick(kind, name string, names []string) (picked string, ok bool, err error) {
	for _, n := range names {
		if n == name {
			return n, true, nil
		}
	}
	for _, n := range names {
		if !strings.EqualFold(n, name) {
			continue
		}
		if ok {
			return "", false, errs.Invalidf("%s %s is ambiguous: there are %s and %s", kind, quote(name), quote(picked), quote(n))
		}
		picked, ok = n, true
	}
	return picked, ok, nil
}

// exact looks for a table or view by its name as it is spelled on disk.
func (r *root) exact(ctx context.Context, schema, table string) (f found, ok bool, err error) {
	if r.table != "" {
		return found{root: r, schema: DefaultSchema, table: r.table}, schema == DefaultSchema && table == r.table, nil
	}
	if !visible(table) {
		return found{}, false, nil
	}
	places, err := r.places(ctx, schema, table)
	if err != nil {
		return found{}, false, err
	}
	switch len(places) {
	case 0:
		return found{}, false, nil
	case 1:
		return found{root: r, schema: schema, table: table, dir: places[0].dir, view: places[0].view}, true, nil
	}
	return found{}, false, errs.Invalidf("table %s is there twice: as %s and as %s", expr.FieldPath{r.name, schema, table}.Key(),
		places[0].dir, places[1].dir)
}

// place is where a table lies, or a view.
type place struct {
	dir  string
	view bool
}

// places looks wherever a name can lie, at once: a far store takes as long for one as for all.
func (r *root) places(ctx context.Context, schema, table string) ([]place, error) {
	var all []place
	for _, dir := range r.dirs(schema) {
		all = append(all, place{join(dir, table+suffix), false}, place{join(dir, table+viewSuffix), true})
	}
	there := make([]bool, len(all))
	g, gctx := errgroup.WithContext(ctx)
	for i, p := range all {
		g.Go(func() (err error) {
			defer errs.Contain(&err)
			info, err := r.store.Stat(gctx, p.dir)
			if errors.Is(err, errs.ErrNotFound) {
				return nil
			}
			there[i] = err == nil && info.Dir != p.view
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []place
	for i, p := range all {
		if there[i] {
			out = append(out, p)
		}
	}
	return out, nil
}

// dirs gives the folders that the tables of a schema lie in.
func (r *root) dirs(schema string) []string {
	if schema == DefaultSchema {
		return []string{"", DefaultSchema}
	}
	return []string{schema}
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// visible tells whether a file's name can be one of a table or schema: hidden files are none, nor is what leads out of
// the folder.
func visible(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00")
}

// noTable is the error for a table that a schema does not have.
func (c *Catalog) noTable(ctx context.Context, r *root, schema, name string, tables []string) error {
	more := Near(name, tables)
	if more == "" {
		more = r.elsewhere(ctx, schema, name)
	}
	return &scan.NoTableError{Msg: fmt.Sprintf("there is no table %s in %s%s", quote(name), expr.FieldPath{r.name, schema}.Key(), more)}
}

// elsewhere names a schema that does have the table.
func (r *root) elsewhere(ctx context.Context, schema, name string) string {
	schemas, err := r.schemas(ctx)
	if err != nil {
		return ""
	}
	for _, s := range schemas {
		if s == schema {
			continue
		}
		names, err := r.names(ctx, s)
		if err != nil {
			continue
		}
		if picked, ok, err := pick("table", name, names.all()); err == nil && ok {
			return "; there is " + expr.FieldPath{r.name, s, picked}.Key()
		}
	}
	return ""
}
