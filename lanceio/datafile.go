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
	// fileWeight and columnWeight are about what a file's metadata and that of a column take in memory, in bytes.
	fileWeight   = 8 << 10
	columnWeight = 1 << 10
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
	key := objectKey{t.uri, out.object, r.ETag()}
	if e, ok := t.cache.files.get(key); ok {
		out.meta = e.meta
		return out, nil
	}
	if d.SizeBytes != 0 && uint64(r.Size()) != d.SizeBytes {
		r.Close()
		return nil, errs.Corruptf(out.object, -1, "the file has %d bytes, the table says %d", r.Size(), d.SizeBytes)
	}
	if out.meta, err = file.Open(ctx, out.in, r.Size(), out.object); err != nil {
		r.Close()
		return nil, err
	}
	t.cache.files.put(key, &fileEntry{out.meta}, int64(fileWeight+columnWeight*out.meta.NumColumns()))
	return out, nil
}

func (d *dataFile) close() { d.r.Close() }

// missingObject makes an object of the table that is not there a fault of the table: to a user, "not found" would mean
// that the name of the table is wrong.
func missingObject(err error, loc table.Location) error {
	if errors.Is(err, errs.ErrNotFound) {
		return errs.Corruptf(loc.String(), -1, "the table names this file, but it is missing (was the version cleaned up?)")
	}
	return err
}
