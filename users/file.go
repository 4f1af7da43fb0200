package users

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/alexedwards/argon2id"

	"github.com/lanceflight/flightsrv/errs"
)

// File answers from a users file, which may change meanwhile. It is safe for concurrent use.
type File struct {
	path string
	// key makes sums of passwords that were right, so that a client that sends its password with each call costs one
	// Argon2 hash and not one a call.
	key   []byte
	gate  chan struct{} // bounds the hashes that are worked out at once, and with them the memory
	queue chan struct{} // bounds those who wait for that or are at it
	decoy string        // the hash that the passwords of unknown users are held against, so that they take as long

	mu      sync.Mutex
	stamp   fs.FileInfo // of the file that was read
	entries map[string]string
	proven  map[string][]byte // by hash
}

// Open reads a users file. One that is missing, can't be read or has no users is an error.
func Open(path string) (*File, error) {
	decoy, err := argon2id.CreateHash(rand.Text(), &params)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, key: make([]byte, sha256.Size), decoy: decoy, gate: make(chan struct{}, runtime.GOMAXPROCS(0)), queue: make(chan struct{}, maxQueue)}
	_, _ = rand.Read(f.key) // never fails
	entries, err := f.current()
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("%s has no users, so that nobody could connect: add one with flightsrv user add", path)
	}
	return f, err
}

// current gives the hashes by name, read anew where the file has changed.
func (f *File) current() (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	if was := f.stamp; was != nil && os.SameFile(was, now) && was.ModTime().Equal(now.ModTime()) && was.Size() == now.Size() {
		return f.entries, nil
	}
	entries, err := load(f.path)
	if err != nil {
		return nil, err
	}
	f.stamp, f.entries, f.proven = now, entries, map[string][]byte{}
	return entries, nil
}

// Check tells whether a user has a password. Unknown users take as long as wrong passwords.
func (f *File) Check(ctx context.Context, name, password string) (bool, error) {
	entries, err := f.current()
	if err != nil {
		return false, fmt.Errorf("users file: %w", err)
	}
	hash, known := entries[name]
	if !known {
		hash = f.decoy
	}
	sum := f.sum(hash, password)
	f.mu.Lock()
	proven := f.proven[hash]
	f.mu.Unlock()
	if hmac.Equal(proven, sum) {
		return true, nil
	}
	if len(password) > maxPassword {
		return false, nil
	}
	right, err := f.compare(ctx, password, hash)
	if err != nil || !right || !known {
		return false, err
	}
	f.mu.Lock()
	f.proven[hash] = sum
	f.mu.Unlock()
	return true, nil
}

// maxQueue is how many passwords may wait to be checked: whoever guesses at them can't fill the memory.
const maxQueue = 1000

func (f *File) compare(ctx context.Context, password, hash string) (bool, error) {
	select {
	case f.queue <- struct{}{}:
		defer func() { <-f.queue }()
	default:
		return false, errs.New(errs.ErrUnavailable, "too many clients are logging in at once: try again")
	}
	select {
	case f.gate <- struct{}{}:
		defer func() { <-f.gate }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return argon2id.ComparePasswordAndHash(password, hash)
}

func (f *File) sum(parts ...string) []byte {
	h := hmac.New(sha256.New, f.key)
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return h.Sum(nil)
}

// Mark gives a text that changes when the user's password is set anew, and tells nothing about it. A user who is not
// there is an ErrNotFound.
func (f *File) Mark(name string) (string, error) {
	entries, err := f.current()
	if err != nil {
		return "", fmt.Errorf("users file: %w", err)
	}
	hash, ok := entries[name]
	if !ok {
		return "", errs.NotFoundf("no user %q", name)
	}
	sum := sha256.Sum256([]byte(hash))
	return fmt.Sprintf("%x", sum[:8]), nil
}
