package objstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/objstore"
)

func TestWithin(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "data", "s", "t.lance")
	outside := filepath.Join(dir, "data-old")
	for _, folder := range []string{inside, outside} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "data")
	for link, to := range map[string]string{filepath.Join(dir, "alias"): root, filepath.Join(root, "out"): outside} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, root, uri string
		want            bool
	}{
		{"the folder itself", root, root, true},
		{"the folder itself, as URI", root, "file://" + root + "/", true},
		{"a folder in it", root, inside, true},
		{"a folder in it, through a link to the root", filepath.Join(dir, "alias"), inside, true},
		{"named through a link to the root", root, filepath.Join(dir, "alias", "s"), true},
		{"a folder in it that is not there yet", root, filepath.Join(root, "new", "t.lance"), true},
		{"the folder above", root, dir, false},
		{"the top", root, "/", false},
		{"everything lies below the top", "/", inside, true},
		{"a name that goes on", root, outside, false},
		{"up and out", root, root + "/s/../../data-old", false},
		{"up and back in", root, root + "/../data/s", true},
		{"out through a link", root, filepath.Join(root, "out"), false},
		{"out through a link, to what is not there", root, filepath.Join(root, "out", "x"), false},
		{"no name", root, "", false},
		{"other host", root, "file://host" + root, false},
		{"encoded dots", root, "file://" + root + "/%2e%2e/data-old", false},
		{"other store", root, "s3:/" + root, false},
		{"bucket", "s3://b/data", "S3://b/data/t.lance", true},
		{"bucket, up and out", "s3://b/data", "s3://b/data/../x", false},
		{"bucket, name that goes on", "s3://b/data", "s3://b/data2", false},
		{"other bucket", "s3://b", "s3://bb/data", false},
		{"local in a bucket", "s3://b", root, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := objstore.Within(tc.root, tc.uri); got != tc.want {
				t.Errorf("Within(%q, %q) = %v", tc.root, tc.uri, got)
			}
		})
	}
}
