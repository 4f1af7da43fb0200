package encoding

import (
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// TestLevels compares the loops over blocks of levels with ones over single levels.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The last is the deepest that there can be.
		some := []uint16{0, 1, 2, 3, 4, 2 * maxLayers}
		top := rapid.SampledFrom(some).Draw(t, "top")
		var levels []uint16
		for range rapid.IntRange(0, 12).Draw(t, "runs") {
			run := slices.Repeat([]uint16{rapid.SampledFrom(some).Draw(t, "level")}, rapid.IntRange(0, 30).Draw(t, "length"))
			levels = append(levels, run...)
		}
		most, above := 0, false
		for _, l := range levels {
			if l <= top {
				most++
			}
			above = above || l > top
		}
		if n := countUpTo(levels, top); n != most {
			t.Fatalf("%d of %v are at most %d, want %d", n, levels, top, most)
		}
		if _, ok := exceeds(levels, top); ok != above {
			t.Fatalf("%v exceed %d: %v", levels, top, ok)
		}
		part := levels[:min(len(levels), rapid.IntRange(0, 64).Draw(t, "part"))]
		up, eq := upTo(part, top), equal(part, top)
		for i, l := range part {
			if up>>i&1 == 1 != (l <= top) || eq>>i&1 == 1 != (l == top) {
				t.Fatalf("level %d of %v is %d: at most %d in %b, equal in %b", i, part, l, top, up, eq)
			}
		}
		if past := ^ones(len(part)); up&past != 0 || eq&past != 0 || equal(part, none) != 0 || upTo(part, none) != ones(len(part)) {
			t.Fatalf("bits past %d levels in %b or %b", len(part), up, eq)
		}
	})
}

// TestExceedsAnyLevel: levels are compared with their bound before anything is known of them.
func TestExceedsAnyLevel(t *testing.T) {
	for _, bad := range []uint16{3, 1 << 15, 1<<15 + 1, 1<<16 - 1} {
		for at := range 40 {
			levels := make([]uint16, 40)
			levels[at] = bad
			if m, ok := exceeds(levels, 2); !ok || m != bad {
				t.Errorf("level %d at %d: %d, %v", bad, at, m, ok)
			}
		}
	}
}

func TestCompress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, m := rapid.Uint64().Draw(t, "x"), rapid.Uint64().Draw(t, "m")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			m |= rapid.Uint64().Draw(t, "more") | rapid.Uint64().Draw(t, "even more")
		case 1:
			m = ^uint64(0)
		}
		var want uint64
		at := 0
		for i := range 64 {
			if m>>i&1 == 1 {
				want |= x >> i & 1 << at
				at++
			}
		}
		if got := compress(x, m); got != want {
			t.Fatalf("bits %b of %b are %b, want %b", m, x, got, want)
		}
	})
}

// TestAppendVisible compares the validity of entries with what their levels stand for.
func TestAppendVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}), 0, 200).Draw(t, "levels")
		visible := rapid.SampledFrom([]uint16{0, 1, 2, 3, none}).Draw(t, "visible")
		valid := rapid.Uint16Range(0, 3).Draw(t, "valid")
		sinks := []*layerSink{{valid: newValidity(memory.DefaultAllocator)}, nil, {valid: newValidity(memory.DefaultAllocator)}}
		n, err := appendVisible(sinks, levels, visible, valid)
		if err != nil {
			t.Fatal(err)
		}
		var want []bool
		for _, l := range levels {
			if l <= visible {
				want = append(want, l <= valid)
			}
		}
		for _, s := range []*layerSink{sinks[0], sinks[2]} {
			bitmap, err := s.valid.finish()
			if err != nil || s.valid.n != len(want) || n != len(want) {
				t.Fatalf("%d and %d entries, %v, want %d", n, s.valid.n, err, len(want))
			}
			for i, ok := range want {
				if got := bitmap == nil || bitmap.Bytes()[i/8]>>(i%8)&1 == 1; got != ok {
					t.Fatalf("entry %d of %v (visible %d, valid %d) is %v", i, levels, visible, valid, got)
				}
			}
			s.valid.release()
		}
	})
}

// TestRowFinder compares where rows begin with a walk over single events.
func TestRowFinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &levelPlan{lists: rapid.IntRange(1, 2).Draw(t, "lists"), visible: []uint16{1, 2, 3}}
		rep := rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, uint16(p.lists)}), 0, 300).Draw(t, "rep")
		var def []uint16
		if rapid.Bool().Draw(t, "nulls") {
			def = rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}), len(rep), len(rep)).Draw(t, "def")
		}
		var want []rowStart
		slot := 0
		for i, r := range rep {
			if int(r) == p.lists {
				want = append(want, rowStart{i, slot})
			}
			if def == nil || def[i] <= 1 {
				slot++
			}
		}
		f := rowFinder{plan: p, rep: rep, def: def}
		for row, w := range want {
			for range rapid.IntRange(0, 2).Draw(t, "asked") {
				if got := f.next(uint64(row)); got != w {
					t.Fatalf("row %d of %v, %v begins at %v, want %v", row, rep, def, got, w)
				}
			}
		}
	})
}

// BenchmarkUnravel turns the levels of lists of some items into offsets and validity; bytes are levels.
func BenchmarkUnravel(b *testing.B) {
	const events = 1 << 16
	for _, size := range []int{1, 5, 75} {
		rep := make([]uint16, events)
		for i := 0; i < events; i += size {
			rep[i] = 1
		}
		l := listLevels{kind: pb.RepDefLayer_REPDEF_ALL_VALID_LIST, first: 1}
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(events)
			scratch := make([]uint16, events)
			for b.Loop() {
				copy(scratch, rep)
				s := layerSink{valid: newValidity(memory.DefaultAllocator), offsets: byteBuf{mem: memory.DefaultAllocator}, width: 4}
				if _, err := l.unravel(scratch, nil, &s); err != nil {
					b.Fatal(err)
				}
				s.release()
			}
		})
	}
}
