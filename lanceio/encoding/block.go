package encoding

import (
	"bytes"
	"encoding/binary"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// blockCodec decodes a block that stands alone, of n values. The result may share memory with src and with the codec,
// and is good until its next call.
type blockCodec interface {
	decode(src []byte, n int) (values, error)
}

// widthOf checks a width in bits that has to be one of a machine word.
func widthOf(bits uint64) (int, error) {
	switch bits {
	case 8, 16, 32, 64:
		return int(bits), nil
	}
	return 0, corruptf("values of %d bits", bits)
}

// maxValueBits bounds the width of one value of fixed width.
const maxValueBits = 8 << 30

// flatBits checks the width of flat values: a bit, or whole bytes.
func flatBits(f *pb.Flat) (int, error) {
	if f.GetData() != nil {
		return 0, errs.Unsupportedf("flat values with compression of their own")
	}
	bits := f.GetBitsPerValue()
	if bits != 1 && (bits%8 != 0 || bits > maxValueBits) {
		return 0, corruptf("flat values of %d bits", bits)
	}
	return int(bits), nil
}

// flatSize is the size of n flat values.
func flatSize(bits, n int) uint64 {
	if bits == 1 {
		return (uint64(n) + 7) / 8
	}
	return uint64(n) * uint64(bits/8)
}

// checkOffsets checks the offsets' encoding of byte strings: flat, 32 or 64 bits.
func checkOffsets(v *pb.Variable) error {
	_, err := offsetWidth(v)
	return err
}

// offsetWidth gives the bytes of an offset.
func offsetWidth(v *pb.Variable) (int, error) {
	if v.GetValues() != nil {
		return 0, errs.Unsupportedf("byte strings with compression of their own")
	}
	f, ok := v.GetOffsets().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return 0, errs.Unsupportedf("offsets in encoding %s", encodingName(v.GetOffsets()))
	}
	bits := f.Flat.GetBitsPerValue()
	if bits != 32 && bits != 64 || f.Flat.GetData() != nil {
		return 0, corruptf("offsets of %d bits", bits)
	}
	return int(bits / 8), nil
}

type flatBlock struct{ bits int }

func newFlatBlock(f *pb.Flat) (blockCodec, error) {
	bits, err := flatBits(f)
	return flatBlock{bits}, err
}

func (c flatBlock) decode(src []byte, n int) (values, error) {
	if uint64(len(src)) != flatSize(c.bits, n) {
		return values{}, corruptf("%d bytes for %d values of %d bits", len(src), n, c.bits)
	}
	return values{n: n, bits: c.bits, data: src}, nil
}

type inlineBlock struct {
	bits int
	buf  []byte
}

func newInlineBlock(b *pb.InlineBitpacking) (*inlineBlock, error) {
	if b.GetValues() != nil {
		return nil, errs.Unsupportedf("bit-packed values with compression of their own")
	}
	bits, err := widthOf(b.GetUncompressedBitsPerValue())
	return &inlineBlock{bits: bits}, err
}

func (c *inlineBlock) decode(src []byte, n int) (values, error) {
	out, err := codec.InlineBitpacked(c.buf, src, c.bits, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}

type outOfLineBlock struct {
	bits, packed int
	buf          []byte
}

func newOutOfLineBlock(b *pb.OutOfLineBitpacking) (blockCodec, error) {
	bits, err := widthOf(b.GetUncompressedBitsPerValue())
	if err != nil {
		return nil, err
	}
	f, ok := b.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return nil, errs.Unsupportedf("bit-packed values in encoding %s", encodingName(b.GetValues()))
	}
	if f.Flat.GetBitsPerValue() > uint64(bits) || f.Flat.GetData() != nil {
		return nil, corruptf("values of %d bits packed to %d", bits, f.Flat.GetBitsPerValue())
	}
	return &outOfLineBlock{bits: bits, packed: int(f.Flat.GetBitsPerValue())}, nil
}

func (c *outOfLineBlock) decode(src []byte, n int) (values, error) {
	out, err := codec.OutOfLineBitpacked(c.buf, src, c.bits, c.packed, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}

type runsBlock struct {
	bits int
	buf  []byte
}

// runsWidth checks the two parts of a run-length encoding and gives the width of a value in bits.
func runsWidth(r *pb.Rle) (int, error) {
	v, ok := r.GetValues().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return 0, errs.Unsupportedf("run-length values in encoding %s", encodingName(r.GetValues()))
	}
	l, ok := r.GetRunLengths().GetCompression().(*pb.CompressiveEncoding_Flat)
	if !ok {
		return 0, errs.Unsupportedf("run lengths in encoding %s", encodingName(r.GetRunLengths()))
	}
	if l.Flat.GetBitsPerValue() != 8 {
		return 0, errs.Unsupportedf("run lengths of %d bits", l.Flat.GetBitsPerValue())
	}
	return widthOf(v.Flat.GetBitsPerValue())
}

