package lanceio

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	// mergeGapBytes is the gap between two ranges up to which both are read by one request: copying 4 KiB out of the
	// page cache costs about what a further system call does.
	mergeGapBytes = 4 << 10
	// mergeMaxBytes bounds what merging may make of several ranges, so that a slice that is kept pins no more than that.
	mergeMaxBytes = 8 << 20
)

// keptBytes is how much of the end of what was read last for a leaf is kept. A small window of rows begins in the chunk in
// which the one before ended, and most chunks are smaller than that; to keep more costs more than reading it again.
const keptBytes = 8 << 10

// fileInput reads one data file for one stream: it merges ranges that lie close together, does not read again what the
// last read for the same leaf ended with, and counts what is read. It is safe for concurrent use.
type fileInput struct {
	name string // relative to the table
	r    objstore.Reader
	c    *counters
	far  *farPages // nil where requests don't wait long
	// fault says what an error of a read means for the table; nil for what it says itself.
	fault func(error) error

	// blobs opens a file that holds blobs of the data file, and names it without any path of the server.
	blobs func(ctx context.Context, f encoding.BlobFile) (string, objstore.Reader, error)

	mu   sync.Mutex
	kept map[string]piece // by leaf
	// units are the keys that leaves below a unit are counted as: the items of a list as the list.
	units map[string]string
}

// piece is some bytes of a file.
type piece struct {
	offset int64
	data   []byte
}

func (p piece) end() int64 { return p.offset + int64(len(p.data)) }

var (
	_ encoding.IntoInput   = (*fileInput)(nil)
	_ encoding.PromptInput = (*fileInput)(nil)
	_ file.Priced          = (*fileInput)(nil)
)

// Prompt tells that requests don't wait long.
func (in *fileInput) Prompt() bool { return in.far == nil }

// RequestBytes is what a request costs in bytes.
func (in *fileInput) RequestBytes() int64 { return objstore.RequestBytes(in.r) }

// ReadRanges reads ranges on behalf of a leaf path.
func (in *fileInput) ReadRanges(ctx context.Context, leaf string, ranges []encoding.BufferRange) ([][]byte, error) {
	return in.read(ctx, leaf, ranges, func(n int) []byte { return make([]byte, n) })
}

// ReadInto is ReadRanges into memory from alloc.
func (in *fileInput) ReadInto(ctx context.Context, leaf string, ranges []encoding.BufferRange, alloc func(n int) []byte) ([][]byte, error) {
	return in.read(ctx, leaf, ranges, alloc)
}

// read is ReadRanges with memory from alloc.
func (in *fileInput) read(ctx context.Context, leaf string, ranges []encoding.BufferRange, alloc func(n int) []byte) ([][]byte, error) {
	size := uint64(in.r.Size())
	for _, r := range ranges {
		if r.Offset > size || r.Size > size-r.Offset {
			return nil, errs.Corruptf(in.name, -1, "bytes %d to %d are named, the file has %d", r.Offset, r.Offset+r.Size, size)
		}
	}
	if in.far != nil {
		return in.readFar(ctx, leaf, ranges)
	}
	reads, own := mergeRanges(ranges, mergeGapBytes)
	if len(reads) == 0 {
		return make([][]byte, len(ranges)), ctx.Err()
	}
	got, err := in.fetch(ctx, leaf, reads, own, alloc)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(ranges))
	for i, rg := range ranges {
		if rg.Size == 0 {
			continue
		}
		out[i] = partOf(reads, got, rg)
	}
	return out, nil
}

// partOf gives a range that lies in one of some reads, which ascend, of what these gave.
func partOf(reads []objstore.Range, got [][]byte, rg encoding.BufferRange) []byte {
	// The last read that starts at or before the range holds it.
	n := sort.Search(len(reads), func(k int) bool { return reads[k].Offset > int64(rg.Offset) }) - 1
	start := int64(rg.Offset) - reads[n].Offset
	return got[n][start : start+int64(rg.Size) : start+int64(rg.Size)]
}

