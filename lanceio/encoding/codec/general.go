package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/lanceflight/flightsrv/errs"
)

// Scheme is a general compression.
type Scheme int

// The schemes, numbered as in the format.
const (
	LZ4  Scheme = 1
	Zstd Scheme = 2
)

const zstdMagic = 0xFD2FB528

// maxLZ4Ratio and maxZstdRatio bound what a block may claim to hold: an lz4 block adds at most 255 bytes per byte; zstd
// can do far better on repeats, so that its claim is only held against what a block of repeats can reach.
const (
	maxLZ4Ratio  = 255
	maxZstdRatio = 1 << 15
)

// Decompressor undoes general compression. Its zero value is not usable; it is used by one goroutine at a time.
type Decompressor struct {
	limit int
	exact *zstd.Decoder // never writes more than there is room for
	free  *zstd.Decoder // makes room up to the limit
}

// NewDecompressor gives one that refuses blocks of more than limit bytes.
func NewDecompressor(limit int) *Decompressor { return &Decompressor{limit: limit} }

// Decompress gives the bytes of a block: for LZ4 a u32 size and an lz4 block, for Zstd a u64 size and a frame, or just a
// frame. Empty input is empty output. The result is dst or a larger slice.
func (d *Decompressor) Decompress(scheme Scheme, dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return dst[:0], nil
	}
	switch scheme {
	case LZ4:
		return d.lz4Block(dst, src)
	case Zstd:
		return d.zstdFrame(dst, src)
	default:
		return nil, errs.Unsupportedf("general compression scheme %d", int(scheme))
	}
}

func (d *Decompressor) checkSize(size uint64, stored, ratio int) error {
	if size > uint64(d.limit) {
		return errs.New(errs.ErrResourceExhausted, "compressed block of %d bytes, at most %d", size, d.limit)
	}
	if size > uint64(stored)*uint64(ratio) {
		return corruptf("%d compressed bytes claim to hold %d", stored, size)
	}
	return nil
}

func (d *Decompressor) lz4Block(dst, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, corruptf("lz4 block of %d bytes has no size", len(src))
	}
	size := uint64(binary.LittleEndian.Uint32(src))
	src = src[4:]
	if err := d.checkSize(size, len(src), maxLZ4Ratio); err != nil {
		return nil, err
	}
	dst = Grow(dst, int(size))
	if size == 0 {
		return dst, nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return nil, corruptf("lz4 block: %w", err)
	}
	if n != len(dst) {
		return nil, corruptf("lz4 block holds %d bytes instead of %d", n, len(dst))
	}
	return dst, nil
}

func (d *Decompressor) zstdFrame(dst, src []byte) ([]byte, error) {
	if bareFrame(src) {
		return d.decodeZstd(&d.free, dst[:0], src)
	}
	if len(src) < 8 {
		return nil, corruptf("zstd block of %d bytes has no size", len(src))
	}
	size := binary.LittleEndian.Uint64(src)
	src = src[8:]
	if err := d.checkSize(size, len(src), maxZstdRatio); err != nil {
		return nil, err
	}
	dst = Grow(dst, int(size))
	out, err := d.decodeZstd(&d.exact, dst[:0:size], src)
	if err != nil {
		return nil, err
	}
	if uint64(len(out)) != size {
		return nil, corruptf("zstd frame holds %d bytes instead of %d", len(out), size)
	}
	return out, nil
}

func (d *Decompressor) decodeZstd(dec **zstd.Decoder, dst, src []byte) ([]byte, error) {
	if *dec == nil {
		made, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(d.limit)), zstd.WithDecodeAllCapLimit(dec == &d.exact))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		*dec = made
	}
	out, err := (*dec).DecodeAll(src, dst)
	if err != nil {
		return nil, corruptf("zstd frame: %w", err)
	}
	return out, nil
}

// bareFrame tells whether src starts with a zstd frame rather than a size. A size that looks like the magic number has
// bit 4 of its fifth byte set in no real file: it would be above 2^36.
func bareFrame(src []byte) bool {
	return len(src) >= 5 && binary.LittleEndian.Uint32(src) == zstdMagic && src[4]>>4&1 == 0
}
