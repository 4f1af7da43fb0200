package main

import (
	"context"
	"errors"
	"os"
	"regexp"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/flightsql"
	"github.com/lanceflight/flightsrv/planner"
)

// backend is what answers statements: tables and engines.
type backend struct {
	catalog flightsql.Catalog
	engine  *engine.Engine
	mem     memory.Allocator
	spill   string // a folder of our own, removed at the end; empty where the user named one
}

// tables is the catalog as the edge sees it.
type tables struct{ *catalog.Catalog }

// Snapshot gives a Resolver that sees one version of each table.
func (t tables) Snapshot() planner.Resolver { return t.Catalog.Snapshot() }

// openBackend opens the folders that --data names, and the engines.
func openBackend(ctx context.Context, data []string, l limits) (*backend, error) {
	roots, err := parseData(data)
	if err != nil {
		return nil, err
	}
	found, err := catalog.New(ctx, roots, catalog.Options{})
	if err != nil {
		return nil, err
	}
	b := &backend{catalog: tables{found}, mem: memory.DefaultAllocator}
	spill := l.spill
	if spill == "" {
		if b.spill, err = os.MkdirTemp("", "flightsrv-spill-"); err != nil {
			return nil, err
		}
		spill = b.spill
	}
	rel, err := duckdb.Open(duckdb.Options{Memory: int64(l.memory), SpillDir: spill})
	if err != nil {
		return nil, errors.Join(err, b.removeSpill())
	}
	b.engine = engine.New(rel)
	return b, nil
}

func (b *backend) close() error { return errors.Join(b.engine.Close(), b.removeSpill()) }

func (b *backend) removeSpill() error {
	if b.spill == "" {
		return nil
	}
	return os.RemoveAll(b.spill)
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
		return nil, errors.New("no data to read: give --data URI")
	}
	return roots, nil
}
