package encoding

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// These make descriptions of sequences of version 2.3.
func flatOf(bits uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Flat{Flat: &pb.Flat{BitsPerValue: bits}}}
}

func constantOf(value []byte) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Constant{Constant: &pb.Constant{Value: value}}}
}

func series(bits, start, step uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Range{Range: &pb.Range{UncompressedBitsPerValue: bits, Start: start, Step: step}}}
}

func packedOf(bits, to uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_OutOfLineBitpacking{OutOfLineBitpacking: &pb.OutOfLineBitpacking{UncompressedBitsPerValue: bits, Values: flatOf(to)}}}
}

func rleOf(values, lengths *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Rle{Rle: &pb.Rle{Values: values, RunLengths: lengths}}}
}

func deltaOf(bits, base uint64, steps *pb.CompressiveEncoding) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Delta{Delta: &pb.Delta{UncompressedBitsPerValue: bits, Base: base, Deltas: steps}}}
}

func dictOf(indices, items *pb.CompressiveEncoding, n uint64) *pb.CompressiveEncoding {
	return &pb.CompressiveEncoding{Compression: &pb.CompressiveEncoding_Dictionary{Dictionary: &pb.Dictionary{Indices: indices, Items: items, NumDictionaryItems: n}}}
}

// bytesOf puts numbers of some bits behind each other.
func bytesOf(bits int, v ...uint64) []byte {
	var out []byte
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, x)[:len(out)+bits/8]
	}
	return out
}

// sized puts the sizes of parts before these, of all but the last, or of all.
func sized(all bool, parts ...[]byte) []byte {
	var out []byte
	for i, p := range parts {
		if all || i < len(parts)-1 {
			out = binary.LittleEndian.AppendUint64(out, uint64(len(p)))
		}
	}
	return append(out, slices.Concat(parts...)...)
}

