package lanceio_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// inspectWant is what pylance tells of a table.
type inspectWant struct {
	Version  uint64
	Rows     int64
	Format   string
	Versions []struct {
		Version   uint64
		Micros    int64
		Rows      uint64
		Fragments int
	}
	Operations []string // the newest first
	Tags       map[string]uint64
	Fragments  []struct {
		ID, Rows, Deleted uint64
		Files             [][]any // name, bytes, columns
	}
	Columns []wantColumn
	Indices []struct {
		Name, Type string
		Columns    []string
		Rows       int64
	}
}

type wantColumn struct {
	Path    []string
	ID      int32
	Bytes   uint64
	Layouts map[string]int
	Plain   *uint64
}

func inspect(t *testing.T, tab *lanceio.Table) *lanceio.Inspection {
	t.Helper()
	x, err := tab.Inspect(t.Context(), checked(t))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestInspectTellsWhatPylanceTells(t *testing.T) {
	var want map[string]inspectWant
	wantedJSON(t, "inspect", &want)
	if len(want) < 10 {
		t.Fatalf("%d tables", len(want))
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			x := inspect(t, open(t, name))
			if f := x.Faults(); len(f) > 0 {
				t.Error(f)
			}
			if x.Version != w.Version || x.Rows != w.Rows || x.FileVersion != w.Format {
				t.Errorf("version %d of %d rows as %s, want %d of %d as %s", x.Version, x.Rows, x.FileVersion, w.Version, w.Rows, w.Format)
			}
			compareHistory(t, x, w)
			compareFragments(t, x, w)
			compareColumns(t, x, w)
			compareIndices(t, x, w)
		})
	}
}

func compareHistory(t *testing.T, x *lanceio.Inspection, w inspectWant) {
	t.Helper()
	if len(x.Versions) != len(w.Versions) || len(w.Operations) != len(w.Versions) {
		t.Fatalf("%d versions, want %d with %d operations", len(x.Versions), len(w.Versions), len(w.Operations))
	}
	slices.Reverse(w.Versions)
	for i, v := range x.Versions {
		e := w.Versions[i]
		operation := w.Operations[i]
		if operation == "BaseOperation" { // one that pylance has no class for
			operation = v.Operation
		}
		off := v.Time.UnixMicro() - e.Micros // Python's times are floating-point
		if v.Version != e.Version || off < -1 || off > 1 || v.Rows != e.Rows || v.Fragments != e.Fragments || v.Operation == "" || v.Operation != operation || !v.Summary {
			t.Errorf("%+v, want %+v by %s", v, e, w.Operations[i])
		}
	}
	if len(x.Tags) != len(w.Tags) {
		t.Errorf("tags %v, want %v", x.Tags, w.Tags)
	}
	for _, tag := range x.Tags {
		if w.Tags[tag.Name] != tag.Version {
			t.Errorf("tag %+v, want %v", tag, w.Tags)
		}
	}
}

func compareFragments(t *testing.T, x *lanceio.Inspection, w inspectWant) {
	t.Helper()
	if len(x.Fragments) != len(w.Fragments) {
		t.Fatalf("%d fragments, want %d", len(x.Fragments), len(w.Fragments))
	}
	for i, f := range x.Fragments {
		e := w.Fragments[i]
		if uint64(f.ID) != e.ID || f.Rows != e.Rows || f.DeletedRows != e.Deleted || (f.Deletions != "") != (e.Deleted > 0) || len(f.Files) != len(e.Files) {
			t.Errorf("%+v, want %+v", f, e)
			continue
		}
		for k, d := range f.Files {
			if file := e.Files[k]; d.Path != "data/"+file[0].(string) || float64(d.Bytes) != file[1] || float64(d.Columns) != file[2] || d.FileVersion != w.Format {
				t.Errorf("%+v, want %v", d, file)
			}
		}
	}
}

var layoutNames = map[string]string{"MiniBlock": "mini-block(", "Constant": "constant", "FullZip": "full-zip("}

