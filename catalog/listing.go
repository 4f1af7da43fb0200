package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// Schemas gives the schemas of a catalog, sorted: main, and each folder of the root that holds a table.
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
	return r.tables(ctx, schema)
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
		tables, err := r.tablesIn(ctx, f)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil && len(tables) > 0 { // a folder that can't be read hides no other
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (r *root) tables(ctx context.Context, schema string) ([]string, error) {
	if r.table != "" {
		if schema != DefaultSchema {
			return nil, nil
		}
		return []string{r.table}, nil
	}
	var names []string
	for _, dir := range r.dirs(schema) {
		more, err := r.tablesIn(ctx, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (r *root) tablesIn(ctx context.Context, dir string) ([]string, error) {
	folders, err := r.folders(ctx, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range folders {
		if name, ok := strings.CutSuffix(f, suffix); ok && name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// folders gives the visible folders in a folder of the root; one that is gone has none.
func (r *root) folders(ctx context.Context, dir string) ([]string, error) {
	infos, err := r.store.List(ctx, dir)
	if errors.Is(err, errs.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, i := range infos {
		if i.Dir && visible(i.Name) {
			names = append(names, i.Name)
		}
	}
	return names, nil
}
