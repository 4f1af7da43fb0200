package lanceio

import (
	"context"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

var _ encoding.SidecarInput = (*fileInput)(nil)

// ReadSidecar reads ranges of a file of blobs beside the data file. Its name follows from the data file's and a number,
// so that what a data file says leads to no other files.
func (in *fileInput) ReadSidecar(ctx context.Context, leaf string, id uint32, ranges []encoding.BufferRange) ([][]byte, error) {
	if in.sidecar == nil {
		return nil, errs.Unsupportedf("%s: blobs in files beside the data file", in.name)
	}
	name, r, err := in.sidecar(ctx, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	side := &fileInput{name: name, r: r, c: in.c}
	in.mu.Lock()
	if unit, ok := in.units[leaf]; ok {
		side.units = map[string]string{leaf: unit}
	}
	in.mu.Unlock()
	return side.ReadRanges(ctx, leaf, ranges)
}
