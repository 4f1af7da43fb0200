package flightsql

import (
	"container/list"
	"sync"
	"time"
)

// kept is a bounded store of things that clients name by a handle and may forget to close: the least recently used
// goes first when there are too many or they weigh too much, and what was not used for a while goes as well. It is safe
// for concurrent use.
type kept[V any] struct {
	maxCount int
	maxBytes int64
	idle     time.Duration
	now      func() time.Time

	mu    sync.Mutex
	order *list.List // front: used last
	items map[string]*list.Element
	bytes int64
}

type keptItem[V any] struct {
	key   string
	value V
	bytes int64
	used  time.Time
}

func newKept[V any](maxCount int, maxBytes int64, idle time.Duration, now func() time.Time) *kept[V] {
	return &kept[V]{maxCount: maxCount, maxBytes: maxBytes, idle: idle, now: now, order: list.New(), items: map[string]*list.Element{}}
}

// get gives the value of a key and marks it as used.
func (k *kept[V]) get(key string) (V, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	e, ok := k.items[key]
	if !ok {
		var none V
		return none, false
	}
	it := e.Value.(*keptItem[V])
	it.used = k.now()
	k.order.MoveToFront(e)
	return it.value, true
}

// put stores a value of about so many bytes, in place of an older one of the key.
func (k *kept[V]) put(key string, value V, bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.items[key]; ok {
		k.drop(e)
	}
	k.items[key] = k.order.PushFront(&keptItem[V]{key, value, bytes, k.now()})
	k.bytes += bytes
	k.expire()
	for k.order.Len() > 1 && (k.order.Len() > k.maxCount || k.bytes > k.maxBytes) {
		k.drop(k.order.Back())
	}
}

// remove forgets a key and tells whether it was there.
func (k *kept[V]) remove(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	e, ok := k.items[key]
	if ok {
		k.drop(e)
	}
	return ok
}

func (k *kept[V]) size() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire()
	return k.order.Len()
}

func (k *kept[V]) expire() {
	oldest := k.now().Add(-k.idle)
	for e := k.order.Back(); e != nil && e.Value.(*keptItem[V]).used.Before(oldest); e = k.order.Back() {
		k.drop(e)
	}
}

func (k *kept[V]) drop(e *list.Element) {
	it := e.Value.(*keptItem[V])
	k.order.Remove(e)
	delete(k.items, it.key)
	k.bytes -= it.bytes
}
