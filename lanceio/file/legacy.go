package file

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

const (
	legacyFooterSize = 16
	lengthSize       = 4 // before a message
)

// legacy is what is known of a legacy file.
type legacy struct {
	batches   []uint64 // the first row of each batch, and the end
	pageTable uint64
	manifest  uint64 // 0: the file has none

	mu      sync.Mutex
	pages   map[int32][]legacyPage // by field id, of the fields that were asked for so far
	schema  map[int32]*filepb.Field
	empty   []encoding.Page
	firstID *int32 // whose pages come first in the page table
}

// legacyPage is an entry of the page table: position in the file, and a length that counts values, or offsets of lists.
type legacyPage struct{ position, length uint64 }

func (l *legacy) count() int { return len(l.batches) - 1 }

func (l *legacy) rows() uint64 { return l.batches[l.count()] }

// openLegacy reads what the footer of a legacy file points to.
func (m *Metadata) openLegacy(ctx context.Context, in encoding.Input) (*legacy, error) {
	if m.Size < legacyFooterSize {
		return nil, errs.Corruptf(m.Object, 0, "data file of %d bytes", m.Size)
	}
	msg := new(filepb.Metadata)
	place := encoding.BufferRange{Offset: le.Uint64(m.tail[len(m.tail)-legacyFooterSize:])}
	end := m.Size - legacyFooterSize
	if place.Offset > end {
		return nil, errs.Corruptf(m.Object, int64(end), "metadata at byte %d of %d", place.Offset, m.Size)
	}
	// It is the last thing before the footer.
	place.Size = end - place.Offset
	if err := m.message(ctx, in, place, "metadata", msg); err != nil {
		return nil, err
	}
	l := &legacy{batches: []uint64{0}, pageTable: msg.GetPageTablePosition(), manifest: msg.GetManifestPosition(), pages: map[int32][]legacyPage{}}
	if l.pageTable > end || l.manifest > end {
		return nil, errs.Corruptf(m.Object, int64(place.Offset), "page table at byte %d and schema at byte %d of %d", l.pageTable, l.manifest, m.Size)
	}
	offsets := msg.GetBatchOffsets()
	if len(offsets) > 0 && offsets[0] != 0 || !slices.IsSorted(offsets) {
		return nil, errs.Corruptf(m.Object, int64(place.Offset), "the first rows of batches do not ascend from 0")
	}
	for _, o := range offsets[min(1, len(offsets)):] {
		l.batches = append(l.batches, uint64(o))
	}
	return l, nil
}

// message reads a message behind its length. place is the room that there is for both; it lies in the file.
func (m *Metadata) message(ctx context.Context, in encoding.Input, place encoding.BufferRange, what string, into proto.Message) error {
	if place.Size < lengthSize {
		return errs.Corruptf(m.Object, int64(place.Offset), "%s at byte %d of %d", what, place.Offset, m.Size)
	}
	// Most messages come with their length.
	got, err := m.read(ctx, in, []encoding.BufferRange{{Offset: place.Offset, Size: min(place.Size, tailRead)}})
	if err != nil {
		return fmt.Errorf("%s: read %s: %w", m.Object, what, err)
	}
	n, b := uint64(le.Uint32(got[0])), got[0][lengthSize:]
	if n > place.Size-lengthSize || n > maxDescription {
		return errs.Corruptf(m.Object, int64(place.Offset), "%s of %d bytes, there is room for %d", what, n, place.Size-lengthSize)
	}
	if n > uint64(len(b)) {
		if got, err = m.read(ctx, in, []encoding.BufferRange{{Offset: place.Offset + lengthSize, Size: n}}); err != nil {
			return fmt.Errorf("%s: read %s: %w", m.Object, what, err)
		}
		b = got[0]
	}
	if err := bounded.Unmarshal(b[:n], into); err != nil {
		return errs.Corruptf(m.Object, int64(place.Offset), "%s: %v", what, err)
	}
	return nil
}

