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
		top := rapid.Uint16Range(0, 4).Draw(t, "top")
		var levels []uint16
		for range rapid.IntRange(0, 12).Draw(t, "runs") {
			run := slices.Repeat([]uint16{rapid.Uint16Range(0, 4).Draw(t, "level")}, rapid.IntRange(0, 30).Draw(t, "length"))
			levels = append(levels, run...)
		}
		equal, upTo, above, sum := 0, 0, false, 0
		ones := make([]uint16, len(levels))
		for i, l := range levels {
			if l == top {
				equal++
			}
			if l <= top {
				upTo++
			}
			above = above || l > top
			ones[i] = min(l, 1)
			sum += int(ones[i])
		}
		if n := countOf(levels, max(top, 1)); top > 0 && n != equal {
			t.Fatalf("%d of %v are %d, want %d", n, levels, top, equal)
		}
		if n := countUpTo(levels, top); n != upTo {
			t.Fatalf("%d of %v are at most %d, want %d", n, levels, top, upTo)
		}
		if _, ok := exceeds(levels, top); ok != above {
			t.Fatalf("%v exceed %d: %v", levels, top, ok)
		}
		if n := sumOf(ones); n != sum {
			t.Fatalf("%v add up to %d, want %d", ones, n, sum)
		}
	})
}

// TestVisibleWord compares the bits of up to 64 levels with what they stand for.
func TestVisibleWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}), 0, 64).Draw(t, "levels")
		visible := rapid.SampledFrom([]uint16{0, 1, 2, 3, none}).Draw(t, "visible")
		valid := rapid.Uint16Range(0, 3).Draw(t, "valid")
		w, k := visibleWord(levels, visible, valid)
		at := 0
		for _, l := range levels {
			if l > visible {
				continue
			}
			if (w>>at&1 == 1) != (l <= valid) {
				t.Fatalf("bit %d of %v (visible %d, valid %d) is %d", at, levels, visible, valid, w>>at&1)
			}
			at++
		}
		if k != at || k < 64 && w>>k != 0 {
			t.Fatalf("%d bits %b of %v, want %d", k, w, levels, at)
		}
	})
}

// TestRowStarts compares where rows begin with a walk over single events.
func TestRowStarts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &levelPlan{lists: rapid.IntRange(1, 2).Draw(t, "lists"), visible: []uint16{1, 2, 3}}
		rep := rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, uint16(p.lists)}), 0, 100).Draw(t, "rep")
		var def []uint16
		if rapid.Bool().Draw(t, "nulls") {
			def = rapid.SliceOfN(rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}), len(rep), len(rep)).Draw(t, "def")
		}
		open := rapid.Bool().Draw(t, "open")
		var want []rowStart
		if open {
			want = append(want, rowStart{})
		}
		slot := 0
		for i, r := range rep {
			if int(r) == p.lists {
				want = append(want, rowStart{i, slot})
			}
			if def == nil || def[i] <= 1 {
				slot++
			}
		}
		if got := p.rowStarts(nil, rep, def, open); !slices.Equal(got, want) {
			t.Fatalf("rows of %v, %v begin at %v, want %v", rep, def, got, want)
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
