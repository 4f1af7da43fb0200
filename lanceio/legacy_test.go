package lanceio_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/objstore"
)

// A legacy table is what its writer reads of it: of its nulls only those of texts are left.
func TestLegacyTables(t *testing.T) {
	for _, name := range []string{"nested_legacy", "evolve_legacy"} {
		t.Run(name, func(t *testing.T) {
			tab, want := open(t, name), wanted(t, name)
			got := collect(t, tab, columnsOf(tab))
			same(t, got.rows, want.rows)
			for i, f := range want.schema.Fields() {
				if g := got.schema.Field(i); g.Name != f.Name || !arrow.TypeEqual(g.Type, f.Type) {
					t.Errorf("column %d is %s %s, want %s %s", i, g.Name, g.Type, f.Name, f.Type)
				}
			}
		})
	}
}

// Releases that did not name themselves recorded a fragment's rows wrongly, or not at all.
func TestRowsThatManifestsDoNotTell(t *testing.T) {
	for name, rows := range map[string]func(f *tablepb.DataFragment) uint64{
		"not recorded": func(*tablepb.DataFragment) uint64 { return 0 },
		"without the deleted ones": func(f *tablepb.DataFragment) uint64 {
			return f.GetPhysicalRows() - f.GetDeletionFile().GetNumDeletedRows()
		},
	} {
		t.Run(name, func(t *testing.T) {
			tab := openOver(t, "evolve_legacy", func(s objstore.Store) objstore.Store {
				return changeManifests(t, s, func(m *tablepb.Manifest) {
					size := proto.Size(m)
					m.WriterVersion = nil
					for _, f := range m.Fragments {
						f.PhysicalRows = rows(f)
					}
					m.Tag = strings.Repeat("x", size-proto.Size(m)-2)
				})
			})
			same(t, collect(t, tab, columnsOf(tab)).rows, wanted(t, "evolve_legacy").rows)
		})
	}
}
