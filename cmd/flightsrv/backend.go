package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/objstore/cloud"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// backend is what answers statements: tables and engines.
type backend struct {
	catalog flightsql.Catalog
	views   flightsql.ViewStore
	engine  *engine.Engine
	stores  *cloud.Opener
	mem     memory.Allocator
	spill   string // a folder of our own, removed at the end: processes that spill into one folder would mix their files
}

// tables is the catalog as the edge sees it.
type tables struct{ *catalog.Catalog }

// Snapshot gives a Resolver that sees one version of each table.
func (t tables) Snapshot() planner.Resolver { return t.Catalog.Snapshot() }

// Shown gives the catalog as a session sees it.
func (t tables) Shown(cells bool, columns func(*arrow.Schema) *arrow.Schema) flightsql.Catalog {
	return tables{t.Catalog.Shown(cells, columns)}
}

// openBackend opens the folders that --data names, and the engines.
func openBackend(ctx context.Context, data []string, l limits) (*backend, error) {
	roots, err := parseData(data)
	if err != nil {
		return nil, err
	}
	if l.memory != 0 && l.memory < minMemory {
		return nil, usagef("--memory %d bytes is too little: joins and sorts need %d MiB at least", l.memory, minMemory>>20)
	}
	stores, err := openStores(l)
	if err != nil {
		return nil, err
	}
	if err := checkRoots(ctx, roots, stores); err != nil {
		return nil, err
	}
	b := &backend{stores: stores, mem: memory.DefaultAllocator}
	o := catalog.Options{OpenStore: stores.Open, ViewSchema: b.viewSchema}
	if l.memory != 0 {
		o.Budget = lanceio.NewBudget(int64(l.memory))
	}
	found, err := catalog.New(ctx, roots, o)
	if err != nil {
		return nil, err
	}
	b.catalog, b.views = tables{found}, found
	if b.spill, err = spillFolder(l.spill); err != nil {
		return nil, fmt.Errorf("--spill: %w", err)
	}
	rel, err := duckdb.Open(duckdb.Options{Memory: int64(l.memory), SpillDir: b.spill})
	if err != nil {
		return nil, errors.Join(err, b.removeSpill())
	}
	b.engine = engine.New(rel)
	return b, nil
}

// viewSchema gives the columns of a view.
func (b *backend) viewSchema(ctx context.Context, v *scan.View) (*arrow.Schema, error) {
	return flightsql.ViewSchema(ctx, flightsql.SQL{}, b.engine, b.catalog.Snapshot(), v)
}

// openStores makes what opens the places that --data names.
func openStores(l limits) (*cloud.Opener, error) {
	if l.cache == "" {
		return cloud.NewOpener(cloud.Options{}), nil
	}
	size := int64(l.cacheSize)
	if size == 0 {
		size = defaultCacheSize
	}
	cache, err := cloud.NewDiskCache(l.cache, size)
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	return cloud.NewOpener(cloud.Options{Cache: cache}), nil
}

// defaultCacheSize bounds the cache on disk where --cache-size does not.
const defaultCacheSize = 10 << 30

func (b *backend) close() error {
	return errors.Join(b.engine.Close(), b.removeSpill(), b.stores.Close())
}

func (b *backend) removeSpill() error { return os.RemoveAll(b.spill) }

// spillFolder makes a folder in parent, or in the system's temporary folder.
func spillFolder(parent string) (string, error) {
	if parent != "" {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(parent, "flightsrv-spill-")
}

// minMemory is the least that --memory may say; with less not even small joins run.
const minMemory = 32 << 20

// checkRoots refuses folders that are not there or can't be listed: a slip in --data shows at once, not as a server
// without tables.
func checkRoots(ctx context.Context, roots []catalog.Root, stores *cloud.Opener) error {
	for _, r := range roots {
		store, err := stores.Open(r.URI)
		if err != nil {
			return fmt.Errorf("--data %s: %w", objstore.Display(r.URI), err)
		}
		_, _, err = objstore.ListFirst(ctx, store, "", 1)
		switch {
		case errors.Is(err, errs.ErrNotFound):
			return fmt.Errorf("--data %s: there is no such folder", objstore.Display(r.URI))
		case err != nil:
			return fmt.Errorf("--data %s: %w", objstore.Display(r.URI), err)
		}
	}
	return nil
}

var namedRoot = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*)=(.+)$`)

// parseData reads the values of --data: URI or NAME=URI.
func parseData(values []string) ([]catalog.Root, error) {
	roots := make([]catalog.Root, 0, len(values))
	for _, v := range values {
		r := catalog.Root{URI: v}
		if m := namedRoot.FindStringSubmatch(v); m != nil {
			r = catalog.Root{Name: m[1], URI: m[2]}
		}
		roots = append(roots, r)
	}
	if len(roots) == 0 {
		return nil, usagef("no data to read: give --data URI")
	}
	return roots, nil
}
