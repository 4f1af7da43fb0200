package encoding

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// NewArrayReader gives a reader of a projected top-level field of a file of version 2.0. object names the file in errors.
func NewArrayReader(root *Field, in Input, mem memory.Allocator, object string) (FieldReader, error) {
	return nil, errs.Unsupportedf("%s: version 2.0", object)
}
