package lanceio

import "math/bits"

const (
	// windowBytes is what one window of rows is meant to take in memory: large enough that pages are read in few
	// requests, small against the memory of a statement.
	windowBytes = 8 << 20
	// leafBytes is what a window is meant to take for each column where requests don't wait: more of a
	// column at a time leaves the processor's cache, and is little memory that was used before; less is too many reads.
	leafBytes = 1 << 20
	// windowRows bounds a window's rows.
	windowRows = 256 << 10
	// windowAlign is a number of rows that mini-block chunks of fixed-width values divide: windows that end there do
	// not cut chunks, which would be read twice. chunkAlign is the same for most of these chunks; windows of less than
	// leastAlign rows end anywhere.
	windowAlign = 4096
	chunkAlign  = 1024
	leastAlign  = 64
	// windowGrowth bounds how much larger a window may be than the one before: the estimate of a row's bytes comes from
	// the rows read so far, and pages may hold far more than their size on disk says.
	windowGrowth = 4
)

// window decides how many rows are read at a time.
type window struct {
	rows  int64 // of the next window
	seen  int64 // bytes of a row, as the last window had them; 0 before the first
	max   int64
	bytes int64 // wanted
}

// newWindow starts with a guess from the bytes that a row takes on disk, which is wrong by far for repetitive data;
// variable tells that rows may be of any size, so that the start is small. bytes is what a window may take.
func newWindow(maxRows, bytes int64, rowBytes float64, variable bool) window {
	start := int64(windowAlign)
	if variable {
		start = 256
	}
	if rowBytes > 0 {
		start = min(start, int64(float64(bytes)/4/rowBytes))
	}
	return window{rows: max(1, min(start, maxRows)), max: maxRows, bytes: bytes}
}

// saw learns that a window of rows took bytes.
func (w *window) saw(rows, bytes int64) {
	if rows <= 0 {
		return
	}
	next := min(w.rows*windowGrowth, w.max)
	per := max(bytes/rows, 1)
	w.seen = per
	if w.bytes/per < next {
		next = max(1, w.bytes/per)
	}
	w.rows = next
}

// sideBytes is what a window takes at least that is read beside another. Smaller ones cost more than they gain: each reads
// the chunk in which the one before it ends once more.
const sideBytes = 512 << 10

// aside tells whether the next window is large enough to be read beside another.
func (w *window) aside() bool { return w.rows*w.seen >= sideBytes }

// alignOf is where a window of n rows is best cut: chunks hold a power of two of rows, most of them at most chunkAlign.
func alignOf(n int64) uint64 {
	switch {
	case n >= windowAlign:
		return windowAlign
	case n >= chunkAlign:
		return chunkAlign
	case n >= leastAlign:
		return 1 << (bits.Len64(uint64(n)) - 1)
	default:
		return 1
	}
}

// take gives the rows of the next window, up to limit (negative for no limit), and the cursor behind them. The cursor is
// not done, and limit is not 0.
func (w *window) take(c cursor, limit int64) (selection, cursor) {
	n := w.rows
	if limit >= 0 && limit < n {
		n = limit
	}
	win, rest := c.take(n)
	align := alignOf(n)
	if n == limit || !rest.split() {
		return win, rest
	}
	// End at an aligned row where that leaves most of the window.
	last := win[len(win)-1]
	end := last.End / align * align
	if over := int64(last.End - end); end > last.Start && over > 0 && over < n/2 {
		return c.take(n - over)
	}
	return win, rest
}

// width is what the windows of one fragment teach of those of the next.
type width struct {
	rowBytes   float64 // of a row on disk
	rows, seen int64   // of the window
}

// after gives what a window has learned, or the width as it is where that is nothing.
func (d width) after(w window) width {
	if w.seen > 0 {
		d.rows, d.seen = w.rows, w.seen
	}
	return d
}

// like makes a window start as wide as those of the fragment before, where rows take about as much on disk.
func (w *window) like(d width, rowBytes float64) {
	if d.seen > 0 && rowBytes <= d.rowBytes*2 {
		w.rows, w.seen = min(d.rows, w.max), d.seen
	}
}
