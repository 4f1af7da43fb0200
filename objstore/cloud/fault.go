package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// fault is why a request failed. It holds nothing that a URL or a header may have held.
type fault struct {
	status int    // of the answer, 0 where there was none
	code   string // the service's own word, as "SlowDown"
	what   string // what happened, where there is no answer
	again  bool   // another attempt may go well
}

func (f *fault) Error() string {
	switch {
	case f.status == 0:
		return f.what
	case f.code == "":
		return fmt.Sprintf("the store answered %d", f.status)
	}
	return fmt.Sprintf("the store answered %d %s", f.status, f.code)
}

// answered is the fault of an answer that tells of an error.
func answered(status int, code string) *fault {
	if strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' }) || len(code) > 64 {
		code = "" // no code
	}
	f := &fault{status: status, code: code}
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		f.again = true
	}
	if status < 300 { // the answer's body could not be understood: it was cut
		f.again, f.code, f.status, f.what = true, "", 0, "the answer was cut short"
	}
	switch code {
	case "RequestTimeout", "SlowDown", "RequestTimeTooSkewed":
		f.again = code != "RequestTimeTooSkewed"
	}
	return f
}

// broken is the fault of a request without a whole answer. Just the kind of err is kept.
func broken(err error) *fault {
	f := &fault{again: true, what: "the connection to the store failed"}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, errStalled):
		f.what = "the store sent nothing for too long"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.what = "the answer was cut short"
	case errors.Is(err, syscall.ECONNREFUSED):
		f.what = "the store refuses connections"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		f.what = "the store broke the connection"
	case errors.As(err, &dns):
		f.what, f.again = "the store's host is unknown", !dns.IsNotFound
	case errors.As(err, &timeout) && timeout.Timeout():
		f.what = "the store did not answer in time"
	}
	return f
}

// noCredentials is the fault of a request that could not be signed.
func noCredentials() *fault {
	return &fault{status: 0, what: "no credentials for the store were found", code: codeCredentials}
}

const codeCredentials = "credentials"

// missingCodes are the words for an object that is not there; other things may be missing too, the user for example.
var missingCodes = map[string]bool{"": true, "NotFound": true, "NoSuchKey": true, "BlobNotFound": true, "ResourceNotFound": true, "notFound": true}

// deniedCodes are the words for a missing right that don't always come with the status for it.
var deniedCodes = map[string]bool{codeCredentials: true, "InvalidAccessKeyId": true, "XAdminUserNotFound": true, "ExpiredToken": true, "InvalidToken": true}

// explain turns what ended a request into an error of its kind that names the object.
func explain(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if name == "" {
		name = "the root folder"
	}
	var f *fault
	if !errors.As(err, &f) {
		return err // one of ours
	}
	switch {
	case f.code == "NoSuchBucket" || f.code == "ContainerNotFound":
		return errs.NotFoundf("%s: there is no such bucket (%s)", name, f.code)
	case f.status == http.StatusNotFound && missingCodes[f.code]:
		return objstore.NotFound(name)
	case f.status == http.StatusPreconditionFailed:
		return objstore.Changed(name)
	case f.status == http.StatusRequestedRangeNotSatisfiable:
		return errs.Corruptf(name, -1, "the file is shorter than expected")
	case f.status == http.StatusForbidden || f.status == http.StatusUnauthorized || deniedCodes[f.code]:
		return errs.New(errs.ErrPermissionDenied, "%s: the server may not read it: %v", name, f)
	case f.status == http.StatusMovedPermanently || f.status == http.StatusTemporaryRedirect:
		return errs.New(errs.ErrUnavailable, "%s: %v: the bucket lies in another region; name it with ?region=", name, f)
	}
	return errs.New(errs.ErrUnavailable, "%s: %v", name, f)
}