func newRunsBlock(r *pb.Rle) (*runsBlock, error) {
	bits, err := runsWidth(r)
	return &runsBlock{bits: bits}, err
}

func (c *runsBlock) decode(src []byte, n int) (values, error) {
	vals, lengths, err := codec.RunBlock(src)
	if err != nil {
		return values{}, err
	}
	out, err := codec.RunLengths(c.buf, vals, lengths, c.bits/8, n)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return values{n: n, bits: c.bits, data: out}, nil
}

// total is how many values a block of runs has.
func (c *runsBlock) total(src []byte) (int, error) {
	_, lengths, err := codec.RunBlock(src)
	return codec.RunTotal(lengths), err
}

type generalBlock struct {
	scheme codec.Scheme
	dec    *codec.Decompressor
	inner  blockCodec
	buf    []byte
}

func newGeneralBlock(g *pb.General, d *codec.Decompressor) (blockCodec, error) {
	inner, err := newBlockCodec(g.GetValues(), d)
	if err != nil {
		return nil, err
	}
	scheme, err := schemeOf(g)
	return &generalBlock{scheme: scheme, dec: d, inner: inner}, err
}

func schemeOf(g *pb.General) (codec.Scheme, error) {
	s := codec.Scheme(g.GetCompression().GetScheme())
	if s != codec.LZ4 && s != codec.Zstd {
		return 0, errs.Unsupportedf("general compression scheme %d", int(s))
	}
	return s, nil
}

func (c *generalBlock) decode(src []byte, n int) (values, error) {
	out, err := c.dec.Decompress(c.scheme, c.buf, src)
	if err != nil {
		return values{}, err
	}
	c.buf = out
	return c.inner.decode(out, n)
}

type variableBlock struct{}

func (variableBlock) decode(src []byte, n int) (values, error) {
	v, err := codec.BlockVariable(src, n)
	return values{n: n, text: v}, err
}

// listBlock is fixed-size lists, as the rows of a full-zip page.
type listBlock struct{ rows rowCodec }

func newListBlock(l *pb.FixedSizeList) (blockCodec, error) {
	rows, err := newListRows(l)
	if err == nil && rows.size() == 0 {
		err = errs.Unsupportedf("fixed-size lists without bytes in a block")
	}
	return listBlock{rows}, err
}

func (c listBlock) decode(src []byte, n int) (values, error) { return c.rows.decode(src, n, nil) }

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

// levelCodec decodes levels, which are blocks of 16-bit values.
type levelCodec struct{ block blockCodec }

func newLevelCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (*levelCodec, error) {
	if e == nil {
		return nil, nil
	}
	b, err := newBlockCodec(e, d)
	return &levelCodec{b}, err
}

// decode gives n levels, appended to dst.
func (c *levelCodec) decode(dst []uint16, src []byte, n int) ([]uint16, error) {
	v, err := c.block.decode(src, n)
	if err != nil {
		return nil, err
	}
	if v.bits != 16 {
		return nil, corruptf("levels of %d bits", v.bits)
	}
	return appendLevels(dst, v.data), nil
}

// appendLevels appends 16-bit levels from their bytes.
func appendLevels(dst []uint16, src []byte) []uint16 {
	at := len(dst)
	n := len(src) / 2
	if cap(dst)-at < n {
		dst = append(dst, make([]uint16, n)...)
	} else {
		dst = dst[:at+n]
	}
	out := dst[at:]
	for ; len(out) >= 4 && len(src) >= 8; out, src = out[4:], src[8:] {
		w := binary.LittleEndian.Uint64(src)
		out[0], out[1], out[2], out[3] = uint16(w), uint16(w>>16), uint16(w>>32), uint16(w>>48)
	}
	for i := range out {
		out[i] = uint16(src[2*i]) | uint16(src[2*i+1])<<8
	}
	return dst
}

// runs gives the codec as one of runs, where it is one, else nil.
func (c *levelCodec) runs() *runsBlock {
	r, _ := c.block.(*runsBlock)
	return r
}
