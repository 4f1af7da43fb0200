package file

import (
	"fmt"

	"github.com/lanceflight/flightsrv/errs"
)

// Version is the version in a file's footer.
type Version struct{ Major, Minor uint16 }

// String gives the version as "2.1".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// scheme is how the columns of a file are encoded.
type scheme int

const (
	batches    scheme = iota + 1 // the legacy format
	arrays                       // the array encodings of 2.0
	structural                   // the page layouts from 2.1 on
)

// schemes are the versions that can be read. Legacy files are all of one layout, whatever their minor version; files of
// version 2.0 say 0.3, but for some small ones.
var schemes = map[Version]scheme{
	{0, 0}: batches,
	{0, 1}: batches,
	{0, 2}: batches,
	{0, 3}: arrays,
	{2, 0}: arrays,
	{2, 1}: structural,
	{2, 2}: structural,
	{2, 3}: structural, // not stable: what later writers make of it may not be readable
}

func schemeOf(v Version, object string) (scheme, error) {
	if s, ok := schemes[v]; ok {
		return s, nil
	}
	return 0, errs.Unsupportedf("%s: data file version %s is not supported", object, v)
}

// alignment is what the offsets of page buffers must be multiples of.
func (s scheme) alignment() uint64 {
	if s == arrays {
		return 1
	}
	return 64
}
