package table_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// stored gives a store of just the objects named, and fails where one can't be put.
func stored(t testing.TB, objects map[string][]byte) objstore.Store {
	t.Helper()
	s := objstore.NewMem()
	for name, b := range objects {
		if err := s.Put(name, b); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func mayFailAs(t *testing.T, err error, kinds ...error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, k := range kinds {
		if errors.Is(err, k) {
			return
		}
	}
	t.Errorf("an error of another kind: %v", err)
}

// FuzzSections reads the list of indices, and the operation of the transaction, of a manifest with a hostile section.
func FuzzSections(f *testing.F) {
	indices, err := proto.Marshal(&tablepb.IndexSection{Indices: []*tablepb.IndexMetadata{{
		Uuid: &tablepb.UUID{Uuid: make([]byte, 16)}, Fields: []int32{0}, Name: "id_idx", DatasetVersion: 3, FragmentBitmap: bitmapFile(f, 0, 7),
		IndexDetails: &anypb.Any{TypeUrl: "/lance.table.BTreeIndexDetails"}, CreatedAt: proto.Uint64(1e12), BaseId: proto.Uint32(1),
		Files: []*tablepb.IndexFile{{Path: "page_data.lance", SizeBytes: 10}},
	}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(indices, uint32(len(indices)))
	append100 := protowire.AppendBytes(protowire.AppendTag(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 4), 100, protowire.BytesType), nil)
	f.Add(append100, uint32(len(append100)))
	f.Fuzz(func(t *testing.T, section []byte, length uint32) {
		msg := smallest()
		msg.IndexSection, msg.TransactionSection = proto.Uint64(0), proto.Uint64(0)
		b := frame(t, msg, append(binary.LittleEndian.AppendUint32(nil, length), section...))
		s := stored(t, map[string][]byte{"_versions/1.manifest": b})
		alloctest.Within(t, messageFactor*uint64(len(b)), func() {
			m, err := table.Latest(t.Context(), s, "")
			if err != nil {
				mayFailAs(t, err, errs.ErrCorrupt)
				return
			}
			list, err := m.ReadIndices(t.Context(), s)
			mayFailAs(t, err, errs.ErrCorrupt)
			if err == nil && len(list) != len(m.Indices) {
				t.Errorf("%d indices, and %d", len(list), len(m.Indices))
			}
			for _, x := range list {
				_, _ = m.IndexFile(x, "page_data.lance")
				_ = x.Fragments.Has(7)
			}
			_, err = m.ReadOperation(t.Context(), s)
			mayFailAs(t, err, errs.ErrCorrupt)
		})
	})
}

// FuzzRefs reads tags and branches of hostile files and names, and texts that name versions.
func FuzzRefs(f *testing.F) {
	f.Add("v1", []byte(`{"branch":null,"version":3,"createdAt":"2026-01-31T12:00:00Z","manifestSize":10,"metadata":{}}`))
	f.Add("feat/x", []byte(`{"parentBranch":"main","parentVersion":2,"createAt":1700000000,"identifier":{"version_mapping":[[1,"00"]]}}`))
	f.Add("x:7", []byte(`{`))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		s := objstore.NewMem()
		_ = s.Put("_refs/tags/"+name+".json", b)
		_ = s.Put("_refs/branches/"+name+".json", b)
		alloctest.Within(t, messageFactor*uint64(len(b)+len(name)), func() {
			_, err := table.ReadTag(t.Context(), s, name)
			mayFailAs(t, err, errs.ErrCorrupt, errs.ErrNotFound)
			_, err = table.ReadBranch(t.Context(), s, name)
			mayFailAs(t, err, errs.ErrCorrupt, errs.ErrNotFound)
			_, err = table.ListTags(t.Context(), s)
			mayFailAs(t, err)
			_, err = table.ParseRef(name)
			mayFailAs(t, err, errs.ErrInvalidInput)
		})
	})
}
