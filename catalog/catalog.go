// Package catalog finds tables by name. A Catalog serves one or more roots, each a catalog of its own: a folder in
// which t.lance is the table t of schema main, and s/t.lance the table t of schema s; v.view.sql is the text of the view v. Nothing is remembered of what
// lies there but manifests and file metadata, by path and etag: a table that appears, changes, or is removed and made
// anew is seen by the next statement.
//
// A name matches exactly, or else without regard to case when just one thing matches so. Errors hold these names,
// never a path of the server.
package catalog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

const (
	// DefaultName is the catalog of a root that is given no name.
	DefaultName = "lance"
	// DefaultSchema holds the tables that lie in the root itself.
	DefaultSchema = "main"

	suffix      = ".lance"
	versionsDir = "_versions"
)

// Root is where the tables of one catalog lie.
type Root struct {
	Name string // empty for DefaultName
	URI  string // a folder, or a table's own folder
}

// Options change how a Catalog reads; zero values stand for the defaults.
type Options struct {
	// Cache holds manifests and file metadata; nil for one of lanceio.DefaultCacheBytes.
	Cache *lanceio.Cache
	// Budget bounds what all scans hold in flight; nil for one of DefaultScanBytes.
	Budget *lanceio.Budget
	// OpenStore opens the store that a URI names; nil for objstore.Open.
	OpenStore func(uri string) (objstore.Store, error)
	// ViewSchema tells the columns of a view, which only who plans statements knows; nil: views are listed without columns.
	ViewSchema func(ctx context.Context, v *scan.View) (*arrow.Schema, error)
}

// DefaultScanBytes is what all scans together hold in flight where nothing else is said.
const DefaultScanBytes = 256 << 20

// Catalog is safe for concurrent use.
type Catalog struct {
	roots     []*root
	cache     *lanceio.Cache
	budget    *lanceio.Budget
	openStore func(uri string) (objstore.Store, error)
	columnsOf func(ctx context.Context, v *scan.View) (*arrow.Schema, error) // nil where nobody knows
	// shown gives the columns that information_schema tells of in place of a table's; nil: they stay.
	shown func(*arrow.Schema) *arrow.Schema
	dims  *dimCache
}

// root is one catalog. Where table is not empty the store's root is that one table's folder.
type root struct {
	name  string
	uri   string
	store objstore.Store
	table string
	// hasCells tells of which tables the cells are listed; nil for none.
	hasCells func(ctx context.Context, ref scan.TableRef) bool
}

// New makes a Catalog of roots, the default one first. A URI that ends in ".lance" or holds a table's versions is a
// table itself.
func New(ctx context.Context, roots []Root, o Options) (*Catalog, error) {
	c := &Catalog{cache: o.Cache, budget: o.Budget, openStore: o.OpenStore, columnsOf: o.ViewSchema, dims: newDimCache()}
	if c.cache == nil {
		c.cache = lanceio.NewCache(lanceio.DefaultCacheBytes)
	}
	if c.budget == nil {
		c.budget = lanceio.NewBudget(DefaultScanBytes)
	}
	if c.openStore == nil {
		c.openStore = objstore.Open
	}
	for _, r := range roots {
		if r.Name == "" {
			r.Name = DefaultName
		}
		for _, have := range c.roots {
			if strings.EqualFold(have.name, r.Name) {
				return nil, errs.Invalidf("two roots have the catalog name %s: give each a name of its own", r.Name)
			}
		}
		store, err := c.openStore(r.URI)
		if err != nil {
			return nil, fmt.Errorf("catalog %s: %w", r.Name, err)
		}
		added := &root{name: r.Name, uri: r.URI, store: store}
		base := objstore.Base(r.URI)
		if _, err := store.Stat(ctx, versionsDir); err == nil || strings.HasSuffix(base, suffix) {
			added.table = strings.TrimSuffix(base, suffix)
		}
		c.roots = append(c.roots, added)
	}
	return c, nil
}

// Catalogs gives the catalogs' names, the default one first.
func (c *Catalog) Catalogs() []string {
	names := make([]string, len(c.roots))
	for i, r := range c.roots {
		names[i] = r.name
	}
	return names
}

// Resolve opens one version of one table: Snapshot is for statements, which see one version of each table throughout.
func (c *Catalog) Resolve(ctx context.Context, ref scan.TableRef) (scan.Source, error) {
	if isSystem(ref.Schema) {
		return c.system(ref)
	}
	f, ref, err := c.findRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, f, ref)
}

// found is a table that a name led to: a folder of a root.
type found struct {
	root   *root
	schema string
	table  string
	dir    string // below the root
	view   bool   // dir is the file of a view
	system bool   // it is of PgCatalog, and has no folder
}

func (f found) name() string { return expr.FieldPath{f.root.name, f.schema, f.table}.Key() }

// open opens the version that ref asks for.
func (c *Catalog) open(ctx context.Context, f found, ref scan.TableRef) (scan.Source, error) {
	if f.system {
		ref.Catalog = f.root.name
		return c.pgCatalog(ref)
	}
	if f.view {
		return f.openView(ctx)
	}
	store, err := objstore.Sub(f.root.store, f.dir)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", f.name(), err)
	}
	opts := []lanceio.Option{lanceio.WithName(f.name()), lanceio.WithStore(store), lanceio.WithStoreOpener(c.openBase),
		lanceio.WithCache(c.cache), lanceio.WithBudget(c.budget)}
	if ref.Version != "" {
		opts = append(opts, lanceio.AtRef(ref.Version))
	}
	if ref.AsOf != nil {
		opts = append(opts, lanceio.AsOf(time.UnixMicro(*ref.AsOf)))
	}
	t, err := lanceio.Open(ctx, objstore.Join(f.root.uri, f.dir), opts...)
	if err != nil {
		return nil, err
	}
	if variables, ok := ref.About.Cells(); ok {
		return c.cells(ctx, t, f, variables)
	}
	if ref.About != "" {
		return about(t, f.name(), ref.About)
	}
	return t, nil
}

// openBase opens another place that a table names for its files, as branches and clones do. What a table names is not
// to be trusted: only what lies in a root is opened.
func (c *Catalog) openBase(uri string) (objstore.Store, error) {
	for _, r := range c.roots {
		if objstore.Within(r.uri, uri) {
			return c.openStore(objstore.Reached(r.uri, uri))
		}
	}
	return nil, errs.New(errs.ErrPermissionDenied, "it lies outside the folders that are served: serve the folder that holds it as well")
}
