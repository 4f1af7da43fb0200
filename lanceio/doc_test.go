package lanceio_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that the package's documentation names are there.
func TestDocumentedTests(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "../integration/roundtrip/*_test.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		for _, p := range found {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
	}
	names := regexp.MustCompile(`\bTest\w+`).FindAllString(string(doc), -1)
	if len(names) < 10 {
		t.Errorf("the documentation names %q", names)
	}
	for _, name := range names {
		if !strings.Contains(all.String(), "func "+name+"(") {
			t.Errorf("%s is not there", name)
		}
	}
}
