package table

import (
	"bytes"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/lanceflight/flightsrv/errs"
)

// A deletion file in Arrow's file form is read here and not by the Arrow library, which makes room for whatever lengths the
// file claims to have. The parts that count:
//
//	"ARROW1", padding
//	message     0xFFFFFFFF, u32 length, flatbuffer Message{header: RecordBatch}; then the body, with the buffers
//	flatbuffer Footer{schema, recordBatches: places of the messages}, u32 its length, "ARROW1"
//
// A compressed buffer starts with its plain length, -1 where it is not compressed after all.
const (
	arrowMagic = "ARROW1"
	blockSize  = 24 // struct Block: i64 offset, i32 metadata length, padding, i64 body length
	pairSize   = 16 // structs FieldNode and Buffer: two i64

	typeInt       = 2 // in union Type
	headerBatch   = 3 // in union MessageHeader
	codecZstd     = 1
	noCompression = math.MaxUint64 // -1
)

// parseRowIDFile gives the values of the only column of an Arrow file: row_id of uint32 without nulls, in one batch of
// at most maxRows rows.
func parseRowIDFile(data []byte, maxRows uint64) ([]uint32, error) {
	tail := len(data) - len(arrowMagic) - 4
	if tail < 8 || !bytes.HasPrefix(data, []byte(arrowMagic)) || !bytes.HasSuffix(data, []byte(arrowMagic)) {
		return nil, fmt.Errorf("no Arrow file of %d bytes", len(data))
	}
	size := int64(le.Uint32(data[tail:]))
	if size > int64(tail) {
		return nil, fmt.Errorf("footer of %d bytes", size)
	}
	footer := flat(data[int64(tail)-size : tail])
	if err := checkRowIDSchema(footer.child(1)); err != nil {
		return nil, err
	}
	blocks, n := footer.vector(3, blockSize)
	if n != 1 {
		return nil, fmt.Errorf("%d batches instead of one", n)
	}
	start, length := le.Uint64(blocks), uint64(le.Uint32(blocks[8:]))
	if start > uint64(tail) || length > uint64(tail)-start {
		return nil, fmt.Errorf("batch at byte %d", start)
	}
	return parseRowIDBatch(data[start:start+length], data[start+length:tail], maxRows)
}

func checkRowIDSchema(schema flatTable) error {
	fields, n := schema.vector(1, 4)
	if !schema.ok || n != 1 || schema.uint(0, 2) != 0 {
		return fmt.Errorf("schema of %d fields", n)
	}
	field := schema.follow(fields)
	name, _ := field.vector(0, 1)
	kind := field.child(3)
	if string(name) != "row_id" || field.uint(2, 1) != typeInt || kind.uint(0, 4) != 32 || kind.uint(1, 1) != 0 {
		return fmt.Errorf("column %q is no row_id of uint32", name)
	}
	return nil
}

func parseRowIDBatch(message, body []byte, maxRows uint64) ([]uint32, error) {
	if len(message) >= 4 && le.Uint32(message) == math.MaxUint32 { // older files lack this mark
		message = message[4:]
	}
	if len(message) < 4 {
		return nil, fmt.Errorf("batch of %d bytes", len(message))
	}
	header := flat(message[4:])
	batch := header.child(2)
	if header.uint(1, 1) != headerBatch || !batch.ok {
		return nil, fmt.Errorf("message of kind %d is no batch", header.uint(1, 1))
	}
	nodes, n := batch.vector(1, pairSize)
	buffers, m := batch.vector(2, pairSize)
	if n != 1 || m != 2 {
		return nil, fmt.Errorf("batch of %d columns and %d buffers", n, m)
	}
	rows := le.Uint64(nodes)
	if rows > maxRows || le.Uint64(nodes[8:]) != 0 {
		return nil, fmt.Errorf("batch of %d rows, %d of them nulls, where at most %d can be", rows, le.Uint64(nodes[8:]), maxRows)
	}
	at, size := le.Uint64(buffers[16:]), le.Uint64(buffers[24:])
	if at > uint64(len(body)) || size > uint64(len(body))-at {
		return nil, fmt.Errorf("values of %d bytes at byte %d", size, at)
	}
	plain, err := plainBuffer(body[at:at+size], batch.child(3), int(rows)*4)
	if err != nil {
		return nil, err
	}
	out := make([]uint32, rows)
	for i := range out {
		out[i] = le.Uint32(plain[4*i:])
	}
	return out, nil
}

