package catalog_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// appendWithin adds bytes to each message that the path of field numbers leads to.
func appendWithin(t *testing.T, msg []byte, path []protowire.Number, add []byte) []byte {
	t.Helper()
	if len(path) == 0 {
		return append(slices.Clone(msg), add...)
	}
	var out []byte
	for len(msg) > 0 {
		num, typ, n := protowire.ConsumeTag(msg)
		size := protowire.ConsumeFieldValue(num, typ, msg[max(n, 0):])
		if n < 0 || size < 0 {
			t.Fatal("the manifest is no message")
		}
		if num == path[0] && typ == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(msg[n:])
			out = protowire.AppendBytes(protowire.AppendTag(out, num, typ), appendWithin(t, inner, path[1:], add))
		} else {
			out = append(out, msg[:n+size]...)
		}
		msg = msg[n+size:]
	}
	return out
}

// moveFiles rewrites the newest version of a table so that its files lie in another place, as a clone's do: all data and
// deletion files (field 2 of the manifest's fragments, 2 and 3 of these) get base 1 (field 7), which is the place (18).
func moveFiles(t *testing.T, dir, place string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "_versions", "*.manifest"))
	if err != nil || len(names) == 0 {
		t.Fatal("no manifest", err)
	}
	data, err := os.ReadFile(names[0]) // newer versions sort first
	if err != nil {
		t.Fatal(err)
	}
	tail := data[len(data)-16:]
	msg := data[binary.LittleEndian.Uint64(tail)+4 : len(data)-16]
	base := protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.VarintType), 1)
	for _, files := range []protowire.Number{2, 3} {
		msg = appendWithin(t, msg, []protowire.Number{2, files}, base)
	}
	entry := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	entry = protowire.AppendVarint(protowire.AppendTag(entry, 3, protowire.VarintType), 1)
	entry = protowire.AppendString(protowire.AppendTag(entry, 4, protowire.BytesType), place)
	msg = protowire.AppendBytes(protowire.AppendTag(msg, 18, protowire.BytesType), entry)
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(msg)))
	out = append(append(out, msg...), make([]byte, 8)...) // the message starts the file: position 0
	write(t, string(append(out, tail[8:]...)), names[0])
}

// Clones name the places of their files in their manifests, which whoever writes a table is free to make up: only what
// lies in a root is read.
func TestBasePathsStayInTheRoots(t *testing.T) {
	for _, tc := range []struct {
		name  string
		place func(top string) string // of the files, given the folder that holds all
		open  bool
	}{
		{"other table of the root", func(top string) string { return top + "/data/source.lance" }, true},
		{"as URI", func(top string) string { return "file://" + top + "/data/source.lance" }, true},
		{"table of another root", func(top string) string { return top + "/more/source.lance" }, true},
		{"outside", func(top string) string { return top + "/outside/source.lance" }, false},
		{"up and out", func(top string) string { return top + "/data/../outside/source.lance" }, false},
		{"relative to where the server runs", func(string) string { return tables + "/history.lance" }, false},
		{"other scheme", func(string) string { return "https://example.org/source.lance" }, false},
		{"nothing", func(string) string { return "" }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			top := t.TempDir()
			for _, folder := range []string{"data", "more", "outside"} {
				put(t, top, folder+"/source.lance", "history.lance")
			}
			clone := put(t, top, "data/clone.lance", "history.lance")
			for _, gone := range []string{"data", "_deletions"} {
				if err := os.RemoveAll(filepath.Join(clone, gone)); err != nil {
					t.Fatal(err)
				}
			}
			moveFiles(t, clone, tc.place(top))
			c := open(t, catalog.Root{URI: filepath.Join(top, "data")}, catalog.Root{Name: "more", URI: filepath.Join(top, "more")})
			rows, err := readAll(c, ref("clone"))
			if tc.open {
				if err != nil || rows != 7 {
					t.Fatalf("%d rows, %v; want the source's 7", rows, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%d rows were read from outside the roots", rows)
			}
			if !errors.Is(err, errs.ErrPermissionDenied) || strings.Contains(err.Error(), top) || strings.Contains(err.Error(), "example") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// readAll reads a table and counts the rows that come.
func readAll(c *catalog.Catalog, r scan.TableRef) (int64, error) {
	src, err := c.Resolve(context.Background(), r)
	if err != nil {
		return 0, err
	}
	all, err := src.(*lanceio.Table).NewScan()
	if err != nil {
		return 0, err
	}
	reader, err := all.Reader(context.Background(), memory.DefaultAllocator)
	if err != nil {
		return 0, err
	}
	defer reader.Release()
	var rows int64
	for reader.Next() {
		rows += reader.RecordBatch().NumRows()
	}
	return rows, reader.Err()
}
