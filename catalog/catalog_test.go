package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// tables are those of lanceio's tests: history has the versions 1 to 5, of 2, 2, 4, 4, and 7 rows.
var tables = filepath.Join("..", "lanceio", "testdata", "tables")

// put copies a table of lanceio's tests to a place in a folder.
func put(t *testing.T, root, at, table string) string {
	t.Helper()
	dir := filepath.Join(root, filepath.FromSlash(at))
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(tables, table))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write makes a file with its folders.
func write(t *testing.T, text string, parts ...string) {
	t.Helper()
	file := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, roots ...catalog.Root) *catalog.Catalog {
	t.Helper()
	c, err := catalog.New(context.Background(), roots, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ref(parts ...string) scan.TableRef {
	r := scan.TableRef{Table: parts[len(parts)-1]}
	if len(parts) > 1 {
		r.Schema = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		r.Catalog = parts[0]
	}
	name, version, _ := strings.Cut(r.Table, "@")
	r.Table, r.Version = name, version
	return r
}

func TestNames(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	put(t, root, "history.lance", "history.lance")
	put(t, root, "Worked.lance", "worked.lance")
	put(t, root, "geo/sizes.lance", "sizes.lance")
	put(t, root, "geo/dup.lance", "worked.lance")
	put(t, root, "geo/DUP.lance", "worked.lance")
	put(t, root, "Odd Name/x.y.lance", "worked.lance")
	put(t, root, "twice.lance", "worked.lance")
	put(t, root, "main/twice.lance", "worked.lance")
	put(t, root, "main/inmain.lance", "worked.lance")
	put(t, root, "geo/deeper/no.lance", "worked.lance")
	put(t, root, ".hidden.lance", "worked.lance")
	put(t, root, ".hidden/t.lance", "worked.lance")
	write(t, "", root, "file.lance")
	write(t, "", root, "notes", "readme.txt")
	put(t, other, "stable.lance", "stable.lance")
	c := open(t, catalog.Root{URI: root}, catalog.Root{Name: "other", URI: "file://" + other}, catalog.Root{Name: "one", URI: filepath.Join(other, "stable.lance")})

	for _, tc := range []struct {
		name string
		ref  scan.TableRef
		want string // the source's name
		kind error
		text string // in the error
	}{
		{name: "defaults", ref: ref("history"), want: "lance.main.history"},
		{name: "full name", ref: ref("lance", "main", "history"), want: "lance.main.history"},
		{name: "schema of a folder", ref: ref("geo", "sizes"), want: "lance.geo.sizes"},
		{name: "another case", ref: ref("LANCE", "GEO", "Sizes"), want: "lance.geo.sizes"},
		{name: "another case in the root", ref: ref("worked"), want: "lance.main.Worked"},
		{name: "names with dots and blanks", ref: ref("Odd Name", "x.y"), want: `lance.Odd Name."x.y"`},
		{name: "a folder named main", ref: ref("inmain"), want: "lance.main.inmain"},
		{name: "exact before another case", ref: ref("geo", "DUP"), want: "lance.geo.DUP"},
		{name: "second catalog", ref: ref("other", "", "stable"), want: "other.main.stable"},
		{name: "catalog and table", ref: scan.TableRef{Catalog: "lance", Schema: "Other", Table: "stable", TwoParts: true}, want: "other.main.stable"},
		{name: "a schema before a catalog", ref: scan.TableRef{Catalog: "lance", Schema: "geo", Table: "sizes", TwoParts: true}, want: "lance.geo.sizes"},
		{name: "catalog in a schema's place", ref: ref("lance", "other", "stable"), kind: errs.ErrNotFound, text: "catalog lance has no schema other"},
		{name: "unknown table of a catalog", ref: scan.TableRef{Catalog: "lance", Schema: "other", Table: "stabel", TwoParts: true}, kind: errs.ErrNotFound,
			text: "there is no table stabel in other.main; near it: stable"},
		{name: "a table as root", ref: ref("one", "main", "STABLE"), want: "one.main.stable"},

		{name: "ambiguous case", ref: ref("geo", "Dup"), kind: errs.ErrInvalidInput, text: "table Dup is ambiguous: there are DUP and dup"},
		{name: "there twice", ref: ref("twice"), kind: errs.ErrInvalidInput, text: "table lance.main.twice is there twice: as twice.lance and as main/twice.lance"},
		{name: "unknown catalog", ref: ref("lanze", "main", "history"), kind: errs.ErrNotFound, text: "there is no catalog lanze; there are lance, other, one"},
		{name: "unknown schema", ref: ref("sea", "sizes"), kind: errs.ErrNotFound, text: "catalog lance has no schema sea"},
		{name: "near schema", ref: ref("geos", "x"), kind: errs.ErrNotFound, text: "catalog lance has no schema geos; near it: geo"},
		{name: "near table", ref: ref("histroy"), kind: errs.ErrNotFound, text: "there is no table histroy in lance.main; near it: history"},
		{name: "table of another schema", ref: ref("sizes"), kind: errs.ErrNotFound, text: "there is no table sizes in lance.main; there is lance.geo.sizes"},
		{name: "deeper folders", ref: ref("geo/deeper", "no"), kind: errs.ErrNotFound},
		{name: "out of the root", ref: ref("geo", "../history"), kind: errs.ErrNotFound},
		{name: "by a slash", ref: ref("geo/sizes"), kind: errs.ErrNotFound},
		{name: "hidden table", ref: ref(".hidden"), kind: errs.ErrNotFound},
		{name: "hidden schema", ref: ref(".hidden", "t"), kind: errs.ErrNotFound},
		{name: "a file is no table", ref: ref("file"), kind: errs.ErrNotFound},
		{name: "a table is no schema", ref: ref("history.lance", "data"), kind: errs.ErrNotFound},
		{name: "empty name", ref: ref(""), kind: errs.ErrNotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, err := c.Resolve(context.Background(), tc.ref)
			if tc.kind != nil {
				if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) {
					t.Fatalf("got %v", err)
				}
				if strings.Contains(err.Error(), root) {
					t.Fatalf("a path of the server in %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if src.Name() != tc.want {
				t.Errorf("got %s, want %s", src.Name(), tc.want)
			}
		})
	}

	t.Run("listing", func(t *testing.T) {
		schemas, err := c.Schemas(context.Background(), "")
		if want := []string{"Odd Name", "geo", "main"}; err != nil || !slices.Equal(schemas, want) {
			t.Errorf("schemas %q, want %q; %v", schemas, want, err)
		}
		names, err := c.Tables(context.Background(), "", "")
		if want := []string{"Worked", "history", "inmain", "twice"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("tables of main %q, want %q; %v", names, want, err)
		}
		names, err = c.Tables(context.Background(), "lance", "geo")
		if want := []string{"DUP", "dup", "sizes"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("tables of geo %q, want %q; %v", names, want, err)
		}
		names, err = c.Tables(context.Background(), "one", "main")
		if want := []string{"stable"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("tables of a root that is a table %q, want %q; %v", names, want, err)
		}
		if _, err := c.Tables(context.Background(), "", "no"); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("tables of an unknown schema: %v", err)
		}
	})
}

func TestVersions(t *testing.T) {
	root := t.TempDir()
	dir := put(t, root, "history.lance", "history.lance")
	// A tag at version 3, and a branch with versions 1 and 2.
	write(t, `{"branch":null,"version":3,"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z","manifestSize":1,"metadata":{}}`,
		dir, "_refs", "tags", "v-three.json")
	for _, name := range []string{"18446744073709551614.manifest", "18446744073709551613.manifest"} {
		data, err := os.ReadFile(filepath.Join(dir, "_versions", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, string(data), dir, "tree", "dev", "_versions", name)
	}
	c := open(t, catalog.Root{URI: root})
	third, err := c.Resolve(context.Background(), ref("history@3"))
	if err != nil {
		t.Fatal(err)
	}
	asOf := func(d time.Duration) scan.TableRef {
		at := third.(interface{ Timestamp() time.Time }).Timestamp().Add(d).UnixMicro()
		return scan.TableRef{Table: "history", AsOf: &at}
	}
	for _, tc := range []struct {
		name    string
		ref     scan.TableRef
		version uint64
		rows    int64
		kind    error
		text    string // in the error
	}{
		{name: "newest", ref: ref("history"), version: 5, rows: 7},
		{name: "number", ref: ref("history@1"), version: 1, rows: 2},
		{name: "tag", ref: ref("history@v-three"), version: 3, rows: 4},
		{name: "branch's newest", ref: ref("history@dev:"), version: 2, rows: 2},
		{name: "branch's version", ref: ref("history@dev:1"), version: 1, rows: 2},
		{name: "at its own time", ref: asOf(time.Microsecond), version: 3, rows: 4},
		{name: "just before", ref: asOf(-time.Microsecond), version: 2, rows: 2},
		{name: "before the first", ref: asOf(-24 * 365 * time.Hour), kind: errs.ErrNotFound},
		{name: "unknown number", ref: ref("history@99"), kind: errs.ErrNotFound, text: "version 99 does not exist"},
		{name: "unknown tag", ref: ref("history@nope"), kind: errs.ErrNotFound, text: `there is no tag "nope"; there are v-three`},
		{name: "unknown branch", ref: ref("history@nope:"), kind: errs.ErrNotFound, text: `there is no branch "nope"`},
		{name: "version of an unknown branch", ref: ref("history@nope:1"), kind: errs.ErrNotFound, text: `there is no branch "nope"`},
		{name: "unknown version of a branch", ref: ref("history@dev:5"), kind: errs.ErrNotFound, text: "branch dev: version 5 does not exist"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, err := c.Resolve(context.Background(), tc.ref)
			if tc.kind != nil {
				if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), root) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if src.Version() != tc.version || src.Rows() != tc.rows {
				t.Errorf("version %d of %d rows, want %d of %d", src.Version(), src.Rows(), tc.version, tc.rows)
			}
		})
	}
}

