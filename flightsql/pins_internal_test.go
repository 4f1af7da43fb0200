package flightsql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// version is a table's version that only tells of itself.
type version struct {
	scan.Source
	number uint64
	made   time.Time
}

func (v version) Name() string         { return "lance.main.t" }
func (v version) Version() uint64      { return v.number }
func (v version) Timestamp() time.Time { return v.made }

type resolverFunc func(scan.TableRef) (scan.Source, error)

func (f resolverFunc) Resolve(_ context.Context, r scan.TableRef) (scan.Source, error) { return f(r) }

// A ticket reads the version that it was planned at, or nothing.
func TestPinsHoldTheVersion(t *testing.T) {
	made := time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC)
	ctx, ref := context.Background(), scan.TableRef{Table: "t"}
	at := func(v version) resolverFunc {
		return func(scan.TableRef) (scan.Source, error) { return v, nil }
	}
	first := newPinning(at(version{number: 3, made: made}), nil)
	if _, err := first.Resolve(ctx, ref); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		now  version
		gone bool
	}{
		{"the same", version{number: 3, made: made}, false},
		{"in another zone", version{number: 3, made: made.In(time.FixedZone("x", 3600))}, false},
		{"another version", version{number: 4, made: made}, true},
		{"the number of a table made anew", version{number: 3, made: made.Add(time.Nanosecond)}, true},
		{"one that does not tell when it was made", version{number: 3}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := ""
			later := newPinning(resolverFunc(func(r scan.TableRef) (scan.Source, error) {
				asked = r.Version
				return c.now, nil
			}), first.pins())
			_, err := later.Resolve(ctx, ref)
			if asked != "3" {
				t.Errorf("version %q was asked for", asked)
			}
			if c.gone != errors.Is(err, errs.ErrNotFound) || c.gone && !strings.Contains(err.Error(), "is gone") || !c.gone && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A view that changes after its statement was planned is read as it was then.
func TestPinsHoldTheTextOfViews(t *testing.T) {
	ctx, ref := context.Background(), scan.TableRef{Table: "v"}
	text := "SELECT 1"
	views := resolverFunc(func(scan.TableRef) (scan.Source, error) { return &scan.View{Ref: ref, Query: text}, nil })
	first := newPinning(views, nil)
	if _, err := first.Resolve(ctx, ref); err != nil {
		t.Fatal(err)
	}
	text = "SELECT 2"
	second := newPinning(views, first.pins())
	for range 2 {
		src, err := second.Resolve(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := src.(*scan.View); !ok || v.Query != "SELECT 1" {
			t.Errorf("got %v", src)
		}
	}
	if got := second.pins(); len(got) != 1 || got[0].View == nil || got[0].View.Query != "SELECT 1" {
		t.Errorf("pins %v", got)
	}
}
