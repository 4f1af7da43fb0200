package table

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// Format is the version of a table's data files, as the manifest spells it.
type Format string

// The formats.
const (
	FormatLegacy Format = "0.1"
	Format20     Format = "2.0"
	Format21     Format = "2.1"
	Format22     Format = "2.2"
	Format23     Format = "2.3"
)

// deprecatedV2 is the flag by which old writers said that a table without a data format is of the then stable format.
const deprecatedV2 Flags = 1 << 2

// fileFormat gives the format that the numbers of a DataFile stand for.
func fileFormat(major, minor uint32) (Format, error) {
	switch [2]uint32{major, minor} {
	case [2]uint32{0, 0}, [2]uint32{0, 1}, [2]uint32{0, 2}:
		return FormatLegacy, nil
	case [2]uint32{2, 0}, [2]uint32{0, 3}:
		return Format20, nil
	case [2]uint32{2, 1}:
		return Format21, nil
	case [2]uint32{2, 2}:
		return Format22, nil
	case [2]uint32{2, 3}:
		return Format23, nil
	}
	return "", errs.Unsupportedf("data file format %d.%d is not supported", major, minor)
}

// formatOf gives the format of a table: what the manifest says, else that of its files, else legacy.
func formatOf(msg *tablepb.Manifest, object string) (Format, error) {
	if d := msg.GetDataFormat(); d != nil {
		if d.GetFileFormat() != "lance" {
			return "", errs.Unsupportedf("%s: data files of format %q are not supported", object, d.GetFileFormat())
		}
		switch f := Format(d.GetVersion()); f {
		case FormatLegacy, Format20, Format21, Format22, Format23:
			return f, nil
		default:
			return "", errs.Unsupportedf("%s: data file format %q is not supported", object, string(f))
		}
	}
	for _, f := range msg.GetFragments() {
		for _, d := range f.GetFiles() {
			return fileFormat(d.GetFileMajorVersion(), d.GetFileMinorVersion())
		}
	}
	if Flags(msg.GetReaderFeatureFlags() | msg.GetWriterFeatureFlags()).Has(deprecatedV2) {
		return Format20, nil
	}
	return FormatLegacy, nil
}
