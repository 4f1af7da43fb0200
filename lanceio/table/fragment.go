package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// Fragment is a run of rows of a table. Its files hold different columns of the same rows.
type Fragment struct {
	ID    uint32
	Files []*DataFile
	// PhysicalRows counts deleted rows too. It is 0 where old writers left it out, or recorded it wrongly: then HasRowCount
	// is false and only a data file tells it.
	PhysicalRows uint64
	Deletion     *DeletionFile // nil: no row is deleted

	rowIDs, createdAt, updatedAt []byte
	hidden                       []Hidden
}

// DataFile is one file of a fragment.
type DataFile struct {
	Path string // relative to data/ of its base
	// Fields are the ids of the fields that the file has; negative ones mean nothing to a reader. ColumnIndices are their
	// columns in the file, -1 for none; empty in legacy files.
	Fields, ColumnIndices []int32
	Format                Format
	SizeBytes             uint64 // 0: not recorded
	Base                  *uint32
}

// DeletionFile describes the file that lists the deleted rows of a fragment.
type DeletionFile struct {
	Bitmap      bool // roaring; else an Arrow file
	ReadVersion uint64
	ID          uint64
	Rows        uint64 // deleted rows
	Base        *uint32
}

// RowAddress is the place of a row: the fragment's id in the upper 32 bits, its physical row in the lower.
type RowAddress uint64

// NewRowAddress puts an address together.
func NewRowAddress(fragment, row uint32) RowAddress {
	return RowAddress(uint64(fragment)<<32 | uint64(row))
}

// Fragment is the id of the row's fragment.
func (a RowAddress) Fragment() uint32 { return uint32(a >> 32) }

// Row is the row's number in the fragment, deleted rows counted.
func (a RowAddress) Row() uint32 { return uint32(a) }

// MaxFragmentRows is how many rows a fragment can have: a row address has 32 bits for the row.
const MaxFragmentRows = 1 << 32

func newFragment(f *tablepb.DataFragment, object string) (*Fragment, error) {
	if f.GetId() > math.MaxUint32 {
		return nil, errs.Corruptf(object, -1, "fragment id %d does not fit 32 bits", f.GetId())
	}
	frag := &Fragment{
		ID: uint32(f.GetId()), PhysicalRows: f.GetPhysicalRows(),
		rowIDs: f.GetInlineRowIds(), createdAt: f.GetInlineCreatedAtVersions(), updatedAt: f.GetInlineLastUpdatedAtVersions(),
	}
	if frag.PhysicalRows > MaxFragmentRows {
		return nil, errs.Corruptf(object, -1, "fragment %d has %d rows, at most 2^32 can be addressed", frag.ID, frag.PhysicalRows)
	}
	if len(f.GetOverlays()) > 0 {
		return nil, errs.Unsupportedf("%s: fragment %d has data overlay files, which are not supported", object, frag.ID)
	}
	owner := make(map[int32]bool)
	for _, d := range f.GetFiles() {
		file, err := newDataFile(d, frag.ID, object)
		if err != nil {
			return nil, err
		}
		for _, id := range file.Fields {
			if id >= 0 && owner[id] {
				return nil, errs.Corruptf(object, -1, "fragment %d: field %d is in its files twice", frag.ID, id)
			}
			owner[id] = true
		}
		frag.Files = append(frag.Files, file)
	}
	var err error
	if frag.hidden, err = frag.hiddenOf(f, object); err != nil {
		return nil, err
	}
	if d := f.GetDeletionFile(); d != nil {
		if frag.HasRowCount() && d.GetNumDeletedRows() > frag.PhysicalRows {
			return nil, errs.Corruptf(object, -1, "fragment %d: %d of %d rows are deleted", frag.ID, d.GetNumDeletedRows(), frag.PhysicalRows)
		}
		kind := d.GetFileType()
		if kind != tablepb.DeletionFile_ARROW_ARRAY && kind != tablepb.DeletionFile_BITMAP {
			return nil, errs.Unsupportedf("%s: fragment %d: deletion file of type %d is not supported", object, frag.ID, kind)
		}
		frag.Deletion = &DeletionFile{
			Bitmap: kind == tablepb.DeletionFile_BITMAP, ReadVersion: d.GetReadVersion(), ID: d.GetId(),
			Rows: d.GetNumDeletedRows(), Base: d.BaseId,
		}
	}
	return frag, nil
}

