package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

func wantCorrupt(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%s: %v, want a corrupt error", what, err)
	}
}

func TestRunLengths(t *testing.T) {
	for _, c := range []struct {
		name            string
		values, lengths []byte
		width, n        int
		want            []byte
	}{
		{"bytes", []byte{7, 8}, []byte{3, 1}, 1, 4, []byte{7, 7, 7, 8}},
		{"16 bits", []byte{1, 2, 3, 4}, []byte{2, 1}, 2, 3, []byte{1, 2, 1, 2, 3, 4}},
		{"32 bits", []byte{1, 0, 0, 9}, []byte{2}, 4, 2, []byte{1, 0, 0, 9, 1, 0, 0, 9}},
		{"64 bits", []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{1}, 8, 1, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		{"a run longer than what is left", []byte{7, 8}, []byte{2, 200}, 1, 3, []byte{7, 7, 8}},
		{"runs behind the end", []byte{7, 8, 9}, []byte{2, 0, 5}, 1, 2, []byte{7, 7}},
		{"no values", nil, nil, 4, 0, []byte{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := codec.RunLengths(nil, c.values, c.lengths, c.width, c.n)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Fatalf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
	_, err := codec.RunLengths(nil, []byte{1}, []byte{3}, 1, 4)
	wantCorrupt(t, "too few values", err)
	_, err = codec.RunLengths(nil, []byte{1, 2}, []byte{3}, 1, 3)
	wantCorrupt(t, "more values than lengths", err)
	_, err = codec.RunLengths(nil, []byte{1, 2, 3}, []byte{3}, 3, 3)
	wantCorrupt(t, "width 3", err)
	_, err = codec.RunLengths(nil, nil, nil, 1, -1)
	wantCorrupt(t, "negative count", err)
}

func TestRunBlock(t *testing.T) {
	values, lengths, err := codec.RunBlock([]byte{4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 10, 20})
	if err != nil || !bytes.Equal(values, []byte{1, 0, 2, 0}) || !bytes.Equal(lengths, []byte{10, 20}) {
		t.Fatalf("%v %v %v", values, lengths, err)
	}
	if n := codec.RunTotal(lengths); n != 30 {
		t.Fatalf("total %d", n)
	}
	_, _, err = codec.RunBlock([]byte{4, 0, 0})
	wantCorrupt(t, "no header", err)
	_, _, err = codec.RunBlock([]byte{5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0})
	wantCorrupt(t, "claims too much", err)
	_, _, err = codec.RunBlock([]byte{255, 255, 255, 255, 255, 255, 255, 255, 1})
	wantCorrupt(t, "claims far too much", err)
}

func TestSplitBytes(t *testing.T) {
	// Values 0x04030201 and 0x14131211.
	got, err := codec.SplitBytes(nil, []byte{0x01, 0x11, 0x02, 0x12, 0x03, 0x13, 0x04, 0x14}, 4, 2)
	if err != nil || !bytes.Equal(got, []byte{1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14}) {
		t.Fatalf("%x %v", got, err)
	}
	got, err = codec.SplitBytes(nil, []byte{1, 2, 3, 4, 5, 6, 7, 8}, 8, 1)
	if err != nil || !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Fatalf("%x %v", got, err)
	}
	_, err = codec.SplitBytes(nil, make([]byte, 9), 4, 2)
	wantCorrupt(t, "a byte more", err)
	_, err = codec.SplitBytes(nil, make([]byte, 4), 2, 2)
	wantCorrupt(t, "width 2", err)
	_, err = codec.SplitBytes(nil, nil, 8, 1<<61)
	wantCorrupt(t, "a count that overflows", err)
}

// symbolTable makes a table of the given symbols, as the format stores it.
func symbolTable(compressed bool, symbols ...string) []byte {
	out := make([]byte, 8+256*8+256)
	head := uint64(0x46535354)<<32 | uint64(len(symbols))
	if compressed {
		head |= 1 << 24
	}
	binary.LittleEndian.PutUint64(out, head)
	for i, s := range symbols {
		copy(out[8+8*i:], s)
		out[8+8*len(symbols)+i] = byte(len(s))
	}
	return out
}

func TestSymbolTable(t *testing.T) {
	table, err := codec.ParseSymbolTable(symbolTable(true, "a", "the ", "12345678"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"symbols", "\x01\x00\x02\x02", "the a1234567812345678"},
		{"escape", "\xffz\x00\xff\xff", "za\xff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := make([]byte, table.MaxSize(len(c.in))+8)
			n, err := table.Decode(out, []byte(c.in))
			if err != nil || string(out[:n]) != c.want {
				t.Fatalf("%q %v, want %q", out[:n], err, c.want)
			}
		})
	}
	for _, c := range []struct{ name, in string }{
		{"escape at the end", "\x00\xff"},
		{"symbol beyond the table", "\x03"},
	} {
		_, err := table.Decode(make([]byte, 100), []byte(c.in))
		wantCorrupt(t, c.name, err)
	}
	_, err = table.Decode(make([]byte, 10), []byte("\x00\x00"))
	wantCorrupt(t, "no room", err)
}

func TestSymbolTableFaults(t *testing.T) {
	good := symbolTable(true, "ab")
	edit := func(f func(b []byte)) []byte {
		b := bytes.Clone(good)
		f(b)
		return b
	}
	for name, b := range map[string][]byte{
		"empty":             nil,
		"header cut":        good[:7],
		"too long":          append(bytes.Clone(good), 0),
		"no magic":          edit(func(b []byte) { b[5] = 'x' }),
		"symbols cut":       edit(func(b []byte) { b[0] = 255 })[:100],
		"symbol of no size": edit(func(b []byte) { b[16] = 0 }),
		"symbol too long":   edit(func(b []byte) { b[16] = 9 }),
	} {
		_, err := codec.ParseSymbolTable(b)
		wantCorrupt(t, name, err)
	}
	raw, err := codec.ParseSymbolTable(symbolTable(false))
	if err != nil || !raw.Raw() {
		t.Fatalf("raw table: %v", err)
	}
	out := make([]byte, 3)
	if n, err := raw.Decode(out, []byte("\xff\xff1")); err != nil || string(out[:n]) != "\xff\xff1" {
		t.Fatalf("raw text: %q %v", out[:n], err)
	}
}

func sized(size uint64, prefix int, body []byte) []byte {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], size)
	return append(head[:prefix:prefix], body...)
}

