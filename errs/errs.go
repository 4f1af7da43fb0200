// Package errs holds the kinds of error that flightsrv knows. A layer wraps one of the sentinels with what it knew
// itself; only the Flight edge turns a kind into a gRPC status.
package errs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// The kinds. Test with errors.Is; an error that wraps none of them is Internal.
var (
	ErrInvalidInput      = errors.New("invalid input")
	ErrNotFound          = errors.New("not found")
	ErrAlreadyExists     = errors.New("already exists")
	ErrConflict          = errors.New("conflict")
	ErrPermissionDenied  = errors.New("permission denied")
	ErrUnauthenticated   = errors.New("unauthenticated")
	ErrUnsupported       = errors.New("not supported")
	ErrCorrupt           = errors.New("corrupt data")
	ErrResourceExhausted = errors.New("resource exhausted")
	ErrCanceled          = errors.New("canceled")
	ErrUnavailable       = errors.New("unavailable")
	ErrInternal          = errors.New("internal error")
)

// kindError is a message of its own text that still answers errors.Is for its kind (and for the cause it wraps).
type kindError struct {
	kind error
	err  error
}

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.err} }

// New makes an error of the given kind whose text is just the formatted message; %w keeps causes.
func New(kind error, format string, args ...any) error {
	return &kindError{kind: kind, err: fmt.Errorf(format, args...)}
}

// Contain makes the panic of a function an ErrInternal of its result, with the stack in its text. It is deferred at the
// start of a goroutine, where a panic would end the process with all that it serves:
//
//	defer errs.Contain(&err)
func Contain(err *error) {
	if p := recover(); p != nil {
		*err = New(ErrInternal, "panic: %v\n%s", p, debug.Stack())
	}
}

// Invalidf is New with ErrInvalidInput.
func Invalidf(format string, args ...any) error { return New(ErrInvalidInput, format, args...) }

// NotFoundf is New with ErrNotFound.
func NotFoundf(format string, args ...any) error { return New(ErrNotFound, format, args...) }

// Unsupportedf is New with ErrUnsupported.
func Unsupportedf(format string, args ...any) error { return New(ErrUnsupported, format, args...) }

// SQLError is a fault in a statement's text, at a place in the text as the user wrote it.
type SQLError struct {
	Kind   error  // ErrInvalidInput unless set
	Line   int    // from 1
	Column int    // from 1, in characters
	Msg    string // what is wrong
	Hint   string // what to do, may be empty
	Source string // the line of the statement, may be empty
}

// Error gives the message, the place and the hint.
func (e *SQLError) Error() string {
	s := fmt.Sprintf("%s (line %d, column %d)", e.Msg, e.Line, e.Column)
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// caretWidth is how many characters of a long line are shown on each side of its fault.
const caretWidth = 40

// Caret shows the line of the fault, cut around a place far inside, with a caret below the place; empty where the line is
// not known.
func (e *SQLError) Caret() string {
	if e.Source == "" {
		return ""
	}
	line := []rune(strings.ReplaceAll(e.Source, "\t", " "))
	at := min(max(e.Column-1, 0), len(line))
	from, to := max(at-caretWidth, 0), min(at+caretWidth, len(line))
	shown, before := string(line[from:to]), at-from
	if from > 0 {
		shown, before = "…"+shown, before+1
	}
	if to < len(line) {
		shown += "…"
	}
	return shown + "\n" + strings.Repeat(" ", before) + "^"
}

// Unwrap gives the kind.
func (e *SQLError) Unwrap() error {
	if e.Kind == nil {
		return ErrInvalidInput
	}
	return e.Kind
}

// CorruptError tells that bytes of an object are not what the format demands. Object is relative to the table,
// never a path of the server.
type CorruptError struct {
	Object string
	Offset int64 // byte offset in the object, -1 where it is not known
	What   string
}

// Error gives the object, the offset where known, and the fault.
func (e *CorruptError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: corrupt: %s", e.Object, e.What)
	}
	return fmt.Sprintf("%s: corrupt at byte %d: %s", e.Object, e.Offset, e.What)
}

// Unwrap gives ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// Corruptf makes a CorruptError; offset is -1 where it is not known.
func Corruptf(object string, offset int64, format string, args ...any) error {
	return &CorruptError{Object: object, Offset: offset, What: fmt.Sprintf(format, args...)}
}