func compareColumns(t *testing.T, x *lanceio.Inspection, w inspectWant) {
	t.Helper()
	leaves := 0
	for _, c := range x.Columns {
		if !c.Leaf {
			continue
		}
		leaves++
		i := slices.IndexFunc(w.Columns, func(e wantColumn) bool { return slices.Equal(e.Path, c.Path) })
		if i < 0 {
			t.Errorf("column %v", c.Path)
			continue
		}
		e := w.Columns[i]
		if c.ID != e.ID || c.Bytes != e.Bytes {
			t.Errorf("column %v: id %d, %d bytes; want id %d, %d bytes", c.Path, c.ID, c.Bytes, e.ID, e.Bytes)
		}
		if kind := map[bool]string{true: lanceio.PlainExact, false: lanceio.PlainUnknown}[e.Plain != nil]; c.PlainKind != kind || e.Plain != nil && c.PlainBytes != *e.Plain {
			t.Errorf("column %v: plain %d (%s), want %v", c.Path, c.PlainBytes, c.PlainKind, e.Plain)
		}
		for layout, n := range e.Layouts {
			got := 0
			for text, k := range c.Encodings {
				if strings.HasPrefix(text, layoutNames[layout]) {
					got += k
				}
			}
			if got != n {
				t.Errorf("column %v: encodings %v, want %d of %s", c.Path, c.Encodings, n, layout)
			}
		}
	}
	if leaves != len(w.Columns) {
		t.Errorf("%d leaves, want %d", leaves, len(w.Columns))
	}
}

func compareIndices(t *testing.T, x *lanceio.Inspection, w inspectWant) {
	t.Helper()
	if len(x.Indices) != len(w.Indices) {
		t.Fatalf("%d indices, want %d", len(x.Indices), len(w.Indices))
	}
	got := slices.SortedFunc(slices.Values(x.Indices), func(a, b lanceio.IndexInfo) int { return strings.Compare(a.Name, b.Name) })
	for i, ix := range got {
		e := w.Indices[i]
		if ix.Name != e.Name || ix.Type != e.Type || ix.Rows != e.Rows || len(ix.Columns) != 1 || expr.FieldPath(ix.Columns[0]).Key() != e.Columns[0] {
			t.Errorf("%+v, want %+v", ix, e)
		}
	}
}

// Of four rows two have a min and a max, one lacks the variable, one holds only NaN; of seven in three fragments, two lie
// in one without the variable, two in one without stats.
func TestInspectStats(t *testing.T) {
	for name, want := range map[string]lanceio.StatsInfo{
		"worked":  {Fragments: 1, StatsFragments: 1, Rows: 4, BoundRows: 2, EmptyRows: 1, LackingRows: 1},
		"history": {Fragments: 2, StatsFragments: 1, Rows: 5, BoundRows: 2, LackingRows: 1},
	} {
		t.Run(name, func(t *testing.T) {
			x := inspect(t, open(t, name))
			want.Variable, want.Type, want.Column, want.Usable = "lat", "float64", "__stats__:lat", true
			if len(x.Stats) != 1 || x.Stats[0] != want {
				t.Errorf("%+v, want %+v", x.Stats, want)
			}
		})
	}
}

// Legacy files have no bytes but the values: 20 numbers of 8 bytes, as many texts of 2 whose places are 11 and 9 numbers
// with one more in each file, structs of 12 bytes, lists with an offset more in each file and two numbers of 2 bytes.
func TestInspectLegacy(t *testing.T) {
	x := inspect(t, open(t, "old"))
	want := map[string][2]uint64{"id": {160, 160}, "s": {8 * 22, 40}, "p": {240, 240}, "l": {4 * 22, 0}, "l.item": {80, 80}}
	if len(x.Columns) != len(want) || len(x.Faults()) > 0 || x.Rows != 20 || x.FileVersion != "0.1" {
		t.Errorf("%+v", x)
	}
	for _, c := range x.Columns {
		if w := want[expr.FieldPath(c.Path).Key()]; c.Bytes != w[0] || c.PlainBytes != w[1] || c.PlainKind != lanceio.PlainExact || len(c.Encodings) != 1 {
			t.Errorf("%+v, want %v", c, w)
		}
	}
}

func TestInspectAnOlderVersion(t *testing.T) {
	x := inspect(t, open(t, "indexed", lanceio.AtVersion(3)))
	if x.Version != 3 || x.Rows != 60 || len(x.Fragments) != 2 || len(x.Indices) != 2 || len(x.Versions) != 6 {
		t.Errorf("version %d: %d rows, %d fragments, %d indices, %d versions", x.Version, x.Rows, len(x.Fragments), len(x.Indices), len(x.Versions))
	}
}

// memTable copies a table into memory.
func memTable(t *testing.T, name string) (*objstore.Mem, []string) {
	t.Helper()
	mem := objstore.NewMem()
	var data []string
	root := tableURI(name)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if strings.HasPrefix(rel, "data/") {
			data = append(data, rel)
		}
		return mem.Put(rel, b)
	})
	if err != nil {
		t.Fatal(err)
	}
	return mem, data
}

