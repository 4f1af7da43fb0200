package lanceio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

var _ encoding.BlobInput = (*fileInput)(nil)

// ReadBlobs reads ranges of a file of blobs.
func (in *fileInput) ReadBlobs(ctx context.Context, leaf string, f encoding.BlobFile, ranges []encoding.BufferRange) ([][]byte, error) {
	if in.blobs == nil {
		return nil, errs.Unsupportedf("%s: blobs in files beside the data file", in.name)
	}
	name, r, err := in.blobs(ctx, f)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if f.Kind == encoding.BlobExternal {
		if ranges, err = toTheEnd(name, uint64(r.Size()), ranges); err != nil {
			return nil, err
		}
	}
	side := &fileInput{name: name, r: r, c: in.c}
	in.mu.Lock()
	if unit, ok := in.units[leaf]; ok {
		side.units = map[string]string{leaf: unit}
	}
	in.mu.Unlock()
	return side.ReadRanges(ctx, leaf, ranges)
}

// toTheEnd gives ranges without a size that of the rest of the file.
func toTheEnd(name string, size uint64, ranges []encoding.BufferRange) ([]encoding.BufferRange, error) {
	out := make([]encoding.BufferRange, len(ranges))
	total := uint64(0)
	for i, r := range ranges {
		if r.Size == 0 && r.Offset <= size {
			r.Size = size - r.Offset
		}
		if total += r.Size; r.Size > math.MaxInt32 || total > math.MaxInt32 {
			return nil, errs.New(errs.ErrResourceExhausted, "%s: more than %d bytes of blobs in one read", name, math.MaxInt32)
		}
		out[i] = r
	}
	return out, nil
}

// openBlobs opens a file that holds blobs of a data file, and names it without any path of the server. Where an external
// one may lie is for the opener of stores to say.
func (t *Table) openBlobs(ctx context.Context, d *table.DataFile, f encoding.BlobFile) (string, objstore.Reader, error) {
	if f.Kind == encoding.BlobExternal && f.ID == 0 {
		return t.openExternal(ctx, f.URI)
	}
	var loc table.Location
	var err error
	switch f.Kind {
	case encoding.BlobPacked, encoding.BlobDedicated:
		loc = t.m.DataFile(d)
		loc.Path = table.BlobFile(loc.Path, f.ID)
	case encoding.BlobManaged:
		loc, err = t.m.BlobLocation(d.Base, f.URI)
	default:
		loc, err = t.m.BlobLocation(&f.ID, f.URI)
	}
	if err != nil {
		return "", nil, err
	}
	s, err := t.storeOf(loc)
	if err != nil {
		return "", nil, err
	}
	r, err := s.Open(ctx, loc.Path)
	return loc.String(), r, missingObject(err, loc)
}

// openExternal opens the file that a URI names.
func (t *Table) openExternal(ctx context.Context, uri string) (string, objstore.Reader, error) {
	at := strings.LastIndexByte(uri, '/')
	dir, base := uri[:max(at, 0)], uri[at+1:]
	if strings.Contains(uri, "://") {
		var err error
		if base, err = url.PathUnescape(base); err != nil {
			base = ""
		}
	}
	if at <= 0 || base == "" || base == "." || base == ".." || strings.ContainsAny(base, "/\\\x00") {
		return "", nil, errs.New(errs.ErrCorrupt, "corrupt: an external blob names no file")
	}
	name := "external blob file " + base
	s, err := t.openStore(dir)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := s.Open(ctx, base)
	if errors.Is(err, errs.ErrNotFound) {
		err = errs.Corruptf(name, -1, "the table names this file, but it is missing")
	}
	return name, r, err
}
