package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// demo is the folder of the demo tables.
var demo = filepath.Join("..", "testdata", "demo")

func openDemo(t *testing.T) *catalog.Catalog {
	t.Helper()
	root := t.TempDir()
	for at, table := range map[string]string{"worked.lance": "worked.lance", "geo/Sst.lance": "sst.lance", "events.lance": "events.lance", "own$cells.lance": "events.lance",
		"own.lance": "worked.lance"} {
		if err := os.CopyFS(filepath.Join(root, filepath.FromSlash(at)), os.DirFS(filepath.Join(demo, table))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "SELECT 1 AS one", root, "seen.view.sql")
	return open(t, catalog.Root{URI: root})
}

func TestCellsByName(t *testing.T) {
	c := openDemo(t)
	at := func(table, version string) scan.TableRef { return scan.TableRef{Table: table, Version: version} }
	for _, tc := range []struct {
		name string
		ref  scan.TableRef
		want string // the full name, or empty for an error
		kind error
	}{
		{"a table", at("worked$cells", ""), "lance.main.worked$cells", nil},
		{"in other case", at("WORKED$Cells", ""), "lance.main.worked$cells", nil},
		{"of a schema", scan.TableRef{Schema: "geo", Table: "sst$cells"}, "lance.geo.Sst$cells", nil},
		{"a version", at("worked$cells", "1"), "lance.main.worked$cells", nil},
		{"behind a version", at("worked", "1$cells"), "lance.main.worked$cells", nil},
		{"a table of that name goes first", at("own$cells", ""), "lance.main.own$cells", nil},
		{"no such table", at("nope$cells", ""), "", errs.ErrNotFound},
		{"no such version", at("worked$cells", "9"), "", errs.ErrNotFound},
		{"a table without variables", at("events$cells", ""), "", errs.ErrNotFound},
		{"a view", at("seen$cells", ""), "", errs.ErrNotFound},
		{"the suffix alone", at("$cells", ""), "", errs.ErrNotFound},
		{"some variables", scan.TableRef{Table: "worked", About: scan.AboutCells([]string{"lat"})}, "lance.main.worked$cells", nil},
		{"variables that are not there", scan.TableRef{Table: "worked", About: scan.AboutCells([]string{"lat", "nope"})}, "", errs.ErrNotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, err := c.Snapshot().Resolve(context.Background(), tc.ref)
			if tc.want == "" {
				if !errors.Is(err, tc.kind) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if src.Name() != tc.want {
				t.Errorf("got %s, want %s", src.Name(), tc.want)
			}
			isTable := len(src.Schema().FieldIndices("lat")) == 0
			if isTable != (tc.ref.Table == "own$cells") {
				t.Errorf("columns %v", src.Schema())
			}
		})
	}
}

func TestListingCells(t *testing.T) {
	c := openDemo(t)
	for _, tc := range []struct {
		name   string
		c      *catalog.Catalog
		schema string
		want   []string
	}{
		{"not", c, "main", []string{"seen"}},
		{"listed", c.Shown(true, nil), "main", []string{"seen", "worked$cells"}},
		{"of a schema", c.Shown(true, nil), "geo", []string{"Sst$cells"}},
	} {
		views, err := tc.c.Views(context.Background(), "lance", tc.schema, allNames)
		if err != nil || !slices.Equal(views, tc.want) {
			t.Errorf("%s: %q, %v, want %q", tc.name, views, err, tc.want)
		}
	}
	tables, err := c.Shown(true, nil).Tables(context.Background(), "lance", "main")
	if err != nil || !slices.Equal(tables, []string{"events", "own", "own$cells", "worked"}) {
		t.Errorf("tables %q, %v", tables, err)
	}
}

func allNames(names []string) []string { return names }
