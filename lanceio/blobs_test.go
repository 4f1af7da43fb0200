package lanceio_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
)

// externalBlobs opens the folder of external blobs in place of the one that they were written in.
func externalBlobs(uri string) (objstore.Store, error) {
	below, ok := strings.CutPrefix(uri, "file:///srv/lance-blobs")
	if !ok {
		return objstore.Open(uri)
	}
	return objstore.NewLocal(filepath.Join("testdata", "tables", "external_blobs", filepath.FromSlash(below)))
}

// External blobs: whole files and parts of them, by a URI with an escaped blank and below a base path.
func TestExternalBlobs(t *testing.T) {
	tab := open(t, "external", lanceio.WithStoreOpener(externalBlobs))
	got := collect(t, tab, columnsOf(tab))
	same(t, got.rows, wanted(t, "external").rows)
	if got.metrics.ColumnBytes["b"] == 0 {
		t.Errorf("no bytes are counted for b: %v", got.metrics.ColumnBytes)
	}
}

// Where external blobs lie is for the opener of stores to allow; all else of the table can be read.
func TestExternalBlobsElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		open func(string) (objstore.Store, error)
		kind error
	}{
		"not allowed": {func(uri string) (objstore.Store, error) {
			return nil, errs.New(errs.ErrPermissionDenied, "outside")
		}, errs.ErrPermissionDenied},
		"missing": {func(string) (objstore.Store, error) { return objstore.NewLocal(t.TempDir()) }, errs.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			own, err := objstore.Open(tableURI("external"))
			if err != nil {
				t.Fatal(err)
			}
			tab := open(t, "external", lanceio.WithStore(own), lanceio.WithStoreOpener(tt.open))
			_, err = tryCollect(t, tab, lanceio.Columns(path("b")))
			if !errors.Is(err, tt.kind) || errors.Is(err, errs.ErrNotFound) || strings.Contains(err.Error(), "/srv/") {
				t.Errorf("%v, want %v", err, tt.kind)
			}
			if got := collect(t, tab, lanceio.Columns(path("id"))); len(got.rows) != 7 {
				t.Errorf("%d rows", len(got.rows))
			}
		})
	}
}
