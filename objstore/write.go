package objstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lanceflight/flightsrv/errs"
)

// Writer is a Store that objects can be put into. It is safe for concurrent use.
type Writer interface {
	Store
	// Put writes an object whole, or nothing of it. With onlyNew an object that is there already is an
	// errs.ErrAlreadyExists, whoever made it meanwhile.
	Put(ctx context.Context, name string, data []byte, onlyNew bool) error
	// Remove takes an object away.
	Remove(ctx context.Context, name string) error
}

var _ Writer = (*Local)(nil)

// Put writes a file aside, with its folder, and gives it its name when all of it is on disk.
func (l *Local) Put(ctx context.Context, name string, data []byte, onlyNew bool) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, clean, err := l.file(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return unwritten(clean, err)
	}
	aside, err := os.CreateTemp(filepath.Dir(file), ".put-*") // hidden, so that no listing shows it
	if err != nil {
		return unwritten(clean, err)
	}
	defer func() { err = errors.Join(err, removed(os.Remove(aside.Name()))) }()
	_, err = aside.Write(data)
	if err = errors.Join(err, aside.Chmod(0o644), aside.Sync(), aside.Close()); err != nil {
		return unwritten(clean, err)
	}
	if onlyNew {
		err = os.Link(aside.Name(), file) // fails where the name is taken
	} else {
		err = os.Rename(aside.Name(), file)
	}
	if errors.Is(err, fs.ErrExist) {
		return errs.New(errs.ErrAlreadyExists, "%s is there already", clean)
	}
	return unwritten(clean, err)
}

// removed passes over a file that is gone already.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return unwritten("a temporary file", err)
}

// Remove deletes a file.
func (l *Local) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, clean, err := l.file(name)
	if err != nil {
		return err
	}
	return unwritten(clean, os.Remove(file))
}

// unwritten is pathless for what could not be written.
func unwritten(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return errs.New(errs.ErrPermissionDenied, "%s: the server may not write it", name)
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return fmt.Errorf("%s: %w: %w", name, errs.ErrUnavailable, le.Err)
	}
	return pathless(name, err)
}
