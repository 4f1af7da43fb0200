package table

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/objstore"
)

// maxIndexSection bounds the list of indices that is read.
const maxIndexSection = 256 << 20

// Index is one index of a table, or one part of it where several have the same name: each covers fragments of its own.
type Index struct {
	Name string
	UUID string
	// Kind is the type that the index's details name, as "BTree"; empty where there are none.
	Kind   string
	Fields []int32 // ids of the indexed fields
	// Version is the version of the table that was indexed.
	Version uint64
	Created time.Time // zero where it is not recorded
	// Fragments are the fragments that were indexed, some of which the table may no longer have; nil where that is not
	// recorded.
	Fragments *FragmentSet
	SizeBytes uint64 // of its files, 0 where that is not recorded
	// Format is the version of the layout of its files.
	Format int32
	Base   *uint32
	// Files are its files; nil where that is not recorded.
	Files []IndexFile
}

// IndexFile is a file of an index.
type IndexFile struct {
	Name      string // in the index's folder
	SizeBytes uint64
}

// IndexFile tells where a file of an index lies, false where the manifest does not say.
func (m *Manifest) IndexFile(x *Index, name string) (Location, bool) {
	if len(x.UUID) != 32 {
		return Location{}, false
	}
	if x.Base != nil {
		if _, ok := m.bases[*x.Base]; !ok {
			return Location{}, false
		}
	}
	u := x.UUID
	folder := strings.Join([]string{u[:8], u[8:12], u[12:16], u[16:20], u[20:]}, "-")
	return m.locate(x.Base, "_indices", join(folder, name)), true
}

// FragmentSet is a set of fragment ids.
type FragmentSet struct{ ids *DeletionVector }

// Has tells whether a fragment is in the set; none is in a nil one.
func (s *FragmentSet) Has(id uint32) bool { return s != nil && s.ids.Deleted(uint64(id)) }

// ReadIndices reads the list of the indices of a version; s is the store that the manifest was read from.
func (m *Manifest) ReadIndices(ctx context.Context, s objstore.Store) ([]*Index, error) {
	if m.IndexSection == nil {
		return nil, nil
	}
	object := join(m.Dir, m.Name)
	data, err := readSection(ctx, s, object, *m.IndexSection, maxIndexSection)
	if err != nil {
		return nil, fmt.Errorf("list of indices: %w", err)
	}
	return parseIndices(data, object)
}

// readSection reads a section of a manifest file: its length (u32), then as many bytes, limit at most.
func readSection(ctx context.Context, s objstore.Store, object string, position uint64, limit uint32) ([]byte, error) {
	r, err := s.Open(ctx, object)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	size := uint64(r.Size())
	if position > size || size-position < lengthSize {
		return nil, errs.Corruptf(object, -1, "section at byte %d of %d", position, size)
	}
	head, err := r.ReadRanges(ctx, []objstore.Range{{Offset: int64(position), Size: lengthSize}})
	if err != nil {
		return nil, err
	}
	n := le.Uint32(head[0])
	if n > limit || uint64(n) > size-position-lengthSize {
		return nil, errs.Corruptf(object, int64(position), "section of %d bytes", n)
	}
	got, err := r.ReadRanges(ctx, []objstore.Range{{Offset: int64(position) + lengthSize, Size: int64(n)}})
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

func parseIndices(data []byte, object string) ([]*Index, error) {
	msg := new(tablepb.IndexSection)
	if err := bounded.Unmarshal(data, msg); err != nil {
		return nil, errs.Corruptf(object, -1, "list of indices: %v", err)
	}
	out := make([]*Index, 0, len(msg.GetIndices()))
	for _, p := range msg.GetIndices() {
		x := &Index{
			Name: p.GetName(), UUID: hex.EncodeToString(p.GetUuid().GetUuid()), Kind: indexKind(p.GetIndexDetails().GetTypeUrl()),
			Fields: p.GetFields(), Version: p.GetDatasetVersion(), Format: p.GetIndexVersion(), Base: p.BaseId,
		}
		if p.CreatedAt != nil {
			x.Created = time.UnixMilli(int64(p.GetCreatedAt())).UTC()
		}
		for _, f := range p.GetFiles() {
			x.SizeBytes += f.GetSizeBytes()
			x.Files = append(x.Files, IndexFile{Name: f.GetPath(), SizeBytes: f.GetSizeBytes()})
		}
		if b := p.GetFragmentBitmap(); len(b) > 0 {
			ids, err := parseBitmap(b, object)
			if err != nil {
				return nil, fmt.Errorf("index %q: %w", x.Name, err)
			}
			x.Fragments = &FragmentSet{&DeletionVector{rows: ids}}
		}
		out = append(out, x)
	}
	return out, nil
}

// indexKind takes the type off the name of an index's details, as "/lance.table.BTreeIndexDetails".
func indexKind(url string) string {
	name := url[strings.LastIndexAny(url, "/.")+1:]
	return strings.TrimSuffix(name, "IndexDetails")
}
