package table_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// smallest is the least a manifest needs: one column, one fragment, no deletions.
func smallest() *tablepb.Manifest {
	return &tablepb.Manifest{
		Fields: []*filepb.Field{{Name: "id", Id: 0, ParentId: -1, LogicalType: "int64", Nullable: true}},
		Fragments: []*tablepb.DataFragment{{Files: []*tablepb.DataFile{{
			Path: "a.lance", Fields: []int32{0}, ColumnIndices: []int32{0}, FileMajorVersion: 2, FileMinorVersion: 2, FileSizeBytes: 100,
		}}, PhysicalRows: 4}},
		Version: 1, MaxFragmentId: proto.Uint32(0),
		DataFormat: &tablepb.DataStorageFormat{FileFormat: "lance", Version: "2.2"},
	}
}

// frame puts a manifest into a file behind some sections.
func frame(t testing.TB, m *tablepb.Manifest, sections []byte) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(sections)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b)))
	out = append(out, b...)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(sections)))
	return append(out, 0, 0, 2, 0, 'L', 'A', 'N', 'C')
}

func parse(b []byte) (*table.Manifest, error) {
	return table.ParseManifest(b, "", "_versions/1.manifest")
}

func TestSmallestManifest(t *testing.T) {
	for name, sections := range map[string][]byte{"alone": nil, "behind sections": make([]byte, 300)} {
		t.Run(name, func(t *testing.T) {
			msg := smallest()
			if sections != nil {
				// A section at position 0 is there, though 0 is also what an absent number reads as.
				msg.IndexSection, msg.TransactionSection = proto.Uint64(0), proto.Uint64(100)
			}
			m, err := parse(frame(t, msg, sections))
			if err != nil {
				t.Fatal(err)
			}
			if rows, ok := m.Rows(); rows != 4 || !ok || m.Version != 1 || m.Format != table.Format22 || *m.MaxFragmentID != 0 {
				t.Errorf("%+v", m)
			}
			if (m.IndexSection != nil) != (sections != nil) {
				t.Errorf("index section at %v", m.IndexSection)
			}
			if l := m.DataFile(m.Fragments[0].Files[0]); l != (table.Location{Path: "data/a.lance"}) {
				t.Errorf("data file at %v", l)
			}
		})
	}
}

// TestUnknownFieldsStay checks that a manifest of a newer writer loses nothing when it is copied forward.
func TestUnknownFieldsStay(t *testing.T) {
	msg := smallest()
	unknown := protowire.AppendTag(nil, 999, protowire.BytesType)
	unknown = protowire.AppendBytes(unknown, []byte("new"))
	msg.ProtoReflect().SetUnknown(unknown)
	msg.Fragments[0].ProtoReflect().SetUnknown(unknown)
	m, err := parse(frame(t, msg, nil))
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(m.Message(), msg) || len(m.Message().Fragments[0].ProtoReflect().GetUnknown()) == 0 {
		t.Error("unknown fields are lost")
	}
}