func newDataFile(d *tablepb.DataFile, fragment uint32, object string) (*DataFile, error) {
	file := &DataFile{Path: d.GetPath(), Fields: d.GetFields(), ColumnIndices: d.GetColumnIndices(), SizeBytes: d.GetFileSizeBytes(), Base: d.BaseId}
	if !safePath(file.Path) {
		return nil, errs.Corruptf(object, -1, "fragment %d: data file name %q leaves its folder", fragment, file.Path)
	}
	var err error
	if file.Format, err = fileFormat(d.GetFileMajorVersion(), d.GetFileMinorVersion()); err != nil {
		return nil, fmt.Errorf("%s: fragment %d: data file %s: %w", object, fragment, file.Path, err)
	}
	if file.Format != FormatLegacy && len(file.ColumnIndices) != len(file.Fields) {
		return nil, errs.Corruptf(object, -1, "fragment %d: data file %s has %d fields but %d column indices", fragment, file.Path, len(file.Fields), len(file.ColumnIndices))
	}
	return file, nil
}

// safePath tells whether a name stays below the folder it is relative to.
func safePath(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || part == "" || part == "." {
			return false
		}
	}
	return true
}

// HasRowCount tells whether the manifest records the fragment's rows.
func (f *Fragment) HasRowCount() bool { return f.PhysicalRows > 0 || len(f.Files) == 0 }

// legacy tells whether the fragment's files are legacy ones.
func (f *Fragment) legacy() bool { return len(f.Files) > 0 && f.Files[0].Format == FormatLegacy }

// LiveRows is the number of rows that are not deleted.
func (f *Fragment) LiveRows() uint64 { return f.PhysicalRows - min(f.DeletedRows(), f.PhysicalRows) }

// DeletedRows is the number of deleted rows.
func (f *Fragment) DeletedRows() uint64 {
	if f.Deletion == nil {
		return 0
	}
	return f.Deletion.Rows
}

// DeletionFileName is the name of the fragment's deletion file in _deletions; the fragment must have one.
func (f *Fragment) DeletionFileName() string {
	ext := "arrow"
	if f.Deletion.Bitmap {
		ext = "bin"
	}
	return fmt.Sprintf("%d-%d-%d.%s", f.ID, f.Deletion.ReadVersion, f.Deletion.ID, ext)
}

// Find gives the file that holds a field, by its place in Files, and the field's column in that file. column is -1 where
// the file lists the field without a column of its own (and in legacy files). It is false where no file holds the field:
// its values are null in this fragment.
func (f *Fragment) Find(id int32) (file, column int, ok bool) {
	if id < 0 {
		return 0, 0, false
	}
	for i, d := range f.Files {
		if column, ok := d.Column(id); ok {
			return i, column, true
		}
	}
	return 0, 0, false
}

// Column gives the column of a field in the file, -1 where it is listed without one. Negative ids are never found.
func (d *DataFile) Column(id int32) (column int, ok bool) {
	if id < 0 {
		return 0, false
	}
	for i, have := range d.Fields {
		if have != id {
			continue
		}
		if i < len(d.ColumnIndices) {
			return int(d.ColumnIndices[i]), true
		}
		return -1, true
	}
	return 0, false
}

// Holds tells whether the file has anything of a field: the field itself, or one below it.
func (d *DataFile) Holds(f *Field) bool {
	if _, ok := d.Column(f.ID); ok {
		return true
	}
	return slices.ContainsFunc(f.Children, d.Holds)
}

// Holds tells whether a file of the fragment has anything of a field. Where none has, its values are null.
func (f *Fragment) Holds(field *Field) bool {
	return slices.ContainsFunc(f.Files, func(d *DataFile) bool { return d.Holds(field) })
}
