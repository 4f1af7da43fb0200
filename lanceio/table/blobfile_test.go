package table_test

import (
	"testing"

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
