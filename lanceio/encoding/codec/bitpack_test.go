package codec_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// putWord writes the first t-bit word of b.
func putWord(b []byte, t int, v uint64) {
	switch t {
	case 8:
		b[0] = byte(v)
	case 16:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 32:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

func getWord(b []byte, t int) uint64 {
	var w [8]byte
	copy(w[:], b[:t/8])
	return binary.LittleEndian.Uint64(w[:])
}

// pack packs bit by bit, from the definition: row r of a lane is bits r*w of the lane's stream, and word k of the stream
// of lane l is word k*lanes+l.
func pack(values []uint64, t, w int) []byte {
	order := []int{0, 4, 2, 6, 1, 5, 3, 7}
	lanes := 1024 / t
	out := make([]byte, 128*w)
	for row := range t {
		for lane := range lanes {
			v := values[order[row/8]*16+row%8*128+lane]
			for b := range w {
				bit := row*w + b
				word := bit/t*lanes + lane
				out[(word*t+bit%t)/8] |= byte(v>>b&1) << (bit % t % 8)
			}
		}
	}
	return out
}

func words(values []uint64, t int) []byte {
	out := make([]byte, len(values)*t/8)
	for i, v := range values {
		putWord(out[i*t/8:], t, v)
	}
	return out
}

func TestUnpackVectors(t *testing.T) {
	for _, c := range []struct {
		t, w        int
		first, last string // as hexadecimal numbers
		sum         string
	}{
		{8, 3, "db", "92", "29cafab6c5fef753"},
		{16, 9, "0603", "fe1f", "b33a648f57933d17"},
		{32, 10, "f03e0c03", "ff07c3f1", "5fe83fc78c45d01c"},
		{64, 37, "0000706000000003", "000000dfe0000006", "4af82306cecd0253"},
	} {
		t.Run(fmt.Sprintf("%d to %d bits", c.w, c.t), func(t *testing.T) {
			values := make([]uint64, 1024)
			for i := range values {
				values[i] = uint64(7*i+3) & (1<<c.w - 1)
			}
			packed := pack(values, c.t, c.w)
			sum := sha256.Sum256(packed)
			if got := hex.EncodeToString(sum[:8]); got != c.sum {
				t.Fatalf("the test's packer gives %s, not the vector %s", got, c.sum)
			}
			if got := fmt.Sprintf("%0*x", c.t/4, getWord(packed, c.t)); got != c.first {
				t.Fatalf("first word %s, want %s", got, c.first)
			}
			if got := fmt.Sprintf("%0*x", c.t/4, getWord(packed[len(packed)-c.t/8:], c.t)); got != c.last {
				t.Fatalf("last word %s, want %s", got, c.last)
			}
			out := make([]byte, 1024*c.t/8)
			if err := codec.Unpack(out, packed, c.t, c.w); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out, words(values, c.t)) {
				t.Fatal("unpacked values differ")
			}
		})
	}
}

func randomValues(r *rand.Rand, n, w int) []uint64 {
	values := make([]uint64, n)
	if w > 0 {
		for i := range values {
			values[i] = r.Uint64() >> (64 - w)
		}
	}
	return values
}

func TestUnpackEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{8, 16, 32, 64} {
		for w := range bits + 1 {
			values := randomValues(r, 1024, w)
			out := make([]byte, 1024*bits/8)
			if err := codec.Unpack(out, pack(values, bits, w), bits, w); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out, words(values, bits)) {
				t.Fatalf("%d to %d bits: values differ", w, bits)
			}
		}
	}
}

func TestInlineBitpacked(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := randomValues(r, 1024, 11)
	src := append([]byte{11, 0}, pack(values, 16, 11)...)
	for _, n := range []int{0, 1, 5, 1023, 1024} {
		out, err := codec.InlineBitpacked(nil, src, 16, n)
		if err != nil || !slices.Equal(out, words(values[:n], 16)) {
			t.Fatalf("%d values: %v", n, err)
		}
	}
	if out, err := codec.InlineBitpacked(nil, []byte{0, 0, 0, 0}, 32, 3); err != nil || !slices.Equal(out, make([]byte, 12)) {
		t.Fatalf("width 0: %v %v", out, err)
	}
	for name, c := range map[string]struct {
		src  []byte
		t, n int
	}{
		"no header":         {[]byte{1}, 16, 1},
		"width above word":  {append([]byte{17, 0}, make([]byte, 17*128)...), 16, 1},
		"body cut":          {src[:len(src)-1], 16, 1},
		"body too long":     {append(src[:len(src):len(src)], 0), 16, 1},
		"too many values":   {src, 16, 1025},
		"negative count":    {src, 16, -1},
		"unknown word size": {src, 24, 1},
	} {
		if _, err := codec.InlineBitpacked(nil, c.src, c.t, c.n); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOutOfLineBitpacked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name   string
		n      int
		packed bool // whether the tail is a group
	}{
		{"no values", 0, false},
		{"whole groups", 2048, false},
		{"raw tail", 1024 + 10, false},
		{"packed tail", 1024 + 1000, true},
		{"only a raw tail", 7, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			const bits, w = 16, 5
			values := randomValues(r, c.n, w)
			var src []byte
			full := c.n / 1024 * 1024
			for at := 0; at < full; at += 1024 {
				src = append(src, pack(values[at:at+1024], bits, w)...)
			}
			if c.packed {
				src = append(src, pack(append(slices.Clone(values[full:]), make([]uint64, full+1024-c.n)...), bits, w)...)
			} else {
				src = append(src, words(values[full:], bits)...)
			}
			out, err := codec.OutOfLineBitpacked(nil, src, bits, w, c.n)
			if err != nil || !slices.Equal(out, words(values, bits)) {
				t.Fatalf("values differ, %v", err)
			}
			if _, err := codec.OutOfLineBitpacked(nil, append(src, 0), bits, w, c.n); !errors.Is(err, errs.ErrCorrupt) {
				t.Fatalf("a byte more: %v", err)
			}
		})
	}
	if _, err := codec.OutOfLineBitpacked(nil, nil, 16, 17, 1); !errors.Is(err, errs.ErrCorrupt) {
		t.Fatalf("width above the word: %v", err)
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, bits := range []int{8, 16, 32, 64} {
		for _, w := range []int{1, bits/2 + 1, bits} {
			b.Run(fmt.Sprintf("word=%d/width=%d", bits, w), func(b *testing.B) {
				src, dst := make([]byte, codec.PackedSize(w)), make([]byte, 1024*bits/8)
				b.SetBytes(int64(len(dst)))
				for b.Loop() {
					if err := codec.Unpack(dst, src, bits, w); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
