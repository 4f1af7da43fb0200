package encoding

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

var le20 = binary.LittleEndian

// kindOf20 names an encoding as the format does.
func kindOf20(e *encodings20.ArrayEncoding) string {
	m := e.ProtoReflect()
	f := m.WhichOneof(m.Descriptor().Oneofs().ByName("array_encoding"))
	if f == nil {
		return "(unknown)"
	}
	return string(f.Name())
}

// fixedBits20 is the width of a type's values in bits; false for types that are not flat.
func fixedBits20(t arrow.DataType) (uint64, bool) {
	switch t := t.(type) {
	case *arrow.FixedSizeListType, *arrow.DictionaryType:
		return 0, false
	case arrow.FixedWidthDataType:
		return uint64(t.BitWidth()), true
	}
	return 0, false
}

// isVariable20 tells whether a type's values are byte strings.
func isVariable20(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return true
	}
	return false
}

// buffer finds a buffer, and its number among all that the page may name.
func (p *page20) buffer(b *encodings20.Buffer) (BufferRange, uint32, error) {
	var from []BufferRange
	index := b.GetBufferIndex()
	key := index
	switch b.GetBufferType() {
	case encodings20.Buffer_page:
		from = p.buffers
	case encodings20.Buffer_column:
		from = p.col.buffers
		key |= 1 << 31
	default:
		return BufferRange{}, 0, p.unsupportedf("values in a buffer of kind %s are not supported", b.GetBufferType())
	}
	if uint64(index) >= uint64(len(from)) || index >= 1<<31 {
		return BufferRange{}, 0, p.corruptf("buffer %d of %d is named", index, len(from))
	}
	return from[index], key, nil
}
