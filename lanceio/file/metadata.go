package file

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

const (
	// tailRead is how much of a file's end is read at first, unless the input tells what a request costs. It holds all
	// metadata of most files.
	tailRead = 64 << 10
	// maxColumnMetadata bounds the metadata of one column, maxDescription the description of the file.
	maxColumnMetadata = 256 << 20
	maxDescription    = 256 << 20
	// metadataLeaf is the leaf that metadata is counted as.
	metadataLeaf = ""
)

// Metadata is what is known of a data file: its version and the columns that were asked for so far. It holds no handle,
// is safe for concurrent use, and may be kept as long as the file may be read: data files never change.
type Metadata struct {
	Object  string // the file's name in errors
	Size    uint64
	Version Version

	scheme    scheme
	footer    footer
	tail      []byte // the end of the file from tailStart on
	tailStart uint64
	columns   []atomic.Pointer[encoding.Column]
	rows      atomic.Pointer[uint64]
	legacy    *legacy // nil for files of later versions
}

// Priced is an Input that tells what a request costs.
type Priced interface {
	encoding.Input
	// RequestBytes is about how many bytes take as long to read as one more request does; at least the size of a footer.
	RequestBytes() int64
}

// Open reads the footer of a file of size bytes, and what comes along with it: one read. object names the file in errors,
// relative to the table.
func Open(ctx context.Context, in encoding.Input, size int64, object string) (*Metadata, error) {
	if size < 8 {
		return nil, errs.Corruptf(object, 0, "data file of %d bytes", size)
	}
	m := &Metadata{Object: object, Size: uint64(size)}
	tail := uint64(tailRead)
	if p, ok := in.(Priced); ok {
		tail = uint64(max(p.RequestBytes(), footerSize))
	}
	m.tailStart = m.Size - min(m.Size, tail)
	got, err := in.ReadRanges(ctx, metadataLeaf, []encoding.BufferRange{{Offset: m.tailStart, Size: m.Size - m.tailStart}})
	if err != nil {
		return nil, fmt.Errorf("%s: read footer: %w", object, err)
	}
	m.tail = got[0]
	if m.Version, err = parseVersion(m.tail, m.Size, object); err != nil {
		return nil, err
	}
	if m.scheme, err = schemeOf(m.Version, object); err != nil {
		return nil, err
	}
	if m.scheme == batches {
		if m.legacy, err = m.openLegacy(ctx, in); err != nil {
			return nil, err
		}
	} else {
		if m.footer, err = parseFooter(m.tail, m.Size, object); err != nil {
			return nil, err
		}
		m.columns = make([]atomic.Pointer[encoding.Column], m.footer.columns)
	}
	m.dropData()
	return m, nil
}

// metadataStart is where the first of the file's metadata lies.
func (m *Metadata) metadataStart() uint64 {
	if m.legacy != nil {
		return m.legacy.pageTable
	}
	return min(m.footer.columnsStart, m.footer.columnTable, m.footer.bufferTable)
}

// dropData lets go of the part of the tail that holds no metadata, so that a cached Metadata is small.
func (m *Metadata) dropData() {
	if keep := m.metadataStart(); keep > m.tailStart {
		m.tail = append([]byte(nil), m.tail[keep-m.tailStart:]...)
		m.tailStart = keep
	}
}

// MetadataBytes is how many bytes of the file its metadata takes; what is kept of it in memory grows with that.
func (m *Metadata) MetadataBytes() uint64 {
	return m.Size - m.metadataStart()
}

// NumColumns is the number of physical columns; a legacy file has none that are numbered.
func (m *Metadata) NumColumns() int { return len(m.columns) }

// read gives the bytes of ranges, from the tail where all lie in it, else by one read.
func (m *Metadata) read(ctx context.Context, in encoding.Input, ranges []encoding.BufferRange) ([][]byte, error) {
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		if r.Offset < m.tailStart {
			return in.ReadRanges(ctx, metadataLeaf, ranges)
		}
		out[i] = m.tail[r.Offset-m.tailStart:][:r.Size]
	}
	return out, nil
}