func TestDecompress(t *testing.T) {
	text := []byte(strings.Repeat("latitude longitude ", 200))
	block := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, block, nil)
	if err != nil {
		t.Fatal(err)
	}
	block = block[:n]
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := enc.EncodeAll(text, nil)
	size := uint64(len(text))
	d := codec.NewDecompressor(1 << 20)
	for _, c := range []struct {
		name   string
		scheme codec.Scheme
		src    []byte
		want   []byte
	}{
		{"lz4", codec.LZ4, sized(size, 4, block), text},
		{"zstd with size", codec.Zstd, sized(size, 8, frame), text},
		{"zstd frame alone", codec.Zstd, frame, text},
		{"nothing lz4", codec.LZ4, nil, nil},
		{"nothing zstd", codec.Zstd, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := d.Decompress(c.scheme, nil, c.src)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			again, err := d.Decompress(c.scheme, got, c.src)
			if err != nil || !bytes.Equal(again, c.want) {
				t.Fatalf("into a used buffer: %d bytes, %v", len(again), err)
			}
		})
	}
	for name, c := range map[string]struct {
		scheme codec.Scheme
		src    []byte
	}{
		"lz4 without size":      {codec.LZ4, []byte{1, 2}},
		"lz4 size too small":    {codec.LZ4, sized(size-1, 4, block)},
		"lz4 size too large":    {codec.LZ4, sized(size+1, 4, block)},
		"lz4 claims a lot":      {codec.LZ4, sized(1<<19, 4, block[:20])},
		"lz4 cut":               {codec.LZ4, sized(size, 4, block[:len(block)/2])},
		"zstd without size":     {codec.Zstd, []byte{1, 2, 3}},
		"zstd size too small":   {codec.Zstd, sized(size-1, 8, frame)},
		"zstd size too large":   {codec.Zstd, sized(size+1, 8, frame)},
		"zstd cut":              {codec.Zstd, sized(size, 8, frame[:len(frame)/2])},
		"zstd of something":     {codec.Zstd, sized(10, 8, []byte("no frame"))},
		"zstd of no size claim": {codec.Zstd, sized(0, 8, frame)},
	} {
		_, err := d.Decompress(c.scheme, nil, c.src)
		wantCorrupt(t, name, err)
	}
	if _, err := d.Decompress(codec.LZ4, nil, sized(1<<20+1, 4, make([]byte, 1<<20))); !errors.Is(err, errs.ErrResourceExhausted) {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := d.Decompress(7, nil, []byte{1}); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("scheme 7: %v", err)
	}
	big := codec.NewDecompressor(100)
	if _, err := big.Decompress(codec.Zstd, nil, frame); err == nil {
		t.Error("a frame alone above the limit was decompressed")
	}
}

