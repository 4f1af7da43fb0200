// Package codec undoes the byte-level compression of Lance data files from version 2.1 on. It knows bytes and widths,
// neither columns nor Arrow types. Integers are little-endian; bitmaps have their first bit lowest.
//
// Every input is hostile: lengths and counts are checked before use and a fault is an errs.ErrCorrupt. Nothing is
// allocated beyond what the caller's count of values, or the caller's limit, allows for.
//
//	codec              input                                    output
//	Unpack             1024 values of w bits, FastLanes order   1024 words of t bits
//	InlineBitpacked    a word that holds w, then as above       up to 1024 words
//	OutOfLineBitpacked groups of 1024, and a tail               n words
//	RunLengths         values and lengths                       n values
//	SplitBytes         byte planes                              n values
//	SymbolTable        FSST text                                plain text
//	Decompress         size prefix and lz4 block or zstd frame  bytes
//	Offsets            offsets and bytes                        Variable
package codec

import "github.com/lanceflight/flightsrv/errs"

// corruptf gives an error of the kind ErrCorrupt; the layers above know and add the object and the place.
func corruptf(format string, args ...any) error { return errs.New(errs.ErrCorrupt, format, args...) }

// Grow gives b with length n; what it held is lost where it has to be made anew.
func Grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
