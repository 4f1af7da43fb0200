package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/scan"
)

// viewText resolves a view and gives its text.
func viewText(t *testing.T, c *catalog.Catalog, parts ...string) string {
	t.Helper()
	src, err := c.Snapshot().Resolve(context.Background(), ref(parts...))
	if err != nil {
		t.Fatal(err)
	}
	v, ok := src.(*scan.View)
	if !ok {
		t.Fatalf("%s is a %T", src.Name(), src)
	}
	return v.Query
}

func TestViewFiles(t *testing.T) {
	root := t.TempDir()
	put(t, root, "history.lance", "history.lance")
	write(t, "SELECT 1", root, "one.view.sql")
	write(t, "SELECT 2", root, "geo", "Two.view.sql") // the folder is a schema by its view alone
	write(t, "SELECT 3", root, "main", "three.view.sql")
	write(t, strings.Repeat(" ", 256<<10+1), root, "long.view.sql")
	write(t, "SELECT '\xff'", root, "bytes.view.sql")
	write(t, "SELECT 4", root, ".hidden.view.sql")
	write(t, "SELECT 5", root, ".view.sql")
	if err := os.Mkdir(filepath.Join(root, "folder.view.sql"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := open(t, catalog.Root{URI: root})
	for name, want := range map[string]string{"one": "SELECT 1", "ONE": "SELECT 1", "three": "SELECT 3"} {
		if got := viewText(t, c, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := viewText(t, c, "lance", "GEO", "two"); got != "SELECT 2" {
		t.Errorf("geo.two: %q", got)
	}
	views, err := c.Views(context.Background(), "lance", "main", allNames)
	if err != nil || !slices.Equal(views, []string{"bytes", "long", "one", "three"}) {
		t.Errorf("views %q, %v", views, err)
	}
	tables, err := c.Tables(context.Background(), "lance", "main")
	if err != nil || !slices.Equal(tables, []string{"history"}) {
		t.Errorf("tables %q, %v", tables, err)
	}
	for name, want := range map[string]string{"long": "at most 262144", "bytes": "UTF-8", "hidden": "no table", ".hidden": "no table", "folder": "no table", "onne": "one"} {
		_, err := c.Snapshot().Resolve(context.Background(), ref(name))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), root) {
			t.Errorf("%s: %v", name, err)
		}
	}
	write(t, "SELECT 10", root, "one.view.sql")
	if got := viewText(t, c, "one"); got != "SELECT 10" {
		t.Errorf("after a change: %q", got)
	}
	put(t, root, "one.lance", "history.lance")
	if _, err := c.Snapshot().Resolve(context.Background(), ref("one")); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("a table and a view of one name: %v", err)
	}
}

func TestViewsInInformationSchema(t *testing.T) {
	root := t.TempDir()
	put(t, root, "history.lance", "history.lance")
	write(t, "SELECT 1 AS a", root, "good.view.sql")
	write(t, "SELECT", root, "bad.view.sql")
	write(t, "\xff", root, "worse.view.sql")
	c, err := catalog.New(context.Background(), []catalog.Root{{URI: root}}, catalog.Options{
		ViewSchema: func(_ context.Context, v *scan.View) (*arrow.Schema, error) {
			if v.Name() != "lance.main.good" {
				return nil, errs.Invalidf("no query")
			}
			return arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}}, nil), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		table string
		cols  []string
		want  []string
	}{
		{"tables", []string{"table_name", "table_type"}, []string{"bad VIEW", "good VIEW", "history BASE TABLE", "worse VIEW"}},
		{"views", []string{"table_name", "view_definition"}, []string{"bad SELECT", "good SELECT 1 AS a", "worse -"}},
		{"columns", []string{"table_name", "column_name"}, []string{"good a", "history id", "history lat"}},
	} {
		if got := texts(t, resolve(t, c.Snapshot(), ref("information_schema", tc.table)), nil, tc.cols...); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.table, got, tc.want)
		}
	}
}

