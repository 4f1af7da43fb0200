package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/term"
)

// progress tells on a terminal how far a query is: at most five times a second, on one line that is wiped at the end.
type progress struct {
	out   *os.File // nil: silent
	begun time.Time
	done  chan struct{}
	once  sync.Once
	idle  sync.WaitGroup

	mu      sync.Mutex
	rows    int64
	started bool // rows have come
	shared  bool // the rows are printed to the same terminal
}

func newProgress(out *os.File, shared bool) *progress {
	p := &progress{out: out, begun: time.Now(), done: make(chan struct{}), shared: shared}
	if !term.IsTerminal(int(out.Fd())) {
		p.out = nil
		return p
	}
	p.idle.Add(1)
	go p.show()
	return p
}

func (p *progress) show() {
	defer p.idle.Done()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			p.print("")
			return
		case <-tick.C:
			p.mu.Lock()
			if !p.started || !p.shared {
				p.print(fmt.Sprintf("%d rows, %.0f s", p.rows, time.Since(p.begun).Seconds()))
			}
			p.mu.Unlock()
		}
	}
}

// print puts a text in place of the line; a terminal that is gone is no fault of the query.
func (p *progress) print(text string) { _, _ = fmt.Fprint(p.out, "\r\x1b[K", text) }

// add counts a batch; where rows go to the same terminal, the line is wiped for them.
func (p *progress) add(b arrow.RecordBatch) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started && p.shared {
		p.print("")
	}
	p.started = true
	p.rows += b.NumRows()
}

// stop wipes the line; calling it again does nothing.
func (p *progress) stop() {
	p.once.Do(func() { close(p.done) })
	p.idle.Wait()
}
