package duckdb

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/lanceflight/flightsrv/errs"
)

const (
	// guardTick is how often memory is looked at while statements run.
	guardTick = 50 * time.Millisecond
	// guardPatience is how long a statement that was stopped may take to give its memory back before another is stopped.
	guardPatience = time.Second
	// ceilingSlack is what the process may hold beside twice the memory that DuckDB manages.
	ceilingSlack = 2 << 30
)

// errMemory is why a statement was stopped.
var errMemory = errs.New(errs.ErrResourceExhausted, "the statement was stopped as the server ran short of memory: its texts or lists grow too large")

// memoryGuard stops statements when the process holds more memory than it may. DuckDB bounds the blocks that it manages,
// but not what functions make within a vector: texts that a query doubles again and again, lists of lists. The newest
// statement goes first.
type memoryGuard struct {
	ceiling int64                // bytes
	measure func() (int64, bool) // what the process holds; false where the system does not tell

	mu       sync.Mutex
	sessions []*session // those that run, the newest last
	watching bool
	stopped  *session // the last one that was stopped, while it runs
	since    time.Time
}

func (g *memoryGuard) add(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sessions = append(g.sessions, s)
	if !g.watching {
		g.watching = true
		go g.watch()
	}
}

func (g *memoryGuard) drop(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, o := range g.sessions {
		if o == s {
			g.sessions = append(g.sessions[:i], g.sessions[i+1:]...)
			break
		}
	}
	if g.stopped == s {
		g.stopped = nil
	}
}

// watch looks at the memory until no statement runs any more.
func (g *memoryGuard) watch() {
	tick := time.NewTicker(guardTick)
	defer tick.Stop()
	for now := range tick.C {
		held, known := g.measure()
		g.mu.Lock()
		ceiling := g.ceiling
		g.mu.Unlock()
		if !g.look(now, known && held > ceiling) {
			return
		}
	}
}

// look stops a statement where memory is short; it is false when none is left to look after.
func (g *memoryGuard) look(now time.Time, short bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sessions) == 0 {
		g.watching = false
		return false
	}
	if !short || g.stopped != nil && now.Sub(g.since) < guardPatience {
		return true
	}
	for i := len(g.sessions) - 1; i >= 0; i-- {
		if s := g.sessions[i]; s.ctx.Err() == nil {
			s.cancel(errMemory)
			g.stopped, g.since = s, now
			break
		}
	}
	return true
}

// heldMemory gives the bytes of memory that are the process's own, not backed by files. Source: proc(5), statm.
func heldMemory() (int64, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(data)
	if len(fields) < 3 {
		return 0, false
	}
	resident, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, false
	}
	shared, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return 0, false
	}
	return (resident - shared) * int64(os.Getpagesize()), true
}
