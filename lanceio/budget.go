package lanceio

import "sync"

const (
	// scanBytes is what a scan holds at most, as long as memory is not scarce: a window that is being read and two that lie ready.
	scanBytes = 3 * windowBytes
	// farScanBytes is the same where many units are read at once because requests wait long.
	farScanBytes = 4 * scanBytes
	// scanFloor is what each scan may hold however many there are; less would cost more in requests and calls than it saves.
	scanFloor = scanBytes / 16
)

// Budget bounds the bytes that all scans which share it hold in flight. A scan gets what it can use as long as three times
// as much is left, then less, and never less than a sixteenth, so that many scans at once are slower each but run. It is
// safe for concurrent use.
type Budget struct {
	mu   sync.Mutex
	left int64
}

// NewBudget gives a budget of so many bytes.
func NewBudget(bytes int64) *Budget { return &Budget{left: bytes} }

// take gives a scan its share, at most want, which goes back by give.
func (b *Budget) take(want int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	share := max(scanFloor, min(want, b.left/4))
	b.left -= share
	return share
}

func (b *Budget) give(share int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += share
}
