package encoding

import (
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// variableForms decodes Variable: byte strings and their offsets, one more than there are values.
//
//	chunk  offsets of 32 or 64 bits that count from the start of the buffer, then the bytes, padded to the width of an
//	       offset; in version 2.3 the offsets may be a sequence instead, see offsetChunk
//	block  the width of an offset in bits and where the bytes begin, both of that width, offsets that count from 0, the bytes
//	text   the bytes alone: the page tells their sizes
func variableForms(v *pb.Variable) forms {
	return forms{
		chunk: func(d *codec.Decompressor) (chunkCodec, error) { return newVariableChunk(v, d) },
		text:  func(*codec.Decompressor) (textCodec, error) { return plainText{}, checkOffsets(v) },
		block: func(*codec.Decompressor) (blockCodec, error) { return variableBlock{}, checkOffsets(v) },
	}
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

type variableChunk struct{ width int }

func newVariableChunk(v *pb.Variable, d *codec.Decompressor) (chunkCodec, error) {
	if v.GetOffsets().GetCompression() != nil && v.GetOffsets().GetFlat() == nil {
		return newOffsetChunk(v, d)
	}
	w, err := offsetWidth(v)
	return variableChunk{w}, err
}

func (variableChunk) buffers() int { return 1 }

func (c variableChunk) decode(bufs [][]byte, n int) (values, error) {
	v, err := codec.ChunkVariable(bufs[0], c.width, n)
	return values{n: n, text: v}, err
}

type variableBlock struct{}

func (variableBlock) decode(src []byte, n int) (values, error) {
	v, err := codec.BlockVariable(src, n)
	return values{n: n, text: v}, err
}

// asText gives the sink of a column of byte strings.
func asText(s sink) (*textSink, error) {
	t, ok := s.(*textSink)
	if !ok {
		return nil, corruptf("byte strings in a column of another type")
	}
	return t, nil
}

type plainText struct{}

func (plainText) append(s sink, b []byte, spans []uint64) error {
	t, err := asText(s)
	if err != nil {
		return err
	}
	return t.spans(b, spans)
}

// offsetChunk is byte strings whose offsets are a sequence of their own, from 0 on, in a buffer before the bytes where
// they have one.
type offsetChunk struct {
	offsets sequence
	width   int
}

// maxChunkItems bounds the values of a chunk, which need no bytes where they are runs; a writer's chunks have at most 32768.
const maxChunkItems = 1 << 20

func newOffsetChunk(v *pb.Variable, d *codec.Decompressor) (chunkCodec, error) {
	if v.GetValues() != nil {
		return nil, errs.Unsupportedf("byte strings with compression of their own")
	}
	width := sequenceWidth(v.GetOffsets())
	s, err := newSequence(v.GetOffsets(), width, d, false)
	return &offsetChunk{s, width / 8}, err
}

// sequenceWidth is the bits of a sequence's values, as its description has them.
func sequenceWidth(e *pb.CompressiveEncoding) int {
	bits := uint64(0)
	switch c := e.GetCompression().(type) {
	case *pb.CompressiveEncoding_Flat:
		bits = c.Flat.GetBitsPerValue()
	case *pb.CompressiveEncoding_Constant:
		bits = 8 * uint64(len(c.Constant.GetValue()))
	case *pb.CompressiveEncoding_Range:
		bits = c.Range.GetUncompressedBitsPerValue()
	case *pb.CompressiveEncoding_Delta:
		bits = c.Delta.GetUncompressedBitsPerValue()
	case *pb.CompressiveEncoding_InlineBitpacking:
		bits = c.InlineBitpacking.GetUncompressedBitsPerValue()
	case *pb.CompressiveEncoding_OutOfLineBitpacking:
		bits = c.OutOfLineBitpacking.GetUncompressedBitsPerValue()
	case *pb.CompressiveEncoding_General:
		return sequenceWidth(c.General.GetValues())
	case *pb.CompressiveEncoding_Rle:
		return sequenceWidth(c.Rle.GetValues())
	case *pb.CompressiveEncoding_Dictionary:
		return sequenceWidth(c.Dictionary.GetItems())
	}
	return int(min(bits, 128))
}

func (c *offsetChunk) buffers() int {
	if c.offsets.payload() {
		return 2
	}
	return 1
}

func (c *offsetChunk) decode(bufs [][]byte, n int) (values, error) {
	var src []byte
	if c.offsets.payload() {
		src, bufs = bufs[0], bufs[1:]
	}
	if n < 0 || n > maxChunkItems {
		return values{}, errs.New(errs.ErrResourceExhausted, "chunk of %d byte strings", n)
	}
	offsets, err := c.offsets.decode(src, n+1)
	if err != nil {
		return values{}, err
	}
	text, err := codec.OffsetVariable(offsets, bufs[0], c.width)
	return values{n: n, text: text}, err
}
