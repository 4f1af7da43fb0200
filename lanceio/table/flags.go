package table

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// Flags is a word of feature flags of a manifest.
type Flags uint64

// The flags that matter to readers.
const (
	FlagDeletionFiles Flags = 1 << 0
	FlagStableRowIDs  Flags = 1 << 1
	FlagBasePaths     Flags = 1 << 4
	FlagMixedFormats  Flags = 1 << 8
	FlagRowLineage    Flags = 1 << 11
	FlagManagedBlobs  Flags = 1 << 14
	flagFieldIDs      Flags = 1 << 15
)

// Has tells whether all of the flags f are set.
func (w Flags) Has(f Flags) bool { return w&f == f }

// flagNames holds the name of each known bit.
var flagNames = [...]string{
	"deletion files", "stable row ids", "v2 format", "table config", "base paths", "no transaction files", "data overlay files",
	"covering index columns", "mixed data file versions", "stable row ids with a fragment reuse index", "tagged fragment reuse index",
	"row lineage columns", "fragment tree", "independent covering fields", "managed blobs", "non-reusable field ids",
	"zone write seeds", "object metadata",
}

// readable are the flags under which all rows still mean what this package makes of them. Bit 2 is deprecated and ignored;
// bits 7 and 10 change indices only, which are not used; 11 and 14 bar single columns only, whose readers refuse them.
const readable Flags = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<7 | 1<<8 | 1<<10 | 1<<11 | 1<<14

// paired are the flags that stand in both words or in neither.
const paired Flags = 1<<8 | 1<<10 | 1<<14 | 1<<16

// checkFlags refuses a table that needs what this package does not know.
func checkFlags(reader, writer Flags, object string) error {
	if reader.Has(flagFieldIDs) {
		return errs.Corruptf(object, -1, "writer flag %q is set for readers", flagFieldIDs)
	}
	if odd := (reader ^ writer) & paired; odd != 0 {
		return errs.Corruptf(object, -1, "feature %s is set for readers or writers only", odd)
	}
	if unknown := reader &^ readable; unknown != 0 {
		return errs.Unsupportedf("%s: the table uses features that are not supported: %s", object, unknown)
	}
	return nil
}

// String lists the names of the flags that are set.
func (w Flags) String() string {
	var names []string
	for rest := uint64(w); rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		if bit < len(flagNames) {
			names = append(names, flagNames[bit])
		} else {
			names = append(names, fmt.Sprintf("bit %d", bit))
		}
	}
	return strings.Join(names, ", ")
}
