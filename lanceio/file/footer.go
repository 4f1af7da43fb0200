package file

import (
	"encoding/binary"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

const (
	magic      = "LANC"
	footerSize = 40
	entrySize  = 16 // of the column and buffer tables
)

var le = binary.LittleEndian

// footer is the end of a data file.
type footer struct {
	columnsStart uint64 // of the first column's metadata
	columnTable  uint64
	bufferTable  uint64
	buffers      uint32
	columns      uint32
}

// parseVersion reads the version at the end of b, which is the end of a file of size bytes.
func parseVersion(b []byte, size uint64, object string) (Version, error) {
	if len(b) < 8 || string(b[len(b)-4:]) != magic {
		return Version{}, errs.Corruptf(object, -1, "no data file: %d bytes that do not end in %q", size, magic)
	}
	return Version{Major: le.Uint16(b[len(b)-8:]), Minor: le.Uint16(b[len(b)-6:])}, nil
}

// parseFooter reads a footer at the end of b, which is the end of a file of size bytes. Both tables lie in the file.
func parseFooter(b []byte, size uint64, object string) (footer, error) {
	at := int64(size) - footerSize
	if len(b) < footerSize {
		return footer{}, errs.Corruptf(object, 0, "data file of %d bytes", size)
	}
	b = b[len(b)-footerSize:]
	f := footer{
		columnsStart: le.Uint64(b), columnTable: le.Uint64(b[8:]), bufferTable: le.Uint64(b[16:]),
		buffers: le.Uint32(b[24:]), columns: le.Uint32(b[28:]),
	}
	end := size - footerSize
	for _, t := range []struct {
		what       string
		start, len uint64
	}{
		{"column table", f.columnTable, uint64(f.columns) * entrySize},
		{"buffer table", f.bufferTable, uint64(f.buffers) * entrySize},
		{"column metadata", f.columnsStart, 0},
	} {
		if t.start > end || t.len > end-t.start {
			return footer{}, errs.Corruptf(object, at, "%s of %d bytes at byte %d of %d", t.what, t.len, t.start, size)
		}
	}
	return f, nil
}

// tableEntry gives the place of the i-th entry of a table.
func tableEntry(table uint64, i int) encoding.BufferRange {
	return encoding.BufferRange{Offset: table + uint64(i)*entrySize, Size: entrySize}
}

// parseEntry reads an entry, which must lie before limit.
func parseEntry(b []byte, limit uint64, what, object string) (encoding.BufferRange, error) {
	r := encoding.BufferRange{Offset: le.Uint64(b), Size: le.Uint64(b[8:])}
	if r.Offset > limit || r.Size > limit-r.Offset {
		return r, errs.Corruptf(object, -1, "%s of %d bytes at byte %d, past %d", what, r.Size, r.Offset, limit)
	}
	return r, nil
}
