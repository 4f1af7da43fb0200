package lanceio

import (
	"fmt"
	"time"
)

// Inspection tells how a version of a table is stored. Sizes are in bytes, and what lies in deleted rows counts. A part
// that can not be read has its Error set, and the others are there.
type Inspection struct {
	Table   string    `json:"table"`
	Version uint64    `json:"version"`
	Branch  string    `json:"branch,omitempty"` // empty for main
	Time    time.Time `json:"time"`
	// FileVersion is that of the data files of new fragments, as "2.2".
	FileVersion string `json:"file_version"`
	Writer      string `json:"writer,omitempty"`
	Rows        int64  `json:"rows"` // live
	DeletedRows int64  `json:"deleted_rows"`
	Bytes       uint64 `json:"bytes"` // of the data files that can be read

	// Versions are those of the branch, the newest first.
	Versions  []VersionInfo  `json:"versions"`
	Tags      []TagInfo      `json:"tags"`
	Branches  []BranchInfo   `json:"branches"`
	Columns   []ColumnInfo   `json:"columns"`
	Fragments []FragmentFile `json:"fragments"`
	Stats     []StatsInfo    `json:"stats"`
	Indices   []IndexInfo    `json:"indices"`
	// IndexError tells why the list of indices can not be read.
	IndexError string `json:"index_error,omitempty"`
}

// VersionInfo is one version of a table.
type VersionInfo struct {
	Version   uint64    `json:"version"`
	Time      time.Time `json:"time,omitzero"`
	Operation string    `json:"operation,omitempty"` // as "Append"; empty where it is not recorded
	Rows      uint64    `json:"rows"`                // live
	Fragments int       `json:"fragments"`
	// Summary is false where just the number of the version was looked at, as there are many.
	Summary bool   `json:"summary"`
	Error   string `json:"error,omitempty"`
}

// TagInfo is a name for a version.
type TagInfo struct {
	Name    string `json:"name"`
	Version uint64 `json:"version"`
	Branch  string `json:"branch,omitempty"` // empty for main
	Error   string `json:"error,omitempty"`
}

// BranchInfo is a line of versions that left another one.
type BranchInfo struct {
	Name          string `json:"name"`
	Parent        string `json:"parent,omitempty"` // empty for main
	ParentVersion uint64 `json:"parent_version"`
	Error         string `json:"error,omitempty"`
}

// ColumnInfo is a field of the schema. Fields come before those within them.
type ColumnInfo struct {
	Path     []string `json:"path"`
	ID       int32    `json:"id"`
	Type     string   `json:"type"`
	Nullable bool     `json:"nullable"`
	// Leaf tells that the field has values of its own, and none within it that are stored apart.
	Leaf     bool              `json:"leaf"`
	Metadata map[string]string `json:"metadata,omitempty"`
	// Fragments is how many fragments hold the field; in the others its values are null.
	Fragments int `json:"fragments"`
	// Encodings are the pages in all files by how they are stored, as "mini-block(bitpack)".
	Encodings map[string]int `json:"encodings,omitempty"`
	Pages     int            `json:"pages"`
	// Bytes is what the pages take in the files. Of a blob column these are the places of the values.
	Bytes uint64 `json:"bytes"`
	// PlainBytes is what the values take unencoded: 4 for an int32, the length of a text, without bitmaps and offsets.
	// PlainKind is "exact", "estimate" (by the values of a part of the pages), or "unknown".
	PlainBytes uint64 `json:"plain_bytes"`
	PlainKind  string `json:"plain"`
	Error      string `json:"error,omitempty"`
}

// The values of ColumnInfo.PlainKind.
const (
	PlainExact    = "exact"
	PlainEstimate = "estimate"
	PlainUnknown  = "unknown"
)

// FragmentFile is a fragment with its files.
type FragmentFile struct {
	ID          uint32         `json:"id"`
	Rows        uint64         `json:"rows"` // live
	DeletedRows uint64         `json:"deleted_rows"`
	Deletions   string         `json:"deletion_file,omitempty"` // relative to the table
	Files       []DataFileInfo `json:"files"`
}

// DataFileInfo is a data file.
type DataFileInfo struct {
	Path        string `json:"path"` // relative to the table
	FileVersion string `json:"file_version"`
	Bytes       uint64 `json:"bytes"`
	Columns     int    `json:"columns"` // physical ones
	Fields      int    `json:"fields"`  // of the table that lie in it
	Error       string `json:"error,omitempty"`
}

// StatsInfo tells of which rows of an n-d array column the stats are known.
type StatsInfo struct {
	Variable string `json:"variable"`
	Type     string `json:"type"` // of the values
	// Column is the stats column, empty where the table has none.
	Column string `json:"column,omitempty"`
	// Usable is false for a stats column whose bounds are not of the values' type.
	Usable bool `json:"usable"`
	// Fragments is how many fragments hold the variable, StatsFragments how many hold its stats.
	Fragments      int `json:"fragments"`
	StatsFragments int `json:"stats_fragments"`
	// Rows are the live rows of fragments that hold the variable. Of these BoundRows have a min and a max, EmptyRows have
	// stats without, as none of their values counts, and LackingRows lack the variable by their stats. The rest lies in
	// fragments without stats, and is read whatever a filter says.
	Rows        int64  `json:"rows"`
	BoundRows   int64  `json:"bound_rows"`
	EmptyRows   int64  `json:"empty_rows"`
	LackingRows int64  `json:"lacking_rows"`
	Error       string `json:"error,omitempty"`
}

// IndexInfo is an index, or one of the parts of an index whose name comes several times.
type IndexInfo struct {
	Name    string     `json:"name"`
	Type    string     `json:"type,omitempty"` // as "BTree"
	UUID    string     `json:"uuid"`
	Columns [][]string `json:"columns"` // paths
	Version uint64     `json:"version"` // of the table that was indexed
	// Fragments is how many of the version's fragments it covers.
	Fragments int       `json:"fragments"`
	Rows      int64     `json:"rows"` // live ones of these
	Bytes     uint64    `json:"bytes,omitempty"`
	Created   time.Time `json:"created,omitzero"`
}

// Faults are the parts that can not be read, with the reasons.
func (x *Inspection) Faults() []string {
	var out []string
	add := func(err, format string, args ...any) {
		if err != "" {
			out = append(out, fmt.Sprintf(format, args...)+": "+err)
		}
	}
	for _, v := range x.Versions {
		add(v.Error, "version %d", v.Version)
	}
	for _, t := range x.Tags {
		add(t.Error, "tag %s", t.Name)
	}
	for _, b := range x.Branches {
		add(b.Error, "branch %s", b.Name)
	}
	for _, f := range x.Fragments {
		for _, d := range f.Files {
			add(d.Error, "fragment %d", f.ID)
		}
	}
	for _, c := range x.Columns {
		add(c.Error, "values of a column")
	}
	for _, s := range x.Stats {
		add(s.Error, "stats of %s", s.Variable)
	}
	add(x.IndexError, "indices")
	return out
}
