package table_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

func TestBlobFile(t *testing.T) {
	for id, want := range map[uint32]string{
		1:          "data/x/10000000000000000000000000000000.blob",
		2:          "data/x/01000000000000000000000000000000.blob",
		1<<31 | 12: "data/x/00110000000000000000000000000001.blob",
	} {
		if got := table.BlobFile("data/x.lance", id); got != want {
			t.Errorf("file of %d is %s, want %s", id, got, want)
		}
	}
}

func TestBlobLocation(t *testing.T) {
	msg := smallest()
	msg.BasePaths = []*tablepb.BasePath{{Id: 3, Path: "s3://bucket/x", IsDatasetRoot: true}}
	m, err := parse(frame(t, msg, nil))
	if err != nil {
		t.Fatal(err)
	}
	if l, err := m.BlobLocation(nil, "_blobs/a.blob"); err != nil || l != (table.Location{Path: "_blobs/a.blob"}) {
		t.Errorf("%v, %v", l, err)
	}
	if l, err := m.BlobLocation(proto.Uint32(3), "_blobs/a.blob"); err != nil || l.Base.ID != 3 || l.Path != "_blobs/a.blob" {
		t.Errorf("%v, %v", l, err)
	}
	for _, name := range []string{"", "../x", "/etc/passwd", "a//b", "a/../b", "a\\b"} {
		if _, err := m.BlobLocation(nil, name); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := m.BlobLocation(proto.Uint32(4), "a"); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("unknown base: %v", err)
	}
}
