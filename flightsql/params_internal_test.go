package flightsql

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

func TestTextParametersAreUTF8(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues([]string{"ok \u00e4", "a\xffb"}, nil)
	a := b.NewArray()
	defer a.Release()
	if v, err := goValue(a, 0); err != nil || v != "ok \u00e4" {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := goValue(a, 1); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("invalid text: %v", err)
	}
}
