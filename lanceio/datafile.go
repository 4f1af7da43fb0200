package lanceio

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// dataFile is a data file that is open for one stream.
type dataFile struct {
	file   *table.DataFile
	object string // relative to the table
	r      objstore.Reader
	in     *fileInput
	meta   *file.Metadata
}

// fileEntry is what the cache keeps of a data file.
type fileEntry struct {
	meta *file.Metadata
	etag string
}

const (
	// fileWeight is about what a file's metadata takes in memory, in bytes, beside metadataWeight bytes for each of its
	// own: the columns that were asked for, decoded, and the bytes they were decoded from.
	fileWeight     = 1 << 10
	metadataWeight = 3
)

// openFile opens a data file and reads its footer, unless the cache has it.
func (t *Table) openFile(ctx context.Context, d *table.DataFile, c *counters) (*dataFile, error) {
	loc := t.m.DataFile(d)
	s, err := t.storeOf(loc)
	if err != nil {
		return nil, err
	}
	if objstore.Parallel(s) > 1 && d.SizeBytes != 0 && d.SizeBytes <= math.MaxInt64 {
		return t.openFar(ctx, d, loc, s, c)
	}
	r, err := s.Open(ctx, loc.Path)
	if err != nil {
		return nil, missingObject(err, loc)
	}
	out := t.newDataFile(d, loc, r, c)
	key := objectKey{t.uri, out.object, r.ETag()}
	if e, ok := t.cache.files.get(key); ok {
		out.meta = e.meta
		return out, nil
	}
	if d.SizeBytes != 0 && uint64(r.Size()) != d.SizeBytes {
		_ = r.Close()
		return nil, errs.Corruptf(out.object, -1, "the file has %d bytes, the table says %d", r.Size(), d.SizeBytes)
	}
	return out, t.readMetadata(ctx, out, key)
}

// openFar opens a data file without asking the store what it is: the table tells its size, and the answer to the first read
// its etag, which the cache keeps with the metadata. All other reads are of the same content, or fail.
func (t *Table) openFar(ctx context.Context, d *table.DataFile, loc table.Location, s objstore.Store, c *counters) (*dataFile, error) {
	known := objstore.Info{Size: int64(d.SizeBytes)}
	key := objectKey{t.uri, loc.String(), fmt.Sprint("size ", d.SizeBytes)}
	e, cached := t.cache.files.get(key)
	if cached {
		known.ETag = e.etag
	}
	r, err := objstore.OpenKnown(ctx, s, loc.Path, known)
	if err != nil {
		return nil, missingObject(err, loc)
	}
	out := t.newDataFile(d, loc, r, c)
	out.in.far = &farPages{}
	out.in.fault = func(err error) error {
		if errors.Is(err, errs.ErrConflict) { // what is known is of a file that was there before
			t.cache.files.forget(key)
		}
		return missingObject(err, loc)
	}
	if cached {
		out.meta = e.meta
		return out, nil
	}
	return out, t.readMetadata(ctx, out, key)
}

func (t *Table) newDataFile(d *table.DataFile, loc table.Location, r objstore.Reader, c *counters) *dataFile {
	out := &dataFile{file: d, object: loc.String(), r: r, in: &fileInput{name: loc.String(), r: r, c: c}}
	out.in.blobs = func(ctx context.Context, f encoding.BlobFile) (string, objstore.Reader, error) {
		return t.openBlobs(ctx, d, f)
	}
	return out
}

// readMetadata reads the metadata of a file, for the cache as well. Where it fails it closes the file.
func (t *Table) readMetadata(ctx context.Context, out *dataFile, key objectKey) (err error) {
	if out.meta, err = file.Open(ctx, out.in, out.r.Size(), out.object); err != nil {
		_ = out.r.Close()
		return err
	}
	t.cache.files.put(key, &fileEntry{out.meta, out.r.ETag()}, fileWeight+metadataWeight*int64(out.meta.MetadataBytes()))
	return nil
}

func (d *dataFile) close() { _ = d.r.Close() }

// missingObject makes an object of the table that is not there a fault of the table: to a user, "not found" would mean
// that the name of the table is wrong.
func missingObject(err error, loc table.Location) error {
	if errors.Is(err, errs.ErrNotFound) {
		return errs.Corruptf(loc.String(), -1, "the table names this file, but it is missing (was the version cleaned up?)")
	}
	return err
}