// TestFieldsOfAnotherWireType: what the library takes for unknown although the format knows its number is not passed over.
func TestFieldsOfAnotherWireType(t *testing.T) {
	for _, c := range []struct {
		name, field string
		number      protowire.Number
		in          func(*tablepb.Manifest) proto.Message
	}{
		{"manifest", "version", 3, func(m *tablepb.Manifest) proto.Message { return m }},
		{"column", "id", 3, func(m *tablepb.Manifest) proto.Message { return m.Fields[0] }},
		{"fragment", "physical_rows", 4, func(m *tablepb.Manifest) proto.Message { return m.Fragments[0] }},
		{"data file", "file_major_version", 4, func(m *tablepb.Manifest) proto.Message { return m.Fragments[0].Files[0] }},
		{"deletion file", "num_deleted_rows", 4, func(m *tablepb.Manifest) proto.Message { return m.Fragments[0].DeletionFile }},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg := smallest()
			msg.Fragments[0].DeletionFile = &tablepb.DeletionFile{NumDeletedRows: 1}
			c.in(msg).ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, c.number, protowire.BytesType), []byte("x")))
			if _, err := parse(frame(t, msg, nil)); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "field "+c.field+" ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBrokenFraming(t *testing.T) {
	good := frame(t, smallest(), []byte{1, 2, 3})
	change := func(at int, b ...byte) []byte {
		out := slices.Clone(good)
		if at < 0 {
			at += len(out)
		}
		copy(out[at:], b)
		return out
	}
	for name, b := range map[string][]byte{
		"empty":               nil,
		"only a magic number": []byte("LANC"),
		"no magic number":     change(-1, 'D'),
		"position past end":   change(-16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"position in tail":    change(-16, byte(len(good)-17)),
		"position too small":  change(-16, 2),
		"length too small":    change(3, 1),
		"length too big":      change(3, 0xff, 0xff, 0xff, 0xff),
		"no message":          change(7, 0xff, 0xff, 0xff),
		"cut short":           good[:len(good)-1],
		"cut at the front":    good[1:],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(b)
			var c *errs.CorruptError
			if !errors.As(err, &c) || c.Object != "_versions/1.manifest" {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := parse(change(-8, 1)); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("another major version: %v", err)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name           string
		reader, writer uint64
		fault          error
		text           string
	}{
		{name: "deletions", reader: 1, writer: 1},
		{name: "deprecated v2", writer: 4},
		{name: "config", writer: 8},
		{name: "base paths", reader: 16, writer: 16},
		{name: "no transactions", reader: 32, writer: 32},
		{name: "covering indices", reader: 128, writer: 128},
		{name: "mixed versions", reader: 256, writer: 256},
		{name: "mixed versions for readers only", reader: 256, fault: errs.ErrCorrupt, text: "mixed data file versions"},
		{name: "mixed versions for writers only", writer: 256, fault: errs.ErrCorrupt, text: "mixed data file versions"},
		{name: "fragment reuse", reader: 1024, writer: 1024},
		{name: "row lineage columns", reader: 2048, writer: 2048},
		{name: "managed blobs", reader: 16384, writer: 16384},
		{name: "managed blobs for readers only", reader: 16384, fault: errs.ErrCorrupt, text: "managed blobs"},
		{name: "field ids", writer: 32768},
		{name: "field ids for readers", reader: 32768, writer: 32768, fault: errs.ErrCorrupt, text: "non-reusable field ids"},
		{name: "overlays", reader: 64, writer: 64, fault: errs.ErrUnsupported, text: "data overlay files"},
		{name: "row ids with reuse", reader: 512, fault: errs.ErrUnsupported, text: "fragment reuse index"},
		{name: "fragment tree", reader: 4096, fault: errs.ErrUnsupported, text: "fragment tree"},
		{name: "covering fields", reader: 8192, fault: errs.ErrUnsupported, text: "independent covering fields"},
		{name: "zone seeds", reader: 65536, writer: 65536, fault: errs.ErrUnsupported, text: "zone write seeds"},
		{name: "objects", reader: 131072, fault: errs.ErrUnsupported, text: "object metadata"},
		{name: "a later one", reader: 1 << 18, fault: errs.ErrUnsupported, text: "bit 18"},
		{name: "the last one", reader: 1 << 63, fault: errs.ErrUnsupported, text: "bit 63"},
		{name: "two unknown", reader: 1<<18 | 64, fault: errs.ErrUnsupported, text: "data overlay files, bit 18"},
		{name: "unknown for writers only", writer: 1 << 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg := smallest()
			msg.ReaderFeatureFlags, msg.WriterFeatureFlags = c.reader, c.writer
			_, err := parse(frame(t, msg, nil))
			if !errors.Is(err, c.fault) || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.fault, c.text)
			}
		})
	}
}