func le32(v ...uint32) []byte {
	var out []byte
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	return out
}

func le64(v ...uint64) []byte {
	var out []byte
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, x)
	}
	return out
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestChunkVariable(t *testing.T) {
	// The strings "x", "yy", null, "zzz", with two bytes of padding.
	src := join(le32(20, 21, 23, 23, 26), []byte("xyyzzzHH"))
	v, err := codec.ChunkVariable(src, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"x", "yy", "", "zzz"} {
		if got := string(v.Value(i)); got != want {
			t.Errorf("value %d is %q, want %q", i, got, want)
		}
	}
	if v.Len() != 4 {
		t.Errorf("%d values", v.Len())
	}
	wide, err := codec.ChunkVariable(join(le64(16, 18), []byte("abcdefgh")), 8, 1)
	if err != nil || string(wide.Value(0)) != "ab" {
		t.Errorf("64-bit offsets: %v", err)
	}
	for name, c := range map[string]struct {
		src      []byte
		width, n int
	}{
		"first offset within the table": {join(le32(16, 21, 23, 23, 26), []byte("xyyzzzHH")), 4, 4},
		"descending":                    {join(le32(20, 23, 21, 23, 26), []byte("xyyzzzHH")), 4, 4},
		"past the end":                  {join(le32(20, 21, 23, 23, 29), []byte("xyyzzzHH")), 4, 4},
		"no room for the table":         {src, 4, 7},
		"a count that overflows":        {src, 4, 1 << 62},
		"negative count":                {src, 4, -1},
		"size no multiple of offsets":   {src[:27], 4, 4},
		"width 2":                       {src, 2, 4},
		"empty":                         {nil, 4, 0},
	} {
		_, err := codec.ChunkVariable(c.src, c.width, c.n)
		wantCorrupt(t, name, err)
	}
}

func TestBlockVariable(t *testing.T) {
	narrow := join(le32(32, 20, 0, 1, 3), []byte("xyy"))
	v, err := codec.BlockVariable(narrow, 2)
	if err != nil || string(v.Value(0)) != "x" || string(v.Value(1)) != "yy" {
		t.Fatalf("32 bits: %v", err)
	}
	wide := join(le64(64, 32, 0, 3), []byte("xyy"))
	if v, err = codec.BlockVariable(wide, 1); err != nil || string(v.Value(0)) != "xyy" {
		t.Fatalf("64 bits: %v", err)
	}
	for name, c := range map[string]struct {
		src []byte
		n   int
	}{
		"no header":              {narrow[:7], 2},
		"offsets of 16 bits":     {join(le32(16, 20, 0, 1, 3), []byte("xyy")), 2},
		"bytes start elsewhere":  {join(le32(32, 21, 0, 1, 3), []byte("xyyz")), 2},
		"table cut":              {narrow[:16], 2},
		"offset past the end":    {join(le32(32, 20, 0, 1, 4), []byte("xyy")), 2},
		"offsets descend":        {join(le32(32, 20, 0, 3, 1), []byte("xyy")), 2},
		"a count that overflows": {narrow, 1 << 62},
		"negative count":         {narrow, -1},
	} {
		_, err := codec.BlockVariable(c.src, c.n)
		wantCorrupt(t, name, err)
	}
}

