package cloud

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
)

// DiskCache keeps ranges of objects in a folder, up to a bound of bytes. A range is known by bucket, key, etag, offset
// and size, so what was read never grows stale; each file ends in a checksum, and one that does not fit is as good as
// none. It is safe for concurrent use, and outlives the process: what the folder holds already is used.
//
// A file's name is the hash of what it holds and its size: "HASH-SIZE.range".
type DiskCache struct {
	dir string
	max int64

	mu    sync.Mutex
	bytes int64
	order *list.List // of *cached, the most recent first
	by    map[string]*list.Element
}

type cached struct {
	name string
	size int64 // of the file
}

// cacheKey names a range of one content of an object.
type cacheKey struct {
	place, key, etag string
	offset, size     int64
}

const (
	cacheSuffix = ".range"
	// sumBytes is the size of the checksum at the end of a file.
	sumBytes = 4
	// blockBytes is what the smallest file takes on disk.
	blockBytes = 4 << 10
)

// NewDiskCache makes a cache of at most so many bytes in a folder, which is made where it is missing.
func NewDiskCache(dir string, bytes int64) (*DiskCache, error) {
	if bytes <= 0 {
		return nil, errs.Invalidf("a cache of %d bytes", bytes)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c := &DiskCache{dir: dir, max: bytes, order: list.New(), by: map[string]*list.Element{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type found struct {
		cached
		used int64
	}
	var old []found
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if strings.HasPrefix(e.Name(), "part-") { // what another process began to write, and did not end
			_ = os.Remove(filepath.Join(dir, e.Name()))
			continue
		}
		if strings.HasSuffix(e.Name(), cacheSuffix) {
			old = append(old, found{cached{e.Name(), st.Size()}, st.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(old, func(a, b found) int { return int(min(1, max(-1, a.used-b.used))) })
	for _, f := range old {
		c.add(f.name, f.size)
	}
	return c, nil
}

func (k cacheKey) file() string {
	h := sha256.New()
	for _, s := range []string{k.place, k.key, k.etag} {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(s)))
		_, _ = io.WriteString(h, s)
	}
	_ = binary.Write(h, binary.LittleEndian, k.offset)
	return hex.EncodeToString(h.Sum(nil)) + "-" + strconv.FormatInt(k.size, 10) + cacheSuffix
}

// get fills dst with a range, and tells whether it was there.
func (c *DiskCache) get(k cacheKey, dst []byte) bool {
	name := k.file()
	c.mu.Lock()
	e, ok := c.by[name]
	if ok {
		c.order.MoveToFront(e)
	}
	c.mu.Unlock()
	if !ok {
		return false
	}
	if err := c.read(name, dst); err != nil {
		c.mu.Lock()
		c.drop(name)
		c.mu.Unlock()
		return false
	}
	return true
}

var errDamaged = errors.New("damaged")

func (c *DiskCache) read(name string, dst []byte) error {
	f, err := os.Open(filepath.Join(c.dir, name))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var sum [sumBytes + 1]byte
	if _, err := io.ReadFull(f, dst); err != nil {
		return err
	}
	if n, err := io.ReadFull(f, sum[:]); n != sumBytes || !errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	if binary.LittleEndian.Uint32(sum[:]) != checksum(dst) {
		return errDamaged
	}
	return nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// put keeps a range. A disk that can't take it just means that it is not kept.
func (c *DiskCache) put(k cacheKey, data []byte) {
	if weight(int64(len(data))+sumBytes) > c.max {
		return
	}
	name := k.file()
	if err := c.write(name, data); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, int64(len(data))+sumBytes)
}

func (c *DiskCache) write(name string, data []byte) (err error) {
	f, err := os.CreateTemp(c.dir, "part-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		_, err = f.Write(binary.LittleEndian.AppendUint32(nil, checksum(data)))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return os.Rename(f.Name(), filepath.Join(c.dir, name))
}

// weight is what a file takes on disk.
func weight(size int64) int64 { return (size + blockBytes - 1) / blockBytes * blockBytes }

// add counts a file, and removes those unused for longest where there is too much.
func (c *DiskCache) add(name string, size int64) {
	if e, ok := c.by[name]; ok {
		c.order.MoveToFront(e)
		return
	}
	c.by[name] = c.order.PushFront(&cached{name, size})
	for c.bytes += weight(size); c.bytes > c.max; {
		c.drop(c.order.Back().Value.(*cached).name)
	}
}

// drop removes a file.
func (c *DiskCache) drop(name string) {
	e, ok := c.by[name]
	if !ok {
		return
	}
	c.bytes -= weight(c.order.Remove(e).(*cached).size)
	delete(c.by, name)
	_ = os.Remove(filepath.Join(c.dir, name))
}
