package lanceio

import (
	"container/list"
	"sync"

	"github.com/lanceflight/flightsrv/lanceio/table"
)

// Cache keeps manifests and what was learned of data files, within a bound. Many tables may share one; it is safe for
// concurrent use.
//
// A data file never changes, so it is known by its path; a manifest's name does come again when a table is removed and
// made anew, so both are known by path and etag.
type Cache struct {
	manifests *lru[*table.Manifest]
	files     *lru[*fileEntry]
	indices   *lru[any] // what package index keeps
	// summaries are by column of a data file, etags of data files by version of a table.
	summaries *lru[*summary]
	etags     *lru[string]
}

const (
	// manifestWeight is about what a manifest takes in memory beside its fragments and fields, in bytes.
	manifestWeight = 2 << 10
	// fragmentWeight and fieldWeight are about what a fragment and a field take.
	fragmentWeight = 1 << 10
	fieldWeight    = 1 << 9
)

// NewCache gives a cache of about so many bytes.
func NewCache(bytes int64) *Cache {
	part := bytes / 16
	return &Cache{
		manifests: newLRU[*table.Manifest](2 * part), files: newLRU[*fileEntry](6 * part), indices: newLRU[any](4 * part),
		summaries: newLRU[*summary](3 * part), etags: newLRU[string](part),
	}
}

// DefaultCacheBytes is the size of the cache of a table that is opened without one.
const DefaultCacheBytes = 64 << 20

// objectKey names one content of one object.
type objectKey struct{ uri, name, etag string }

// lru is a map that forgets what was not used for longest when the weights of its entries pass a bound.
type lru[V any] struct {
	mu     sync.Mutex
	max    int64
	weight int64
	order  *list.List // of *lruEntry[V], the most recent first
	byKey  map[objectKey]*list.Element
}

type lruEntry[V any] struct {
	key    objectKey
	value  V
	weight int64
}

func newLRU[V any](maxWeight int64) *lru[V] {
	return &lru[V]{max: maxWeight, order: list.New(), byKey: map[objectKey]*list.Element{}}
}

func (c *lru[V]) get(key objectKey) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruEntry[V]).value, true
}

// forget takes a value out.
func (c *lru[V]) forget(key objectKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.remove(e)
	}
}

// put keeps a value; one that is heavier than the whole bound is not kept.
func (c *lru[V]) put(key objectKey, v V, weight int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.remove(e)
	}
	if weight > c.max {
		return
	}
	c.byKey[key] = c.order.PushFront(&lruEntry[V]{key, v, weight})
	c.weight += weight
	for c.weight > c.max {
		c.remove(c.order.Back())
	}
}

func (c *lru[V]) remove(e *list.Element) {
	entry := c.order.Remove(e).(*lruEntry[V])
	delete(c.byKey, entry.key)
	c.weight -= entry.weight
}
