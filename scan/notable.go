package scan

import "github.com/lanceflight/flightsrv/errs"

// NoTableError tells that a schema, which is there, has no table or view of a name.
type NoTableError struct{ Msg string }

// Error is the message.
func (e *NoTableError) Error() string { return e.Msg }

// Unwrap gives the kind.
func (e *NoTableError) Unwrap() error { return errs.ErrNotFound }
