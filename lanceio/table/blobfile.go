package table

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// BlobFile gives the path of a file of blobs beside a data file: in a folder of the data file's name without its ending,
// the number's 32 bits from the lowest to the highest.
func BlobFile(dataFile string, id uint32) string {
	return fmt.Sprintf("%s/%032b.blob", strings.TrimSuffix(dataFile, ".lance"), bits.Reverse32(id))
}

// BlobLocation tells where a file of blobs lies that is named relative to a base path, or to the table's folder.
func (m *Manifest) BlobLocation(base *uint32, name string) (Location, error) {
	if !safePath(name) {
		return Location{}, errs.New(errs.ErrCorrupt, "corrupt: blob file name %q leaves its folder", name)
	}
	if base == nil {
		return Location{Path: join(m.Dir, name)}, nil
	}
	b, ok := m.bases[*base]
	if !ok {
		return Location{}, errs.New(errs.ErrCorrupt, "corrupt: a blob names base path %d, which is not listed", *base)
	}
	return Location{Base: &b, Path: name}, nil
}
