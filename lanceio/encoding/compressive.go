package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// The compressive encodings of versions 2.1 and later say how the values of a page, or a block beside them, are stored.
// One may stand in several places, which have grammars of their own. Each has a file, which begins with its layout and
// what decodes it in each place: compress_flat.go, compress_rle.go, ... The registry tells them apart.
//
// Their layouts are those of Lance's format for file versions 2.1 to 2.3: the messages of encodings21.proto, whose comments
// say what the fields mean, and where these are silent what pylance's files hold.

// forms is who decodes an encoding in each place where it may stand; nil where it may not.
type forms struct {
	chunk    func(*codec.Decompressor) (chunkCodec, error)            // the chunks of a mini-block page
	row      func() (rowCodec, error)                                 // a full-zip page of values of one size
	text     func(*codec.Decompressor) (textCodec, error)             // a full-zip page of values of sizes of their own
	block    func(*codec.Decompressor) (blockCodec, error)            // a block that stands alone: levels, dictionaries
	sequence func(width int, d *codec.Decompressor) (sequence, error) // offsets, positions and counts of version 2.3
	simple   bool                                                     // the sequence may stand within others
}

// chunkCodec decodes the values of one chunk of a mini-block page.
type chunkCodec interface {
	// buffers is how many buffers the values of a chunk have.
	buffers() int
	// decode gives the n values. What it gives may share memory with bufs and the codec, and is good until its next call.
	decode(bufs [][]byte, n int) (values, error)
}

// rowCodec decodes the values of a full-zip page that all have one size.
type rowCodec interface {
	// size is the bytes of a value.
	size() int
	// decode gives the n values of b. What it gives may share memory with b and the codec, and is good until its next
	// call. lender is what b may be shared with, nil where it may not.
	decode(b []byte, n int, lender *arena) (values, error)
}

// textCodec decodes the values of a full-zip page that have sizes of their own.
type textCodec interface {
	// append appends the values at spans of b, (from, to) for each. Those of nulls are empty.
	append(s sink, b []byte, spans []uint64) error
}

// blockCodec decodes a block that stands alone, of n values. The result may share memory with src and with the codec,
// and is good until its next call.
type blockCodec interface {
	decode(src []byte, n int) (values, error)
}

// sequence decodes unsigned integers of 32 or 64 bits, as version 2.3 stores offsets, positions and counts. Some kinds
// have all in their description and no bytes.
type sequence interface {
	// payload tells whether there are bytes.
	payload() bool
	// decode gives n values, little-endian, good until the next call. src is nil where there is no payload.
	decode(src []byte, n int) ([]byte, error)
}

// newChunkCodec gives the decoder of the values in the chunks of a mini-block page.
func newChunkCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (chunkCodec, error) {
	if f := formsOf(e); f.chunk != nil {
		return f.chunk(d)
	}
	return nil, errs.Unsupportedf("encoding %s in a mini-block page", encodingName(e))
}

// newRowCodec gives the decoder of the values of a full-zip page that all have one size.
func newRowCodec(e *pb.CompressiveEncoding) (rowCodec, error) {
	if f := formsOf(e); f.row != nil {
		return f.row()
	}
	return nil, errs.Unsupportedf("encoding %s in a full-zip page of fixed-width values", encodingName(e))
}

// newTextCodec gives the decoder of the values of a full-zip page that have sizes of their own.
func newTextCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (textCodec, error) {
	if f := formsOf(e); f.text != nil {
		return f.text(d)
	}
	return nil, errs.Unsupportedf("encoding %s in a full-zip page of variable-width values", encodingName(e))
}

// newBlockCodec gives the decoder of a block that stands alone: levels, dictionaries.
func newBlockCodec(e *pb.CompressiveEncoding, d *codec.Decompressor) (blockCodec, error) {
	if f := formsOf(e); f.block != nil {
		return f.block(d)
	}
	return nil, errs.Unsupportedf("encoding %s in a block", encodingName(e))
}

// newSequence gives the decoder of values of 32 or 64 bits. Kinds that are made of others are made of simple ones only.
func newSequence(e *pb.CompressiveEncoding, width int, d *codec.Decompressor, nested bool) (sequence, error) {
	if width != 32 && width != 64 {
		return nil, corruptf("sequence of %d-bit values", width)
	}
	f := formsOf(e)
	switch {
	case f.sequence == nil:
		return nil, errs.Unsupportedf("encoding %s of a sequence", encodingName(e))
	case nested && !f.simple:
		return nil, errs.Unsupportedf("encoding %s within a sequence", encodingName(e))
	}
	return f.sequence(width, d)
}

// encodingName is the name of an encoding's kind, for errors.
func encodingName(e *pb.CompressiveEncoding) string {
	m := e.ProtoReflect()
	set := m.WhichOneof(m.Descriptor().Oneofs().ByName("compression"))
	if set == nil {
		return "(none, or one that this version does not know)"
	}
	return string(set.Name())
}
