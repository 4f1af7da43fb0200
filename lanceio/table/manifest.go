package table

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// DetachedBit is set in the number of a version that is no part of the table's history.
const DetachedBit = uint64(1) << 63

// Manifest is one version of a table. It is not changed once it was read.
type Manifest struct {
	// Dir is the folder of the branch within the table: "" for main, "tree/NAME" else. Name is the manifest file's.
	Dir, Name string

	Version       uint64
	Branch        string // "" for main
	Timestamp     time.Time
	Schema        *Schema
	Fragments     []*Fragment // in the table's order of rows
	Format        Format
	ReaderFlags   Flags
	WriterFlags   Flags
	Config        map[string]string
	TableMetadata map[string]string
	// NextRowID is the first row id not yet given out; it has a meaning only with stable row ids.
	NextRowID uint64
	// MaxFragmentID is the highest fragment id ever given out, nil before the first.
	MaxFragmentID *uint32
	// TransactionFile is a name in _transactions, or empty.
	TransactionFile string
	// Writer is what wrote the version, as "lance 14.0.2", or empty.
	Writer string

	// IndexSection and TransactionSection are positions in the manifest file, nil where there is none.
	IndexSection, TransactionSection *uint64
	// Indices are the segments of the version's indices; nil where there are none, or where they can't be read.
	Indices []*Index

	bases map[uint32]BasePath
	msg   *tablepb.Manifest
}

// Message is the manifest as it was stored, unknown fields included. It must not be changed.
func (m *Manifest) Message() *tablepb.Manifest { return m.msg }

// StableRowIDs tells whether `_rowid` comes from row-id sequences; else it is the row's address.
func (m *Manifest) StableRowIDs() bool { return m.ReaderFlags.Has(FlagStableRowIDs) }

// Rows is the number of live rows, and false where a fragment does not record its rows.
func (m *Manifest) Rows() (uint64, bool) {
	var n uint64
	for _, f := range m.Fragments {
		if !f.HasRowCount() {
			return 0, false
		}
		n += f.LiveRows()
	}
	return n, true
}

// ParseManifest reads the bytes of a whole manifest file. dir is the branch's folder, name the file's, relative to dir.
func ParseManifest(data []byte, dir, name string) (*Manifest, error) {
	object := join(dir, name)
	pos, err := manifestPosition(data, uint64(len(data)), object)
	if err != nil {
		return nil, err
	}
	msg, err := unmarshalManifest(data[pos:], pos, object)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(msg, dir, name, uint64(len(data)))
	if err == nil && m.IndexSection != nil {
		m.Indices = indicesIn(data[*m.IndexSection:], object)
	}
	return m, err
}

// unmarshalManifest reads length and message from the end part of a manifest file that starts at pos.
func unmarshalManifest(b []byte, pos uint64, object string) (*tablepb.Manifest, error) {
	if len(b) < lengthSize+tailSize {
		return nil, errs.Corruptf(object, int64(pos), "manifest of %d bytes", len(b))
	}
	n := uint64(le.Uint32(b))
	if have := uint64(len(b) - lengthSize - tailSize); n != have {
		return nil, errs.Corruptf(object, int64(pos), "manifest length %d, the file has room for %d", n, have)
	}
	msg := new(tablepb.Manifest)
	if err := bounded.Unmarshal(b[lengthSize:lengthSize+n], msg); err != nil {
		return nil, errs.Corruptf(object, int64(pos), "manifest message: %v", err)
	}
	if name := misfiled(msg); name != "" {
		return nil, errs.Corruptf(object, int64(pos), "manifest message: the field %s has another wire type than it should", name)
	}
	return msg, nil
}

// misfiled gives the name of a field that a message holds under another wire type: the library takes such a field for
// an unknown one, and passes over what it held, a fragment say. It looks at what decides about rows.
func misfiled(msg *tablepb.Manifest) string {
	if name := knownAmongUnknown(msg); name != "" {
		return name
	}
	for _, f := range msg.GetFields() {
		if name := knownAmongUnknown(f); name != "" {
			return name
		}
	}
	for _, f := range msg.GetFragments() {
		if name := knownAmongUnknown(f); name != "" {
			return name
		}
		if d := f.GetDeletionFile(); d != nil {
			if name := knownAmongUnknown(d); name != "" {
				return name
			}
		}
		for _, d := range f.GetFiles() {
			if name := knownAmongUnknown(d); name != "" {
				return name
			}
		}
	}
	return ""
}

func knownAmongUnknown(msg proto.Message) string {
	m := msg.ProtoReflect()
	for b := m.GetUnknown(); len(b) > 0; {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return ""
		}
		if f := m.Descriptor().Fields().ByNumber(number); f != nil {
			return string(f.Name())
		}
		b = b[n:]
	}
	return ""
}

