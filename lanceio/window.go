package lanceio

const (
	// windowBytes is what one window of rows is meant to take in memory: large enough that pages are read in few
	// requests, small against the memory of a statement.
	windowBytes = 8 << 20
	// windowRows bounds a window's rows.
	windowRows = 256 << 10
	// windowAlign is a number of rows that mini-block chunks of fixed-width values divide: windows that end there do
	// not cut chunks, which would be read twice.
	windowAlign = 4096
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

// take gives the rows of the next window, up to limit (negative for no limit), and the cursor behind them. The cursor is
// not done, and limit is not 0.
func (w *window) take(c cursor, limit int64) (selection, cursor) {
	n := w.rows
	if limit >= 0 && limit < n {
		n = limit
	}
	win, rest := c.take(n)
	if n < windowAlign || n == limit || !rest.split() {
		return win, rest
	}
	// End at an aligned row where that leaves most of the window.
	last := win[len(win)-1]
	end := last.End / windowAlign * windowAlign
	if over := int64(last.End - end); end > last.Start && over > 0 && over < n/2 {
		return c.take(n - over)
	}
	return win, rest
}
