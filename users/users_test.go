package users_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/users"
)

func tempFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hashOf is an Argon2id hash by the function itself, in the reference implementation's form.
func hashOf(password string, iterations, memory uint32) string {
	salt := []byte("0123456789abcdef")
	key := argon2.IDKey([]byte(password), salt, iterations, memory, 1, 32)
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=1$%s$%s", memory, iterations, base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

func check(t *testing.T, f *users.File, name, password string, want bool) {
	t.Helper()
	got, err := f.Check(context.Background(), name, password)
	if err != nil || got != want {
		t.Errorf("%s with %q: %t, %v; want %t", name, password, got, err, want)
	}
}

func TestCheck(t *testing.T) {
	path := tempFile(t, "# people\n\nann:"+hashOf("se:cret", 1, 64)+"\n  bob:"+hashOf("päss", 2, 128)+"  \n")
	f, err := users.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from what was proven
		check(t, f, "ann", "se:cret", true)
		check(t, f, "ann", "se:cre", false)
		check(t, f, "ann", "", false)
		check(t, f, "ann", "päss", false)
		check(t, f, "bob", "päss", true)
		check(t, f, "Ann", "se:cret", false)
		check(t, f, "", "", false)
		check(t, f, "carl", "se:cret", false)
		check(t, f, "ann", strings.Repeat("x", 1<<20), false)
	}
}

func TestFileChangesUnderneath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	for _, name := range []string{"ann", "bob"} {
		if replaced, err := users.Add(path, name, "one"); err != nil || replaced {
			t.Fatalf("%t, %v", replaced, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others may read the file", info.Mode(), err)
	}
	f, err := users.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, "ann", "one", true)
	before, err := f.Mark("ann")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := f.Mark("bob")
	if replaced, err := users.Add(path, "ann", "two"); err != nil || !replaced {
		t.Fatalf("%t, %v", replaced, err)
	}
	check(t, f, "ann", "one", false)
	check(t, f, "ann", "two", true)
	check(t, f, "bob", "one", true)
	if after, err := f.Mark("ann"); err != nil || after == before {
		t.Errorf("the mark stays %q, %v", after, err)
	}
	if after, err := f.Mark("bob"); err != nil || after != other {
		t.Errorf("another user's mark is %q, %v; was %q", after, err, other)
	}
	if err := users.Remove(path, "ann"); err != nil {
		t.Fatal(err)
	}
	check(t, f, "ann", "two", false)
	if _, err := f.Mark("ann"); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("mark of a removed user: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if ok, err := f.Check(context.Background(), "bob", "one"); ok || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the file: %t, %v", ok, err)
	}
}

func TestCommentsAreKept(t *testing.T) {
	path := tempFile(t, "# the night shift\nann:"+hashOf("x", 1, 64))
	if _, err := users.Add(path, "bob", "y"); err != nil {
		t.Fatal(err)
	}
	if err := users.Remove(path, "ann"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# the night shift\nbob:$argon2id$") || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := hashOf("x", 1, 64)
	for name, tt := range map[string]struct{ text, has string }{
		"empty":          {"# nobody\n", "no users"},
		"no colon":       {"ann\n", "line 1"},
		"clear password": {"ann:secret\n", "line 1"},
		"other kind":     {"ann:$2b$12$abcdefghijklmnopqrstuuO\n", "argon2id"},
		"twice":          {"ann:" + good + "\nann:" + good + "\n", "line 2"},
		"bad name":       {"\x01:" + good + "\n", "line 1"},
		"much memory":    {"ann:" + strings.Replace(good, "m=64", "m=4000000000", 1), "asks for too much"},
		"much work":      {"ann:" + strings.Replace(good, "t=1", "t=4000000000", 1), "asks for too much"},
		"no work":        {"ann:" + strings.Replace(good, "t=1", "t=0", 1), "too weak"},
		"no lanes":       {"ann:" + strings.Replace(good, "p=1", "p=0", 1), "too weak"},
		"no key":         {"ann:$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$", "too weak"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := users.Open(tempFile(t, tt.text)); err == nil || !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v, want a text with %q", err, tt.has)
			}
		})
	}
	if _, err := users.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	if _, err := users.Add(path, "ann", "one"); err != nil {
		t.Fatal(err)
	}
	f, err := users.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if ok, err := f.Check(ctx, "ann", "wrong"); ok || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%t, %v", ok, err)
			}
		})
	}
	wg.Wait()
	check(t, f, "ann", "one", true)
}

// TestManyGuesses: guesses that wait are bounded, and who has proven a password before does not wait behind them.
func TestManyGuesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	if _, err := users.Add(path, "ann", "one"); err != nil {
		t.Fatal(err)
	}
	f, err := users.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, f, "ann", "one", true)
	ctx, cancel := context.WithCancel(context.Background())
	answers := make(chan error, 3000)
	for i := range 3000 {
		go func() {
			_, err := f.Check(ctx, "ann", fmt.Sprint("guess ", i))
			answers <- err
		}()
	}
	taken := 0
	for refused := 0; refused < 500; taken++ {
		if err := <-answers; errors.Is(err, errs.ErrUnavailable) {
			refused++
		}
	}
	check(t, f, "ann", "one", true)
	cancel()
	for range cap(answers) - taken {
		if err := <-answers; err != nil && !errors.Is(err, errs.ErrUnavailable) && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
