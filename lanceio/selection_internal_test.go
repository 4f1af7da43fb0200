package lanceio

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// rowsIn lists the rows of a selection one by one.
func rowsIn(s selection) []uint64 {
	var out []uint64
	for _, r := range s {
		for row := r.Start; row < r.End; row++ {
			out = append(out, row)
		}
	}
	return out
}

// bitmap gives booleans as bits.
func bitmap(pass []bool) eval.Bitmap {
	b := eval.Bitmap{Words: make([]uint64, (len(pass)+63)/64), N: len(pass)}
	for i, p := range pass {
		if p {
			b.Words[i/64] |= 1 << (i % 64)
		}
	}
	return b
}

// drawSelection draws some of the first 200 rows, and checks what a selection promises.
func drawSelection(t *rapid.T, label string) selection {
	keep := rapid.SliceOfN(rapid.Bool(), 0, 200).Draw(t, label)
	s := rowsOf(0, uint64(len(keep))).keep(bitmap(keep))
	checkForm(t, s)
	return s
}

func checkForm(t *rapid.T, s selection) {
	for i, r := range s {
		if r.Start >= r.End || i > 0 && r.Start <= s[i-1].End {
			t.Fatalf("%v: range %d is empty, or touches the one before", s, i)
		}
	}
}

func TestSelectionKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelection(t, "rows")
		pass := rapid.SliceOfN(rapid.Bool(), len(rowsIn(s)), len(rowsIn(s))).Draw(t, "pass")
		sub := s.keep(bitmap(pass))
		checkForm(t, sub)
		var want, places []uint64
		for i, row := range rowsIn(s) {
			if pass[i] {
				want, places = append(want, row), append(places, uint64(i))
			}
		}
		if !slices.Equal(rowsIn(sub), want) {
			t.Fatalf("kept %v of %v, want %v", sub, s, want)
		}
		if got := rowsIn(s.places(sub)); !slices.Equal(got, places) {
			t.Fatalf("places %v of %v in %v, want %v", got, sub, s, places)
		}
		if sub.count() != int64(len(want)) {
			t.Fatalf("count %d, want %d", sub.count(), len(want))
		}
	})
}

func TestSelectionSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelection(t, "rows")
		before := slices.Clone(s)
		n := rapid.IntRange(0, 220).Draw(t, "n")
		first, rest := s.split(int64(n))
		checkForm(t, first)
		all := rowsIn(s)
		n = min(n, len(all))
		if !slices.Equal(rowsIn(first), all[:n]) || !slices.Equal(rowsIn(rest), all[n:]) {
			t.Fatalf("split of %v at %d: %v and %v", s, n, first, rest)
		}
		if !slices.Equal(s, before) {
			t.Fatalf("split changed %v to %v", before, s)
		}
	})
}

func TestWindowsCoverSelection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelection(t, "rows")
		// Rows far apart make aligned ends matter.
		step := rapid.SampledFrom([]uint64{1, 3000}).Draw(t, "step")
		var wide selection
		for _, r := range s {
			wide = wide.add(r.Start*step, r.End*step)
		}
		w := window{rows: rapid.Int64Range(1, 20000).Draw(t, "window"), max: 1 << 20}
		limit := rapid.Int64Range(-1, 5000).Draw(t, "limit")
		if limit == 0 {
			limit = 1
		}
		var got selection
		for c := (cursor{s: wide}); !c.done(); {
			var win selection
			win, c = w.take(c, limit)
			if n := win.count(); n == 0 || n > w.rows || limit > 0 && n > limit {
				t.Fatalf("a window of %d rows, bound %d, limit %d", n, w.rows, limit)
			}
			for _, r := range win {
				got = got.add(r.Start, r.End)
			}
		}
		if !slices.Equal(got, wide) {
			t.Fatalf("windows give %v of %v", got, wide)
		}
	})
}

