package codec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// checkAnswer is the rule for hostile bytes: a known kind of error, or as many bytes as were asked for.
func checkAnswer(t *testing.T, out []byte, want int, err error) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, errs.ErrResourceExhausted) {
			t.Fatalf("an error without a kind: %v", err)
		}
		return
	}
	if len(out) != want {
		t.Fatalf("%d bytes instead of %d", len(out), want)
	}
}

func FuzzInlineBitpacked(f *testing.F) {
	f.Add(append([]byte{3}, make([]byte, 3*128)...), uint8(8), 1024)
	f.Add([]byte{0, 0, 0, 0}, uint8(32), 5)
	f.Fuzz(func(t *testing.T, src []byte, bits uint8, n int) {
		out, err := codec.InlineBitpacked(nil, src, int(bits), n)
		checkAnswer(t, out, n*int(bits)/8, err)
	})
}

func FuzzOutOfLineBitpacked(f *testing.F) {
	f.Add(make([]byte, 2*128+6), uint8(16), uint8(2), 1027)
	f.Add([]byte{}, uint8(8), uint8(0), 1000)
	f.Fuzz(func(t *testing.T, src []byte, bits, w uint8, n int) {
		if n > 1<<20 {
			return // a count is bounded by what was asked for
		}
		out, err := codec.OutOfLineBitpacked(nil, src, int(bits), int(w), n)
		checkAnswer(t, out, n*int(bits)/8, err)
	})
}

func FuzzRunLengths(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 7, 8, 3, 4}, uint8(1), 7)
	f.Fuzz(func(t *testing.T, src []byte, width uint8, n int) {
		values, lengths, err := codec.RunBlock(src)
		if err != nil {
			checkAnswer(t, nil, 0, err)
			return
		}
		out, err := codec.RunLengths(nil, values, lengths, int(width), n)
		checkAnswer(t, out, n*int(width), err)
	})
}

func FuzzSplitBytes(f *testing.F) {
	f.Add(make([]byte, 24), uint8(4), 6)
	f.Fuzz(func(t *testing.T, src []byte, width uint8, n int) {
		out, err := codec.SplitBytes(nil, src, int(width), n)
		checkAnswer(t, out, n*int(width), err)
	})
}

func FuzzText(f *testing.F) {
	f.Add(symbolTable(true, "ab", "cde"), join(le32(16, 17, 17, 21), []byte("\x00\x01\x00\xff!HHH")), 3)
	f.Add(symbolTable(false), join(le32(8, 9), []byte("abcd")), 1)
	f.Fuzz(func(t *testing.T, table, src []byte, n int) {
		s, err := codec.ParseSymbolTable(table)
		if err != nil {
			checkAnswer(t, nil, 0, err)
			return
		}
		v, err := codec.ChunkVariable(src, 4, n)
		if err != nil {
			checkAnswer(t, nil, 0, err)
			return
		}
		alloctest.Within(t, uint64(64*len(src)), func() {
			out, starts := make([]byte, s.MaxSize(int(v.Offset(n)-v.Offset(0)))+codec.DecodeSlack), make([]int32, n)
			size, err := codec.Texts(s, out, v, 0, n, starts, 0)
			if err != nil {
				checkAnswer(t, nil, 0, err)
				return
			}
			last := int32(0)
			for _, at := range append(starts, int32(size)) {
				if at < last {
					t.Fatalf("text at %d after %d", at, last)
				}
				last = at
			}
		})
	})
}

func FuzzVariable(f *testing.F) {
	f.Add(join(le32(20, 21, 23, 23, 26), []byte("xyyzzzHH")), 4)
	f.Add(join(le32(32, 20, 0, 1, 3), []byte("xyy")), 2)
	f.Add(join(le64(64, 32, 0, 3), []byte("xyy")), 1)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		read := func(v codec.Variable, err error) {
			if err != nil {
				checkAnswer(t, nil, 0, err)
				return
			}
			size := 0
			for i := range n {
				size += len(v.Value(i))
			}
			if v.Len() != n || size > len(src) {
				t.Fatalf("%d values of %d bytes from %d", v.Len(), size, len(src))
			}
		}
		read(codec.ChunkVariable(src, 4, n))
		read(codec.ChunkVariable(src, 8, n))
		read(codec.BlockVariable(src, n))
	})
}

func FuzzDecompress(f *testing.F) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	text := bytes.Repeat([]byte("abc"), 100)
	f.Add(2, sized(300, 8, enc.EncodeAll(text, nil)))
	f.Add(2, enc.EncodeAll(text, nil))
	f.Add(1, []byte{4, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd'})
	const limit = 1 << 20
	d := codec.NewDecompressor(limit)
	f.Fuzz(func(t *testing.T, scheme int, src []byte) {
		alloctest.Within(t, 4*limit, func() {
			out, err := d.Decompress(codec.Scheme(scheme), nil, src)
			if len(out) > limit {
				t.Fatalf("%d bytes, at most %d", len(out), limit)
			}
			checkAnswer(t, out, len(out), err)
		})
	})
}
