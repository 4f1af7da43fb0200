package file

import (
	"context"
	"encoding/binary"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// textReader reads a column that is, or holds, text. Arrow demands valid UTF-8 of its text types, and readers trust it;
// in the file nothing guards the bytes.
type textReader struct {
	encoding.FieldReader
	path   string
	object string
}

// Read gives the values at rows; text that is no UTF-8 is an errs.ErrCorrupt.
func (r *textReader) Read(ctx context.Context, ranges []encoding.RowRange) (arrow.Array, error) {
	a, err := r.FieldReader.Read(ctx, ranges)
	if err != nil {
		return nil, err
	}
	if bad := badText(a.Data(), r.path); bad != "" {
		a.Release()
		return nil, errs.Corruptf(r.object, -1, "column %s holds a text that is not valid UTF-8", bad)
	}
	return a, nil
}

// holdsText tells whether values of a type hold text.
func holdsText(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType:
		return true
	case *arrow.DictionaryType:
		return holdsText(t.ValueType)
	case arrow.ExtensionType:
		return holdsText(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if holdsText(f.Type) {
				return true
			}
		}
	}
	return false
}

// badText gives the path of a column in data that holds invalid text, "" where there is none. Bytes beneath nulls of the
// column itself are not judged.
func badText(data arrow.ArrayData, path string) string {
	switch t := data.DataType().(type) {
	case *arrow.StringType:
		if !validTexts(data, func(b []byte, i int) int { return int(int32(binary.LittleEndian.Uint32(b[4*i:]))) }) {
			return path
		}
	case *arrow.LargeStringType:
		if !validTexts(data, func(b []byte, i int) int { return int(int64(binary.LittleEndian.Uint64(b[8*i:]))) }) {
			return path
		}
	case *arrow.DictionaryType:
		if holdsText(t.ValueType) {
			return badText(data.Dictionary(), path)
		}
	case arrow.ExtensionType:
		storage := array.NewData(t.StorageType(), data.Len(), data.Buffers(), data.Children(), data.NullN(), data.Offset())
		defer storage.Release()
		return badText(storage, path)
	case arrow.NestedType:
		for i, f := range t.Fields() {
			below := path
			if t.ID() == arrow.STRUCT {
				below += "." + f.Name
			}
			if holdsText(f.Type) {
				if bad := badText(data.Children()[i], below); bad != "" {
					return bad
				}
			}
		}
	}
	return ""
}

// validTexts tells whether all values that are not null are valid UTF-8. at reads an offset. All bytes are looked at
// together first: they are mostly ASCII, and then no value can start amid a character.
func validTexts(data arrow.ArrayData, at func(offsets []byte, i int) int) bool {
	n, first := data.Len(), data.Offset()
	buffers := data.Buffers()
	if n == 0 || buffers[1] == nil || buffers[2] == nil {
		return true
	}
	offsets, bytes := buffers[1].Bytes(), buffers[2].Bytes()
	if ascii(bytes[at(offsets, first):at(offsets, first+n)]) {
		return true
	}
	var validity []byte
	if buffers[0] != nil {
		validity = buffers[0].Bytes()
	}
	for i := first; i < first+n; i++ {
		if len(validity) > 0 && !bitutil.BitIsSet(validity, i) {
			continue
		}
		if !utf8.Valid(bytes[at(offsets, i):at(offsets, i+1)]) {
			return false
		}
	}
	return true
}

// ascii tells whether no byte has its high bit set.
func ascii(b []byte) bool {
	const high = 0x8080808080808080
	for ; len(b) >= 32; b = b[32:] {
		w := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
		if w&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