// legacySchema gives the fields that the file itself lists, by id.
func (m *Metadata) legacySchema(ctx context.Context, in encoding.Input) (map[int32]*filepb.Field, error) {
	l := m.legacy
	l.mu.Lock()
	schema := l.schema
	l.mu.Unlock()
	if schema != nil {
		return schema, nil
	}
	if l.manifest == 0 {
		return nil, errs.Corruptf(m.Object, -1, "it does not describe itself")
	}
	msg := new(tablepb.Manifest)
	place := encoding.BufferRange{Offset: l.manifest, Size: m.Size - legacyFooterSize - l.manifest}
	if err := m.message(ctx, in, place, "schema", msg); err != nil {
		return nil, err
	}
	schema = make(map[int32]*filepb.Field, len(msg.GetFields()))
	for _, f := range msg.GetFields() {
		if _, dup := schema[f.GetId()]; !dup {
			schema[f.GetId()] = f
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.schema = schema
	return schema, nil
}

// attachLegacy is Attach for legacy files.
func (m *Metadata) attachLegacy(ctx context.Context, in encoding.Input, root *encoding.Field, fields []int32) (bool, error) {
	var nodes []*encoding.Field
	found := false
	var walk func(f *encoding.Field, inList bool)
	walk = func(f *encoding.Field, inList bool) {
		f.Column = nil
		if f.ID >= 0 && slices.Contains(fields, f.ID) {
			found = true
			switch {
			case f.Type.ID() != arrow.STRUCT:
				nodes = append(nodes, f)
			case !inList:
				// It has no pages, but a value in each row.
				f.Column = &encoding.Column{Index: int(f.ID), Pages: m.legacy.emptyPages()}
			}
		}
		for _, child := range f.Children {
			walk(child, inList || f.Type.ID() != arrow.STRUCT)
		}
	}
	walk(root, false)
	if len(nodes) == 0 {
		return found, nil
	}
	pages, err := m.legacyPages(ctx, in, nodes, fields)
	if err != nil {
		return false, err
	}
	for i, f := range nodes {
		if f.Column, err = m.legacyColumn(ctx, in, f, pages[i]); err != nil {
			return false, err
		}
	}
	return true, m.checkBatches(root)
}

// emptyPages are pages of the rows of the batches, for all structs the same ones.
func (l *legacy) emptyPages() []encoding.Page {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.empty == nil {
		l.empty = make([]encoding.Page, l.count())
		for b := range l.empty {
			l.empty[b].Rows = l.batches[b+1] - l.batches[b]
		}
	}
	return l.empty
}

// checkBatches makes sure that the pages of fields that are not below a list hold the rows of their batches.
func (m *Metadata) checkBatches(f *encoding.Field) error {
	if f.Column != nil {
		for b, p := range f.Column.Pages {
			if rows := m.legacy.batches[b+1] - m.legacy.batches[b]; p.Rows != rows {
				return errs.Corruptf(m.Object, -1, "column %s, page %d: %d rows, the batch has %d", strings.Join(f.Path, "."), b, p.Rows, rows)
			}
		}
	}
	if f.Type.ID() != arrow.STRUCT {
		return nil
	}
	for _, c := range f.Children {
		if err := m.checkBatches(c); err != nil {
			return err
		}
	}
	return nil
}

// legacyPages gives the entries of the page table of some fields.
func (m *Metadata) legacyPages(ctx context.Context, in encoding.Input, nodes []*encoding.Field, fields []int32) ([][]legacyPage, error) {
	first, err := m.firstField(ctx, in, fields)
	if err != nil {
		return nil, err
	}
	l := m.legacy
	out := make([][]legacyPage, len(nodes))
	var missing []int32
	l.mu.Lock()
	for i, f := range nodes {
		if out[i] = l.pages[f.ID]; out[i] == nil {
			missing = append(missing, f.ID)
		}
	}
	l.mu.Unlock()
	got, err := m.readPages(ctx, in, missing, first)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, id := range missing {
		l.pages[id] = got[i]
	}
	for i, f := range nodes {
		out[i] = l.pages[f.ID]
	}
	return out, nil
}

// readPages reads the entries of some ids from a page table that starts with the entries of the id first.
func (m *Metadata) readPages(ctx context.Context, in encoding.Input, ids []int32, first int32) ([][]legacyPage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	l := m.legacy
	room, size := m.Size-legacyFooterSize-l.pageTable, uint64(l.count())*entrySize
	places := make([]encoding.BufferRange, len(ids))
	for i, id := range ids {
		hi, at := bits.Mul64(uint64(int64(id)-int64(first)), size)
		if id < first || hi != 0 || at > room || size > room-at {
			return nil, errs.Corruptf(m.Object, int64(l.pageTable), "the page table has no pages of field %d, it starts with field %d", id, first)
		}
		places[i] = encoding.BufferRange{Offset: l.pageTable + at, Size: size}
	}
	got, err := m.read(ctx, in, places)
	if err != nil {
		return nil, fmt.Errorf("%s: read page table: %w", m.Object, err)
	}
	out := make([][]legacyPage, len(ids))
	for i, b := range got {
		out[i] = make([]legacyPage, l.count())
		for k := range out[i] {
			p := legacyPage{le.Uint64(b[k*entrySize:]), le.Uint64(b[k*entrySize+8:])}
			if int64(p.position) == -1 && int64(p.length) == -1 { // as the first writers mark that there is none
				p = legacyPage{}
			}
			if p.position > m.Size || p.length > maxRows {
				return nil, errs.Corruptf(m.Object, int64(places[i].Offset)+int64(k)*entrySize, "page %d of field %d: %d values at byte %d", k, ids[i], p.length, p.position)
			}
			out[i][k] = p
		}
	}
	return out, nil
}

// firstField finds the field whose pages come first in the page table: the file's lowest id, as fields tell. Writers
// before September 2023 began with id 0 in every file. For them the page of the lowest field that has pages would seem
// to be one of a lower id, which the file does not hold, so that it has no rows.
func (m *Metadata) firstField(ctx context.Context, in encoding.Input, fields []int32) (int32, error) {
	l := m.legacy
	l.mu.Lock()
	known := l.firstID
	l.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	first := int32(0)
	if !slices.Contains(fields, 0) {
		schema, err := m.legacySchema(ctx, in)
		if err != nil {
			return 0, err
		}
		// fields may no longer name the lowest one: the table can mark it as superseded.
		lowest, paged := int32(-1), int32(-1)
		for id, f := range schema {
			if id >= 0 && (lowest < 0 || id < lowest) {
				lowest = id
			}
			if id >= 0 && f.GetLogicalType() != "struct" && (paged < 0 || id < paged) {
				paged = id
			}
		}
		batch := slices.IndexFunc(l.emptyPages(), func(p encoding.Page) bool { return p.Rows > 0 })
		if paged < 0 || batch < 0 {
			return max(lowest, 0), nil
		}
		pages, err := m.readPages(ctx, in, []int32{paged}, lowest)
		if err != nil {
			return 0, err
		}
		if pages[0][batch].length > 0 {
			first = lowest
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.firstID = &first
	return first, nil
}

// legacyColumn makes the column of a field of its entries in the page table.
func (m *Metadata) legacyColumn(ctx context.Context, in encoding.Input, f *encoding.Field, entries []legacyPage) (*encoding.Column, error) {
	c := &encoding.Column{Index: int(f.ID), Pages: make([]encoding.Page, len(entries))}
	buffers := make([]encoding.BufferRange, len(entries))
	var total uint64
	for i, e := range entries {
		page, err := encoding.NewLegacyPage(f.Type, e.position, e.length, buffers[i:i+1:i+1])
		if err == nil && (page.Buffers[0].Size > m.Size-e.position || page.Buffers[0].Size > m.Size-total) {
			err = errs.New(errs.ErrCorrupt, "%d values at byte %d of %d", e.length, e.position, m.Size)
		}
		if err != nil {
			return nil, errs.Corruptf(m.Object, -1, "column %s, page %d: %v", strings.Join(f.Path, "."), i, err)
		}
		total += page.Buffers[0].Size
		c.Pages[i] = page
	}
	t, ok := f.Type.(*arrow.DictionaryType)
	if !ok {
		return c, nil
	}
	schema, err := m.legacySchema(ctx, in)
	if err != nil {
		return nil, err
	}
	d := schema[f.ID].GetDictionary()
	if d == nil || d.GetOffset() < 0 || d.GetLength() < 0 || uint64(d.GetOffset()) > m.Size {
		return nil, errs.Corruptf(m.Object, -1, "column %s: its dictionary is missing: %d values at byte %d", strings.Join(f.Path, "."), d.GetLength(), d.GetOffset())
	}
	values, err := encoding.NewLegacyPage(t.ValueType, uint64(d.GetOffset()), uint64(d.GetLength()), make([]encoding.BufferRange, 1))
	if err == nil && values.Buffers[0].Size > m.Size-values.Buffers[0].Offset {
		err = errs.New(errs.ErrCorrupt, "%d values at byte %d of %d", d.GetLength(), d.GetOffset(), m.Size)
	}
	if err != nil {
		return nil, errs.Corruptf(m.Object, -1, "column %s: dictionary: %v", strings.Join(f.Path, "."), err)
	}
	c.Buffers = values.Buffers
	return c, nil
}