// fetch gives the bytes of reads, of which own were asked for, and counts what is requested for that.
func (in *fileInput) fetch(ctx context.Context, leaf string, reads []objstore.Range, own int64, alloc func(n int) []byte) ([][]byte, error) {
	unit := in.unit(leaf)
	in.mu.Lock()
	kept := in.kept[leaf]
	in.mu.Unlock()
	var requests []objstore.Range
	var total int64
	out := make([][]byte, len(reads))
	heads := make([][]byte, len(reads)) // what is known of the start of each read
	for i, r := range reads {
		if r.Offset >= kept.offset && r.Offset < kept.end() {
			heads[i] = kept.data[r.Offset-kept.offset:][:min(r.Size, kept.end()-r.Offset)]
		}
		known := int64(len(heads[i]))
		if known < r.Size {
			requests = append(requests, objstore.Range{Offset: r.Offset + known, Size: r.Size - known})
			total += r.Size - known
		} else {
			out[i] = heads[i]
		}
		own -= known
	}
	if len(requests) > 0 {
		in.c.read(unit, int64(len(requests)), total, max(own, 0))
	}
	if err := in.request(ctx, requests, heads, out, alloc); err != nil {
		if in.fault != nil {
			err = in.fault(err)
		}
		return nil, err
	}
	in.keep(leaf, reads[len(reads)-1], out[len(out)-1])
	return out, nil
}

// unit is what bytes read for a leaf count as.
func (in *fileInput) unit(leaf string) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if u, ok := in.units[leaf]; ok {
		return u
	}
	return leaf
}

// request makes the requests, which are for those of out that are not there yet, behind their heads.
func (in *fileInput) request(ctx context.Context, requests []objstore.Range, heads, out [][]byte, alloc func(n int) []byte) error {
	into, ok := in.r.(objstore.IntoReader)
	if !ok {
		got, err := in.r.ReadRanges(ctx, requests)
		for i := range out {
			if err == nil && out[i] == nil {
				out[i], got = got[0], got[1:]
				if len(heads[i]) > 0 {
					out[i] = slices.Concat(heads[i], out[i])
				}
			}
		}
		return err
	}
	offsets, dst := make([]int64, len(requests)), make([][]byte, 0, len(requests))
	for i := range out {
		if out[i] != nil {
			continue
		}
		known, r := len(heads[i]), requests[len(dst)]
		out[i] = alloc(known + int(r.Size))
		copy(out[i], heads[i])
		offsets[len(dst)] = r.Offset
		dst = append(dst, out[i][known:])
	}
	return into.ReadInto(ctx, offsets, dst)
}

// keep remembers a copy of the end of a read: the read's own buffer may be large, and should not live longer for that.
func (in *fileInput) keep(leaf string, r objstore.Range, data []byte) {
	if leaf == "" {
		return
	}
	n := min(len(data), keptBytes)
	p := piece{offset: r.Offset + int64(len(data)-n), data: bytes.Clone(data[len(data)-n:])}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.kept == nil {
		in.kept = map[string]piece{}
	}
	in.kept[leaf] = p
}

// mergeRanges gives the requests that cover ranges (which lie in a file), ascending, and how many distinct bytes the ranges
// hold. Ranges up to gap bytes apart fall into one request.
// Ranges that overlap always fall into one request.
func mergeRanges(ranges []encoding.BufferRange, gap int64) (reads []objstore.Range, own int64) {
	sorted := make([]encoding.BufferRange, 0, len(ranges))
	for _, r := range ranges {
		if r.Size > 0 {
			sorted = append(sorted, r)
		}
	}
	slices.SortFunc(sorted, func(a, b encoding.BufferRange) int {
		switch {
		case a.Offset < b.Offset:
			return -1
		case a.Offset > b.Offset:
			return 1
		}
		return 0
	})
	for _, r := range sorted {
		off, end := int64(r.Offset), int64(r.Offset)+int64(r.Size)
		if n := len(reads) - 1; n >= 0 {
			last := &reads[n]
			lastEnd := last.Offset + last.Size
			if off < lastEnd || off-lastEnd <= gap && end-last.Offset <= mergeMaxBytes {
				own += max(0, end-max(off, lastEnd))
				last.Size = max(lastEnd, end) - last.Offset
				continue
			}
		}
		own += end - off
		reads = append(reads, objstore.Range{Offset: off, Size: end - off})
	}
	return reads, own
}

// count makes what is read for any field below f, a unit, count as f.
func (in *fileInput) count(f *encoding.Field) {
	unit := expr.FieldPath(f.Path).Key()
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.units == nil {
		in.units = map[string]string{}
	}
	var walk func(f *encoding.Field)
	walk = func(f *encoding.Field) {
		in.units[expr.FieldPath(f.Path).Key()] = unit
		for _, c := range f.Children {
			walk(c)
		}
	}
	walk(f)
}
