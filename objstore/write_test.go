package objstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

func TestPut(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := objstore.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, at, text string
		onlyNew        bool
		want           error
		then           string
	}{
		{"new", "a/b.txt", "one", true, nil, "one"},
		{"taken", "a/b.txt", "two", true, errs.ErrAlreadyExists, "one"},
		{"replaced", "a/b.txt", "three", false, nil, "three"},
		{"empty", "a/c.txt", "", false, nil, ""},
		{"out of the store", "../x", "", false, errs.ErrInvalidInput, ""},
	} {
		err := s.Put(ctx, tc.at, []byte(tc.text), tc.onlyNew)
		if !errors.Is(err, tc.want) || err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		if got, err := os.ReadFile(filepath.Join(dir, tc.at)); !errors.Is(tc.want, errs.ErrInvalidInput) && (err != nil || string(got) != tc.then) {
			t.Errorf("%s: holds %q, %v", tc.name, got, err)
		}
	}
	if err := s.Remove(ctx, "a/c.txt"); err != nil {
		t.Error(err)
	}
	if err := s.Remove(ctx, "a/c.txt"); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