func TestText(t *testing.T) {
	table, err := codec.ParseSymbolTable(symbolTable(true, "ab", "cde"))
	if err != nil {
		t.Fatal(err)
	}
	// Texts "ab", "" and "cdeab!".
	v, err := codec.ChunkVariable(join(le32(16, 17, 17, 21), []byte("\x00\x01\x00\xff!HHH")), 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	out, starts := make([]byte, table.MaxSize(5)+codec.DecodeSlack), make([]int32, 3)
	n, err := codec.Texts(table, out, v, 0, 3, starts, 10)
	if err != nil || string(out[:n]) != "abcdeab!" || !slices.Equal(starts, []int32{10, 12, 12}) {
		t.Errorf("texts %q at %v, %v", out[:n], starts, err)
	}
	wide := make([]int64, 1)
	if n, err = codec.Texts(table, out, v, 2, 3, wide, 7); err != nil || string(out[:n]) != "cdeab!" || wide[0] != 7 {
		t.Errorf("text %q at %v, %v", out[:n], wide, err)
	}
	_, err = codec.Texts(table, out[:20], v, 0, 3, starts, 0)
	wantCorrupt(t, "no room", err)
}

// TestTextsOfAnyLength decodes texts of all lengths, with escapes at any place, as a walk over single codes does.
func TestTextsOfAnyLength(t *testing.T) {
	symbols := []string{"a", "bc", "def", "12345678", "ghij", "klmno"}
	table, err := codec.ParseSymbolTable(symbolTable(true, symbols...))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var src, want []byte
		offsets := []uint32{0}
		starts := []int64{}
		for range 1 + rng.IntN(6) {
			starts = append(starts, int64(len(want)))
			for range rng.IntN(30) {
				if c := rng.IntN(len(symbols) + 1); c < len(symbols) {
					src, want = append(src, byte(c)), append(want, symbols[c]...)
				} else {
					c := byte(rng.Uint32() | 0xf0*uint32(rng.IntN(2)))
					src, want = append(src, 255, c), append(want, c)
				}
			}
			offsets = append(offsets, uint32(len(src)))
		}
		v, err := codec.OffsetVariable(le32(offsets...), src, 4)
		if err != nil {
			t.Fatal(err)
		}
		out, got := make([]byte, table.MaxSize(len(src))+codec.DecodeSlack), make([]int64, len(starts))
		n, err := codec.Texts(table, out, v, 0, v.Len(), got, 0)
		if err != nil || !bytes.Equal(out[:n], want) || !slices.Equal(got, starts) {
			t.Fatalf("%x: %q at %v, %v, want %q at %v", src, out[:n], got, err, want, starts)
		}
		// A code without a symbol, and an escape at the end, at any place of it.
		if len(src) > 0 {
			bad := bytes.Clone(src[:rng.IntN(len(src))+1])
			bad[len(bad)-1] = byte(len(symbols) + rng.IntN(250-len(symbols)))
			at := bytes.IndexByte(bad, 255)
			if at < 0 {
				_, err = table.Decode(out, bad)
				wantCorrupt(t, "no symbol", err)
			}
			if at = bytes.IndexByte(src, 255); at >= 0 {
				_, err = table.Decode(out, src[:at+1])
				wantCorrupt(t, "within an escape", err)
			}
		}
	}
}

// BenchmarkTexts decodes short and long texts; bytes are those of the texts.
func BenchmarkTexts(b *testing.B) {
	table, err := codec.ParseSymbolTable(symbolTable(true, "a", "the ", "1234567", "xy", "word"))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, codes := range []int{6, 200} {
		b.Run(strconv.Itoa(codes), func(b *testing.B) {
			var src []byte
			offsets := []uint32{0}
			for len(src) < 4000 {
				for range codes/2 + rng.IntN(codes) {
					src = append(src, byte(rng.IntN(5)))
				}
				offsets = append(offsets, uint32(len(src)))
			}
			v, err := codec.OffsetVariable(le32(offsets...), src, 4)
			if err != nil {
				b.Fatal(err)
			}
			out, starts := make([]byte, table.MaxSize(len(src))+codec.DecodeSlack), make([]int32, v.Len())
			for b.Loop() {
				n, err := codec.Texts(table, out, v, 0, v.Len(), starts, 0)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(n))
			}
		})
	}
}
