package file

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/lanceflight/flightsrv/errs"
)

// JSON columns hold a binary form. All of it is big-endian: a header tells array, object or scalar and how many values
// follow, then comes an entry of kind and length for each value (an object has those of its keys first), then the values'
// bytes in the same order. A scalar is a container of one value.
const (
	jsonKindMask   = 0xE0000000
	jsonArray      = 0x80000000
	jsonObject     = 0x40000000
	jsonScalar     = 0x20000000
	jsonEntryMask  = 0x70000000
	jsonNull       = 0x00000000
	jsonString     = 0x10000000
	jsonNumber     = 0x20000000
	jsonFalse      = 0x30000000
	jsonTrue       = 0x40000000
	jsonContainer  = 0x50000000
	jsonLengthMask = 0x0FFFFFFF

	// maxJSONNesting bounds how deep a document may be nested.
	maxJSONNesting = 4096
)

var be = binary.BigEndian

func badJSON(format string, args ...any) error {
	return errs.New(errs.ErrCorrupt, "binary JSON: "+format, args...)
}

// appendJSON appends the text of a binary document, without spaces, keys in the order they are stored.
func appendJSON(dst, doc []byte, depth int) ([]byte, error) {
	if depth > maxJSONNesting {
		return nil, badJSON("nested more than %d levels deep", maxJSONNesting)
	}
	if len(doc) < 4 {
		return nil, badJSON("document of %d bytes", len(doc))
	}
	head := be.Uint32(doc)
	n := int(head &^ jsonKindMask)
	entries := n
	switch head & jsonKindMask {
	case jsonObject:
		entries = 2 * n
	case jsonScalar: // its count is 0, and one value follows
		entries = 1
	}
	if entries > (len(doc)-4)/4 {
		return nil, badJSON("%d entries in %d bytes", entries, len(doc))
	}
	c := jsonCursor{entries: doc[4 : 4+4*entries], data: doc[4+4*entries:]}
	switch head & jsonKindMask {
	case jsonScalar:
		return c.value(dst, depth)
	case jsonArray:
		return c.array(dst, n, depth)
	case jsonObject:
		return c.object(dst, n, depth)
	}
	return nil, badJSON("document of an unknown kind %#x", head)
}

// jsonCursor walks entries and the bytes that belong to them.
type jsonCursor struct{ entries, data []byte }

func (c *jsonCursor) next() (kind uint32, b []byte, err error) {
	e := be.Uint32(c.entries)
	n := int(e & jsonLengthMask)
	if n > len(c.data) {
		return 0, nil, badJSON("value of %d bytes where %d are left", n, len(c.data))
	}
	b, c.data, c.entries = c.data[:n], c.data[n:], c.entries[4:]
	return e & jsonEntryMask, b, nil
}

func (c *jsonCursor) array(dst []byte, n, depth int) ([]byte, error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = c.value(dst, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (c *jsonCursor) object(dst []byte, n, depth int) ([]byte, error) {
	keys := make([][]byte, n)
	for i := range keys {
		kind, key, err := c.next()
		if err != nil {
			return nil, err
		}
		if kind != jsonString {
			return nil, badJSON("key of kind %#x", kind)
		}
		keys[i] = key
	}
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, key), ':')
		var err error
		if dst, err = c.value(dst, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (c *jsonCursor) value(dst []byte, depth int) ([]byte, error) {
	kind, b, err := c.next()
	if err != nil {
		return nil, err
	}
	switch kind {
	case jsonNull:
		return append(dst, "null"...), nil
	case jsonFalse:
		return append(dst, "false"...), nil
	case jsonTrue:
		return append(dst, "true"...), nil
	case jsonString:
		return appendJSONString(dst, b), nil
	case jsonNumber:
		return appendJSONNumber(dst, b)
	case jsonContainer:
		return appendJSON(dst, b, depth+1)
	}
	return nil, errs.Unsupportedf("binary JSON: value of kind %#x is not supported", kind)
}

// appendJSONNumber writes a number: a byte that tells its kind, then 1, 2, 4 or 8 bytes.
func appendJSONNumber(dst, b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, badJSON("number of no bytes")
	}
	kind, b := b[0], b[1:]
	switch {
	case kind == 0x00 && len(b) == 0:
		return append(dst, '0'), nil
	case kind == 0x10 || kind == 0x20 || kind == 0x30: // not a number, or infinite: JSON has no text for these
		return append(dst, "null"...), nil
	case kind == 0x60 && len(b) == 8:
		return appendJSONFloat(dst, math.Float64frombits(be.Uint64(b))), nil
	case kind == 0x40 || kind == 0x50:
		x, ok := jsonInteger(b, kind == 0x40)
		if !ok {
			return nil, badJSON("integer of %d bytes", len(b))
		}
		if kind == 0x40 {
			return strconv.AppendInt(dst, int64(x), 10), nil
		}
		return strconv.AppendUint(dst, x, 10), nil
	}
	return nil, errs.Unsupportedf("binary JSON: number of kind %#x and %d bytes is not supported", kind, len(b))
}

// jsonInteger reads an integer of 1, 2, 4 or 8 bytes, with its sign extended.
func jsonInteger(b []byte, signed bool) (uint64, bool) {
	var x uint64
	switch len(b) {
	case 1, 2, 4, 8:
	default:
		return 0, false
	}
	for _, c := range b {
		x = x<<8 | uint64(c)
	}
	if signed {
		shift := 64 - 8*len(b)
		x = uint64(int64(x<<shift) >> shift)
	}
	return x, true
}

// appendJSONFloat writes a float with the fewest digits that tell it, and always with a point or an exponent: plain from
// 0.00001 up to 16 digits before the point, else as 1.5e+16.
func appendJSONFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	a := math.Abs(f)
	if a != 0 && (a < 1e-5 || a >= 1e16) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		// Exponents have no leading zero.
		if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
			dst = append(dst[:n-2], dst[n-1])
		}
		return dst
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, '.', '0')
}

func appendJSONString(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
