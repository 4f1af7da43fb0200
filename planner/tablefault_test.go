package planner_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// faultyTables fails to open any table.
type faultyTables struct{ err error }

func (f faultyTables) Resolve(context.Context, scan.TableRef) (scan.Source, error) { return nil, f.err }

// A fault of a table's files that shows while a statement is planned is none of the statement's text: its kind stays, and
// it has no place in the text. That there is no such table is one of the text.
func TestFaultsOfTablesWhilePlanning(t *testing.T) {
	for _, c := range []struct {
		err    error
		inText bool
	}{
		{errs.Corruptf("_versions/1.manifest", 7, "manifest length 9"), false},
		{errs.Unsupportedf("data file format 77.3 is not supported"), false},
		{errs.New(errs.ErrResourceExhausted, "too large"), false},
		{errs.New(errs.ErrUnavailable, "the store is gone"), false},
		{errs.NotFoundf("there is no table t"), true},
		{errs.New(errs.ErrPermissionDenied, "not for you"), true},
	} {
		_, err := planner.Plan(context.Background(), "SELECT a FROM t", planner.Options{Catalog: "lance", Schema: "main", Resolver: faultyTables{c.err}})
		var at *errs.SQLError
		if inText := errors.As(err, &at); inText != c.inText {
			t.Errorf("%v: in the text: %v, want %v", err, inText, c.inText)
		}
		for _, kind := range []error{errs.ErrCorrupt, errs.ErrUnsupported, errs.ErrResourceExhausted, errs.ErrUnavailable, errs.ErrNotFound, errs.ErrPermissionDenied, errs.ErrInvalidInput} {
			if errors.Is(err, kind) != errors.Is(c.err, kind) {
				t.Errorf("%v: of kind %v: %v", err, kind, errors.Is(err, kind))
			}
		}
	}
}
