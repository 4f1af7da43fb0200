package table

import (
	"encoding/binary"
	"path"

	"github.com/lanceflight/flightsrv/errs"
)

const (
	magic      = "LANC"
	tailSize   = 16 // u64 position, u16 major, u16 minor, magic
	lengthSize = 4
)

var le = binary.LittleEndian

// manifestPosition reads the tail of a manifest file of size bytes, of which b is the end. The position is that of the
// manifest's length, from the start of the file.
func manifestPosition(b []byte, size uint64, object string) (uint64, error) {
	if len(b) < tailSize {
		return 0, errs.Corruptf(object, -1, "manifest file of %d bytes", size)
	}
	tail := b[len(b)-tailSize:]
	if string(tail[12:]) != magic {
		return 0, errs.Corruptf(object, int64(size)-4, "no manifest: it does not end in %q", magic)
	}
	if major := le.Uint16(tail[8:]); major != 0 {
		return 0, errs.New(errs.ErrUnsupported, "%s: manifest format %d.%d is not supported", object, major, le.Uint16(tail[10:]))
	}
	pos := le.Uint64(tail)
	if pos > size || size-pos < lengthSize+tailSize {
		return 0, errs.Corruptf(object, int64(size)-tailSize, "manifest at byte %d of %d", pos, size)
	}
	return pos, nil
}

// join puts two relative names together; either may be empty.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return path.Join(dir, name)
}
