package lanceio

import (
	"sync"
	"sync/atomic"

	"github.com/lanceflight/flightsrv/scan"
)

// counters counts what one stream reads, where the reads happen. It is safe for concurrent use.
type counters struct {
	fragments, rows, bytes, requests atomic.Int64

	mu      sync.Mutex
	columns map[string]int64
}

func newCounters() *counters { return &counters{columns: map[string]int64{}} }

// read counts requests of size bytes in all, of which own were asked for leaf ("" for metadata).
func (c *counters) read(leaf string, requests, size, own int64) {
	c.requests.Add(requests)
	c.bytes.Add(size)
	if leaf == "" {
		return
	}
	c.mu.Lock()
	c.columns[leaf] += own
	c.mu.Unlock()
}

func (c *counters) metrics() scan.Metrics {
	m := scan.Metrics{
		FragmentsRead: int(c.fragments.Load()),
		RowsSelected:  c.rows.Load(),
		BytesRead:     c.bytes.Load(),
		ReadRequests:  c.requests.Load(),
		ColumnBytes:   map[string]int64{},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, v := range c.columns {
		m.ColumnBytes[k] = v
	}
	return m
}
