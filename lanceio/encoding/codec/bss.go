package codec

import "encoding/binary"

// SplitBytes joins the byte planes of n values of width 4 or 8: byte j of value i stands at j*n+i. The result is dst or a
// larger slice, with n*width bytes.
func SplitBytes(dst, src []byte, width, n int) ([]byte, error) {
	if width != 4 && width != 8 {
		return nil, corruptf("byte stream split of %d-byte values", width)
	}
	if n < 0 || n > len(src) || len(src) != n*width {
		return nil, corruptf("byte stream split: %d bytes for %d values of %d bytes", len(src), n, width)
	}
	dst = Grow(dst, n*width)
	if width == 4 {
		joinPlanes4(dst, src, n)
	} else {
		joinPlanes8(dst, src, n)
	}
	return dst, nil
}

func joinPlanes4(dst, src []byte, n int) {
	a, b, c, d := src[:n], src[n:][:n], src[2*n:][:n], src[3*n:][:n]
	for i := range a {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
	}
}

func joinPlanes8(dst, src []byte, n int) {
	var p [8][]byte
	for j := range p {
		p[j] = src[j*n:][:n]
	}
	for i := range n {
		v := uint64(p[0][i]) | uint64(p[1][i])<<8 | uint64(p[2][i])<<16 | uint64(p[3][i])<<24 |
			uint64(p[4][i])<<32 | uint64(p[5][i])<<40 | uint64(p[6][i])<<48 | uint64(p[7][i])<<56
		binary.LittleEndian.PutUint64(dst[8*i:], v)
	}
}
