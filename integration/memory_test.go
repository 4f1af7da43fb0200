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

var rssAnon = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// TestMemory reads a table that is larger than the memory allowed, whole, filtered by half, and sorted with spilling.
func TestMemory(t *testing.T) {
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "large.py")
	if out, err := exec.Command(serve.Python(), script, "make", data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := serve.Start(t, data, "--memory", "192MiB", "--spill", t.TempDir())
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
				peak.Store(max(peak.Load(), residentMB(server.PID)))
			}
		}
	}()
	serve.RunChecks(t, exec.Command(serve.Python(), script, "read", server.Addr))
	close(stop)
	<-stopped
	if peak.Load() == 0 {
		t.Fatal("the server's memory was never read")
	}
	if peak.Load() > rssLimitMB {
		t.Errorf("the server took %d MB, want at most %d", peak.Load(), rssLimitMB)
	}
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