// Every kind of sequence, with its parts stored in each way: what the bytes stand for by the layout.
func TestSequences(t *testing.T) {
	two := bytesOf(32, 2)
	for _, c := range []struct {
		name  string
		e     *pb.CompressiveEncoding
		width int
		src   []byte
		want  []uint64 // nil where it is refused
	}{
		{"flat", flatOf(64), 64, bytesOf(64, 5, 1), []uint64{5, 1}},
		{"constant", constantOf(bytesOf(64, 7)), 64, nil, []uint64{7, 7, 7}},
		{"range", series(32, 3, 4), 32, nil, []uint64{3, 7, 11}},
		{"steps of a range", deltaOf(64, 2, series(64, 1, 1)), 64, nil, []uint64{2, 3, 5, 8}},
		{"flat steps", deltaOf(32, 2, flatOf(32)), 32, bytesOf(32, 0, 9), []uint64{2, 2, 11}},
		{"runs of flat values and lengths", rleOf(flatOf(64), flatOf(32)), 64, sized(false, bytesOf(64, 9, 4), bytesOf(32, 2, 1)), []uint64{9, 9, 4}},
		{"runs of one length", rleOf(flatOf(64), constantOf(two)), 64, sized(false, bytesOf(64, 9, 4), nil), []uint64{9, 9, 4, 4}},
		{"runs of one length of a range", rleOf(series(64, 1, 5), constantOf(two)), 64, nil, []uint64{1, 1, 6, 6, 11, 11}},
		{"runs of growing lengths", rleOf(flatOf(32), series(32, 1, 1)), 32, sized(false, bytesOf(32, 8, 7, 6), nil), []uint64{8, 7, 7, 6, 6, 6}},
		{"runs of a range", rleOf(series(32, 5, 5), flatOf(32)), 32, sized(false, nil, bytesOf(32, 1, 3)), []uint64{5, 10, 10, 10}},
		{"dictionary", dictOf(flatOf(32), flatOf(64), 2), 64, sized(true, bytesOf(32, 1, 0, 1), bytesOf(64, 30, 40)), []uint64{40, 30, 40}},
		{"dictionary of a range", dictOf(flatOf(32), series(32, 6, 2), 3), 32, sized(true, bytesOf(32, 2, 0), nil), []uint64{10, 6}},
		{"indices of a range", dictOf(series(32, 0, 1), flatOf(32), 2), 32, sized(true, nil, bytesOf(32, 4, 3)), []uint64{4, 3}},
		{"all in the description", dictOf(series(32, 0, 1), series(32, 9, 9), 2), 32, nil, []uint64{9, 18}},

		{"a constant of another width", constantOf(two), 64, nil, nil},
		{"no constant", constantOf(nil), 64, nil, nil},
		{"a width that there is not", flatOf(16), 16, bytesOf(16, 1), nil},
		{"values of another width", flatOf(32), 64, bytesOf(32, 1, 2), nil},
		{"a range of another width", series(32, 1, 1), 64, nil, nil},
		{"steps that run over", deltaOf(32, 2, flatOf(32)), 32, bytesOf(32, 1<<32-2, 0), nil},
		{"a base that is too large", deltaOf(32, 1<<32, flatOf(32)), 32, bytesOf(32, 1), nil},
		{"runs of length 0", rleOf(flatOf(64), constantOf(make([]byte, 4))), 64, sized(false, bytesOf(64, 9), nil), nil},
		{"runs without a length", rleOf(flatOf(64), constantOf(nil)), 64, sized(false, bytesOf(64, 9), nil), nil},
		{"lengths that do not grow", rleOf(flatOf(64), series(32, 1, 0)), 64, sized(false, bytesOf(64, 9), nil), nil},
		{"runs that do not come to the number", rleOf(flatOf(64), constantOf(two)), 64, sized(false, bytesOf(64, 9, 4), nil), nil},
		{"growing runs that do not come to it", rleOf(flatOf(32), series(32, 2, 2)), 32, sized(false, bytesOf(32, 8, 7), nil), nil},
		{"bytes of a range", rleOf(series(32, 5, 5), flatOf(32)), 32, sized(false, []byte{1}, bytesOf(32, 1, 3)), nil},
		{"half a length", rleOf(series(32, 5, 5), flatOf(32)), 32, sized(false, nil, []byte{3, 0}), nil},
		{"both parts packed", rleOf(packedOf(64, 3), packedOf(32, 3)), 64, sized(false, nil, nil), nil},
		{"runs within runs", rleOf(rleOf(flatOf(64), flatOf(32)), flatOf(32)), 64, nil, nil},
		{"an index past the items", dictOf(flatOf(32), flatOf(64), 2), 64, sized(true, bytesOf(32, 1, 2, 1), bytesOf(64, 30, 40)), nil},
		{"a dictionary without a header", dictOf(flatOf(32), flatOf(64), 2), 64, make([]byte, 15), nil},
		{"parts that are not all", dictOf(flatOf(32), flatOf(64), 2), 64, append(sized(true, bytesOf(32, 1), bytesOf(64, 30, 40)), 0), nil},
		{"bytes of a range of items", dictOf(flatOf(32), series(32, 6, 2), 3), 32, sized(true, bytesOf(32, 2, 0), []byte{1}), nil},
		{"no items", dictOf(flatOf(32), flatOf(64), 0), 64, sized(true, nil, nil), nil},
		{"too many items", dictOf(flatOf(32), series(64, 0, 1), maxSequenceItems+1), 64, sized(true, nil, nil), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := len(c.want)
			if c.want == nil {
				n = 3
			}
			s, err := newSequence(c.e, c.width, codec.NewDecompressor(1<<20), false)
			var got []byte
			if err == nil {
				if s.payload() != (c.src != nil) {
					t.Fatalf("it has bytes: %v", s.payload())
				}
				got, err = s.decode(c.src, n)
			}
			switch {
			case c.want == nil && !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported):
				t.Errorf("%v, %v", got, err)
			case c.want != nil && (err != nil || !slices.Equal(got, bytesOf(c.width, c.want...))):
				t.Errorf("%v, %v, want %v", got, err, c.want)
			case c.want != nil && sequenceWidth(c.e) != c.width:
				t.Errorf("width %d by the description", sequenceWidth(c.e))
			}
		})
	}
}
