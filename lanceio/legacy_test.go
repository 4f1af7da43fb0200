package lanceio_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/objstore"
)

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
