package codec

import "encoding/binary"

// RunTotal gives the sum of run lengths, each one byte.
func RunTotal(lengths []byte) int {
	total := 0
	for _, l := range lengths {
		total += int(l)
	}
	return total
}

// RunLengths repeats value i of values (width bytes each: 1, 2, 4 or 8) lengths[i] times. There are n values in all; what
// the runs hold beyond n is dropped, and fewer are a fault. The result is dst or a larger slice, with n*width bytes.
func RunLengths(dst, values, lengths []byte, width, n int) ([]byte, error) {
	if width != 1 && width != 2 && width != 4 && width != 8 {
		return nil, corruptf("run-length values of %d bytes", width)
	}
	if len(values) != len(lengths)*width {
		return nil, corruptf("%d run lengths for %d bytes of %d-byte values", len(lengths), len(values), width)
	}
	if total := RunTotal(lengths); n < 0 || total < n {
		return nil, corruptf("runs hold %d values, %d are wanted", total, n)
	}
	dst = Grow(dst, n*width)
	switch width {
	case 1:
		repeat8(dst, values, lengths)
	case 2:
		repeat16(dst, values, lengths)
	case 4:
		repeat32(dst, values, lengths)
	default:
		repeat64(dst, values, lengths)
	}
	return dst, nil
}

func repeat8(dst, values, lengths []byte) {
	for i, l := range lengths {
		run := dst[:min(int(l), len(dst))]
		v := values[i]
		for j := range run {
			run[j] = v
		}
		dst = dst[len(run):]
	}
}

func repeat16(dst, values, lengths []byte) {
	for i, l := range lengths {
		v := binary.LittleEndian.Uint16(values[2*i:])
		run := dst[:min(2*int(l), len(dst))]
		dst = dst[len(run):]
		for wide := uint64(v) * 0x0001_0001_0001_0001; len(run) >= 8; run = run[8:] {
			binary.LittleEndian.PutUint64(run, wide)
		}
		for ; len(run) >= 2; run = run[2:] {
			binary.LittleEndian.PutUint16(run, v)
		}
	}
}

func repeat32(dst, values, lengths []byte) {
	for i, l := range lengths {
		v := binary.LittleEndian.Uint32(values[4*i:])
		run := dst[:min(4*int(l), len(dst))]
		dst = dst[len(run):]
		for ; len(run) >= 4; run = run[4:] {
			binary.LittleEndian.PutUint32(run, v)
		}
	}
}

func repeat64(dst, values, lengths []byte) {
	for i, l := range lengths {
		v := binary.LittleEndian.Uint64(values[8*i:])
		run := dst[:min(8*int(l), len(dst))]
		dst = dst[len(run):]
		for ; len(run) >= 8; run = run[8:] {
			binary.LittleEndian.PutUint64(run, v)
		}
	}
}

// RunBlock splits a block of runs that stands alone: a u64 size of the values part, the values, then the run lengths.
func RunBlock(src []byte) (values, lengths []byte, err error) {
	if len(src) < 8 {
		return nil, nil, corruptf("run-length block of %d bytes has no header", len(src))
	}
	size := binary.LittleEndian.Uint64(src)
	src = src[8:]
	if size > uint64(len(src)) {
		return nil, nil, corruptf("run-length block claims %d bytes of values, %d are there", size, len(src))
	}
	return src[:size], src[size:], nil
}
