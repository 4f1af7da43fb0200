package objstore

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

// Mem is a store in memory.
type Mem struct {
	mu      sync.RWMutex
	objects map[string]memObject
	puts    int
}

type memObject struct {
	data []byte
	etag string
	mod  time.Time
}

// NewMem gives an empty store.
func NewMem() *Mem { return &Mem{objects: map[string]memObject{}} }

// Put stores an object, in place of an older one of its name. The store keeps data.
func (m *Mem) Put(name string, data []byte) error {
	name, err := Clean(name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts++
	m.objects[name] = memObject{data: data, etag: fmt.Sprintf("put-%d", m.puts), mod: time.Now()}
	return nil
}

// Delete removes an object if there is one.
func (m *Mem) Delete(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
}

// Open opens an object.
func (m *Mem) Open(ctx context.Context, name string) (Reader, error) {
	name, o, err := m.object(ctx, name)
	if err != nil {
		return nil, err
	}
	return &memReader{name, o}, nil
}

func (m *Mem) object(ctx context.Context, name string) (string, memObject, error) {
	if err := ctx.Err(); err != nil {
		return "", memObject{}, err
	}
	name, err := Clean(name)
	if err != nil {
		return "", memObject{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	o, ok := m.objects[name]
	if !ok {
		return "", memObject{}, NotFound(name)
	}
	return name, o, nil
}

// Stat describes an object, or a folder that holds one.
func (m *Mem) Stat(ctx context.Context, name string) (Info, error) {
	clean, o, err := m.object(ctx, name)
	if err == nil {
		return Info{Name: clean, Size: int64(len(o.data)), ETag: o.etag, Mod: o.mod}, nil
	}
	if _, lerr := m.List(ctx, name); lerr == nil {
		return Info{Name: name, Dir: true}, nil
	}
	return Info{}, err
}

// List gives what lies in a folder, sorted by name. A folder is there as long as it holds an object.
func (m *Mem) List(ctx context.Context, dir string) ([]Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := Clean(dir)
	if err != nil {
		return nil, err
	}
	prefix := dir
	if dir != "" {
		prefix += "/"
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	found := map[string]Info{}
	for name, o := range m.objects {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if first, _, deeper := strings.Cut(rest, "/"); deeper {
			found[first] = Info{Name: first, Dir: true}
		} else {
			found[rest] = Info{Name: rest, Size: int64(len(o.data)), ETag: o.etag, Mod: o.mod}
		}
	}
	if len(found) == 0 && dir != "" {
		return nil, NotFound(dir)
	}
	infos := make([]Info, 0, len(found))
	for _, i := range found {
		infos = append(infos, i)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	return infos, nil
}

type memReader struct {
	name string
	o    memObject
}

func (r *memReader) Size() int64  { return int64(len(r.o.data)) }
func (r *memReader) ETag() string { return r.o.etag }
func (r *memReader) Close() error { return nil }

func (r *memReader) ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := CheckRanges(r.name, r.Size(), ranges); err != nil {
		return nil, err
	}
	out := make([][]byte, len(ranges))
	for i, rg := range ranges {
		out[i] = r.o.data[rg.Offset : rg.Offset+rg.Size : rg.Offset+rg.Size]
	}
	return out, nil
}