// A file that can't be read is told of where it stands; all else is there.
func TestInspectWithAFaultyFile(t *testing.T) {
	spoil := map[string]func(mem *objstore.Mem, name string, b []byte){
		"missing": func(mem *objstore.Mem, name string, _ []byte) { mem.Delete(name) },
		"no footer": func(mem *objstore.Mem, name string, b []byte) {
			_ = mem.Put(name, append(slices.Clone(b[:len(b)-4]), "LOST"...))
		},
		"column metadata": func(mem *objstore.Mem, name string, b []byte) {
			b = slices.Clone(b)
			b[footerOf(b).columns] ^= 0xFF
			_ = mem.Put(name, b)
		},
	}
	for what, f := range spoil {
		t.Run(what, func(t *testing.T) {
			mem, data := memTable(t, "indexed")
			whole := inspect(t, open(t, "indexed", lanceio.WithStore(mem)))
			b, _, err := objstore.ReadAll(t.Context(), mem, data[1], 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			f(mem, data[1], b)
			x := inspect(t, open(t, "indexed", lanceio.WithStore(mem)))
			faulty := 0
			for i, fr := range x.Fragments {
				switch d := fr.Files[0]; {
				case d.Path == data[1]:
					faulty++
					if !strings.Contains(d.Error, data[1]) || strings.Contains(d.Error, "/testdata") {
						t.Errorf("error %q", d.Error)
					}
				case d.Error != "" || d.Columns != whole.Fragments[i].Files[0].Columns:
					t.Errorf("file %+v", d)
				}
			}
			if faulty != 1 || len(x.Faults()) != 1 {
				t.Errorf("%d faulty files, faults %q", faulty, x.Faults())
			}
			id := x.Columns[0]
			if want := map[bool]int{true: 3, false: 2}[what == "column metadata"]; id.Error != "" || id.Pages != want && what != "column metadata" || x.Columns[1].Pages < 2 || x.Columns[1].PlainKind != lanceio.PlainExact {
				t.Errorf("columns %+v", x.Columns)
			}
			if len(x.Versions) != 6 || len(x.Indices) != 3 {
				t.Errorf("%d versions, %d indices", len(x.Versions), len(x.Indices))
			}
		})
	}
}

// place is where a file's footer says things are.
type place struct{ columns uint64 }

func footerOf(b []byte) place {
	var p place
	for i := range 8 {
		p.columns |= uint64(b[len(b)-40+i]) << (8 * i)
	}
	return p
}

// A page that says nothing that is known is told of with its column and number.
func TestInspectWithAFaultyPage(t *testing.T) {
	mem, data := memTable(t, "indexed")
	b, _, err := objstore.ReadAll(t.Context(), mem, data[0], 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	b = slices.Clone(b)
	// The first column's metadata: the page's description is made one of a type that is not known.
	at := strings.Index(string(b), "lance.encodings21.PageLayout")
	if at < 0 {
		t.Fatal("no description found")
	}
	b[at] = 'L'
	_ = mem.Put(data[0], b)
	x := inspect(t, open(t, "indexed", lanceio.WithStore(mem)))
	for _, f := range x.Fragments {
		if f.Files[0].Path == data[0] && (!strings.Contains(f.Files[0].Error, "column id, page 0") || f.Files[0].Columns != 3) {
			t.Errorf("%+v", f.Files[0])
		}
	}
	if x.Columns[0].Pages != 3 || x.Columns[0].Encodings["mini-block(flat)"] != 2 {
		t.Errorf("%+v", x.Columns[0])
	}
}

func TestInspectWithAFaultyManifest(t *testing.T) {
	mem, _ := memTable(t, "indexed")
	const third = "_versions/18446744073709551612.manifest"
	if err := mem.Put(third, []byte("short")); err != nil {
		t.Fatal(err)
	}
	x := inspect(t, open(t, "indexed", lanceio.WithStore(mem)))
	for _, v := range x.Versions {
		if (v.Version == 3) != (v.Error != "") {
			t.Errorf("%+v", v)
		}
	}
	if len(x.Versions) != 6 || x.Rows != 75 {
		t.Errorf("%d versions, %d rows", len(x.Versions), x.Rows)
	}
}

func TestInspectEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tab := open(t, "indexed")
	cancel()
	if _, err := tab.Inspect(ctx, checked(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestInspectNoTable(t *testing.T) {
	if _, err := lanceio.Open(t.Context(), tableURI("nothing")); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
