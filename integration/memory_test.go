//go:build integration

package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// rssLimitMB bounds the server's anonymous memory while it reads a table of 500 MB with 192 MiB for DuckDB. What is left
// beside DuckDB's share are batches in flight, so the bound does not grow with the table.
const rssLimitMB = 400

// stalledLimitMB bounds it while 50 clients read one batch each and no more: what is read ahead for all of them is
// bounded in all; a batch on its way to the client is held two or three times, and so is garbage until it is collected.
const stalledLimitMB = 1000

var rssAnon = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// TestMemory reads a table that is larger than the memory allowed, whole, filtered by half, and sorted with spilling; then
// clients leave in the midst of such results.
func TestMemory(t *testing.T) {
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "large.py")
	if out, err := exec.Command(serve.Python(), script, "make", data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := serve.Start(t, data, "--memory", "192MiB", "--spill", t.TempDir())
	peak := peakMB(t, server.PID, func() {
		serve.RunChecks(t, exec.Command(serve.Python(), script, "read", server.Addr))
	})
	if peak > rssLimitMB {
		t.Errorf("the server took %d MB, want at most %d", peak, rssLimitMB)
	}
	peak = peakMB(t, server.PID, func() {
		serve.RunChecks(t, exec.Command(serve.Python(), script, "stall", server.Addr))
	})
	if peak > stalledLimitMB {
		t.Errorf("with stalled streams the server took %d MB, want at most %d", peak, stalledLimitMB)
	}
	killClients(t, data)
}

// greedyLimitMB bounds the server's anonymous memory while statements ask for all that there is: with 192 MiB for
// DuckDB its allocations are capped at 896 MiB, blocks below 1 MiB at a quarter more.
const greedyLimitMB = 1300

// TestGreedyStatements runs statements whose values or plans would outgrow any machine.
func TestGreedyStatements(t *testing.T) {
	server := serve.Start(t, serve.DemoData(t), "--memory", "192MiB", "--spill", t.TempDir())
	peak := peakMB(t, server.PID, func() {
		serve.RunChecks(t, exec.Command(serve.Python(), filepath.Join(serve.Root(), "integration", "python", "greedy.py"), "--server", server.Addr))
	})
	if peak > greedyLimitMB {
		t.Errorf("the server took %d MB, want at most %d", peak, greedyLimitMB)
	}
}

// peakMB is the most anonymous memory that a process has while f runs.
func peakMB(t *testing.T, pid int, f func()) int64 {
	t.Helper()
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				peak.Store(max(peak.Load(), residentMB(pid)))
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	if peak.Load() == 0 {
		t.Fatal("the server's memory was never read")
	}
	return peak.Load()
}

// residentMB is the process's anonymous memory, 0 where it cannot be read.
func residentMB(pid int) int64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	found := rssAnon.FindSubmatch(status)
	if found == nil {
		return 0
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		return 0
	}
	return kb >> 10
}
