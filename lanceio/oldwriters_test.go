package lanceio_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// rewritten is a copy of a table whose newest manifest says something else.
func rewritten(t *testing.T, name string, change func(*tablepb.Manifest)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name+".lance")
	if err := os.CopyFS(dir, os.DirFS(tableURI(name))); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "_versions", "*.manifest"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no versions: %v", err)
	}
	newest := slices.Min(files) // names hold the version's complement
	data, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	at := int(binary.LittleEndian.Uint64(data[len(data)-16:]))
	msg := new(tablepb.Manifest)
	if err := proto.Unmarshal(data[at+4:len(data)-16], msg); err != nil {
		t.Fatal(err)
	}
	change(msg)
	body, err := proto.Marshal(msg)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint32(data[:at:at], uint32(len(body)))
	out = slices.Concat(out, body, data[len(data)-16:])
	if err := os.WriteFile(newest, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What manifests of old writers leave out, or say of parts that a reader does not need, changes no row.
func TestManifestsOfOldWriters(t *testing.T) {
	for change, f := range map[string]func(*tablepb.Manifest){
		"no writer": func(m *tablepb.Manifest) { m.WriterVersion = nil },
		"no format": func(m *tablepb.Manifest) { m.DataFormat = nil },
		"no numbers of rows": func(m *tablepb.Manifest) {
			for _, f := range m.Fragments {
				f.PhysicalRows = 0
			}
		},
		"no numbers of rows, deleted ones neither": func(m *tablepb.Manifest) {
			for _, f := range m.Fragments {
				f.PhysicalRows = 0
				if f.DeletionFile != nil {
					f.DeletionFile.NumDeletedRows = 0
				}
			}
		},
		"no sizes of files": func(m *tablepb.Manifest) {
			for _, f := range m.Fragments {
				for _, d := range f.Files {
					d.FileSizeBytes = 0
				}
			}
		},
		"a transaction elsewhere": func(m *tablepb.Manifest) { m.TransactionSection = proto.Uint64(math.MaxUint64) },
		"a transaction of an old kind": func(m *tablepb.Manifest) {
			m.TransactionSection, m.TransactionSectionDeprecated = nil, proto.Uint64(3)
		},
		"no highest fragment": func(m *tablepb.Manifest) { m.MaxFragmentId = nil },
		"a deprecated flag":   func(m *tablepb.Manifest) { m.WriterFeatureFlags |= 4 },
	} {
		for _, name := range []string{"evolve_2_0", "evolve_2_1", "evolve_2_2", "deletions", "stable"} {
			t.Run(change+", "+name, func(t *testing.T) {
				tab, err := lanceio.Open(t.Context(), rewritten(t, name, f))
				if err != nil {
					t.Fatal(err)
				}
				opts := []lanceio.ScanOption{columnsOf(tab)}
				if name == "stable" {
					opts = append(opts, lanceio.WithRowID(), lanceio.WithRowAddress())
				}
				want := wanted(t, name).rows
				same(t, collect(t, tab, opts...).rows, want)
				if tab.Rows() != int64(len(want)) {
					t.Errorf("%d rows, want %d", tab.Rows(), len(want))
				}
			})
		}
	}
}