func TestBrokenManifests(t *testing.T) {
	leaf := func(id, parent int32, logical string) *filepb.Field {
		return &filepb.Field{Name: "f", Id: id, ParentId: parent, LogicalType: logical}
	}
	deep := []*filepb.Field{leaf(0, -1, "struct")}
	for i := range int32(table.MaxNesting + 1) {
		deep = append(deep, leaf(i+1, i, "struct"))
	}
	for _, c := range []struct {
		name   string
		fault  error
		change func(*tablepb.Manifest)
	}{
		{"child before parent", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fields = []*filepb.Field{leaf(1, 0, "int8"), leaf(0, -1, "struct")} }},
		{"its own parent", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fields = []*filepb.Field{leaf(1, 1, "struct")} }},
		{"too deep", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fields = deep }},
		{"list without item", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fields = []*filepb.Field{leaf(1, -1, "list")} }},
		{"unknown type", errs.ErrUnsupported, func(m *tablepb.Manifest) { m.Fields[0].LogicalType = "int7" }},
		{"name no UTF-8", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fields[0].Metadata = map[string][]byte{"k": {0xff}} }},
		{"fragment id of 33 bits", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Id = 1 << 32 }},
		{"fragment twice", errs.ErrCorrupt, func(m *tablepb.Manifest) {
			m.Fragments = append(m.Fragments, &tablepb.DataFragment{PhysicalRows: 1})
		}},
		{"field twice", errs.ErrCorrupt, func(m *tablepb.Manifest) {
			m.Fragments[0].Files = append(m.Fragments[0].Files, m.Fragments[0].Files[0])
		}},
		{"columns missing", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].ColumnIndices = nil }},
		{"too many rows", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].PhysicalRows = 1<<32 + 1 }},
		{"more deleted than there are", errs.ErrCorrupt, func(m *tablepb.Manifest) {
			m.Fragments[0].DeletionFile = &tablepb.DeletionFile{NumDeletedRows: 5}
		}},
		{"deletion file of another kind", errs.ErrUnsupported, func(m *tablepb.Manifest) {
			m.Fragments[0].DeletionFile = &tablepb.DeletionFile{FileType: 7}
		}},
		{"overlays", errs.ErrUnsupported, func(m *tablepb.Manifest) {
			m.Fragments[0].Overlays = []*tablepb.DataOverlayFile{{}}
		}},
		{"file above its folder", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].Path = "../../x" }},
		{"file by absolute path", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].Path = "/etc/passwd" }},
		{"file of an unknown base", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].BaseId = proto.Uint32(0) }},
		{"base twice", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.BasePaths = []*tablepb.BasePath{{Id: 1}, {Id: 1}} }},
		{"file of another version", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].FileMinorVersion = 1 }},
		{"file of an unknown version", errs.ErrUnsupported, func(m *tablepb.Manifest) { m.Fragments[0].Files[0].FileMajorVersion = 3 }},
		{"unknown version", errs.ErrUnsupported, func(m *tablepb.Manifest) { m.DataFormat.Version = "2.4" }},
		{"alias of a version", errs.ErrUnsupported, func(m *tablepb.Manifest) { m.DataFormat.Version = "stable" }},
		{"another file format", errs.ErrUnsupported, func(m *tablepb.Manifest) { m.DataFormat.FileFormat = "parquet" }},
		{"row ids missing", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.ReaderFeatureFlags, m.WriterFeatureFlags = 2, 2 }},
		{"index section past the end", errs.ErrCorrupt, func(m *tablepb.Manifest) { m.IndexSection = proto.Uint64(1 << 20) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg := smallest()
			c.change(msg)
			if _, err := parse(frame(t, msg, nil)); !errors.Is(err, c.fault) || !strings.Contains(err.Error(), "_versions/1.manifest") {
				t.Errorf("error %v, want %v", err, c.fault)
			}
		})
	}
}

