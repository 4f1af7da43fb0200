package flightsql

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lanceflight/flightsrv/errs"
)

// maxMessageBytes bounds the text of a status: it travels in a header, percent-encoded, and Java clients take 8 KiB of
// headers in all.
const maxMessageBytes = 2000

// kindCodes is the one table from kinds of error to gRPC codes. The first kind that an error wraps decides.
var kindCodes = []struct {
	kind error
	code codes.Code
}{
	{errs.ErrCanceled, codes.Canceled},
	{errs.ErrInvalidInput, codes.InvalidArgument},
	{errs.ErrNotFound, codes.NotFound},
	{errs.ErrAlreadyExists, codes.AlreadyExists},
	{errs.ErrConflict, codes.Aborted},
	{errs.ErrPermissionDenied, codes.PermissionDenied},
	{errs.ErrUnauthenticated, codes.Unauthenticated},
	{errs.ErrUnsupported, codes.Unimplemented},
	{errs.ErrCorrupt, codes.DataLoss},
	{errs.ErrResourceExhausted, codes.ResourceExhausted},
	{errs.ErrUnavailable, codes.Unavailable},
}

// failure is an error as the client gets it, and what only the log is told.
type failure struct {
	status *status.Status
	id     string // of an error whose text stays in the log; else empty
	// logged is the text for the log where it is not the client's: the line of a statement may hold what is nobody's business.
	logged string
}

// failureOf turns any error into a status. Errors of no kind, and those that hold a file's path, become a short text
// with an id under which the log has the rest.
func failureOf(err error) failure {
	if s, ok := status.FromError(err); ok {
		return failure{status: s}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{status: status.New(codes.DeadlineExceeded, "the call's deadline passed")}
	}
	if errors.Is(err, context.Canceled) {
		return failure{status: status.New(codes.Canceled, "the call was canceled")}
	}
	code := codeOf(err)
	var onDisk *fs.PathError
	if code == codes.Internal || errors.As(err, &onDisk) {
		id := newErrorID()
		return failure{status: status.Newf(code, "%s (error %s; the server's log has the details)", hiddenText(code), id), id: id}
	}
	var fault *errs.SQLError
	if errors.As(err, &fault) && fault.Source != "" {
		return failure{status: status.New(code, clipMessage(err.Error()+"\n"+fault.Caret())), logged: clipMessage(err.Error())}
	}
	return failure{status: status.New(code, clipMessage(err.Error()))}
}

func codeOf(err error) codes.Code {
	var se *errs.SQLError
	if errors.As(err, &se) && errors.Is(se, errs.ErrUnsupported) {
		return codes.InvalidArgument // SQL that is refused before it runs
	}
	for _, k := range kindCodes {
		if errors.Is(err, k.kind) {
			return k.code
		}
	}
	return codes.Internal
}

func hiddenText(code codes.Code) string {
	switch code {
	case codes.NotFound:
		return "a file of the table is missing"
	case codes.DataLoss:
		return "the table's files are damaged"
	case codes.Unavailable:
		return "the table's storage can't be reached"
	case codes.PermissionDenied:
		return "the server may not read the table's files"
	}
	return "internal error"
}

func newErrorID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// clipMessage bounds a text by its bytes and mends what is no UTF-8.
func clipMessage(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxMessageBytes {
		return s
	}
	cut := maxMessageBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
