package lanceio

import (
	"context"
	"errors"

	"github.com/lanceflight/flightsrv/errs"
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
type fileEntry struct{ meta *file.Metadata }

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
	r, err := s.Open(ctx, loc.Path)
	if err != nil {
		return nil, missingObject(err, loc)
	}
	out := &dataFile{file: d, object: loc.String(), r: r, in: &fileInput{name: loc.String(), r: r, c: c}}
	out.in.sidecar = func(ctx context.Context, id uint32) (string, objstore.Reader, error) {
		at := loc
		at.Path = table.BlobFile(loc.Path, id)
		r, err := s.Open(ctx, at.Path)
		return at.String(), r, missingObject(err, at)
	}
	key := objectKey{t.uri, out.object, r.ETag()}
	if e, ok := t.cache.files.get(key); ok {
		out.meta = e.meta
		return out, nil
	}
	if d.SizeBytes != 0 && uint64(r.Size()) != d.SizeBytes {
		_ = r.Close()
		return nil, errs.Corruptf(out.object, -1, "the file has %d bytes, the table says %d", r.Size(), d.SizeBytes)
	}
	if out.meta, err = file.Open(ctx, out.in, r.Size(), out.object); err != nil {
		_ = r.Close()
		return nil, err
	}
	t.cache.files.put(key, &fileEntry{out.meta}, fileWeight+metadataWeight*int64(out.meta.MetadataBytes()))
	return out, nil
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
