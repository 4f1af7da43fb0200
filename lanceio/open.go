package lanceio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/objstore/cloud"
)

// Option changes how Open opens a table.
type Option func(*openOptions)

type openOptions struct {
	ref       table.Ref
	refText   string
	asOf      *time.Time
	name      string
	cache     *Cache
	budget    *Budget
	store     objstore.Store
	openStore func(uri string) (objstore.Store, error)
	// found is the key of the manifest that was read last; its etag is empty where it may not be that of what was read.
	found objectKey
}

// AtVersion opens the version of a number.
func AtVersion(n uint64) Option { return func(o *openOptions) { o.ref.Number = &n } }

// AtTag opens the version that a tag names.
func AtTag(name string) Option { return func(o *openOptions) { o.ref.Tag = name } }

// OnBranch opens a version of a branch: its newest, or the one that AtVersion or AsOf tells.
func OnBranch(name string) Option { return func(o *openOptions) { o.ref.Branch = name } }

// AtRef opens the version that a text names: "7" a number, "name" a tag, "branch:7" a branch's version, "branch:" its
// newest, "" the newest.
func AtRef(text string) Option { return func(o *openOptions) { o.refText = text } }

// AsOf opens the version that was newest at a time.
func AsOf(t time.Time) Option { return func(o *openOptions) { o.asOf = &t } }

// WithName sets the name that errors and EXPLAIN give the table; else it is the last part of the URI.
func WithName(name string) Option { return func(o *openOptions) { o.name = name } }

// WithCache shares a cache of manifests and file metadata.
func WithCache(c *Cache) Option { return func(o *openOptions) { o.cache = c } }

// WithBudget shares a budget of the bytes that scans hold in flight; without it each scan of the table has all it can use.
func WithBudget(b *Budget) Option { return func(o *openOptions) { o.budget = b } }

// WithStore gives the store whose root is the table's folder; the URI then only tells cached objects apart.
func WithStore(s objstore.Store) Option { return func(o *openOptions) { o.store = s } }

// WithStoreOpener sets how the stores of other places that a table names (base paths of branches and clones) are opened.
func WithStoreOpener(open func(uri string) (objstore.Store, error)) Option {
	return func(o *openOptions) { o.openStore = open }
}

// Open opens one version of the table whose folder uri names, the newest unless an option tells another: a local folder,
// or a place in an object store (s3://, gs://, azblob://, see objstore/cloud). A table or version that is not there is an
// errs.ErrNotFound.
func Open(ctx context.Context, uri string, opts ...Option) (*Table, error) {
	o := openOptions{name: expr.FieldPath{strings.TrimSuffix(objstore.Base(uri), ".lance")}.Key(), openStore: cloud.Open}
	for _, opt := range opts {
		opt(&o)
	}
	if err := o.settle(uri); err != nil {
		return nil, err
	}
	m, err := o.manifest(ctx, uri)
	if errors.Is(err, errs.ErrConflict) { // the table was made anew between two looks at it
		m, err = o.manifest(ctx, uri)
	}
	if err != nil {
		if errors.Is(err, errs.ErrNotFound) && o.newest() {
			if _, serr := o.store.Stat(ctx, ""); serr == nil {
				return nil, errs.NotFoundf("table %s: its folder is there, but holds no version of a table", o.name)
			}
			return nil, errs.NotFoundf("there is no table %s", o.name)
		}
		return nil, fmt.Errorf("table %s: %w", o.name, err)
	}
	t := &Table{
		name: o.name, uri: uri, store: o.store, openStore: o.openStore, cache: o.cache, budget: o.budget, m: m, manifest: o.found,
		schema: m.ArrowSchema(), bases: map[uint32]objstore.Store{},
	}
	if err := t.countRows(ctx); err != nil {
		return nil, fmt.Errorf("table %s: %w", o.name, err)
	}
	return t, nil
}

func (o *openOptions) newest() bool {
	return o.ref == table.Ref{} && o.asOf == nil
}

// settle checks the options and fills in what they leave open.
func (o *openOptions) settle(uri string) (err error) {
	if o.refText != "" {
		if o.ref != (table.Ref{}) {
			return errs.Invalidf("table %s: its version is given twice", o.name)
		}
		if o.ref, err = table.ParseRef(o.refText); err != nil {
			return fmt.Errorf("table %s: %w", o.name, err)
		}
	}
	given := 0
	for _, b := range []bool{o.ref.Number != nil, o.ref.Tag != "", o.asOf != nil} {
		if b {
			given++
		}
	}
	if given > 1 || o.ref.Tag != "" && o.ref.Branch != "" {
		return errs.Invalidf("table %s: number, tag, and time of a version can't stand together", o.name)
	}
	if o.cache == nil {
		o.cache = NewCache(DefaultCacheBytes)
	}
	if o.budget == nil {
		o.budget = NewBudget(math.MaxInt64)
	}
	if o.store == nil {
		o.store, err = o.openStore(uri)
	}
	return err
}

// manifest reads the manifest of the version that is asked for.
func (o *openOptions) manifest(ctx context.Context, uri string) (*table.Manifest, error) {
	if o.asOf != nil {
		return o.manifestAsOf(ctx, uri, *o.asOf)
	}
	dir, file, err := table.Resolve(ctx, o.store, o.ref)
	if err != nil {
		return nil, err
	}
	return o.readManifest(ctx, uri, dir, file)
}

func (o *openOptions) readManifest(ctx context.Context, uri, dir string, file table.VersionFile) (*table.Manifest, error) {
	key := objectKey{uri: uri, name: path.Join(dir, file.Name), etag: file.ETag}
	if key.etag == "" {
		info, err := o.store.Stat(ctx, key.name)
		if err != nil {
			return nil, err
		}
		key.etag, file.ETag, file.Size = info.ETag, info.ETag, info.Size
	}
	o.found = key
	if m, ok := o.cache.manifests.get(key); ok {
		return m, nil
	}
	m, err := table.ReadManifest(ctx, o.store, dir, file)
	if err != nil {
		return nil, err
	}
	if file.Size == 0 {
		// What was read is what the etag names only if the etag is still the same.
		info, err := o.store.Stat(ctx, key.name)
		if err != nil || info.ETag != key.etag || key.etag == "" {
			o.found.etag = ""
			return m, nil
		}
	}
	weight := manifestWeight + fragmentWeight*len(m.Fragments) + fieldWeight*len(m.Message().GetFields())
	o.cache.manifests.put(key, m, int64(weight))
	return m, nil
}

// manifestAsOf looks for the version that was newest at a time, from the newest back.
func (o *openOptions) manifestAsOf(ctx context.Context, uri string, t time.Time) (*table.Manifest, error) {
	dir := table.BranchDir(o.ref.Branch)
	files, err := table.ListVersions(ctx, o.store, dir)
	if err != nil {
		return nil, err
	}
	return table.NewestAt(files, t, func(f table.VersionFile) (*table.Manifest, error) { return o.readManifest(ctx, uri, dir, f) })
}