func TestCreateAndDropView(t *testing.T) {
	root := t.TempDir()
	put(t, root, "history.lance", "history.lance")
	put(t, root, "geo/history.lance", "history.lance")
	c := open(t, catalog.Root{URI: root}, catalog.Root{Name: "one", URI: filepath.Join(root, "history.lance")})
	view := func(schema, name, text string) scan.View {
		return scan.View{Ref: scan.TableRef{Catalog: "lance", Schema: schema, Table: name}, Query: text}
	}
	for _, tc := range []struct {
		name          string
		v             scan.View
		replace, keep bool
		made          bool
		err           error
		text          string // what the view holds then
	}{
		{name: "new", v: view("main", "v", "SELECT 1"), made: true, text: "SELECT 1"},
		{name: "there", v: view("main", "v", "SELECT 2"), err: errs.ErrAlreadyExists, text: "SELECT 1"},
		{name: "there, other case", v: view("main", "V", "SELECT 2"), err: errs.ErrAlreadyExists},
		{name: "kept", v: view("main", "v", "SELECT 2"), keep: true, text: "SELECT 1"},
		{name: "replaced", v: view("main", "V", "SELECT 3"), replace: true, made: true, text: "SELECT 3"},
		{name: "in a schema", v: view("GEO", "v", "SELECT 4"), made: true, text: "SELECT 4"},
		{name: "over a table", v: view("main", "history", "SELECT 1"), replace: true, err: errs.ErrAlreadyExists},
		{name: "over a table, kept", v: view("main", "History", "SELECT 1"), keep: true, err: errs.ErrAlreadyExists},
		{name: "no such schema", v: view("nope", "v", "SELECT 1"), err: errs.ErrNotFound},
		{name: "up and out", v: view("main", "../v", "SELECT 1"), err: errs.ErrInvalidInput},
		{name: "hidden", v: view("main", ".v", "SELECT 1"), err: errs.ErrInvalidInput},
		{name: "version", v: view("main", "v@1", "SELECT 1"), err: errs.ErrInvalidInput},
		{name: "long name", v: view("main", strings.Repeat("v", 201), "SELECT 1"), err: errs.ErrInvalidInput},
		{name: "long text", v: view("main", "w", strings.Repeat(" ", 256<<10+1)), err: errs.ErrInvalidInput},
		{name: "one table", v: scan.View{Ref: scan.TableRef{Catalog: "one", Table: "v"}, Query: "SELECT 1"}, err: errs.ErrUnsupported},
	} {
		t.Run(tc.name, func(t *testing.T) {
			made, err := c.CreateView(context.Background(), tc.v, tc.replace, tc.keep)
			if made != tc.made || !errors.Is(err, tc.err) || err != nil && strings.Contains(err.Error(), root) {
				t.Fatalf("made %v, %v; want %v, %v", made, err, tc.made, tc.err)
			}
			if tc.text != "" && viewText(t, c, tc.v.Ref.Schema, tc.v.Ref.Table) != tc.text {
				t.Errorf("the view is %q", viewText(t, c, tc.v.Ref.Schema, tc.v.Ref.Table))
			}
		})
	}
	drop := func(parts ...string) error { return c.DropView(context.Background(), ref(parts...)) }
	if err := drop("history"); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("drop of a table: %v", err)
	}
	if err := drop("geo", "V"); err != nil {
		t.Error(err)
	}
	if err := drop("geo", "v"); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("drop again: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(root, "geo"))
	if err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// readOnly hides that a store can be written.
type readOnly struct{ objstore.Store }

func TestViewsOfAStoreThatIsOnlyRead(t *testing.T) {
	root := t.TempDir()
	c, err := catalog.New(context.Background(), []catalog.Root{{URI: root}}, catalog.Options{OpenStore: func(uri string) (objstore.Store, error) {
		s, err := objstore.Open(uri)
		return readOnly{s}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "SELECT 1", root, "v.view.sql")
	if _, err := c.CreateView(context.Background(), scan.View{Ref: ref("w"), Query: "SELECT 1"}, false, false); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	if err := c.DropView(context.Background(), ref("v")); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	if viewText(t, c, "v") != "SELECT 1" {
		t.Error("the view can't be read")
	}
}
