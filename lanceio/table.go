package lanceio

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

// Table is one version of a Lance table. It holds no open files, is safe for concurrent use, and needs no closing.
type Table struct {
	name      string
	uri       string
	store     objstore.Store
	openStore func(uri string) (objstore.Store, error)
	cache     *Cache
	budget    *Budget
	m         *table.Manifest
	manifest  objectKey // of m; without an etag where it may have changed while it was read
	schema    *arrow.Schema
	fragments []FragmentInfo
	rows      int64

	mu    sync.Mutex
	bases map[uint32]objstore.Store
}

var _ scan.Source = (*Table)(nil)

// FragmentInfo describes a fragment: a run of the table's rows.
type FragmentInfo struct {
	ID           uint32
	PhysicalRows uint64 // deleted ones included
	Rows         uint64 // live
	Files        []string
}

// Name is the table's name in errors and EXPLAIN.
func (t *Table) Name() string { return t.name }

// Version is the number of the version that is open.
func (t *Table) Version() uint64 { return t.m.Version }

// Identity tells this version of this table from all others, and from a table that was made anew in its place; false where
// the store does not tell.
func (t *Table) Identity() (string, bool) {
	k := t.manifest
	return k.uri + "\x00" + k.name + "\x00" + k.etag, k.etag != ""
}

// Timestamp is when the version was committed.
func (t *Table) Timestamp() time.Time { return t.m.Timestamp }

// Schema holds all columns, stats columns included, with the table's own types and metadata.
func (t *Table) Schema() *arrow.Schema { return t.schema }

// Rows is the number of live rows.
func (t *Table) Rows() int64 { return t.rows }

// Fragments describes the fragments in the table's order of rows.
func (t *Table) Fragments() []FragmentInfo { return slices.Clone(t.fragments) }

// Format is the version of the table's data files, as "2.2".
func (t *Table) Format() string { return string(t.m.Format) }

// Manifest is the manifest of the version; it must not be changed.
func (t *Table) Manifest() *table.Manifest { return t.m }

// countRows fills in the fragments. Manifests of old writers leave out numbers of rows; these are then read from the files.
func (t *Table) countRows(ctx context.Context) error {
	t.fragments = make([]FragmentInfo, len(t.m.Fragments))
	for i, f := range t.m.Fragments {
		info := &t.fragments[i]
		*info = FragmentInfo{ID: f.ID, PhysicalRows: f.PhysicalRows, Rows: f.LiveRows()}
		for _, d := range f.Files {
			info.Files = append(info.Files, t.m.DataFile(d).String())
		}
		if !f.HasRowCount() {
			n, err := t.fileRows(ctx, f)
			if err != nil {
				return err
			}
			info.PhysicalRows, info.Rows = n, n-min(f.DeletedRows(), n)
		}
		if f.Deletion != nil && f.Deletion.Rows == 0 {
			v, err := t.deletions(ctx, i, newCounters())
			if err != nil {
				return err
			}
			info.Rows = info.PhysicalRows - v.Count()
		}
		t.rows += int64(info.Rows)
	}
	return nil
}

func (t *Table) fileRows(ctx context.Context, f *table.Fragment) (uint64, error) {
	d, err := t.openFile(ctx, f.Files[0], newCounters())
	if err != nil {
		return 0, err
	}
	defer d.close()
	n, err := d.meta.Rows(ctx, d.in)
	if err == nil && n > table.MaxFragmentRows {
		err = errs.Corruptf(d.meta.Object, -1, "%d rows, at most 2^32 of a fragment can be addressed", n)
	}
	return n, err
}

// deletions reads the deleted rows of a fragment by its place; nil where none is deleted.
func (t *Table) deletions(ctx context.Context, i int, c *counters) (*table.DeletionVector, error) {
	f, info := t.m.Fragments[i], t.fragments[i]
	if f.Deletion == nil {
		return nil, nil
	}
	loc := t.m.DeletionFile(f)
	s, err := t.storeOf(loc)
	if err != nil {
		return nil, err
	}
	data, _, err := objstore.ReadAll(ctx, s, loc.Path, table.MaxDeletionFile(info.PhysicalRows))
	if err != nil {
		return nil, fmt.Errorf("deletion file of fragment %d: %w", f.ID, missingObject(err, loc))
	}
	c.read("", 1, int64(len(data)), 0)
	return table.ParseDeletions(data, f, info.PhysicalRows, loc.String())
}

// storeOf gives the store that a location's path is relative to.
func (t *Table) storeOf(loc table.Location) (objstore.Store, error) {
	if loc.Base == nil {
		return t.store, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.bases[loc.Base.ID]; ok {
		return s, nil
	}
	uri, err := objstore.Beside(t.uri, loc.Base.URI)
	if err != nil {
		return nil, fmt.Errorf("base path %d of the table: %w", loc.Base.ID, err)
	}
	s, err := t.openStore(uri)
	if err != nil {
		return nil, fmt.Errorf("base path %d of the table: %w", loc.Base.ID, err)
	}
	t.bases[loc.Base.ID] = s
	return s, nil
}