func resolve(t *testing.T, r interface {
	Resolve(context.Context, scan.TableRef) (scan.Source, error)
}, name scan.TableRef) scan.Source {
	t.Helper()
	src, err := r.Resolve(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestSnapshot: a statement keeps the version of its first look at a table, the next statement sees the newer one.
func TestSnapshot(t *testing.T) {
	root := t.TempDir()
	dir := put(t, root, "t.lance", "history.lance")
	newest := filepath.Join(dir, "_versions", "18446744073709551610.manifest")
	data, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(newest); err != nil {
		t.Fatal(err)
	}
	c := open(t, catalog.Root{URI: root})
	first := c.Snapshot()
	a := resolve(t, first, ref("t"))
	write(t, string(data), newest)
	if b := resolve(t, first, ref("main", "T")); b != a {
		t.Errorf("the same statement saw version %d after %d", b.Version(), a.Version())
	}
	if old := resolve(t, first, ref("t@1")); old.Version() != 1 {
		t.Errorf("t@1 gave version %d", old.Version())
	}
	if b := resolve(t, c.Snapshot(), ref("t")); a.Version() != 4 || b.Version() != 5 {
		t.Errorf("versions %d, then %d; want 4, then 5", a.Version(), b.Version())
	}
}

// TestChanges: tables that appear, vanish, or are removed and made anew under the same version number are seen at once.
func TestChanges(t *testing.T) {
	root := t.TempDir()
	c := open(t, catalog.Root{URI: root})
	names, err := c.Tables(context.Background(), "", "")
	if err != nil || len(names) != 0 {
		t.Fatalf("an empty folder has %q, %v", names, err)
	}
	put(t, root, "t.lance", "worked.lance")
	if src := resolve(t, c, ref("t")); src.Rows() != 4 || src.Version() != 1 {
		t.Fatalf("version %d of %d rows", src.Version(), src.Rows())
	}
	if err := os.RemoveAll(filepath.Join(root, "t.lance")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve(context.Background(), ref("t")); !errors.Is(err, errs.ErrNotFound) {
		t.Fatalf("a removed table: %v", err)
	}
	put(t, root, "t.lance", "history.lance")
	for v := 2; v <= 5; v++ { // leaves version 1, as the other table had
		if err := os.Remove(filepath.Join(root, "t.lance", "_versions", []string{"18446744073709551613.manifest", "18446744073709551612.manifest",
			"18446744073709551611.manifest", "18446744073709551610.manifest"}[v-2])); err != nil {
			t.Fatal(err)
		}
	}
	if src := resolve(t, c, ref("t")); src.Rows() != 2 || src.Version() != 1 {
		t.Errorf("the table made anew: version %d of %d rows, want 1 of 2", src.Version(), src.Rows())
	}
}

// TestBroken: a table that can't be read hides no other, and fails only when it is used.
func TestBroken(t *testing.T) {
	root := t.TempDir()
	put(t, root, "good.lance", "worked.lance")
	write(t, "no manifest", put(t, root, "broken.lance", "worked.lance"), "_versions", "18446744073709551613.manifest")
	if err := os.MkdirAll(filepath.Join(root, "empty.lance"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := open(t, catalog.Root{URI: root})
	names, err := c.Tables(context.Background(), "", "")
	if want := []string{"broken", "empty", "good"}; err != nil || !slices.Equal(names, want) {
		t.Fatalf("tables %q, want %q; %v", names, want, err)
	}
	resolve(t, c, ref("good"))
	if _, err := c.Resolve(context.Background(), ref("empty")); err == nil || !strings.Contains(err.Error(), "table lance.main.empty: its folder is there, but holds no version") {
		t.Errorf("a folder without a version: %v", err)
	}
	for name, kind := range map[string]error{"broken": errs.ErrCorrupt, "empty": errs.ErrNotFound} {
		if _, err := c.Resolve(context.Background(), ref(name)); !errors.Is(err, kind) || strings.Contains(err.Error(), root) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRoots(t *testing.T) {
	dir := t.TempDir()
	if _, err := catalog.New(context.Background(), []catalog.Root{{URI: dir}, {Name: "LANCE", URI: dir}}, catalog.Options{}); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("two catalogs of one name: %v", err)
	}
	put(t, dir, "plain", "worked.lance") // a table's folder without the suffix
	c := open(t, catalog.Root{URI: filepath.Join(dir, "plain")}, catalog.Root{Name: "gone", URI: filepath.Join(dir, "not", "there")})
	if src := resolve(t, c, ref("plain")); src.Rows() != 4 {
		t.Errorf("%d rows", src.Rows())
	}
	if names, err := c.Tables(context.Background(), "gone", ""); err != nil || len(names) != 0 {
		t.Errorf("a root that is not there yet: %q, %v", names, err)
	}
}
