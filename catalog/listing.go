package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// Schemas gives the schemas of a catalog, sorted: main, and each folder of the root that holds a table or view.
func (c *Catalog) Schemas(ctx context.Context, catalog string) ([]string, error) {
	r, err := c.root(catalog)
	if err != nil {
		return nil, err
	}
	return r.schemas(ctx)
}

// Tables gives the tables of a schema, sorted. Whether they can be read shows only when one is used.
func (c *Catalog) Tables(ctx context.Context, catalog, schema string) ([]string, error) {
	r, err := c.root(catalog)
	if err != nil {
		return nil, err
	}
	if schema, err = r.schema(ctx, schema); err != nil {
		return nil, err
	}
	names, err := r.names(ctx, schema)
	return names.tables, err
}

// Views gives the views of a schema, sorted, those that pick leaves of their names. Whether they hold a query shows only when
// one is used.
func (c *Catalog) Views(ctx context.Context, catalog, schema string, pick func(names []string) []string) ([]string, error) {
	r, err := c.root(catalog)
	if err != nil {
		return nil, err
	}
	if schema, err = r.schema(ctx, schema); err != nil {
		return nil, err
	}
	names, err := r.listed(ctx, schema, pick)
	return pick(names.views), err
}

// relations are the names in a schema or folder, each list sorted.
type relations struct{ tables, views []string }

func (n relations) all() []string {
	out := append(slices.Clone(n.tables), n.views...)
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *root) schemas(ctx context.Context) ([]string, error) {
	names := []string{DefaultSchema}
	if r.table != "" {
		return names, nil
	}
	folders, err := r.folders(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if f == DefaultSchema || strings.HasSuffix(f, suffix) {
			continue
		}
		in, err := r.namesIn(ctx, f)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil && len(in.all()) > 0 { // a folder that can't be read hides no other
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (r *root) names(ctx context.Context, schema string) (relations, error) {
	var out relations
	if r.table != "" {
		if schema == DefaultSchema {
			out.tables = []string{r.table}
		}
		return out, nil
	}
	for _, dir := range r.dirs(schema) {
		more, err := r.namesIn(ctx, dir)
		if err != nil {
			return out, err
		}
		out.tables, out.views = append(out.tables, more.tables...), append(out.views, more.views...)
	}
	for _, list := range []*[]string{&out.tables, &out.views} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return out, nil
}

func (r *root) namesIn(ctx context.Context, dir string) (relations, error) {
	infos, err := r.list(ctx, dir)
	if err != nil {
		return relations{}, err
	}
	var out relations
	for _, i := range infos {
		if name, ok := strings.CutSuffix(i.Name, suffix); ok && i.Dir && name != "" {
			out.tables = append(out.tables, name)
		}
		if name, ok := strings.CutSuffix(i.Name, viewSuffix); ok && !i.Dir && name != "" {
			out.views = append(out.views, name)
		}
	}
	return out, nil
}

// folders gives the visible folders in a folder of the root.
func (r *root) folders(ctx context.Context, dir string) ([]string, error) {
	infos, err := r.list(ctx, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, i := range infos {
		if i.Dir {
			names = append(names, i.Name)
		}
	}
	return names, nil
}

// list gives what is visible in a folder of the root; one that is gone has nothing.
func (r *root) list(ctx context.Context, dir string) ([]objstore.Info, error) {
	infos, err := r.store.List(ctx, dir)
	if errors.Is(err, errs.ErrNotFound) {
		return nil, nil
	}
	return slices.DeleteFunc(infos, func(i objstore.Info) bool { return !visible(i.Name) }), err
}