// TestLenientManifests holds what odd manifests are read all the same.
func TestLenientManifests(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*tablepb.Manifest)
		check  func(*table.Manifest) bool
	}{
		{"a transaction that is not there", func(m *tablepb.Manifest) { m.TransactionSection = proto.Uint64(1 << 40) }, func(m *table.Manifest) bool { return true }},
		{"an id twice: the first field counts", func(m *tablepb.Manifest) {
			m.Fields = append(m.Fields, &filepb.Field{Name: "again", Id: 0, ParentId: -1, LogicalType: "string"})
		}, func(m *table.Manifest) bool { return m.Schema.ByID(0).Name == "id" && len(m.Schema.Fields) == 2 }},
		{"rows not recorded", func(m *tablepb.Manifest) { m.Fragments[0].PhysicalRows = 0 }, func(m *table.Manifest) bool { _, ok := m.Rows(); return !ok }},
		{"format by its files", func(m *tablepb.Manifest) { m.DataFormat = nil }, func(m *table.Manifest) bool { return m.Format == table.Format22 }},
		{"no format and no files", func(m *tablepb.Manifest) { m.DataFormat, m.Fragments = nil, nil }, func(m *table.Manifest) bool { return m.Format == table.FormatLegacy }},
		{"no format, but an old flag", func(m *tablepb.Manifest) { m.DataFormat, m.Fragments, m.WriterFeatureFlags = nil, nil, 4 }, func(m *table.Manifest) bool { return m.Format == table.Format20 }},
		{"files of version 2.0 under its other number", func(m *tablepb.Manifest) {
			m.DataFormat.Version, m.Fragments[0].Files[0].FileMajorVersion, m.Fragments[0].Files[0].FileMinorVersion = "2.0", 0, 3
		}, func(m *table.Manifest) bool { return m.Fragments[0].Files[0].Format == table.Format20 }},
		{"mixed versions", func(m *tablepb.Manifest) {
			m.ReaderFeatureFlags, m.WriterFeatureFlags, m.Fragments[0].Files[0].FileMinorVersion = 256, 256, 1
		}, func(m *table.Manifest) bool {
			return m.Format == table.Format22 && m.Fragments[0].Files[0].Format == table.Format21
		}},
		{"files of version 2.0 in a table that says legacy", func(m *tablepb.Manifest) {
			m.DataFormat.Version, m.Fragments[0].Files[0].FileMajorVersion, m.Fragments[0].Files[0].FileMinorVersion = "0.1", 2, 0
		}, func(m *table.Manifest) bool {
			return m.Format == table.FormatLegacy && m.Fragments[0].Files[0].Format == table.Format20
		}},
		{"rows of a legacy fragment, by a writer without a name", func(m *tablepb.Manifest) {
			m.DataFormat.Version, m.Fragments[0].Files[0].FileMajorVersion, m.Fragments[0].Files[0].FileMinorVersion = "0.1", 0, 2
		}, func(m *table.Manifest) bool { return !m.Fragments[0].HasRowCount() }},
		{"rows of a legacy fragment, by a named writer", func(m *tablepb.Manifest) {
			m.DataFormat.Version, m.Fragments[0].Files[0].FileMajorVersion, m.Fragments[0].Files[0].FileMinorVersion = "0.1", 0, 2
			m.WriterVersion = &tablepb.WriterVersion{Library: "lance", Version: "0.8.1"}
		}, func(m *table.Manifest) bool { return m.Fragments[0].PhysicalRows == 4 }},
		{"superseded columns", func(m *tablepb.Manifest) {
			m.Fragments[0].Files = append(m.Fragments[0].Files, &tablepb.DataFile{Path: "b", Fields: []int32{-2, -2}, ColumnIndices: []int32{0, 1}, FileMajorVersion: 2, FileMinorVersion: 2})
		}, func(m *table.Manifest) bool { f, _, ok := m.Fragments[0].Find(0); return f == 0 && ok }},
		{"a base that is no table", func(m *tablepb.Manifest) {
			m.BasePaths = []*tablepb.BasePath{{Id: 0, Path: "s3://bucket/x"}}
			m.Fragments[0].Files[0].BaseId = proto.Uint32(0)
		}, func(m *table.Manifest) bool {
			l := m.DataFile(m.Fragments[0].Files[0])
			return l.Path == "a.lance" && l.Base.URI == "s3://bucket/x" && l.String() == "base 0: a.lance"
		}},
		{"a base that is a table", func(m *tablepb.Manifest) {
			m.BasePaths = []*tablepb.BasePath{{Id: 7, Path: "s3://bucket/x", IsDatasetRoot: true}}
			m.Fragments[0].DeletionFile = &tablepb.DeletionFile{ReadVersion: 2, Id: 3, NumDeletedRows: 1, BaseId: proto.Uint32(7), FileType: tablepb.DeletionFile_BITMAP}
		}, func(m *table.Manifest) bool {
			l := m.DeletionFile(m.Fragments[0])
			return l.Path == "_deletions/0-2-3.bin" && l.Base.ID == 7
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg := smallest()
			c.change(msg)
			m, err := parse(frame(t, msg, nil))
			if err != nil {
				t.Fatal(err)
			}
			if !c.check(m) {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestLegacyTableOpens(t *testing.T) {
	m, err := table.Open(context.Background(), openStore(t, "legacy.lance"), table.Ref{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Format != table.FormatLegacy || m.Fragments[0].Files[0].Format != table.FormatLegacy {
		t.Errorf("format %s", m.Format)
	}
	if file, column, ok := m.Fragments[0].Find(1); file != 0 || column != -1 || !ok {
		t.Errorf("field 1 in file %d, column %d, %v", file, column, ok)
	}
}

// versionsStore makes a store in memory whose versions folder holds files of these names.
func versionsStore(t *testing.T, files map[string]*tablepb.Manifest) objstore.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "_versions"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, m := range files {
		var b []byte
		if m != nil {
			b = frame(t, m, nil)
		}
		if err := os.WriteFile(filepath.Join(dir, "_versions", name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := objstore.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(version uint64, seconds int64) *tablepb.Manifest {
	m := smallest()
	m.Version, m.Timestamp = version, &timestamppb.Timestamp{Seconds: seconds}
	return m
}

func TestListVersions(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  []uint64
		fault error
	}{
		{"new names", []string{"18446744073709551614.manifest", "18446744073709551605.manifest"}, []uint64{10, 1}, nil},
		{"old names", []string{"1.manifest", "9.manifest", "10.manifest"}, []uint64{10, 9, 1}, nil},
		{"other files", []string{"2.manifest", "latest_version_hint.json", ".tmp-x", "x.manifest", "-1.manifest", "+3.manifest", "4.manifest.tmp", "5.manifes"}, []uint64{2}, nil},
		{"detached", []string{"2.manifest", "d9223372036854775809.manifest"}, []uint64{2}, nil},
		{"both schemes", []string{"1.manifest", "18446744073709551613.manifest"}, nil, errs.ErrCorrupt},
		{"none", []string{"latest_version_hint.json"}, nil, errs.ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := make(map[string]*tablepb.Manifest)
			for _, f := range c.files {
				files[f] = nil
			}
			got, err := table.ListVersions(context.Background(), versionsStore(t, files), "")
			if !errors.Is(err, c.fault) {
				t.Fatalf("error %v, want %v", err, c.fault)
			}
			var versions []uint64
			for _, f := range got {
				versions = append(versions, f.Version)
			}
			if !slices.Equal(versions, c.want) {
				t.Errorf("versions %v, want %v", versions, c.want)
			}
		})
	}
}

func TestAsOf(t *testing.T) {
	// Version 2 carries an earlier time than version 1: clocks differ.
	s := versionsStore(t, map[string]*tablepb.Manifest{"1.manifest": at(1, 100), "2.manifest": at(2, 90), "3.manifest": at(3, 200)})
	for _, c := range []struct {
		seconds int64
		want    uint64
	}{{89, 0}, {90, 2}, {100, 2}, {199, 2}, {200, 3}, {1000, 3}} {
		m, err := table.AsOf(context.Background(), s, "", time.Unix(c.seconds, 0))
		if c.want == 0 {
			if !errors.Is(err, errs.ErrNotFound) {
				t.Errorf("at %d: %v", c.seconds, err)
			}
			continue
		}
		if err != nil || m.Version != c.want {
			t.Errorf("at %d: version %v (%v), want %d", c.seconds, m, err, c.want)
		}
	}
}

// Versions that a clean-up took away may have been the newest at a time between those that are left.
func TestAsOfAfterCleanup(t *testing.T) {
	s := versionsStore(t, map[string]*tablepb.Manifest{"2.manifest": at(2, 100), "3.manifest": at(3, 200), "7.manifest": at(7, 300)})
	for _, c := range []struct {
		seconds int64
		want    uint64
		has     string
	}{
		{99, 0, "the oldest is version 2 of 1970-01-01T00:01:40Z, those before it were cleaned up"},
		{100, 2, ""}, {150, 2, ""}, {200, 3, ""}, {201, 0, "may be one of 4 to 6, which were cleaned up"}, {300, 7, ""}, {900, 7, ""},
	} {
		m, err := table.AsOf(context.Background(), s, "", time.Unix(c.seconds, 0))
		if c.want == 0 {
			if !errors.Is(err, errs.ErrNotFound) || !strings.Contains(err.Error(), c.has) {
				t.Errorf("at %d: %v, want %q", c.seconds, err, c.has)
			}
			continue
		}
		if err != nil || m.Version != c.want {
			t.Errorf("at %d: version %v (%v), want %d", c.seconds, m, err, c.want)
		}
	}
}

func TestManifestOfAnotherVersion(t *testing.T) {
	s := versionsStore(t, map[string]*tablepb.Manifest{"1.manifest": at(7, 0)})
	if _, err := table.Latest(context.Background(), s, ""); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
}

func TestDetachedVersion(t *testing.T) {
	const v = table.DetachedBit | 5
	s := versionsStore(t, map[string]*tablepb.Manifest{"1.manifest": at(1, 0), "d9223372036854775813.manifest": at(v, 0)})
	m, err := table.AtVersion(context.Background(), s, "", v)
	if err != nil || m.Version != v {
		t.Errorf("%v", err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(frame(f, smallest(), nil))
	paths, err := filepath.Glob("testdata/*.lance/_versions/*")
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds")
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 10<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Within(t, messageFactor*uint64(len(b)), func() { readHostile(b) })
	})
}

// messageFactor bounds what a message may take in memory for each of its bytes, with what is made of it: several times the
// bound on the message itself.
const messageFactor = 128

// readHostile reads all that a manifest says.
func readHostile(b []byte) {
	m, err := parse(b)
	if err != nil {
		return
	}
	_ = m.ArrowSchema().String()
	for _, frag := range m.Fragments {
		for _, d := range frag.Files {
			_ = m.DataFile(d)
		}
		if frag.Deletion != nil {
			_ = m.DeletionFile(frag)
		}
		if m.StableRowIDs() {
			_, _ = frag.RowIDs(frag.PhysicalRows)
		}
		_, _ = frag.CreatedAt(frag.PhysicalRows)
		_, _ = frag.UpdatedAt(frag.PhysicalRows)
	}
	for _, x := range m.Indices {
		_, _ = m.IndexFile(x, "page_data.lance")
	}
}
