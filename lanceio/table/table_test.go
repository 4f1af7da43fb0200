package table_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// want is what testdata/make.py wrote down of the tables: what pylance says of them.
type wantTable struct {
	Main     []wantVersion
	Tags     map[string][2]any
	Branches map[string][]wantVersion
}

type wantVersion struct {
	Version   uint64
	Format    string
	Schema    string
	Rows      uint64
	Fragments []wantFragment
}

type wantFragment struct {
	ID, Rows, Deleted uint64
	Files             []struct {
		Path            string
		Fields, Columns []int32
	}
	Live    [][2]uint64 // steps from one live row to the next, with how often each comes
	RowIDs  []uint64    `json:"row_ids"` // of live rows
	Created [][2]uint64 // runs of live rows and their version
	Updated [][2]uint64
}

func readWant(t *testing.T) map[string]wantTable {
	t.Helper()
	b, err := os.ReadFile("testdata/want.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]wantTable
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func openStore(t *testing.T, name string) objstore.Store {
	t.Helper()
	s, err := objstore.NewLocal("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTables reads every version of every table of testdata and compares all with what pylance says.
func TestTables(t *testing.T) {
	for name, want := range readWant(t) {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, name)
			checkVersions(t, s, "", want.Main)
			for branch, versions := range want.Branches {
				checkVersions(t, s, table.BranchDir(branch), versions)
			}
			branches, err := table.ListBranches(context.Background(), s)
			if err != nil || len(branches) != len(want.Branches) {
				t.Errorf("branches %v (%v), want those of %v", branches, err, want.Branches)
			}
			tags, err := table.ListTags(context.Background(), s)
			if err != nil || len(tags) != len(want.Tags) {
				t.Errorf("tags %v (%v), want %v", tags, err, want.Tags)
			}
			for tag, w := range want.Tags {
				got, err := table.ReadTag(context.Background(), s, tag)
				if err != nil || got.Branch != w[0] || float64(got.Version) != w[1] {
					t.Errorf("tag %s: %+v (%v), want %v", tag, got, err, w)
				}
			}
		})
	}
}

func checkVersions(t *testing.T, s objstore.Store, dir string, want []wantVersion) {
	t.Helper()
	ctx := context.Background()
	files, err := table.ListVersions(ctx, s, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(want) {
		t.Fatalf("%q: %d versions, want %d", dir, len(files), len(want))
	}
	for i, w := range want {
		file := files[len(files)-1-i]
		m, err := table.ReadManifest(ctx, s, dir, file)
		if err != nil {
			t.Fatal(err)
		}
		if m.Version != w.Version || string(m.Format) != w.Format {
			t.Errorf("version %d of format %s, want %d of %s", m.Version, m.Format, w.Version, w.Format)
		}
		if got, want := m.ArrowSchema(), arrowSchema(t, w.Schema); !got.Equal(want) || !sameMetadata(got, want) {
			t.Errorf("version %d: schema\n%s\nwant\n%s", m.Version, got, want)
		}
		if rows, ok := m.Rows(); rows != w.Rows || !ok {
			t.Errorf("version %d: %d rows, want %d", m.Version, rows, w.Rows)
		}
		if len(m.Fragments) != len(w.Fragments) {
			t.Fatalf("version %d: %d fragments, want %d", m.Version, len(m.Fragments), len(w.Fragments))
		}
		for i, f := range m.Fragments {
			checkFragment(t, s, m, f, w.Fragments[i])
		}
		again, err := table.AtVersion(ctx, s, dir, m.Version)
		if err != nil || again.Name != m.Name {
			t.Errorf("by number: %v", err)
		}
		at, err := table.AsOf(ctx, s, dir, m.Timestamp)
		if err != nil || at.Version != m.Version {
			t.Errorf("by time: %v", err)
		}
	}
	newest, err := table.Latest(ctx, s, dir)
	if err != nil || newest.Version != want[len(want)-1].Version {
		t.Errorf("newest: %v", err)
	}
}

func arrowSchema(t *testing.T, text string) *arrow.Schema {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	// Types of extensions that this library knows are compared as storage and metadata.
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	fields := slices.Clone(r.Schema().Fields())
	for i := range fields {
		fields[i] = plainField(fields[i])
	}
	md := r.Schema().Metadata()
	return arrow.NewSchema(fields, &md)
}

// plainField turns extension types into storage types with metadata, all the way down.
func plainField(f arrow.Field) arrow.Field {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		f.Type = e.StorageType()
		m := f.Metadata.ToMap()
		m[table.ExtensionName] = e.ExtensionName()
		m["ARROW:extension:metadata"] = e.Serialize()
		f.Metadata = arrow.MetadataFrom(m)
	}
	var kids []arrow.Field
	if n, ok := f.Type.(arrow.NestedType); ok {
		for _, c := range n.Fields() {
			kids = append(kids, plainField(c))
		}
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		f.Type = arrow.StructOf(kids...)
	case *arrow.ListType:
		f.Type = arrow.ListOfField(kids[0])
	case *arrow.LargeListType:
		f.Type = arrow.LargeListOfField(kids[0])
	case *arrow.FixedSizeListType:
		f.Type = arrow.FixedSizeListOfField(t.Len(), kids[0])
	}
	return f
}

func sameMetadata(a, b *arrow.Schema) bool {
	if !a.Metadata().Equal(b.Metadata()) {
		return false
	}
	for i, f := range a.Fields() {
		if !metadataOf(f).Equal(metadataOf(b.Field(i))) {
			return false
		}
	}
	return true
}

// metadataOf is a field's metadata, sorted, for comparison.
func metadataOf(f arrow.Field) arrow.Metadata { return arrow.MetadataFrom(f.Metadata.ToMap()) }

func checkFragment(t *testing.T, s objstore.Store, m *table.Manifest, f *table.Fragment, w wantFragment) {
	t.Helper()
	where := fmt.Sprintf("version %d, fragment %d", m.Version, f.ID)
	if uint64(f.ID) != w.ID || f.PhysicalRows != w.Rows || f.DeletedRows() != w.Deleted || len(f.Files) != len(w.Files) {
		t.Fatalf("%s: %+v, want %+v", where, f, w)
	}
	for i, d := range f.Files {
		if d.Path != w.Files[i].Path || !slices.Equal(d.Fields, w.Files[i].Fields) || !slices.Equal(d.ColumnIndices, w.Files[i].Columns) {
			t.Errorf("%s: file %+v, want %+v", where, d, w.Files[i])
		}
	}
	live := liveRows(w.Live)
	dv := deletions(t, s, m, f)
	var got []uint64
	for start, end := range dv.Live(0, f.PhysicalRows) {
		for row := start; row < end; row++ {
			got = append(got, row)
		}
	}
	if !slices.Equal(got, live) {
		t.Errorf("%s: live rows differ", where)
	}
	if w.RowIDs == nil {
		return
	}
	ids, err := f.RowIDs(f.PhysicalRows)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range live {
		if id := ids.At(row); id != w.RowIDs[i] {
			t.Errorf("%s: row %d has id %d, want %d", where, row, id, w.RowIDs[i])
		}
	}
	created, err1 := f.CreatedAt(f.PhysicalRows)
	updated, err2 := f.UpdatedAt(f.PhysicalRows)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if !slices.Equal(liveVersions(created, dv), liveRuns(w.Created)) || !slices.Equal(liveVersions(updated, dv), liveRuns(w.Updated)) {
		t.Errorf("%s: versions %v and %v, want %v and %v", where, created, updated, w.Created, w.Updated)
	}
}

func liveRows(steps [][2]uint64) []uint64 {
	var out []uint64
	row := ^uint64(0) // the first step goes from row -1
	for _, s := range steps {
		for range s[0] {
			row += s[1]
			out = append(out, row)
		}
	}
	return out
}

func liveRuns(runs [][2]uint64) []uint64 {
	var out []uint64
	for _, r := range runs {
		for range r[0] {
			out = append(out, r[1])
		}
	}
	return out
}

func liveVersions(runs []table.VersionRun, dv *table.DeletionVector) []uint64 {
	var out []uint64
	var row uint64
	for _, r := range runs {
		for range r.Rows {
			if !dv.Deleted(row) {
				out = append(out, r.Version)
			}
			row++
		}
	}
	return out
}

func deletions(t *testing.T, s objstore.Store, m *table.Manifest, f *table.Fragment) *table.DeletionVector {
	t.Helper()
	if f.Deletion == nil {
		return nil
	}
	l := m.DeletionFile(f)
	if l.Base != nil {
		// The base of a branch is the table itself, wherever it lay when the branch was made.
		if !l.Base.IsRoot {
			t.Fatalf("base %+v", l.Base)
		}
	}
	b, _, err := objstore.ReadAll(context.Background(), s, l.Path, table.MaxDeletionFile(f.PhysicalRows))
	if err != nil {
		t.Fatal(err)
	}
	dv, err := table.ParseDeletions(b, f, f.PhysicalRows, l.String())
	if err != nil {
		t.Fatal(err)
	}
	return dv
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		table, ref string
		version    uint64
		branch     string
		fault      error
	}{
		{table: "branches.lance", ref: "", version: 4},
		{table: "branches.lance", ref: "2", version: 2},
		{table: "branches.lance", ref: "main:", version: 4},
		{table: "branches.lance", ref: "main:1", version: 1},
		{table: "branches.lance", ref: "feat/x:", version: 5, branch: "feat/x"},
		{table: "branches.lance", ref: "feat/x:4", version: 4, branch: "feat/x"},
		{table: "branches.lance", ref: "on-branch", version: 5, branch: "feat/x"},
		{table: "branches.lance", ref: "second:", version: 1, branch: "second"},
		{table: "branches.lance", ref: "second:9", fault: errs.ErrNotFound},
		{table: "branches.lance", ref: "third:", fault: errs.ErrNotFound},
		{table: "branches.lance", ref: "feat/x", fault: errs.ErrNotFound},
		{table: "branches.lance", ref: "../x:", fault: errs.ErrInvalidInput},
		{table: "branches.lance", ref: "feat/x:y", fault: errs.ErrInvalidInput},
		{table: "branches.lance", ref: "../../x", fault: errs.ErrNotFound},
		{table: "history.lance", ref: "first-delete", version: 3},
		{table: "history.lance", ref: "v1.0", version: 1},
		{table: "history.lance", ref: "99", fault: errs.ErrNotFound},
		{table: "old_names.lance", ref: "", version: 2},
		{table: "old_names.lance", ref: "1", version: 1},
		{table: "no_such.lance", ref: "", fault: errs.ErrNotFound},
	} {
		t.Run(c.table+"@"+c.ref, func(t *testing.T) {
			ref, err := table.ParseRef(c.ref)
			var m *table.Manifest
			if err == nil {
				m, err = table.Open(context.Background(), openStore(t, c.table), ref)
			}
			if c.fault != nil {
				if !errors.Is(err, c.fault) {
					t.Fatalf("error %v, want %v", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Version != c.version || m.Branch != c.branch {
				t.Errorf("version %d of branch %q, want %d of %q", m.Version, m.Branch, c.version, c.branch)
			}
		})
	}
}

// TestBranchLocations checks where the files of a branch lie: new ones in the branch's folder, inherited ones in the table's.
func TestBranchLocations(t *testing.T) {
	m, err := table.Open(context.Background(), openStore(t, "branches.lance"), table.Ref{Branch: "feat/x"})
	if err != nil {
		t.Fatal(err)
	}
	var own, inherited int
	for _, f := range m.Fragments {
		for _, d := range f.Files {
			l := m.DataFile(d)
			switch {
			case l.Base == nil && strings.HasPrefix(l.Path, "tree/feat/x/data/"):
				own++
			case l.Base != nil && l.Base.IsRoot && strings.HasPrefix(l.Path, "data/"):
				inherited++
			default:
				t.Errorf("file at %+v", l)
			}
			if strings.Contains(l.String(), "branches.lance") {
				t.Errorf("%q tells where the base lies", l)
			}
		}
	}
	if own != 1 || inherited != 2 {
		t.Errorf("%d files of its own and %d inherited ones, want 1 and 2", own, inherited)
	}
	if len(m.BasePaths()) != 1 {
		t.Errorf("base paths %v", m.BasePaths())
	}
}

// TestFind looks up fields of a table whose columns were added, cast and dropped.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		table        string
		path         []string
		file, column int
		found        bool
	}{
		// Files of version 2.0 list structs too, later ones only leaves.
		{"evolved_2.0.lance", []string{"st"}, 0, 1, true},
		{"evolved_2.0.lance", []string{"st", "b", "d"}, 0, 5, true},
		{"evolved_2.0.lance", []string{"m"}, 1, 0, true},
		{"evolved_2.0.lance", []string{"late"}, 0, 0, false},
		{"evolved_2.2.lance", []string{"st"}, 0, 0, false},
		{"evolved_2.2.lance", []string{"st", "a"}, 0, 1, true},
		{"evolved_2.2.lance", []string{"st", "b", "d"}, 0, 3, true},
		{"evolved_2.2.lance", []string{"m"}, 1, 0, true},
		{"evolved_2.2.lance", []string{"late"}, 0, 0, false},
	} {
		t.Run(c.table+"/"+strings.Join(c.path, "."), func(t *testing.T) {
			m, err := table.Open(context.Background(), openStore(t, c.table), table.Ref{})
			if err != nil {
				t.Fatal(err)
			}
			f := m.Schema.Field(c.path[0])
			for _, name := range c.path[1:] {
				i := slices.IndexFunc(f.Children, func(f *table.Field) bool { return f.Name == name })
				f = f.Children[i]
			}
			if !slices.Equal(f.Path(), c.path) || m.Schema.ByID(f.ID) != f {
				t.Errorf("found %v", f.Path())
			}
			file, column, ok := m.Fragments[0].Find(f.ID)
			if file != c.file || column != c.column || ok != c.found {
				t.Errorf("file %d, column %d, %v; want %d, %d, %v", file, column, ok, c.file, c.column, c.found)
			}
		})
	}
	if _, _, ok := (&table.Fragment{Files: []*table.DataFile{{Fields: []int32{-2}, ColumnIndices: []int32{0}}}}).Find(-2); ok {
		t.Error("a field with a negative id was found")
	}
}
