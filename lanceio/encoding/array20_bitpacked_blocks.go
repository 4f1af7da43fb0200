package encoding

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// packedBlock20 is how many numbers a block of bitpackedForNonNeg holds.
const packedBlock20 = 1024

// bitpackedForNonNeg reads BitpackedForNonNeg: blocks of 1024 numbers, the last one filled up, each packed to
// compressed_bits_per_value in the order of FastLanes (codec.Unpack).
func (p *page20) bitpackedForNonNeg(b *encodings20.BitpackedForNonNeg, rows []RowRange, want arrow.DataType) (task20, error) {
	packed, width, buf, err := p.packing(b.GetCompressedBitsPerValue(), b.GetUncompressedBitsPerValue(), b.GetBuffer(), want)
	if err != nil {
		return task20{}, err
	}
	size := uint64(codec.PackedSize(int(packed)))
	need := make([]BufferRange, len(rows))
	for i, r := range rows {
		first, end := r.Start/packedBlock20, (r.End+packedBlock20-1)/packedBlock20
		if end > buf.Size/size {
			return task20{}, p.corruptf("%d blocks of %d bytes are more than %d bytes", end, size, buf.Size)
		}
		need[i] = BufferRange{Offset: buf.Offset + first*size, Size: (max(end, first) - first) * size}
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		v := &values20{n: int(countRows20(rows)), bits: width}
		v.data = make([]byte, 0, v.n*int(width/8))
		block := make([]byte, packedBlock20*width/8)
		for i, r := range rows {
			for at := r.Start; at < r.End; {
				k := at/packedBlock20 - r.Start/packedBlock20
				if err := codec.Unpack(block, got[i][k*size:][:size], int(width), int(packed)); err != nil {
					return task20{}, p.wrap(err)
				}
				stop := min(r.End, (at/packedBlock20+1)*packedBlock20)
				v.data = append(v.data, block[at%packedBlock20*width/8:][:(stop-at)*width/8]...)
				at = stop
			}
		}
		return done20(v), nil
	}}, nil
}
