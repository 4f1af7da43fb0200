package objstore_test

import (
	"errors"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

func TestURIs(t *testing.T) {
	for _, tt := range []struct{ uri, display, base, joined string }{
		{"/data/a?b", "/data/a?b", "a?b", "/data/a?b/t.lance"},
		{"/data/", "/data/", "data", "/data/t.lance"},
		{"file:///data?x", "file:///data?x", "data?x", "file:///data?x/t.lance"},
		{"s3://bucket", "s3://bucket", "bucket", "s3://bucket/t.lance"},
		{"s3://bucket/a/?region=r&x=y", "s3://bucket/a/", "a", "s3://bucket/a/t.lance?region=r&x=y"},
		{"s3://key:secret@bucket/a", "s3://bucket/a", "a", "s3://key:secret@bucket/a/t.lance"},
		{"azblob://box/t.lance?sas=a/b", "azblob://box/t.lance", "t.lance", "azblob://box/t.lance/t.lance?sas=a/b"},
	} {
		if got := objstore.Display(tt.uri); got != tt.display {
			t.Errorf("%s is shown as %s, want %s", tt.uri, got, tt.display)
		}
		if got := objstore.Base(tt.uri); got != tt.base {
			t.Errorf("the last part of %s is %s, want %s", tt.uri, got, tt.base)
		}
		if got := objstore.Join(tt.uri, "t.lance"); got != tt.joined {
			t.Errorf("%s joined is %s, want %s", tt.uri, got, tt.joined)
		}
	}
}

// A table names other places for its files: these are reached as the table is, and never otherwise.
func TestBeside(t *testing.T) {
	for _, tt := range []struct{ table, other, want string }{
		{"/a/t.lance", "/a/b?c", "/a/b?c"},
		{"/a/t.lance", "s3://bucket/b", "s3://bucket/b"},
		{"s3://bucket/t.lance?endpoint=e", "s3://bucket/b", "s3://bucket/b?endpoint=e"},
		{"s3://bucket/t.lance?endpoint=e", "S3://other/b", "S3://other/b?endpoint=e"},
		{"s3://bucket/t.lance?endpoint=e", "gs://bucket/b", "gs://bucket/b"},
		{"s3://bucket/t.lance?endpoint=e", "/a/b", "/a/b"},
		{"s3://bucket/t.lance", "s3://bucket/b?endpoint=evil", ""},
		{"/a/t.lance", "s3://bucket/b?endpoint=evil", ""},
		{"s3://bucket/t.lance", "s3://user@bucket/b", ""},
	} {
		got, err := objstore.Beside(tt.table, tt.other)
		if got != tt.want || (tt.want == "") != errors.Is(err, errs.ErrPermissionDenied) {
			t.Errorf("%s of %s: %q, %v, want %q", tt.other, tt.table, got, err, tt.want)
		}
	}
	if !objstore.Within("s3://bucket/a?region=r", "s3://bucket/a/b") || objstore.Within("s3://bucket/a?region=r", "s3://bucket/ab") {
		t.Error("how a store is reached changes what lies in it")
	}
}
