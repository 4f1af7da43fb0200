package codec

import (
	"encoding/binary"
	"errors"
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

// maxLZ4Ratio and MaxZstdRatio bound what a block may claim to hold: an lz4 block adds at most 255 bytes per byte; zstd
// can do far better on repeats, so that its claim is only held against what a block of repeats can reach.
const (
	maxLZ4Ratio  = 255
	MaxZstdRatio = 1 << 15
)

// Decompressor undoes general compression. Its zero value is not usable; it is used by one goroutine at a time.
type Decompressor struct {
	limit int
	zstd  *zstd.Decoder // never writes more than there is room for
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
	if size > uint64(stored)*uint64(ratio) {
		return corruptf("%d compressed bytes claim to hold %d", stored, size)
	}
	if size > uint64(d.limit) {
		return d.tooLarge(size)
	}
	return nil
}

func (d *Decompressor) tooLarge(size uint64) error {
	return errs.New(errs.ErrResourceExhausted, "compressed block of %d bytes, at most %d", size, d.limit)
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
		return d.zstdBare(dst, src)
	}
	if len(src) < 8 {
		return nil, corruptf("zstd block of %d bytes has no size", len(src))
	}
	size := binary.LittleEndian.Uint64(src)
	src = src[8:]
	if err := d.checkSize(size, len(src), MaxZstdRatio); err != nil {
		return nil, err
	}
	return d.zstdExact(dst, src, size)
}

// zstdExact decodes a frame that holds size bytes.
func (d *Decompressor) zstdExact(dst, src []byte, size uint64) ([]byte, error) {
	dst = Grow(dst, int(size))
	out, err := d.decodeZstd(dst[:0:size], src)
	if err != nil {
		return nil, err
	}
	if uint64(len(out)) != size {
		return nil, corruptf("zstd frame holds %d bytes instead of %d", len(out), size)
	}
	return out, nil
}

// zstdBare decodes a frame without a size before it. Where the frame does not tell it either, room is made step by step,
// so that it follows from what the frame holds.
func (d *Decompressor) zstdBare(dst, src []byte) ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(src); err != nil {
		return nil, corruptf("zstd frame: %w", err)
	}
	if head.HasFCS {
		if err := d.checkSize(head.FrameContentSize, len(src), MaxZstdRatio); err != nil {
			return nil, err
		}
		return d.zstdExact(dst, src, head.FrameContentSize)
	}
	for room := min(firstRoom+firstRatio*len(src), d.limit); ; room = min(8*room, d.limit) {
		dst = Grow(dst, room)
		out, err := d.decodeZstd(dst[:0:room], src)
		switch {
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return out, err
		case room == d.limit:
			return nil, d.tooLarge(uint64(room) + 1)
		}
	}
}

// The room that is made at first for a frame of unknown size, in bytes and for each byte of it.
const firstRoom, firstRatio = 64 << 10, 16

// decodeZstd decodes into the room behind dst.
func (d *Decompressor) decodeZstd(dst, src []byte) ([]byte, error) {
	if d.zstd == nil {
		made, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(d.limit)), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		d.zstd = made
	}
	out, err := d.zstd.DecodeAll(src, dst)
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
