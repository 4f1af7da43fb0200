package lanceio

import (
	"context"
	"slices"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/objstore"
)

const (
	// mergeGapBytes is the gap between two ranges up to which both are read by one request: copying 4 KiB out of the
	// page cache costs about what a further system call does.
	mergeGapBytes = 4 << 10
	// mergeMaxBytes bounds what merging may make of several ranges, so that a slice that is kept pins no more than that.
	mergeMaxBytes = 8 << 20
)

// fileInput reads one data file for one stream: it merges ranges that lie close together and counts what is read.
// It is safe for concurrent use.
type fileInput struct {
	name string // relative to the table
	r    objstore.Reader
	c    *counters
}

var _ encoding.Input = (*fileInput)(nil)

// ReadRanges reads ranges on behalf of a leaf path.
func (in *fileInput) ReadRanges(ctx context.Context, leaf string, ranges []encoding.BufferRange) ([][]byte, error) {
	size := uint64(in.r.Size())
	for _, r := range ranges {
		if r.Offset > size || r.Size > size-r.Offset {
			return nil, errs.Corruptf(in.name, -1, "bytes %d to %d are named, the file has %d", r.Offset, r.Offset+r.Size, size)
		}
	}
	reads, own := mergeRanges(ranges)
	if len(reads) == 0 {
		return make([][]byte, len(ranges)), ctx.Err()
	}
	var total int64
	for _, r := range reads {
		total += r.Size
	}
	in.c.read(leaf, int64(len(reads)), total, own)
	got, err := in.r.ReadRanges(ctx, reads)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(ranges))
	for i, rg := range ranges {
		if rg.Size == 0 {
			continue
		}
		// The last read that starts at or before the range holds it.
		n, exact := slices.BinarySearchFunc(reads, int64(rg.Offset), func(r objstore.Range, off int64) int {
			switch {
			case r.Offset < off:
				return -1
			case r.Offset > off:
				return 1
			}
			return 0
		})
		if !exact {
			n--
		}
		start := int64(rg.Offset) - reads[n].Offset
		out[i] = got[n][start : start+int64(rg.Size) : start+int64(rg.Size)]
	}
	return out, nil
}

// mergeRanges gives the requests that cover ranges (which lie in a file), ascending, and how many distinct bytes the ranges hold.
// Ranges that overlap always fall into one request.
func mergeRanges(ranges []encoding.BufferRange) (reads []objstore.Range, own int64) {
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
			if off < lastEnd || off-lastEnd <= mergeGapBytes && end-last.Offset <= mergeMaxBytes {
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