func newManifest(msg *tablepb.Manifest, dir, name string, size uint64) (*Manifest, error) {
	m := &Manifest{
		Dir: dir, Name: name,
		Version: msg.GetVersion(), Branch: msg.GetBranch(),
		ReaderFlags: Flags(msg.GetReaderFeatureFlags()), WriterFlags: Flags(msg.GetWriterFeatureFlags()),
		Config: maps.Clone(msg.GetConfig()), TableMetadata: maps.Clone(msg.GetTableMetadata()),
		NextRowID: msg.GetNextRowId(), MaxFragmentID: msg.MaxFragmentId,
		TransactionFile: msg.GetTransactionFile(),
		IndexSection:    msg.IndexSection, TransactionSection: msg.TransactionSection,
		msg: msg,
	}
	object := join(dir, name)
	if err := checkFlags(m.ReaderFlags, m.WriterFlags, object); err != nil {
		return nil, err
	}
	if m.TransactionSection == nil {
		m.TransactionSection = msg.TransactionSectionDeprecated
	}
	if w := msg.GetWriterVersion(); w != nil {
		m.Writer = w.GetLibrary() + " " + w.GetVersion()
	}
	if t := msg.GetTimestamp(); t != nil {
		m.Timestamp = t.AsTime()
	}
	// The inline transaction never keeps a version from being read, so its position is not judged here.
	if p := m.IndexSection; p != nil && *p >= size {
		return nil, errs.Corruptf(object, -1, "index section at byte %d of %d", *p, size)
	}
	if err := m.readBases(object); err != nil {
		return nil, err
	}
	var err error
	if m.Schema, err = NewSchema(msg.GetFields(), msg.GetSchemaMetadata(), object); err != nil {
		return nil, err
	}
	if err := m.readFragments(object); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Manifest) readBases(object string) error {
	m.bases = make(map[uint32]BasePath, len(m.msg.GetBasePaths()))
	for _, b := range m.msg.GetBasePaths() {
		if _, dup := m.bases[b.GetId()]; dup {
			return errs.Corruptf(object, -1, "two base paths have id %d", b.GetId())
		}
		m.bases[b.GetId()] = BasePath{ID: b.GetId(), Name: b.GetName(), IsRoot: b.GetIsDatasetRoot(), URI: b.GetPath()}
	}
	return nil
}

// readFragments makes the fragments and settles the format of their files.
func (m *Manifest) readFragments(object string) error {
	var err error
	if m.Format, err = formatOf(m.msg, object); err != nil {
		return err
	}
	seen := make(map[uint32]bool, len(m.msg.GetFragments()))
	for _, f := range m.msg.GetFragments() {
		frag, err := newFragment(f, object)
		if err != nil {
			return err
		}
		if seen[frag.ID] {
			return errs.Corruptf(object, -1, "two fragments have id %d", frag.ID)
		}
		seen[frag.ID] = true
		if m.Writer == "" && frag.legacy() {
			// Releases that did not name themselves recorded rows without the deleted ones.
			frag.PhysicalRows = 0
		}
		if err := m.checkFragment(frag, object); err != nil {
			return err
		}
		m.Fragments = append(m.Fragments, frag)
	}
	return nil
}

// checkFragment holds a fragment against what the manifest says of all: base paths, formats, row ids.
func (m *Manifest) checkFragment(f *Fragment, object string) error {
	for _, d := range f.Files {
		if err := m.checkBase(d.Base, object); err != nil {
			return err
		}
		// Release 0.16 wrote files of version 2.0 under manifests that said 0.1.
		mislabelled := m.Format == FormatLegacy && d.Format == Format20
		if !m.ReaderFlags.Has(FlagMixedFormats) && d.Format != m.Format && !mislabelled {
			return errs.Corruptf(object, -1, "fragment %d: data file %s is of format %s, the table's is %s", f.ID, d.Path, d.Format, m.Format)
		}
	}
	if f.Deletion != nil {
		if err := m.checkBase(f.Deletion.Base, object); err != nil {
			return err
		}
	}
	if m.StableRowIDs() && f.rowIDs == nil && !slices.Contains(f.hidden, HiddenRowIDs) {
		return errs.Corruptf(object, -1, "fragment %d has no row ids, though the table has stable row ids", f.ID)
	}
	return nil
}

func (m *Manifest) checkBase(id *uint32, object string) error {
	if id == nil {
		return nil
	}
	if _, ok := m.bases[*id]; !ok {
		return errs.Corruptf(object, -1, "base path %d is named but not listed", *id)
	}
	return nil
}

// BasePath is another place that files of a table may lie in.
type BasePath struct {
	ID   uint32
	Name string
	// IsRoot tells that URI is a table's folder, with data/ and _deletions/ in it; else files lie in URI itself.
	IsRoot bool
	URI    string
}

// BasePaths gives the base paths in the order of their ids.
func (m *Manifest) BasePaths() []BasePath {
	return slices.SortedFunc(maps.Values(m.bases), func(a, b BasePath) int { return int(int64(a.ID) - int64(b.ID)) })
}

// Location is where an object lies.
type Location struct {
	// Base is nil for the table's own folder, else the base path that Path is relative to.
	Base *BasePath
	Path string
}

// String names the location without any part of the base's own path.
func (l Location) String() string {
	if l.Base == nil {
		return l.Path
	}
	return fmt.Sprintf("base %d: %s", l.Base.ID, l.Path)
}

// DataFile tells where a data file lies.
func (m *Manifest) DataFile(d *DataFile) Location { return m.locate(d.Base, "data", d.Path) }

// DeletionFile tells where the deletion file of a fragment lies; the fragment must have one.
func (m *Manifest) DeletionFile(f *Fragment) Location {
	return m.locate(f.Deletion.Base, "_deletions", f.DeletionFileName())
}

func (m *Manifest) locate(base *uint32, sub, name string) Location {
	if base == nil {
		return Location{Path: join(join(m.Dir, sub), name)}
	}
	b := m.bases[*base] // known since the manifest was checked
	if b.IsRoot {
		name = join(sub, name)
	}
	return Location{Base: &b, Path: name}
}

// ArrowSchema is the table's schema as Arrow has it, with the table's metadata.
func (m *Manifest) ArrowSchema() *arrow.Schema { return m.Schema.Arrow() }
