// Package users keeps the users file: who may connect, and a hash of each one's password.
//
// The file is text. A line is NAME:HASH, the hash in the form of the Argon2 reference implementation
// ($argon2id$v=19$m=...,t=...,p=...$salt$key). Empty lines and lines that begin with # are passed over.
package users

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

// Bounds of what the file may say: the server itself has to do the work that a hash asks for.
const (
	// MaxName is the greatest length of a user's name in bytes.
	MaxName = 128
	// maxPassword bounds what is hashed.
	maxPassword   = 4096
	maxFileBytes  = 16 << 20
	maxMemoryKiB  = 256 << 10
	maxIterations = 64
)

// params is the work for a new hash: what OWASP's password storage cheat sheet recommends as least for Argon2id.
var params = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// List gives the names in a file, sorted. A file that is not there has none.
func List(path string) ([]string, error) {
	entries, err := load(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.Sorted(maps.Keys(entries)), err
}

// Add gives a user a password, and tells whether the name was there before. The file is made where there is none.
func Add(path, name, password string) (replaced bool, err error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	if password == "" || len(password) > maxPassword {
		return false, fmt.Errorf("a password has 1 to %d bytes", maxPassword)
	}
	hash, err := argon2id.CreateHash(password, &params)
	if err != nil {
		return false, err
	}
	err = edit(path, func(text string) (string, error) {
		var kept string
		if kept, replaced = without(text, name); kept != "" && !strings.HasSuffix(kept, "\n") {
			kept += "\n"
		}
		return kept + name + ":" + hash + "\n", nil
	})
	return replaced, err
}

// Remove takes a user out. A name that is not there is an error.
func Remove(path, name string) error {
	return edit(path, func(text string) (string, error) {
		kept, found := without(text, name)
		if !found {
			return "", fmt.Errorf("no user %q in %s", name, path)
		}
		return kept, nil
	})
}

// without gives a file's text without a user's line.
func without(text, name string) (kept string, found bool) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if user, _, isUser := strings.Cut(strings.TrimSpace(line), ":"); isUser && user == name {
			found = true
			continue
		}
		b.WriteString(line)
	}
	return b.String(), found
}

// edit changes a file's text in one step: who reads meanwhile sees the old text or the new one.
func edit(path string, change func(text string) (string, error)) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := parse(old); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	text, err := change(string(old))
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // only its owner may read it
	if err != nil {
		return err
	}
	_, werr := tmp.WriteString(text)
	if err := errors.Join(werr, tmp.Sync(), tmp.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// load reads the hashes of a file by name.
func load(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entries, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return entries, nil
}

func parse(data []byte) (map[string]string, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("a users file has at most %d bytes", maxFileBytes)
	}
	entries := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxFileBytes+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, hash, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("line %d is no NAME:HASH", n)
		}
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if _, twice := entries[name]; twice {
			return nil, fmt.Errorf("line %d: the user %q stands there twice", n, name)
		}
		if err := checkHash(hash); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		entries[name] = hash
	}
	return entries, lines.Err()
}

// checkName refuses names that the file or HTTP's basic credentials can't hold.
func checkName(name string) error {
	bad := func(r rune) bool { return r == ':' || unicode.IsControl(r) || unicode.IsSpace(r) && r != ' ' }
	if name == "" || len(name) > MaxName || !utf8.ValidString(name) || strings.TrimSpace(name) != name || name[0] == '#' || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("%q is no name for a user: 1 to %d bytes without colons, control characters, blanks around it or # before it", name, MaxName)
	}
	return nil
}

func checkHash(hash string) error {
	p, salt, key, err := argon2id.DecodeHash(hash)
	switch {
	case err != nil:
		return fmt.Errorf("the hash can't be read as $argon2id$v=19$m=...,t=...,p=...$salt$key: %w", err)
	case p.Iterations < 1 || p.Parallelism < 1 || len(salt) < 8 || len(key) < 16:
		return errors.New("the hash is too weak: at least 1 iteration, 1 lane, 8 bytes of salt and 16 of key")
	case p.Memory > maxMemoryKiB || p.Iterations > maxIterations || len(key) > 1024:
		return fmt.Errorf("the hash asks for too much: at most %d KiB, %d iterations and 1024 bytes of key", maxMemoryKiB, maxIterations)
	}
	return nil
}
