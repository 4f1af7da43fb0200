//go:build integration

package integration_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// TestViews makes, reads and drops views on a server that may write, and lays files of views into its folder.
func TestViews(t *testing.T) {
	data := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "views.py")
	if out, err := exec.Command(serve.Python(), script, "make", data).CombinedOutput(); err != nil {
		t.Fatalf("making the tables: %v\n%s", err, out)
	}
	addr := serve.Start(t, data, "--writable").Addr
	serve.RunChecks(t, exec.Command(serve.Python(), script, "--server", addr, "--data", data))
}
