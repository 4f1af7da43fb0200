package table

import (
	"fmt"
	"slices"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// Hidden are the numbers of a fragment's rows that a writer may put into a column of a data file (uint64, no nulls), where
// they take too much of the manifest. The values are the ids of these columns among the fields of the file; no field of
// the schema has such an id.
type Hidden int32

// The hidden columns.
const (
	HiddenRowIDs    Hidden = -3
	HiddenCreatedAt Hidden = -4
	HiddenUpdatedAt Hidden = -5
)

// Hidden gives the file, by its place in Files, and the column in it that hold a number of the fragment's rows; false
// where no file does.
func (f *Fragment) Hidden(h Hidden) (file, column int, ok bool) {
	if !slices.Contains(f.hidden, h) {
		return 0, 0, false
	}
	for i, d := range f.Files {
		if at := slices.Index(d.Fields, int32(h)); at >= 0 && at < len(d.ColumnIndices) {
			return i, int(d.ColumnIndices[at]), true
		}
	}
	return 0, 0, false
}

// hiddenOf gives the hidden columns that a fragment says it has. Each must lie in just one of its files.
func (f *Fragment) hiddenOf(p *tablepb.DataFragment, object string) ([]Hidden, error) {
	var out []Hidden
	for _, c := range []struct {
		id     Hidden
		marker *tablepb.RowLineageColumn
	}{
		{HiddenRowIDs, p.GetColumnRowIds()}, {HiddenCreatedAt, p.GetColumnCreatedAtVersions()},
		{HiddenUpdatedAt, p.GetColumnLastUpdatedAtVersions()},
	} {
		if c.marker == nil {
			continue
		}
		n := 0
		for _, d := range f.Files {
			for i, id := range d.Fields {
				if id == int32(c.id) {
					n++
					if i >= len(d.ColumnIndices) || d.ColumnIndices[i] < 0 {
						return nil, errs.Corruptf(object, -1, "fragment %d: hidden column %d has no place in file %s", f.ID, c.id, d.Path)
					}
				}
			}
		}
		if n != 1 {
			return nil, errs.Corruptf(object, -1, "fragment %d: hidden column %d is in %d of its files, not in one", f.ID, c.id, n)
		}
		out = append(out, c.id)
	}
	return out, nil
}

// shortRun is the number of ids in a row from which on a RowIDBuilder makes a range of them.
const shortRun = 16

// RowIDBuilder puts a sequence together from ids that come one by one. What they take in memory is that of the runs they
// make.
type RowIDBuilder struct {
	seq   RowIDSequence
	run   rangeSegment
	loose arraySegment // ids before the run, in runs that are too short
}

// Add adds the id of the next row. One that just came can't come again.
func (b *RowIDBuilder) Add(id uint64) error {
	switch {
	case b.run.length() > 0 && id == b.run.end:
		b.run.end++
		return nil
	case b.run.length() > 0 && id == b.run.end-1 || id+1 == 0:
		return errs.New(errs.ErrCorrupt, "corrupt: row id %d comes where it can't", id)
	}
	b.endRun()
	b.run = rangeSegment{id, id + 1}
	return nil
}

func (b *RowIDBuilder) endRun() {
	if b.run.length() < shortRun {
		for id := b.run.start; id < b.run.end; id++ {
			b.loose = append(b.loose, id)
		}
		return
	}
	b.endLoose()
	b.seq.add(b.run)
}

func (b *RowIDBuilder) endLoose() {
	if len(b.loose) > 0 {
		b.seq.add(b.loose)
		b.loose = nil
	}
}

// Sequence gives what was added; nothing can be added any more.
func (b *RowIDBuilder) Sequence() *RowIDSequence {
	b.endRun()
	b.endLoose()
	b.run = rangeSegment{}
	return &b.seq
}

func (s *RowIDSequence) add(seg segment) {
	s.segments, s.ends = append(s.segments, seg), append(s.ends, s.Len()+seg.length())
}

// VersionRun is a number of rows, one after the other, of one version.
type VersionRun struct {
	Rows    uint64
	Version uint64
}

// CreatedAt gives the versions in which the fragment's rows came to be, as runs over its physical rows; nil where the
// manifest does not hold them.
func (f *Fragment) CreatedAt(physicalRows uint64) ([]VersionRun, error) {
	return f.versions(f.createdAt, physicalRows)
}

// UpdatedAt gives the versions in which the fragment's rows changed last, as CreatedAt does.
func (f *Fragment) UpdatedAt(physicalRows uint64) ([]VersionRun, error) {
	return f.versions(f.updatedAt, physicalRows)
}

func (f *Fragment) versions(data []byte, physicalRows uint64) ([]VersionRun, error) {
	object := fmt.Sprintf("fragment %d", f.ID)
	if data == nil {
		return nil, nil
	}
	runs, err := ParseRowVersions(data, object)
	if err != nil {
		return nil, err
	}
	var total uint64
	for _, r := range runs {
		total += r.Rows
	}
	if total != physicalRows {
		return nil, errs.Corruptf(object, -1, "row versions of %d rows for %d rows", total, physicalRows)
	}
	return runs, nil
}

// ParseRowVersions reads the bytes of a row-version sequence. The spans in it are lengths only: after a compaction their
// positions start again from 0.
func ParseRowVersions(data []byte, object string) ([]VersionRun, error) {
	msg := new(tablepb.RowDatasetVersionSequence)
	if err := bounded.Unmarshal(data, msg); err != nil {
		return nil, errs.Corruptf(object, -1, "row versions: %v", err)
	}
	var runs []VersionRun
	var total uint64
	for _, p := range msg.GetRuns() {
		seg, err := newSegment(p.GetSpan(), object)
		if err != nil {
			return nil, err
		}
		n := seg.length()
		if n > 1<<32 || total+n > 1<<32 {
			return nil, errs.Corruptf(object, -1, "versions of more than 2^32 rows")
		}
		total += n
		runs = append(runs, VersionRun{Rows: n, Version: p.GetVersion()})
	}
	return runs, nil
}