func TestWindowEndsAligned(t *testing.T) {
	for _, tt := range []struct{ rows, start, want int64 }{
		{10000, 0, 8192},
		{4096, 0, 4096},
		{3500, 0, 3072},
		{3500, 1024, 4096},
		{1500, 0, 1024},
		{900, 0, 512},
		{900, 500, 1024}, // most of the window is left
		{100, 0, 64},
		{63, 0, 63},
		{63, 30, 93},
		{1, 7, 8},
	} {
		w := window{rows: tt.rows, max: 1 << 20}
		win, _ := w.take(cursor{s: rowsOf(uint64(tt.start), 100000)}, -1)
		if want := (selection{encoding.RowRange{Start: uint64(tt.start), End: uint64(tt.want)}}); !slices.Equal(win, want) {
			t.Errorf("window of %d rows: %v, want %v", tt.rows, win, want)
		}
	}
	w := window{rows: 10000, max: 1 << 20}
	// A limit is kept to the row.
	if win, _ := w.take(cursor{s: rowsOf(0, 100000)}, 9000); win.count() != 9000 {
		t.Errorf("window of %d rows, limit 9000", win.count())
	}
}

func TestWindowSize(t *testing.T) {
	tests := []struct {
		name        string
		rows, bytes int64
		want        int64
	}{
		{"narrow rows grow fourfold", 1000, 8000, 4000},
		{"wide rows fit the bytes", 1000, 1000 * (windowBytes / 10), 10},
		{"a row wider than a window", 1, 10 * windowBytes, 1},
		{"no rows teach nothing", 0, 0, 1000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := window{rows: 1000, max: windowRows, bytes: windowBytes}
			w.saw(tt.rows, tt.bytes)
			if w.rows != tt.want {
				t.Errorf("next window has %d rows, want %d", w.rows, tt.want)
			}
		})
	}
}

func TestWindowBytes(t *testing.T) {
	near, far := step{bytes: windowBytes, beside: 1}, step{bytes: windowBytes, beside: 32}
	for _, tt := range []struct {
		name   string
		step   step
		leaves int
		want   int64
	}{
		{"one column", near, 1, leafBytes},
		{"three columns", near, 3, 3 * leafBytes},
		{"special columns only", near, 0, leafBytes},
		{"more than the budget gives", near, 200, windowBytes},
		{"little of the budget", step{bytes: 1000, beside: 1}, 1, 1000},
		{"a store that answers slowly", far, 1, windowBytes},
	} {
		if got := tt.step.wanted(tt.leaves); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, got, tt.want)
		}
	}
}

func TestWindowOfTheNextFragment(t *testing.T) {
	w := window{rows: 256, max: windowRows, bytes: windowBytes}
	d := width{rowBytes: 100}
	if got := d.after(w); got != d {
		t.Errorf("a window that saw nothing teaches %v", got)
	}
	w.saw(256, 256*(windowBytes/500))
	d = d.after(w)
	for _, tt := range []struct {
		rowBytes float64
		want     int64
	}{{100, 500}, {10, 500}, {200, 500}, {201, 256}} {
		next := window{rows: 256, max: windowRows, bytes: windowBytes}
		next.like(d, tt.rowBytes)
		if next.rows != tt.want {
			t.Errorf("rows of %v bytes: the first window has %d, want %d", tt.rowBytes, next.rows, tt.want)
		}
	}
	next := window{rows: 20, max: 300, bytes: windowBytes}
	if next.like(d, 100); next.rows != 300 {
		t.Errorf("the first window has %d rows, at most 300 are allowed", next.rows)
	}
}

// BenchmarkKeep takes the rows that pass from a window; bytes are rows.
func BenchmarkKeep(b *testing.B) {
	const rows = 1 << 16
	for name, every := range map[string]int{"all": 1, "half": 2, "one in a thousand": 1000} {
		pass := make([]bool, rows)
		for i := 0; i < rows; i += every {
			pass[i] = true
		}
		bits, sel := bitmap(pass), rowsOf(0, rows)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(rows)
			for b.Loop() {
				if n := sel.keep(bits).count(); n != int64(bits.Count()) {
					b.Fatalf("%d rows kept", n)
				}
			}
		})
	}
}