// Columns gives physical columns by their indices, and reads the metadata of those that are not known yet: none for a
// small file, else at most two reads for all.
func (m *Metadata) Columns(ctx context.Context, in encoding.Input, indices []int) ([]*encoding.Column, error) {
	var missing []int
	seen := make(map[int]bool)
	for _, i := range indices {
		if i < 0 || i >= len(m.columns) {
			return nil, errs.Corruptf(m.Object, -1, "column %d of %d is wanted", i, len(m.columns))
		}
		if m.columns[i].Load() == nil && !seen[i] {
			seen[i] = true
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		if err := m.load(ctx, in, missing); err != nil {
			return nil, err
		}
	}
	out := make([]*encoding.Column, len(indices))
	for k, i := range indices {
		out[k] = m.columns[i].Load()
	}
	return out, nil
}

func (m *Metadata) load(ctx context.Context, in encoding.Input, indices []int) error {
	places := make([]encoding.BufferRange, len(indices))
	for k, i := range indices {
		places[k] = tableEntry(m.footer.columnTable, i)
	}
	entries, err := m.read(ctx, in, places)
	if err != nil {
		return fmt.Errorf("%s: read column table: %w", m.Object, err)
	}
	for k, i := range indices {
		if places[k], err = parseEntry(entries[k], m.Size-footerSize, fmt.Sprintf("metadata of column %d", i), m.Object); err != nil {
			return err
		}
		if places[k].Size > maxColumnMetadata {
			return errs.Corruptf(m.Object, int64(places[k].Offset), "metadata of column %d has %d bytes, at most %d are read", i, places[k].Size, maxColumnMetadata)
		}
	}
	blobs, err := m.read(ctx, in, places)
	if err != nil {
		return fmt.Errorf("%s: read column metadata: %w", m.Object, err)
	}
	for k, i := range indices {
		c, err := parseColumn(blobs[k], i, m.Size, m.scheme, m.Object)
		if err != nil {
			return err
		}
		m.columns[i].Store(c)
	}
	return nil
}

// Rows is the number of rows by the file's own description, which is read where it did not come with the footer.
func (m *Metadata) Rows(ctx context.Context, in encoding.Input) (uint64, error) {
	if m.legacy != nil {
		return m.legacy.rows(), nil
	}
	if n := m.rows.Load(); n != nil {
		return *n, nil
	}
	d, err := m.description(ctx, in)
	if err != nil {
		return 0, err
	}
	n := d.GetLength()
	if n > math.MaxInt64 {
		return 0, errs.Corruptf(m.Object, -1, "%d rows", n)
	}
	m.rows.Store(&n)
	return n, nil
}

// Schema is the fields of the file and their metadata by the file's own description, as files that no manifest describes
// are read.
func (m *Metadata) Schema(ctx context.Context, in encoding.Input) (*table.Schema, error) {
	d, err := m.description(ctx, in)
	if err != nil {
		return nil, err
	}
	return table.NewSchema(d.GetSchema().GetFields(), d.GetSchema().GetMetadata(), m.Object)
}

func (m *Metadata) description(ctx context.Context, in encoding.Input) (*filepb.FileDescriptor, error) {
	if m.footer.buffers == 0 {
		return nil, errs.Corruptf(m.Object, -1, "it does not describe itself")
	}
	entry, err := m.read(ctx, in, []encoding.BufferRange{tableEntry(m.footer.bufferTable, 0)})
	if err != nil {
		return nil, fmt.Errorf("%s: read buffer table: %w", m.Object, err)
	}
	place, err := parseEntry(entry[0], m.Size-footerSize, "description", m.Object)
	if err != nil {
		return nil, err
	}
	if place.Size > maxDescription {
		return nil, errs.Corruptf(m.Object, int64(place.Offset), "description of %d bytes, at most %d are read", place.Size, maxDescription)
	}
	blob, err := m.read(ctx, in, []encoding.BufferRange{place})
	if err != nil {
		return nil, fmt.Errorf("%s: read description: %w", m.Object, err)
	}
	d := new(filepb.FileDescriptor)
	if err := bounded.Unmarshal(blob[0], d); err != nil {
		return nil, errs.Corruptf(m.Object, int64(place.Offset), "description: %v", err)
	}
	return d, nil
}