// plainBuffer gives at least size bytes of a buffer that may be compressed.
func plainBuffer(b []byte, compression flatTable, size int) ([]byte, error) {
	if compression.ok && len(b) > 0 {
		if len(b) < 8 {
			return nil, fmt.Errorf("compressed buffer of %d bytes", len(b))
		}
		plain := le.Uint64(b)
		b = b[8:]
		if plain != noCompression {
			if c := compression.uint(0, 1); c != codecZstd || compression.uint(1, 1) != 0 {
				return nil, errs.Unsupportedf("compression %d of Arrow buffers is not supported", c)
			}
			// Buffers are padded, to 64 bytes at most.
			if plain < uint64(size) || plain > uint64(size)+64 {
				return nil, fmt.Errorf("buffer of %d bytes for %d bytes of values", plain, size)
			}
			var err error
			if b, err = decodeZstd(b, int(plain)); err != nil {
				return nil, err
			}
		}
	}
	if len(b) < size {
		return nil, fmt.Errorf("buffer of %d bytes for %d bytes of values", len(b), size)
	}
	return b, nil
}

func decodeZstd(b []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<40))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	defer d.Close()
	return d.DecodeAll(b, make([]byte, 0, size))
}

// flatTable is a table of a flatbuffer: buf with its position. Reading a field that is absent, or whose place is not in
// the buffer, gives zero.
type flatTable struct {
	buf    []byte
	at     uint64
	vtable []byte
	ok     bool
}

// flat gives the root table of a flatbuffer.
func flat(buf []byte) flatTable { return flatTable{buf: buf, ok: true}.deref(0) }

// number gives the size-byte number at a position.
func (t flatTable) number(at uint64, size uint64) (uint64, bool) {
	if n := uint64(len(t.buf)); at > n || size > n-at {
		return 0, false
	}
	b := t.buf[at:]
	switch size {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(le.Uint16(b)), true
	default:
		return uint64(le.Uint32(b)), true
	}
}

// deref gives the table that an offset at a position leads to.
func (t flatTable) deref(at uint64) flatTable {
	offset, ok := t.number(at, 4)
	if !t.ok || !ok {
		return flatTable{}
	}
	at += offset
	back, ok := t.number(at, 4)
	// The vtable lies at a signed distance before the table.
	v := at - uint64(int64(int32(back)))
	size, ok2 := t.number(v, 2)
	if !ok || !ok2 || size < 4 || size > uint64(len(t.buf))-v {
		return flatTable{}
	}
	return flatTable{buf: t.buf, at: at, vtable: t.buf[v : v+size], ok: true}
}

// field gives the position of a field.
func (t flatTable) field(i int) (uint64, bool) {
	if entry := 4 + 2*i; t.ok && entry+2 <= len(t.vtable) {
		if o := le.Uint16(t.vtable[entry:]); o != 0 {
			return t.at + uint64(o), true
		}
	}
	return 0, false
}

// uint gives a field that is a number of size bytes, 0 where it is absent.
func (t flatTable) uint(i int, size uint64) uint64 {
	at, ok := t.field(i)
	if !ok {
		return 0
	}
	n, _ := t.number(at, size)
	return n
}

// child gives a field that is a table; it is not ok where it is absent.
func (t flatTable) child(i int) flatTable {
	at, ok := t.field(i)
	if !ok {
		return flatTable{}
	}
	return t.deref(at)
}

// vector gives the bytes of a field that is a vector of n elements of size bytes; none where it is absent or broken.
func (t flatTable) vector(i int, size uint64) (b []byte, n uint64) {
	at, ok := t.field(i)
	if !ok {
		return nil, 0
	}
	offset, ok := t.number(at, 4)
	if !ok {
		return nil, 0
	}
	at += offset
	n, ok = t.number(at, 4)
	if !ok || n > (uint64(len(t.buf))-at-4)/size {
		return nil, 0
	}
	return t.buf[at+4:][:n*size], n
}

// follow gives the table that the first offset of a vector of this buffer leads to.
func (t flatTable) follow(vector []byte) flatTable {
	return t.deref(uint64(cap(t.buf) - cap(vector)))
}
