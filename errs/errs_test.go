package errs_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
)

func TestKindsSurviveWrapping(t *testing.T) {
	err := errs.NotFoundf("table %q: %w", "t", io.ErrUnexpectedEOF)
	if !errors.Is(err, errs.ErrNotFound) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("lost a kind: %v", err)
	}
	if got, want := err.Error(), `table "t": unexpected EOF`; got != want {
		t.Fatalf("text %q, want %q", got, want)
	}
	if !errors.Is(errs.Corruptf("data/x.lance", 7, "bad"), errs.ErrCorrupt) {
		t.Fatal("a CorruptError is not ErrCorrupt")
	}
	sqlErr := &errs.SQLError{Line: 2, Column: 5, Msg: "unexpected )"}
	if !errors.Is(sqlErr, errs.ErrInvalidInput) || sqlErr.Error() != "unexpected ) (line 2, column 5)" {
		t.Fatalf("SQLError: %v", sqlErr)
	}
}

func TestContain(t *testing.T) {
	run := func(p any) (err error) {
		defer errs.Contain(&err)
		if p != nil {
			panic(p)
		}
		return io.EOF
	}
	if err := run(nil); !errors.Is(err, io.EOF) {
		t.Errorf("without a panic: %v", err)
	}
	if err := run("lost"); !errors.Is(err, errs.ErrInternal) || !strings.Contains(err.Error(), "lost") {
		t.Errorf("with a panic: %v", err)
	}
}
