package encoding

import (
	"bytes"
	"encoding/binary"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// values is a run of decoded leaf values. Which fields are set follows from what they are:
//
//	fixed width   bits and data; bits is 1 or a multiple of 8
//	byte strings  text; symbols is what a chunk's are compressed with, nil where they are not
//	fixed lists   items, with dim items for each value; valid tells which of the items are not null, nil where all are
//	keys          keys into dict: bits and data
//	nulls         null
//	rows          of a packed struct: bits and data; widths are those of the members in bits
//
// What it points to is good until its maker is used again.
type values struct {
	n       int
	bits    int
	data    []byte
	text    codec.Variable
	symbols *codec.SymbolTable
	items   *values
	valid   []byte
	dict    *values
	table   *wordTable // of byte strings that are a dictionary, once it is made
	widths  []uint64
	null    bool // all are null, and nothing is stored
	// arena is what data may be shared with, nil where it may not.
	arena *arena
}

// value gives the bytes of value i, of fixed width or a byte string; of a bit, 0 or 1.
func (v *values) value(i int) []byte {
	if v.text.Width > 0 {
		return v.text.Value(i)
	}
	if v.bits == 1 {
		return []byte{v.data[i/8] >> (i % 8) & 1}
	}
	w := v.bits / 8
	return v.data[i*w : (i+1)*w]
}

// key gives key i of data with the given bits.
func key(data []byte, bits, i int) uint64 {
	switch bits {
	case 8:
		return uint64(data[i])
	case 16:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	default:
		return binary.LittleEndian.Uint64(data[8*i:])
	}
}

// words gives the byte strings of a dictionary as a table, which is made when it is asked for first.
func (v *values) words() *wordTable {
	if v.table == nil {
		v.table = newWordTable(v.text, v.n)
	}
	return v.table
}

// checkKeys tells whether keys from to to are of a width that keys have, and below n.
func checkKeys(data []byte, bits, from, to, n int) error {
	if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return corruptf("dictionary keys of %d bits", bits)
	}
	top, w := uint64(0), bits/8
	data = data[from*w : to*w]
	_ = withKeys(data, bits,
		func(k []uint8) { top = largest(k) }, func(k []uint16) { top = largest(k) },
		func(k []uint32) { top = largest(k) }, func(k []uint64) { top = largest(k) })
	if from < to && top >= uint64(n) {
		return corruptf("key %d into a dictionary of %d", top, n)
	}
	return nil
}

// clone gives v with memory of its own, so that it outlives its maker's next call. Dictionaries are kept this way.
func (v *values) clone() *values {
	c := *v
	if v.items != nil {
		c.items = v.items.clone()
	}
	c.valid = bytes.Clone(v.valid)
	c.data = bytes.Clone(v.data)
	c.text.Offsets, c.text.Data = bytes.Clone(v.text.Offsets), bytes.Clone(v.text.Data)
	return &c
}

// kept is about how many bytes v has, where these are its own.
func (v *values) kept() int {
	n := len(v.data) + len(v.valid) + len(v.text.Offsets) + len(v.text.Data)
	if v.items != nil {
		n += v.items.kept()
	}
	return n
}

// widthOf checks a width in bits that has to be one of a machine word.
func widthOf(bits uint64) (int, error) {
	switch bits {
	case 8, 16, 32, 64:
		return int(bits), nil
	}
	return 0, corruptf("values of %d bits", bits)
}
