package catalog

import (
	"context"
	"sync"

	"github.com/lanceflight/flightsrv/scan"
)

// Snapshot is what one statement sees: the first use of a table decides its version, and every later use of it under
// the same reference gives the same one. It is safe for concurrent use.
type Snapshot struct {
	c    *Catalog
	mu   sync.Mutex
	seen map[snapshotKey]*snapshotEntry
}

// snapshotKey is a table, as it is spelled on disk, and the version that was asked for.
type snapshotKey struct {
	root    *root
	dir     string
	version string
	about   scan.About
	asOf    int64
	hasAsOf bool
}

type snapshotEntry struct {
	mu  sync.Mutex // held while the table is opened
	src scan.Source
}

// Snapshot starts one.
func (c *Catalog) Snapshot() *Snapshot {
	return &Snapshot{c: c, seen: map[snapshotKey]*snapshotEntry{}}
}

// Resolve opens one version of one table, or gives the one that it gave before. Errors are not kept.
func (s *Snapshot) Resolve(ctx context.Context, ref scan.TableRef) (scan.Source, error) {
	if isSystem(ref.Schema) {
		return s.c.system(ref)
	}
	f, ref, err := s.c.findRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	if f.system {
		return s.c.open(ctx, f, ref)
	}
	key := snapshotKey{root: f.root, dir: f.dir, version: ref.Version, about: ref.About}
	if ref.AsOf != nil {
		key.asOf, key.hasAsOf = *ref.AsOf, true
	}
	e := s.entry(key)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.src != nil {
		return e.src, nil
	}
	src, err := s.c.open(ctx, f, ref)
	if err != nil {
		return nil, err
	}
	e.src = src
	return src, nil
}

func (s *Snapshot) entry(key snapshotKey) *snapshotEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.seen[key]
	if !ok {
		e = &snapshotEntry{}
		s.seen[key] = e
	}
	return e
}
