package catalog

import (
	"context"
	"errors"
	"strings"

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
	tables, err := r.tables(ctx, schema)
	if err != nil {
		return found{}, err
	}
	name, ok, err := pick("table", ref.Table, tables)
	if err != nil {
		return found{}, err
	}
	if !ok {
		return found{}, c.noTable(ctx, r, schema, ref.Table, tables)
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
		return "", errs.NotFoundf("catalog %s has no schema %s%s", r.name, quote(name), hint(name, schemas))
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

// exact looks for a table by its name as it is spelled on disk.
func (r *root) exact(ctx context.Context, schema, table string) (f found, ok bool, err error) {
	if r.table != "" {
		return found{root: r, schema: DefaultSchema, table: r.table}, schema == DefaultSchema && table == r.table, nil
	}
	if !visible(table) {
		return found{}, false, nil
	}
	for _, dir := range r.dirs(schema) {
		at := join(dir, table+suffix)
		info, err := r.store.Stat(ctx, at)
		if errors.Is(err, errs.ErrNotFound) || err == nil && !info.Dir {
			continue
		}
		if err != nil {
			return found{}, false, err
		}
		if ok {
			return found{}, false, errs.Invalidf("table %s is there twice: as %s and as %s", f.name(), f.dir, at)
		}
		f, ok = found{root: r, schema: schema, table: table, dir: at}, true
	}
	return f, ok, nil
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
	more := hint(name, tables)
	if more == "" {
		more = r.elsewhere(ctx, schema, name)
	}
	return errs.NotFoundf("there is no table %s in %s%s", quote(name), expr.FieldPath{r.name, schema}.Key(), more)
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
		tables, err := r.tables(ctx, s)
		if err != nil {
			continue
		}
		if picked, ok, err := pick("table", name, tables); err == nil && ok {
			return "; there is " + expr.FieldPath{r.name, s, picked}.Key()
		}
	}
	return ""
}
